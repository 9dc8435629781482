package schemas

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// maxFindings bounds the findings of one document.
const maxFindings = 100

// findings collects what is wrong, one finding for each place.
type findings struct {
	all   []located
	check int // number of the check at work
}

type located struct {
	at    []string // keys and indexes from the top
	check int
	Finding
}

func (f *findings) add(at []string, finding Finding) {
	f.all = append(f.all, located{slices.Clone(at), f.check, finding})
}

// list returns the findings in the order of their places. Of several for a place
// it takes the worst, then that of the earliest check.
func (f *findings) list() []Finding {
	slices.SortFunc(f.all, func(a, b located) int {
		return cmp.Or(slices.CompareFunc(a.at, b.at, compareKeys),
			cmp.Compare(a.Severity, b.Severity), // "error" before "warning"
			cmp.Compare(a.check, b.check), cmp.Compare(a.Message, b.Message))
	})
	f.all = slices.CompactFunc(f.all, func(a, b located) bool { return slices.Equal(a.at, b.at) })
	var list []Finding
	for i, found := range f.all {
		if i == maxFindings-1 && len(f.all) > maxFindings {
			more := fmt.Sprintf("and %d more findings", len(f.all)-i)
			return append(list, Finding{"", Warning, more})
		}
		list = append(list, found.Finding)
	}
	return list
}

// compareKeys orders indexes by number.
func compareKeys(a, b string) int {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}
