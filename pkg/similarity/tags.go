package similarity

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// Tags is the tag overlap: the Jaccard index of two sets of tags, compared trimmed, composed and in lower case, empty ones ignored.
// Two empty sets overlap fully, an empty and a non-empty one not at all.
func Tags(a, b []string) float64 {
	x, y := tagSet(a), tagSet(b)
	common := 0
	for _, t := range x {
		if slices.Contains(y, t) {
			common++
		}
	}
	return jaccard(common, len(x), len(y))
}

// tagSet returns the distinct normal forms of tags in order.
func tagSet(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		if t = text.FoldName(strings.TrimSpace(t)); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// jaccard is the index of two sets of the sizes a and b that have common elements in common.
func jaccard(common, a, b int) float64 {
	if a == 0 && b == 0 {
		return 1
	}
	return float64(common) / float64(a+b-common)
}
