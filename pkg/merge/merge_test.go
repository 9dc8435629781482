package merge_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/merge"
	"github.com/memoryd/memoryd/schemas"
)

// both merges twice, the sides changed over, and holds that nothing depends on which is which.
func both(t interface {
	Helper()
	Fatalf(string, ...any)
}, name string, base, ours, theirs []byte) (merge.Result, error) {
	t.Helper()
	got, err := merge.Documents(name, base, ours, theirs)
	turned, failed := merge.Documents(name, base, theirs, ours)
	if !bytes.Equal(got.Doc, turned.Doc) || !maps.EqualFunc(got.Others, turned.Others, bytes.Equal) || (err == nil) != (failed == nil) {
		t.Fatalf("it depends on the side:\n%s, %v\n%s, %v\nbase %s\nours %s\ntheirs %s", got.Doc, err, turned.Doc, failed, base, ours, theirs)
	}
	return got, err
}

func TestCases(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "cases.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string][]byte{}
	for _, f := range archive.Files {
		dir, side := filepath.Split(f.Name)
		if cases[dir] == nil {
			cases[dir] = map[string][]byte{}
		}
		cases[dir][side] = f.Data
	}
	if len(cases) < 15 {
		t.Fatalf("%d cases only", len(cases))
	}
	for name, c := range cases {
		title, doc, _ := strings.Cut(strings.TrimSuffix(name, "/"), "/")
		t.Run(title, func(t *testing.T) {
			got, err := both(t, doc, c["base"], c["ours"], c["theirs"])
			text := string(got.Doc)
			for name, doc := range got.Others {
				text += "beside it " + name + ":\n" + string(doc)
			}
			if cause, refused := strings.CutPrefix(string(c["want"]), "refused: "); refused {
				if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSpace(cause)) {
					t.Fatalf("%s, %v, want %s", text, err, cause)
				}
				return
			}
			if err != nil || text != string(c["want"]) {
				t.Errorf("%v\n%swant\n%s", err, text, c["want"])
			}
		})
	}
}

// draw draws records of one memory, and what becomes of them: few values, so that sides meet.
type draw struct{ t *rapid.T }

func (d draw) of(name string, from ...string) string { return rapid.SampledFrom(from).Draw(d.t, name) }

func (d draw) strings() string {
	return "[" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{`"a"`, `"b"`, `"c d"`, `"é"`}), 0, 4).Draw(d.t, "list"), ", ") + "]"
}

func (d draw) time() string {
	return fmt.Sprintf(`"2026-01-%02dT00:00:00Z"`, rapid.IntRange(1, 6).Draw(d.t, "day"))
}

// members of a record, with how one is drawn.
var members = []struct {
	key  string
	draw func(draw) string
}{
	{"type", func(d draw) string { return d.of("type", `"factual"`, `"semantic"`) }},
	{"created_at", draw.time}, {"updated_at", draw.time}, {"last_accessed", draw.time},
	{"tags", draw.strings}, {"supersedes", draw.strings},
	{"promoted_to", func(d draw) string { return d.of("link", `"a"`, `["a"]`, `["b", "c d"]`, `null`) }},
	{"priority", func(d draw) string { return d.of("priority", `"low"`, `"medium"`, `"normal"`, `"high"`, `"critical"`) }},
	{"confidence", func(d draw) string { return d.of("confidence", "0.1", "0.5", "0.50", "1") }},
	{"access_count", func(d draw) string { return d.of("count", "0", "1", "7", "9223372036854775807") }},
	{"content", func(d draw) string {
		switch d.of("kind", "text", "object", "deep") {
		case "text":
			return d.of("text", `"one"`, `"two"`, `"th\u0072ee"`)
		case "object":
			return fmt.Sprintf(`{"title": %s, "summary": %s}`, d.of("title", `"t"`, `"u"`), d.of("summary", `"s"`, `"r"`))
		}
		return fmt.Sprintf("{\n  \"summary\": %s,\n  \"timeline\": %s,\n  \"details\": {\"x\": %s}\n}", d.of("summary", `"s"`, `"r"`), d.strings(), d.of("x", "1", "2"))
	}},
	{"variants", func(d draw) string {
		return "[" + strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{`{"text": "a", "from": "x"}`, `{"text": "a", "from": "y"}`, `{"path": "/content/port", "value": 1, "from": "x"}`,
			`{"path": "/title", "value": {"a": 1e400}, "from": "x"}`, `{"text": "b", "from": "x", "written": "2026-01-01T00:00:00Z"}`}), 0, 4, rapid.ID).Draw(d.t, "variants"), ", ") + "]"
	}},
	{"mine", func(d draw) string { return d.of("mine", "1e400", "0.10", `{"a/b": 1}`, `{"a/b": 2, "": []}`, "true") }},
}

