package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/internal/op/autostart"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/merge"
)

func gitCommand() *command {
	return &command{
		args:    "install [--machine NAME] [--track-indexes] [--uninstall]",
		purpose: "let git merge memories without conflicts",
		detail: `Makes git merge memories by "memory merge-file" in this clone, and leave out
what each machine keeps for itself: indexes, caches, records of runs. It writes
marked blocks in .gitattributes and .gitignore of the workspace, and settings of
the repository (.git/config), which every clone needs once. The machine gets a
name, under which it has a log, a review queue and an access log of its own.
--uninstall takes the blocks and the settings back.`,
		page:    "teams.md",
		example: "memory git install",
		flags: []urfave.Flag{
			machineFlag(),
			&urfave.BoolFlag{Name: "track-indexes", Usage: "let git keep _index.json too, for readers without memoryd"},
			&urfave.BoolFlag{Name: "uninstall", Usage: "take back what was installed"},
			dryRunFlag(), waitFlag(),
		},
		least: 1, most: 1, run: runGit, words: func(*call) []string { return []string{"install"} },
	}
}

func machineFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "machine", Usage: "`NAME` of this machine, if it has none yet", DefaultText: "that of the host"}
}

func runGit(c *call) error {
	if c.args[0] != "install" {
		return unknownVerb(c.args[0], "install")
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	repo, err := openRepository(c.ctx, store.Dir())
	if err != nil {
		return err
	}
	if c.flags.Bool("uninstall") {
		done, err := repo.Uninstall(c.ctx, c.dryRun())
		if err != nil {
			return err
		}
		return tellInstalled(c, "", done)
	}
	machine, err := nameOfMachine(c)
	if err != nil {
		return err
	}
	o := gitsync.InstallOptions{TrackIndexes: c.flags.Bool("track-indexes"), DryRun: c.dryRun()}
	if !o.DryRun {
		if err := c.store.NameMachine(c.ctx, machine); err != nil {
			return err
		}
		machine = c.store.Machine() // another process may have named it
	}
	done, err := repo.Install(c.ctx, o)
	if err != nil {
		return err
	}
	if !o.DryRun {
		if _, err := c.store.Reindex(c.ctx, c.at); err != nil { // a fresh clone has no indexes
			return err
		}
	}
	return tellInstalled(c, machine, done)
}

func tellInstalled(c *call, machine string, done *gitsync.Installed) error {
	if c.JSON {
		return c.PrintJSON(document.GitInstalled{Machine: machine, Files: done.Files, Settings: done.Settings, Untracked: done.Untracked, DryRun: c.dryRun()})
	}
	printer.GitInstalled(&c.Printer, machine, done, c.dryRun())
	if machine != "" {
		if held := collections(c); len(held) > 0 {
			c.Note("memories that stand together in one file conflict where no driver runs, as on the website of a forge: %s", app.First(held, 3))
		}
	}
	return nil
}

// collections are the files that hold several memories.
func collections(c *call) (files []string) {
	_, snap, err := c.load()
	if err != nil {
		return nil
	}
	for _, m := range snap.Memories() {
		if !m.Whole() && (len(files) == 0 || files[len(files)-1] != m.File) {
			files = append(files, m.File)
		}
	}
	return files
}

// openRepository opens the repository that a directory lies in.
func openRepository(ctx context.Context, dir string) (*gitsync.Repo, error) {
	self, err := autostart.Program()
	if err != nil {
		return nil, err
	}
	return gitsync.Open(ctx, dir, self)
}

// nameMachine gives this machine a name, unless it has one.
func nameMachine(c *call) error {
	name, err := nameOfMachine(c)
	if err != nil {
		return err
	}
	return c.store.NameMachine(c.ctx, name)
}

// nameOfMachine is the name that this machine has, or gets.
func nameOfMachine(c *call) (string, error) {
	if name := c.flags.String("machine"); c.store.Machine() != "" {
		if name != "" && name != c.store.Machine() {
			return "", fail.Usagef("--machine: this machine is %s, and what it has written is named so", c.store.Machine())
		}
		return c.store.Machine(), nil
	} else if name != "" {
		return name, nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "machine"
	}
	return machineName(host, c.store.Dir()), nil
}

// machineName makes a name of that of a host; the directory tells two clones on one host apart.
func machineName(host, dir string) string {
	host, _, _ = strings.Cut(strings.ToLower(host), ".")
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, host)
	name = strings.Trim(name, "-")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "m-" + name
	}
	sum := memory.DigestOf([]byte(host + "\x00" + dir))
	return name[:min(len(name), 30)] + "-" + string(sum[:4])
}

func mergeFileCommand() *command {
	return &command{
		args:    "BASE OURS THEIRS [PATH]",
		purpose: "merge what two machines made of one file, as git asks for it",
		detail: `Merges the changes from BASE to THEIRS into OURS, which is written; an empty BASE
means that there is none. PATH is the name of the file in the tree, which says
what kind of document it is: a memory, a collection, an index, a queue or lines of
JSON. Values of a memory that both sides changed are noted in it, for
"memory review". If both sides continued a log, the entries of one side wait in
git's own directory, and "memory sync" or "memory reindex" writes them to a
separate file next to it once the merge is finished: OURS is the only file of the
work tree that is written.
Exit code 0: merged. 1: left as it was, for git to report. "memory git install"
makes git call this.`,
		page:    "teams.md",
		example: "memory merge-file base.json ours.json theirs.json",
		least:   3, most: 4, run: runMergeFile,
	}
}

func runMergeFile(c *call) error {
	var docs [3][]byte
	for i := range docs {
		doc, err := os.ReadFile(c.path(c.args[i]))
		if err != nil {
			return fail.File("merge", err)
		}
		docs[i] = doc
	}
	if len(docs[0]) == 0 {
		docs[0] = nil
	}
	name := c.args[1]
	if len(c.args) > 3 {
		name = c.args[3]
	}
	result, err := merge.Documents(name, docs[0], docs[1], docs[2])
	if err != nil {
		return fail.WithHint(err, "nothing was written: merge it by hand, or take one of the sides")
	}
	if len(result.Others) > 0 {
		repo, err := openRepository(c.ctx, c.path("."))
		if err == nil {
			err = repo.KeepLater(c.ctx, name, docs[1], docs[2], result.Others)
		}
		if err != nil {
			return fail.WithHint(fmt.Errorf("merge %s: both sides continued the log, and the entries of one side have no place: %w", name, err),
				"nothing was written: run it in the repository, or take one of the sides")
		}
	}
	if err := swapFile(c.path(c.args[1]), docs[1], result.Doc); err != nil {
		return fmt.Errorf("write %s: %w", c.args[1], err)
	}
	if c.JSON {
		return c.PrintJSON(struct {
			File      string `json:"file"`
			Conflicts int    `json:"conflicts"`
		}{name, result.Conflicts})
	}
	if result.Conflicts > 0 {
		c.Say("%s: %s noted in the file: see \"memory review\"\n", term.Printable(name), app.Quantity(result.Conflicts, "conflict"))
	}
	return nil
}

// swapFile puts a new text into a file in one step, if it still is as it was read.
func swapFile(name string, before, after []byte) error {
	if string(before) == string(after) {
		return nil
	}
	if after == nil {
		return errors.New("the result is no file")
	}
	return (&filechange.Change{File: name, Before: before, After: after}).Replace()
}
