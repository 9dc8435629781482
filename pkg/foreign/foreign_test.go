package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// tester is a test, or a property.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// stored is a record as a workspace would hold it.
func stored(t tester, r *Record) *memory.Memory {
	t.Helper()
	raw := r.Own
	if raw == nil {
		all := map[string]any{
			"id": r.ID, "type": r.Type, "subtype": r.Subtype, "tags": r.Tags, "content": json.RawMessage(r.Content), Key: r.Source,
			"scope": "global", "created_by": "USER", "priority": or(r.Priority, "medium"),
		}
		for _, f := range r.Fields {
			all[f.Key] = f.Value
		}
		raw = encode(all)
	}
	ms, err := memory.ParseRecords("global/x.json", jsonedit.Indent(raw, "", "  "))
	if err != nil || len(ms) != 1 {
		t.Fatalf("%d memories, %v of %s", len(ms), err, raw)
	}
	return ms[0]
}

func storedAll(t tester, records []Record) (out []*memory.Memory) {
	for i := range records {
		out = append(out, stored(t, &records[i]))
	}
	slices.Reverse(out) // the order of a workspace is another
	return out
}

// roundTrips reads files, writes them back, and compares.
func roundTrips(t tester, root string, files []File) []Record {
	t.Helper()
	records, misfits := Read("", "s", root, files)
	for _, m := range misfits {
		if m.LeftOut {
			t.Fatalf("left out: %v", misfits)
		}
	}
	format := records[0].Source.Format.Base()
	back, lost := Write(format, storedAll(t, records))
	if len(lost) > 0 {
		t.Fatalf("lost: %v", lost)
	}
	if len(back) != len(files) {
		t.Fatalf("%d files of %d", len(back), len(files))
	}
	for _, f := range files {
		at := slices.IndexFunc(back, func(b File) bool { return b.Name == f.Name })
		if at < 0 || !bytes.Equal(back[at].Text, f.Text) {
			t.Fatalf("%s was\n%q, and is\n%q", f.Name, f.Text, back)
		}
	}
	again, _ := Read("", "s", root, files)
	for i := range again {
		if again[i].ID != records[i].ID || again[i].Source != records[i].Source {
			t.Fatalf("read again, %+v is %+v", records[i], again[i])
		}
	}
	return records
}

var given = []struct {
	name, root string
	files      []File
	format     Format
	records    int
}{
	{"graph", "", []File{{"memory.jsonl", []byte(`{"type":"entity","name":"A <b>","entityType":"person","observations":["x\ny"," "]}` + "\n" + `{"type":"relation","from":"A <b>","to":"B","relationType":"knows"}`)}}, Graph, 2},
	{"graph of another hand", "", []File{{"memory.json", []byte("\n" + `{ "name": "A", "type":"entity", "entityType":"p", "observations" : ["\u0041"], "version": 1.0 }` + "\r\n\r\n" + `{"type":"relation","to":"B","from":"A","relationType":"knows"}` + "\r\n\n")}}, Graph, 2},
	{"lines", "", []File{{"notes.jsonl", []byte("\ufeff" + `{"id":"7","text":"a b","tags":["x"],"created_at":"2026-01-02","n":1e400}` + "\n" + `"only text"` + "\n\n" + `{"text":"no final newline"}`)}}, Lines, 3},
	{"array", "", []File{{"notes.json", []byte("\ufeff[ {\"text\":\"a\"} ,\r\n\t\"b, c\" , {\"text\":\"a\",\"date\":\"2026-01-01\"} ]\r\n\r\n")}}, Document, 3},
	{"object of lists", "", []File{{"notes.json", []byte(`{"version":"a","a":[{"text":"x"},{"text":"y"}],"n":[1,2],"a2":{"deep":[{"k":1}]},"b":[{"text":"x"}],"end":[]}`)}}, Document, 3},
	{"one object", "", []File{{"one.json", []byte("\n{\n  \"text\": \"x\",\n  \"list\": [1, 2]\n}\n")}}, Document, 1},
	{"markdown", "", []File{
		{"a.md", []byte("---\r\ntitle: \"A \\\"b\\\"\"\r\ntags: [x, 'y z']\r\nunknown: {a: [1]}\r\nmodified: 2026-01-02T03:04:05Z\r\n---\r\n\r\n# Head\r\n\r\ntext\r\n\r\n")},
		{"b.md", []byte("no front matter, no final newline")},
		{"c/d.md", []byte("---\nnot closed\n\ntext\n")},
		{"e.md", []byte("---\ndescription: only front matter\n---\n")},
		{"f.md", []byte("\ufeff---\ntags:\n  - a\n  - b\n---\n\n    code first\n  \n")},
	}, Markdown, 5},
	{"claude", "memory", []File{
		{"MEMORY.md", []byte("# Memory\n\n- [Deploy](deploy.md) — how to\n")},
		{"deploy.md", []byte("---\nname: deploy\ndescription: how to\nmetadata:\n  type: feedback\n---\n\nRun it.\n")},
	}, Claude, 2},
	{"memory tool", "memories", []File{{"a.txt", []byte("---\nx\n")}, {"sub/b.xml", []byte(" <a>\n  <b/>\n</a>")}, {"c.json", []byte("{\"a\": 1}\n")}}, Tool, 3},
}

