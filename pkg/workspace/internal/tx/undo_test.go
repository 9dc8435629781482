package tx

import (
	"testing"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// A record of an older version may hold changes that leave every byte as it was: an undo
// and the history pass over them.
func TestIdleOpsOfOldRecords(t *testing.T) {
	const before, after = `{"id":"c1","type":"semantic","content":"a"}`, `{"id":"c1","type":"semantic","content":"b"}`
	digest := func(text string) string { return string(memory.DigestOf([]byte(text))) }
	past := newPastRun("run", nil)
	past.j.Files = []journal.Change{{Path: "long/c1.json", Base: "a", Next: "b", Before: []byte(before), After: []byte(after)}}
	past.j.Actions = []journal.Action{{Action: oplog.Action{Type: oplog.Edit, MemoryID: "c1"}, Ops: []journal.Op{
		{Kind: journal.Put, ID: "c1", Ref: "long/c1.json", Base: digest(before), Next: digest(after)},
		{Kind: journal.Put, ID: "c0", Ref: "long/c0.json", Base: "same", Next: "same"},
	}}}
	inverse, err := past.inverse(&past.j.Actions[0])
	if err != nil || len(inverse.Ops) != 1 || inverse.Ops[0].ID != "c1" || string(inverse.Ops[0].Raw) != before {
		t.Errorf("undoing a record of before: %+v, %v", inverse, err)
	}
	if vs := past.versions("c0"); len(vs) > 0 {
		t.Errorf("c0 was changed: %+v", vs)
	}
	if vs := past.versions("c1"); len(vs) != 1 || string(vs[0].After) != after {
		t.Errorf("c1: %+v", vs)
	}
}
