// Package sharing decides what of a workspace goes to other machines through git. A damaged file, a secret, and the removal of many memories
// that memoryd did not remove stay here.
package sharing

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// NewGuard makes the guard of a workspace. Snap and log are of the moment before the sync.
func NewGuard(rules *secrets.Rules, snap *memory.Snapshot, log *oplog.Log, acceptRemovals bool) gitsync.Guard {
	j := &judge{notes: snap.Folder != nil}
	archived := map[string]bool{} // names of archived notes
	for _, m := range snap.Archived() {
		archived[stem(m.File)] = true
	}
	removed := removals(log)
	return gitsync.Guard{
		Secrets: func(name string, text []byte) []string { return secretKinds(rules, name, text) },
		Damage:  j.damage,
		Memory:  j.memory,
		Removed: func(name string, text []byte) bool {
			if j.note(name) {
				return archived[stem(name)]
			}
			ids := ids(name, text)
			for _, id := range ids {
				if len(snap.Find(id)) == 0 && !removed[id] {
					return false
				}
			}
			return len(ids) > 0
		},
		AcceptRemovals: acceptRemovals,
	}
}

// Remedies say of each kind of withheld files how that is fixed.
var Remedies = map[string]string{
	gitsync.KindSecret:  "take the secret out, of a memory with \"memory edit ID --redact\"; or name the file in .gitignore; then sync again",
	gitsync.KindDamaged: "fix it, or take the last version back with git restore, then sync again",
	gitsync.KindRemoved: "git restore brings them back; \"memory sync --accept-removals\" removes them everywhere",
}

// secretKinds names the kinds of secrets in a file: in the values of JSON, else in the text.
func secretKinds(rules *secrets.Rules, name string, text []byte) (kinds []string) {
	found := rules.FindRecord(text)
	if ext := path.Ext(name); ext != ".json" && !bytes.ContainsRune(text[:min(len(text), binaryHead)], 0) {
		found = append(found, rules.Find(string(text))...)
	}
	seen := map[string]bool{}
	for _, f := range found {
		if kind := f.String(); !seen[kind] {
			seen[kind] = true
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// binaryHead is how much of a file is looked at for a byte that no text has, as git does.
const binaryHead = 8000

// judge looks at the files of a workspace.
type judge struct{ notes bool }

// memory reports whether a file of that name holds memories.
func (j *judge) memory(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case first == memory.OpsDir, first == memory.SchemasDir, strings.HasPrefix(path.Base(name), "."):
		return false
	case j.note(name):
		return true
	}
	switch path.Base(name) {
	case memory.IndexFile, memory.EdgesFile, memory.ProfileFile:
		return false
	}
	return path.Ext(name) == ".json"
}

// note reports whether a file is a note of an adopted folder.
func (j *judge) note(name string) bool { return j.notes && note.Is(name) }

// stem is the name of a file without its directory and its ending.
func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// ids are the memories of a file of JSON.
func ids(name string, text []byte) (ids []string) {
	all, err := memory.ParseRecords(name, text)
	if err != nil {
		return nil
	}
	for _, m := range all {
		ids = append(ids, m.ID)
	}
	return ids
}

// damage says why a file can't be what its name says; "" if it can. Before gives the text that git has.
func (j *judge) damage(name string, text []byte, before func() []byte) string {
	isJSON, isNote := path.Ext(name) == ".json", j.note(name)
	if marked(text) {
		return "it has the conflict markers of a merge that is not finished"
	}
	switch {
	case name == memory.ConfigFile:
		if _, err := config.Parse(name, text); err != nil {
			return err.Error()
		}
		return ""
	case !isJSON && !isNote:
		return ""
	case len(bytes.TrimSpace(text)) == 0:
		if isNote && len(bytes.TrimSpace(before())) == 0 {
			return ""
		}
		return "it is empty"
	case bytes.IndexByte(text, 0) >= 0:
		return "it has zero bytes, as a file after a loss of power"
	case isNote:
		if !utf8.Valid(text) && utf8.Valid(before()) {
			return "it is no longer valid UTF-8"
		}
		return ""
	}
	all, err := memory.ParseRecords(name, text)
	if err != nil {
		return cause(err)
	}
	if j.memory(name) && len(all) == 0 {
		if had := ids(name, before()); len(had) > 0 {
			return fmt.Sprintf("it held %d memories and holds none", len(had))
		}
	}
	return ""
}

// cause is the innermost cause of an error: the file is named already.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// marked reports whether a text has the lines that git writes where it could not merge: the beginning, the middle and the end, in this order.
func marked(text []byte) bool {
	marks := []string{"<<<<<<< ", "=======", ">>>>>>> "}
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(marks[0])) {
			if marks = marks[1:]; len(marks) == 0 {
				return true
			}
		}
	}
	return false
}

// removals are the memories whose files memoryd removed or moved at last.
func removals(log *oplog.Log) map[string]bool {
	gone := map[string]bool{}
	for i := range log.Entries {
		for k := range log.Entries[i].Actions {
			a := &log.Entries[i].Actions[k]
			switch a.Type {
			case oplog.Merge:
				for _, id := range a.SourceIDs {
					gone[id] = true
				}
			case oplog.Archive:
				gone[a.MemoryID] = true
			case oplog.Undo:
				for _, id := range a.MemoryIDs {
					gone[id] = true
				}
			case oplog.Add, oplog.Edit, oplog.Restore:
				delete(gone, a.MemoryID)
			}
		}
	}
	return gone
}