func TestRoundTrips(t *testing.T) {
	for _, tt := range given {
		t.Run(tt.name, func(t *testing.T) {
			records := roundTrips(t, tt.root, tt.files)
			if len(records) != tt.records {
				t.Errorf("%d records, want %d", len(records), tt.records)
			}
			ids := map[string]bool{}
			for _, r := range records {
				if r.Source.Format != tt.format {
					t.Errorf("%s was read as %s", r.Place(), r.Source.Format)
				}
				if ids[r.ID] {
					t.Errorf("id %s stands twice", r.ID)
				}
				ids[r.ID] = true
			}
		})
	}
}

func TestWhatIsRead(t *testing.T) {
	records, _ := Read("", "s", "", given[6].files)
	a := records[0]
	if !slices.Equal(a.Tags, []string{"x", "y z"}) || a.UpdatedAt.Year() != 2026 || !strings.Contains(string(a.Content), `"title":"A \"b\""`) {
		t.Errorf("front matter is read as %+v, content %s", a, a.Content)
	}
	if f := records[4]; !slices.Equal(f.Tags, []string{"a", "b"}) || string(f.Content) != `{"details":"    code first"}` {
		t.Errorf("tags %q, content %s", f.Tags, f.Content)
	}
	records, _ = Read("", "s", "memory", given[7].files)
	if r := records[1]; r.Type != memory.Procedural || r.Subtype != "feedback" {
		t.Errorf("feedback is read as %s, %s", r.Type, r.Subtype)
	}
	records, _ = Read("", "s", "", given[2].files)
	if r := records[0]; string(r.Content) != `{"text":"a b","n":1e400}` || r.CreatedAt.IsZero() || !slices.Equal(r.Tags, []string{"x"}) {
		t.Errorf("a line is read as %+v, content %s", r, r.Content)
	}
}

func TestLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name, text, place, what string
		format                  Format
	}{
		{"a.jsonl", "{\"text\":\"x\"}\nbroken\n", "a.jsonl:2:1", "not valid JSON: unknown word broken; a string needs double quotes", ""},
		{"a.jsonl", "[1]", "a.jsonl:1", "neither an object nor a text", ""},
		{"a.jsonl", `{"a":"x","a":"y"}`, "a.jsonl:1", "the key a stands twice", ""},
		{"a.jsonl", `{"type":"entity","name":"x"}`, "a.jsonl:1", "neither an entity nor a relation", Graph},
		{"a.json", `[{"text":"x"},7]`, "a.json#2", "neither an object nor a text", ""},
		{"a.json", `{"text"`, "a.json:1:8", "not valid JSON: document is cut off: it ends inside an object", ""},
		{"a.md", " \n\n", "a.md", "says nothing", ""},
		{"a.md", "\xff", "a.md", "not UTF-8", ""},
		{"a.bin", "x", "a.bin", "no format that is known", ""},
	} {
		_, misfits := Read(tt.format, "s", "", []File{{tt.name, []byte(tt.text)}})
		if len(misfits) != 1 || misfits[0] != (Misfit{tt.place, tt.what, true}) {
			t.Errorf("%s %q: %v", tt.name, tt.text, misfits)
		}
	}
}

