package journal

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/internal/delta"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// What can happen to a record, or to a file.
const (
	Put    = "put"    // it is replaced in its place
	Create = "create" // it is new
	Move   = "move"   // it is taken out of one place and put at another
	Remove = "remove" // it is taken away
)

// Run is the commit record of a run: once it stands under its name, the run
// will be finished, by whoever holds the lock next if need be. Bytes are []byte or
// [Content], which JSON keeps exactly.
type Run struct {
	Version int               `json:"version"`
	RunID   string            `json:"run_id"`
	Started time.Time         `json:"started"` // by the clock of the machine
	At      time.Time         `json:"at"`      // as of when the run works
	UndoOf  string            `json:"undo_of,omitempty"`
	Save    bool              `json:"save,omitempty"`   // its entry goes to ops/saves.jsonl
	Change  bool              `json:"change,omitempty"` // it is not a run of the rules: see [Done]
	Saves   bool              `json:"saves,omitempty"`  // it moves ops/saves.jsonl into the log, and has no entry
	Entry   *oplog.Entry      `json:"entry,omitempty"`  // as it will be logged if no action dies
	Actions []Action          `json:"actions,omitempty"`
	Files   []Change          `json:"files,omitempty"`
	Indexes []Index           `json:"indexes,omitempty"`
	Seen    map[string]string `json:"seen,omitempty"` // fingerprints to note; "" forgets
	Exact   []Exact           `json:"exact,omitempty"`

	Fold       *Fold     `json:"fold,omitempty"`
	AccessBase string    `json:"access_base,omitempty"`
	SeenBase   string    `json:"seen_base,omitempty"`
	ReviewBase string    `json:"review_base,omitempty"`
	EdgeFiles  []Patched `json:"edge_files,omitempty"` // that the actions change edges in
	Texts      []Patched `json:"texts,omitempty"`      // of the host, in a folder of Markdown notes, that the run patches

	OverlayBase string `json:"overlay_base,omitempty"`

	Extra map[string][]Field `json:"extra,omitempty"` // what indexes say besides, by id
}

// Action is one action of a run. Actions that share a file share their
// fate: their group.
type Action struct {
	Plan      int               `json:"plan"` // its place in the plan; what files name
	Log       int               `json:"log"`  // its place in the entry's actions; -1: not logged
	Group     int               `json:"group"`
	Action    oplog.Action      `json:"action"`
	Ops       []Op              `json:"ops,omitempty"`
	Pairs     []review.Pair     `json:"pairs,omitempty"`
	Decisions []review.Decision `json:"decisions,omitempty"`
	Unpair    []review.Pair     `json:"unpair,omitempty"` // an undo takes these out of the queue
	Undecide  []review.Decision `json:"undecide,omitempty"`
	Edges     []edgefile.Change `json:"edges,omitempty"`
	Overlay   []note.Change     `json:"overlay,omitempty"` // lines of the overlay of Markdown notes
	Moved     map[string]string `json:"moved,omitempty"`   // see memory.Action
}

// Op is a change of a plan with digests in place of the records, which stand in the
// bytes of the files.
type Op struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Ref  string `json:"ref,omitempty"` // where it stood
	To   string `json:"to,omitempty"`  // where it stands afterwards, if elsewhere
	Base string `json:"base,omitempty"`
	Next string `json:"next,omitempty"`
}

// Index is an index to be updated, and the changed files whose
// memories it lists.
type Index struct {
	Path  string   `json:"path"`
	Base  string   `json:"base,omitempty"`
	Files []string `json:"files"`
}

// Patched is a file that is patched, and its digest before.
type Patched struct {
	Path string `json:"path"`
	Base string `json:"base,omitempty"`
}

// Field is one member that an index is to have besides.
type Field struct {
	Key string `json:"key"`
	Raw []byte `json:"raw"`
}

// Exact is a derived file that an undo puts back byte for byte, if it is still
// as the run left it.
type Exact struct {
	Path   string  `json:"path"`
	From   string  `json:"from"` // SHA-256 of what the run left
	To     string  `json:"to,omitempty"`
	Before Content `json:"before,omitempty"`
}

// Idle reports whether the change leaves every byte as it was. No run records one any
// more; records of before do.
func (o *Op) Idle() bool { return o.Kind == Put && o.Base == o.Next }

// Fold is what a run takes out of the access log: the text that it has
// counted, by length and digest, and which lines of it in which group of actions.
type Fold struct {
	Len    int            `json:"len"`
	Sum    string         `json:"sum"`
	Groups map[string]int `json:"groups"` // by the id of the lines
}

