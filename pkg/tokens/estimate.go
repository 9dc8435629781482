package tokens

import (
	_ "embed"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/tokens/internal/bpe"
)

//go:embed o200k.bin
var o200k string

// Count is how many tokens of o200k a text is. Each byte that is no UTF-8 counts as the
// character that stands for such ones, which is what a model would be shown.
func Count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	c := bpe.Counter{Vocabulary: bpe.Vocabulary(o200k)}
	return c.Count(text)
}

// Margin is by how many percent an estimate is above the count.
const Margin = 5

// Estimate is how many tokens a text is, rather too many than too few.
func Estimate(text string) int {
	n := Count(text)
	return n + (n*Margin+99)/100
}
