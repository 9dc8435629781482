package document

import "github.com/memoryd/memoryd/pkg/answer"

// Answer is the answer to a question, as --json prints it.
type Answer struct {
	answer.Answer
	Degraded string `json:"degraded,omitempty"` // why no model answered
}

// Spent is what requests have taken since some moment.
type Spent struct {
	Requests int     `json:"requests"`
	Tokens   int     `json:"tokens"`
	Cost     float64 `json:"cost"`
}
