package journal

import (
	"time"

	"github.com/memoryd/memoryd/pkg/internal/delta"
)

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
}

// Derived is a patched file as the run found it and as it left it. The bytes that
// it found are stored as differences from those it left.
type Derived struct {
	Path  string       `json:"path"`
	Base  string       `json:"base,omitempty"`
	Next  string       `json:"next,omitempty"`
	Delta []delta.Hunk `json:"delta,omitempty"`
}

// Head is the end of the log's chain.
type Head struct {
	Count int    `json:"count"`
	Hash  string `json:"hash"`
}
