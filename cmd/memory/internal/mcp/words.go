package mcp

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
)

// words searches the memories, and is updated from snapshot to snapshot.
type words struct {
	cache recall.Cache // of the index that processes share; nil for none
	log   *slog.Logger

	mu       sync.RWMutex
	searcher *recall.Searcher
	seen     *memory.Snapshot // what is in the index
}

// found is what a search found, the memories by the ids of the hits.
type found struct {
	hits    []recall.Hit
	of      map[string]*memory.Memory
	leftOut int  // memories that fit as well, but for the mode
	gaps    bool // some memories could not be read when they were searched
}

// torn reports whether memories that were searched, or one of the hits from some on,
// have changed since the snapshot.
func (f found) torn(from int) bool {
	return f.gaps || slices.ContainsFunc(f.hits[min(from, len(f.hits)):], func(h recall.Hit) bool { return f.of[h.ID].Raw() == nil })
}

// find finds memories of a snapshot, whatever the settings say of how much they matter.
func (x *words) find(snap *memory.Snapshot, request recall.Request) ([]recall.Found, error) {
	if err := x.lock(snap); err != nil {
		return nil, err
	}
	defer x.mu.RUnlock()
	hits, _, err := x.searcher.Search(request)
	return hits, err
}

// lock brings the index to the snapshot, and locks it for reading.
func (x *words) lock(snap *memory.Snapshot) error {
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

func (x *words) search(snap *memory.Snapshot, settings config.Settings, q recall.Query) (found, error) {
	if err := x.lock(snap); err != nil {
		return found{}, err
	}
	defer x.mu.RUnlock()
	tiers := settings.Retention
	q.Tiers = recall.Tiers{Hot: tiers.Hot, Warm: tiers.Warm, Cold: tiers.Cold}
	result, leftOut, err := x.searcher.Search(recall.Request{Query: q, Texts: true, Score: func(m *memory.Memory) float64 {
		return retention.Of(m, snap.At, settings).Score
	}})
	f := found{make([]recall.Hit, len(result)), make(map[string]*memory.Memory, len(result)), leftOut, x.searcher.Unread()}
	for i, h := range result {
		f.hits[i], f.of[h.ID] = h.Hit, h.Memory
	}
	return f, err
}

// holds reports whether the index is of the same reading of the workspace.
func (x *words) holds(snap *memory.Snapshot) bool {
	return x.seen != nil && slices.Equal(snap.Memories(), x.seen.Memories()) && slices.Equal(snap.Archived(), x.seen.Archived())
}

// update updates the index.
func (x *words) update(snap *memory.Snapshot) error {
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
	searcher, err := recall.Open(x.cache, snap, 0)
	if err != nil {
		return err
	}
	if err := searcher.Save(); err != nil {
		x.log.Info("the next process makes the index of words again", "error", err)
	}
	x.searcher, x.seen = searcher, snap
	return nil
}
