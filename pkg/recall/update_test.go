package recall

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// fading scores memories by how many half-lives ago they were written; it never says more later.
func fading(at time.Time, halfLife time.Duration) func(m *memory.Memory) float64 {
	return func(m *memory.Memory) float64 {
		return math.Exp2(-max(at.Sub(m.Newest()), 0).Hours()/halfLife.Hours()) * float64(1+min(m.AccessCount, 4)) / 5
	}
}

// A searcher that is updated by whatever is done to the files finds what is found by one made
// again.
func TestUpdate(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir, store := opened(t, r)
		stock := random.Workspace(r)
		at := random.At
		load := func() *memory.Snapshot {
			snap, err := store.Load(at)
			if err != nil {
				r.Fatal(err)
			}
			return snap
		}
		snap := load()
		searcher, err := Open(nil, snap, 0)
		if err != nil {
			r.Fatal(err)
		}
		lives := []time.Duration{24 * 5 * time.Hour, 24 * 90 * time.Hour}
		for range 6 {
			chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
			at = at.Add(time.Duration(rapid.IntRange(-60, 90).Draw(r, "later")) * 5 * time.Hour)
			if edits := rapid.IntRange(0, 3).Draw(r, "edits"); edits > 0 {
				for range edits {
					if err := edit(dir, chance, stock); err != nil {
						r.Fatal(err)
					}
				}
				snap = load()
			} else {
				again := *snap
				snap, again.At = &again, at
			}
			searcher.Update(snap)
			if rapid.IntRange(0, 2).Draw(r, "compact") == 0 {
				searcher.compact()
			}
			anew, err := Open(nil, snap, 0)
			if err != nil {
				r.Fatal(err)
			}
			for range 3 {
				life := lives[chance.IntN(2)]
				ask := Request{
					Query: Query{Text: []string{"session limited to 30 minutes", "", "cache DEV-001 last month"}[chance.IntN(3)], At: at, Mode: Mode(chance.IntN(4)), Limit: 1 + chance.IntN(20)},
					Texts: chance.IntN(2) == 0, Score: fading(at, life),
				}
				want, wantLeftOut, err := anew.Search(ask)
				if err != nil {
					r.Fatal(err)
				}
				got, gotLeftOut, err := searcher.Search(ask)
				if err != nil {
					r.Fatal(err)
				}
				if diff := cmp.Diff(places(want), places(got), cmp.AllowUnexported(Hit{}, sought{})); diff != "" || wantLeftOut != gotLeftOut {
					r.Fatalf("%+v: %d left out, anew %d\n%s", ask.Query, gotLeftOut, wantLeftOut, diff)
				}
			}
		}
	})
}

// places are hits and where they stand: a document of an index that was updated and of one
// made again score the same to the last bits.
func places(hits []Found) (all []told) {
	for _, h := range hits {
		all = append(all, told{Hits: []Hit{h.Hit}, At: []string{h.Memory.Ref.String()}})
	}
	return all
}

// Memories that share an id are found each; the first in order goes by the id, and its
// successor when it is gone.
func TestRepeatedIDs(t *testing.T) {
	record := func(file, word string) *memory.Memory {
		ms, err := memory.ParseRecords(file, []byte(`{"id":"a","type":"semantic","content":"The gateway says `+word+`."}`))
		if err != nil {
			t.Fatal(err)
		}
		return ms[0]
	}
	one, two, three := record("global/one.json", "one"), record("global/two.json", "two"), record("global/two.json", "three")
	s, err := Open(nil, memory.NewSnapshot(noon, nil, nil), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		live []*memory.Memory
		want map[string]*memory.Memory
	}{
		{[]*memory.Memory{one, two}, map[string]*memory.Memory{"a": one, "a (" + two.Ref.String() + ")": two}},
		{[]*memory.Memory{one, three}, map[string]*memory.Memory{"a": one, "a (" + two.Ref.String() + ")": three}},
		{[]*memory.Memory{three}, map[string]*memory.Memory{"a": three}},
		{[]*memory.Memory{one, three, one}, map[string]*memory.Memory{"a": one, "a (" + two.Ref.String() + ")": three, "a (" + one.Ref.String() + ")": one}},
		{nil, map[string]*memory.Memory{}},
	} {
		s.Update(memory.NewSnapshot(noon, c.live, nil))
		found, _, err := s.Search(Request{Query: Query{Text: "gateway"}})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]*memory.Memory{}
		for _, f := range found {
			got[f.ID] = f.Memory
		}
		if !maps.Equal(got, c.want) || s.ix.Len() != len(c.want) {
			t.Errorf("found %v, want %v", got, c.want)
		}
	}
}
