package seenfile

import (
	"bytes"
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
		notes := Read(doc)
		for id, print := range seen {
			if got, ok := notes.Of(id); !ok || got != print {
				t.Fatalf("%q of %q, not %q", got, id, print)
			}
		}
		if _, ok := notes.Of("\xff"); ok || notes.Len() != len(seen) {
			t.Fatalf("%d are noted, not %d", notes.Len(), len(seen))
		}
		if own, ok := split(doc); ok && (own.Len() != len(seen) || !bytes.Equal(Format(seen), doc)) {
			t.Fatalf("%q is taken for our own", doc)
		}
	})
}

// What is noted of some ids changes as if the file were written anew.
func TestPatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"a", "b", "c d", "ä", "e", "f", "g/1", "h"})
		draw := func(name, prints string) map[string]string {
			return rapid.MapOfN(ids, rapid.StringMatching(prints), 0, 8).Draw(t, name)
		}
		seen, now := draw("seen", `[a-z]{1,3}`), draw("now", `[a-z]{0,3}`)
		doc := Format(seen)
		got, kept, ok := Patch(doc, now)
		if !ok {
			t.Fatalf("%q is not taken for our own", doc)
		}
		maps.Copy(seen, now)
		maps.DeleteFunc(seen, func(_, print string) bool { return print == "" })
		if want := Format(seen); !bytes.Equal(got, want) {
			t.Fatalf("%q with %q is %q, not %q", doc, now, got, want)
		}
		for _, k := range kept {
			if !bytes.Equal(doc[k.Old:][:k.Len], got[k.New:][:k.Len]) {
				t.Fatalf("%q has not kept %v of %q", got, k, doc)
			}
		}
	})
}
