package memory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Circle are live memories of which each is superseded by the next, and the last one by the first, as their records say.
type Circle []string

// succession gives live memories that know all that hold in their place: what their own records say (superseded_by), what records of others say
// (supersedes), and what a person has stated of two that are there (links). It is the only place where the three become one: a caller that wants what
// supersedes a memory of a snapshot reads its SupersededBy. The records stay as they are; see [Stated].
//
// In a circle nobody is superseded by another one of it: else all of them would be hidden, each by the next. The circles among live memories are
// returned.
func succession(live, archived []*Memory, links []edgefile.Edge) ([]*Memory, []Circle) {
	next := map[string][]string{}
	link := func(older, newer string) {
		if older != newer && !slices.Contains(next[older], newer) {
			next[older] = append(next[older], newer)
		}
	}
	for _, list := range [][]*Memory{live, archived} {
		for _, m := range list {
			if m.Links == nil {
				continue
			}
			for _, id := range m.SupersededBy {
				link(m.ID, id)
			}
			for _, id := range m.Supersedes {
				link(id, m.ID)
			}
		}
	}
	if len(links) > 0 {
		there := make(map[string]bool, len(live))
		for _, m := range live {
			there[m.ID] = true
		}
		for _, e := range links {
			if e.Settles() && there[e.From] && there[e.To] {
				link(e.To, e.From)
			}
		}
	}
	if len(next) == 0 {
		return live, nil
	}
	of, circles := circlesOf(slices.Concat(live, archived), next)
	live = slices.Clone(live)
	open := map[string]bool{} // live members of circles
	for i, m := range live {
		circle, closed := of[m.ID]
		open[m.ID] = closed
		within := func(id string) bool { n, ok := of[id]; return closed && ok && n == circle }
		own := cmp.Or(m.Links, &noLinks)
		by, over := slices.DeleteFunc(slices.Clone(next[m.ID]), within), slices.DeleteFunc(slices.Clone(own.Supersedes), within)
		if slices.Equal(by, own.SupersededBy) && len(over) == len(own.Supersedes) {
			continue
		}
		known, links := *m, *own
		links.SupersededBy, links.Supersedes = by, over
		known.Links = &links
		live[i] = &known
	}
	return live, slices.DeleteFunc(circles, func(c Circle) bool {
		return slices.ContainsFunc(c, func(id string) bool { return !open[id] })
	})
}

// Stated are the links that the record of a memory states itself, whatever a snapshot knows of it from elsewhere.
func Stated(m *Memory) *Links {
	if raw := m.Raw(); raw != nil && m.Links != nil {
		return cmp.Or(ParseRecord(raw, m.Ref).Links, &noLinks)
	}
	return cmp.Or(m.Links, &noLinks)
}

// Telling is a memory whose record names in superseded_by all that a snapshot knows to hold in its place, for readers that have the record alone.
func Telling(m *Memory) (*Memory, error) {
	if slices.Equal(m.SupersededBy, Stated(m).SupersededBy) || m.Locked != "" {
		return m, nil
	}
	raw, err := m.Edit(jsonedit.Set(jsonedit.Strings(m.SupersededBy), "superseded_by"))
	if err != nil {
		return m, err
	}
	return ParseRecord(raw, m.Ref), nil
}

// circlesOf finds the strongly connected components of more than one memory (Tarjan, SIAM J. Comput. 1972), and the number of each
// memory's.
func circlesOf(live []*Memory, next map[string][]string) (map[string]int, []Circle) {
	type frame struct {
		id   string
		step int
	}
	there := make(map[string]bool, len(next))
	for _, m := range live {
		there[m.ID] = true
	}
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	of := map[string]int{}
	var stack []string
	var circles []Circle
	for _, m := range live {
		if _, seen := index[m.ID]; seen || len(next[m.ID]) == 0 {
			continue
		}
		var way []frame
		enter := func(id string) {
			index[id], low[id], on[id] = len(index), len(index), true
			stack, way = append(stack, id), append(way, frame{id: id})
		}
		for enter(m.ID); len(way) > 0; {
			f := &way[len(way)-1]
			if f.step < len(next[f.id]) {
				to := next[f.id][f.step]
				f.step++
				switch _, seen := index[to]; {
				case !there[to]:
				case !seen:
					enter(to)
				case on[to]:
					low[f.id] = min(low[f.id], index[to])
				}
				continue
			}
			id := f.id
			if way = way[:len(way)-1]; len(way) > 0 {
				up := way[len(way)-1].id
				low[up] = min(low[up], low[id])
			}
			if low[id] != index[id] {
				continue
			}
			at := slices.Index(stack, id)
			circle := Circle(slices.Clone(stack[at:]))
			for _, member := range circle {
				on[member] = false
			}
			if stack = stack[:at]; len(circle) > 1 {
				slices.SortFunc(circle, strings.Compare)
				for _, member := range circle {
					of[member] = len(circles)
				}
				circles = append(circles, circle)
			}
		}
	}
	return of, circles
}
