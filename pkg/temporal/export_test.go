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

// Unknown are the names in the data file of a language that mean nothing.
func Unknown(code string) []string { return languageOf(text.Language(code)).unknown }
