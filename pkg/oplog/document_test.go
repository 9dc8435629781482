package oplog

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// whole is an entry with every field set.
func whole() *Entry {
	return &Entry{
		RunID: "run_k3v9x2", Timestamp: day(1), Trigger: "manual", Scope: "all", Types: []string{"t"}, Since: day(2), Until: day(3), Actor: "a", Machine: "m", UndoOf: "run_p0",
		Actions: []Action{{
			Type: Merge, Rule: "merge", Actor: "w", Of: 5, MemoryID: "mem_a", MemoryIDs: []string{"mem_b"}, SourceIDs: []string{"mem_c"}, ResultID: "mem_d",
			TagOverlap: score(0.9), ContentSimilarity: score(0.875), FactsKept: count(1), FactsArchived: count(2), WordingsKept: 1, CharsBefore: 3, CharsAfter: 4,
			Original: "o", From: "f", To: "t", Relation: "FIXES", By: "USER", Verdict: "SKIP", Confidence: score(0.7), Quotes: []string{"q"}, Sentences: []int{1}, Deferred: true, Key: "k", LeftOut: []string{"mem_f"}, Coherence: score(0.5), Reason: "r", Detail: "d", Differences: []string{"x"},
			Places: map[string]string{"mem_c": "global/x.json#/entries/0"}, Digests: map[string]string{"mem_a": "00"}, Archived: map[string]string{"mem_c": "11"}, AcceptedBy: "Mia",
		}},
		Skipped: map[string]int{"too_young": 3}, Deferred: []string{"mem_e"},
		Model:      &ModelUse{By: []string{"p/m"}, Requests: 1, Cached: 2, TokensIn: 3, TokensOut: 4, Cost: 0.5, Deferred: 6, Degraded: []string{"w"}},
		Stats:      Stats{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		DurationMS: 12, Status: Done,
	}
}

// Nothing that Append writes is lost on Read, whichever fields are added later.
func TestReadWhatAppendWrote(t *testing.T) {
	first, second := &Entry{RunID: "run_p0", Timestamp: day(1)}, whole()
	doc, err := Append(nil, first)
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = Append(doc, second); err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{*second, second.Actions[0], second.Stats} {
		for i := range reflect.TypeOf(v).NumField() {
			if reflect.ValueOf(v).Field(i).IsZero() {
				t.Errorf("%T.%s is not set in this test", v, reflect.TypeOf(v).Field(i).Name)
			}
		}
	}
	got, err := Read(doc)
	want := &Log{Version: "1.0.0", Entries: []Entry{*first, *second}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestReadWhatAppendWroteProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawLog(t, 0)
		e := runs.Draw(t, "run")
		doc, err := Append(doc, e)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Read(doc)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Entries) != len(rawEntries(t, doc)) {
			t.Fatalf("%d entries of %s", len(l.Entries), doc)
		}
		if e.Skipped != nil && len(e.Skipped) == 0 {
			e.Skipped = nil // an empty list and none are the same in the file
		}
		if len(e.Deferred) == 0 {
			e.Deferred = nil
		}
		if diff := cmp.Diff(e, l.Last()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestReadForeignEntries(t *testing.T) {
	l, err := Read([]byte(`{"log":[
		{"timestamp":"2025-12-18T01:30:00.25+02:00","trigger":"session_end",
		 "actions":[{"type":"merge","source_ids":["mem_xxx","mem_yyy"],"result_id":"mem_zzz"},"note",{"type":"archive","memory_id":5,"reason":"stale"}],
		 "stats":{"memories_merged":2,"memories_archived":5,"memories_promoted":"1","memories_lost":9}},
		{"timestamp":"yesterday","run_id":"r2","scope":null,"duration_ms":1e999,"own":{"deep":[1]}},
		7,
		{}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{
			Timestamp: time.Date(2025, 12, 17, 23, 30, 0, 25e7, time.UTC), Trigger: "session_end",
			Actions: []Action{
				{Type: "merge", SourceIDs: []string{"mem_xxx", "mem_yyy"}, ResultID: "mem_zzz"}, {}, {Type: "archive", Reason: "stale"},
			},
			Stats: Stats{MemoriesMerged: 2, MemoriesArchived: 5},
		},
		{RunID: "r2"}, {}, {},
	}
	if diff := cmp.Diff(want, l.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	var undecoded []string
	for _, p := range l.Undecoded {
		undecoded = append(undecoded, strings.SplitN(p.String(), " is not as", 2)[0])
	}
	if diff := cmp.Diff([]string{
		"entry 1: its actions", "entry 1: its stats", "entry 2 (r2): its timestamp", "entry 2 (r2): its duration_ms", "entry 3: it is not an object",
	}, undecoded); diff != "" {
		t.Errorf("undecoded (-want +got):\n%s", diff)
	}
}

func TestReadEmpty(t *testing.T) {
	for _, doc := range []string{"", " \r\n", `{"entries":[]}`, `{"log":[]}`} {
		l, err := Read([]byte(doc))
		if err != nil || len(l.Entries) != 0 || l.Last() != nil {
			t.Errorf("Read(%q) = %+v, %v", doc, l, err)
		}
		if n, hash, err := Head([]byte(doc)); n != 0 || hash != "" || err != nil {
			t.Errorf("Head(%q) = %d, %q, %v", doc, n, hash, err)
		}
	}
}

// All readers refuse the same documents, and say what to do.
func TestBrokenDocument(t *testing.T) {
	for _, doc := range []string{
		`{`, `{"entries":[}`, `{"entries":[{},]}`, `{"entries":[]} x`, "\xff", `null`, `[]`, `7`, `{}`, `{"version":"1.0.0"}`,
		`{"entries":null}`, `{"entries":{}}`, `{"log":"x"}`, `{"entries":[],"log":[]}`, `{"entries":[],"entries":[]}`,
		`{"entries":[],"entr\u0069es":7}`, `{"log":7,"log":[]}`, `{"version":"1","entries":[],"version":"2"}`,
	} {
		e := &Entry{RunID: "run_a", Timestamp: time.Unix(5, 7)}
		before := *e
		out, err := Append([]byte(doc), e)
		if !errors.Is(err, ErrBroken) || out != nil || !strings.Contains(err.Error(), "run_a") || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("Append(%q) = %q, %v", doc, out, err)
		}
		if diff := cmp.Diff(before, *e); diff != "" {
			t.Errorf("Append(%q) changed the entry:\n%s", doc, diff)
		}
		if _, err := Read([]byte(doc)); !errors.Is(err, ErrBroken) {
			t.Errorf("Read(%q): %v", doc, err)
		}
		if _, _, err := Head([]byte(doc)); !errors.Is(err, ErrBroken) {
			t.Errorf("Head(%q): %v", doc, err)
		}
		if p := Verify([]byte(doc)); len(p) != 1 || p[0].Index != -1 || p[0].String() != p[0].Message || !strings.Contains(p[0].Message, "by hand") {
			t.Errorf("Verify(%q) = %v", doc, p)
		}
	}
}

func TestFind(t *testing.T) {
	l := &Log{Entries: []Entry{
		{RunID: "run_ab1", Scope: "0"}, {RunID: ""}, {RunID: "run_ab12", Scope: "2"}, {RunID: "run_c", Scope: "3"}, {RunID: "run_c", Scope: "4"},
	}}
	for _, test := range []struct{ id, scope string }{
		{"run_ab1", "0"},  // exact, although another begins so
		{"run_ab12", "2"}, //
		{"run_c", "4"},    // the last of two
		{"run_", ""},      // ambiguous
		{"run_ab", ""},    // ambiguous
		{"run_x", ""},     //
		{"", ""},          //
		{"run_ab123", ""}, //
	} {
		e, ok := l.Find(test.id)
		if ok != (test.scope != "") || (ok && e.Scope != test.scope) || (!ok && e != nil) {
			t.Errorf("Find(%q) = %+v, %t", test.id, e, ok)
		}
	}
	l.Entries = l.Entries[3:]
	if e, ok := l.Find("ru"); !ok || e != &l.Entries[1] || e != l.Last() {
		t.Errorf(`Find("ru") = %+v, %t; want the last entry of the one run`, e, ok)
	}
}
