package provider

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Outcome is what became of a request.
type Outcome string

// The outcomes. A receipt has one of them.
const (
	Reserved    Outcome = "reserved"    // on its way, or a crash was in between
	OK          Outcome = "ok"          // an object
	Cached      Outcome = "cached"      // it was answered before; nothing was sent
	Shape       Outcome = "shape"       // no object
	Length      Outcome = "length"      // cut off: ask for less at once
	Context     Outcome = "context"     // it doesn't fit: ask about less at once
	Refused     Outcome = "refused"     // the model would not answer
	Denied      Outcome = "denied"      // the server takes no such request: key, model or address is wrong
	Busy        Outcome = "busy"        // 429 or 5xx
	Timeout     Outcome = "timeout"     // no answer in time
	Unreachable Outcome = "unreachable" // no connection, or no model server at the other end
	Guarded     Outcome = "guarded"     // an answer that a guard of the caller threw away
)

// final reports whether an outcome is about the request, so that no other endpoint is asked.
func (o Outcome) final() bool { return o == Length || o == Context || o == Refused }

// Error says why there is no answer.
type Error struct {
	Outcome  Outcome
	Provider string // the endpoint, "" when there is none to ask
	Detail   string
	Tried    []*Error // of a chain: what became of each endpoint

	retryAfter time.Duration // as the server wants; 0: it doesn't say
	unsent     bool          // nothing has left this machine
}

func (e *Error) Error() string {
	switch {
	case len(e.Tried) > 0:
		var parts []string
		for _, t := range e.Tried {
			parts = append(parts, t.Error())
		}
		return "no model answered: " + strings.Join(parts, "; ")
	case e.Provider == "":
		return e.Detail
	}
	return fmt.Sprintf("%s: %s: %s", e.Provider, e.Outcome, e.Detail)
}

// OutcomeOf is the outcome that an error of Ask stands for, "" for another error.
func OutcomeOf(err error) Outcome {
	var e *Error
	if errors.As(err, &e) {
		return e.Outcome
	}
	return ""
}

// BudgetError says that a request was not sent because it might have cost more than is left.
type BudgetError struct {
	Limit  string // the setting: run_tokens, day_tokens, run_cost or day_cost
	Needed string // what the request may cost
	Left   string
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("%s: %s are needed, %s are left: deferred; raise model.%s or wait", e.Limit, e.Needed, e.Left, e.Limit)
}
