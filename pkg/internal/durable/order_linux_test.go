package durable

import (
	"fmt"
	"slices"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// Names are in order, and none is lost, whatever they are and what was sorted before.
func TestNamesInOrder(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "mem_", "mem_0000000", "longer than a key is", "é"}).Draw(t, "beginning") +
			rapid.OneOf(rapid.StringMatching(`[0-9]{0,10}(\.json)?`), rapid.StringOfN(rapid.RuneFrom(nil, unicode.L, unicode.N), 0, 24, -1), rapid.SampledFrom([]string{"\x01", "\x01\x01", "\xff"})).Draw(t, "rest")
	})
	var s sorting
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 0, 16).Draw(t, "names")
		if n := rapid.IntRange(0, 2*manyNames).Draw(t, "numbered"); n > manyNames/2 { // else few are so many
			form, first := rapid.SampledFrom([]string{"%03d.json", "mem_%08d.json", "longer than a key is %d"}).Draw(t, "form"), rapid.IntRange(0, 999).Draw(t, "first")
			for i := range n {
				names = append(names, fmt.Sprintf(form, (first+i*7919)%1000))
			}
		}
		var got []string
		for _, k := range s.order(len(names), func(at int32) string { return names[at] }) {
			got = append(got, names[k.at])
		}
		slices.Sort(names)
		if !slices.Equal(got, names) {
			t.Fatalf("%q, not %q", got, names)
		}
	})
}

// BenchmarkNamesInOrder sorts 8,000 names as a file system gives them, in no order.
func BenchmarkNamesInOrder(b *testing.B) {
	var names []string
	for i := range uint32(8000) {
		names = append(names, fmt.Sprintf("mem_%07d.json", i*2654435761%10_000_000))
	}
	var s sorting
	b.Run("keys", func(b *testing.B) {
		for b.Loop() {
			s.order(len(names), func(at int32) string { return names[at] })
		}
	})
	b.Run("beside another one", func(b *testing.B) { // an index, as a run leaves it
		names := append(names, "_index.json")
		for b.Loop() {
			s.order(len(names), func(at int32) string { return names[at] })
		}
	})
	b.Run("names", func(b *testing.B) {
		for b.Loop() {
			slices.Sort(slices.Clone(names))
		}
	})
}
