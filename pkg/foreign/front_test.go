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
	{"twice", "title: x\ntitle: y", "title=x", "a.md:3:1: front matter: title stands twice: the first counts, left out is \"y\""},
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

// Every member of front matter is a member of the memory, or among its metadata, or reported.
func TestFrontMembers(t *testing.T) {
	for _, tt := range []struct{ name, yaml, fields, told string }{
		{"members that a memory has", "priority: Critical\nprotected: yes\npinned: true\nimportance: 0.9\nconfidence: 1\nttl: 30d\nmodel: never\naliases: [Loading bay, 12]\nreferences:\n  - r9\n  - {type: doc, id: x}",
			`priority="critical" protected=true pinned=true importance=0.9 confidence=1 ttl="30d" model="never" aliases=["Loading bay","12"] references=["r9",{"type":"doc","id":"x"}]`, ""},
		{"an end", "expires: 2026-12-31", `ttl="2026-12-31"`, ""},
		{"an end with a time", "valid_until: 2026-12-31 08:00", `ttl="2026-12-31T08:00:00Z"`, ""},
		{"two ends", "ttl: 30d\nexpires: 2026-12-31", `ttl="30d" metadata={"expires":"2026-12-31"}`, `expires "2026-12-31" stands beside another ttl: kept in metadata`},
		{"others", "owner: Annika\nstatus: deprecated\nn: 7\nbig: 12345678901234567890\nv: 1.10\nhex: 0x1F\nok: true\nnone: ~\nwhen: 2026-01-02\nlist: [a, [b, 1]]\nmap: {a: {b: c}}\nlong: |\n  one\n  two",
			`metadata={"owner":"Annika","status":"deprecated","n":7,"big":12345678901234567890,"v":1.10,"hex":"0x1F","ok":true,"none":null,"when":"2026-01-02","list":["a",["b",1]],"map":{"a":{"b":"c"}},"long":"one\ntwo"}`, ""},
		{"metadata", "metadata:\n  source: chat\n  expires: 2026-12-31\n  tags: [t]", `ttl="2026-12-31" metadata={"source":"chat"}`, ""},
		{"the same within", "owner: a\nmetadata:\n  owner: b", `metadata={"owner":"a"}`, `owner stands in the front matter and in its metadata: left out is "b"`},
		{"not what a memory may have", "priority: banana\nprotected: maybe\nimportance: 7\nexpires: soon", `metadata={"priority":"banana","protected":"maybe","importance":7,"expires":"soon"}`,
			"priority \"banana\" is not critical, high, medium or low: kept in metadata|protected \"maybe\" is not true or false: kept in metadata|importance 7 is not a number from 0 to 1: kept in metadata|expires \"soon\" is not a date: kept in metadata"},
		{"the model that wrote it", "model: gpt-5", `metadata={"model":"gpt-5"}`, ""},
		{"two titles", "title: x\nname: y\nsummary: s\ndescription: d", `metadata={"name":"y","description":"d"}`, ""},
		{"a link to a note", "supersedes: [[Old]]", `references=[{"id":"Old","relationship":"supersedes"}]`, `supersedes "Old", which no record here has as its name: kept as a name`},
		{"plain text", "owner: Fix: the queue", `metadata={"owner":"Fix: the queue"}`, "front matter: not valid YAML: mapping value is not allowed in this context; read as plain text"},
		{"anchors", "a: &x text\nb: *x", `metadata={"a":"text","b":"text"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			records, misfits := Read(Markdown, "s", "", []File{{"a.md", []byte("---\n" + tt.yaml + "\n---\nbody")}})
			var fields, told []string
			if p := records[0].Priority; p != "" {
				fields = append(fields, `priority="`+p+`"`)
			}
			for _, f := range records[0].Fields {
				fields = append(fields, f.Key+"="+string(f.Value))
			}
			for _, m := range misfits {
				told = append(told, m.What)
			}
			if got := strings.Join(fields, " "); got != tt.fields {
				t.Errorf("fields %s\nwant %s", got, tt.fields)
			}
			if got := strings.Join(told, "|"); got != tt.told {
				t.Errorf("told %s\nwant %s", got, tt.told)
			}
		})
	}
}

// Members of JSON that a memory has are members, and no words of its content; nor are those of a record of a workspace without an id.
func TestJSONMembers(t *testing.T) {
	for _, tt := range []struct{ line, fields, content, told string }{
		{`{"text":"a","priority":"HIGH","protected":true,"expires":"2026-12-31","owner":"Annika"}`, `priority="high" protected=true ttl="2026-12-31"`, `{"text":"a","owner":"Annika"}`, ""},
		{`{"text":"a","priority":3,"ttl":"soon","confidence":2}`, "", `{"text":"a","priority":3,"ttl":"soon","confidence":2}`,
			`priority 3 is not critical, high, medium or low: kept in the content|ttl "soon" is not a duration, a date or permanent: kept in the content|confidence 2 is not a number from 0 to 1: kept in the content`},
		{`{"type":"procedural","created_by":"ann","content":{"title":"Labels"}}`, "", `{"title":"Labels"}`, ""},
	} {
		records, misfits := Read(Lines, "s", "", []File{{"a.jsonl", []byte(tt.line)}})
		var fields, told []string
		if p := records[0].Priority; p != "" {
			fields = append(fields, `priority="`+p+`"`)
		}
		for _, f := range records[0].Fields {
			fields = append(fields, f.Key+"="+string(f.Value))
		}
		for _, m := range misfits {
			told = append(told, m.What)
		}
		if got := strings.Join(fields, " "); got != tt.fields {
			t.Errorf("%s\nfields %s\nwant %s", tt.line, got, tt.fields)
		}
		if got := string(records[0].Content); got != tt.content {
			t.Errorf("%s\ncontent %s\nwant %s", tt.line, got, tt.content)
		}
		if got := strings.Join(told, "|"); got != tt.told {
			t.Errorf("%s\ntold %s\nwant %s", tt.line, got, tt.told)
		}
	}
}
