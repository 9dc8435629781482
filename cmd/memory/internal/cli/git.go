package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/cmd/memory/internal/gitsync"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func gitCommand() *command {
	return &command{
		name: "git", group: groupLook, args: "install [--machine NAME] [--track-indexes] [--uninstall]",
		purpose: "let git merge memories without conflicts",
		detail: `Makes git merge memories by "memory merge-file" in this clone, and leave out
what each machine keeps for itself: indexes, caches, records of runs. It writes
marked blocks in .gitattributes and .gitignore of the workspace, and settings of
the repository (.git/config), which every clone needs once. The machine gets a
name, under which it has a log, a review queue and an access log of its own.
--uninstall takes the blocks and the settings back. See docs/teams.md.`,
		example: "memory git install",
		flags: []urfave.Flag{
			machineFlag(),
			&urfave.BoolFlag{Name: "track-indexes", Usage: "let git keep _index.json too, for readers without memoryd"},
			&urfave.BoolFlag{Name: "uninstall", Usage: "take back what was installed"},
		},
		least: 1, most: 1, run: runGit, words: func(*call) []string { return []string{"install"} },
	}
}

func machineFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "machine", Usage: "`NAME` of this machine, if it has none yet", DefaultText: "that of the host"}
}

func runGit(c *call) error {
	if c.args[0] != "install" {
		return withHint(usagef("%q: there is no such command of git", c.args[0]), "memory git install")
	}
	repo, err := c.repository()
	if err != nil {
		return err
	}
	if c.flags.Bool("uninstall") {
		done, err := repo.Uninstall(c.ctx)
		if err != nil {
			return err
		}
		return c.tellInstalled("", done)
	}
	if err := c.nameMachine(); err != nil {
		return err
	}
	done, err := repo.Install(c.ctx, c.flags.Bool("track-indexes"))
	if err != nil {
		return err
	}
	if _, err := c.store.Reindex(c.ctx, c.at); err != nil { // a fresh clone has no indexes
		return err
	}
	return c.tellInstalled(c.store.Machine(), done)
}

func (c *call) tellInstalled(machine string, done *gitsync.Installed) error {
	if c.json {
		return c.printJSON(struct {
			Machine string `json:"machine,omitempty"`
			*gitsync.Installed
		}{machine, done})
	}
	if machine != "" {
		c.say("this machine is %s\n", machine)
	}
	for _, name := range done.Files {
		c.say("wrote %s\n", printable(name))
	}
	for _, key := range done.Settings {
		c.say("set   %s\n", printable(key))
	}
	if n := len(done.Untracked); n > 0 {
		c.say("git no longer keeps %s, which each machine has for itself: %s\n", quantity(n, "file"), printable(app.First(done.Untracked, 3)))
	}
	if len(done.Files)+len(done.Settings)+len(done.Untracked) == 0 {
		c.say("nothing to change\n")
	}
	if machine != "" {
		if held := c.collections(); len(held) > 0 {
			c.note("memories that stand together in one file conflict where no driver runs, as on the website of a forge: %s", app.First(held, 3))
		}
	}
	return nil
}

// collections are the files that hold several memories.
func (c *call) collections() (files []string) {
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

// repository is the one that the workspace lies in.
func (c *call) repository() (*gitsync.Repo, error) {
	store, err := c.open()
	if err != nil {
		return nil, err
	}
	self, err := program()
	if err != nil {
		return nil, err
	}
	repo, err := gitsync.Open(c.ctx, store.Dir(), self)
	switch {
	case errors.Is(err, gitsync.ErrNoGit):
		err = withHint(err, "install git, then try again; nothing else of memoryd needs it")
	case errors.Is(err, gitsync.ErrNoRepository):
		err = withHint(err, "git init, or git clone, then try again")
	}
	return repo, err
}

// checkClone tells of a clone in which git doesn't merge memories by the driver though the workspace is set up for that.
func (c *call) checkClone() []memory.Problem {
	if !gitsync.Expects(c.store.Dir()) {
		return nil
	}
	repo, err := c.repository()
	if err != nil { // no clone, or no git
		return nil
	}
	why := repo.Ready(c.ctx)
	if why == "" {
		return nil
	}
	return []memory.Problem{{File: ".gitattributes", Severity: memory.Warning, Message: why, Hint: "\"memory git install\", once in each clone"}}
}

// nameMachine gives this machine a name, unless it has one.
func (c *call) nameMachine() error {
	if name := c.flags.String("machine"); c.store.Machine() != "" {
		if name != "" && name != c.store.Machine() {
			return usagef("--machine: this machine is %s, and what it has written is named so", c.store.Machine())
		}
		return nil
	} else if name != "" {
		return c.store.NameMachine(c.ctx, name)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "machine"
	}
	return c.store.NameMachine(c.ctx, machineName(host, c.store.Dir()))
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

func syncCommand() *command {
	return &command{
		name: "sync", group: groupLook, args: "[--remote R] [--branch B] [--dry-run]",
		purpose: "share the workspace with other machines through git",
		detail: `Commits what was changed in the workspace, brings in what others have pushed,
and pushes. Nothing is forced, no commit is rewritten, and git's hooks don't run.
What two machines changed in one memory is merged; where both changed one value
the newer stands, and "memory review" shows the other. It stops at a merge or
rebase that somebody has not finished. Files that hold secrets are never pushed.
A push that is refused, since somebody else was faster, is tried 5 times more.`,
		example: "memory sync",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "remote", Usage: "the git remote `R`, instead of sync.remote"},
			&urfave.StringFlag{Name: "branch", Usage: "the branch `B` of the remote, instead of sync.branch"},
			machineFlag(),
			&urfave.BoolFlag{Name: "dry-run", Usage: "tell what would be committed and what is known to come in, and do nothing"},
		},
		run: runSync,
	}
}

