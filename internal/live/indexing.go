package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// indexAfter is how long after the last save the indexes are brought up to date: once for all saves that follow each other
// closely. Other programs that read an index don't wait longer than a second.
const indexAfter = 500 * time.Millisecond

// indexing brings indexes up to date in the background.
type indexing struct {
	mu    sync.Mutex
	timer *time.Timer
	ended bool
}

// indexLater brings the indexes up to date soon, if a save has left one behind. A workspace that lies in memory belongs to
// somebody who does that.
func indexLater(w *Workspace) {
	if w.store.Dir() == "" || !workspace.Behind(w.store) {
		return
	}
	x := &w.indexing
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.ended:
	case x.timer == nil:
		x.timer = time.AfterFunc(indexAfter, func() { indexNow(w) })
	default:
		x.timer.Reset(indexAfter)
	}
}

// indexNow has its turn like a request. Where it fails, the next save tries again, or the next run of any process.
func indexNow(w *Workspace) {
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	if !workspace.Behind(w.store) {
		return
	}
	if err := workspace.UpdateIndexes(context.Background(), w.store); err != nil {
		if w.store.Note != nil {
			w.store.Note(err.Error())
		}
		return
	}
	w.changes.Wrote()
	_, _ = w.View(context.Background()) // reads the indexes before a request has to, which gets the error
}

// endIndexing begins nothing any more, and does what is left.
func endIndexing(w *Workspace) error {
	x := &w.indexing
	x.mu.Lock()
	x.ended = true
	if x.timer != nil {
		x.timer.Stop()
	}
	x.mu.Unlock()
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	if w.store.Dir() == "" || !workspace.Behind(w.store) {
		return nil
	}
	if err := workspace.UpdateIndexes(context.Background(), w.store); err != nil {
		return fmt.Errorf("end: %w", err)
	}
	return nil
}
