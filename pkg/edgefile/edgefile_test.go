package edgefile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func edge(from, kind, to string) Edge {
	return Edge{Name: Name{from, kind, to}, By: User, Digests: [2]string{"d1", "d2"}}
}

func add(e Edge) Change { return Change{File: "global/_edges.json", Name: e.Name, Now: e.JSON()} }

func TestPatch(t *testing.T) {
	first, err := Patch(nil, []Change{add(edge("b", DependsOn, "c")), add(edge("a", Fixes, "c"))})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "version": "1.0.0",
  "edges": [
    {"from": "a", "type": "FIXES", "to": "c", "by": "USER", "digests": ["d1", "d2"]},
    {"from": "b", "type": "DEPENDS_ON", "to": "c", "by": "USER", "digests": ["d1", "d2"]}
  ]
}
`
	if string(first) != want {
		t.Fatalf("%s, want %s", first, want)
	}
	e := edge("a", RelatesTo, "b")
	e.Confidence, e.Reason, e.Quote, e.Rejected = .75, `says "so"`, "a\nb", true
	second, err := Patch(first, []Change{add(e)})
	if err != nil || strings.Count(string(second), "\n") != strings.Count(want, "\n")+1 || !strings.Contains(string(second), `"confidence": 0.75`) {
		t.Fatalf("%s, %v", second, err)
	}
	edges, err := Parse(second)
	if err != nil || len(edges) != 3 || !slices.IsSortedFunc(edges, func(a, b Edge) int { return a.Compare(b.Name) }) {
		t.Fatalf("%v, %v", edges, err)
	}
	got := edges[1]
	if got.Raw = ""; fmt.Sprint(got) != fmt.Sprint(e) {
		t.Errorf("%v, want %v", got, e)
	}
	if back, err := Patch(second, []Change{add(e).Inverse()}); err != nil || string(back) != want {
		t.Errorf("taken back: %s, %v", back, err)
	}
}

// What others wrote stays: members, elements, layout; and an edge that they changed is theirs.
func TestOthersEdits(t *testing.T) {
	doc := `{"note":"mine","edges":[7,{"from":"a","type":"FIXES","to":"b","by":"USER","colour":"red"},{"nothing":1}],"version":"9"}`
	next, err := Patch([]byte(doc), []Change{add(edge("a", DependsOn, "b"))})
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{`"note":"mine"`, `"colour":"red"`, `{"nothing":1}`, `[7,`, `"version":"9"`} {
		if !strings.Contains(string(next), kept) {
			t.Errorf("%s is gone: %s", kept, next)
		}
	}
	mine := edge("a", Fixes, "b")
	for _, c := range []Change{add(mine), add(mine).Inverse()} {
		if got, err := Patch([]byte(doc), []Change{c}); err != nil || string(got) != doc {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	for _, broken := range []string{"", "{", "[]", `{"edges":{}}`, `{"pairs":[]}`} {
		if _, err := Parse([]byte(broken)); err == nil {
			t.Errorf("%q: no error", broken)
		}
	}
}

// TestInverse: a change, then its inverse, is the identity byte for byte; a change twice is a change once.
func TestInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := rapid.Custom(func(t *rapid.T) Edge {
			e := edge(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "from"), rapid.SampledFrom(Types()).Draw(t, "type"), rapid.SampledFrom([]string{"x", "y"}).Draw(t, "to"))
			e.Reason, e.Confidence = rapid.String().Draw(t, "reason"), rapid.Float64Range(0, 1).Draw(t, "confidence")
			return e
		})
		var doc []byte
		var err error
		for range rapid.IntRange(1, 8).Draw(t, "edges") {
			if doc, err = Patch(doc, []Change{add(any.Draw(t, "edge"))}); err != nil {
				t.Fatal(err)
			}
		}
		edges, err := Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		e := any.Draw(t, "change")
		c := add(e)
		for _, old := range edges {
			if old.Name == e.Name {
				c.Was = old.Raw
			}
		}
		if rapid.Bool().Draw(t, "remove") {
			c.Now = ""
		}
		next, err := Patch(doc, []Change{c})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Patch(next, []Change{c}); err != nil || string(again) != string(next) {
			t.Fatalf("twice: %s, once %s, %v", again, next, err)
		}
		if back, err := Patch(next, []Change{c.Inverse()}); err != nil || string(back) != string(doc) {
			t.Fatalf("%s\nback %s\nwas %s, %v", next, back, doc, err)
		}
	})
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte(`{"edges":[{"from":"a","type":"FIXES","to":"b"},3]}`), "a", "FIXES", "b")
	f.Fuzz(func(t *testing.T, doc []byte, from, kind, to string) {
		edges, err := Parse(doc)
		next, failed := Patch(doc, []Change{add(edge(from, kind, to))})
		if err != nil || failed != nil || from == "" || kind == "" || to == "" {
			return
		}
		after, err := Parse(next)
		if err != nil || len(after) < len(edges) || len(after) > len(edges)+1 {
			t.Fatalf("%d edges, then %d: %s, %v", len(edges), len(after), next, err)
		}
	})
}
