package tokens

import (
	_ "embed"
	"math"
	"sync"

	"github.com/memoryd/memoryd/pkg/tokens/internal/model"
)

//go:embed model.bin
var tables []byte

// A wrong table is a mistake of the build: a test reads it, nothing is estimated by it.
var prices = sync.OnceValue(func() *model.Model {
	m, err := model.Unmarshal(tables)
	if err != nil {
		return &model.Model{} // every word counts two
	}
	return m
})

// Margin is what an estimate is above what the model holds for likely.
const Margin = 1.05

// Estimate is about how many tokens a text is, rather too many than too few.
func Estimate(text string) int {
	m, sum := prices(), 0.0
	for len(text) > 0 {
		piece, k := model.Next(text)
		sum += m.Cost(piece, k)
		text = text[len(piece):]
	}
	return int(math.Ceil(sum * Margin))
}
