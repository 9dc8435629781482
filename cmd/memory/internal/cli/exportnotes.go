package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/cmd/memory/internal/gitsync"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
)

// gitNotes is the format of notes on commits of a repository, which is no format of files.
const gitNotes foreign.Format = "git-notes"

func exportFormats() []foreign.Format { return append(foreign.Written(), gitNotes) }

// notesDoc is what --json prints.
type notesDoc struct {
	Memories int                `json:"memories"` // that name a commit of the repository
	DryRun   bool               `json:"dry_run,omitempty"`
	Refs     []gitsync.NotesRef `json:"refs"`
	Unknown  []unknownCommit    `json:"unknown_commits"`
	Misfits  []foreign.Misfit   `json:"misfits"`
}

// unknownCommit is a hash that memories name, and no commit of the repository has, or several begin with.
type unknownCommit struct {
	Commit    string   `json:"commit"`
	MemoryIDs []string `json:"memory_ids"`
}

// exportNotes writes notes on the commits that memories name, into the repository of the workspace or another one.
func (c *call) exportNotes() error {
	repo, err := c.notesRepository()
	if err != nil {
		return err
	}
	memories, err := c.exported()
	if err != nil {
		return err
	}
	if len(memories) == 0 {
		return failf(exitNotFound, "there is no memory to export")
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	s := app.NoteSource{Snapshot: snap, Memories: memories}
	doc := notesDoc{DryRun: c.flags.Bool("dry-run"), Misfits: []foreign.Misfit{}}
	if s.Commits, doc.Unknown, err = c.commitsOf(repo, memories); err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	s.Settings = &conf.Settings
	if s.Secrets, err = c.secretRules(); err != nil {
		return err
	}
	if s.Log, err = c.store.Log().Read(); err != nil {
		return err
	}
	notes, err := app.NewCommitNotes(s)
	if err != nil {
		return err
	}
	doc.Memories, doc.Misfits = notes.Memories, append(doc.Misfits, notes.LeftOut...)
	doc.Refs, err = repo.PutNotes(c.ctx, notes.Notes, c.at, c.flags.Bool("force"), doc.DryRun)
	if errors.Is(err, gitsync.ErrOthersNotes) {
		return withHint(err, "nothing was written; --force replaces them, and they stay in the history of the ref")
	}
	if err != nil {
		return err
	}
	if c.json {
		if err := c.printJSON(doc); err != nil {
			return err
		}
		return leftOut(doc.Misfits)
	}
	return c.tellNotes(&doc)
}

func (c *call) notesRepository() (*gitsync.Repo, error) {
	if len(c.args) == 0 {
		return c.repository()
	}
	if _, err := c.open(); err != nil {
		return nil, err
	}
	return c.repositoryAt(c.path(c.args[0]))
}

// commitsOf finds the commits that memories name, by id, and the hashes that name none.
func (c *call) commitsOf(repo *gitsync.Repo, memories []*memory.Memory) (map[string][]string, []unknownCommit, error) {
	named := map[string][]string{} // by hash, the memories that write it so
	for _, m := range memories {
		for _, hash := range app.Commits(m) {
			named[hash] = append(named[hash], m.ID)
		}
	}
	hashes := slices.Sorted(maps.Keys(named))
	found, err := repo.Commits(c.ctx, hashes)
	if err != nil {
		return nil, nil, err
	}
	commits, unknown := map[string][]string{}, []unknownCommit{}
	for _, hash := range hashes {
		full, ok := found[hash]
		if !ok {
			unknown = append(unknown, unknownCommit{hash, named[hash]})
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

func (c *call) tellNotes(doc *notesDoc) error {
	for _, ref := range doc.Refs {
		state := "as it was"
		switch {
		case ref.Changed && doc.DryRun:
			state = "would be written"
		case ref.Changed:
			state = "written"
		}
		c.printf("%s  %s, %s\n", ref.Name, quantity(ref.Notes, "commit"), state)
	}
	c.say("%s with commits of the repository\n", quantity(doc.Memories, "memory"))
	if n := len(doc.Unknown); n > 0 {
		var examples []string
		for _, u := range doc.Unknown {
			examples = append(examples, fmt.Sprintf("%.12s (%s)", u.Commit, strings.Join(u.MemoryIDs, ", ")))
		}
		c.note("%s that the repository doesn't have, or can't tell from others: %s", quantity(n, "commit"), app.First(examples, 3))
	}
	return c.toldMisfits(doc.Misfits)
}
