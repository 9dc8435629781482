package oplog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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

// A Document is a log that has been taken apart, once for all that is asked of it. It holds on
// to the bytes, which must not change.
type Document struct {
	raw     []byte
	list    string // the member that holds the entries: "entries" or "log"
	entries []gjson.Result
	before  follows // what the document continues
}

// follows is the member of a document that continues another one: where that was
// put, how many entries had been written by then, and the link of the last.
type follows struct {
	File    string `json:"file"`
	Entries int    `json:"entries"`
	Hash    string `json:"hash"`
}

// Parse takes doc apart. Nothing but white space is a new log. The error is [ErrBroken].
func Parse(doc []byte) (*Document, error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		doc = []byte(empty)
	}
	if err := jsonedit.Check(doc); err != nil {
		return nil, fmt.Errorf("the log can't be read: %w: %w", err, ErrBroken)
	}
	d := &Document{raw: doc}
	members, object := jsonedit.MembersOf(doc)
	for _, name := range []string{"entries", "log"} {
		if !object {
			break
		}
		entries, ok := members.Elements(name)
		if !ok {
			continue
		}
		if d.list != "" {
			return nil, fmt.Errorf(`the log has both a list "entries" and a list "log": %w`, ErrBroken)
		}
		d.list, d.entries = name, entries
	}
	if d.list == "" {
		return nil, fmt.Errorf(`the log has no list "entries": %w`, ErrBroken)
	}
	if twice := members.Repeated(); len(twice) > 0 {
		return nil, fmt.Errorf("the log has the member %q twice: %w", twice[0], ErrBroken)
	}
	if f, ok := members.Get("follows"); ok && f.IsObject() {
		d.before = follows{strings.Clone(f.Get("file").Str), int(f.Get("entries").Int()), strings.Clone(f.Get("hash").Str)}
	}
	return d, nil
}

// lastLink returns the link of the last entry; without one that of the document
// before, "" if there is none.
func (d *Document) lastLink() string { return lastLink(d.entries, d.before.Hash) }

// Follow returns a new log without entries that continues doc, which is kept as
// file: its first entry will carry the link of doc's last one, so that the chain
// goes through.
func Follow(doc []byte, file string) ([]byte, error) {
	d, err := Parse(doc)
	if err != nil {
		return nil, fmt.Errorf("continue the consolidation log: %w", err)
	}
	f, err := json.Marshal(follows{file, d.before.Entries + len(d.entries), d.lastLink()})
	if err != nil {
		return nil, err
	}
	return jsonedit.Apply([]byte(empty), jsonedit.Set(f, "follows"))
}

// Follows returns the file that the document continues, "" if it is the first, how many
// entries had been written by then, and the link of the last.
func (d *Document) Follows() (file string, entries int, hash string) {
	return d.before.File, d.before.Entries, d.before.Hash
}
