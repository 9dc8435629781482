package memory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/indexfile"
)

// FuzzRef writes the places of records in any file: references survive it.
func FuzzRef(f *testing.F) {
	for _, seed := range []string{"a.json", "x#/y/0", "~/a", "a#/entries/00", "\xff"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, file, key string) {
		p := indexfile.Resolve(".", file)
		if p == "" {
			return
		}
		for _, ref := range []Ref{{File: p}, {File: p, Array: []string{}, Index: 1}, {File: p, Array: []string{key, "~/"}, Index: 7}} {
			if back, ok := ParseRef(ref.String()); ref.Whole() && strings.Contains(p, "#/") && !strings.HasSuffix(p, ".json") {
				continue // no memory file; reads like a place in one
			} else if !ok || !cmp.Equal(back, ref) {
				t.Fatalf("%#v is read back from %q as %#v", ref, ref, back)
			}
		}
	})
}
