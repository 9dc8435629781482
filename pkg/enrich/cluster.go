package enrich

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/cluster"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Cluster is a group of related memories of one scope, and the summary that tells it.
type Cluster struct {
	ID        string // of its summary, of the one to be if there is none
	Scope     memory.Scope
	Members   []*memory.Memory // the oldest first; of one that is gone those that are left
	Centre    *memory.Memory   // the member that is most like the others; nil of one that is gone
	Coherence float64          // mean likeness of its members, 0 to 1
	Common    []cluster.Common // what most of them have in common
	Summary   *memory.Memory   // nil: there is none
	State     State

	near    [][2]string      // ids of members that are near in meaning
	leftOut []*memory.Memory // that the rules found with them, and a model takes for something else
	choice  *Choice          // what the chooser said of it in this run; nil for nothing
	read    *texts           // what it said that of
	failed  bool             // the chooser was asked about it, and gave no answer
}

// State says how a cluster stands to its summary.
type State string

// States.
const (
	New     State = "new"     // it has no summary
	Current State = "current" // its summary is up to date
	Changed State = "changed" // its members have changed since
	Gone    State = "gone"    // the summary is left, and no cluster
)

// Clusters finds the clusters of the workspace, or of one scope: by scope, then the largest first. Those of which only the summary is left
// are among them.
func Clusters(s *memory.Snapshot, settings config.Settings, scope *memory.Scope) []Cluster {
	return clusters(s, settings, scope, graph.Of(s), nil, nil)
}

// nearest lists those of some memories that are near in meaning.
type nearest func([]*memory.Memory) [][2]*memory.Memory

// clusters is Clusters; near, if not nil, adds pairs; belong, if not nil, takes strangers out of a cluster that no summary knows.
func clusters(s *memory.Snapshot, settings config.Settings, scope *memory.Scope, g *graph.Graph, near nearest, belong func(Cluster) Cluster) (all []Cluster) {
	members, summaries := map[memory.Scope][]*memory.Memory{}, map[memory.Scope][]*memory.Memory{}
	for _, m := range s.Memories() {
		switch {
		case scope != nil && !scope.Covers(m.Scope):
		case memory.IsClusterSummary(m):
			summaries[m.Scope] = append(summaries[m.Scope], m)
		case eligible(s, m):
			members[m.Scope] = append(members[m.Scope], m)
		}
	}
	scopes := map[memory.Scope]bool{}
	for of := range members {
		scopes[of] = true
	}
	for of := range summaries {
		scopes[of] = true
	}
	order := slices.SortedFunc(maps.Keys(scopes), func(a, b memory.Scope) int { return strings.Compare(a.String(), b.String()) })
	for _, of := range order {
		all = append(all, inScope(s, options(settings), of, members[of], summaries[of], g, near, belong)...)
	}
	return all
}

// eligible reports whether a memory may be in a cluster: a live one that holds, has an id of its own and outlives its session.
func eligible(s *memory.Snapshot, m *memory.Memory) bool {
	return m.Type != memory.Working && m.Scope.Kind != "session" && len(m.SupersededBy) == 0 && !m.Blank() && s.Live(m.ID) == m
}

func options(settings config.Settings) cluster.Options {
	o, c := cluster.Default(), settings.Cluster
	o.Threshold, o.Min, o.Max, o.Shared = c.Threshold, c.Min, max(c.Max, c.Min), c.Shared
	return o
}