func (d draw) record(id string) map[string]string {
	r := map[string]string{"id": `"` + id + `"`}
	for _, m := range members {
		if m.key == "content" || rapid.Bool().Draw(d.t, "has "+m.key) {
			r[m.key] = m.draw(d)
		}
	}
	return r
}

// edited is a record with some members changed, added or removed.
func (d draw) edited(r map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range r {
		out[k] = v
	}
	for range rapid.IntRange(0, 4).Draw(d.t, "edits") {
		m := rapid.SampledFrom(members).Draw(d.t, "member")
		if m.key != "content" && rapid.IntRange(0, 4).Draw(d.t, "remove") == 0 {
			delete(out, m.key)
		} else {
			out[m.key] = m.draw(d)
		}
	}
	return out
}

// text lays a record out, in one of several ways.
func (d draw) text(r map[string]string) []byte {
	keys := []string{"id"}
	for _, m := range members {
		if r[m.key] != "" {
			keys = append(keys, m.key)
		}
	}
	if rapid.IntRange(0, 5).Draw(d.t, "turned") == 0 {
		slices.Reverse(keys)
	}
	between, colon, end := ", ", ": ", ""
	if rapid.Bool().Draw(d.t, "lines") {
		between, end = ",\n  ", "\n"
	}
	var parts []string
	for _, k := range keys {
		parts = append(parts, `"`+k+`"`+colon+r[k])
	}
	return []byte("{" + strings.TrimPrefix(between, ",") + strings.Join(parts, between) + end + "}" + end)
}

// holds reports whether a value stands in a record at a path, or as a conflict.
func holds(record []byte, key, value string) bool {
	compact := func(s string) string { return string(jsonedit.Compact([]byte(s))) }
	if v, ok := jsonedit.Get(record, key); ok && compact(v.Raw) == compact(value) {
		return true
	}
	for _, c := range memory.ParseRecord(record, memory.Ref{File: "m.json"}).MergeConflicts() {
		if c.Path == "/"+key && (compact(c.Kept) == compact(value) || compact(c.Other) == compact(value)) {
			return true
		}
	}
	return false
}

// standsIn holds that each value that a side added stands in the record, or in its conflicts: of texts and numbers that is itself,
// of lists each element, of objects each member.
func standsIn(t *rapid.T, record []byte, base, side map[string]string) {
	ruled := []string{"access_count", "created_at", "updated_at", "last_accessed", "priority", "confidence"}
	for key, value := range side {
		if base[key] == value || slices.Contains(ruled, key) || holds(record, key, value) {
			continue
		}
		missing := func(what string) { t.Fatalf("%s of %s is gone: %s", what, key, record) }
		v := gjson.Parse(value)
		switch {
		case v.IsArray() || key == "promoted_to":
			all, _ := jsonedit.Get(record, key)
			for _, e := range append(v.Array(), gjson.Result{})[:len(v.Array())] {
				if e.Type != gjson.Null && !strings.Contains(all.Raw, e.Raw) && !strings.Contains(base[key], e.Raw) {
					missing(e.Raw)
				}
			}
		case v.IsObject():
			v.ForEach(func(_, e gjson.Result) bool {
				for _, word := range words(e) {
					if !strings.Contains(string(record), word) && !strings.Contains(base[key], word) {
						missing(word)
					}
				}
				return true
			})
		default:
			missing(value)
		}
	}
}

// words are the scalars of a value.
func words(v gjson.Result) (all []string) {
	if !v.IsArray() && !v.IsObject() {
		return []string{v.Raw}
	}
	v.ForEach(func(_, e gjson.Result) bool {
		all = append(all, words(e)...)
		return true
	})
	return all
}

// check holds a property on a thousand draws, and in the full harness on so many that the tests together make a million.
func check(t *testing.T, property func(*rapid.T)) {
	rounds := 10 // of a hundred each
	if os.Getenv("MEMORYD_HARNESS") == "full" && !testing.Short() {
		rounds = 3400
	}
	for range rounds {
		rapid.Check(t, property)
		if t.Failed() {
			return
		}
	}
}

// TestRecords: a merge of two edits of a record doesn't depend on the side, gives back the only side that changed, passes the
// gate, and loses nothing that a side added.
func TestRecords(t *testing.T) {
	check(t, func(t *rapid.T) {
		d := draw{t}
		base := d.record("m")
		x, y := d.edited(base), d.edited(base)
		b, ours, theirs := d.text(base), d.text(x), d.text(y)
		if rapid.IntRange(0, 9).Draw(t, "no base") == 0 {
			base, b = nil, nil
		}
		got, err := both(t, "agents/a/m.json", b, ours, theirs)
		if err != nil {
			t.Fatal(err)
		}
		for _, same := range [][2][]byte{{ours, ours}, {ours, b}, {b, ours}} {
			if again, err := merge.Documents("m.json", b, same[0], same[1]); err != nil || b != nil && !bytes.Equal(again.Doc, ours) {
				t.Fatalf("%s, %v, want %s", again.Doc, err, ours)
			}
		}
		for _, f := range schemas.ValidateMemory(got.Doc) {
			if f.Severity == schemas.Error {
				t.Fatalf("%+v: %s", f, got.Doc)
			}
		}
		standsIn(t, got.Doc, base, x)
		standsIn(t, got.Doc, base, y)
		// Who merges the result again with what it was made from gets it back.
		if again, err := merge.Documents("m.json", ours, ours, got.Doc); err != nil || !bytes.Equal(again.Doc, got.Doc) {
			t.Fatalf("%s, %v, want %s", again.Doc, err, got.Doc)
		}
	})
}

