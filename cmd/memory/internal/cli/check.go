package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/cmd/memory/internal/hook"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func checkCommand() *command {
	return &command{
		args:    "[--fix] | --code [DIR] | --host HOST",
		purpose: "look for problems in all files",
		detail: `Reads everything and changes nothing. Finds unreadable files, duplicate ids,
indexes that disagree with the files, broken links, a broken log and wrong
settings. The exit code is 3 if one of them is an error. --fix first repairs what
can be rebuilt: it finishes an interrupted run, takes over the edges of copies of
_edges.json, moves such copies, those of indexes and damaged derived files aside
and rebuilds the indexes. It deletes nothing and changes no memory.

--code looks besides for what live memories name and the repository in DIR, or
around the workspace, no longer has: paths, symbols and commits. Where a file was
moved, git tells where it is. These are warnings, and nothing is changed; context
and recall mark such memories until they or the code change.

--host HOST says instead whether the hooks and the server of a host are set up
here, whether the host trusts them, and whether they were seen to work.`,
		example: "memory check --fix",
		flags: []urfave.Flag{&urfave.BoolFlag{Name: "fix", Usage: "repair what can be rebuilt, then check"},
			&urfave.StringFlag{Name: "host", Usage: "check the set-up of `HOST`: " + strings.Join(hook.Names(), ", ")},
			&urfave.BoolFlag{Name: "code", Usage: "look for what memories name and the code no longer has"}, waitFlag()},
		least: 0, most: 1, run: runCheck,
	}
}

func runCheck(c *call) error {
	if c.flags.IsSet("host") {
		return c.checkHost(c.flags.String("host"))
	}
	if len(c.args) > 0 && !c.flags.Bool("code") {
		return withHint(usagef("check: it takes no directory"), `"memory check --code `+c.args[0]+`" checks memories against the code there`)
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
	var code *app.CodeDocument
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
	return c.printCheck(snap, app.CheckDocument{Fixed: fixed, Problems: problems, Swap: swap, Code: code})
}

// printCheck tells what a check has found. That there are errors is its outcome.
func (c *call) printCheck(snap *memory.Snapshot, doc app.CheckDocument) (err error) {
	doc.Problems = append([]memory.Problem{}, doc.Problems...)
	slices.SortStableFunc(doc.Problems, func(a, b memory.Problem) int { return cmp.Compare(a.File, b.File) })
	doc.Errors, doc.Warnings = app.CountProblems(doc.Problems)
	doc.Memories = len(snap.Memories()) + len(snap.Archived())
	if c.json {
		err = c.printJSON(doc)
	} else {
		c.printProblems(snap, doc.Problems)
		if doc.Swap != "" {
			c.say("files are replaced by %s%s\n", doc.Swap, swapLimit[doc.Swap])
		}
	}
	if err == nil && doc.Errors > 0 {
		return outcome(exitProblems)
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
			c.say("fixed %s: %s\n", printable(f.File), printable(f.What))
		}
	}
	return fixed, err
}

// swapLimit says what a lesser way of replacing files costs.
var swapLimit = map[string]string{
	"link":   ": this file system has no atomic exchange, so a file that an editor renames into place in the same instant can be lost",
	"rename": ": this file system has neither atomic exchange nor hard links, so what an editor writes in the same instant can be lost",
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