// edit sets a member of what a memory says.
func edit(t *testing.T, m *memory.Memory, value string, path ...string) *memory.Memory {
	t.Helper()
	raw, err := memory.SetField(m.Raw(), []byte(value), path...)
	if err != nil {
		t.Fatal(err)
	}
	ms, err := memory.ParseRecords("global/x.json", raw)
	if err != nil {
		t.Fatal(err)
	}
	return ms[0]
}

func TestEditsChangeWhatTheyMust(t *testing.T) {
	for _, tt := range []struct {
		name, file, text, value string
		path                    []string
		want                    string
	}{
		{"observation", "m.jsonl", `{"type":"entity","name":"A","entityType":"p","observations":[]}` + "\n" + `{"type":"relation","from":"A","to":"B","relationType":"r"}`, `["new"]`, []string{"content", "observations"},
			`{"type":"entity","name":"A","entityType":"p","observations":["new"]}` + "\n" + `{"type":"relation","from":"A","to":"B","relationType":"r"}`},
		{"spaced line", "m.jsonl", `{ "id": "1" ,"text": "old", "n": 1.50 }` + "\r\n", `"new"`, []string{"content", "text"}, `{ "id": "1" ,"text": "new", "n": 1.50 }` + "\r\n"},
		{"tags", "m.jsonl", `{"text":"x","tags":["a"]}` + "\n", `["a","b"]`, []string{"tags"}, `{"text":"x","tags":["a","b"]}` + "\n"},
		{"element", "m.json", "{\"v\": 1,\n\"list\": [ {\"text\": \"x\"}, {\"text\":\"y\"} ]}", `"z"`, []string{"content", "text"}, "{\"v\": 1,\n\"list\": [ {\"text\": \"z\"}, {\"text\":\"y\"} ]}"},
		{"body", "m.md", "---\r\nkey: [1\r\n---\r\n\r\nold\r\n", `"new"`, []string{"content", "details"}, "---\r\nkey: [1\r\n---\r\n\r\nnew\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := []File{{tt.file, []byte(tt.text)}}
			records, _ := Read("", "s", "", files)
			var all []*memory.Memory
			for i := range records {
				m := stored(t, &records[i])
				if i == 0 {
					m = edit(t, m, tt.value, tt.path...)
				}
				all = append(all, m)
			}
			back, lost := Write(records[0].Source.Format, all)
			if len(lost) > 0 || len(back) != 1 || string(back[0].Text) != tt.want {
				t.Errorf("wrote %q, lost %v", back, lost)
			}
		})
	}
	records, _ := Read("", "s", "", []File{{"m.md", []byte("---\ntitle: old\n---\nx")}})
	_, lost := Write(Markdown, []*memory.Memory{edit(t, stored(t, &records[0]), `"new"`, "content", "title")})
	if len(lost) != 1 || !strings.Contains(lost[0].What, "title") {
		t.Errorf("an edited title is told as %v", lost)
	}
}

