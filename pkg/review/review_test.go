package review

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// What is put is read, a decision takes the pair out of the queue, and taking back what a
// run did leaves what others wrote.
func TestPatchAndTake(t *testing.T) {
	p := Pair{A: "a", B: "b", PrintA: "x", PrintB: "y", Reason: "distinct_facts", Differences: []string{"1", "2"}, TagOverlap: 0.5, ContentSimilarity: 0.75, RunID: "run_1", FlaggedAt: day}
	other := p
	other.B, other.RunID = "c", "run_0"
	d := Decision{p, KeepBoth, day.Add(time.Hour)}
	doc, err := Patch([]byte(`{"note": "mine", "pairs": [1, {"memory_ids": ["q", "r"]}]}`), []Pair{other}, nil)
	if err != nil {
		t.Fatal(err)
	}
	step := func(next []byte, err error, waiting []Pair, decided []Decision) {
		t.Helper()
		if err != nil || !bytes.Contains(next, []byte(`{"note": "mine", "pairs": [1, {"memory_ids": ["q", "r"]}`)) {
			t.Fatalf("%v: %s", err, next)
		}
		w, is, err := Parse(next)
		if diff := cmp.Diff([]any{waiting, decided}, []any{w, is}); diff != "" || err != nil {
			t.Fatalf("%v\n%s", err, diff)
		}
		doc = next
	}
	step(doc, nil, []Pair{other}, nil)
	before := doc
	next, err := Patch(doc, []Pair{p}, nil)
	step(next, err, []Pair{other, p}, nil)
	flagged := doc
	next, err = Patch(doc, nil, []Decision{d})
	step(next, err, []Pair{other}, []Decision{d})
	next, err = Take(doc, nil, []Decision{d})
	step(next, err, []Pair{other, p}, nil)
	if next, err = Take(flagged, []Pair{p}, nil); err != nil || !bytes.Equal(next, before) {
		t.Errorf("%v: %s is not %s", err, next, before)
	}
	if (Pair{A: "a", B: "b", PrintA: "z", PrintB: "y"}).ID() == p.ID() || p.ID() != (Pair{A: "a", B: "b", PrintA: "x", PrintB: "y"}).ID() {
		t.Error("the name of a pair is not that of its texts")
	}
	for _, broken := range []string{``, `[`, `[]`, `{"pairs":{}}`} {
		if _, _, err := Parse([]byte(broken)); err == nil {
			t.Errorf("%q is no queue", broken)
		}
	}
}

// FuzzReview reads any review queue: putting a pair in and deciding it keeps the
// document readable and what others wrote there, and doing it twice is doing it
// once.
func FuzzReview(f *testing.F) {
	for _, seed := range []string{
		empty, `{"pairs":[{"memory_ids":["a","b"],"fingerprints":["x","y"],"n":1}],"decided":[],"note":"mine"}`, `{"pairs":{}}`, `[]`, ``,
		`{"pairs":[1,null,{"memory_ids":["b","a"],"fingerprints":["y","x"]}],"decided":"x"}`, `{"pairs":[],"pairs":[]}`,
	} {
		f.Add([]byte(seed), "a", "b")
	}
	f.Fuzz(func(t *testing.T, doc []byte, a, b string) {
		if strings.TrimSpace(a) == "" || strings.TrimSpace(b) == "" || !utf8.ValidString(a) || !utf8.ValidString(b) {
			return // no memory has such an id
		}
		if _, _, err := Parse(doc); len(doc) > 0 && err != nil {
			return // no command gets further than that
		}
		p := Pair{A: a, B: b, PrintA: "x", PrintB: "y", Reason: "distinct_facts", FlaggedAt: day, RunID: "run_x"}
		once := patched(t, doc, []Pair{p}, nil)
		if once == nil {
			return // a queue of another shape: refused
		}
		if twice := patched(t, once, []Pair{p}, nil); !bytes.Equal(once, twice) {
			t.Fatalf("twice:\n%s\n%s", once, twice)
		}
		decided := patched(t, once, nil, []Decision{{p, KeepBoth, day}})
		if decided == nil {
			return
		}
		if back, err := Take(decided, nil, []Decision{{p, KeepBoth, day}}); err != nil || !json.Valid(back) {
			t.Fatalf("taken back: %v\n%s", err, back)
		}
	})
}

// patched is [Patch]; what it gives must be readable and hold the pairs.
func patched(t *testing.T, doc []byte, pairs []Pair, decisions []Decision) []byte {
	out, err := Patch(doc, pairs, decisions)
	if err != nil {
		return nil
	}
	waiting, decided, err := Parse(out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, p := range pairs {
		if !slices.ContainsFunc(waiting, func(w Pair) bool { return Key(w.A, w.B) == Key(p.A, p.B) && w.ID() == p.ID() }) {
			t.Fatalf("%v does not wait:\n%s", p, out)
		}
	}
	for _, d := range decisions {
		if !slices.ContainsFunc(decided, func(w Decision) bool { return Key(w.A, w.B) == Key(d.A, d.B) && w.Verdict == d.Verdict }) {
			t.Fatalf("%v is not decided:\n%s", d, out)
		}
	}
	return out
}
