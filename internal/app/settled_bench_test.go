package app

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// BenchmarkPlanSettled plans without a cache where nothing is to be done: what all texts say of
// others, and those that may update each other, are looked for then. The memories are of a
// thousand directories, a few days old and none like another.
func BenchmarkPlanSettled(b *testing.B) {
	const n, dirs = 50_000, 1000
	dir, r := b.TempDir(), rand.New(rand.NewPCG(7, 11))
	var words [4000]string
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += string("bdfgklmnprstvz"[r.IntN(14)]) + string("aeiou"[r.IntN(5)])
		}
	}
	text := func(n int) (s string) {
		for range n {
			s += words[int(float64(len(words))*r.Float64()*r.Float64())] + " " // some more often than others
		}
		return s
	}
	for i := range n {
		made := copiesAt.Add(-time.Duration(24*60+r.IntN(4*24*60)) * time.Minute).Format(time.RFC3339)
		at := r.IntN(dirs)
		doc, err := json.MarshalIndent(map[string]any{
			"id": fmt.Sprintf("mem_%06d", i), "type": []string{"factual", "procedural", "semantic"}[i%3], "created_by": fmt.Sprintf("DEV-%03d", at%50),
			"created_at": made, "updated_at": made, "tags": []string{words[r.IntN(200)], words[r.IntN(200)], words[r.IntN(200)]},
			"content": map[string]string{"title": text(5), "summary": text(12), "details": text(60 + r.IntN(100))},
		}, "", "  ")
		if err != nil {
			b.Fatal(err)
		}
		write(b, dir, fmt.Sprintf("agents/DEV-%03d/%03d/mem_%06d.json", at%50, at, i), doc)
	}
	for b.Loop() {
		store, _, plan := planAnew(b, dir)
		if !plan.Empty() {
			b.Fatalf("%d actions", len(plan.Actions))
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// planAnew plans without a cache.
func planAnew(b *testing.B, dir string) (*workspace.FileStore, *memory.Snapshot, *memory.Plan) {
	b.Helper()
	store, err := workspace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	store.Derive = Deriver
	if err := store.Cache().Write("catalog", nil); err != nil {
		b.Fatal(err)
	}
	snap, err := store.Load(copiesAt)
	if err != nil {
		b.Fatal(err)
	}
	plan, err := MakePlan(store, snap, rules.Request{Settings: config.Default()})
	if err != nil {
		b.Fatal(err)
	}
	return store, snap, plan
}
