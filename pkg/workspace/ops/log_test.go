package ops_test

import (
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/memfs"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// The log of a machine has the entries of its branches, and none of another machine whose name begins like its own.
func TestOwnLogHasItsBranches(t *testing.T) {
	root := memfs.New()
	if err := ops.WriteMachine(root, "anna"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"anna", "anna+12345678", "anna-2", "ben"} {
		doc, err := oplog.Append(nil, &oplog.Entry{RunID: "run_" + name, Timestamp: time.Unix(1, 0).UTC()})
		if err != nil {
			t.Fatal(err)
		}
		if err := durable.WriteNew(root, ops.LogsDir+"/"+name+".json", doc, 0); err != nil {
			t.Fatal(err)
		}
	}
	log := ops.NewLog(ops.Own(root, "anna"))
	own, err := log.ReadOwn()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"anna": true, "anna+12345678": true, "anna-2": false, "ben": false} {
		if _, has := own.Find("run_" + name); has != want {
			t.Errorf("%s: %v", name, has)
		}
	}
	if all, err := log.Read(); err != nil || len(all.Entries) != 4 {
		t.Errorf("all logs have %d entries: %v", len(all.Entries), err)
	}
}
