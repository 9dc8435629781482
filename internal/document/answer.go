package document

import "github.com/memoryd/memoryd/pkg/answer"

// Reasoned is an answer as package answer gives it.
type Reasoned = answer.Answer

// Answer is the answer to a question.
type Answer struct {
	Reasoned
	Degraded string `json:"degraded,omitempty" jsonschema:"why no model answered"`
	Hint     string `json:"hint,omitempty" jsonschema:"what was requested and no memory has, and what may be meant"`
}

// Spent is what requests have taken since some moment.
type Spent struct {
	Requests int     `json:"requests"`
	Tokens   int     `json:"tokens"`
	Cost     float64 `json:"cost"`
}
