package cluster

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
)

// Options bound clusters.
type Options struct {
	Threshold float64 // mean likeness of two groups that are joined, 0 to 1
	Min, Max  int     // members of a cluster
	Shared    int     // items that may have a tie; one that more have ties nothing
	Common    float64 // share of the texts that may have a stem, but always commonFloor of them

	Near [][2]string // ids of items that are a candidate pair without a tie: by what they mean, say
}

// commonFloor is how many texts may have a stem in any case: a tenth of a few texts is none.
const commonFloor = 20

// Default are the options of models that nobody has set.
func Default() Options { return Options{Threshold: 0.20, Min: 3, Max: 20, Shared: 200, Common: 0.10} }

// Cluster is a group of related items.
type Cluster struct {
	Members   []string // ids, sorted
	Centre    string   // the member that is most like the others
	Coherence float64  // mean likeness of its pairs, 0 to 1
	Common    []Common // what at least two thirds of the members have, the most frequent first
}

// Common is a tie or a stem that members have in common; of stems the rarest come first.
type Common struct {
	Kind  string `json:"kind" jsonschema:"tag, link, name or word"`
	Value string `json:"value"`
	Count int    `json:"count" jsonschema:"members that have it"`
}

// Find finds the clusters of items, the largest first, then by their first member. Of items with one id the first counts. A
// cluster has two members at least.
func Find(items []Item, o Options) []Cluster {
	o.Min = max(o.Min, 2) // one alone is like nobody
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Text, b.Text))
	})
	items = slices.CompactFunc(items, func(a, b Item) bool { return a.ID == b.ID })
	c := read(items, o)
	var found []Cluster
	for _, g := range c.link(o) {
		if len(g.members) < o.Min {
			continue
		}
		if common := c.common(g.members); len(common) > 0 {
			found = append(found, c.cluster(g, common))
		}
	}
	slices.SortFunc(found, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(len(b.Members), len(a.Members)), strings.Compare(a.Members[0], b.Members[0]))
	})
	return found
}

// group is items that belong together so far.
type group struct {
	members []int32
	sum     vector         // of the vectors of the members
	near    map[int32]bool // groups with a candidate pair between them and this one
	gone    bool           // it went into another
}

// likeness is the mean likeness of the members of two groups: the product of the sums of their vectors over the number of pairs.
func likeness(a, b *group) float64 {
	return dot(a.sum, b.sum) / float64(len(a.members)*len(b.members))
}

// join is two groups that may be joined, the lower number first.
type join struct {
	likeness float64
	a, b     int32
}

// joins is a heap, the greatest likeness first, then the lowest numbers.
type joins []join

func (j joins) Len() int { return len(j) }
func (j joins) Less(i, k int) bool {
	x, y := j[i], j[k]
	return cmp.Or(cmp.Compare(y.likeness, x.likeness), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) < 0
}
func (j joins) Swap(i, k int) { j[i], j[k] = j[k], j[i] }
func (j *joins) Push(x any)   { *j = append(*j, x.(join)) }
func (j *joins) Pop() any {
	last := (*j)[len(*j)-1]
	*j = (*j)[:len(*j)-1]
	return last
}

