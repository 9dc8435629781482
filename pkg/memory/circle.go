package memory

import (
	"slices"
	"strings"
)

// Circle are live memories of which each is superseded by the next, and the last one by the first, as their records say.
type Circle []string

// openCircles gives live memories, in which nobody is superseded by way of a circle: one that stands in a circle is replaced by a copy
// that says nothing of the others there. Else all of them would be hidden, each by the next.
func openCircles(live []*Memory) ([]*Memory, []Circle) {
	next := map[string][]string{}
	link := func(older, newer string) {
		if older != newer && !slices.Contains(next[older], newer) {
			next[older] = append(next[older], newer)
		}
	}
	for _, m := range live {
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
	if len(next) == 0 {
		return live, nil
	}
	of, circles := circlesOf(live, next)
	if len(circles) == 0 {
		return live, nil
	}
	live = slices.Clone(live)
	for i, m := range live {
		circle, ok := of[m.ID]
		if !ok {
			continue
		}
		within := func(id string) bool { n, ok := of[id]; return ok && n == circle }
		open, links := *m, *m.Links
		links.SupersededBy = slices.DeleteFunc(slices.Clone(links.SupersededBy), within)
		links.Supersedes = slices.DeleteFunc(slices.Clone(links.Supersedes), within)
		open.Links = &links
		live[i] = &open
	}
	return live, circles
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