func TestMissingAndNewRecords(t *testing.T) {
	native := stored(t, &Record{ID: "n", Own: []byte(`{"id":"n","type":"factual","scope":"global","created_by":"USER","priority":"high","content":"New here."}`)})
	read := func(name, text string) []*memory.Memory {
		records, _ := Read("", "s", "", []File{{name, []byte(text)}})
		all := storedAll(t, records)
		slices.Reverse(all)
		return all
	}
	compact := string(jsonedit.Compact(native.Raw()))
	array := read("a.json", "{\"v\": 1, \"list\": [\n\t{\"text\": \"a\"},\n\t{\"text\": \"b\"},\n\t{\"text\": \"c\"}\n]}")
	lists := read("a.json", `{"a": [{"text":"a"}], "b": [{"text":"b"}]}`)
	lines := read("a.jsonl", "{\"text\":\"a\"}\n\n{\"text\":\"b\"}")
	for _, tt := range []struct {
		name   string
		format Format
		all    []*memory.Memory
		want   string
		told   int
	}{
		{"one between is gone", Document, []*memory.Memory{array[0], array[2]}, "{\"v\": 1, \"list\": [\n\t{\"text\": \"a\"},\n\t{\"text\": \"c\"}\n]}", 1},
		{"one is new", Document, append(slices.Clone(array), native), "{\"v\": 1, \"list\": [\n\t{\"text\": \"a\"},\n\t{\"text\": \"b\"},\n\t{\"text\": \"c\"},\n\t" + compact + "\n]}", 0},
		{"the first is gone", Document, array[1:], "[\n  {\"text\": \"b\"},\n  {\"text\": \"c\"}\n]\n", 2},
		{"a list is gone", Document, lists[:1], "[\n  {\"text\":\"a\"}\n]\n", 2},
		{"a line is gone", Lines, lines[1:], "\n{\"text\":\"b\"}", 1},
		{"a line is new", Lines, append(slices.Clone(lines), native), "{\"text\":\"a\"}\n\n{\"text\":\"b\"}\n" + compact + "\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			back, told := Write(tt.format, tt.all)
			if len(back) != 1 || string(back[0].Text) != tt.want || len(told) != tt.told {
				t.Errorf("wrote %q, told %v; want %q", back, told, tt.want)
			}
		})
	}
	files, told := Write(Claude, []*memory.Memory{native})
	if len(files) != 2 || string(files[0].Text) != "- [n](n.md) — New here.\n" || len(told) != 1 || told[0].What != "priority" {
		t.Errorf("wrote %q, told %v", files, told)
	}
	read = func(name, text string) []*memory.Memory {
		records, _ := Read("", "s", "", []File{{name, []byte(text)}})
		return storedAll(t, records)
	}
	note := read("a.md", "---\ntitle: a\nunknown: 1\n---\nlong text")[0]
	if _, told := Write(Claude, []*memory.Memory{note}); len(told) != 1 || told[0].What != "metadata, the rest of its front matter" {
		t.Errorf("told %v", told)
	}
	note = edit(t, edit(t, note, `"short"`, "content", "details"), `["summarized"]`, "tags")
	if _, told := Write(Markdown, []*memory.Memory{note}); len(told) != 2 || !strings.HasPrefix(told[1].What, "summarised since") {
		t.Errorf("told %v", told)
	}
	files, _ = Write(Graph, []*memory.Memory{native})
	if want := `{"type":"entity","name":"n","entityType":"factual","observations":["New here."]}`; string(files[0].Text) != want {
		t.Errorf("wrote %s", files[0].Text)
	}
	files, told = Write(Lines, []*memory.Memory{native})
	if string(files[0].Text) != compact+"\n" || len(told) > 0 {
		t.Errorf("wrote %s, told %v", files[0].Text, told)
	}
	if records := roundTrips(t, "", files); records[0].ID != "n" {
		t.Errorf("our own record comes back as %s", records[0].ID)
	}
}

// TestNamesStayLocal: what a record says of its file is anybody's word.
func TestNamesStayLocal(t *testing.T) {
	for _, name := range []string{"../x", "/etc/x", "a/../../x", `a\..\x`, "..", ".", "", "a//b", "x\x00"} {
		m := stored(t, &Record{ID: "n", Type: "factual", Content: []byte(`"x y"`), Source: Source{Format: Tool, File: name, Of: 1}})
		files, _ := Write(Tool, []*memory.Memory{m})
		if len(files) != 1 || files[0].Name != "n.md" {
			t.Errorf("%q is written to %v", name, files)
		}
	}
}

// TestGraphsRoundTrip: random graphs as the reference server writes them, by JSON.stringify.
func TestGraphsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-zA-Z<>& é漢"\\]{1,8}`)
		names := rapid.SliceOfNDistinct(name, 1, 8, rapid.ID[string]).Draw(t, "names")
		var lines []string
		add := func(v any) { lines = append(lines, string(encode(v))) }
		for _, n := range names {
			add(struct {
				Type         string   `json:"type"`
				Name         string   `json:"name"`
				EntityType   string   `json:"entityType"`
				Observations []string `json:"observations"`
			}{"entity", n, name.Draw(t, "type"), rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "observations")})
		}
		for range rapid.IntRange(0, 8).Draw(t, "relations") {
			add(struct {
				Type         string `json:"type"`
				From         string `json:"from"`
				To           string `json:"to"`
				RelationType string `json:"relationType"`
			}{"relation", rapid.SampledFrom(names).Draw(t, "from"), rapid.SampledFrom(names).Draw(t, "to"), name.Draw(t, "relation")})
		}
		files := []File{{"memory.jsonl", []byte(strings.Join(lines, "\n"))}}
		if lines[0] == "null" {
			t.Fatal("not encoded")
		}
		for _, r := range roundTrips(t, "", files) {
			if r.Source.Raw != "" {
				t.Fatalf("what the server writes is kept twice: %q", r.Source.Raw)
			}
		}
	})
}

