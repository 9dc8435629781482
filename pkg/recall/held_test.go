package recall

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
)

// fading scores memories by how many half-lives ago they were written; it never says more later.
func fading(at time.Time, halfLife time.Duration) func(m *workspace.Memory) float64 {
	return func(m *workspace.Memory) float64 {
		return math.Exp2(-max(at.Sub(m.Newest()), 0).Hours()/halfLife.Hours()) * float64(1+min(m.AccessCount, 4)) / 5
	}
}

// What a process holds, brought along through whatever is done to the files, finds what is found
// by an index made anew, whatever it remembers of earlier searches.
func TestHeldFollows(t *testing.T) {
	remembered := 0
	rapid.Check(t, func(r *rapid.T) {
		dir, store := opened(t, r)
		stock := storetest.Workspace(r)
		at := storetest.At
		load := func() *workspace.Snapshot {
			snap, err := store.Load(at)
			if err != nil {
				r.Fatal(err)
			}
			return snap
		}
		snap := load()
		held, err := Hold(nil, snap)
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
			held.Follow(snap)
			if rapid.IntRange(0, 2).Draw(r, "lay out") == 0 {
				if err := held.LayOut(); err != nil {
					r.Fatal(err)
				}
			}
			anew, err := Hold(nil, snap)
			if err != nil {
				r.Fatal(err)
			}
			for range 3 {
				life := lives[chance.IntN(2)]
				ask := Ask{
					Query: Query{Text: []string{"session limited to 30 minutes", "", "cache DEV-001 last month"}[chance.IntN(3)], At: at, Mode: Mode(chance.IntN(4)), Limit: 1 + chance.IntN(20)},
					Texts: chance.IntN(2) == 0, Score: fading(at, life),
				}
				want, wantHeld, err := anew.Search(ask)
				if err != nil {
					r.Fatal(err)
				}
				ask.By = life
				got, gotHeld, err := held.Search(ask)
				if err != nil {
					r.Fatal(err)
				}
				if diff := cmp.Diff(places(want), places(got)); diff != "" || wantHeld != gotHeld {
					r.Fatalf("%+v: %d left out, anew %d\n%s", ask.Query, gotHeld, wantHeld, diff)
				}
				if said := held.said.last.Load(); said != nil {
					for d := range held.ix.size() {
						if said.most(d, at) < ask.Tiers.least(ask.Mode) {
							remembered++
							break
						}
					}
				}
			}
		}
	})
	if remembered == 0 {
		t.Error("no search could have been spared a question")
	}
}

// places are hits and where they stand: a document of an index that was brought along and of one
// made anew score the same to the last bits.
func places(hits []Found) (all []told) {
	for _, h := range hits {
		all = append(all, told{Hits: []Hit{h.Hit}, At: []string{h.Memory.Ref.String()}})
	}
	return all
}
