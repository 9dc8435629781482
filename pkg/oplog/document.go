package oplog

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ErrBroken means that the document is no log: not valid JSON, or without one
// clear list of entries. Nobody can append to it until a person repairs it or
// moves it out of the way.
var ErrBroken = errors.New("repair the file by hand, or move it away: the next run begins a new log")

// empty is the document that the first entry goes into.
const empty = `{
  "version": "1.0.0",
  "entries": []
}
`

// A document is a log split into its raw entries.
type document struct {
	raw     []byte
	list    string // the member that holds the entries: "entries" or "log"
	entries []gjson.Result
}

// parse splits doc. Nothing but white space is a new log.
func parse(doc []byte) (document, error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		doc = []byte(empty)
	}
	if err := jsonedit.Check(doc); err != nil {
		return document{}, fmt.Errorf("the log can't be read: %w: %w", err, ErrBroken)
	}
	d := document{raw: doc}
	for _, name := range []string{"entries", "log"} {
		entries, ok := jsonedit.Elements(doc, name)
		if !ok {
			continue
		}
		if d.list != "" {
			return document{}, fmt.Errorf(`the log has both a list "entries" and a list "log": %w`, ErrBroken)
		}
		d.list, d.entries = name, entries
	}
	if d.list == "" {
		return document{}, fmt.Errorf(`the log has no list "entries": %w`, ErrBroken)
	}
	if twice := jsonedit.DuplicateKeys(doc); len(twice) > 0 {
		return document{}, fmt.Errorf("the log has the member %q twice: %w", twice[0], ErrBroken)
	}
	return d, nil
}
