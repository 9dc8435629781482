package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/delta"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// Records of before have to be read for ever: their members are pinned. Those of journal-base64.json
// have all bytes in base64, and are written so no more.
func TestRecordsAreAsBefore(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	pair := review.Pair{A: "a", B: "b", PrintA: "x", PrintB: "y", Reason: "similar", Differences: []string{"1"}, TagOverlap: 0.5, ContentSimilarity: 0.75, RunID: "run_0", FlaggedAt: at}
	decision := review.Decision{Pair: pair, Verdict: review.KeepBoth, DecidedAt: at}
	run := &Run{
		Version: 1, RunID: "run_x", Started: at, At: at, UndoOf: "run_0", Entry: &oplog.Entry{RunID: "run_x", Timestamp: at},
		Actions: []Action{{
			Plan: 1, Log: 2, Group: 3, Action: oplog.Action{Type: "merge"}, Ops: []Op{{Kind: Move, ID: "a", Ref: "r", To: "t", Base: "b", Next: "n"}},
			Pairs: []review.Pair{pair}, Decisions: []review.Decision{decision}, Unpair: []review.Pair{pair}, Undecide: []review.Decision{decision},
		}},
		Files:   []Change{{Path: "p", Base: "b", Next: "n", Mode: 0o640, Owner: &durable.Owner{}, Before: []byte("<\xff"), After: []byte(">"), Group: 4, Actions: []int{5}, Records: true}},
		Indexes: []Index{{Path: "i", Base: "b", Files: []string{"f"}}}, Seen: map[string]string{"s": "t"},
		Exact: []Exact{{Path: "e", From: "f", To: "t", Before: []byte("b")}}, Fold: &Fold{Len: 6, Sum: "s", Groups: map[string]int{"g": 7}},
		AccessBase: "ab", SeenBase: "sb", ReviewBase: "rb", Extra: map[string][]Field{"x": {{"k", []byte("v")}}},
	}
	done := &Done{
		Version: 1, RunID: "run_x", Started: at, Finished: at, Log: Head{8, "h"}, Dead: map[int]string{9: "why"}, Late: []string{"l"},
		Derived: []Derived{{Path: "p", Base: "b", Next: "n", Delta: []delta.Hunk{{At: 1, Copy: 2, Text: []byte("t")}}}},
	}
	for name, c := range map[string]struct{ is, read any }{"journal.json": {run, &Run{}}, "journal-base64.json": {run, &Run{}}, "done.json": {done, &Done{}}} {
		was, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := Seal(c.is)
		if err != nil || !bytes.Equal(doc, was) && name != "journal-base64.json" {
			t.Errorf("%v\n%s\nis now written\n%s", err, was, doc)
		}
		if err := Unseal("x", was, c.read); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.is, c.read); diff != "" {
			t.Error(diff)
		}
		root, dir, err := durable.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		check := func(doc []byte) error {
			if err := os.WriteFile(dir+"/x", doc, 0o600); err != nil {
				t.Fatal(err)
			}
			return Check(root, "x")
		}
		if err := check(doc); err != nil {
			t.Error(err)
		}
		for i := range doc {
			wrong := slices.Concat(doc[:i], []byte{doc[i] ^ 1}, doc[i+1:])
			if err := Unseal("x", wrong, c.read); !errors.Is(err, ErrDamaged) {
				t.Fatalf("a wrong byte at %d: %v", i, err)
			}
			if err := check(wrong); !errors.Is(err, ErrDamaged) {
				t.Fatalf("a wrong byte at %d, not held whole: %v", i, err)
			}
		}
		if err := check(doc[:10]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut short: %v", err)
		}
	}
	if err := Unseal("x", nil, &Run{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("an empty record: %v", err)
	}
}

func TestKind(t *testing.T) {
	for want, c := range map[string]Change{
		Create: {Base: durable.Absent, Next: "n"}, Remove: {Base: "b", Next: durable.Absent}, Put: {Base: "b", Next: "n"},
	} {
		if got := c.Kind(); got != want {
			t.Errorf("%+v is %s", c, got)
		}
	}
	if same, moved := (&Op{Kind: Put, Base: "b", Next: "b"}), (&Op{Kind: Move, Base: "b", Next: "b"}); !same.Idle() || moved.Idle() {
		t.Error("what changes nothing is taken for a change, or the other way round")
	}
}

func TestSlots(t *testing.T) {
	j, ours := &Run{Files: []Change{{Path: "a.json"}}, Indexes: []Index{{Path: "_index.json"}}}, map[string]string{LabelLog: "log.json"}
	for _, want := range []Slot{
		{Label: "0", Path: "a.json", Base: "b", Next: durable.Absent}, {Label: IndexLabel(0), Path: "_index.json", Base: durable.Absent, Next: "n"},
		{Label: LabelLog, Path: "log.json", Base: "b", Next: "n"},
	} {
		if got, ok := j.ParseSlot(want.Name(), ours); !ok || got != want || got.Patched() != (want.Label != "0") {
			t.Errorf("%+v is read as %+v, %v", want, got, ok)
		}
	}
	for _, name := range []string{"1.b.n", "i1.b.n", "-1.b.n", "i-1.b.n", LabelRotate + ".b.n", LabelSeen + ".b.n", "0.b", "0.b.n.displaced", ""} {
		if got, ok := j.ParseSlot(name, ours); ok {
			t.Errorf("%q is taken for %+v", name, got)
		}
	}
	put := Displaced{time.Unix(1772352000, 0), "run_x", "log.b.n~"}
	if got, ok := ParseDisplaced(put.Name()); !ok || got != put || put.Name() != "1772352000~run_x~log.b.n~" {
		t.Errorf("%q is read as %+v", put.Name(), got)
	}
	for _, name := range []string{"x~run~slot", "1~run", "_index.0.json"} {
		if got, ok := ParseDisplaced(name); ok {
			t.Errorf("%q is taken for %+v", name, got)
		}
	}
}

