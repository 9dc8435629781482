package mcp

import (
	"log/slog"
	"reflect"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// words is the index of what the memories say, brought along from snapshot to
// snapshot.
type words struct {
	keeper recall.Keeper // of the index that processes share; nil for none
	log    *slog.Logger

	mu   sync.RWMutex
	held *recall.Held
	seen *workspace.Snapshot // what is in the index

	scoring sync.Mutex
	by      *config.Settings // that memories were scored by
}

// A search is slower by what was added since the index was laid out, and to lay it
// out takes as long as some hundred searches.
const maxFresh = 5000

// found is what a search found, the memories by the ids of the hits.
type found struct {
	hits []recall.Hit
	of   map[string]*workspace.Memory
	held int
	gaps bool // some memories could not be read when they were searched
}

// torn reports whether memories that were searched, or one of the hits from some on,
// have changed since the snapshot.
func (f found) torn(from int) bool {
	return f.gaps || slices.ContainsFunc(f.hits[min(from, len(f.hits)):], func(h recall.Hit) bool { return f.of[h.ID].Raw() == nil })
}

func (x *words) search(snap *workspace.Snapshot, settings config.Settings, q recall.Query) (found, error) {
	x.mu.RLock()
	if !x.holds(snap) {
		x.mu.RUnlock()
		if err := x.update(snap); err != nil {
			return found{}, err
		}
		x.mu.RLock()
	}
	defer x.mu.RUnlock()
	tiers := settings.Retention
	q.Tiers = recall.Tiers{Hot: tiers.Hot, Warm: tiers.Warm, Cold: tiers.Cold}
	q.At = snap.At // by which memories are scored, too
	result, held, err := x.held.Search(recall.Ask{Query: q, Texts: true, By: x.scoredBy(settings), Score: func(m *workspace.Memory) float64 {
		return retention.Of(m, snap.At, settings).Score
	}})
	f := found{make([]recall.Hit, len(result)), make(map[string]*workspace.Memory, len(result)), held, x.held.Torn()}
	for i, h := range result {
		f.hits[i], f.of[h.ID] = h.Hit, h.Memory
	}
	return f, err
}

// scoredBy is the same for searches by the same settings.
func (x *words) scoredBy(settings config.Settings) *config.Settings {
	x.scoring.Lock()
	defer x.scoring.Unlock()
	if x.by == nil || !reflect.DeepEqual(*x.by, settings) {
		x.by = &settings
	}
	return x.by
}

// holds reports whether the index is of the same reading of the workspace.
func (x *words) holds(snap *workspace.Snapshot) bool {
	return snap.Same(x.seen)
}

// update brings the index along.
func (x *words) update(snap *workspace.Snapshot) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.holds(snap) {
		return nil
	}
	if x.held == nil {
		held, err := recall.Hold(x.keeper, snap)
		if err != nil { // it could not be kept for others
			x.log.Info("the next process makes the index of words again", "error", err)
		}
		x.held, x.seen = held, snap
		return x.layOut()
	}
	x.held.Follow(snap)
	x.seen = snap
	return x.layOut()
}

// layOut lays the index out anew where that is worth it.
func (x *words) layOut() error {
	if x.held.Changes() < maxFresh {
		return nil
	}
	return x.held.LayOut()
}