// inScope finds the clusters of one scope, and matches them with its summaries.
func inScope(s *memory.Snapshot, o cluster.Options, of memory.Scope, members, summaries []*memory.Memory, g *graph.Graph, near nearest, belong func(Cluster) Cluster) (all []Cluster) {
	items := make([]cluster.Item, len(members))
	byID := make(map[string]*memory.Memory, len(members))
	parallel.For(len(members), func(i int) { items[i] = cluster.ItemOf(members[i], g.Links(members[i].ID)) })
	for _, m := range members {
		byID[m.ID] = m
	}
	var found []cluster.Cluster
	earlier, told := map[string][]string{}, map[string]*memory.Memory{}
	for _, m := range summaries {
		if s.Live(m.ID) == m { // else nobody knows which one is meant
			told[m.ID], earlier[m.ID] = m, memory.ClusterOf(m).IDs()
		}
	}
	settled := settledOf(told)
	o.Near = nearPairs(byID, told)
	if near != nil {
		for _, p := range near(members) {
			o.Near = append(o.Near, [2]string{p[0].ID, p[1].ID})
		}
	}
	for _, c := range cluster.Find(items, o) {
		next := Cluster{Scope: of, Centre: byID[c.Centre], Coherence: c.Coherence, Common: c.Common}
		for _, id := range c.Members {
			next.Members = append(next.Members, byID[id])
		}
		slices.SortFunc(next.Members, func(a, b *memory.Memory) int { return cmp.Or(a.Born().Compare(b.Born()), strings.Compare(a.ID, b.ID)) })
		if strangers, ok := settled.of(next.Members); ok {
			next.leaveOut(strangers)
		} else if belong != nil {
			if next = belong(next); len(next.Members) < o.Min {
				continue
			}
		}
		c.Members = ids(next.Members)
		next.near = within(o.Near, c.Members)
		found, all = append(found, c), append(all, next)
	}
	for n, id := range cluster.Match(found, earlier) {
		c := &all[n]
		if c.ID = id; id == "" {
			c.ID, c.State = memory.NewID(s, append([]string{"cluster", of.String()}, found[n].Members...)...), New
			continue
		}
		c.Summary = told[id]
		delete(told, id)
		if c.State = Current; !same(memory.ClusterOf(c.Summary).Members, c.Members) {
			c.State = Changed
		}
	}
	for _, id := range slices.Sorted(maps.Keys(told)) {
		gone := Cluster{ID: id, Scope: of, Summary: told[id], State: Gone, Coherence: memory.ClusterOf(told[id]).Coherence}
		for _, member := range memory.ClusterOf(told[id]).Members {
			if m := byID[member.ID]; m != nil {
				gone.Members = append(gone.Members, m)
			}
		}
		all = append(all, gone)
	}
	return all
}

// nearPairs are those that summaries tell, of members that say what they said then. So their clusters stay where no server of embeddings is.
func nearPairs(byID, told map[string]*memory.Memory) (pairs [][2]string) {
	for _, id := range slices.Sorted(maps.Keys(told)) {
		c := memory.ClusterOf(told[id])
		holds := map[string]bool{}
		for _, m := range c.Members {
			now := byID[m.ID]
			holds[m.ID] = now != nil && now.ContentDigest() == m.Digest
		}
		for _, p := range c.Near {
			if holds[p[0]] && holds[p[1]] {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

// within are the pairs among some ids, which are sorted, each once.
func within(pairs [][2]string, ids []string) (found [][2]string) {
	has := func(id string) bool { _, ok := slices.BinarySearch(ids, id); return ok }
	for _, p := range pairs {
		if p[0] > p[1] {
			p[0], p[1] = p[1], p[0]
		}
		if has(p[0]) && has(p[1]) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b [2]string) int { return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1])) })
	return slices.Compact(found)
}

// same reports whether memories say what they said then, and are just those.
func same(then []memory.ClusterMember, now []*memory.Memory) bool {
	was := make(map[string]string, len(then))
	for _, m := range then {
		was[m.ID] = m.Digest
	}
	return len(was) == len(now) && !slices.ContainsFunc(now, func(m *memory.Memory) bool { return was[m.ID] != m.ContentDigest() })
}

func ids(all []*memory.Memory) []string {
	list := make([]string, len(all))
	for i, m := range all {
		list[i] = m.ID
	}
	slices.Sort(list)
	return list
}

// cluster finds the clusters that the request is about.
func (p *planner) cluster(e *Event) {
	for _, m := range p.Memories() {
		if p.covers(m) && eligible(p.Snapshot, m) && !memory.IsClusterSummary(m) {
			e.Seen++
		}
	}
	for _, c := range p.all() {
		if p.coversAny(c.Members) || c.Summary != nil && p.covers(c.Summary) {
			p.out.Clusters = append(p.out.Clusters, c)
		}
	}
	e.Made = len(p.out.Clusters)
}
