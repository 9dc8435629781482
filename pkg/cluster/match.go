package cluster

import (
	"cmp"
	"slices"
	"strings"
)

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
