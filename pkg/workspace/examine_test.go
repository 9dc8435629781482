package workspace

import (
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/check"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// What is noted while the files are read is what looking at each memory by itself finds,
// whatever snapshot is checked: of the same reading, of another, of files that have
// changed since.
func TestExaminedFindsTheSame(t *testing.T) {
	var noted atomic.Int64
	rapid.Check(t, func(r *rapid.T) {
		dir := t.TempDir()
		files := random.Workspace(r)
		files["global/odd.json"] = `{"id":"odd","type":"semantic","tags":"x","created_at":"yesterday","content":"a b c","supersedes":["nobody"]}`
		if err := random.Write(dir, files); err != nil {
			r.Fatal(err)
		}
		s, err := Open(dir)
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		if rapid.Bool().Draw(r, "indexed") {
			if _, err := s.Reindex(t.Context(), at); err != nil {
				r.Fatal(err)
			}
		}
		names := make([]string, 0, len(files))
		for name := range files {
			names = append(names, name)
		}
		change := func() {
			name := filepath.Join(dir, filepath.FromSlash(rapid.SampledFrom(names).Draw(r, "file")))
			text := []byte(rapid.SampledFrom([]string{"{}", "[", `{"id":"new","type":"factual","content":"n","priority":"urgent"}`, `{"entries":[{"id":"ghost"}]}`}).Draw(r, "text"))
			if err := os.WriteFile(name, text, 0o644); err != nil {
				r.Fatal(err)
			}
		}
		change()
		snap, err := s.Load(at)
		if err != nil {
			r.Fatal(err)
		}
		if rapid.Bool().Draw(r, "changed since") {
			change()
		}
		extension, findings, err := check.Schemas(s.root)
		if err != nil {
			r.Fatal(err)
		}
		notes := check.NewFileFindings(extension)
		examined, err := s.loadAnew(at, func(m *memory.Memory) {
			notes.Look(m)
			noted.Add(1)
		})
		if err != nil {
			r.Fatal(err)
		}
		for _, of := range []*memory.Snapshot{snap, examined} {
			want, err := check.Run(s.root, of, check.NewFileFindings(extension), findings, nil)
			if err != nil {
				r.Fatal(err)
			}
			got, err := check.Run(s.root, of, notes, findings, nil)
			if err != nil {
				r.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				r.Fatalf("with notes %+v\nwithout %+v", got, want)
			}
		}
	})
	if noted.Load() == 0 {
		t.Error("nothing was noted")
	}
}