// FuzzSlotName reads any name in a directory of slots: what is taken for a slot
// is written the same again, and belongs to a file of the run.
func FuzzSlotName(f *testing.F) {
	for _, seed := range []string{"0.-.abc", "i0.a.b", "log.-.-", "i-1.a.b", "+1.a.b", "i+0.a.b", "00.a.b", "old.a.b", "9999999999999999999.a.b", "...", "1.a.b.displaced"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		j := &Run{Files: []Change{{Path: "a.json"}, {Path: "b.json"}}, Indexes: []Index{{Path: "_index.json"}}}
		s, ok := j.ParseSlot(name, map[string]string{LabelLog: "log.json"})
		if !ok {
			return
		}
		if again := s.Name(); again != name && !strings.Contains(name, "-") && !strings.Contains(name, "..") && !strings.HasSuffix(name, ".") {
			t.Errorf("%q is read as %+v, which is written %q", name, s, again)
		}
		if !slices.Contains([]string{"a.json", "b.json", "_index.json", "log.json"}, s.Path) {
			t.Errorf("%q belongs to %q", name, s.Path)
		}
	})
}

// TestDeferred: what is sealed is read, ids of any kind included; anything else is damaged.
func TestDeferred(t *testing.T) {
	root, _, err := durable.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for i, ids := range [][]string{{"a"}, {"a", "b", "c"}, {`quo"ted`, "b"}, {`","`, "<&>", "é\n"}, {""}, {}, nil} {
		name := fmt.Sprint(i)
		doc, err := Seal(&Deferred{RunID: "run", IDs: ids})
		if err == nil {
			err = durable.WriteNew(root, name, doc, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := ReadDeferred(root, name)
		if err != nil || d.RunID != "run" || !slices.Equal(d.IDs, ids) {
			t.Errorf("%q: %+v, %v", ids, d, err)
		}
	}
	if err := root.Append("1", []byte(" ")); err != nil {
		t.Fatal(err)
	}
	if d, err := ReadDeferred(root, "1"); !errors.Is(err, ErrDamaged) {
		t.Errorf("of a damaged one: %+v, %v", d, err)
	}
}

// Whatever files hold is in a record, however large; and an edited one takes the room of one that
// is packed.
func TestLargeFilesAreKept(t *testing.T) {
	prose := strings.Repeat("{\"id\": \"mem\", \"content\": \"some words that are said again\"},\n", 2000)
	rapid.Check(t, func(t *rapid.T) {
		content := func(label string) Content {
			switch rapid.IntRange(0, 5).Draw(t, label) {
			case 0:
				return nil
			case 5: // text, with what JSON escapes
				return []byte(rapid.StringMatching("[a-zé<&\\x00\"\u2028\\\\]*").Draw(t, label+" text"))
			case 1:
				return rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, label+" bytes")
			case 2:
				return bytes.Repeat([]byte{'x'}, rapid.SampledFrom([]int{Large - 1, Large, Large + 1}).Draw(t, label+" size"))
			case 3: // noise, which can't be packed
				noise := make([]byte, Large+rapid.IntRange(0, 99).Draw(t, label+" more"))
				for i, seed := 0, rapid.Uint64().Draw(t, label+" seed"); i < len(noise); i++ {
					seed = seed*6364136223846793005 + 1442695040888963407
					noise[i] = byte(seed >> 56)
				}
				return noise
			}
			at := rapid.IntRange(0, len(prose)).Draw(t, label+" at")
			return []byte(prose[:at] + rapid.String().Draw(t, label+" edit") + prose[at:])
		}
		run := &Run{
			Files: []Change{{Path: "a", Base: "b", Next: "n", Before: content("before"), After: content("after")}, {Path: "c", Before: content("other"), Group: 1}},
			Exact: []Exact{{Path: "e", Before: content("exact")}},
		}
		doc, err := Seal(run)
		if err != nil {
			t.Fatal(err)
		}
		read := &Run{}
		if err := Unseal("x", doc, read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(run, read, cmp.Comparer(func(a, b Content) bool { return bytes.Equal(a, b) })); diff != "" {
			t.Fatal(diff)
		}
	})
	edited := strings.Replace(prose, "words", "other words", 1)
	doc, err := Seal(&Run{Files: []Change{{Before: []byte(prose), After: []byte(edited)}}})
	if err != nil || len(doc) > len(prose)/8 {
		t.Errorf("%v: a record of %d bytes for a file of %d", err, len(doc), len(prose))
	}
}

// What doesn't fit is an error, not a file that holds something else.
func TestPackedIsWrong(t *testing.T) {
	for _, file := range []string{
		`{"path":"a","before":"bm90IG11Y2g=","after_delta":[{"at":5,"copy":100}]}`, `{"path":"a","before":{"deflated":"AAAA"}}`, `{"path":"a","before":{"deflated":"not base64"}}`,
		`{"path":"a","before":{"deflated":""}}`, `{"path":"a","before":7}`, `{"path":"a","before":{"deflated":7}}`, `{"path":"a","after":[]x}`,
	} {
		body := `{"files":[` + file + `]}`
		if err := Unseal("x", []byte(durable.Sum([]byte(body))+"\n"+body), &Run{}); err == nil {
			t.Errorf("%s was read", file)
		}
	}
}
