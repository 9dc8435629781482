package durable

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Names are in order, and none is lost, whatever they are and what was sorted before.
func TestNamesInOrder(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "mem_", "mem_0000000", "é"}).Draw(t, "beginning") +
			rapid.OneOf(rapid.StringMatching(`[0-9]{0,10}(\.json)?`), rapid.StringN(0, 12, -1), rapid.SampledFrom([]string{"\x00", "\x00\x00", "\xff"})).Draw(t, "rest")
	})
	var s sorting
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 0, 2*manyNames).Draw(t, "names")
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
	b.Run("names", func(b *testing.B) {
		for b.Loop() {
			slices.Sort(slices.Clone(names))
		}
	})
}
