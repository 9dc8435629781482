package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
)

func exportCommand() *command {
	return &command{
		args:    "--to FORMAT [--scope SCOPE] [--store STORE] [--force] [PATH]",
		purpose: "write the live memories in the format of another tool",
		detail: `PATH is a directory, which is made if it doesn't exist. For the formats mcp, jsonl
and json PATH is a file, unless it is a directory, ends in / or there are several
files; - is the standard output. Memories that were imported in the same format
and not edited are written back byte for byte. Other memories follow. Fields that
the format has no place for are reported. Without --force, no file is
overwritten.

git-notes is for a repository of git, that of the workspace or the one at PATH:
notes on the commits that memories name, as JSON Lines below refs/notes/mem-meta,
mem-summaries, mem-edges and mem-runs. Nothing is pushed, and what holds a secret
is left out. Notes of others are only replaced with --force.`,
		example: "memory export --to mcp memory.jsonl",
		flags: []urfave.Flag{
			formatFlag("to", "write `FORMAT`", exportFormats()),
			scopeFlag("only those of `SCOPE`, such as project:shop"),
			&urfave.StringFlag{Name: "store", Usage: "only what was imported from `STORE`: its directory, or its name"},
			&urfave.BoolFlag{Name: "force", Usage: "overwrite files"},
			&urfave.BoolFlag{Name: "dry-run", Usage: "show what would be written, and write nothing"},
		},
		least: 0, most: 1, run: runExport,
	}
}

// exportDoc is what --json prints.
type exportDoc struct {
	Memories int              `json:"memories"`
	DryRun   bool             `json:"dry_run,omitempty"`
	Files    []exportedFile   `json:"files"`
	Misfits  []foreign.Misfit `json:"misfits"`
}

type exportedFile struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
}

func runExport(c *call) error {
	format := foreign.Format(c.flags.String("to"))
	switch {
	case format == "":
		return fail.Usagef("--to is missing: write one of %s", orList(formatWords(exportFormats())))
	case format == gitNotes:
		return c.exportNotes()
	case len(c.args) == 0:
		return fail.WithHint(fail.Usagef("missing argument: where to write"), "usage: memory "+c.cmd.synopsis())
	}
	if c.args[0] == "-" && c.json {
		return fail.Usagef("--json and the standard output don't go together: name a file")
	}
	memories, err := c.exported()
	if err != nil {
		return err
	}
	if len(memories) == 0 {
		return fail.Errorf(fail.ExitNotFound, "there is no memory to export")
	}
	files, misfits := foreign.Write(format, memories)
	doc := exportDoc{Memories: len(memories), DryRun: c.flags.Bool("dry-run"), Files: []exportedFile{}, Misfits: misfits}
	if doc.Misfits == nil {
		doc.Misfits = []foreign.Misfit{}
	}
	single := format == foreign.Graph || format == foreign.Lines || format == foreign.Document
	if c.args[0] == "-" {
		if !single || len(files) != 1 {
			return fail.Usagef("these are %s: name a directory", quantity(len(files), "file"))
		}
		if _, err := c.out.Write(files[0].Text); err != nil {
			return err
		}
		return c.toldMisfits(misfits)
	}
	dir := c.path(c.args[0])
	info, err := os.Stat(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("export: %w", err)
	}
	isDir := err == nil && info.IsDir() || strings.HasSuffix(c.args[0], "/")
	if single && !isDir && (len(files) == 1 || err == nil || filepath.Ext(dir) != "") {
		if len(files) != 1 {
			return fail.Usagef("these are %s: name a directory", quantity(len(files), "file"))
		}
		files[0].Name, dir = filepath.Base(dir), filepath.Dir(dir)
	}
	if err := c.outside(dir); err != nil {
		return err
	}
	for _, f := range files {
		doc.Files = append(doc.Files, exportedFile{filepath.ToSlash(c.brief(filepath.Join(dir, filepath.FromSlash(f.Name)))), len(f.Text)})
	}
	if err := c.putFiles(dir, files, doc.DryRun); err != nil {
		return err
	}
	if c.json {
		if err := c.printJSON(doc); err != nil {
			return err
		}
		return leftOut(misfits)
	}
	for _, f := range doc.Files {
		c.printf("%s\n", term.Printable(f.File))
	}
	verb := "exported"
	if doc.DryRun {
		verb = "would be exported"
	}
	c.say("%s %s\n", quantity(doc.Memories, "memory"), verb)
	return c.toldMisfits(misfits)
}

