package check_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable/memfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/check"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
)

var at = time.Date(2026, 3, 11, 14, 30, 0, 0, time.UTC)

func disk(t *testing.T, files map[string]string) *memfs.FS {
	t.Helper()
	fs := memfs.New()
	for name, content := range files {
		if err := fs.Put(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	return fs
}

// Damaged files that can be made again and leftovers go to ops/conflicts; everything else keeps its place and its bytes.
func TestMoveDamaged(t *testing.T) {
	files := map[string]string{
		"agents/dev/_index.json":      `{"memories": [`,
		"agents/dev/m.json":           `{"id": "m", `, // a memory is never moved, damaged or not
		"agents/qa/_index.json":       `{"memories": []}`,
		"agents/qa/.mem-tmp-1":        "half a file",
		memory.ReviewFile:             `{"pairs": 7}`,
		memory.OpsDir + "/cache/x.gz": "\x00",
		".git/_index.json":            `{`,
	}
	fs := disk(t, files)
	fixed, err := check.MoveDamaged(fs, at)
	if err != nil {
		t.Fatal(err)
	}
	var moved []string
	for _, f := range fixed {
		moved = append(moved, f.File)
		to := "ops/conflicts/fix-20260311T143000Z/" + f.File
		if !strings.HasSuffix(f.What, to) || fs.Files()[to] != files[f.File] {
			t.Errorf("%s: %s; there is %q", f.File, f.What, fs.Files()[to])
		}
	}
	slices.Sort(moved)
	want := []string{"agents/dev/_index.json", "agents/qa/.mem-tmp-1", memory.ReviewFile}
	if !slices.Equal(moved, want) {
		t.Errorf("moved %q, want %q", moved, want)
	}
	for name := range maps.Keys(files) {
		if _, there := fs.Files()[name]; there == slices.Contains(moved, name) {
			t.Errorf("%s is there: %v", name, there)
		}
	}
	if again, err := check.MoveDamaged(fs, at); err != nil || len(again) > 0 {
		t.Errorf("the second time it moved %v, %v", again, err)
	}
	if err := fs.Put("agents/dev/_index.json", []byte("[")); err != nil {
		t.Fatal(err)
	}
	if again, err := check.MoveDamaged(fs, at); err != nil || len(again) != 1 || !strings.Contains(again[0].What, "143000Z-2/") {
		t.Errorf("the same name once more: %v, %v", again, err)
	}
}

func parse(t *testing.T, file, doc string) *memory.Memory {
	t.Helper()
	ms, err := memory.ParseRecords(file, []byte(doc))
	if err != nil || len(ms) != 1 {
		t.Fatal(ms, err)
	}
	return ms[0]
}

// Run names what is off with a record and its relations, and says nothing of a sound workspace.
func TestRun(t *testing.T) {
	const sound = `{"id": "a", "type": "semantic", "content": "The pool has twenty connections.", "created_at": "2026-03-01T09:00:00Z"}`
	tests := []struct {
		name, doc, says string
	}{
		{"sound", sound, ""},
		{"a clock ahead", strings.Replace(sound, "2026-03-01", "2027-03-01", 1), "created_at is in the future"},
		{"a link to nothing", strings.Replace(sound, `"id": "a"`, `"id": "a", "supersedes": ["b"]`, 1), "supersedes names b, which doesn't exist"},
		{"no valid record", strings.Replace(sound, `"semantic"`, `7`, 1), "type"},
	}
	for _, tt := range tests {
		m := parse(t, "notes/a.json", tt.doc)
		fs := disk(t, map[string]string{"notes/a.json": tt.doc})
		extension, findings, err := check.Schemas(fs)
		if err != nil {
			t.Fatal(err)
		}
		notes := check.NewFileFindings(extension)
		notes.Look(m)
		problems, err := check.Run(fs, memory.NewSnapshot(at, []*memory.Memory{m}, nil), notes, findings, nil)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		var said []string
		for _, p := range problems {
			said = append(said, p.File+" "+p.Place+" "+p.Message)
		}
		if all := strings.Join(said, "\n"); (tt.says == "") != (all == "") || !strings.Contains(all, tt.says) {
			t.Errorf("%s: %q, want %q", tt.name, all, tt.says)
		}
	}
}

func TestRunSaysWhichIDsAreTwice(t *testing.T) {
	const doc = `{"id": "a", "type": "semantic", "content": "One fact of two files."}`
	one, two := parse(t, "notes/one.json", doc), parse(t, "notes/two.json", doc)
	fs := disk(t, map[string]string{"notes/one.json": doc, "notes/two.json": doc})
	extension, _, err := check.Schemas(fs)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := check.Run(fs, memory.NewSnapshot(at, []*memory.Memory{one, two}, nil), check.NewFileFindings(extension), nil, nil)
	if err != nil || len(problems) != 1 || problems[0].File != "notes/two.json" || !strings.Contains(problems[0].Message, "the id a is that of notes/one.json too") {
		t.Errorf("%+v, %v", problems, err)
	}
}

func TestNotes(t *testing.T) {
	m := parse(t, "notes/a.json", `{"id": "a", "type": "semantic", "content": "The pool has twenty connections."}`)
	notes := check.NewFileFindings(nil)
	notes.Look(m)
	lines, err := notes.Lines([]*memory.Memory{m})
	if err != nil || len(lines) != 1 || lines[0].ID != "a" {
		t.Errorf("lines %+v, %v", lines, err)
	}
	// A memory that was not looked at, and whose bytes aren't at hand, has no line.
	if _, err := check.NewFileFindings(nil).Lines([]*memory.Memory{{ID: "b"}}); !errors.Is(err, index.ErrReading) {
		t.Errorf("of bytes that are gone: %v", err)
	}
}
