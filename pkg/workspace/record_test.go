package workspace

import (
	"bytes"
	stdcmp "cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// pieces that records of tests are put together from: what is usual, and what isn't.
var (
	someKeys = []string{"id", "type", "subtype", "created_by", "created_at", "updated_at", "last_accessed", "scope", "scope_id", "tags",
		"priority", "ttl", "title", "content", "confidence", "importance", "access_count", "supersedes", "superseded_by", "promoted_to",
		"promoted_from", "consolidation_consent", "protected", "details", "x", "", `\u0069d`, `t\u0061gs`, `\ud800`, `\udfff`, "é"}
	someValues = []string{`"a"`, `""`, `" "`, `"Team"`, `" GLOBAL "`, `"agent"`, `"caf\u00e9 \"x\""`,
		`"\u0020"`, `"\u3000\n"`, `"\u0085x"`, `"\n\t"`, `"\nx"`, `"\\ "`, `"\u00a0"`, "\"\u00a0\"", "\"\u3000 \"", `"\u0000"`,
		`"\ud800\u0041"`, `"été"`, `null`, `true`, `false`,
		`0`, `-1`, `12`, `3.75`, `1e400`, `-0.0`, `99999999999999999999`, `1234567890123456`, `[]`, `[ ]`, `["a","B c"]`, "[ \"a\" ,\r\n\t\"\" ,\" \"]",
		`["a\\","b"]`, `["x",1,null,"y",["z"],{"w":"v"}]`, `["\u0085","\u00a0 "," "]`, `{}`, `{ }`,
		`"2026-02-17T03:13:10Z"`, `"2026-02-29T03:13:10Z"`, `"2024-02-29T23:59:59+05:30"`, `"2026-02-17 03:13"`, `"2026-02-17"`}
)

func drawValue(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "plain") < 2 {
		return rapid.SampledFrom(someValues).Draw(t, "value")
	}
	return drawObject(t, rapid.IntRange(0, 4).Draw(t, "fields"), depth-1)
}

func drawObject(t *rapid.T, n, depth int) string {
	var fields []string
	for range n {
		space := rapid.SampledFrom([]string{"", " ", "\n  "}).Draw(t, "space")
		fields = append(fields, space+`"`+rapid.SampledFrom(someKeys).Draw(t, "key")+`":`+space+drawValue(t, depth))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// lastOf is the last member of an object with a key, as gjson reads it; keys are compared
// as gjson decodes them.
func lastOf(v gjson.Result, key string) (last gjson.Result) {
	v.ForEach(func(k, v gjson.Result) bool {
		if k.Str == key {
			last = v
		}
		return true
	})
	return last
}

// stringsIn are the strings of a list that say something.
func stringsIn(v gjson.Result) (out []string) {
	for _, e := range v.Array() { // a lone value is an array of one
		if e.Type == gjson.String && strings.TrimSpace(e.Str) != "" {
			out = append(out, e.Str)
		}
	}
	return out
}

// TestRecordsAreRead compares what is read of a record, in one pass, with what asking for
// each field gives.
func TestRecordsAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := drawObject(t, rapid.IntRange(0, 12).Draw(t, "members"), 2)
		if rapid.Bool().Draw(t, "record") {
			raw = `{"id":"m","type":"semantic",` + strings.TrimPrefix(raw, "{")
			raw = strings.Replace(raw, ",}", "}", 1)
		}
		file := rapid.SampledFrom([]string{"m.json", "agents/A/m.json", "teams/m.json", "projects/p/q/m.json"}).Draw(t, "file")
		v := gjson.Parse(raw)
		if m := bothWays(t, file, raw, isRecord(v)); m != nil {
			sees(t, m, v)
		}
	})
}

