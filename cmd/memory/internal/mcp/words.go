package mcp

import (
	"context"
	"slices"

	"github.com/memoryd/memoryd/cmd/memory/internal/live"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
)

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

// compare lets a query compare meanings too, where the settings say so.
func (r *room) compare(ctx context.Context, settings config.Settings, snap *memory.Snapshot, q *recall.Query) error {
	why, err := r.meanings.Compare(ctx, r.store, settings, snap, q)
	if why != "" {
		r.log.Warn("searching by words alone", "why", why)
	}
	return err
}

func search(words *live.Words, snap *memory.Snapshot, settings config.Settings, q recall.Query) (found, error) {
	result, err := words.Search(snap, settings, q, nil)
	f := found{make([]recall.Hit, len(result.Hits)), make(map[string]*memory.Memory, len(result.Hits)), result.LeftOut, result.Unread}
	for i, h := range result.Hits {
		f.hits[i], f.of[h.ID] = h.Hit, h.Memory
	}
	return f, err
}
