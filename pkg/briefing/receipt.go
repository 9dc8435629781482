package briefing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Events at which a block is given.
const (
	AtStart  = "start"  // of a session
	AtResume = "resume" // a session goes on, with its context as it was
	AtPrompt = "prompt" // next to what a person typed
	AtShow   = "show"   // a command or a tool was asked for it
	IntoFile = "file"   // it was put into a file that agents read
)

// Receipt is what a session was given at one moment.
type Receipt struct {
	At      time.Time `json:"at"`
	Event   string    `json:"event"`
	Session string    `json:"session,omitempty"`
	Host    string    `json:"host,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	Project string    `json:"project,omitempty"`
	File    string    `json:"file,omitempty"`
	Format  Format    `json:"format"`
	Version string    `json:"version"`
	Tokens  int       `json:"tokens"`
	Chars   int       `json:"chars"`
	Budget  int       `json:"budget"`
	Given   []string  `json:"given"`
	Cut     []Cut     `json:"cut" jsonschema:"the first of them"`
	CutAll  int       `json:"cut_count"`
}

// CountsAsRead reports whether the memories of the block were read: with a prompt they were
// given because they are relevant to it. Those of other blocks were given, and that is all.
func (r Receipt) CountsAsRead() bool { return r.Event == AtPrompt }

// mostCut bounds how many of those that were cut are named.
const mostCut = 20

// ReceiptOf makes the receipt of a block; the caller adds who got it.
func ReceiptOf(b Block, r Request, event string) Receipt {
	out := Receipt{
		At: r.At.UTC(), Event: event, Agent: r.Agent, Project: r.Project, Format: r.Format, Version: b.Version,
		Tokens: b.Tokens, Chars: b.Chars, Budget: r.Tokens, Given: b.IDs(), Cut: []Cut{}, CutAll: b.CutAll,
	}
	out.Cut = append(out.Cut, b.Cut...)
	return out
}

// Line is the receipt as one line of JSON in which no blank stands, so that whoever
// folds blanks changes nothing.
func (r Receipt) Line() (string, error) {
	text, err := json.Marshal(r)
	var b strings.Builder
	for _, c := range string(text) {
		if unicode.IsSpace(c) {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String(), err
}

// ParseReceipts reads lines of receipts, in their order. Lines that are none, torn ones
// say, are passed over.
func ParseReceipts(doc []byte) (all []Receipt) {
	for line := range bytes.Lines(doc) {
		var r Receipt
		if json.Unmarshal(line, &r) == nil && r.Event != "" {
			all = append(all, r)
		}
	}
	return all
}

// GivenTo lists the ids that a session has been given since it last began, which it does
// again after its context was emptied, with the time at which each was given last; and when it was given anything last.
func GivenTo(session string, all []Receipt) (given map[string]time.Time, last time.Time) {
	given = map[string]time.Time{}
	for _, r := range all {
		if session == "" || r.Session != session {
			continue
		}
		if r.Event == AtStart {
			clear(given)
		}
		for _, id := range r.Given {
			given[id] = r.At
		}
		last = r.At
	}
	return given, last
}
