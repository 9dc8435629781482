package rules

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.StringMatching("[ab]{0,3}"), rapid.String())
		all := rapid.SliceOf(id).Draw(t, "ids")
		set := newIDs(all)
		for _, asked := range append(rapid.SliceOf(id).Draw(t, "others"), all...) {
			if set.has(asked) != slices.Contains(all, asked) {
				t.Fatalf("%q among %q: %v", asked, all, set.has(asked))
			}
		}
	})
}
