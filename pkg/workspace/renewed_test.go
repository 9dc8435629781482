package workspace

import (
	"strings"
	"testing"
)

// A large index that has changed is read by the load that finds it changed, and not by each
// one after that: by none while only itself has changed, nor where a few memories have, too,
// which a large cache leaves to be read again.
func TestChangedIndexIsReadOnce(t *testing.T) {
	const other = "teams/x/_index.json"
	large := func(id string) string {
		return `{"entries": [` + strings.Repeat(`{"id": "`+id+`", "file_path": "a.json"},`+"\n", 6_000) + `{"id": "last"}]}`
	}
	for _, c := range []struct {
		name    string
		crowded bool
		left    int // memories that are read again
	}{{"cache", false, 0}, {"large cache", true, 1}} {
		t.Run(c.name, func(t *testing.T) {
			w := newReusing(t, true)
			w.large = c.crowded
			w.write(t, "global/a.json", record("a", "the first wording"))
			w.write(t, "global/b.json", record("b", "another"))
			w.write(t, "global/_index.json", large("a"))
			w.write(t, other, large("a"))
			w.tick(t)
			w.same(t)
			for _, step := range []struct {
				name        string
				do          func()
				first, then int
			}{
				{"nothing", func() {}, 0, 0},
				{"index", func() { w.write(t, "global/_index.json", large("b")) }, 1, 0},
				{"index again", func() { w.write(t, "global/_index.json", large("c")) }, 1, 0},
				{"of something else", func() { w.write(t, "global/_index.json", `{"projects": []`+strings.Repeat(" ", 1<<20)+`}`) }, 1, 0},
				{"of memories", func() { w.write(t, "global/_index.json", large("d")) }, 1, 0},
				{"another", func() { w.write(t, other, large("b")) }, 1, 0},
				{"both", func() { w.write(t, "global/_index.json", large("e")); w.write(t, other, large("c")) }, 2, 0},
				{"the first", func() { w.write(t, "global/_index.json", large("f")) }, 1, 0},
				{"index and memory", func() {
					w.write(t, "global/_index.json", large("e"))
					w.write(t, "global/a.json", record("a", "the second wording"))
				}, 2, c.left},
				{"of something else, and memory", func() {
					w.write(t, "global/_index.json", `{"projects": []`+strings.Repeat(" ", 1<<20)+`}`)
					w.write(t, "global/b.json", record("b", "yet another"))
				}, 2 + c.left, 0}, // all is kept anew then
			} {
				w.tick(t)
				step.do()
				w.tick(t)
				for k, want := range []int{step.first, step.then, step.then} {
					if w.same(t); w.parsed != want {
						t.Errorf("%s: load %d read %d files, want %d", step.name, k, w.parsed, want)
					}
				}
			}
		})
	}
}
