package find

import (
	"fmt"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Shown is a record to print, and what to say above it.
type Shown struct {
	Memory  *memory.Memory
	About   string // where an original comes from
	Version string // of which run it is the result
}

// Records finds the memories with the ids: all of those that share one, too.
func Records(snap *memory.Snapshot, ids []string) (all []Shown, err error) {
	if err := Known(snap, ids...); err != nil {
		return nil, err
	}
	for _, id := range ids {
		for _, m := range snap.Find(id) {
			all = append(all, Shown{Memory: m})
		}
	}
	return all, nil
}

// Originals reads the records that were kept before the last action that replaced
// the text of each memory.
func Originals(store *workspace.FileStore, snap *memory.Snapshot, ids []string) (all []Shown, err error) {
	log, err := store.Log().Read()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		action, entry := lastReplaced(log, id)
		if action == nil {
			if len(snap.Find(id)) == 0 {
				return nil, Missing(snap, id)
			}
			return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: no original is kept: neither a summary nor a save replaced its text", id), "memory show "+id)
		}
		raw, err := store.Read(action.Original)
		if err != nil {
			return nil, fmt.Errorf("%s: read original: %w", id, err)
		}
		found, err := memory.ParseRecords(action.Original, raw)
		if err != nil || len(found) != 1 {
			return nil, fmt.Errorf("%s: %s holds no memory any more", id, action.Original)
		}
		replaced := " gave it another text"
		if action.Type == oplog.Summarize {
			replaced = " summarised it"
		}
		all = append(all, Shown{Memory: found[0], About: "as it was before " + entry.RunID + replaced})
	}
	return all, nil
}

func lastReplaced(log *oplog.Log, id string) (*oplog.Action, *oplog.Entry) {
	for i := len(log.Entries) - 1; i >= 0; i-- {
		entry := &log.Entries[i]
		for j := range entry.Actions {
			if a := &entry.Actions[j]; a.MemoryID == id && a.Original != "" {
				return a, entry
			}
		}
	}
	return nil, nil
}