func runSync(c *call) error {
	repo, err := c.repository()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	found, err := c.secretRules()
	if err != nil {
		return err
	}
	dry := c.flags.Bool("dry-run")
	if !dry {
		if err := c.nameMachine(); err != nil {
			return err
		}
		if why := repo.Ready(c.ctx); why != "" {
			if _, err := repo.Install(c.ctx, false); err != nil {
				return err
			}
			c.note("%s: installed, as \"memory git install\" does", why)
		}
	}
	out, err := repo.Sync(c.ctx, gitsync.Options{
		Machine: c.store.Machine(), Remote: or(c.flags.String("remote"), conf.Sync.Remote), Branch: or(c.flags.String("branch"), conf.Sync.Branch), DryRun: dry,
		Log:    c.logSync,
		Settle: func() error { _, err := c.store.Reindex(c.ctx, c.at); return err },
		Secrets: func(_ string, text []byte) (kinds []string) {
			for _, f := range found.FindRecord(text) {
				kinds = append(kinds, f.String())
			}
			return kinds
		},
	})
	if err != nil {
		return syncHint(err)
	}
	if c.json {
		return c.printJSON(out)
	}
	c.tellSync(out)
	if len(out.Withheld) > 0 {
		return withHint(fmt.Errorf("left out, since it holds secrets: %s", strings.Join(out.Withheld, ", ")), "take the secret out with \"memory edit --redact\", then sync again")
	}
	return nil
}

func syncHint(err error) error {
	switch {
	case errors.Is(err, gitsync.ErrUnfinished):
		return withHint(err, "git status shows it")
	case errors.Is(err, gitsync.ErrConflict):
		return withHint(err, "nothing was merged; what was changed here is committed")
	}
	return err
}

// logSync makes a sync a run in the log.
func (c *call) logSync(out *gitsync.Outcome) error {
	snap, err := c.store.Load(c.at)
	if err != nil {
		return err
	}
	detail := fmt.Sprintf("%s to commit, %s to bring in", quantity(len(out.Committed), "file"), quantity(out.Incoming, "commit"))
	plan := memory.Command(snap, c.store.LogHead(), memory.Action{Action: oplog.Action{Type: oplog.Sync, Rule: memory.RuleManual, Detail: detail}})
	plan.Trigger = "sync"
	plan.Seal(c.store.LogHead())
	_, err = c.store.Commit(c.ctx, &workspace.Tx{Plan: plan, Started: c.started()})
	return err
}

func (c *call) tellSync(out *gitsync.Outcome) {
	verb := "committed"
	if out.DryRun {
		verb = "to commit:"
	}
	for _, name := range out.Committed {
		if c.verbose || out.DryRun {
			c.printf("  %s\n", printable(name))
		}
	}
	c.say("%s %s\n", verb, quantity(len(out.Committed), "file"))
	if out.Remote == "" {
		c.say("there is no remote: nothing was fetched or pushed\n")
		return
	}
	c.say("%s from %s/%s\n", quantity(out.Incoming, "commit"), printable(out.Remote), printable(out.Branch))
	if len(out.Resolved) > 0 {
		c.say("merged besides: %s\n", printable(app.First(out.Resolved, 5)))
	}
	if out.Pushed {
		c.say("pushed\n")
	}
}
