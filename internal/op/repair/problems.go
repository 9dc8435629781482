package repair

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// checkCache is the derived file that keeps the summary of the last check.
const checkCache = "check"

// SaveCheck keeps the summary of a check for [LastCheck]. A workspace that can't be written
// keeps none, and that is no error.
func SaveCheck(store *workspace.FileStore, at time.Time, problems []memory.Problem) error {
	s := document.CheckSummary{At: at.UTC()}
	s.Errors, s.Warnings = document.CountProblems(problems)
	for _, p := range problems {
		if path.Base(p.File) == memory.IndexFile {
			s.IndexDrift++
		}
	}
	doc, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("save the summary of a check: %w", err)
	}
	return store.Cache().Write(checkCache, doc)
}

// LastCheck returns the summary of the last check; nil where none is kept, or where it can't
// be read: it is a hint to run another check, and decides nothing.
func LastCheck(store *workspace.FileStore) *document.CheckSummary {
	doc, err := store.Cache().Read(checkCache)
	if err != nil {
		return nil
	}
	s := new(document.CheckSummary)
	if json.Unmarshal(doc, s) != nil || s.At.IsZero() {
		return nil
	}
	return s
}

// recallFile is where the index of words is.
const recallFile = workspace.CacheDir + "/" + recall.CacheName

// interrupted are the problems that name a run which is not finished.
func interrupted(problems []memory.Problem) (all []memory.Problem) {
	for _, p := range problems {
		if p.Interrupted {
			all = append(all, p)
		}
	}
	return all
}

// Problems is what the store's check finds, and what is wrong with the settings, the
// index of words and the file system. Runs that are not finished come first, then what the store found, in its
// order, then the rest.
func Problems(store *workspace.FileStore, snap *memory.Snapshot) ([]memory.Problem, error) {
	problems, err := store.Check(snap.At)
	if err != nil {
		return nil, err
	}
	if err := sayRestore(store, problems); err != nil {
		return nil, err
	}
	problems = append(problems, settingsProblems(store)...)
	problems = append(problems, mirrorProblems(store)...)
	if differs, err := recall.Differs(store.Cache(), snap); err != nil {
		return nil, err
	} else if differs {
		problems = append(problems, memory.Problem{
			File: recallFile, Severity: memory.Error, Message: "finds something else than an index made anew of the files",
			Hint: "delete it, or run \"memory check --fix\": it is made again",
		})
	}
	if on := store.Network(); on != "" {
		problems = append(problems, memory.Problem{
			File: ".", Severity: memory.Warning, Message: "the workspace is on a network file system (" + on + "): nothing guards it against writers on other machines",
			Hint: "keep it on a local disk, and share it with git",
		})
	}
	slices.SortStableFunc(problems, func(a, b memory.Problem) int { return first(a) - first(b) })
	return problems, nil
}

// sayRestore adds to the problems about memories whose files are gone that the records of runs have their texts.
func sayRestore(store *workspace.FileStore, problems []memory.Problem) error {
	gone := map[string]bool{}
	for _, p := range problems {
		if p.Gone {
			gone[p.ID] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	kept, err := store.Kept(gone)
	if err != nil {
		return err
	}
	for i := range problems {
		if p := &problems[i]; p.Gone && kept[p.ID] {
			p.Hint = "\"memory restore " + p.ID + "\" brings it back; if it was deleted on purpose, run \"memory reindex\""
		}
	}
	return nil
}

// first is less for a problem that is named before all others.
func first(p memory.Problem) int {
	if p.Interrupted {
		return -1
	}
	return 0
}

// Files of mirrors, which there were before: a folder that was kept in step with a workspace of a hub.
const (
	mirrorFile  = memory.OpsDir + "/remote.json" // which hub, and which of its workspaces
	mirrorState = memory.OpsDir + "/mirror.db"
)

// mirrorProblems reports a folder that was a mirror: nothing keeps it in step any more.
func mirrorProblems(store *workspace.FileStore) []memory.Problem {
	for _, name := range []string{mirrorFile, mirrorState} {
		if _, err := store.Documents().Stat(name); err != nil {
			continue
		}
		hub := "URL WORKSPACE"
		if doc, err := store.Read(mirrorFile); err == nil {
			if url, ws := gjson.GetBytes(doc, "url").Str, gjson.GetBytes(doc, "workspace").Str; oneWord(url) && oneWord(ws) {
				hub = url + " " + ws
			}
		}
		return []memory.Problem{{
			File: name, Severity: memory.Error, Message: "mirrors of a hub were removed: this folder is no longer kept in step with the hub, and nothing here is sent to it",
			Hint: fmt.Sprintf("\"memory login %s\" has agents ask the hub, or share the folder with git (\"memory git install\"); then delete %s and %s", hub, mirrorFile, mirrorState),
		}}
	}
	return nil
}

func oneWord(text string) bool { return len(strings.Fields(text)) == 1 }

// settingsProblems reads memory.toml as the commands that need settings do.
func settingsProblems(store *workspace.FileStore) (problems []memory.Problem) {
	text, err := store.Read(memory.ConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = config.Parse(memory.ConfigFile, text)
	}
	if err == nil {
		return nil
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		place, message, ok := strings.Cut(strings.TrimPrefix(line, memory.ConfigFile+":"), ": ")
		if !ok || !strings.HasPrefix(line, memory.ConfigFile+":") {
			place, message = "", line
		}
		problems = append(problems, memory.Problem{
			File: memory.ConfigFile, Place: place, Severity: memory.Error, Message: message, Hint: "no run starts until this is fixed",
		})
	}
	return problems
}
