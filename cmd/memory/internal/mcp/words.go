package mcp

import (
	"log/slog"
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
	keeper recall.Keeper // of the index that processes share; nil for none
	log    *slog.Logger

	mu    sync.RWMutex
	index *recall.Index
	seen  *workspace.Snapshot          // what is in the index
	of    map[string]*workspace.Memory // by the names of their documents
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
	f := found{result.Hits, make(map[string]*workspace.Memory, len(result.Hits)), result.Held, len(x.torn) > 0}
	for _, h := range result.Hits {
		f.of[h.ID] = x.of[h.ID]
	}
	return f, err
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
		return x.begin(snap)
	}
	come, went := snap.Changes(x.seen)
	ids := make(map[string]bool, len(come))
	for _, list := range [][]*workspace.Memory{come, went} {
		for _, m := range list {
			ids[m.ID] = true
		}
	}
	var docs []recall.Document
	var gone []string
	for id := range ids {
		now := documents(snap, id)
		for _, name := range documents(x.seen, id) {
			if !slices.ContainsFunc(now, func(d document) bool { return d.name == name.name }) {
				delete(x.of, name.name)
				delete(x.torn, name.name)
				gone = append(gone, name.name)
			}
		}
		for _, d := range now {
			was := x.of[d.name]
			x.of[d.name] = d.Memory
			if was != nil && !x.torn[d.name] && alike(was, d.Memory) {
				continue
			}
			doc := recall.Of(d.Memory)
			doc.ID = d.name
			docs = append(docs, doc)
			if delete(x.torn, d.name); d.Raw() == nil {
				x.torn[d.name] = true
			}
		}
	}
	x.index.Remove(gone...)
	x.index.Add(docs...)
	x.seen = snap
	x.fresh += len(docs) + len(gone)
	return x.layOut()
}

// begin makes the index.
func (x *words) begin(snap *workspace.Snapshot) error {
	held, err := recall.Hold(x.keeper, snap)
	if err != nil { // it could not be kept for others
		x.log.Info("the next process makes the index of words again", "error", err)
	}
	x.index, x.of, x.torn, x.seen, x.fresh = held.Index, held.Of, map[string]bool{}, snap, held.Changes()
	for name, m := range held.Of {
		if slices.Contains(held.Torn, m) {
			x.torn[name] = true
		}
	}
	return x.layOut()
}

// layOut lays the index out anew where that is worth it.
func (x *words) layOut() error {
	if x.fresh < maxFresh {
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

// document is a memory under its name in the index.
type document struct {
	name string
	*workspace.Memory
}

// documents are the memories with an id: the first has it as its name.
func documents(snap *workspace.Snapshot, id string) (all []document) {
	if snap == nil {
		return nil
	}
	for i, m := range snap.Find(id) {
		name := id
		if i > 0 {
			name += " (" + m.Ref.String() + ")"
		}
		all = append(all, document{name, m})
	}
	return all
}

// alike reports whether two readings of a memory are the same document.
func alike(a, b *workspace.Memory) bool {
	return a == b || a.Archived == b.Archived && a.AccessCount == b.AccessCount && a.File == b.File && a.Digest() == b.Digest()
}
