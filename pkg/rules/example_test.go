package rules_test

import (
	"fmt"
	"log"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// A plan is computed from a snapshot alone. Nothing is written.
func ExamplePlan() {
	ms, err := memory.ParseRecords("agents/DEV-001/notes.json", []byte(`[
		{"id": "mem_a", "type": "factual", "created_by": "DEV-001", "created_at": "2026-02-01T09:00:00Z", "last_accessed": "2026-02-20T09:00:00Z", "access_count": 3,
		 "tags": ["db"], "content": "The API opens at most 20 Postgres connections per pod."},
		{"id": "mem_b", "type": "factual", "created_by": "DEV-001", "created_at": "2026-02-10T09:00:00Z", "last_accessed": "2026-02-20T09:00:00Z", "access_count": 3,
		 "tags": ["db"], "content": "The API opens at most 20 postgres connections per pod!"},
		{"id": "mem_c", "type": "factual", "created_by": "DEV-001", "created_at": "2025-09-01T09:00:00Z",
		 "tags": ["flags"], "content": "Flags that could be removed after the autumn sale."}
	]`))
	if err != nil {
		log.Fatal(err)
	}
	snapshot := memory.NewSnapshot(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), ms, nil)
	plan := rules.Plan(snapshot, rules.Request{Settings: config.Default()})
	for _, a := range plan.Actions {
		fmt.Println(a.Rule, a.SourceIDs, a.ResultID+a.MemoryID)
	}
	// Output:
	// merge [mem_a] mem_b
	// archive [] mem_c
}
