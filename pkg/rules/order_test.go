package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

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