// exported are the memories that the flags ask for.
func (c *call) exported() (memories []*memory.Memory, err error) {
	scope, err := c.scope()
	if err != nil {
		return nil, err
	}
	_, snap, err := c.load()
	if err != nil {
		return nil, err
	}
	store := c.flags.String("store")
	dir := ""
	if store != "" {
		if real, err := filepath.EvalSymlinks(c.path(store)); err == nil {
			dir = filepath.ToSlash(real)
		}
	}
	for _, m := range snap.Memories() {
		if scope != nil && m.Scope != *scope {
			continue
		}
		if m.Raw() == nil {
			return nil, &fail.Error{Err: fmt.Errorf("%s: %s changed meanwhile: try again", m.ID, m.Ref), Code: fail.ExitStale}
		}
		if store != "" {
			if s := foreign.SourceOf(m); s == nil || s.Store != store && s.Store != dir {
				continue
			}
		}
		memories = append(memories, m)
	}
	return memories, nil
}

// toldMisfits prints what a format has no place for: once for each kind of thing.
func (c *call) toldMisfits(misfits []foreign.Misfit) error {
	var order []string
	n, example := map[string]int{}, map[string]string{}
	for _, m := range misfits {
		what := m.What
		if m.LeftOut {
			what = "left out: " + what
		}
		if n[what]++; n[what] == 1 {
			order, example[what] = append(order, what), m.Place
		}
	}
	for _, what := range order {
		place := example[what]
		if more := n[what] - 1; more > 0 {
			place += fmt.Sprintf(" and %d more", more)
		}
		c.note("did not fit: %s (%s)", what, place)
	}
	return leftOut(misfits)
}

func leftOut(misfits []foreign.Misfit) error {
	for _, m := range misfits {
		if m.LeftOut {
			return fail.Outcome(fail.ExitProblems)
		}
	}
	return nil
}

// outside refuses to write into the workspace, where files would be memories again.
func (c *call) outside(dir string) error {
	home, err := filepath.EvalSymlinks(c.store.Dir())
	if err != nil {
		return err
	}
	for at := dir; ; at = filepath.Dir(at) { // the part of it that exists
		real, err := filepath.EvalSymlinks(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if rel, err := filepath.Rel(home, real); err == nil && filepath.IsLocal(rel) {
			return fail.Usagef("%s lies in the workspace, where its files would be memories: name another place", c.brief(dir))
		}
		return nil
	}
}

// putFiles writes files below a directory: none when one of them is there, unless they may be overwritten. Links below the directory
// that lead out of it are not followed; a file that is overwritten is whole, or as it was.
func (c *call) putFiles(dir string, files []foreign.File, dry bool) (err error) {
	if !c.flags.Bool("force") {
		for _, f := range files {
			name := filepath.Join(dir, filepath.FromSlash(f.Name))
			if _, err := os.Lstat(name); err == nil {
				return fail.WithHint(fmt.Errorf("%s is there already: nothing was written", c.brief(name)), "--force overwrites it")
			}
		}
	}
	if dry {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := putFile(root, f, c.flags.Bool("force")); err != nil {
			return fmt.Errorf("write %s: %w", c.brief(filepath.Join(dir, f.Name)), err)
		}
	}
	return nil
}

// putFile writes a new file, or one beside a file that may be overwritten, to take its place in one step.
func putFile(root *os.Root, f foreign.File, force bool) error {
	name := filepath.FromSlash(f.Name)
	if d := path.Dir(f.Name); d != "." {
		if err := root.MkdirAll(filepath.FromSlash(d), 0o755); err != nil {
			return err
		}
	}
	at := name
	if force {
		at += fmt.Sprintf(".memory-new-%d", os.Getpid())
	}
	file, err := root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil && force {
		err = root.Rename(at, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(at))
	}
	return nil
}

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
		return fail.Errorf(fail.ExitNotFound, "there is no memory to export")
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
		return fail.WithHint(err, "nothing was written; --force replaces them, and they stay in the history of the ref")
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
