package temporal

import (
	"time"

	"github.com/memoryd/memoryd/pkg/text"
)

// ResolveIn reads text as one of a language.
func ResolveIn(s string, ref time.Time, code text.Language) []Span {
	return resolveIn(s, ref, languageOf(code), true)
}

// Codes are the languages that have a table.
func Codes() []string { return codes }
