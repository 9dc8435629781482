package accesslog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	text := `{"id":"a","at":"2026-03-01T09:00:00Z","from":"recall"}

{"id":"b","n":9223372036854775807}
{"id":"a","at":"2026-02-01T00:00:00Z","n":3}
{"id":"b","at":"9999-12-31T23:59:59-12:00"}
{"id":"c","n":-1}
{"n":2} {"id":"d"}
{"id":"e","at"`
	want := map[string]memory.Usage{"a": {N: 4, At: day}, "b": {N: math.MaxInt64}}
	log := Parse([]byte(text))
	if diff := cmp.Diff(want, log.ByID); diff != "" || string(log.Doc) != text || !slices.Equal(log.Bad, []int{6, 7, 8}) {
		t.Errorf("%s%q, bad %d", diff, log.Doc, log.Bad)
	}
	if back := Parse(Left(log.Doc, func(string) bool { return false })); !cmp.Equal(back.ByID, want) {
		t.Errorf("what is left of all is %v", back.ByID)
	}
	if left := Left(log.Doc, func(id string) bool { return id == "b" }); string(left) != `{"id":"a","at":"2026-03-01T09:00:00Z","n":4}`+"\n" {
		t.Errorf("without b there is left %q", left)
	}
	if left := Left(log.Doc, func(string) bool { return true }); left != nil {
		t.Errorf("of nothing there is left %q", left)
	}
	if text := Append(nil, Line{ID: "a", At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); text != nil {
		t.Errorf("nobody can read %q again", text)
	}
}

// A session counts once, also after its read was folded into the record; a later day of it
// is a later read that counts no more.
func TestOnce(t *testing.T) {
	const text = `{"id":"a","at":"2026-03-01T07:00:00Z","once":"s1"}
{"id":"a","at":"2026-03-01T08:00:00Z","once":"s1"}
{"id":"a","at":"2026-03-01T08:30:00Z","once":"2026-03-01"}
{"id":"a","at":"2026-03-01T09:00:00Z","once":"s2"}
{"id":"a","at":"2026-02-01T09:00:00Z","once":"s0"}
`
	all, none := func(string) bool { return true }, func(string) bool { return false }
	log := Parse([]byte(text))
	if got := log.ByID["a"]; got != (memory.Usage{N: 4, At: day}) {
		t.Errorf("read %+v", got)
	}
	for once, at := range map[string]time.Time{"s1": day, "2026-03-01": day, "s2": day} {
		if !log.Known(Line{ID: "a", At: at, Once: once}) || log.Known(Line{ID: "b", At: at, Once: once}) || log.Known(Line{ID: "a", At: at.AddDate(0, 0, 1), Once: once}) {
			t.Errorf("what is known of %s is wrong", once)
		}
	}
	folded := Left([]byte(text), all)
	if got := Parse(folded); len(got.ByID) > 0 || bytes.Count(folded, []byte("\n")) != 3 {
		t.Errorf("after folding there is left %s", folded)
	}
	again := Append(folded, Line{ID: "a", At: day.AddDate(0, 0, 1), Once: "s1"})
	for range 2 {
		if got := Parse(again).ByID["a"]; got != (memory.Usage{At: day.AddDate(0, 0, 1)}) {
			t.Errorf("a session that goes on counts %+v", got)
		}
		again = Left(again, none)
	}
	if got := Parse(Append(folded, Line{ID: "a", At: day, Once: "s3"})).ByID["a"]; got.N != 1 {
		t.Errorf("another session counts %+v", got)
	}
	if left := Left([]byte(text), none); Parse(left).ByID["a"].N != 4 || strings.Contains(string(left), "s0") {
		t.Errorf("compacted: %s", left)
	}
	merged := Merged([]byte(text))
	if string(merged) != `{"id":"a","at":"2026-03-01T09:00:00Z","n":4,"once":"s2"}`+"\n" {
		t.Errorf("merged: %s", merged)
	}
	if got := Parse(Append(merged, Line{ID: "a", At: day, Once: "s2"})).ByID["a"]; got.N != 4 {
		t.Errorf("after merging, the same session makes it %+v", got)
	}
	var many []byte
	for i := range 2 * mostMarks {
		many = Append(many, Line{ID: fmt.Sprint(i), At: day.Add(time.Duration(i) * time.Second), Once: "s"})
	}
	if left := Left(many, all); bytes.Count(left, []byte("\n")) != mostMarks || !strings.Contains(string(left), fmt.Sprint(`"`, 2*mostMarks-1, `"`)) {
		t.Errorf("%d marks are kept, or the wrong ones", bytes.Count(left, []byte("\n")))
	}
}

