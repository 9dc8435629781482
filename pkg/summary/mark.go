package summary

import (
	"fmt"
	"slices"
	"strings"
)

// markFormat says how many entries of a list are left out.
const (
	markFormat = "… %d more entries"
	markWords  = 4
	markRunes  = len("… 1000000 more entries") + joinRunes
)

// Mark stands for n entries of a list that are left out.
func Mark(n int) string {
	if n == 1 {
		return "… 1 more entry"
	}
	return fmt.Sprintf(markFormat, n)
}

// MarkAlike stands for n sentences that are left out since one that is quoted is like them.
func MarkAlike(n int) string { return fmt.Sprintf("… %d more like it", n) }

// Marked is the number of entries or sentences that a mark stands for, 0 if s is none.
func Marked(s string) int {
	n := 0
	if _, err := fmt.Sscanf(s, "… %d more", &n); err != nil || n < 1 || Mark(n) != s && MarkAlike(n) != s {
		return 0
	}
	return n
}

// marks are the marks of the lists, and of the families, of which some entries are chosen and others not,
// by the last chosen sentence of each. Where both end, that of the list is given.
func (p *plan) marks(chosen []int) map[int]string {
	kept, last, seen := map[int]int{}, map[int]int{}, map[[2]int]bool{}
	for _, i := range chosen {
		s := p.sentences[i]
		if s.list == 0 {
			continue
		}
		last[s.list] = i
		if e := [2]int{s.list, s.entry}; !seen[e] {
			seen[e] = true
			kept[s.list]++
		}
	}
	out := map[int]string{}
	for id, f := range p.families {
		read, at := map[string]bool{}, -1
		for _, i := range f.members {
			if _, ok := slices.BinarySearch(chosen, i); ok {
				read[p.wordsOf(i)] = true
				at = i
			}
		}
		if left := f.distinct - len(read); id > 0 && at >= 0 && left > 0 {
			out[at] = MarkAlike(left)
		}
	}
	for list, i := range last {
		if left := p.entries[list] - kept[list]; left > 0 {
			out[i] = Mark(left)
		}
	}
	return out
}

// isMark reports whether a piece of a summary marks what is left out.
func isMark(s string) bool {
	return strings.HasPrefix(s, "… ") && (Marked(s) > 0 || strings.HasSuffix(s, " more like it"))
}
