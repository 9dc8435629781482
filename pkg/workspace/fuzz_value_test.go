package workspace

import (
	"testing"
	"time"
)

// FuzzAccess folds any access log into the records: each memory has been read as
// often and as late as the log told, before and after, and the records stay sound.
func FuzzAccess(f *testing.F) {
	f.Add([]byte(readLog))
	f.Add([]byte(`{"id":"a-0","at":"9999-12-31T23:59:59-12:00","n":9223372036854775807}` + "\n" + `{"id":"a-0","at":"0000-01-01T00:00:00+12:00","n":3}`))
	f.Add([]byte(`{"id":"a-0","n":-1}` + "\n" + `{"id":"a-0"}` + "\r\n" + `{"id":"a-1","at":"2026-02-01T00:00:00.999Z"} {}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		m := (&scenario{files: with(memories("agents/a", 3), AccessFile, string(doc))}).disk(t)
		snap, err := anyStore(m, 0).Load(day)
		if err != nil {
			t.Fatal(err)
		}
		if err := foldReads(anyStore(m, 0)); err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		after, err := anyStore(m, 0).Load(day)
		if err != nil || len(after.Problems) > 0 {
			t.Fatalf("%q: %v %v", doc, err, after.Problems)
		}
		for _, was := range snap.Memories() {
			is := after.Live(was.ID)
			if is.AccessCount != was.AccessCount || !is.LastAccessed.Truncate(time.Second).Equal(was.LastAccessed.Truncate(time.Second)) {
				t.Fatalf("%q: %s: read %d times, at last %v; then %d times, %v", doc, was.ID, was.AccessCount, was.LastAccessed, is.AccessCount, is.LastAccessed)
			}
			if is.Unfolded != 0 {
				t.Fatalf("%q: %s: %d reads are not folded in", doc, was.ID, is.Unfolded)
			}
		}
	})
}
