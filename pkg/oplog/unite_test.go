package oplog_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/oplog"
)

// Two continuations of a log come together whichever is named first: no entry changes or is lost, and both results are sound.
func TestUnite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		more := func(doc []byte, label string) []byte {
			for range rapid.IntRange(0, 4).Draw(t, label) {
				n++
				next, err := oplog.Append(doc, &oplog.Entry{RunID: fmt.Sprintf("run_%d", n), Timestamp: time.Unix(int64(n), 0).UTC()})
				if err != nil {
					t.Fatal(err)
				}
				doc = next
			}
			return doc
		}
		var common []byte
		if rapid.Bool().Draw(t, "follows") {
			follow, err := oplog.Follow(more(nil, "before"), "ops/archive/before.json")
			if err != nil {
				t.Fatal(err)
			}
			common = follow
		}
		common = more(common, "common")
		a, b := more(common, "a"), more(common, "b")
		u := unite(t, a, b)
		if back := unite(t, b, a); !bytes.Equal(u.Doc, back.Doc) || !bytes.Equal(u.Branch, back.Branch) || u.First != back.First {
			t.Fatalf("other sides, other logs:\n%s\n%s", u.Doc, back.Doc)
		}
		have := runs(u.Doc)
		for r := range runs(u.Branch) {
			if have[r] {
				t.Fatalf("%s stands twice", r)
			}
			have[r] = true
		}
		for _, side := range [][]byte{a, b} {
			for r := range runs(side) {
				if !have[r] {
					t.Fatalf("%s is lost", r)
				}
			}
		}
		for _, doc := range [][]byte{u.Doc, u.Branch} {
			if found := oplog.Verify(doc); len(found) > 0 {
				t.Fatalf("%v\n%s", found, doc)
			}
		}
		// What goes on later comes to the same two logs.
		a, b = more(a, "more of a"), more(b, "more of b")
		again := unite(t, a, b)
		if u.Branch != nil && again.First != u.First {
			t.Fatal("the other side goes on")
		}
	})
}

func TestUniteRefuses(t *testing.T) {
	one, err := oplog.Append(nil, &oplog.Entry{RunID: "run_1", Timestamp: time.Unix(1, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	next, err := oplog.Follow(one, "ops/archive/one.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oplog.Unite(one, next); !errors.Is(err, oplog.ErrParts) {
		t.Error(err)
	}
	if _, err := oplog.Unite(one, []byte(`[]`)); !errors.Is(err, oplog.ErrBroken) {
		t.Error(err)
	}
}

func unite(t *rapid.T, a, b []byte) oplog.United {
	u, err := oplog.Unite(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// runs are the runs in a log.
func runs(doc []byte) map[string]bool {
	all := map[string]bool{}
	if log, err := oplog.Read(doc); err == nil {
		for _, e := range log.Entries {
			all[e.RunID] = true
		}
	}
	return all
}
