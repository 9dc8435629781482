package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
)

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// record makes a memory of a text and further members of its record.
func record(id, text, more string) *memory.Memory {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	raw := fmt.Sprintf(`{"id":%q,"type":"semantic","content":%s%s}`, id, quoted, more)
	return memory.ParseRecord([]byte(raw), memory.Ref{File: "global/" + id + ".json"})
}

func lines(g *Graph) (all []string) {
	for _, e := range g.Edges {
		all = append(all, e.Name.String()+" "+e.Origin+" "+e.Place)
	}
	return all
}

func TestStated(t *testing.T) {
	live := []*memory.Memory{
		record("mem_1", "The cache holds tokens.", `,"title":"Cache of session tokens","references":["mem_2",{"type":"memory","id":"mem_3","relationship":"depends-on"},{"type":"file","id":"x.go"}]`),
		record("mem_2", "This depends on mem_1. It does not depend on mem_3.", ``),
		record("mem_3", "Fixed by the change in global/mem_4.json.", `,"supersedes":["mem_9"],"promoted_from":["mem_4"]`),
		record("mem_4", "We talked about the cache of session tokens at length.", `,"superseded_by":["nowhere"]`),
		record("word", "mem_1 is blocked by mem_2", ``),
		record("mem_5", "A word is no id.", `,"subtype":"cluster_summary","cluster":{"members":[{"id":"mem_1"},{"id":"mem_2"},{"id":"mem_8"}]}`),
	}
	archived := []*memory.Memory{record("mem_9", "old", "")}
	got := lines(Of(memory.NewSnapshot(at, live, archived)))
	want := []string{
		"mem_1 DEPENDS_ON mem_3 field references",
		"mem_1 RELATES_TO mem_2 field references",
		"mem_2 DEPENDS_ON mem_1 mention id",
		"mem_2 RELATES_TO mem_3 mention id",
		"mem_3 SUPERSEDES mem_9 field supersedes",
		"mem_4 FIXES mem_3 mention path",
		"mem_4 PROMOTED_TO mem_3 field promoted_from",
		"mem_4 RELATES_TO mem_1 mention title",
		"mem_5 SUMMARISES mem_1 field cluster",
		"mem_5 SUMMARISES mem_2 field cluster",
		"word BLOCKED_BY mem_2 mention id",
		"word RELATES_TO mem_1 mention id",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Two memories with one title: nobody knows which is meant.
func TestTitlesThatSeveralHave(t *testing.T) {
	title := `,"title":"Notes of the retrospective"`
	g := Of(memory.NewSnapshot(at, []*memory.Memory{record("m1", "one", title), record("m2", "two", title), record("m3", "See notes of the retrospective.", "")}, nil))
	if len(g.Edges) > 0 {
		t.Errorf("%v", g.Edges)
	}
}

func TestJudged(t *testing.T) {
	a, b, c := record("mem_a", "See mem_b.", ""), record("mem_b", "b", ""), record("mem_c", "c", "")
	judged := func(from, to *memory.Memory, kind, by string) edgefile.Edge {
		return edgefile.Edge{Name: edgefile.Name{From: from.ID, Type: kind, To: to.ID}, By: by, Digests: Digests(from, to)}
	}
	old := judged(b, c, edgefile.DependsOn, "m")
	old.Digests[0] = "other"
	changed := judged(b, c, edgefile.Fixes, edgefile.User)
	changed.Digests[1] = "other"
	refused := judged(a, b, edgefile.RelatesTo, edgefile.User)
	refused.Rejected = true
	gone := judged(c, record("mem_gone", "", ""), edgefile.Fixes, edgefile.User)
	s := memory.NewSnapshot(at, []*memory.Memory{a, b, c}, nil)
	s.Edges = func() []edgefile.Edge {
		return []edgefile.Edge{old, changed, refused, gone, judged(a, c, edgefile.DependsOn, "m"), judged(a, c, edgefile.Contradicts, edgefile.User)}
	}
	g := Of(s)
	got, want := lines(g), []string{"mem_a CONTRADICTS mem_c user ", "mem_a DEPENDS_ON mem_c model ", "mem_b FIXES mem_c user "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if e, ok := g.Find(changed.Name); !ok || !e.Changed {
		t.Errorf("%+v: a person's edge counts on, and says that a text has changed", e)
	}
	if len(g.Old) != 1 || len(g.Rejected) != 1 {
		t.Errorf("old %v, rejected %v", g.Old, g.Rejected)
	}
	best := g.Best("mem_c", 2, func(other string) bool { return other != "mem_b" })
	if len(best) != 2 || best[0].Type != edgefile.Contradicts {
		t.Errorf("best: %v", best)
	}
}

func TestCue(t *testing.T) {
	for before, want := range map[string]string{
		"This depends on ": "DEPENDS_ON", "It doesn't depend on ": "RELATES_TO", "never replaces ": "RELATES_TO", "It requires the module of ": "DEPENDS_ON",
		"is required by ": "DEPENDS_ON turned", "superseded by ": "SUPERSEDES turned", "supersedes ": "SUPERSEDES", "Fixes, at last, the bug of ": "RELATES_TO",
		"contrary to what we wrote in ": "CONTRADICTS", "see ": "RELATES_TO", "": "RELATES_TO",
	} {
		kind, turned := cue(before)
		if turned {
			kind += " turned"
		}
		if kind != want {
			t.Errorf("%q: %s, want %s", before, kind, want)
		}
	}
}

// TestOrder: the order of memories says nothing, and each name stands once.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := []string{"mem_1", "mem_2", "mem_3", "mem_4"}
		var live []*memory.Memory
		for _, id := range ids {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(ids, "depends on", "fixes", "not", ".", "global/mem_1.json", "the title of one")), 0, 9).Draw(t, "text"), " ")
			live = append(live, record(id, text, rapid.SampledFrom([]string{"", `,"title":"The title of one"`, `,"supersedes":["mem_2"]`}).Draw(t, "more")))
		}
		g := Of(memory.NewSnapshot(at, live, nil))
		slices.Reverse(live)
		if again := Of(memory.NewSnapshot(at, live, nil)); !slices.Equal(g.Edges, again.Edges) {
			t.Fatalf("%v, then %v", g.Edges, again.Edges)
		}
		if !slices.IsSortedFunc(g.Edges, func(a, b Edge) int { return a.Compare(b.Name) }) {
			t.Fatalf("%v", g.Edges)
		}
	})
}

func FuzzMentions(f *testing.F) {
	f.Add("depends on mem_2. fixes the title of it", "The title of it")
	f.Fuzz(func(t *testing.T, body, title string) {
		quoted, err := json.Marshal(title)
		if err != nil {
			return
		}
		Of(memory.NewSnapshot(at, []*memory.Memory{record("mem_1", body, ""), record("mem_2", body, `,"title":`+string(quoted))}, nil))
	})
}
