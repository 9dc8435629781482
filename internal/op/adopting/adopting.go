// Package adopting makes folders of Markdown notes, which hosts of agents write, workspaces in place, and gives them back.
package adopting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/firstrun"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Result is what adopting a folder found, and what the first run would do.
type Result struct {
	*workspace.Survey
	First   *document.FirstRun `json:"first_run,omitempty"`
	Applied bool               `json:"applied"`
}

// Adopt surveys a folder; as is its layout, "" for the one that it seems to have. With apply it becomes a workspace.
func Adopt(ctx context.Context, dir, as string, apply bool, at time.Time, clock func() time.Time) (*Result, error) {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no directory %s", dir)
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("%s is a file: name the directory that the notes are in", dir)
	}
	store, survey, err := workspace.Look(dir, as, at)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	r := &Result{Survey: survey}
	snap, err := store.Load(at)
	if err != nil {
		return nil, err
	}
	if r.First, err = firstrun.Plan(snap, rules.Request{Settings: config.Default()}, clock); err != nil || !apply {
		return r, err
	}
	if survey.Level != layout.Tend {
		err := fmt.Errorf("memoryd only reads such a folder: %s (%s, %s); nothing was written", survey.Dir, survey.Host, survey.Why)
		return nil, fail.WithHint(err, "if it is another kind of folder, name it with --as; to search its notes: memory import")
	}
	if err := workspace.Adopt(survey, config.Template("seed")); err != nil {
		return nil, err
	}
	r.Applied = true
	own, err := workspace.Open(filepath.Join(survey.Dir, note.OwnDir))
	if err != nil {
		return nil, err
	}
	_, err = own.Reindex(ctx, at)
	return r, errors.Join(err, own.Close())
}

// Unadopt gives a folder back; its hidden directory is moved to the directory of the state. Without apply nothing is written.
func Unadopt(dir, state string, apply bool, at time.Time) (*workspace.Leaving, error) {
	if filepath.Base(dir) == note.OwnDir {
		dir = filepath.Dir(dir)
	}
	if _, err := os.Stat(filepath.Join(dir, note.OwnDir, note.ManifestFile)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s was not adopted: there is nothing to give back", dir)
		}
		return nil, fmt.Errorf("read what was adopted in %s: %w", dir, err)
	}
	store, err := workspace.Open(filepath.Join(dir, note.OwnDir))
	if err != nil {
		return nil, err
	}
	keep := filepath.Join(state, "memoryd", "left", filepath.Base(filepath.Dir(store.Dir()))+"-"+at.UTC().Format(memory.RunStamp))
	left, err := workspace.Unadopt(store, keep, apply)
	if err = errors.Join(err, store.Close()); err != nil || !apply {
		return left, err
	}
	if err := os.MkdirAll(filepath.Dir(keep), 0o700); err != nil {
		return left, err
	}
	if err := os.Rename(store.Dir(), keep); err != nil { // another file system
		if err := os.CopyFS(keep, os.DirFS(store.Dir())); err != nil {
			return left, err
		}
		return left, os.RemoveAll(store.Dir())
	}
	return left, nil
}
