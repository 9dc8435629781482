package journal

import (
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
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
	Entry   *oplog.Entry      `json:"entry,omitempty"` // as it will be logged if no action dies
	Actions []Action          `json:"actions,omitempty"`
	Files   []Change          `json:"files,omitempty"`
	Indexes []Index           `json:"indexes,omitempty"`
	Seen    map[string]string `json:"seen,omitempty"` // fingerprints to note; "" forgets
	Exact   []Exact           `json:"exact,omitempty"`

	Fold       *Fold              `json:"fold,omitempty"`
	AccessBase string             `json:"access_base,omitempty"`
	SeenBase   string             `json:"seen_base,omitempty"`
	ReviewBase string             `json:"review_base,omitempty"`
	EdgeFiles  []Patched          `json:"edge_files,omitempty"` // that the actions change edges in
	Extra      map[string][]Field `json:"extra,omitempty"`      // what indexes say besides, by id
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
