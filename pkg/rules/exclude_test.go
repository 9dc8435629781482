package rules

import (
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Explain lists every exclusion that applies, not only the first.
func TestExplainListsEachExclusion(t *testing.T) {
	m, err := memory.OneRecord("m.json", []byte(`{"id": "mem_1", "type": "semantic", "subtype": "decision", "priority": "critical", "created_by": "USER", "created_at": "2026-02-28T09:00:00Z", "content": {"summary": "We use Postgres."}}`))
	if err != nil {
		t.Fatal(err)
	}
	st := newState(memory.NewSnapshot(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), []*memory.Memory{m}, nil), Request{Settings: config.Default()})
	unmet := map[string]bool{}
	for _, c := range st.conditionsOf(m) {
		unmet[c.What] = !c.Met
	}
	for _, want := range []string{"priority is not critical", "not created_by USER without consent", "not a semantic decision"} {
		if !unmet[want] {
			t.Errorf("%q is listed as met", want)
		}
	}
	if reason, _ := st.excluded(&subject{Memory: m}, exceptions{}); reason != ReasonCritical {
		t.Errorf("the reason is %q, want the first that applies: %q", reason, ReasonCritical)
	}
}
