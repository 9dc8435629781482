package trigger

import (
	"fmt"
	"testing"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// The save that crosses a line starts a run, once; the one before and the one after don't.
func TestAtSave(t *testing.T) {
	session := memory.Scope{Kind: "session", ID: "s1"}
	for _, x := range []struct {
		name         string
		here, others int // working memories of the session, and of nobody
		change       func(*config.Settings)
		scope        memory.Scope
		want         string
	}{
		{name: "19 messages", here: 18, scope: session},
		{name: "20 messages", here: 19, scope: session, want: "session:s1"},
		{name: "21 messages", here: 20, scope: session},
		{name: "40 messages", here: 39, scope: session, want: "session:s1"},
		{name: "20 messages of several", here: 10, others: 9, scope: session},
		{name: "no session", others: 19, scope: memory.Global},
		{name: "1,000 in all", others: 999, scope: memory.Global},
		{name: "1,001 in all", others: 1000, scope: memory.Global, want: "all"},
		{name: "1,002 in all", others: 1001, scope: memory.Global},
		{name: "off", here: 19, scope: session, change: func(s *config.Settings) { s.Triggers.Threshold = false }},
		{name: "not automatic", here: 19, scope: session, change: func(s *config.Settings) { s.Triggers.Automatic = false }},
		{name: "too few memories", here: 19, scope: session, change: func(s *config.Settings) { s.Consolidate.MinMemories = 21 }},
	} {
		var all []*memory.Memory
		add := func(dir string, n int) {
			for i := range n {
				name := fmt.Sprintf("%s/w%d.json", dir, i)
				ms, err := memory.ParseRecords(name, fmt.Appendf(nil, `{"id":"%s%d","type":"working","created_at":"2026-03-01T08:00:00Z","content":"x"}`, dir[:2], i))
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, ms...)
			}
		}
		add("sessions/S1", x.here)
		add("working", x.others)
		set := config.Default()
		if set.Triggers.Threshold = true; x.change != nil {
			x.change(&set)
		}
		due, ok := AtSave(set, memory.NewSnapshot(all[0].CreatedAt, all, nil), x.scope)
		got := ""
		if ok {
			if got = due.Session; got == "" {
				got = "all"
			}
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}
