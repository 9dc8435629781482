package workspace

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// pieces that records of tests are put together from: what is usual, and what isn't.
var (
	someKeys = []string{"id", "type", "subtype", "created_by", "created_at", "updated_at", "last_accessed", "scope", "scope_id", "tags",
		"priority", "ttl", "title", "content", "confidence", "importance", "access_count", "supersedes", "superseded_by", "promoted_to",
		"promoted_from", "consolidation_consent", "protected", "details", "x", "", `\u0069d`, `t\u0061gs`, `\ud800`, `\udfff`, "é"}
	someValues = []string{`"a"`, `""`, `" "`, `"Team"`, `" GLOBAL "`, `"agent"`, `"caf\u00e9 \"x\""`, `"\ud800\u0041"`, `"été"`, `null`, `true`, `false`,
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

// bothWays reads a file in both ways, and that by which nothing is kept of its bytes must
// give what the other does.
func bothWays(t *rapid.T, file, raw string, record bool) *Memory {
	alias, err := readRecords(file, []byte(raw))
	if err != nil || (len(alias) == 1 && alias[0].Whole()) != record {
		t.Fatalf("%s: %d records, %v; want one: %v", raw, len(alias), err, record)
	}
	for _, left := range []int64{0, maxKept} {
		r := &room{}
		r.left.Store(left)
		var told []string
		by := &recordParser{keeper: &keeper{room: r, derive: func(m *Memory) []byte {
			told = append(told, tells(m))
			return []byte{1}
		}}}
		data := []byte(raw)
		found, _, err := by.file(file, data)
		if err != nil || len(found) != len(alias) {
			t.Fatalf("%s: %d records, %v; want %d", raw, len(found), err, len(alias))
		}
		copy(data, bytes.Repeat([]byte{0xff}, len(data)))
		for i, m := range found {
			want := *alias[i]
			if told[i] != tells(&want) {
				t.Fatalf("%s: while it was read it told\n%s, want\n%s", raw, told[i], tells(&want))
			}
			if left > 0 && tells(m) != tells(&want) {
				t.Fatalf("%s: it tells\n%s, want\n%s", raw, tells(m), tells(&want))
			}
			if (m.body != nil) != (left > 0) {
				t.Fatalf("kept: %v", m.body != nil)
			}
			got := *m
			got.body, want.body, got.derived = nil, nil, nil
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Memory{})); diff != "" {
				t.Fatalf("%s:\n%s", raw, diff)
			}
		}
	}
	if !record {
		return nil
	}
	return alias[0]
}

// tells is what a memory says, in all ways.
func tells(m *Memory) string {
	blank := "blank"
	if !m.Blank() {
		blank = "says something"
	}
	return strings.Join([]string{string(m.Raw()), m.Content().Raw, m.Content().Str, m.Title(), m.Text(), m.Field("details").Raw, m.Field("details").Str, blank}, "|")
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
	same("times", []time.Time{m.CreatedAt, m.UpdatedAt, m.LastAccessed}, []time.Time{slowTime(lastOf(v, "created_at").Str), slowTime(lastOf(v, "updated_at").Str), slowTime(lastOf(v, "last_accessed").Str)})
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

// slowTime is parseTime without its short cut.
func slowTime(text string) time.Time {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil && writable(t) {
			_, offset := t.Zone()
			return t.In(zone(offset))
		}
	}
	return time.Time{}
}

// TestUsualTimes compares the short cut with the long way, for times and what is nearly one.
func TestUsualTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62135596800-1e8, 253402300799+1e8).Draw(t, "unix"), 0)
		text := []byte(at.In(time.FixedZone("", 60*rapid.IntRange(-1500, 1500).Draw(t, "offset"))).Format(rapid.SampledFrom([]string{time.RFC3339, "2006-01-02T15:04:05Z"}).Draw(t, "layout")))
		for range rapid.IntRange(0, 2).Draw(t, "mistakes") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("0123569:-+TZ. /")).Draw(t, "is")
		}
		if got, want := parseTime(string(text)), slowTime(string(text)); got != want {
			t.Fatalf("%q is %#v, want %#v", text, got, want)
		}
	})
}

// TestKeptTogether reads many files into the same bytes: none changes what was kept of
// another.
func TestKeptTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &room{}
		by, buf := &recordParser{keeper: &keeper{room: r}}, make([]byte, 0, 1<<16)
		var got, want []Memory
		for i := range rapid.IntRange(1, 40).Draw(t, "files") {
			raw := `{"id":"` + rapid.StringMatching(`[a-z]{1,90}`).Draw(t, "id") + `","type":"t",` + strings.TrimPrefix(drawObject(t, 4, 1), "{")
			file := by.path("agents/A", string(rune('a'+i))+".json")
			alias, err := readRecords(strings.Clone(file), []byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			buf = append(buf[:0], raw...)
			found, _, err := by.file(file, buf)
			if err != nil {
				t.Fatal(err)
			}
			for i := range found {
				want = append(want, *alias[i])
				got = append(got, *found[i])
			}
		}
		copy(buf[:cap(buf)], bytes.Repeat([]byte{0xff}, cap(buf)))
		if len(got) != len(want) {
			t.Fatalf("%d memories, want %d", len(got), len(want))
		}
		for i := range want {
			want[i].body = nil
			if diff := cmp.Diff(want[i], got[i], cmp.AllowUnexported(Memory{})); diff != "" {
				t.Fatal(diff)
			}
			if !slices.Equal(got[i].Tags[:len(got[i].Tags):cap(got[i].Tags)], want[i].Tags) {
				t.Fatalf("tags may be appended to over those of another: %d of %d", len(got[i].Tags), cap(got[i].Tags))
			}
		}
	})
}
