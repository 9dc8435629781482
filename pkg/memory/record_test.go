package memory

import (
	"bytes"
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
		if m := parsed(t, file, raw, IsRecord(v)); m != nil {
			sees(t, m, v)
		}
	})
}

// parsed parses a file into bytes that are overwritten afterwards, where it matters that a memory
// shares nothing with them but its body: that is taken away first. It gives the memory of a file
// that is one.
func parsed(t *rapid.T, file, raw string, record bool) *Memory {
	want, err := ParseRecords(file, []byte(raw))
	if err != nil || (len(want) == 1 && want[0].Whole()) != record {
		t.Fatalf("%s: %d records, %v; want one: %v", raw, len(want), err, record)
	}
	data := []byte(raw)
	var p Parser
	got, err := p.File(file, data)
	if err != nil || len(got.Memories) != len(want) {
		t.Fatalf("%s: %d records, %v; want %d", raw, len(got.Memories), err, len(want))
	}
	for i, m := range got.Memories {
		if is := tells(want[i]); tells(m) != is {
			t.Fatalf("%s: while it was read it told\n%s, want\n%s", raw, tells(m), is)
		}
		m.Detach(nil)
	}
	copy(data, bytes.Repeat([]byte{0xff}, len(data)))
	for i, m := range got.Memories {
		other := *want[i]
		other.body = nil
		if diff := cmp.Diff(other, *m, cmp.AllowUnexported(Memory{})); diff != "" {
			t.Fatalf("%s", diff)
		}
	}
	if !record {
		return nil
	}
	return want[0]
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
	moment := func(key string) time.Time {
		if x := lastOf(v, key); x.Type == gjson.Number && x.Raw[0] != '-' {
			return timestamp.Parse(x.Raw) // an epoch
		}
		return timestamp.Parse(lastOf(v, key).Str)
	}
	number := func(key string) *float64 {
		if n := lastOf(v, key); n.Type == gjson.Number {
			return &n.Num
		}
		return nil
	}
	same("id", m.ID, lastOf(v, "id").Str)
	same("words", []string{m.Type, m.Subtype, m.CreatedBy, m.TTL, m.Priority}, []string{lastOf(v, "type").Str, lastOf(v, "subtype").Str, lastOf(v, "created_by").Str, lastOf(v, "ttl").Str, lower("priority")})
	same("times", []time.Time{m.CreatedAt, m.UpdatedAt, m.LastAccessed}, []time.Time{moment("created_at"), moment("updated_at"), moment("last_accessed")})
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
	scope := ScopeOf(m.File)
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
