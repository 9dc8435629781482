package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// Names below ops/runs/.
const (
	RunsDir      = "ops/runs"
	ConflictsDir = "ops/conflicts"

	displacedDir = RunsDir + "/.displaced"
	journalFile  = "journal.json"
	journalTemp  = "journal.tmp"
	doneFile     = "done.json"
	doneTemp     = "done.tmp"
	slotsDir     = "s"
	reserveFile  = "reserve"
	deadPrefix   = "dead."
	trashPrefix  = ".trash-"
	absentInName = "-" // an absent file, in the name of a slot
)

// journal is the commit record of a run: once it stands under its name, the run
// will be finished, by whoever holds the lock next if need be. Bytes are []byte,
// which JSON keeps exactly.
type journal struct {
	Version int               `json:"version"`
	RunID   string            `json:"run_id"`
	Started time.Time         `json:"started"` // by the clock of the machine
	At      time.Time         `json:"at"`      // as of when the run works
	UndoOf  string            `json:"undo_of,omitempty"`
	Entry   *oplog.Entry      `json:"entry,omitempty"` // as it will be logged if no action dies
	Actions []journalAction   `json:"actions,omitempty"`
	Files   []journalChange   `json:"files,omitempty"`
	Indexes []journalIndex    `json:"indexes,omitempty"`
	Seen    map[string]string `json:"seen,omitempty"` // fingerprints to note; "" forgets
	Exact   []exactFile       `json:"exact,omitempty"`

	Fold       *journalFold              `json:"fold,omitempty"`
	AccessBase string                    `json:"access_base,omitempty"`
	SeenBase   string                    `json:"seen_base,omitempty"`
	ReviewBase string                    `json:"review_base,omitempty"`
	Extra      map[string][]journalField `json:"extra,omitempty"` // what indexes say besides, by id
}

// journalAction is one action of a run. Actions that share a file share their
// fate: their group.
type journalAction struct {
	Plan      int               `json:"plan"` // its place in the plan; what files name
	Log       int               `json:"log"`  // its place in the entry's actions; -1: not logged
	Group     int               `json:"group"`
	Action    oplog.Action      `json:"action"`
	Ops       []journalOp       `json:"ops,omitempty"`
	Pairs     []review.Pair     `json:"pairs,omitempty"`
	Decisions []review.Decision `json:"decisions,omitempty"`
	Unpair    []review.Pair     `json:"unpair,omitempty"` // an undo takes these out of the queue
	Undecide  []review.Decision `json:"undecide,omitempty"`
}

// journalOp is an [Op] with digests in place of the records, which stand in the
// bytes of the files.
type journalOp struct {
	Kind OpKind `json:"kind"`
	ID   string `json:"id"`
	Ref  string `json:"ref,omitempty"` // where it stood
	To   string `json:"to,omitempty"`  // where it stands afterwards, if elsewhere
	Base Digest `json:"base,omitempty"`
	Next Digest `json:"next,omitempty"`
}

// journalChange is one file that a run changes, as it is and as it will be.
type journalChange struct {
	Path    string         `json:"path"`
	Base    string         `json:"base,omitempty"` // SHA-256; absent: there is none
	Next    string         `json:"next,omitempty"`
	Mode    fs.FileMode    `json:"mode,omitempty"`
	Owner   *durable.Owner `json:"owner,omitempty"`
	Before  []byte         `json:"before,omitempty"`
	After   []byte         `json:"after,omitempty"`
	Group   int            `json:"group"`
	Actions []int          `json:"actions,omitempty"` // those that touch it
	Records bool           `json:"records,omitempty"` // it holds memories
}

func (c *journalChange) attr() durable.Attr { return durable.Attr{Mode: c.Mode, Owner: c.Owner} }

// journalIndex is an index to be brought along, and the changed files whose
// memories it lists.
type journalIndex struct {
	Path  string   `json:"path"`
	Base  string   `json:"base,omitempty"`
	Files []string `json:"files"`
}

type journalField struct {
	Key string `json:"key"`
	Raw []byte `json:"raw"`
}

// exactFile is a derived file that an undo puts back byte for byte, if it is still
// as the run left it.
type exactFile struct {
	Path   string `json:"path"`
	From   string `json:"from"` // SHA-256 of what the run left
	To     string `json:"to,omitempty"`
	Before []byte `json:"before,omitempty"`
}

func (c *journalChange) kind() OpKind {
	switch {
	case c.Base == durable.Absent:
		return Create
	case c.Next == durable.Absent:
		return remove
	}
	return Put
}

// errDamaged: a record of a run isn't what was written.
var errDamaged = errors.New("damaged")

// sealed writes a record with its checksum in the first line.
func sealed(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte(durable.Sum(body)+"\n"), body...), nil
}

// unseal reads a record and compares its checksum.
func unseal(name string, doc []byte, v any) error {
	sum, body, ok := bytes.Cut(doc, []byte("\n"))
	if !ok || string(sum) != durable.Sum(body) {
		return fmt.Errorf("%s: %w: its checksum doesn't match", name, errDamaged)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: %w: %w", name, errDamaged, err)
	}
	return nil
}

func readSealed(root durable.FS, name string, v any) error {
	doc, _, err := root.Read(name, durable.MaxSize)
	if err != nil {
		return err
	}
	return unseal(name, doc, v)
}

// idle reports whether the change leaves every byte as it was. No run records one any
// more; records of before do.
func (o *journalOp) idle() bool { return o.Kind == Put && o.Base == o.Next }
