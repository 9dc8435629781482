package indexfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const name = "global/_index.json"

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func owning(lines ...Line) Want { return Want{Lines: lines} }

// lineOf is a memory that is a file of its own.
func lineOf(id, kind, tags string) Line {
	return Line{
		ID: id, File: "global/" + id + ".json", Stated: true,
		Fields: `{"id":` + quote(id) + `,"type":"` + kind + `","tags":` + tags + `,"summary":` + quote("says "+id) + `}`,
	}
}

func parse(t interface {
	Helper()
	Fatal(args ...any)
}, doc string) *File {
	t.Helper()
	f, err := Parse(name, []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestUpdate(t *testing.T) {
	a := lineOf("a", "semantic", `["T1","t2"]`)
	inside := Line{ID: "b", File: "global/list.json", Pointer: "/entries/0", Fields: `{"id":"b","tags":[],"summary":"found"}`}
	for _, c := range []struct {
		name, before, after string
		to                  Want
		drifts              []Drift
	}{
		{
			"new entries, in our form", `{"entries":[]}`,
			`{"entries":[{"id":"a","type":"semantic","tags":["T1","t2"],"summary":"says a","file_path":"a.json"},{"id":"b","tags":[],"summary":"found","file_path":"list.json","json_path":"/entries/0"}]}`,
			owning(a, inside), []Drift{{"a", "not in the index"}, {"b", "not in the index"}},
		},
		{
			"its own keys and members", `{"owner": "x", "memory_count": 2, "memories": [{"id": "a", "path": "elsewhere.json", "mine": 1e2}, {"id": "gone"}], "tail": [1]}`,
			`{"owner": "x", "memory_count": 1, "memories": [{"id": "a", "path": "a.json", "mine": 1e2}], "tail": [1]}`,
			owning(a), []Drift{{"a", `path is "elsewhere.json", the file says "a.json"`}, {"gone", "the index lists it, but it isn't there"}},
		},
		{
			"a summary by hand", `{"entries":[{"id":"b","summary":"by hand","file_path":"list.json","json_path":"/entries/0"}]}`, "",
			owning(inside), nil,
		},
		{
			"a memory that is a file now", `{"entries":[{"id":"a","file_path":"a.json","json_path":"/entries/3"}]}`,
			`{"entries":[{"id":"a","file_path":"a.json"}]}`,
			owning(a), []Drift{{"a", `json_path is "/entries/3", but the memory is a file of its own`}},
		},
		{
			"content is never dropped", `{"entries":[{"id":"only","content":"nowhere else"}]}`, "",
			owning(), []Drift{{"only", "the entry itself holds content that no file has: save it as a file of its own"}},
		},
		{
			"lookups keep their order and spelling", `{"last_updated":null,"entries":[{"id":"a","type":"semantic","tags":["T1","t2"],"file_path":"a.json"}],"tag_index":{"old":["a"]," T1":[]},"type_index":{"semantic":["a"]}}`,
			`{"last_updated":"2026-03-01T09:00:00Z","entries":[{"id":"a","type":"semantic","tags":["T1","t2"],"file_path":"a.json"}],"tag_index":{" T1":["a"],"t2":["a"]},"type_index":{"semantic":["a"]}}`,
			owning(a), []Drift{{"", "tag_index disagrees with the entries"}},
		},
		{"agrees but for the order of tags", `{ "entries" : [ {"id":"a", "tags": ["t2","t1"], "file_path":"a.json"} ] }`, "", owning(a), nil},
		{"foreign", `{"projects":[]}`, "", owning(), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.after == "" {
				c.after = c.before
			}
			got, err := parse(t, c.before).Update(c.to, day)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(got.Doc)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.drifts, got.Drifts); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := parse(t, `{"projects":[]}`).Update(owning(a), day); err == nil {
		t.Error("a memory was listed in what has no list of memories")
	}
}

// What the archive says besides is added, and put right, where it is given.
func TestExtras(t *testing.T) {
	a, b := lineOf("a", "x", `[]`), lineOf("b", "x", `[]`)
	extras := map[string][]Field{"a": {{"reason", `"old"`}, {"type", `"never"`}}, "b": {{"reason", `"merged"`}}}
	got, err := parse(t, `{"entries":[{"id":"b","reason":"","file_path":"b.json"}]}`).Update(Want{Lines: []Line{a, b}, Extra: extras}, day)
	want := `{"entries":[{"id":"b","reason":"merged","file_path":"b.json"},{"id":"a","type":"x","tags":[],"summary":"says a","file_path":"a.json","reason":"old"}]}`
	if err != nil || string(got.Doc) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got.Doc, want)
	}
}

// What is not an index yet is begun when there is something to list, and a foreign one stays.
func TestUpdateDocument(t *testing.T) {
	line := lineOf("a", "x", `[]`)
	begun, err := Update(name, nil, owning(line), day)
	if err != nil || !strings.Contains(string(begun.Doc), `"id":"a"`) && !strings.Contains(string(begun.Doc), `"id": "a"`) {
		t.Errorf("%v: %s", err, begun.Doc)
	}
	if none, err := Update(name, nil, owning(), day); err != nil || none.Doc != nil {
		t.Errorf("%v: %s", err, none.Doc)
	}
	if again, err := Update(name, begun.Doc, owning(line), day); err != nil || string(again.Doc) != string(begun.Doc) || len(again.Drifts) > 0 {
		t.Errorf("%v: %s", err, again.Doc)
	}
	foreign := `{"projects":[]}`
	if got, err := Update(name, []byte(foreign), owning(line), day); err != nil || string(got.Doc) != foreign {
		t.Errorf("%v: %s", err, got.Doc)
	}
	if _, err := Update(name, []byte(`{"entries":[`), owning(line), day); err == nil {
		t.Error("half an index was brought up to date")
	}
}

func TestNew(t *testing.T) {
	f, err := New(name, day)
	if err != nil || f.Foreign || len(f.Entries()) != 0 || !strings.Contains(string(f.Doc()), day.Format(time.RFC3339)) {
		t.Fatalf("%+v %v", f, err)
	}
	if _, err := Parse(name, []byte(`{"entries":[`)); err == nil {
		t.Error("half an index was read")
	}
}

// What lists memories is told in one pass as it is when an index is taken apart.
func TestLists(t *testing.T) {
	made, err := New(name, day)
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for _, doc := range []string{
		string(made.Doc()), "\ufeff" + `{"entries":[]}`, `{"memories":[]}`, `{"entries":{},"memories":[1]}`, `{"\u0065ntries":[]}`, `{"entries" : [ {"entries":{}} ], "n":{"entries":1}}`,
		`{"entries":{}}`, `[]`, `[{"entries":[]}]`, `{"n":{"entries":[]}}`, `{"n":[{"entries":[]}]}`, `{"entries":[],"entries":[]}`, `{"entries":[],"\u0065ntries":[]}`, `{"x":1,"x":2,"entries":[]}`, `{}`, `7`,
		``, ` `, `{"entries":[`, `{"entries":[]} x`, `{"entries":[],}`, "{\"entries\":[\"\xff\"]}",
	} {
		f, broken := Parse(name, []byte(doc))
		got, err := Lists([]byte(doc))
		if fmt.Sprint(err) != fmt.Sprint(broken) || broken == nil && got == f.Foreign || broken != nil && got {
			t.Errorf("%s: %v, %v, want %v, %v", doc, got, err, broken == nil && !f.Foreign, broken)
		}
		if got {
			lists++
		}
	}
	if lists != 6 {
		t.Errorf("%d list memories, want 6", lists)
	}
}

// An update of the ids that differ gives what one of everything does.
func TestSomeIsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (lines []Line) {
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", `e"`}), 0, 5, rapid.ID).Draw(t, label) {
				lines = append(lines, lineOf(id, rapid.SampledFrom([]string{"x", "y"}).Draw(t, "type"), rapid.SampledFrom([]string{`[]`, `["t"]`, `["T","u"]`}).Draw(t, "tags")))
			}
			return lines
		}
		f, err := New(name, day.Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		before, err := f.Update(owning(draw("before")...), day.Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		f = parse(t, string(before.Doc))
		lines := draw("after")
		all, err := f.Update(owning(lines...), day)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, l := range lines {
			ids[l.ID] = true
		}
		for _, e := range f.Entries() {
			ids[e.ID] = true
		}
		some, err := f.Update(Want{Lines: lines, Only: ids}, day)
		if err != nil || string(some.Doc) != string(all.Doc) {
			t.Fatalf("%v\n%s\nnot\n%s", err, some.Doc, all.Doc)
		}
	})
}

// Find gives what looking through the entries from the first on gives.
func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"", "a", "b", "c"})
		var entries []string
		for range rapid.IntRange(0, 8).Draw(t, "entries") {
			entries = append(entries, fmt.Sprintf(`{"id": %q, "file_path": %q}`, names.Draw(t, "id"), names.Draw(t, "file")+".json"))
		}
		f, err := Parse(name, []byte(`{"entries": [`+strings.Join(entries, ", ")+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		id, file := names.Draw(t, "of"), "global/"+names.Draw(t, "in")+".json"
		i := slices.IndexFunc(f.Entries(), func(e Entry) bool { return e.ID == id && e.File == file })
		if got, ok := f.Find(id, file); ok != (i >= 0) || ok && got != f.Entries()[i] {
			t.Fatalf("%s of %s: %+v, %v; it is entry %d", id, file, got, ok, i)
		}
	})
}
