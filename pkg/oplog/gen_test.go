package oplog

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// runs generates entries as a run makes them, with text that tempts an encoder.
var runs = rapid.Custom(func(t *rapid.T) *Entry {
	ids := rapid.SliceOfN(rapid.StringMatching(`mem_[a-z0-9]{3}`), 1, 3)
	words := rapid.SampledFrom([]string{"", "stale", "a <b> & \"c\"", "naïve\u2028line", "{\"hash\":\"x\"}", "tab\tand\\", "日本"})
	action := rapid.Custom(func(t *rapid.T) Action {
		a := Action{
			Type:     rapid.SampledFrom([]string{Merge, Summarize, Promote, Archive, Skip, Review, Restore, Undo}).Draw(t, "type"),
			Rule:     rapid.SampledFrom([]string{"", "merge", "manual"}).Draw(t, "rule"),
			MemoryID: rapid.SampledFrom([]string{"mem_a", "mem_b"}).Draw(t, "memory"),
			Reason:   words.Draw(t, "reason"),
		}
		if a.Type == Merge {
			overlap := rapid.Float64Range(0, 1).Draw(t, "overlap")
			a.SourceIDs, a.TagOverlap, a.ContentSimilarity = ids.Draw(t, "sources"), &overlap, new(float64)
		}
		return a
	})
	return &Entry{
		RunID:      rapid.StringMatching(`run_[a-z0-9]{6}`).Draw(t, "run"),
		Timestamp:  time.Unix(rapid.Int64Range(1, 4e9).Draw(t, "seconds"), 5e8),
		Trigger:    rapid.SampledFrom([]string{"manual", "weekly", "session_end"}).Draw(t, "trigger"),
		Scope:      words.Draw(t, "scope"),
		Actor:      words.Draw(t, "actor"),
		Machine:    rapid.SampledFrom([]string{"", "anna"}).Draw(t, "machine"),
		Actions:    rapid.SliceOfN(action, 0, 3).Draw(t, "actions"),
		Skipped:    rapid.MapOfN(words, rapid.IntRange(1, 9), 0, 2).Draw(t, "skipped"),
		Deferred:   rapid.SliceOfN(words, 0, 2).Draw(t, "deferred"),
		DurationMS: rapid.Int64Range(0, 1e6).Draw(t, "duration"),
		Status:     Done,
	}
})

// foreign are entries as other tools write them; each stands in a log at most
// once, so that moving one always changes the log.
var foreign = []string{
	`{"timestamp":"2025-12-18T00:00:00Z","trigger":"session_end","actions":[{"type":"merge","source_ids":["mem_x","mem_y"],"result_id":"mem_z"}],"stats":{"memories_merged":2}}`,
	`{ "run_id": 7, "actions": "none", "dry_run": false, "note": "\u00e9 \/ 1.50" }`,
	`{"actions":[{"Rule":"m\u0061nual","memory_id":7,"TYPE":"restore","reason":"x"},[],"undo",{"rule":null,"type":"undo","memory_ids":["a",1]}]}`,
	`{"actions":[{"type":"merge"}],"actions":[{"type":"rest\u006fre","memory_id":"b"}],"timestamp":"2026-02-30T00:00:00Z","deferred":7}`,
	`{"timestamp":"2026-02-03T04:05:06Z","actions":[{"type":"undo"}],"actions":null,"timestamp":null}`,
	`"cleaned up by hand"`,
	`null`,
	`{}`,
}

// shapes are the documents that a log begins as, with their style.
var shapes = []string{
	"",
	"{\n  \"version\": \"1.0.0\",\n  \"entries\": []\n}\n",
	`{"entries":[]}`,
	`{"log":[]}`,
	"\ufeff{\r\n\t\"owner\": \"ops\",\r\n\t\"log\": [],\r\n\t\"keep\": [1e400, 0.10]\r\n}\r\n",
}

// drawLog generates a log of at least min entries of ours after some of other
// tools, and returns it with the index of the first of ours.
func drawLog(t *rapid.T, min int) (doc []byte, first int) {
	shape := rapid.SampledFrom(shapes).Draw(t, "shape")
	first = rapid.IntRange(0, len(foreign)).Draw(t, "foreign")
	if shape == "" {
		first = 0
	}
	doc = []byte(strings.Replace(shape, "[]", "["+strings.Join(foreign[:first], ", ")+"]", 1))
	for _, e := range rapid.SliceOfN(runs, min, min+3).Draw(t, "runs") {
		var err error
		if doc, err = Append(doc, e); err != nil {
			t.Fatal(err)
		}
	}
	return doc, first
}

// rawEntries splits a log with the standard library.
func rawEntries(t tb, doc []byte) []json.RawMessage {
	t.Helper()
	var d struct{ Entries, Log []json.RawMessage }
	if err := json.Unmarshal(bytes.TrimPrefix(doc, []byte("\ufeff")), &d); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return append(d.Entries, d.Log...)
}

// tb is what a test, a fuzz target and a rapid property have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func day(n int) time.Time { return time.Date(2026, 3, n, 9, 0, 0, 0, time.UTC) }

// logOf joins raw entries to a log.
func logOf(entries []json.RawMessage) []byte {
	parts := make([]string, len(entries))
	for i, e := range entries {
		parts[i] = string(e)
	}
	return []byte(`{"version":"1.0.0","entries":[` + strings.Join(parts, ",") + `]}`)
}

// soundLog is a log of n runs with the ids run_a, run_b, …
func soundLog(t tb, n int) []byte {
	t.Helper()
	var doc []byte
	for i := range n {
		e := &Entry{
			RunID: "run_" + string(rune('a'+i)), Timestamp: day(1 + i),
			Trigger: "manual", Scope: "all", Status: Done,
			Actions: []Action{{Type: Archive, MemoryID: "mem_" + string(rune('a'+i)), Reason: "stale"}},
		}
		e.Stats = Count(e.Actions, 0)
		var err error
		if doc, err = Append(doc, e); err != nil {
			t.Fatal(err)
		}
	}
	return doc
}
