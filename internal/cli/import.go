package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/repository"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/schemas"
)

func importCommand() *command {
	return &command{
		args:    "PATH [--from FORMAT] [--scope SCOPE] [--dry-run]",
		purpose: "import the memories of another tool",
		detail: `PATH is a file or a directory of one of these formats:

  mcp                 memory.jsonl of the MCP reference server
  jsonl, json         JSON Lines; JSON
  markdown            Markdown with or without front matter
  claude              the auto memory of Claude Code, with MEMORY.md
  memory-tool         the folder of Anthropic's memory tool
  mcp-memory-service  its JSON export
  claude-mem          its JSON export
  engram              its JSON export
  basic-memory        a folder of its notes
  beads               the folder .beads, or a JSON Lines export

The format is detected; --from overrides it. Nothing in PATH is changed.
Importing the same again changes nothing. What was edited there since then is
updated here, unless it was edited here too. Records with a secret are refused. A
record that says what a memory says is not imported; if it says more, the memory
gets its text. One that is similar, or says that it corrects a memory, is
imported and flagged for "memory review". Members without a place in a memory are
kept in its metadata or its content, or reported. The exit code is 3 if something
could not be imported.

The author is whom a record names, else the tool or agent of the format. What is
imported has not been neglected here: for "archive" its clocks start now, and it
is not stale for 90 days. The end says what the first run would do, and what the
rules leave unchanged. The workspace's own files in PATH are left out. So are, in
a directory without --from, what git ignores, node_modules, vendor, dist, and JSON
without an id or a text.
"memory undo" takes the import back. "memory export" writes the same bytes back
if nothing was edited; what was imported from the last five comes back
with --to json, markdown or jsonl.`,
		page:    "import-export.md",
		example: "memory import ~/.claude/projects/shop/memory --scope project:shop --dry-run",
		flags: []urfave.Flag{
			formatFlag("from", "read it as `FORMAT`", foreign.Formats()),
			scopeFlag("for whom they are, `SCOPE`: global, team:NAME, agent:NAME, project:NAME or session:NAME [the project that a record names, else global]"),
			&urfave.StringFlag{Name: "by", Usage: "who wrote them, `WHO` [whom the record names, else the tool or agent that has the format, else \"import\"]"},
			&urfave.StringFlag{Name: "store", Usage: "know the store as `NAME`, wherever it lies [its directory]"},
			&urfave.BoolFlag{Name: "dry-run", Usage: "show what would happen, and write nothing"},
			redactFlag(), allowSecretFlag(),
		},
		least: 1, most: 1, run: runImport,
	}
}

func formatFlag(name, usage string, formats []foreign.Format) urfave.Flag {
	return &urfave.StringFlag{Name: name, Usage: usage + ": " + orList(formatWords(formats))}
}

// importDoc is what --json prints.
type importDoc struct {
	RunID   string                `json:"run_id,omitempty"`
	DryRun  bool                  `json:"dry_run,omitempty"`
	Counts  map[string]int        `json:"counts"`
	First   *document.FirstRun    `json:"first_run,omitempty"` // what the first run would do after the import
	Items   []document.ImportItem `json:"items"`
	LeftOut []foreign.Misfit      `json:"left_out"`
}

