package app

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// BenchmarkNearCopies plans 50,000 memories in collections of a hundred of which a quarter are
// near-copies of another one: half of these state another number, so that a person is asked,
// and the others wait for a run with room. Without a cache the ratio is to what a plain program
// pays to extract all values, and where nothing has changed to the plan without a cache.
func BenchmarkNearCopies(b *testing.B) {
	const n, each = 50_000, 100
	dir, s := b.TempDir(), newShaped(latin, ". ")
	var last map[string]any
	var text string
	for at := 0; at < n; at += each {
		all := make([]any, each)
		for i := range all {
			m := s.memory(at + i)
			m["created_by"] = "DEV-001"
			if i%8 == 0 {
				text, last = m["content"].(string), m
			}
			if i%8 < 3 {
				m["type"], m["tags"] = last["type"], last["tags"]
				counted, number := "were counted", 100+i/8
				if i%16 > 8 {
					number += i % 8
				} else if i%8 > 0 {
					counted = "have been counted"
				}
				m["content"] = fmt.Sprintf("In all %d %s. %s", number, counted, text)
			}
			all[i] = m
		}
		doc, err := json.MarshalIndent(map[string]any{"entries": all}, "", "  ")
		if err != nil {
			b.Fatal(err)
		}
		write(b, dir, fmt.Sprintf("agents/DEV-%03d/%06d.json", at/each%12, at), doc)
	}
	anew := func() time.Duration {
		begun := time.Now()
		store, _, plan := planAnew(b, dir)
		took := time.Since(begun)
		if stats := plan.Stats(); stats.MemoriesFlagged < n/20 || stats.MemoriesDeferred < n/20 {
			b.Fatalf("%+v", stats)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
		return took
	}
	b.Run("anew", func(b *testing.B) {
		var plans, floors []time.Duration
		for b.Loop() {
			begun := time.Now()
			extractAll(b, dir)
			floors = append(floors, time.Since(begun))
			plans = append(plans, anew())
		}
		report(b, plans, floors)
	})
	b.Run("again", func(b *testing.B) {
		var plans, floors []time.Duration
		for b.Loop() {
			floors = append(floors, anew())
			plans = append(plans, planAgain(b, dir))
		}
		report(b, plans, floors)
	})
}
