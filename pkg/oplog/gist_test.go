package oplog

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// A gist is its entry, but for the actions that nobody asked for, of which it has the rules; and those
// since an entry are the last ones.
func TestGists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawLog(t, 0)
		d, err := Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		types := rapid.SliceOf(rapid.SampledFrom([]string{Restore, Undo, Merge})).Draw(t, "types")
		got, want := d.Gists(types...), gistsOf(d.Log(), types)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", doc, diff)
		}
		for i := range got {
			if hash := got[i].Hash; hash != "" {
				since, ok := d.GistsSince(hash, types...)
				if diff := cmp.Diff(want[i+1:], since, cmpopts.EquateEmpty()); !ok || diff != "" {
					t.Fatalf("since %d, %v: %s", i, ok, diff)
				}
			}
		}
		for _, hash := range []string{"", "nobody's"} {
			if _, ok := d.GistsSince(hash, types...); ok {
				t.Fatalf("since %q", hash)
			}
		}
	})
}

func gistsOf(log *Log, types []string) (all []Gist) {
	for _, e := range log.Entries {
		g := Gist{Entry: e}
		g.Actions = nil
		for _, a := range e.Actions {
			if !slices.Contains(g.Rules, a.Rule) {
				g.Rules = append(g.Rules, a.Rule)
			}
			if slices.Contains(types, a.Type) {
				g.Actions = append(g.Actions, a)
			}
		}
		all = append(all, g)
	}
	return all
}
