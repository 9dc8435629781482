package rules

import (
	"sync/atomic"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// cover finds the memories that the request is about, and their traits, with what an
// earlier plan has found; nil for nothing.
func (p *planner) cover(known []byte) *planner {
	if known == nil || !p.follow(known) {
		p.order()
	}
	p.claimed = newBits(len(p.places))
	p.putOffBefore()
	return p
}

// order lists the covered memories.
func (p *planner) order() {
	seconds, covered := make([]int64, p.Len()), make([]bool, p.Len())
	all := make([]traits, p.Len())
	if p.keeps {
		p.marks, p.heard = p.newMarks(), &heard{of: parallel.Zeroed[int32](p.Len())}
	}
	var fractions atomic.Bool
	parallel.Ranges(len(all), func(from, to int) {
		var room workspace.Room
		var said []heardAt
		whole := true
		for i := from; i < to; i++ {
			m := p.Glance(i, &room)
			born := m.Born()
			if seconds[i], covered[i] = born.Unix(), p.covers(m); covered[i] {
				all[i] = p.look(i, m, &said)
			}
			whole = whole && born.Nanosecond() == 0
		}
		if !whole {
			fractions.Store(true)
		}
		p.heard.add(said)
	})
	places := make([]int32, 0, p.Len())
	for i := range covered {
		if covered[i] {
			places = append(places, int32(i))
		}
	}
	p.places = p.sorted(places, func(place int32) int64 { return seconds[place] }, !fractions.Load())
	p.know(all)
}

// know takes the traits of all live memories, by their places.
func (p *planner) know(all []traits) {
	p.all, p.traits = all, make([]traits, len(p.places))
	for k, place := range p.places {
		p.traits[k] = all[place]
	}
}

// follow takes up what an earlier plan found.
func (p *planner) follow(known []byte) bool {
	f := p.readFindings(known)
	if f == nil {
		return false
	}
	go p.disputedAt() // which the search for duplicates is going to ask
	places, ok := f.follow(p)
	if !ok {
		return false
	}
	p.known, p.stayed, p.places = f, f.stayed, places
	p.replays = beside(func() *trace { return f.merged(p) })
	p.foreseen = beside(p.foresee)
	p.heard = p.hear(f)
	p.know(p.traitsKnowing(f))
	p.knowPrints()
	return true
}

// foresee reads the sightings, if the search for duplicates is going to ask for them.
func (p *planner) foresee() (seen bool) {
	known := p.replays()
	return known != nil && len(known.events) > 0 && p.Sighted()
}

// ids lists those of memories. It asks for them in the order in which they lie in memory,
// which takes a fraction of the time.
func (p *planner) ids(of []int32) []string {
	out, where := make([]string, len(of)), parallel.Zeroed[int32](p.Len()) // one more than that of the memory there
	for i, k := range of {
		if where[p.places[k]] != 0 { // it stands there twice
			out[i] = p.id(k)
		} else {
			where[p.places[k]] = int32(i + 1)
		}
	}
	parallel.For(len(where), func(place int) {
		if i := where[place]; i > 0 {
			out[i-1] = p.ID(place)
		}
	})
	return out
}
