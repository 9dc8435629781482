package rules_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Explain says how a ttl stands, above all why one is never acted upon.
func TestExplainExpired(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		fields, is string
		acts       bool
	}{
		{`"ttl":"P30D","created_at":"2026-01-20T08:00:00Z"`, "ttl P30D, created 40 days ago", true},
		{`"ttl":"2026-02-28","created_at":"2026-02-20T08:00:00Z"`, "ttl 2026-02-28 has passed", true},
		{`"ttl":"2026-02-28"`, "ttl 2026-02-28 has passed", true},
		{`"ttl":"2026-03-01","created_at":"2026-02-20T08:00:00Z"`, "ttl 2026-03-01 has not passed", false},
		{`"ttl":"P30D"`, "ttl P30D, but created_at can't be read", false},
		{`"ttl":"permanent","created_at":"2025-01-20T08:00:00Z"`, "ttl permanent", false},
		{`"created_at":"2025-01-20T08:00:00Z"`, "ttl none", false},
		{`"ttl":"30","created_at":"2025-01-20T08:00:00Z"`, `ttl can't be read: "30" has no unit: write "30d" for days`, false},
		{`"ttl":30,"created_at":"2025-01-20T08:00:00Z"`, "ttl can't be read: it is no text", false},
	} {
		ms, err := memory.ParseRecords("global/m.json", fmt.Appendf(nil, `{"id":"m","type":"semantic","access_count":1,"last_accessed":"2026-02-28T00:00:00Z","content":"x",%s}`, tt.fields))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range rules.Explain(memory.NewSnapshot(at, ms, nil), rules.Request{Settings: config.Default()}, ms[0]).Verdicts {
			if v.Rule == rules.RuleExpired && (v.Acts != tt.acts || len(v.Conditions) != 1 || v.Conditions[0].Is != tt.is || v.Conditions[0].Met != tt.acts) {
				t.Errorf("%s: %+v", tt.fields, v)
			}
		}
	}
}

// A memory that a person brought back after its ttl had passed stays.
func TestExpiredAndRestored(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	ms, err := memory.ParseRecords("global/m.json", []byte(`{"id":"m","type":"semantic","ttl":"P30D","created_at":"2025-12-20T08:00:00Z","access_count":1,"last_accessed":"2026-02-28T00:00:00Z","content":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	for back, want := range map[string]int{"2026-01-10T00:00:00Z": 1, "2026-02-10T00:00:00Z": 0} {
		snap := memory.NewSnapshot(at, ms, nil)
		restored, err := time.Parse(time.RFC3339, back)
		if err != nil {
			t.Fatal(err)
		}
		snap.Restored = map[string]time.Time{"m": restored}
		if got := len(rules.Plan(snap, rules.Request{Settings: config.Default()}).Actions); got != want {
			t.Errorf("brought back at %s: %d actions, want %d", back, got, want)
		}
	}
}
