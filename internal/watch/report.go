package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// Report is what a watching process has seen, as ops/watch.json keeps it.
type Report struct {
	Version   string    `json:"version"`
	PID       int       `json:"pid"`
	Started   time.Time `json:"started"`
	Alive     time.Time `json:"alive"`           // when this was written
	LastEvent time.Time `json:"last_event"`      // zero: none yet
	Compared  time.Time `json:"last_comparison"` // of all files with the indexes
	Full      time.Time `json:"full_comparison"` // the last one that no event asked for
	Following string    `json:"following"`       // how
	LastRun   string    `json:"last_run"`        // the last consolidation it started, and what became of it
	Invalid   []Invalid `json:"invalid_files"`   // until they are fixed
}

// Invalid is a file that doesn't parse or can't be read.
type Invalid struct {
	File    string    `json:"file"`
	Message string    `json:"message"`
	Since   time.Time `json:"since"`
}

// ReadReport reads what the last watching process has written; nil when none has.
func ReadReport(store *workspace.FileStore) (*Report, error) {
	doc, err := store.Read(ops.WatchFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(doc, &r); err != nil {
		return nil, fmt.Errorf("read %s: %w", ops.WatchFile, err)
	}
	return &r, nil
}

// heartbeat is how often a report is written although nothing has happened.
const heartbeat = 10 * time.Minute

// Stale reports whether the process should have written by now.
func (r *Report) Stale(now time.Time) bool { return now.Sub(r.Alive) > 2*heartbeat+time.Minute }

func (r *Report) marshal() ([]byte, error) {
	doc, err := json.MarshalIndent(r, "", "  ")
	return append(doc, '\n'), err
}

// observe counts a comparison. A full one that no event asked for has no first
// change.
func (l *loop) observe(c metrics.Comparison, full bool, written []workspace.Reindexed, census metrics.Census) {
	if full {
		c.First = time.Time{}
	}
	for _, r := range written {
		c.Differences += len(r.Changes)
	}
	c.Invalid = len(l.report.Invalid)
	l.Metrics.Compared(c)
	l.Metrics.Holds(census)
}
