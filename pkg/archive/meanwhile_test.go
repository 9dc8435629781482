package archive_test

import (
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// What a rule archived comes back if the archived record was edited since, as a merge of two machines leaves it; reads and what was
// done to it in the archive are no reason, and nor is what the log has of other machines at later times.
func TestEditedMeanwhile(t *testing.T) {
	const was = `{"id": "mem_a", "type": "factual", "updated_at": "2026-01-01T00:00:00Z", "content": "The shed is green.", "access_count": 1}`
	for name, c := range map[string]struct {
		now, rule string
		after     *oplog.Action // in the log of another machine, later
		back      bool
	}{
		"as it was":           {now: was, rule: memory.RuleArchive},
		"read":                {now: strings.Replace(was, `"access_count": 1`, `"access_count": 7, "last_accessed": "2026-02-01T00:00:00Z"`, 1), rule: memory.RuleArchive},
		"edited":              {now: strings.Replace(was, "green", "red", 1), rule: memory.RuleArchive, back: true},
		"by hand":             {now: strings.Replace(was, "green", "red", 1), rule: memory.RuleManual},
		"edited there, later": {now: strings.Replace(was, "green", "red", 1), rule: memory.RuleArchive, back: true, after: &oplog.Action{Type: oplog.Edit, MemoryID: "mem_a", From: "global/mem_a.json"}},
		"redacted":            {now: strings.Replace(was, "green", "red", 1), rule: memory.RuleArchive, after: &oplog.Action{Type: oplog.Edit, MemoryID: "mem_a", From: "archive/mem_a.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := memory.ParseRecord([]byte(was), memory.Ref{File: "archive/mem_a.json"})
			log := &oplog.Log{Entries: []oplog.Entry{{RunID: "run_1", Actions: []oplog.Action{{
				Type: oplog.Archive, Rule: c.rule, MemoryID: "mem_a", From: "global/mem_a.json", Archived: map[string]string{"mem_a": string(m.EditDigest())},
			}}}}}
			if c.after != nil {
				log.Entries = append(log.Entries, oplog.Entry{RunID: "run_2", Actions: []oplog.Action{*c.after}})
			}
			s := open(t, t.TempDir(), map[string]string{"archive/mem_a.json": c.now})
			defer func() { _ = s.Close() }()
			snap, err := s.Load(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
			if err != nil {
				t.Fatal(err)
			}
			actions := archive.EditedMeanwhile(snap, log)
			if got := len(actions) == 1; got != c.back || got && (actions[0].Reason != archive.ReasonEdited || actions[0].Type != oplog.Restore) {
				t.Errorf("%+v", actions)
			}
		})
	}
}
