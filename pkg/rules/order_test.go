package rules

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Memories are in the order of their birth and then of their ids, however many were born in
// the same second, day or nanosecond, and whatever ids stand twice.
func TestSorted(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		grain := oneOf(r, time.Nanosecond, 300*time.Millisecond, time.Second, 24*time.Hour)
		n := oneOf(r, 0, 1, 2, 3, 50, 300)
		var live []*workspace.Memory
		for i := range n {
			born := ""
			if r.IntN(10) > 0 {
				born = fmt.Sprintf(`"created_at":%q,`, time.Unix(oneOf[int64](r, 0, -1, 1), 0).Add(time.Duration(r.IntN(1+n/3))*grain).UTC().Format(time.RFC3339Nano))
			}
			ms, err := workspace.ParseRecords(fmt.Sprintf("global/%04d.json", i), fmt.Appendf(nil, `{"id":"m%d",%s"content":"x"}`, r.IntN(1+n), born))
			if err != nil || len(ms) != 1 {
				t.Fatal(ms, err)
			}
			live = append(live, ms[0])
		}
		p := newPlanner(workspace.NewSnapshot(time.Unix(1e9, 0), live, nil), Request{Settings: config.Default()}).cover(nil)
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return older(live[a], live[b]) })
		if !slices.Equal(p.places, want) {
			t.Fatalf("seed %d: %v, want %v", seed, p.places, want)
		}
	}
}

// Numbers are in the order of what they are ordered by, and those of one in their own.
func TestNumbersBy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int32{0, 1, 5, 1 << 11, 1 << 12, math.MaxInt32}).Draw(t, "most")
		by := rapid.SliceOfN(rapid.Int32Range(0, most), 0, 200).Draw(t, "by")
		want := make([]int32, len(by))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(i, j int32) int { return cmp.Compare(by[i], by[j]) })
		if got := numbersBy(len(by), func(i int32) int32 { return by[i] }); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// Visits that an earlier plan has put in order keep that, new ones stand where they belong among them, and
// afterwards each knows its place.
func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "visits")
		var live []*workspace.Memory
		for i := range n {
			updated := time.Unix(rapid.Int64Range(0, 5).Draw(t, "updated"), 0).UTC().Format(time.RFC3339)
			ms, err := workspace.ParseRecords(fmt.Sprintf("global/%02d.json", i), fmt.Appendf(nil, `{"id":"m%02d","updated_at":%q,"content":"x"}`, i, updated))
			if err != nil || len(ms) != 1 {
				t.Fatal(ms, err)
			}
			live = append(live, ms[0])
		}
		p := newPlanner(workspace.NewSnapshot(time.Unix(1e9, 0), live, nil), Request{Settings: config.Default()}).cover(nil)
		events := make([]event, n)
		for k := range events {
			events[k].of = int32(k)
		}
		slices.SortFunc(events, func(a, b event) int { return p.before(a.of, b.of) })
		turn := int32(0)
		for i := range events { // of some an earlier plan knows the turn, and of others that are gone
			if turn += rapid.Int32Range(1, 3).Draw(t, "after"); rapid.Bool().Draw(t, "known") {
				events[i].turn = turn
			}
		}
		want := make([]int32, n)
		for i := range events {
			want[i] = events[i].of
		}
		tr := &trace{events: rapid.Permutation(events).Draw(t, "as they lie")}
		var got []int32
		last := int32(0)
		for _, e := range tr.inOrder(p) {
			if got = append(got, e.of); e.turn <= last {
				t.Fatalf("the visit of %d has turn %d behind %d", e.of, e.turn, last)
			}
			last = e.turn
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
