package memory

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A name is taken when some file's is the same but for its case.
func TestTaken(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "A", "b", "é", "É", "ß", "K", "k", "archive", "Archive", "ſ", "s"})
	file := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(name, 1, 3).Draw(t, "path"), "/") + ".json"
	})
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.SliceOfN(file, 0, 6).Draw(t, "files")
		var live []*Memory
		for _, f := range rapid.SliceOfN(file, 0, 6).Draw(t, "memories") {
			live = append(live, &Memory{Ref: Ref{File: f}})
			files = append(files, f)
		}
		s := NewSnapshot(time.Time{}, live, nil)
		s.Files = files // a store names those of memories too
		asked := file.Draw(t, "asked")
		want := false
		for _, f := range files {
			want = want || FoldName(f) == FoldName(asked)
		}
		if got := s.NewFiles().Taken(asked); got != want {
			t.Fatalf("%q among %q: %v", asked, files, got)
		}
	})
}