// Whatever the order of lines and folds, each session counts a memory once.
func TestEachSessionCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type read struct{ ID, Session string }
		distinct, total, counted := map[read]bool{}, map[string]int64{}, map[string]int64{}
		var doc, gifts []byte
		fold := func(only func(string) bool) {
			for id, u := range Parse(doc).ByID {
				if only(id) {
					counted[id] += u.N
				}
			}
			doc = Left(doc, only)
		}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			at := day.Add(time.Duration(i) * time.Minute)
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				fold(func(string) bool { return true })
			case 1:
				fold(func(id string) bool { return id == "a" })
			case 2:
				fold(func(string) bool { return false })
			default:
				r := read{rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id"), rapid.SampledFrom([]string{"s1", "s2", "s3", "2026-03-01"}).Draw(t, "session")}
				if !distinct[r] {
					total[r.ID]++
				}
				distinct[r] = true
				for range rapid.IntRange(1, 3).Draw(t, "writers") {
					gifts = Append(gifts, Line{ID: r.ID, At: at, Once: r.Session})
					doc = Append(doc, Line{ID: r.ID, At: at, Once: r.Session})
				}
			}
		}
		merged := Parse(Merged(gifts)).ByID
		for id, want := range total {
			left := Parse(doc).ByID[id].N
			if counted[id]+left != want || merged[id].N != want {
				t.Fatalf("%s: %d counted and %d left, merged %d, want %d together\n%s", id, counted[id], left, merged[id].N, want, doc)
			}
		}
	})
}

func TestSince(t *testing.T) {
	const a, b, torn = "{\"id\":\"a\"}\n", "{\"id\":\"b\"}\n", "{\"id\":"
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	if rest, ok := Since([]byte(a+b+torn), digest(a)); !ok || string(rest) != b+torn {
		t.Errorf("%q was appended, %v", rest, ok)
	}
	if rest, ok := Since([]byte(a+b), digest(a+b)); !ok || len(rest) > 0 {
		t.Errorf("%q was appended to the whole, %v", rest, ok)
	}
	for _, known := range []string{b, a[:3], a + b + torn, ""} {
		if rest, ok := Since([]byte(a+b), digest(known)); ok {
			t.Errorf("%q was appended to %q, which is not the beginning", rest, known)
		}
	}
}

// FuzzAccessLog reads any text: what is left of it, read again, counts the same.
func FuzzAccessLog(f *testing.F) {
	f.Add([]byte(`{"id":"a","at":"9999-12-31T23:59:59-12:00","n":9223372036854775807}`+"\n"+`{"id":"a","at":"0000-01-01T00:00:00+12:00","n":3}`), "a")
	f.Add([]byte(`{"id":"a","once":"s","counted":true}`+"\n"+`{"id":"a","at":"2026-03-01T09:00:00Z","n":3,"once":"s"}`+"\n"+`{"id":"a","once":"t"}`), "a")
	f.Add([]byte(`{"id":"a","n":-1}`+"\r\n"+`{"id":"\ud800"}`), "b")
	f.Fuzz(func(t *testing.T, doc []byte, counted string) {
		is := func(id string) bool { return strings.EqualFold(id, counted) }
		was := Parse(doc).ByID
		now := Parse(Left(doc, is)).ByID
		for id, r := range was {
			if got, ok := now[id]; !is(id) && r.N > 0 && (!ok || got.N != r.N || !got.At.Equal(r.At)) || is(id) && ok {
				t.Fatalf("%q: %+v is left of %+v", doc, got, r)
			}
			if got := Parse(Merged(doc)).ByID[id]; got.N != max(r.N, 1) || !got.At.Equal(r.At) {
				t.Fatalf("%q: %+v is merged into %+v", doc, r, got)
			}
		}
		if rest, ok := Since(doc, "x"); ok || rest != nil {
			t.Fatal("no text has this digest")
		}
	})
}
