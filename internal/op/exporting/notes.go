package exporting

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// GitNotes is the format of notes on commits of a repository, which is no format of files.
const GitNotes foreign.Format = "git-notes"

// Formats are all that can be written.
func Formats() []foreign.Format { return append(foreign.Written(), GitNotes) }

// NotesResult is what notes were written. The command line prints it as it is for --json.
type NotesResult struct {
	Memories int                `json:"memories"` // that name a commit of the repository
	DryRun   bool               `json:"dry_run,omitempty"`
	Refs     []gitsync.NotesRef `json:"refs"`
	Unknown  []UnknownCommit    `json:"unknown_commits"`
	Misfits  []foreign.Misfit   `json:"misfits"`
}

// UnknownCommit is a hash that memories name, and no commit of the repository has, or several begin with.
type UnknownCommit struct {
	Commit    string   `json:"commit"`
	MemoryIDs []string `json:"memory_ids"`
}

// Notes writes notes on the commits that memories name, into a repository.
func Notes(ctx context.Context, repo *gitsync.Repo, snap *memory.Snapshot, log *oplog.Log, settings config.Settings, hidden *secrets.Rules, o Options) (*NotesResult, error) {
	memories, err := chosen(snap, o)
	if err != nil {
		return nil, err
	}
	s := NoteSource{Snapshot: snap, Log: log, Settings: &settings, Secrets: hidden, Memories: memories}
	result := &NotesResult{DryRun: o.DryRun, Misfits: []foreign.Misfit{}}
	if s.Commits, result.Unknown, err = commitsOf(ctx, repo, memories); err != nil {
		return nil, err
	}
	notes, err := NewCommitNotes(s)
	if err != nil {
		return nil, err
	}
	result.Memories, result.Misfits = notes.Memories, append(result.Misfits, notes.LeftOut...)
	result.Refs, err = repo.PutNotes(ctx, notes.Notes, snap.At, o.Force, o.DryRun)
	if errors.Is(err, gitsync.ErrOthersNotes) {
		return nil, fail.WithHint(err, "nothing was written; --force replaces them, and they stay in the history of the ref")
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// commitsOf finds the commits that memories name, by id, and the hashes that name none.
func commitsOf(ctx context.Context, repo *gitsync.Repo, memories []*memory.Memory) (map[string][]string, []UnknownCommit, error) {
	named := map[string][]string{} // by hash, the memories that write it so
	for _, m := range memories {
		for _, hash := range Commits(m) {
			named[hash] = append(named[hash], m.ID)
		}
	}
	hashes := slices.Sorted(maps.Keys(named))
	found, err := repo.Commits(ctx, hashes)
	if err != nil {
		return nil, nil, err
	}
	commits, unknown := map[string][]string{}, []UnknownCommit{}
	for _, hash := range hashes {
		full, ok := found[hash]
		if !ok {
			unknown = append(unknown, UnknownCommit{hash, named[hash]})
			continue
		}
		for _, id := range named[hash] {
			if !slices.Contains(commits[id], full) {
				commits[id] = append(commits[id], full)
			}
		}
	}
	return commits, unknown, nil
}