// TestTextsRoundTrip: Markdown of any line ends, with front matter or what only looks like it.
func TestTextsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"---", "--- ", "title: a", "tags: [a, \"b\"]", "tags:", "- a", "  - b", "key: |", "x: 'it''s'", "", " ", "\t", "# Head", "text", "  indented", "\ufeff", ":", "[]: ["}), 0, 12).Draw(t, "lines")
		ends := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "ends")
		text := rapid.SampledFrom([]string{"", "---" + ends, "\ufeff---" + ends}).Draw(t, "start") + strings.Join(lines, ends) + "word" +
			rapid.SampledFrom([]string{"", ends, ends + ends}).Draw(t, "final")
		roundTrips(t, "", []File{{"a.md", []byte(text)}})
	})
}

func FuzzRead(f *testing.F) {
	for _, tt := range given {
		for _, file := range tt.files {
			f.Add(file.Name, file.Text, uint8(0))
		}
	}
	f.Add("a.json", []byte(`{"a":[{"a":[]}],"b":[{},{"b":"]"}]}`), uint8(3))
	for _, tt := range programs {
		f.Add(tt.file, []byte(tt.text), uint8(0))
	}
	for _, text := range fronts {
		f.Add("a.md", []byte("---\n"+text.yaml+"\n---\ntext"), uint8(0))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte, as uint8) {
		format := append([]Format{""}, Formats()...)[int(as)%(len(Formats())+1)]
		files := []File{{name, text}}
		if format == "" {
			if format = storeOf("", files).detect(files[0]); format == "" {
				return
			}
		}
		records, misfits := Read(format, "s", "", files)
		var all []*memory.Memory
		for i := range records {
			if records[i].Own != nil {
				return // comes back in a form of its own
			}
			all = append(all, stored(t, &records[i]))
		}
		back, told := Write(format.Base(), all)
		for _, b := range back {
			if !local(b.Name) {
				t.Fatalf("writes to %q", b.Name)
			}
		}
		if !slices.ContainsFunc(misfits, func(m Misfit) bool { return m.LeftOut }) && len(records) > 0 && local(name) && (len(back) != 1 || !bytes.Equal(back[0].Text, text)) {
			t.Fatalf("was\n%q, and is\n%q, told %v", text, back, told)
		}
		for _, other := range Written() {
			Write(other, all)
		}
	})
}

// FuzzWrite: a record may contain any bytes.
func FuzzWrite(f *testing.F) {
	f.Add([]byte(`{"format":"json","file":"a","index":0,"of":1,"raw":"{\"a\":","before":"[","digest":"x"}`), []byte(`{"a":1}`))
	f.Add([]byte(`{"format":"mcp","file":"a","raw":"{\"type\":\"entity\"}"}`), []byte(`"text"`))
	f.Add([]byte(`{"format":"claude","file":"MEMORY.md","before":"---\ntags: [\n---"}`), []byte(`{"details":7,"x":[]}`))
	f.Fuzz(func(t *testing.T, source, content []byte) {
		if !json.Valid(source) || !json.Valid(content) {
			return
		}
		raw := fmt.Appendf(nil, `{"id":"a","type":"factual","content":%s,%q:%s}`, content, Key, source)
		ms, err := memory.ParseRecords("global/x.json", raw)
		if err != nil || len(ms) != 1 {
			return
		}
		for _, format := range Written() {
			files, _ := Write(format, ms)
			for _, file := range files {
				if !local(file.Name) {
					t.Fatalf("%s is written to %q", format, file.Name)
				}
				if format == Document && !json.Valid(bytes.TrimPrefix(file.Text, []byte("\ufeff"))) {
					t.Fatalf("wrote %q", file.Text)
				}
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"type":"entity","name":"n%d","entityType":"person","observations":["likes tea","works at Foo %d"]}`+"\n", i, i)
	}
	for b.Loop() {
		if r, _ := Read("", "s", "", []File{{"memory.jsonl", text.Bytes()}}); len(r) != 10_000 {
			b.Fatal(len(r))
		}
	}
}
