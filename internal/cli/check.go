package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func checkCommand() *command {
	return &command{
		args:    "[--fix] | --code [DIR] | --host HOST",
		purpose: "look for problems in all files",
		detail: `Reads everything and changes nothing. Finds unreadable files, duplicate ids,
indexes that disagree with the files, broken links, a broken log and wrong
settings. The exit code is 3 if one of them is an error. A run that was
interrupted is named alone, because it may be the cause of the rest; --verbose
shows the rest too. --fix first repairs what can be rebuilt: it finishes an
interrupted run, takes over the edges of copies of _edges.json, moves such
copies, those of indexes and damaged derived files aside and rebuilds the
indexes. It deletes nothing and changes no memory.

--code also looks for paths, symbols and commits that live memories name and the
repository in DIR, or around the workspace, no longer has. If a file was moved,
git says where it is. These are warnings, and nothing is changed; context and
recall mark such memories until they or the code change.

--host HOST checks only the hooks and the server of a host: whether they are set
up here, whether the host trusts them, and whether they have worked.`,
		page:    "troubleshooting.md",
		example: "memory check --fix",
		flags: []urfave.Flag{&urfave.BoolFlag{Name: "fix", Usage: "repair what can be rebuilt, then check"},
			&urfave.StringFlag{Name: "host", Usage: "check the set-up of `HOST`: " + strings.Join(hook.Names(), ", ")},
			&urfave.BoolFlag{Name: "code", Usage: "look for what memories name and the code no longer has"}, waitFlag()},
		least: 0, most: 1, run: runCheck,
	}
}

