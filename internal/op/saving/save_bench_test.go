package saving_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// record makes a memory of about a hundred words, of which a few are frequent; every tenth of them is an earlier one with a
// few words changed.
func records(t testing.TB, n int, prefix string, seed uint64) []*memory.Memory {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 9))
	texts := make([][]string, n)
	out := make([]*memory.Memory, n)
	for i := range out {
		words := make([]string, 50+chance.IntN(100))
		for j := range words {
			at := chance.Float64()
			words[j] = fmt.Sprint("word", int(at*at*at*20_000))
		}
		if i > 0 && i%10 == 0 {
			words = slices.Clone(texts[chance.IntN(i)])
			for range len(words) / 20 {
				words[chance.IntN(len(words))] = fmt.Sprint("word", chance.IntN(20_000))
			}
		}
		texts[i] = words
		raw, err := json.Marshal(map[string]any{
			"id": fmt.Sprint(prefix, i), "type": "semantic", "created_by": "DEV-001", "scope": "global", "created_at": "2026-02-01T09:00:00Z",
			"content": map[string]any{"summary": strings.Join(words[:10], " "), "details": strings.Join(words, " ")},
		})
		if err != nil {
			t.Fatal(err)
		}
		ms, err := memory.ParseRecords(fmt.Sprintf("global/%s%d.json", prefix, i), raw)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = ms[0]
	}
	return out
}

// BenchmarkCheck is what a memory waits for inside a process that goes on before it is written: the search for secrets, and the
// check against 100,000 memories of its kind. It reports the 50th and the 99th percentile of 2,000.
func BenchmarkCheck(b *testing.B) {
	snap := memory.NewSnapshot(random.At, records(b, 100_000, "m", 1), nil)
	settings := config.Default()
	index := saving.NewIndex(settings)
	index.Check(snap, settings, snap.Memories()[0]) // which reads those of its kind
	fresh := records(b, 2000, "new", 2)
	for i := range fresh {
		if i%10 == 0 { // the same again
			fresh[i] = records(b, 1, "again", 1)[0]
		}
	}
	var took []time.Duration
	similar := 0
	for b.Loop() {
		for _, m := range fresh {
			begun := time.Now()
			found := secrets.Default().FindRecord(m.Raw())
			near, _ := index.Check(snap, settings, m)
			took = append(took, time.Since(begun))
			if near != nil {
				similar++
			}
			if len(found) > 0 {
				b.Fatal(found)
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
	b.ReportMetric(float64(similar)/float64(len(took)), "similar/op")
	b.ReportMetric(0, "ns/op")
}
