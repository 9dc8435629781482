package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/secrets"
)

var now = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func run(files ...File) Report { return Audit(files, config.Default(), secrets.Default(), now, nil) }

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a.md", "# Title\n\nFirst paragraph\nof two lines.\n\n- one item\n  goes on\n- another\n1. third\n\n```sh\nmake\n\nmake test\n```\n\n## More\nText.\n",
			[]string{"a.md:3 First paragraph\nof two lines.", "a.md:6 - one item\n  goes on", "a.md:8 - another", "a.md:9 1. third", "a.md:11 ```sh\nmake\n\nmake test\n```", "a.md:18 Text."}},
		{"a.md", "---\nname: x\n---\nText\r\n", []string{"a.md:4 Text"}},
		{"a.json", `[{"text": "one two"}, "three four", 5]`, []string{"a.json#/0 one two", "a.json#/1 three four", "a.json#/2 "}},
		{"a.json", `{"version": "1.0", "entries": [{"id": "x", "content": {"summary": "one two", "list": ["three four"]}}]}`, []string{"a.json#/entries/0 one two\nthree four"}},
		{"a.json", `{"id": "x", "content": "one two", "tags": [{"a": "b c"}]}`, []string{"a.json one two\nb c"}},
		{"a.json", `{"key": "word"}`, []string{"a.json word"}},
		{"a.jsonl", "{\"type\":\"entity\",\"name\":\"Ann\",\"observations\":[\"likes tea\"]}\n\nnot json\n{\"name\":\"Bob\"}\n", []string{"a.jsonl:1 likes tea", "a.jsonl:4 Bob", "! a.jsonl:3: not valid JSON"}},
		{"a.json", `{`, []string{"! a.json: not valid JSON"}},
		{"a.md", "---\nA rule, and no front matter.\n\nMore of it.\n", []string{"a.md:2 A rule, and no front matter.", "a.md:4 More of it."}},
		{"a.md", "One part.\n\n---\n\nAnother one.\n", []string{"a.md:1 One part.", "a.md:5 Another one."}},
		{"a.md", "", nil},
	} {
		all, err := notes(File{Name: c.name, Text: []byte(c.text)})
		var got []string
		for _, n := range all {
			got = append(got, n.Place+" "+n.Text)
		}
		if err != nil {
			got = append(got, "! "+err.Error())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %q (-want +got)\n%s", c.name, c.text, diff)
		}
	}
}

// A byte order mark hides neither notes nor the front matter.
func TestMark(t *testing.T) {
	r := run(File{Name: "a.json", Text: []byte("\ufeff[{\"text\": \"one two three four\"}]")}, File{Name: "b.md", Text: []byte("\ufeff---\nmodified: 2025-01-01\n---\none two three four\n")})
	if r.Notes != 2 || len(r.Unread) > 0 || len(r.Duplicates) != 1 || len(r.Stale) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestDates(t *testing.T) {
	file := now.AddDate(0, 0, -1)
	for _, c := range []struct {
		name, text string
		want       time.Time
	}{
		{"a.md", "Text of a note.", file},
		{"a.md", "---\ntype: user\ncreated_at: 2024-01-01\nmodified: \"2025-02-03T04:05:06Z\"\n---\nText of a note.", time.Date(2025, 2, 3, 4, 5, 6, 0, time.UTC)},
		{"a.json", `{"content": "x y", "created_at": "2024-01-01T00:00:00Z", "updated_at": "2025-02-03"}`, time.Date(2025, 2, 3, 0, 0, 0, 0, time.UTC)},
		{"a.jsonl", `{"content": "x y", "updated_at": "yesterday"}`, file},
	} {
		all, err := notes(File{Name: c.name, Text: []byte(c.text), Modified: file})
		if err != nil || len(all) != 1 || !all[0].At.Equal(c.want) {
			t.Errorf("%s %q: %+v, %v, want %s", c.name, c.text, all, err, c.want)
		}
	}
}

// Many equal notes are told once each.
func TestManyEqualNotes(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "{\"id\":%d,\"content\":\"the cache is warmed up at six\"}\n", i)
	}
	if r := run(File{Name: "a.jsonl", Text: []byte(b.String())}); r.Notes != 2000 || len(r.Duplicates) != 1999 {
		t.Errorf("%d notes, %d duplicates", r.Notes, len(r.Duplicates))
	}
}

// Whatever the bytes, a report comes, is JSON, and names places of the files only.
func TestAnyBytes(t *testing.T) {
	part := rapid.OneOf(rapid.SampledFrom([]string{"---\n", "# ", "- ", "```\n", "{", "}", "[", "]", `"a":`, `"content"`, "\n", "password: Kestrel77", "updated_at: 2020-01-01\n", "the cache is warmed up at six "}), rapid.StringN(0, 5, -1))
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"a.md", "a.json", "a.jsonl", "MEMORY.md", "noext"}).Draw(t, "name")
		r := run(File{Name: name, Text: []byte(strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "parts"), ""))})
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		for _, p := range append(r.Duplicates, r.Contradictions...) {
			if !strings.HasPrefix(p.Place, name) || !strings.HasPrefix(p.Earlier, name) || p.Place == p.Earlier {
				t.Fatalf("%+v", p)
			}
		}
	})
}
