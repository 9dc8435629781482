package foreign

import (
	"slices"
	"strings"
	"testing"
)

// fronts are forms of front matter, and what is read of each: "key=value|value", in the order of want.
var fronts = []struct {
	name, yaml string
	want       string
	told       string
}{
	{"plain", "title: A note\ntags: [x, 'y z']", "title=A note tags=x|y z", ""},
	{"quoted", `title: "A \"b\" \u00e9"` + "\nsummary: 'it''s'", `title=A "b" é summary=it's`, ""},
	{"folded", "summary: >\n  two lines\n  of text\n\n  and one more\ntitle: x", "summary=two lines of text\nand one more title=x", ""},
	{"folded, stripped", "summary: >-\n  two lines\n  of text\ntitle: x", "summary=two lines of text title=x", ""},
	{"literal", "summary: |\n  line one\n    deeper\ntitle: x", "summary=line one\n  deeper title=x", ""},
	{"many lines", "summary: words that go on\n  in the next line\ntitle: x", "summary=words that go on in the next line title=x", ""},
	{"a list in lines", "tags:\n  - a\n  - \"b c\"\nx: y", "tags=a|b c x=y", ""},
	{"a list not indented", "tags:\n- a\n- b", "tags=a|b", ""},
	{"values as they are written", "version: 1.10\ncreated: 2026-01-02\nok: yes\nn: 007", "version=1.10 created=2026-01-02 ok=yes n=007", ""},
	{"within", "metadata:\n  type: feedback\n  tags: [a]\ntype: note", "type=note tags=a", ""},
	{"anchors", "a: &x text\nb: *x", "a=text b=text", ""},
	{"comments", "# a comment\ntitle: x # and another\nurl: http://h/#part", "title=x url=http://h/#part", ""},
	{"nothing", "title:\nsummary: ~\ntags: []", "", ""},
	{"line ends", "title: x\r\ntags:\r\n  - a\r", "title=x tags=a", ""},
	{"a colon too many", "title: Fix: the queue\ntags: [a]", "title=Fix: the queue tags=a", "a.md:2:8: front matter: not valid YAML: mapping value is not allowed in this context; read as plain text"},
	{"not closed", "title: x\n\nlist: [1,\n  2\nb: y", "title=x b=y", "a.md:4:7: front matter: not valid YAML: sequence end token ']' not found; list is not read"},
	{"twice", "title: x\ntitle: y", "title=x", ""},
}

func TestFrontMatter(t *testing.T) {
	for _, tt := range fronts {
		t.Run(tt.name, func(t *testing.T) {
			text := "---\n" + tt.yaml + "\n---\nbody"
			front := readFront(text)
			if text[front.length:] != "body" {
				t.Fatalf("behind it stands %q", text[front.length:])
			}
			for rest := tt.want; rest != ""; {
				key, value, _ := strings.Cut(rest, "=")
				end := len(value)
				for other := range front.values {
					if i := strings.Index(value, " "+other+"="); i >= 0 && i < end {
						end = i
					}
				}
				if got := strings.Join(front.values[key], "|"); got != value[:end] {
					t.Errorf("%s is %q, want %q", key, got, value[:end])
				}
				rest = strings.TrimSpace(value[end:])
			}
			if tt.want == "" && len(front.values) > 0 {
				t.Errorf("read %v", front.values)
			}
			var told []string
			for _, m := range front.told("a.md") {
				told = append(told, m.Place+": "+m.What)
			}
			if got := strings.Join(told, "\n"); got != tt.told {
				t.Errorf("told %q, want %q", got, tt.told)
			}
		})
	}
}

// A rule at the start of a text begins front matter only if there is an end, and a name between.
func TestNoFrontMatter(t *testing.T) {
	for _, text := range []string{"---\nA rule, and text.\n\n---\nMore.", "---\nkey: x\n", "--- \n- a\n---\n", "text", "", "---"} {
		if front := readFront(text); front.length > 0 {
			t.Errorf("%q begins with %q", text, text[:front.length])
		}
	}
	if front := readFront("---\n---\nx"); front.length != len("---\n---\n") {
		t.Errorf("empty front matter has %d bytes", front.length)
	}
}

func TestTags(t *testing.T) {
	for text, want := range map[string][]string{
		"a, b":          {"a", "b"},
		"#a #b":         {"a", "b"},
		"#a, #b c":      {"a", "b c"},
		"one two":       {"one two"},
		`["a","b, c"]`:  {"a", "b, c"},
		" , #":          nil,
		"c#":            {"c#"},
		"#work/exports": {"work/exports"},
	} {
		if got := splitTags(text); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	records, _ := Read("", "s", "", []File{{"a.md", []byte("---\ntags: \"#a #b\"\n---\nAbout #nothing else.\n\nTags: #c, #d\n#a\n# Head\n")}})
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(records[0].Tags, want) {
		t.Errorf("tags %q, want %q", records[0].Tags, want)
	}
}