// bothWays reads a file in both ways, and rows that keep nothing of its bytes must give what
// these do.
func bothWays(t *rapid.T, file, raw string, record bool) *Memory {
	alias, err := readRecords(file, []byte(raw))
	if err != nil || (len(alias) == 1 && alias[0].Whole()) != record {
		t.Fatalf("%s: %d records, %v; want one: %v", raw, len(alias), err, record)
	}
	var told []string
	sc := newScanner(nil, &room{})
	sc.derive = func(to []byte, m *Memory) []byte {
		told = append(told, tells(m))
		return append(to, byte(len(told)))
	}
	data := []byte(raw)
	got := recorded(t, newRecorder(sc), []string{file}, func(int) []byte { return data })
	if len(got) != len(alias) {
		t.Fatalf("%s: %d records, want %d", raw, len(got), len(alias))
	}
	for i, m := range got {
		want := *alias[i]
		if told[i] != tells(&want) {
			t.Fatalf("%s: while it was read it told\n%s, want\n%s", raw, told[i], tells(&want))
		}
		if string(m.derived) != string([]byte{byte(i + 1)}) {
			t.Fatalf("%s: derived %x of memory %d", raw, m.derived, i)
		}
		sameMemory(t, *m, want)
	}
	if !record {
		return nil
	}
	return alias[0]
}

// recorded reads files by way of rows, the bytes of which are gone then, and gives the memories
// of the image.
func recorded(t *rapid.T, by *recorder, files []string, data func(i int) []byte) (ms []*Memory) {
	t.Helper()
	var parts []*part
	for i, file := range files {
		p := &part{batch: batch{dir: strings.TrimSuffix(dirOf(file), "/")}}
		raw := data(i)
		if _, err := by.file(file, raw); err != nil {
			t.Fatal(err)
		}
		copy(raw, bytes.Repeat([]byte{0xff}, len(raw)))
		by.rows.file(fileOf{dir: p.dir, name: path.Base(file), count: by.count(), identity: unsure})
		by.cut(p)
		parts = append(parts, p)
	}
	im := collate(by.rows.tables, parts, nil)
	for i := range im.records.len() {
		m := &Memory{}
		im.memory(i, m, nil)
		ms = append(ms, m)
	}
	return ms
}

func sameMemory(t *rapid.T, got, want Memory) {
	t.Helper()
	got.body, want.body, got.derived = nil, nil, nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Memory{})); diff != "" {
		t.Fatalf("%s", diff)
	}
}

// tells is what a memory says, in all ways.
func tells(m *Memory) string {
	var pieces strings.Builder // first: what is asked for afterwards may be made by then
	m.EachText(func(piece string) { pieces.WriteString(piece) })
	blank := "blank"
	if !m.Blank() {
		blank = "says something"
	}
	return strings.Join([]string{string(m.Raw()), m.Content().Raw, m.Content().Str, m.Title(), m.Text(), m.Field("details").Raw, m.Field("details").Str, blank, pieces.String()}, "|")
}

// sees compares the fields of a memory with its record.
func sees(t *rapid.T, m *Memory, v gjson.Result) {
	same := func(name string, got, want any) {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s: %s", v.Raw, name, diff)
		}
	}
	lower := func(key string) string { return strings.ToLower(strings.TrimSpace(lastOf(v, key).Str)) }
	number := func(key string) *float64 {
		if n := lastOf(v, key); n.Type == gjson.Number {
			return &n.Num
		}
		return nil
	}
	same("id", m.ID, lastOf(v, "id").Str)
	same("words", []string{m.Type, m.Subtype, m.CreatedBy, m.TTL, m.Priority}, []string{lastOf(v, "type").Str, lastOf(v, "subtype").Str, lastOf(v, "created_by").Str, lastOf(v, "ttl").Str, lower("priority")})
	same("times", []time.Time{m.CreatedAt, m.UpdatedAt, m.LastAccessed}, []time.Time{timestamp.Parse(lastOf(v, "created_at").Str), timestamp.Parse(lastOf(v, "updated_at").Str), timestamp.Parse(lastOf(v, "last_accessed").Str)})
	same("tags", m.Tags, stringsIn(lastOf(v, "tags")))
	same("links", *m.Links, Links{stringsIn(lastOf(v, "supersedes")), stringsIn(lastOf(v, "superseded_by")), stringsIn(lastOf(v, "promoted_to")), stringsIn(lastOf(v, "promoted_from"))})
	same("numbers", []*float64{m.Confidence, m.Importance}, []*float64{number("confidence"), number("importance")})
	same("count", m.AccessCount, max(lastOf(v, "access_count").Int(), 0))
	same("marks", []bool{m.Consent, m.Protected}, []bool{lastOf(v, "consolidation_consent").Type == gjson.True, lastOf(v, "protected").Type == gjson.True})
	content := lastOf(v, "content")
	same("content", m.Content(), content)
	same("raw", string(m.Raw()), v.Raw)
	locked := ""
	if dup := jsonedit.DuplicateKeys([]byte(v.Raw)); dup != nil {
		locked = "repeated key " + strings.Join(dup, ", ")
	} else if dup := jsonedit.DuplicateKeys([]byte(content.Raw)); dup != nil {
		locked = "repeated key in content: " + strings.Join(dup, ", ")
	}
	same("locked", m.Locked, locked)
	scope := scopeOf(m.File)
	switch kind := lower("scope"); kind {
	case "global":
		scope = Global
	case "team", "agent", "project", "session":
		id := lastOf(v, "scope_id").Str
		if id == "" && scope.Kind == kind {
			id = scope.ID
		}
		scope = Scope{kind, id}
	}
	same("scope", m.Scope, scope)
}

