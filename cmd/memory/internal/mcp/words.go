package mcp

import (
	"log/slog"
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
	result, held, err := x.held.Search(recall.Ask{Query: q, Texts: true, Score: func(m *workspace.Memory) float64 {
		return retention.Of(m, snap.At, settings).Score
	}})
	f := found{make([]recall.Hit, len(result)), make(map[string]*workspace.Memory, len(result)), held, x.held.Torn("")}
	for i, h := range result {
		f.hits[i], f.of[h.ID] = h.Hit, h.Memory
	}
	return f, err
}

// holds reports whether the index is of the same reading of the workspace.
func (x *words) holds(snap *workspace.Snapshot) bool {
	same := func(a, b []*workspace.Memory) bool {
		return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
	}
	return x.seen != nil && same(x.seen.Memories(), snap.Memories()) && same(x.seen.Archived(), snap.Archived())
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
	come, went := snap.Changes(x.seen)
	ids, renewed := map[string]bool{}, make(map[string]bool, len(come))
	for _, m := range come { // all, after everything was read again: most say what they said
		was := x.held.Memory(m.ID)
		if was != nil && alike(was, m) && !x.held.Torn(m.ID) && !snap.Repeats(m.ID) && !x.seen.Repeats(m.ID) {
			x.held.Renew(recall.Named{Name: m.ID, Memory: m})
			renewed[m.ID] = true
		} else {
			ids[m.ID] = true
		}
	}
	for _, m := range went {
		if !renewed[m.ID] {
			ids[m.ID] = true
		}
	}
	var put []recall.Named
	var gone []string
	for id := range ids {
		now := named(snap, id)
		for _, was := range named(x.seen, id) {
			if !slices.ContainsFunc(now, func(n recall.Named) bool { return n.Name == was.Name }) {
				gone = append(gone, was.Name)
			}
		}
		for _, n := range now {
			if was := x.held.Memory(n.Name); was != nil && !x.held.Torn(n.Name) && alike(was, n.Memory) {
				x.held.Renew(n)
			} else {
				put = append(put, n)
			}
		}
	}
	x.held.Remove(gone...)
	x.held.Put(put...)
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

// named are the memories with an id, under the names of their documents: the first has it
// as its name.
func named(snap *workspace.Snapshot, id string) (all []recall.Named) {
	if snap == nil {
		return nil
	}
	for i, m := range snap.Find(id) {
		name := id
		if i > 0 {
			name += " (" + m.Ref.String() + ")"
		}
		all = append(all, recall.Named{Name: name, Memory: m})
	}
	return all
}

// alike reports whether two readings of a memory are the same document.
func alike(a, b *workspace.Memory) bool {
	return a == b || a.Archived == b.Archived && a.AccessCount == b.AccessCount && a.File == b.File && a.Checksum() == b.Checksum()
}
