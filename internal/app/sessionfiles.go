package app

import (
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/sessionfile"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// SessionFiles are the files by which the sessions of a workspace are known, those with working memories included. What a file says is read if
// it has been written since a time, or holds such a memory.
func SessionFiles(store *workspace.FileStore, snap *memory.Snapshot, since time.Time) ([]sessionfile.File, error) {
	var working []string
	for _, m := range snap.Memories() {
		if m.Type == memory.Working {
			working = append(working, m.File)
		}
	}
	return store.Ops().SessionFiles(snap.In("agents"), working, since)
}
