package live

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
)

// Words is the index of words of a process that stays. It is brought up to date from snapshot to snapshot, and serves many
// goroutines. Its zero value shares nothing with other processes.
type Words struct {
	Cache recall.Cache // of the index that processes share; nil for none
	Log   *slog.Logger // nil for none

	mu       sync.RWMutex
	searcher *recall.Searcher
	seen     *memory.Snapshot // what is in the index
}

// Found is what a search found.
type Found struct {
	Hits    []recall.Found
	LeftOut int  // memories that fit as well, but for the mode
	Unread  bool // some memories could not be read when they were searched
}

// Search searches the memories of a snapshot that allow lets through, nil for all, with the texts of hits, ranked by how much the settings say
// that memories matter. few is [recall.Request.Few], elsewhere [recall.Request.Elsewhere].
func (x *Words) Search(snap *memory.Snapshot, settings config.Settings, q recall.Query, few int, allow, elsewhere func(*memory.Memory) bool) (Found, error) {
	tiers := settings.Retention
	q.Tiers = recall.Tiers{Hot: tiers.Hot, Warm: tiers.Warm, Cold: tiers.Cold}
	return x.search(snap, recall.Request{Query: q, Few: few, Allow: allow, Elsewhere: elsewhere, Texts: true, Score: func(m *memory.Memory) float64 {
		return retention.Of(m, snap.At, settings).Score
	}})
}

// Find finds memories of a snapshot, whatever the settings say of how much they matter.
func (x *Words) Find(snap *memory.Snapshot, request recall.Request) ([]recall.Found, error) {
	found, err := x.search(snap, request)
	return found.Hits, err
}

func (x *Words) search(snap *memory.Snapshot, request recall.Request) (found Found, err error) {
	if err := x.lock(snap); err != nil {
		return found, err
	}
	defer x.mu.RUnlock()
	request.Snapshot = snap
	found.Hits, found.LeftOut, err = x.searcher.Search(request)
	found.Unread = x.searcher.Unread()
	return found, err
}

// lock brings the index to the snapshot, and locks it for reading.
func (x *Words) lock(snap *memory.Snapshot) error {
	x.mu.RLock()
	if !x.holds(snap) {
		x.mu.RUnlock()
		if err := x.update(snap); err != nil {
			return err
		}
		x.mu.RLock()
	}
	return nil
}

// holds reports whether the index is of the same reading of the workspace.
func (x *Words) holds(snap *memory.Snapshot) bool {
	return x.seen != nil && slices.Equal(snap.Memories(), x.seen.Memories()) && slices.Equal(snap.Archived(), x.seen.Archived())
}

// update updates the index.
func (x *Words) update(snap *memory.Snapshot) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.holds(snap) {
		return nil
	}
	if x.searcher != nil {
		x.searcher.Update(snap)
		x.seen = snap
		return nil
	}
	searcher, err := recall.Open(x.Cache, snap, 0)
	if err != nil {
		return err
	}
	if err := searcher.Save(); err != nil && x.Log != nil {
		x.Log.Info("the next process makes the index of words again", "error", err)
	}
	x.searcher, x.seen = searcher, snap
	return nil
}

// Seen is the snapshot that the index is of; nil before the first search.
func (x *Words) Seen() *memory.Snapshot {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.seen
}

// Changed is how many memories were put into the index since it was last saved for other processes.
func (x *Words) Changed() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.searcher == nil {
		return 0
	}
	return x.searcher.Changed()
}
