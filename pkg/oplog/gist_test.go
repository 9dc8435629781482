package oplog

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// told is all that a gist tells.
type told struct {
	Timestamp time.Time
	Actions   []Action
	Rules     []string
	Entry     Entry
}

// A gist tells what its entry does, but for the actions that nobody asked for, of which it has the
// rules.
func TestGists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawLog(t, 0)
		d, err := Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		types := rapid.SliceOf(rapid.SampledFrom([]string{Restore, Undo, Merge})).Draw(t, "types")
		got, want := toldBy(d.Gists(types...)), toldOf(d.Log(), types)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", doc, diff)
		}
	})
}

func toldBy(gists []Gist) (all []told) {
	for _, g := range gists {
		all = append(all, told{g.Timestamp, g.Actions, g.Rules(), g.Entry()})
	}
	return all
}

func toldOf(log *Log, types []string) (all []told) {
	for _, e := range log.Entries {
		g := told{Timestamp: e.Timestamp, Entry: e}
		g.Entry.Actions = nil
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
