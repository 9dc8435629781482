package workspace

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// opening is what a log says of memoryd's coming to a folder.
type opening struct {
	at     time.Time       // of its first entry; zero: there is none yet
	folded map[string]bool // ids of memories whose reads it counted
}

// isBare reports whether a folder has no settings: nobody ran "memory init" there.
func isBare(root durable.FS) bool {
	_, err := root.Stat(memory.ConfigFile)
	return errors.Is(err, fs.ErrNotExist)
}

// openingOf finds memoryd's first entry in a log, which begins with the newest part and goes on with saves.
func openingOf(parts []ops.LogPart, saves *oplog.Lines) (first opening) {
	first.folded = map[string]bool{}
	for _, p := range slices.Backward(parts) {
		if p.Document == nil {
			continue
		}
		for _, entry := range p.PartialEntries() {
			e := entry.Entry()
			if e.Hash == "" || e.Timestamp.IsZero() { // another tool wrote it
				continue
			}
			if first.at.IsZero() {
				first.at = e.Timestamp
			}
			if e.Trigger == memory.RuleAccess {
				for _, id := range entry.MemoryIDs() {
					first.folded[id] = true
				}
			}
		}
	}
	if first.at.IsZero() && saves.Len() > 0 {
		first.at = saves.Entries()[0].Timestamp
	}
	return first
}

// opened is when memoryd came to a folder without settings in which nobody had counted reads before; zero for any other
// folder. While the log is empty that is now.
func opened(snap *memory.Snapshot, first opening) time.Time {
	at := first.at
	if at.IsZero() {
		at = snap.At
	}
	counted := func(m *memory.Memory) bool {
		switch {
		case !m.Arrived.IsZero() || !first.at.IsZero() && !m.Born().Before(at): // it came later, with what was counted elsewhere
			return false
		case m.Unfolded > 0: // LastAccessed is that of the access log
			return m.AccessCount > m.Unfolded
		case first.folded[m.ID] || !first.at.IsZero() && !m.LastAccessed.Before(at): // memoryd counted these reads
			return false
		}
		return m.AccessCount > 0 || !m.LastAccessed.IsZero()
	}
	if slices.ContainsFunc(snap.Memories(), counted) || slices.ContainsFunc(snap.Archived(), counted) {
		return time.Time{}
	}
	return at
}
