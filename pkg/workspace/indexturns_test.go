package workspace

import (
	"path"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

// TestIndexesAreWrittenOnce counts how often a run writes an index: once, but
// where a memory would otherwise be listed nowhere for a while.
func TestIndexesAreWrittenOnce(t *testing.T) {
	twice := map[string][]string{
		"moved out of a collection into an index that is changed": {"agents/a/" + memory.IndexFile},
		"moved both ways": {"agents/a/" + memory.IndexFile, "agents/b/" + memory.IndexFile},
	}
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			m := sc.disk(t)
			for i, step := range sc.steps {
				if err := sc.recovered(m); err != nil { // else it would bring up to date first what a save has left behind
					t.Fatal(err)
				}
				times := map[string]int{}
				hook := &faultfs.Hook{FS: m, After: func(s faultfs.Step) {
					if s.Writes && path.Base(s.To) == memory.IndexFile {
						times[s.To]++
					}
				}}
				if err := step(sc.store(hook, i)); err != nil {
					t.Fatal(err)
				}
				for _, name := range twice[sc.name] {
					if times[name]--; times[name] != 1 {
						t.Errorf("%s is written %d times, not 2", name, times[name]+1)
					}
				}
				for name, n := range times {
					if n > 1 {
						t.Errorf("command %d writes %s %d times", i, name, n)
					}
				}
			}
		})
	}
}