func runCheck(c *call) error {
	if c.flags.IsSet("host") {
		return checkHost(c, c.flags.String("host"))
	}
	if len(c.args) > 0 && !c.flags.Bool("code") {
		hint := `"memory check --code ` + c.args[0] + `" checks memories against the code in a directory`
		if hook.Named(c.args[0]) != nil {
			hint = `did you mean "memory check --host ` + c.args[0] + `"?`
		}
		return fail.WithHint(fail.Usagef("unexpected argument %q", c.args[0]), hint)
	}
	fixed, err := c.fix()
	if err != nil {
		return err
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	line := c.progress("reading")
	snap, err := store.Load(c.at)
	if err != nil {
		line.end()
		return err
	}
	problems, err := app.CheckAll(store, snap)
	line.end()
	if err != nil {
		return err
	}
	if runs := app.Interrupted(problems); len(runs) > 0 && !c.verbose {
		return c.printCheck(snap, document.Check{Fixed: fixed, Problems: runs, Later: len(problems) - len(runs)})
	}
	var code *document.Code
	if c.flags.Bool("code") {
		if code, err = c.checkCode(store, snap); err != nil {
			return err
		}
		problems = append(problems, code.Problems(snap)...)
	}
	problems = append(problems, c.checkClone()...)
	problems = append(problems, c.checkPromotion()...)
	swap := swapMode(store)
	// What status says of the last check is a hint: on a full disk the findings count, not the note of them.
	_ = app.SaveCheck(store, c.at, problems)
	return c.printCheck(snap, document.Check{Fixed: fixed, Problems: problems, Swap: swap, Code: code})
}

// printCheck prints what a check has found. That there are errors is its fail.Outcome.
func (c *call) printCheck(snap *memory.Snapshot, doc document.Check) (err error) {
	doc.Problems = append([]memory.Problem{}, doc.Problems...)
	runs := len(app.Interrupted(doc.Problems)) // these stay first
	slices.SortStableFunc(doc.Problems[runs:], func(a, b memory.Problem) int { return cmp.Compare(a.File, b.File) })
	doc.Errors, doc.Warnings = document.CountProblems(doc.Problems)
	doc.Memories = len(snap.Memories()) + len(snap.Archived())
	if c.json {
		err = c.printJSON(doc)
	} else {
		c.printProblems(snap, doc.Problems)
		if doc.Later > 0 {
			c.say("%s may come of it: --verbose shows them\n", quantity(doc.Later, "other problem"))
		}
		if doc.Swap != "" {
			c.say("atomic file replacement: %s\n", cmp.Or(swapLimit[doc.Swap], "supported"))
		}
	}
	if err == nil && doc.Errors > 0 {
		return fail.Outcome(fail.ExitProblems)
	}
	return err
}

// fixWords deletes an index of words that disagrees with the files.
func (c *call) fixWords(fixed []workspace.Fixed) ([]workspace.Fixed, error) {
	store, snap, err := c.load()
	if err != nil {
		return fixed, err
	}
	differs, err := recall.Differs(store.Cache(), snap)
	if err != nil || !differs {
		return fixed, err
	}
	if err := store.Cache().Write(recall.CacheName, nil); err != nil {
		return fixed, fmt.Errorf("fix: %w", err)
	}
	return append(fixed, workspace.Fixed{File: app.RecallFile, What: "disagreed with the files: deleted"}), nil
}

// fix mends what can be made anew, when that is asked for.
func (c *call) fix() ([]workspace.Fixed, error) {
	if !c.flags.Bool("fix") {
		return nil, nil
	}
	store, err := c.openToWrite()
	if err != nil {
		return nil, err
	}
	var fixed []workspace.Fixed
	for _, fix := range []func() ([]workspace.Fixed, error){c.fixCopyNames, c.fixEdges, func() ([]workspace.Fixed, error) { return store.Fix(c.ctx, c.at) }} {
		more, failed := fix()
		if fixed, err = append(fixed, more...), failed; err != nil {
			break
		}
	}
	if err == nil {
		fixed, err = c.fixWords(fixed)
	}
	if !c.json {
		for _, f := range fixed {
			c.say("fixed %s: %s\n", term.Printable(f.File), term.Printable(f.What))
		}
	}
	return fixed, err
}

// swapLimit says what a lesser way of replacing files costs.
var swapLimit = map[string]string{
	"link":   "by hard links: this file system has no atomic exchange, so a file that an editor renames into place in the same instant can be lost",
	"rename": "by renaming: this file system has neither atomic exchange nor hard links, so what an editor writes in the same instant can be lost",
}

// swapMode tries out how files can be replaced; "" where nothing can be written,
// which the commands that write report.
func swapMode(store *workspace.FileStore) string {
	mode, err := store.Documents().SwapMode()
	if err != nil {
		return ""
	}
	return string(mode)
}

// printProblems prints what check found, grouped by file.
func (c *call) printProblems(snap *memory.Snapshot, problems []memory.Problem) {
	files := map[string]bool{}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			files[m.File] = true
		}
	}
	held := quantity(len(snap.Memories())+len(snap.Archived()), "memory") + " in " + quantity(len(files), "file")
	if len(problems) == 0 {
		c.say("clean: %s\n", held)
		return
	}
	last := ""
	for i, p := range problems {
		if p.File != last || i == 0 {
			if i > 0 {
				c.printf("\n")
			}
			c.printf("%s\n", c.style.Bold(term.Printable(cmp.Or(p.File, "workspace"))))
			last = p.File
		}
		c.printf("  %s %s%s\n", c.severity(p.Severity), term.Printable(where(p)), term.Printable(p.Message))
		again := i+1 < len(problems) && problems[i+1].File == p.File && problems[i+1].Hint == p.Hint
		if p.Hint != "" && !again {
			c.printf("          %s\n", c.style.Dim(term.Printable(p.Hint)))
		}
	}
	errors, warnings := document.CountProblems(problems)
	c.say("\n%s, %s; %s\n", quantity(errors, "error"), quantity(warnings, "warning"), held)
}

// where returns the prefix of a problem's message: its id and place, unless the message
// names them itself.
func where(p memory.Problem) (text string) {
	if p.ID != "" && !strings.Contains(p.Message, p.ID) {
		text = p.ID + ": "
	}
	for _, part := range strings.Fields(p.Place) {
		if !strings.Contains(p.Message, part) {
			text += part + ": "
		}
	}
	return text
}

func (c *call) severity(word string) string {
	padded := pad(word, len(memory.Warning))
	if word == memory.Error {
		return c.style.Red(padded)
	}
	return c.style.Yellow(padded)
}

// codeTime is how long git may be asked about symbols.
const codeTime = time.Minute

