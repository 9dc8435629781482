package journal

import (
	"bytes"
	"time"

	"github.com/tidwall/gjson"

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
// it found are told by what they share with those it left.
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

// DoneHead is how many bytes of a done.json tell when its run finished.
const DoneHead = 512

// FinishedIn reads that from the beginning of a done.json, unchecked: not ok where it doesn't say so.
func FinishedIn(head []byte) (at time.Time, ok bool) {
	_, body, _ := bytes.Cut(head, []byte("\n"))
	err := at.UnmarshalText([]byte(gjson.GetBytes(body, "finished").Str))
	return at, err == nil
}