// Change is one file that a run changes, as it is and as it will be. In a record a large file
// takes less room: see [Content] and [told].
type Change struct {
	Path    string         `json:"path"`
	Base    string         `json:"base,omitempty"` // SHA-256; absent: there is none
	Next    string         `json:"next,omitempty"`
	Mode    fs.FileMode    `json:"mode,omitempty"`
	Owner   *durable.Owner `json:"owner,omitempty"`
	Mtime   time.Time      `json:"mtime,omitzero"`  // of the file before; it stays where the change says nothing new
	Fresh   bool           `json:"fresh,omitempty"` // it says something new
	Before  Content        `json:"before,omitempty"`
	After   Content        `json:"after,omitempty"`
	Group   int            `json:"group"`
	Actions []int          `json:"actions,omitempty"` // those that touch it
	Records bool           `json:"records,omitempty"` // it holds memories
}

// Attr is how the file is kept.
func (c *Change) Attr() durable.Attr {
	return durable.Attr{Mode: c.Mode, Owner: c.Owner, Modified: c.Mtime}
}

// AttrOf are the attributes of the file with one of its contents.
func (c *Change) AttrOf(sum string) durable.Attr {
	a := c.Attr()
	if c.Fresh && sum == c.Next {
		a.Modified = time.Time{}
	}
	return a
}

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

// Content is the bytes of a file. In a record it is an object that holds it as text, or where
// there is much of it, deflated; and base64 where it is not a text, as in all records of before.
//
// As text, and not in base64, what a file was and what it will be look alike to whatever packs the
// whole record: of a small edit the second then takes next to nothing.
type Content []byte

// Large is how many bytes stand in a record as they are. The record of a run over a collection
// of 95 MB had 254 MB, and has 31.
const Large = 64 << 10

type packed struct {
	Text     string `json:"text,omitempty"`
	Deflated []byte `json:"deflated,omitempty"` // RFC 1951
}

// MarshalJSON packs in a fraction of the time that it takes to write all of it.
func (c Content) MarshalJSON() ([]byte, error) {
	switch {
	case len(c) > Large:
	case len(c) > 0 && utf8.Valid(c):
		return json.Marshal(packed{Text: string(c)})
	default:
		return json.Marshal([]byte(c))
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(c)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(packed{Deflated: out.Bytes()})
}

// UnmarshalJSON is its reverse.
func (c *Content) UnmarshalJSON(doc []byte) error {
	if !bytes.HasPrefix(doc, []byte("{")) {
		return json.Unmarshal(doc, (*[]byte)(c))
	}
	var p packed
	if err := json.Unmarshal(doc, &p); err != nil {
		return err
	}
	if p.Text != "" {
		*c = Content(p.Text)
		return nil
	}
	all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(p.Deflated)), durable.MaxSize+1))
	if err == nil && len(all) > durable.MaxSize {
		err = errors.New("it has more bytes than a file may have")
	}
	if err != nil {
		return fmt.Errorf("what is deflated: %w", err)
	}
	*c = all
	return nil
}

// Deferred is ops/runs/<run>/deferred.json: the ids of all that the run deferred, where the log has
// no room for them. Nothing depends on it but which of them comes first in the next run.
type Deferred struct {
	RunID string   `json:"run_id"`
	IDs   []string `json:"ids"`
}

// ReadDeferred reads that file, in which there may be as many ids as there are memories.
func ReadDeferred(root durable.FS, name string) (*Deferred, error) {
	doc, _, err := root.Read(name, durable.MaxSize)
	if err != nil {
		return nil, err
	}
	body, err := opened(name, doc)
	if err != nil {
		return nil, err
	}
	d := &Deferred{RunID: gjson.GetBytes(body, "run_id").String()}
	var plain bool
	if d.IDs, plain = jsonedit.PlainStrings(gjson.GetBytes(body, "ids")); plain {
		return d, nil
	}
	if err := json.Unmarshal(body, d); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	return d, nil
}

// Done is ops/runs/<run>/done.json: what became of the run. With the journal
// beside it, it is what undo and history work from.
type Done struct {
	Version  int            `json:"version"`
	RunID    string         `json:"run_id"`
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished"`
	Log      Head           `json:"log"` // the end of the chain after this run
	Dead     map[int]string `json:"dead,omitempty"`
	Late     []string       `json:"late,omitempty"` // files whose displaced text went to ops/conflicts
	Derived  []Derived      `json:"derived,omitempty"`
	// Change tells a single change (a save, an edit, an undo, an import) from a run of the rules: their records are
	// counted apart, so that many saves don't push out what undoes a run.
	Change bool `json:"change,omitempty"`
}

// Derived is a patched file as the run found it and as it left it. The bytes that
// it found are stored as differences from those it left.
type Derived struct {
	Path  string       `json:"path"`
	Base  string       `json:"base,omitempty"`
	Next  string       `json:"next,omitempty"`
	Delta []delta.Hunk `json:"delta,omitempty"`
}

// Listed is an index that was brought up to date with saves a moment after them, as [Derived] without them and with them.
// It stands in the record of the last of them, in [ListedFile].
type Listed struct {
	Derived
	Saves []string `json:"saves"` // the ids of their runs, in order
}

// Head is the end of the log's chain.
type Head struct {
	Count int    `json:"count"`
	Hash  string `json:"hash"`
}