// checkCode holds memories against the code.
func (c *call) checkCode(store *workspace.FileStore, snap *memory.Snapshot) (*document.Code, error) {
	dir := codeDir(store.Dir())
	if len(c.args) > 0 {
		dir = c.path(c.args[0])
	}
	progress := c.progress("comparing with the code")
	defer progress.end()
	ctx, cancel := context.WithTimeout(c.ctx, codeTime)
	defer cancel()
	doc, err := app.CheckCode(ctx, store, snap, dir)
	if err != nil {
		return nil, fail.WithHint(err, "name the directory of the code: memory check --code DIR")
	}
	if doc.Unasked > 0 {
		c.note("%s could not be looked for in the history of git", quantity(doc.Unasked, "symbol"))
	}
	return doc, nil
}

// codeDir is the directory of the code around a workspace: the nearest one above it that is a repository of git, else the one that it is in.
func codeDir(workspace string) string {
	for dir := filepath.Dir(workspace); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(workspace)
		}
	}
}

// fixCopyNames gives files that are named like conflict copies, and are none since nothing has the name they stand for, that name. A memory whose id
// another one has, or that shares its file, stays.
func (c *call) fixCopyNames() (fixed []workspace.Fixed, err error) {
	store, snap, err := c.load()
	if err != nil {
		return nil, err
	}
	var actions []memory.Action
	taken := slices.Clone(snap.Files)
	for _, m := range snap.Memories() {
		name, _ := memory.StandsFor(m.File)
		if name == "" || !m.Whole() || len(snap.Find(m.ID)) > 1 || slices.Contains(taken, name) {
			continue
		}
		if _, err := store.Documents().Stat(name); err == nil {
			continue // a file that is no memory has the name
		}
		taken = append(taken, name)
		actions = append(actions, memory.Action{
			Action: oplog.Action{Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: m.ID, From: m.File, To: name, Detail: "the file has the name that it stood for"},
			Ops:    []memory.Op{{Kind: memory.Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), To: memory.Ref{File: name}}},
		})
		fixed = append(fixed, workspace.Fixed{File: m.File, What: "renamed to " + name})
	}
	return fixed, c.commitFix(snap, actions)
}

// commitFix commits what a fix changes in memories and edges, which can be undone.
func (c *call) commitFix(snap *memory.Snapshot, actions []memory.Action) error {
	if len(actions) == 0 {
		return nil
	}
	result, err := c.store.Commit(c.ctx, &workspace.Tx{Plan: memory.Command(snap, c.store.Log().Head(), actions...), Started: c.started()})
	if err != nil {
		return fmt.Errorf("fix: %w", err)
	}
	c.warn(result)
	if len(result.Skipped) > 0 {
		return fail.Errorf(fail.ExitStale, "fix: %s", commit.Skipped(result.Skipped[0]))
	}
	return nil
}

// fixEdges takes over the edges of copies of _edges.json that the file lacks. Of two with one name the file's stays.
func (c *call) fixEdges() (fixed []workspace.Fixed, err error) {
	store, snap, err := c.load()
	if err != nil {
		return nil, err
	}
	var actions []memory.Action
	for _, name := range snap.Files {
		file := path.Join(path.Dir(name), memory.EdgesFile)
		if !memory.IsCopyName(name, file) {
			continue
		}
		doc, err := store.Read(name)
		if err != nil {
			return nil, fmt.Errorf("fix: %w", err)
		}
		theirs, err := edgefile.Parse(doc)
		if err != nil {
			continue // "memory check" says what it is
		}
		met := map[edgefile.Name]bool{}
		for _, e := range snap.Edges() {
			met[e.Name] = met[e.Name] || e.File == file
		}
		n := len(actions)
		for _, e := range theirs {
			if !met[e.Name] {
				actions = append(actions, graph.Adopt(e, file))
			}
		}
		if n = len(actions) - n; n > 0 {
			fixed = append(fixed, workspace.Fixed{File: file, What: fmt.Sprintf("took %s over from %s", quantity(n, "edge"), path.Base(name))})
		}
	}
	return fixed, c.commitFix(snap, actions)
}