// link joins groups until none are alike enough.
func (c *corpus) link(o Options) (left []*group) {
	groups := make([]*group, len(c.items), 2*len(c.items))
	for i := range groups {
		groups[i] = &group{members: []int32{int32(i)}, sum: c.vectors[i], near: map[int32]bool{}}
	}
	queue := &joins{}
	consider := func(a, b int32) {
		x, y := groups[a], groups[b]
		if len(x.members)+len(y.members) > o.Max {
			return
		}
		if l := likeness(x, y); l >= o.Threshold {
			heap.Push(queue, join{l, min(a, b), max(a, b)})
		}
	}
	for _, p := range c.candidates(o.Threshold) {
		groups[p.a].near[p.b], groups[p.b].near[p.a] = true, true
		consider(p.a, p.b)
	}
	for queue.Len() > 0 {
		j := heap.Pop(queue).(join)
		a, b := groups[j.a], groups[j.b]
		if a.gone || b.gone {
			continue
		}
		n := int32(len(groups))
		groups = append(groups, joined(groups, n, j))
		for _, k := range sorted(groups[n].near) {
			consider(n, k)
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool { return g.gone })
}

// joined makes one group, which gets number n, of two.
func joined(groups []*group, n int32, j join) *group {
	a, b := groups[j.a], groups[j.b]
	a.gone, b.gone = true, true
	g := &group{members: slices.Concat(a.members, b.members), sum: plus(a.sum, b.sum), near: map[int32]bool{}}
	slices.Sort(g.members)
	for _, old := range []*group{a, b} {
		for k := range old.near {
			if !groups[k].gone {
				g.near[k] = true
				delete(groups[k].near, j.a)
				delete(groups[k].near, j.b)
				groups[k].near[n] = true
			}
		}
		old.near, old.sum = nil, nil
	}
	return g
}

func sorted(set map[int32]bool) []int32 {
	list := make([]int32, 0, len(set))
	for k := range set {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// cluster describes a group.
func (c *corpus) cluster(g *group, common []Common) Cluster {
	out := Cluster{Common: common}
	for _, i := range g.members {
		out.Members = append(out.Members, c.items[i].ID)
	}
	// The sum of all ordered pairs, those of a member with itself taken away.
	n := float64(len(g.members))
	own, nearest := 0.0, -1.0
	for _, i := range g.members {
		own += dot(c.vectors[i], c.vectors[i])
		if near := dot(c.vectors[i], g.sum); near > nearest {
			nearest, out.Centre = near, c.items[i].ID
		}
	}
	out.Coherence = min(max((dot(g.sum, g.sum)-own)/(n*(n-1)), 0), 1)
	return out
}

// maxCommon is how many ties and stems a cluster lists.
const maxCommon = 8

// common lists what at least two thirds of the members have.
func (c *corpus) common(members []int32) (found []Common) {
	counts := map[Common]int{}
	for _, i := range members {
		for _, n := range c.ties[i] {
			kind, value, _ := strings.Cut(c.names[n], ":")
			counts[Common{Kind: kind, Value: value}]++
		}
		for _, e := range c.vectors[i] {
			counts[Common{Kind: Word, Value: c.terms[e.term]}]++
		}
	}
	rarity := map[string]int{} // of stems: how many texts have them
	for what, n := range counts {
		if 3*n >= 2*len(members) {
			what.Count = n
			found = append(found, what)
			if at, ok := slices.BinarySearch(c.terms, what.Value); ok && what.Kind == Word {
				rarity[what.Value] = len(c.holders[at])
			}
		}
	}
	slices.SortFunc(found, func(a, b Common) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(order(a.Kind), order(b.Kind)),
			cmp.Compare(rarity[a.Value], rarity[b.Value]), strings.Compare(a.Value, b.Value))
	})
	return found[:min(len(found), maxCommon)]
}

// order puts what people chose before what texts share.
func order(kind string) int { return slices.Index([]string{Tag, Link, Name, Word}, kind) }

// Match finds for each cluster the earlier one that it continues, by their members: one of which it has at least half of the members.
// Each earlier one is gone on with once at most; the greatest overlap comes first, then the lower id. "" is a new cluster.
func Match(clusters []Cluster, earlier map[string][]string) []string {
	type overlap struct {
		cluster, common int
		id              string
	}
	of := map[string]int{} // the cluster of each member
	for n, c := range clusters {
		for _, id := range c.Members {
			of[id] = n
		}
	}
	var all []overlap
	for id, members := range earlier {
		counts := map[int]int{}
		for _, member := range members {
			if n, ok := of[member]; ok {
				counts[n]++
			}
		}
		for n, common := range counts {
			if 2*common >= len(members) {
				all = append(all, overlap{n, common, id})
			}
		}
	}
	slices.SortFunc(all, func(a, b overlap) int {
		return cmp.Or(cmp.Compare(b.common, a.common), strings.Compare(a.id, b.id), cmp.Compare(a.cluster, b.cluster))
	})
	matched := make([]string, len(clusters))
	taken := map[string]bool{}
	for _, o := range all {
		if matched[o.cluster] == "" && !taken[o.id] {
			matched[o.cluster], taken[o.id] = o.id, true
		}
	}
	return matched
}
