package durable

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Entries are in the order of their names, and none is lost, whatever these are.
func TestSortByName(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "mem_", "mem_0000000", "é"}).Draw(t, "beginning") +
			rapid.OneOf(rapid.StringMatching(`[0-9]{0,10}(\.json)?`), rapid.StringN(0, 12, -1), rapid.SampledFrom([]string{"\x00", "\x00\x00", "\xff"})).Draw(t, "rest")
	})
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 0, 2*manyNames).Draw(t, "names")
		var list, want []Entry
		for i, name := range names {
			list = append(list, Entry{name, []Kind{Regular, Dir, Link, Other}[i%4]})
		}
		want = slices.Clone(list)
		order := func(a, b Entry) int { return strings.Compare(a.Name, b.Name) }
		sortByName(list)
		if !slices.IsSortedFunc(list, order) {
			t.Fatalf("%q isn't in order", list)
		}
		all := func(a, b Entry) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.Kind), string(b.Kind)))
		}
		slices.SortFunc(list, all)
		slices.SortFunc(want, all)
		if !slices.Equal(list, want) {
			t.Fatalf("%q, not %q", list, want)
		}
	})
}

// BenchmarkSortByName sorts 8,000 names as a file system gives them, in no order.
func BenchmarkSortByName(b *testing.B) {
	var names []Entry
	for i := range uint32(8000) {
		names = append(names, Entry{Name: fmt.Sprintf("mem_%07d.json", i*2654435761%10_000_000)})
	}
	for name, sort := range map[string]func([]Entry){"keys": sortByName, "names": func(list []Entry) {
		slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sort(slices.Clone(names))
			}
		})
	}
}
