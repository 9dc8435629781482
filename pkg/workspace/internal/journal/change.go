package journal

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/memoryd/memoryd/pkg/internal/delta"
	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Change is one file that a run changes, as it is and as it will be. In a record a large file
// takes less room: see [Content] and [told].
type Change struct {
	Path    string         `json:"path"`
	Base    string         `json:"base,omitempty"` // SHA-256; absent: there is none
	Next    string         `json:"next,omitempty"`
	Mode    fs.FileMode    `json:"mode,omitempty"`
	Owner   *durable.Owner `json:"owner,omitempty"`
	Before  Content        `json:"before,omitempty"`
	After   Content        `json:"after,omitempty"`
	Group   int            `json:"group"`
	Actions []int          `json:"actions,omitempty"` // those that touch it
	Records bool           `json:"records,omitempty"` // it holds memories
}

// Attr is how the file is kept.
func (c *Change) Attr() durable.Attr { return durable.Attr{Mode: c.Mode, Owner: c.Owner} }

// Kind is what happens to the file: Put, Create or Remove.
func (c *Change) Kind() string {
	switch {
	case c.Base == durable.Absent:
		return Create
	case c.Next == durable.Absent:
		return Remove
	}
	return Put
}

// encoded is a [Change] in a record. The new text of a large file is stored as differences from the old one where these
// are shorter by far.
type encoded struct {
	plain
	AfterDelta []delta.Hunk `json:"after_delta,omitempty"`
}

type plain Change

// MarshalJSON stores the new text as differences from the old one where these are shorter by far.
func (c Change) MarshalJSON() ([]byte, error) {
	t := encoded{plain: plain(c)}
	if len(c.Before) > Large && len(c.After) > Large {
		hunks := delta.Of(c.Before, c.After)
		said := 32 * len(hunks) // their numbers
		for _, h := range hunks {
			said += len(h.Text)
		}
		if said < len(c.After)/8 {
			t.After, t.AfterDelta = nil, hunks
		}
	}
	return json.Marshal(t)
}

// UnmarshalJSON is its reverse.
func (c *Change) UnmarshalJSON(doc []byte) error {
	var t encoded
	if err := json.Unmarshal(doc, &t); err != nil {
		return err
	}
	if t.AfterDelta != nil {
		if t.After = delta.Apply(t.Before, t.AfterDelta); t.After == nil {
			return fmt.Errorf("%s as it will be: the hunks don't fit what it was", t.Path)
		}
	}
	*c = Change(t.plain)
	return nil
}
