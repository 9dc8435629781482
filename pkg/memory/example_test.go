package memory_test

import (
	"fmt"
	"log"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

// A file of several memories is a collection. A snapshot needs no disk.
func ExampleNewSnapshot() {
	ms, err := memory.ParseRecords("teams/qa/learnings.json", []byte(`{"memories": [
		{"id": "mem_pool", "type": "factual", "tags": ["db"], "content": "The API opens at most 20 connections per pod."},
		{"id": "mem_flaky", "type": "procedural", "tags": ["tests"], "content": {"title": "Flaky tests", "details": "Run it ten times first."}}
	]}`))
	if err != nil {
		log.Fatal(err)
	}
	snapshot := memory.NewSnapshot(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), ms, nil)
	for _, m := range snapshot.Memories() {
		fmt.Println(m.ID, m.Type, m.Scope, m.Tags)
	}
	// Output:
	// mem_pool factual team:qa [db]
	// mem_flaky procedural team:qa [tests]
}
