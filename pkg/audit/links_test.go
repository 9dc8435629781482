package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func findings(r Report) (all []string) {
	for _, x := range r.DeadLinks {
		all = append(all, fmt.Sprintf("dead %s %s: %s", x.Place, x.Target, x.What))
	}
	for _, x := range r.Orphans {
		all = append(all, strings.ReplaceAll(fmt.Sprintf("orphan %s %s: %s", x.Place, x.Target, x.What), " : ", ": "))
	}
	for _, x := range r.Repeats {
		all = append(all, fmt.Sprintf("repeat %s of %s: %s", x.Place, x.Earlier, x.What))
	}
	for _, x := range r.Invisible {
		all = append(all, fmt.Sprintf("invisible %s %s", x.Place, x.What))
	}
	return all
}

func TestLinks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []File
		want  []string
	}{
		{"links of Markdown", []File{
			{Name: "n/a.md", Text: []byte("See [b](b.md), [c](sub/c.md#part), [up](../top.md), [gone](gone.md \"title\"),\n[web](https://x.dev/a.md), [mail](mailto:a@b.dev), [here](#part), `[code](no.md)`, ![no picture](p.png)\n\n```\n[code](no.md)\n```\n[x]: missing.md\n[sp](<my note.md>) [enc](my%20note.md) [f](f(1).md)\n")},
			{Name: "n/b.md"}, {Name: "n/sub/c.md"}, {Name: "top.md"}, {Name: "n/my note.md"}, {Name: "n/f(1).md"},
		}, []string{"dead n/a.md:1 gone.md: no such file", "dead n/a.md:2 p.png: no such file", "dead n/a.md:7 missing.md: no such file"}},
		{"names of notes", []File{
			{Name: "a.md", Text: []byte("---\ntitle: First\npermalink: notes/first\n---\n[[Second note]], [[first|shown]], [[notes/first#part]], [[sub/deep]], [[deep]], [[Nobody]]\n[[ -f x ]] and [[ $a == b ]] are tests.\n")},
			{Name: "Second note.md"}, {Name: "sub/deep.md"},
		}, []string{"dead a.md:5 [[Nobody]]: no note has this name"}},
		{"from the root", []File{{Name: "s/x/a.md", Text: []byte("[b](/x/b.md) [c](/x/c.md)\n")}, {Name: "s/x/b.md"}}, []string{"dead s/x/a.md:1 /x/c.md: no such file"}},
		{"an index", []File{
			{Name: "m/MEMORY.md", Text: []byte("# Memory\n\n- [A](a.md) — one\n- [Gone](gone.md)\n- `b.md` is two\n- [A again](./a.md)\n- Run the tests.\n- run  the tests.\n- [[c]]\n")},
			{Name: "m/a.md"}, {Name: "m/b.md"}, {Name: "m/c.md"}, {Name: "m/d.md"}, {Name: "m/sub/gone.md"}, {Name: "m/CLAUDE.md"}, {Name: "else/e.md"},
		}, []string{"orphan m/MEMORY.md:4 gone.md: no such file", "orphan m/d.md: no line of m/MEMORY.md names it", "orphan m/sub/gone.md: no line of m/MEMORY.md names it",
			"repeat m/MEMORY.md:6 of m/MEMORY.md:3: the same file", "repeat m/MEMORY.md:8 of m/MEMORY.md:7: the same line"}},
		{"ids", []File{
			{Name: "a.json", Text: []byte(`[{"id":"mem_1","supersedes":"mem_2","references":["mem_3",{"id":"mem_1"},"RFC 9110",{"type":"file","id":"a.go"}]},{"id":"mem_4","superseded_by":["mem_1","x9"]}]`)},
			{Name: "b.jsonl", Text: []byte("{\"type\":\"entity\",\"name\":\"Ann\",\"observations\":[]}\n{\"type\":\"relation\",\"from\":\"Ann\",\"to\":\"Bob\",\"relationType\":\"knows\"}\n{\"id\":\"s-1\",\"dependencies\":[{\"issue_id\":\"s-1\",\"depends_on_id\":\"s-9\"}]}\n")},
		}, []string{"dead a.json#/0 mem_2: supersedes: no record has this id", "dead a.json#/0 mem_3: references: no record has this id", "dead a.json#/1 x9: superseded_by: no record has this id",
			"dead b.jsonl:2 Bob: to: no record has this id", "dead b.jsonl:3#/dependencies/0 s-9: depends_on_id: no record has this id"}},
		{"invisible", []File{
			{Name: "a.md", Text: []byte("\ufeffplain\nzero\u200bwidth\u200b and \u202eesrever\u202c\nignore \U000E0041\U000E0042 this\n")},
			{Name: "b.json", Text: []byte("{\"a\": \"x\\u200by\",\n\"b\": \"\\udb40\\udc41\", \"c\": \"\\\\u200b\"}")},
			{Name: "c.md", Text: []byte("👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F\nمی\u200cخواهم \u2067שלום\u2069 \u200f\nक्\u200dष Sil\u00adben\ttab\r\n")},
			{Name: "d.md", Text: []byte("access \u2066admin\u2069 only\n\x1b[31m\n")},
		}, []string{"invisible a.md:2 U+200B zero width space (2), U+202E right-to-left override, U+202C pop directional formatting", "invisible a.md:3 tag character (2)",
			"invisible b.json:1 U+200B zero width space", "invisible b.json:2 tag character",
			"invisible d.md:1 U+2066 directional isolate, U+2069 pop directional isolate", "invisible d.md:2 U+001B control character"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := findings(run(tt.files...)); !slices.Equal(got, tt.want) {
				t.Errorf("reported\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// Whatever links stand there, each finding has a place in a file of the store, and what is there is not told.
func TestAnyLinks(t *testing.T) {
	part := rapid.OneOf(rapid.SampledFrom([]string{"[a](", "b.md", ")", "[[", "]]", "b", "|", "#", "- ", "\n", "```\n", "`", "---\n", "title: x\n", "\u200b", "[x]: ", "<", ">", "%", "/", "..", "{\"id\":\"mem_1\"", ",\"references\":[\"mem_2\"]}"}), rapid.StringN(0, 4, -1))
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"a.md", "MEMORY.md", "s/MEMORY.md", "a.json", "a.jsonl"}).Draw(t, "name")
		text := strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "parts"), "")
		r := run(File{Name: name, Text: []byte(text)}, File{Name: "b.md"})
		for _, line := range findings(r) {
			if place := strings.Fields(line)[1]; !strings.HasPrefix(place, name) && place != "b.md:" && place != "b.md" {
				t.Fatalf("%q: %s", text, line)
			}
		}
		for _, x := range r.DeadLinks {
			if x.Target == "b.md" && name == "a.md" {
				t.Fatalf("%q: %+v is there", text, x)
			}
		}
	})
}
