package memory

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

// TestOneLine compares with what the line is defined by, which looks at all of the text.
func TestOneLine(t *testing.T) {
	defined := func(text string, limit int) string {
		runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "))
		if len(runes) <= limit {
			return string(runes)
		}
		cut := string(runes[:limit-1])
		if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
			cut = cut[:i]
		}
		return strings.TrimRight(cut, " ,;:.") + "…"
	}
	piece := rapid.SampledFrom([]string{"a", "bc", "word", "é", "的", "🙂", " ", "  ", "\n", "\t", "\u00a0", "\u3000", ".", ", ", "\xff", "\xf0\x9f", "\uFFFD"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		if is, want := oneLine(text, limit), defined(text, limit); is != want {
			t.Errorf("oneLine(%q, %d) = %q, want %q", text, limit, is, want)
		}
	})
}

// TestSummary compares with asking for one field after the other.
func TestSummary(t *testing.T) {
	defined := func(m *Memory) (string, bool) {
		root := parse(m.Raw())
		var asked []gjson.Result
		for _, key := range []string{"summary", "title", "description"} {
			asked = append(asked, m.Content().Get(key), root.Get(key))
		}
		if asked = append(asked, m.Content()); m.Content().IsObject() {
			asked = append(asked, m.Content().Get("details"), m.Content().Get("text"))
		}
		for _, v := range asked {
			if v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
				return oneLine(v.Str, summaryLimit), true
			}
		}
		return oneLine(firstText(m.Content()), summaryLimit), false
	}
	key := rapid.SampledFrom([]string{"summary", "title", "description", "details", "text", "note", "s\\u0075mmary", "content"})
	text := rapid.SampledFrom([]string{`"a text"`, `" "`, `"with \"{\"summary\":\"no\"}\""`, `"line\nbreak"`, `null`, `3`, `["x"]`, `{"summary":"deeper"}`})
	object := rapid.Custom(func(t *rapid.T) string {
		var members []string
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			members = append(members, `"`+key.Draw(t, "key")+`": `+text.Draw(t, "value"))
		}
		return "{" + strings.Join(members, ", ") + "}"
	})
	rapid.Check(t, func(t *rapid.T) {
		members := []string{`"id":"m"`, `"type":"semantic"`}
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				members = append(members, `"content": `+object.Draw(t, "content"))
			case 1:
				members = append(members, `"content": `+text.Draw(t, "content"))
			default:
				members = append(members, `"`+key.Draw(t, "key")+`": `+text.Draw(t, "value"))
			}
		}
		doc := "{" + strings.Join(members, ",") + "}"
		for _, file := range []string{doc, "[" + doc + "]"} {
			if !json.Valid([]byte(file)) {
				t.Fatalf("the test writes what is no JSON: %s", file)
			}
			ms, err := ParseRecords("global/m.json", []byte(file))
			if err != nil || len(ms) != 1 {
				t.Fatalf("%s: %d memories, %v", file, len(ms), err)
			}
			line, stated := ms[0].Summary()
			if want, wantStated := defined(ms[0]); line != want || stated != wantStated {
				t.Errorf("%s: %q (%v), want %q (%v)", file, line, stated, want, wantStated)
			}
		}
	})
}

// BenchmarkIndexLine makes what an index tells of a memory whose text is long: plain, and with
// a summary of its own in front of it.
func BenchmarkIndexLine(b *testing.B) {
	text := strings.Repeat("The limit of the queue was raised to 40.\\n", 240)
	for name, content := range map[string]string{"text": `"` + text + `"`, "summarised": `{"summary":"The limit is 40.","details":"` + text + `"}`} {
		b.Run(name, func(b *testing.B) {
			ms, err := ParseRecords("global/m.json", []byte(`{"id":"m","type":"semantic","created_at":"2026-01-01T00:00:00Z","tags":["a","b"],"content":`+content+`}`))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				Line(ms[0])
			}
		})
	}
}
