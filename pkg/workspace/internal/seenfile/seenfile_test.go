package seenfile

import (
	"encoding/json"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// FuzzSeen reads any fingerprints; what is read survives being written.
func FuzzSeen(f *testing.F) {
	f.Add([]byte(`{"seen":{"a":"b","\ud800":"x"}}`))
	f.Add([]byte(`{"seen":null}`))
	f.Add([]byte("{\"version\":\"1.0.0\",\"seen\":{\n\"a\":\"b\",\n\"c\":\"d\"\n}}\n"))
	f.Add([]byte("{\"version\":\"1.0.0\",\"seen\":{\n\"c\":\"b\",\n\"a\":\"d\"\n}}\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		seen := Parse(doc)
		if back := Parse(Format(seen)); !maps.Equal(seen, back) {
			t.Fatalf("%q is written %q", seen, Format(seen))
		}
		if own, ok := parseLines(doc); ok {
			var f struct {
				Seen map[string]string `json:"seen"`
			}
			if err := json.Unmarshal(doc, &f); err != nil || !maps.Equal(own, f.Seen) {
				t.Fatalf("%v: %q is %q, not %q", err, doc, own, f.Seen)
			}
		}
	})
}

// What [Format] writes is read line by line.
func TestFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := rapid.MapOf(rapid.StringMatching(`[a-zä/ ,:]{0,5}`), rapid.StringMatching(`[a-z.]{0,3}`)).Draw(t, "seen")
		got, ok := parseLines(Format(seen))
		if !ok || !maps.Equal(got, seen) {
			t.Fatalf("%q is read as %q, %v", seen, got, ok)
		}
	})
}
