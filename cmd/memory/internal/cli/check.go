package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func checkCommand() *command {
	return &command{
		name: "check", group: groupLook, args: "[--fix]",
		purpose: "look for problems in all files",
		detail: `Reads everything and changes nothing. Finds unreadable files, duplicate ids,
indexes that disagree with the files, broken links, a broken log and wrong
settings. The exit code is 3 if one of them is an error. --fix first repairs what
can be rebuilt: it finishes an interrupted run, moves damaged derived files aside
and rebuilds the indexes. It deletes nothing and changes no memory.`,
		example: "memory check --fix",
		flags:   []urfave.Flag{&urfave.BoolFlag{Name: "fix", Usage: "repair what can be rebuilt, then check"}, waitFlag()},
		run:     runCheck,
	}
}

func runCheck(c *call) error {
	fixed, err := c.fix()
	if err != nil {
		return err
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	line := c.progress("reading")
	snap, err := store.LoadExamined(c.at)
	line.end()
	if err != nil {
		return err
	}
	problems, err := store.Check(snap)
	if err != nil {
		return err
	}
	problems = append(problems, settingsProblems(store)...)
	if differs, err := recall.Differs(store, snap); err != nil {
		return err
	} else if differs {
		problems = append(problems, workspace.Problem{
			File: recallFile, Severity: workspace.Error, Message: "finds something else than an index made anew of the files",
			Hint: "delete it, or run \"memory check --fix\": it is made again",
		})
	}
	if on := store.Network(); on != "" {
		problems = append(problems, workspace.Problem{
			File: ".", Severity: workspace.Warning, Message: "the workspace is on a network file system (" + on + "): nothing guards it against writers on other machines",
			Hint: "keep it on a local disk, and share it with git",
		})
	}
	swap := swapMode(store)
	slices.SortStableFunc(problems, func(a, b workspace.Problem) int { return cmp.Compare(a.File, b.File) })
	found := tally(problems)
	if c.json {
		err = c.printJSON(struct {
			Fixed    []workspace.Fixed   `json:"fixed,omitempty"`
			Problems []workspace.Problem `json:"problems"`
			Errors   int                 `json:"errors"`
			Warnings int                 `json:"warnings"`
			Memories int                 `json:"memories"`
			Swap     string              `json:"swap,omitempty"` // how files are replaced: exchange, link or rename
		}{fixed, append([]workspace.Problem{}, problems...), found.errors, found.warnings, snap.Len() + len(snap.Archived()), swap})
	} else {
		c.printProblems(snap, problems)
		if swap != "" {
			c.say("files are replaced by %s%s\n", swap, swapLimit[swap])
		}
	}
	if err == nil && found.errors > 0 {
		return outcome(exitProblems)
	}
	return err
}

// recallFile is where the index of words is.
const recallFile = workspace.CacheDir + "/" + recall.CacheName

// fixWords deletes an index of words that disagrees with the files.
func (c *call) fixWords(fixed []workspace.Fixed) ([]workspace.Fixed, error) {
	store, snap, err := c.load()
	if err != nil {
		return fixed, err
	}
	differs, err := recall.Differs(store, snap)
	if err != nil || !differs {
		return fixed, err
	}
	if err := store.WriteCache(recall.CacheName, nil); err != nil {
		return fixed, fmt.Errorf("fix: %w", err)
	}
	return append(fixed, workspace.Fixed{File: recallFile, What: "disagreed with the files: deleted"}), nil
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
	fixed, err := store.Fix(c.ctx, c.at)
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
	mode, err := store.SwapMode()
	if err != nil {
		return ""
	}
	return string(mode)
}

// settingsProblems reads memory.toml as the commands that need settings would.
func settingsProblems(store *workspace.FileStore) (problems []workspace.Problem) {
	text, err := store.Read(workspace.ConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = config.Parse(workspace.ConfigFile, text)
	}
	if err == nil {
		return nil
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		place, message, ok := strings.Cut(strings.TrimPrefix(line, workspace.ConfigFile+":"), ": ")
		if !ok || !strings.HasPrefix(line, workspace.ConfigFile+":") {
			place, message = "", line
		}
		problems = append(problems, workspace.Problem{
			File: workspace.ConfigFile, Place: place, Severity: workspace.Error, Message: message, Hint: "no run starts before that is mended",
		})
	}
	return problems
}

type count struct{ errors, warnings int }

func tally(problems []workspace.Problem) (n count) {
	for _, p := range problems {
		if p.Severity == workspace.Error {
			n.errors++
		} else {
			n.warnings++
		}
	}
	return n
}