// TestCollections: likewise of several records in one file; a record is there when either side has it that the other hasn't
// removed, or has changed it.
func TestCollections(t *testing.T) {
	check(t, func(t *rapid.T) {
		d := draw{t}
		base, x, y := map[string]map[string]string{}, map[string]map[string]string{}, map[string]map[string]string{}
		for _, id := range []string{"a", "b", "c"} {
			if rapid.Bool().Draw(t, "in base") {
				base[id] = d.record(id)
			}
			for _, side := range []map[string]map[string]string{x, y} {
				switch was := base[id]; {
				case was != nil && rapid.IntRange(0, 3).Draw(t, "removed") > 0:
					side[id] = d.edited(was)
				case was == nil && rapid.Bool().Draw(t, "added"):
					side[id] = d.record(id)
				}
			}
		}
		doc := func(side map[string]map[string]string) []byte {
			var parts []string
			for _, id := range []string{"b", "a", "c"} {
				if side[id] != nil {
					parts = append(parts, string(bytes.TrimSpace(d.text(side[id]))))
				}
			}
			return []byte("{\n  \"entries\": [" + strings.Join(parts, ", ") + "]\n}\n")
		}
		b, ours, theirs := doc(base), doc(x), doc(y)
		got, err := both(t, "agents/a/all.json", b, ours, theirs)
		if err != nil {
			t.Fatal(err)
		}
		found, err := memory.ParseRecords("agents/a/all.json", got.Doc)
		if err != nil {
			t.Fatal(err)
		}
		have := map[string][]byte{}
		for _, m := range found {
			if have[m.ID] != nil {
				t.Fatalf("%s twice: %s", m.ID, got.Doc)
			}
			have[m.ID] = m.Raw()
		}
		for _, side := range []struct{ this, other map[string]map[string]string }{{x, y}, {y, x}} {
			for id, r := range side.this {
				kept := side.other[id] != nil || base[id] == nil || fmt.Sprint(r) != fmt.Sprint(base[id])
				if kept && have[id] == nil {
					t.Fatalf("%s is gone: %s", id, got.Doc)
				}
				if have[id] != nil {
					standsIn(t, have[id], base[id], r)
				}
			}
		}
	})
}

// TestLines: lines of both sides stand as often as either wrote them.
func TestLines(t *testing.T) {
	check(t, func(t *rapid.T) {
		lines := func(name string) []byte {
			return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"{\"id\":1}\n", "{\"id\":2}\n", "{\"id\":3}\n"}), 0, 6).Draw(t, name), ""))
		}
		b, x, y := lines("base"), lines("ours"), lines("theirs")
		got, err := both(t, "ops/access/a.jsonl", b, x, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"{\"id\":1}\n", "{\"id\":2}\n", "{\"id\":3}\n"} {
			n := func(doc []byte) int { return strings.Count(string(doc), line) }
			lo, hi := min(n(b), n(x), n(y)), max(n(b), n(x), n(y))
			if c := n(got.Doc); c < lo || c > hi || n(x) > n(b) && n(y) >= n(b) && c != max(n(x), n(y)) {
				t.Fatalf("%d of %s: base %s ours %s theirs %s", c, line, b, x, y)
			}
		}
	})
}

// FuzzDocuments: whatever the bytes, nothing panics, sides may change over, and a result is JSON where it is to be.
func FuzzDocuments(f *testing.F) {
	names := []string{"agents/a/m.json", "agents/a/_index.json", "global/_edges.json", "ops/review.json", "ops/access.jsonl"}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "cases.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i+2 < len(archive.Files); i++ {
		f.Add(byte(i), archive.Files[i].Data, archive.Files[i+1].Data, archive.Files[i+2].Data)
	}
	f.Fuzz(func(t *testing.T, n byte, base, ours, theirs []byte) {
		name := names[int(n)%len(names)]
		got, err := both(t, name, base, ours, theirs)
		if err == nil && got.Conflicts > 0 && jsonedit.Check(got.Doc) != nil {
			t.Fatalf("no JSON: %q", got.Doc)
		}
	})
}
