package mcp

import (
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// words is the index of what the memories say, brought along from snapshot to
// snapshot.
type words struct {
	mu    sync.RWMutex
	index *recall.Index
	seen  *workspace.Snapshot          // what is in the index
	of    map[string]*workspace.Memory // by the id of their documents
	torn  map[string]bool              // those of which nothing could be read
	fresh int                          // documents added since the index was laid out in one piece
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
	q.Retention = func(id string) float64 { return retention.Of(x.of[id], snap.At, settings).Score }
	q.Note = func(id string) (supersession.Note, bool) { return recall.NoteOf(x.of[id]), true }
	result, err := x.index.Search(q)
	return found{result.Hits, x.of, result.Held, len(x.torn) > 0}, err
}

// holds reports whether the index is of the same reading of the workspace.
func (x *words) holds(snap *workspace.Snapshot) bool {
	same := func(a, b []*workspace.Memory) bool {
		return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
	}
	return x.seen != nil && same(x.seen.Memories, snap.Memories) && same(x.seen.Archived, snap.Archived)
}

// update brings the index along.
func (x *words) update(snap *workspace.Snapshot) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.holds(snap) {
		return nil
	}
	if x.index == nil {
		x.index = recall.New()
	}
	of := make(map[string]*workspace.Memory, len(snap.Memories)+len(snap.Archived))
	torn := map[string]bool{}
	var docs []recall.Document
	for _, group := range [][]*workspace.Memory{snap.Memories, snap.Archived} {
		for _, m := range group {
			id := m.ID
			if of[id] != nil {
				id += " (" + m.Ref.String() + ")"
			}
			if of[id] != nil {
				continue // the same place once more
			}
			of[id] = m
			if was := x.of[id]; was == nil || x.torn[id] || !alike(was, m) {
				d := recall.Of(m)
				d.ID = id
				docs = append(docs, d)
				if m.Raw() == nil {
					torn[id] = true
				}
			}
		}
	}
	var gone []string
	for id := range x.of {
		if of[id] == nil {
			gone = append(gone, id)
		}
	}
	x.index.Remove(gone...)
	x.index.Add(docs...)
	x.of, x.seen, x.torn = of, snap, torn
	if x.fresh += len(docs) + len(gone); x.fresh < maxFresh {
		return nil
	}
	text, err := x.index.AppendBinary(nil)
	if err != nil {
		return err
	}
	x.fresh = 0
	x.index, err = recall.Open(text)
	return err
}

// alike reports whether two readings of a memory are the same document.
func alike(a, b *workspace.Memory) bool {
	return a == b || a.Archived == b.Archived && a.AccessCount == b.AccessCount && a.File == b.File && a.Digest() == b.Digest()
}