// TestCollated reads many files, by several recorders, into the same bytes: in the image
// they are in the order of a snapshot, and none has changed another.
func TestCollated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &room{}
		sc := newScanner(nil, r)
		by := []*recorder{newRecorder(sc), newRecorder(sc)}
		buf := make([]byte, 0, 1<<16)
		var want []*Memory
		var parts []*part
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a/b/1.json", "a/1.json", "a/2.json", "a/c.json", "a-b/1.json", "a.json", "b.json",
			"archive/1.json", "archive/a/1.json", "global/x.json", "a/b.json", "z/1.json", "z/2.json", "z/3.json"}), 0, 14, rapid.ID).Draw(t, "files")
		slices.Sort(names)
		dirs := map[string][]string{}
		for _, name := range names {
			dirs[strings.TrimSuffix(dirOf(name), "/")] = append(dirs[strings.TrimSuffix(dirOf(name), "/")], name)
		}
		for _, dir := range rapid.Permutation(slices.Sorted(maps.Keys(dirs))).Draw(t, "order") {
			p, by := &part{batch: batch{dir: dir}}, by[rapid.IntRange(0, 1).Draw(t, "by")]
			for _, name := range dirs[dir] {
				raw := `{"id":"` + rapid.StringMatching(`[a-z]{1,90}`).Draw(t, "id") + `","type":"t",` + strings.TrimPrefix(drawObject(t, 4, 1), "{")
				switch rapid.IntRange(0, 3).Draw(t, "kind") {
				case 0:
					raw = `[` + raw + `,` + raw + `]`
				case 1:
					raw = `{}`
				}
				alias, err := readRecords(name, []byte(raw))
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, alias...)
				first := by.count()
				buf = append(buf[:0], raw...)
				if _, err := by.file(name, buf); err != nil {
					t.Fatal(err)
				}
				by.rows.file(fileOf{dir: p.dir, name: path.Base(name), first: first, count: by.count() - first})
			}
			by.cut(p)
			parts = append(parts, p)
		}
		var folders []folder
		numbers := map[string]int32{}
		var enter func(dir string) int32
		enter = func(dir string) int32 {
			if n, ok := numbers[dir]; ok {
				return n
			}
			parent := int32(0)
			if dir != "" {
				parent = enter(strings.TrimSuffix(dirOf(dir), "/"))
			}
			numbers[dir] = int32(len(folders))
			folders = append(folders, folder{dir: dir, parent: parent})
			return numbers[dir]
		}
		for dir := range dirs {
			enter(dir)
		}
		im := collate(sc.tables, parts, folders)
		slices.SortStableFunc(want, func(a, b *Memory) int {
			return stdcmp.Or(compareBool(strings.HasPrefix(a.File, "archive/"), strings.HasPrefix(b.File, "archive/")), strings.Compare(a.File, b.File))
		})
		if im.records.len() != len(want) {
			t.Fatalf("%d memories, want %d", im.records.len(), len(want))
		}
		for i, m := range want {
			var got Memory
			im.memory(i, &got, nil)
			if m.Archived = strings.HasPrefix(m.File, "archive/"); im.live > i == m.Archived {
				t.Fatalf("%s is the %d., %d are live", m.Ref, i, im.live)
			}
			sameMemory(t, got, *m)
		}
		for _, name := range names { // and found again
			c := im.cursor(strings.TrimSuffix(dirOf(name), "/"), path.Base(name))
			if row := c.find(path.Base(name)); row < 0 || im.path(im.file(row)) != name {
				t.Fatalf("%s is found in row %d", name, row)
			}
		}
	})
}