func runImport(c *call) error {
	format := foreign.Format(c.flags.String("from"))
	o := app.ImportOptions{By: c.flags.String("by"), Redact: c.flags.Bool("redact"), AllowSecret: c.flags.Bool("allow-secret")}
	if scope, err := c.scope(); err != nil {
		return err
	} else if scope != nil {
		o.Scope = *scope
	}
	if _, err := c.open(); err != nil { // its own files are left out
		return err
	}
	records, misfits, err := c.readStore(c.args[0], format)
	if err != nil {
		return err
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	if o.Secrets, err = c.secretRules(); err != nil {
		return err
	}
	if o.Check, err = c.schemaCheck(store); err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	o.Settings = conf.Settings
	line := c.progress("importing")
	defer line.end()
	o.Progress = func(how string, done int) error {
		line.at(fmt.Sprintf("%s of %s %s", thousands(done), quantity(len(records), "record"), how))
		return c.ctx.Err()
	}
	actions, items, err := app.Import(snap, records, o)
	if err != nil {
		return err
	}
	doc := importDoc{DryRun: c.flags.Bool("dry-run"), Counts: map[string]int{}, Items: items, LeftOut: misfits}
	if doc.Items == nil {
		doc.Items = []document.ImportItem{}
	}
	if doc.LeftOut == nil {
		doc.LeftOut = []foreign.Misfit{}
	}
	var conflict error
	if len(actions) > 0 && !doc.DryRun {
		result, err := store.Commit(c.ctx, &workspace.Tx{Plan: memory.Command(snap, store.Log().Head(), actions...), Started: c.started()})
		if err != nil {
			return err
		}
		c.warn(result)
		doc.RunID, conflict = result.RunID, commit.Conflict(result)
		skipped := map[string]string{}
		for _, s := range result.Skipped {
			skipped[s.MemoryID] = commit.Skipped(s)
		}
		for i := range items {
			if why, ok := skipped[items[i].ID]; ok && (items[i].Status == app.Imported || items[i].Status == app.Updated) {
				items[i].Status, items[i].Reason = app.Refused, why
			}
		}
	}
	for _, item := range items {
		doc.Counts[item.Status]++
	}
	if len(actions) > 0 && conflict == nil {
		after, err := app.After(snap, actions)
		if err != nil {
			return err
		}
		if doc.First, err = c.firstRun(after); err != nil {
			return err
		}
	}
	if c.json {
		if err := c.printJSON(doc); err != nil {
			return err
		}
	} else {
		c.tellImport(&doc)
	}
	switch {
	case conflict != nil:
		return conflict
	case len(misfits) > 0 || doc.Counts[app.Refused] > 0:
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}

// saysWords tell how a record stands to the memory that it was not imported beside.
var saysWords = map[rules.Saying]string{
	rules.SaysLess: " (which says more)", rules.SaysMore: " (which said part of it, and has its text now)",
}

// readStore reads a foreign store.
func (c *call) readStore(name string, format foreign.Format) ([]foreign.Record, []foreign.Misfit, error) {
	dir, err := filepath.EvalSymlinks(c.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fail.Errorf(fail.ExitNotFound, "%s: no such file or directory", name)
	} else if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	single := false
	var files []foreign.File
	changed := map[string]time.Time{} // when each file was
	var unread error
	wanted, own := endings(format, filepath.Base(dir)), &ownFiles{dir: c.store.Dir()}
	var other unlikeMemories
	if format == "" {
		if other.ignored, err = repository.Ignored(c.ctx, dir); err != nil {
			return nil, nil, err
		}
	}
	err = c.readFiles(dir, func(below string) bool {
		rel, _ := inside(dir, below)
		return format == "" && other.leaves(rel)
	}, func(file string) bool {
		single = file == dir
		if hidden := strings.HasPrefix(filepath.Base(file), "."); !single && (hidden || wanted != nil && !slices.Contains(wanted, strings.ToLower(filepath.Ext(file)))) {
			return false
		}
		if own.holds(file) {
			return false
		}
		rel, _ := inside(dir, file)
		return single || !other.ignores(rel)
	}, func(file string, text []byte, info fs.FileInfo) {
		rel, err := filepath.Rel(dir, file)
		if single {
			rel, err = filepath.Base(file), nil
		}
		unread = errors.Join(unread, err)
		f := foreign.File{Name: filepath.ToSlash(rel), Text: text}
		if !single && format == "" && !foreign.Remembers(filepath.Base(dir), f) {
			other.files++
			return
		}
		files = append(files, f)
		changed[filepath.ToSlash(rel)] = info.ModTime()
	})
	if err = errors.Join(err, unread); err != nil {
		return nil, nil, err
	}
	if own.skipped > 0 && len(files) == 0 {
		return nil, nil, fail.WithHint(fail.Usagef("%s: all that is there belongs to the workspace %s: its memories need no import", name, c.brief(own.dir)),
			"--workspace names the workspace to import into, if that is another one")
	}
	if own.skipped > 0 {
		c.note("%s of the workspace %s itself left out", quantity(own.skipped, "file"), c.brief(own.dir))
	}
	if text := other.String(); text != "" {
		c.note("left out: %s; --from FORMAT reads them", text)
	}
	if own.others > 0 {
		c.note("%s of other workspaces left out: indexes, logs and what is archived there", quantity(own.others, "file"))
	}
	if len(files) == 0 {
		return nil, nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: no file there that could hold memories", name), "--from names the format")
	}
	if single {
		dir = filepath.Dir(dir)
	}
	store := or(c.flags.String("store"), filepath.ToSlash(dir))
	records, misfits := foreign.Read(format, store, filepath.Base(dir), files)
	return records, append(misfits, c.undated(records, changed)...), nil
}

// unlikeMemories are the files in a directory that nobody has written to be remembered, as far as that can be told.
type unlikeMemories struct {
	ignored map[string]bool // what git ignores there: files, and directories as a whole
	skipped int             // how much of that
	dirs    []string        // directories of generated files and of other people's code
	files   int             // of JSON without a memory
}

// leaves reports whether a directory is left out, and notes it.
func (u *unlikeMemories) leaves(dir string) bool {
	if name := path.Base(dir); slices.Contains([]string{"node_modules", "vendor", "dist"}, name) {
		if !slices.Contains(u.dirs, name) {
			u.dirs = append(u.dirs, name)
		}
		return true
	}
	return u.ignores(dir)
}

// ignores reports whether git ignores a file or directory, and counts it.
func (u *unlikeMemories) ignores(name string) bool {
	if u.ignored[name] {
		u.skipped++
	}
	return u.ignored[name]
}

// String is a few words about what is left out; "" for nothing.
func (u *unlikeMemories) String() string {
	var parts []string
	if len(u.dirs) > 0 {
		parts = append(parts, strings.Join(u.dirs, ", "))
	}
	if u.skipped > 0 {
		parts = append(parts, quantity(u.skipped, "path")+" that git ignores")
	}
	if u.files > 0 {
		parts = append(parts, quantity(u.files, "JSON file")+" without an id or a text")
	}
	return strings.Join(parts, ", ")
}

// ownFiles finds the files that the workspace into which something is imported has already, and those of other workspaces that
// are no memories of theirs: indexes, logs, what they have archived.
type ownFiles struct {
	dir     string
	skipped int             // files of the workspace itself
	others  int             // those of other workspaces
	roots   map[string]bool // directories of which it is known whether they are workspaces
}

// keptApart are the directories of a workspace that hold no live memories.
var keptApart = []string{memory.OpsDir, memory.ArchiveDir, memory.SchemasDir}

func (o *ownFiles) holds(file string) bool {
	if in, ok := inside(o.dir, file); ok {
		if first, _, _ := strings.Cut(in, "/"); slices.Contains(keptApart, first) || in == memory.ConfigFile || strings.EqualFold(filepath.Ext(file), ".json") {
			o.skipped++
			return true
		}
		return false
	}
	other := slices.Contains([]string{memory.IndexFile, memory.EdgesFile, memory.ProfileFile, memory.ConfigFile}, filepath.Base(file))
	for dir := filepath.Dir(file); !other && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		other = slices.Contains(keptApart, filepath.Base(dir)) && o.isRoot(filepath.Dir(dir))
	}
	if other {
		o.others++
	}
	return other
}

func (o *ownFiles) isRoot(dir string) bool {
	is, known := o.roots[dir]
	if !known {
		if o.roots == nil {
			o.roots = map[string]bool{}
		}
		is = hasSettings(dir) || isFile(filepath.Join(dir, filepath.FromSlash(memory.LogFile)))
		o.roots[dir] = is
	}
	return is
}

// inside is the name of a file below a directory, with slashes.
func inside(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// undated lists times that can't be read. A record without another time gets that of its file, if that was changed more than a day ago: a
// copy made for the import is younger. Else it has none. So does one that tells no time at all, but that is as old as the import then.
func (c *call) undated(records []foreign.Record, changed map[string]time.Time) (misfits []foreign.Misfit) {
	silent := 0
	for i := range records {
		r := &records[i]
		what, dated := "can't be read as a time: "+strings.Join(r.Undated, ", "), !r.CreatedAt.IsZero() || !r.UpdatedAt.IsZero()
		at := changed[r.Source.File]
		switch old := c.at.Sub(at) > 24*time.Hour; {
		case dated || r.Complete() || r.Own != nil && (r.States("created_at") || r.States("updated_at")):
		case old:
			r.CreatedAt, r.FileTime = at.UTC().Truncate(time.Second), true
			what += "; the memory has the time of its file"
			if len(r.Undated) == 0 {
				silent++
			}
		default:
			what += "; the memory has no time"
		}
		if len(r.Undated) > 0 {
			misfits = append(misfits, foreign.Misfit{Place: r.Place(), What: what})
		}
	}
	if silent > 0 {
		c.note("%s without a time: dated by the time of the file", quantity(silent, "record"))
	}
	return misfits
}

// endings are those of the files that are read in a directory of a name; nil for all.
func endings(format foreign.Format, name string) []string {
	switch format.Base() {
	case foreign.Tool:
		return nil
	case foreign.Graph, foreign.Lines:
		return []string{".jsonl", ".ndjson", ".json"}
	case foreign.Document:
		return []string{".json"}
	case foreign.Markdown, foreign.Claude:
		return []string{".md", ".markdown", ".mdc"}
	}
	if name == "memories" {
		return nil
	}
	return noteFiles
}

// schemaCheck is checkRecord for many: the schemas are read once, and warnings are left to "memory check".
func (c *call) schemaCheck(store *workspace.FileStore) (func(old, raw []byte) error, error) {
	extension, findings, err := store.Schemas()
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		c.note("%s", f.Message)
	}
	return func(old, raw []byte) error {
		var refused []error
		for _, f := range extension.ValidateEdit(old, raw) {
			if f.Severity == schemas.Error {
				refused = append(refused, errors.New(f.Message))
			}
		}
		return errors.Join(refused...)
	}, nil
}

func (c *call) tellImport(doc *importDoc) {
	flagged := 0
	for _, item := range doc.Items {
		switch item.Status {
		case app.Imported, app.Updated:
			c.printf("%-9s  %s  %s\n", item.Status, term.Printable(item.ID), term.Printable(item.Place))
			for _, f := range item.Redacted {
				c.say("           redacted: %s\n", term.Printable(f.String()))
			}
			if item.PairID != "" {
				flagged++
				c.say("           flagged with %s (%s)\n", term.Printable(item.With), term.Printable(reasonWords(item.Reason)))
			} else if item.Reason != "" {
				c.say("           %s\n", term.Printable(item.Reason))
			}
		case app.Equal, app.Merged:
			c.printf("%-9s  %s  %s%s\n", item.Status, term.Printable(item.With), term.Printable(item.Place), saysWords[item.Says])
			if len(item.Gained) > 0 {
				c.say("           it gained: %s\n", term.Printable(strings.Join(item.Gained, ", ")))
			}
			if item.Reason != "" {
				c.say("           %s\n", term.Printable(item.Reason))
			}
		case app.Kept:
			c.printf("%-9s  %s  %s: %s\n", item.Status, term.Printable(item.ID), term.Printable(item.Place), term.Printable(item.Reason))
		case app.Refused:
			c.printf("%-9s  %s: %s\n", item.Status, term.Printable(item.Place), term.Printable(strings.ReplaceAll(item.Reason, "\n", "; ")))
		}
	}
	for _, m := range doc.LeftOut {
		how := "left out"
		if !m.LeftOut { // a part of it
			how = "in part"
		}
		c.printf("%-9s  %s: %s\n", how, term.Printable(m.Place), term.Printable(m.What))
	}
	var parts []string
	for _, status := range []string{app.Imported, app.Updated, app.Unchanged, app.Equal, app.Merged, app.Kept, app.Refused} {
		if n := doc.Counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if flagged > 0 {
		parts = append(parts, fmt.Sprintf("%d flagged for \"memory review\"", flagged))
	}
	whole := slices.DeleteFunc(slices.Clone(doc.LeftOut), func(m foreign.Misfit) bool { return !m.LeftOut })
	if n := len(whole); n > 0 {
		parts = append(parts, fmt.Sprintf("%d left out", n))
	}
	c.say("%s", or(strings.Join(parts, ", "), "nothing to import"))
	switch {
	case doc.DryRun:
		c.say("; nothing was written")
	case doc.RunID != "":
		c.say("; to take it back: memory undo %s", doc.RunID)
	}
	c.say("\n")
	if doc.DryRun && doc.Counts[app.Imported]+doc.Counts[app.Updated]+doc.Counts[app.Merged] > 0 || doc.RunID != "" {
		c.tellFirstRun(doc.First)
	}
}
