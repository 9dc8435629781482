package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// object finds the one JSON object in what a model wrote: the whole text, or what a fence holds; either after the end of a thought.
// There is none in prose, and none where there are two.
func object(text string) (json.RawMessage, bool) {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if inside, ok := fenced(text); ok {
		text = inside
	}
	raw := []byte(text)
	if len(raw) == 0 || raw[0] != '{' || jsonedit.Check(raw) != nil {
		return nil, false
	}
	return raw, !repeats(gjson.ParseBytes(raw))
}

// fenced is the text inside the only fence of an answer. What surrounds it must not look like another answer.
func fenced(text string) (inside string, ok bool) {
	const fence = "```"
	if strings.Count(text, fence) != 2 {
		return "", false
	}
	before, rest, _ := strings.Cut(text, fence)
	inside, after, _ := strings.Cut(rest, fence)
	if strings.ContainsAny(before+after, "{}") {
		return "", false
	}
	if line, body, ok := strings.Cut(inside, "\n"); ok && !strings.Contains(line, "{") {
		inside = body
	}
	return strings.TrimSpace(inside), true
}

// repeats reports whether an object names a member twice, at any depth: readers differ in which one counts.
func repeats(v gjson.Result) (found bool) {
	seen := map[string]bool{}
	v.ForEach(func(key, value gjson.Result) bool {
		if v.IsObject() {
			found = found || seen[key.Str]
			seen[key.Str] = true
		}
		if value.IsObject() || value.IsArray() {
			found = found || repeats(value)
		}
		return !found
	})
	return found
}

// read reads a reply with status 200.
func (f *format) read(body []byte, p *prompt) (json.RawMessage, *Error) {
	reply := gjson.ParseBytes(body)
	switch f.ended(reply.Get(f.finish).String()) {
	case cutOff:
		return nil, &Error{Outcome: Length, Detail: "the answer was cut off at the most output"}
	case overflow:
		return nil, &Error{Outcome: Context, Detail: "the context was full"}
	case refusal:
		return nil, &Error{Outcome: Refused, Detail: "the model would not answer"}
	}
	if reply.Get("choices.0.message.refusal").String() != "" {
		return nil, &Error{Outcome: Refused, Detail: "the model would not answer"}
	}
	text, reasoning := f.text(reply)
	if strings.TrimSpace(text) == "" {
		text = reasoning
	}
	raw, ok := object(text)
	if !ok {
		return nil, &Error{Outcome: Shape, Detail: "the answer is not one JSON object"}
	}
	if gjson.GetBytes(raw, "code").String() != p.code {
		return nil, &Error{Outcome: Context, Detail: "the answer lacks the code from the head of the prompt: the server seems to have cut the prompt"}
	}
	raw, err := sjson.DeleteBytes(bytes.Clone(raw), "code")
	if err != nil {
		return nil, &Error{Outcome: Shape, Detail: "the answer can't be read: " + err.Error()}
	}
	if p.Check != nil {
		if err := p.Check(raw); err != nil {
			return nil, &Error{Outcome: Shape, Detail: err.Error()}
		}
	}
	return raw, nil
}

// Unmarshal reads an answer into a value, as [Strictly] does.
func (a Answer) Unmarshal(into any) error {
	if err := Strictly(a.Object, into); err != nil {
		return &Error{Outcome: Shape, Provider: a.Receipt.Provider, Detail: err.Error()}
	}
	return nil
}

// Strictly reads an object into a value: nothing may stand in it that the value doesn't have, nor anything of another type.
func Strictly(object json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil || dec.More() {
		return errors.New("the answer holds something else than was asked for")
	}
	return nil
}

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
