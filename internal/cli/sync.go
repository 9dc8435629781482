package cli

import (
	"cmp"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/internal/op/sharing"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

func syncCommand() *command {
	return &command{
		args:    "[--remote R] [--branch B] [--root] [--push-all] [--accept-removals] [--dry-run]",
		purpose: "share the workspace with other machines through git",
		detail: `Commits what was changed in the workspace, brings in what others have pushed,
and pushes. Nothing is forced, no commit is rewritten, and git's hooks don't run.
What two machines changed in one memory is merged; where both changed one value
the newer is used, and "memory review" shows the other. It stops at a merge or
rebase that somebody has not finished. A push that is refused, since somebody
else was faster, is tried 5 times more.
Files that hold secrets, damaged files, and the removal of many memories that
memoryd did not remove are not committed: they are named, and the exit code is 3.
Nothing is pushed while a commit holds a secret, or changes files outside of the
workspace.`,
		page:    "teams.md",
		example: "memory sync",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "remote", Usage: "the git remote `R`, instead of sync.remote"},
			&urfave.StringFlag{Name: "branch", Usage: "the branch `B` of the remote, instead of sync.branch"},
			&urfave.BoolFlag{Name: "root", Usage: "the repository is the workspace: commit every file in it; said once in each clone"},
			&urfave.BoolFlag{Name: "push-all", Usage: "push commits too that change files outside of the workspace"},
			&urfave.BoolFlag{Name: "accept-removals", Usage: "share the removal of memories, however many they are"},
			machineFlag(),
			dryRunFlag(), waitFlag(),
		},
		needs: needsStore, run: runSync,
	}
}

func runSync(c *call) error {
	repo, err := openRepository(c.ctx, c.store.Dir())
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	guard, err := shareGuard(c)
	if err != nil {
		return err
	}
	dry := c.flags.Bool("dry-run")
	settle := func() error { return nil }
	if !dry {
		settle = func() error { return settleSync(c, repo, conf) }
		if err := nameMachine(c); err != nil {
			return err
		}
		if why := repo.Ready(c.ctx); why != "" {
			if _, err := repo.Install(c.ctx, gitsync.InstallOptions{}); err != nil {
				return err
			}
			c.Note("%s: installed, as \"memory git install\" does", why)
		}
	}
	out, err := repo.Sync(c.ctx, gitsync.Options{
		Machine: c.store.Machine(), Remote: cmp.Or(c.flags.String("remote"), conf.Sync.Remote), Branch: cmp.Or(c.flags.String("branch"), conf.Sync.Branch), DryRun: dry,
		Root: c.flags.Bool("root"), PushAll: c.flags.Bool("push-all"), Guard: guard,
		Log: func(out *gitsync.Outcome) error { return logSynced(c, out) }, Settle: settle,
	})
	if err != nil {
		return syncHint(err)
	}
	if c.JSON {
		err = c.PrintJSON(out)
	} else {
		printer.Synced(&c.Printer, out)
		err = noteConflicts(c, out)
	}
	if err != nil || len(out.Withheld) == 0 {
		return err
	}
	return fail.Outcome(fail.ExitProblems)
}

// noteConflicts says how many memories came in that two machines had changed differently.
func noteConflicts(c *call, out *gitsync.Outcome) error {
	if out.Incoming == 0 || out.DryRun {
		return nil
	}
	snap, err := c.store.Load(c.at)
	if err != nil {
		return err
	}
	n := 0
	for _, m := range snap.Memories() {
		if m.Conflicted {
			n++
		}
	}
	if n > 0 {
		c.Note("two machines changed %s differently: see \"memory review\"", app.Quantity(n, "memory"))
	}
	return nil
}

// shareGuard judges what may be shared, by the settings and by what the workspace holds now.
func shareGuard(c *call) (guard gitsync.Guard, err error) {
	secrets, err := secretRules(c)
	if err != nil {
		return guard, err
	}
	snap, err := c.store.Load(c.at)
	if err != nil {
		return guard, err
	}
	log, err := c.store.Log().Read()
	if err != nil {
		return guard, err
	}
	return sharing.NewGuard(secrets, snap, log, c.flags.Bool("accept-removals")), nil
}

// settleSync does what is to be done once something may have come in from git: see [app.SettleIncoming]; copies that people have accepted are
// noted besides, and what was proposed is put on branches.
func settleSync(c *call, repo *gitsync.Repo, conf *config.Config) error {
	if _, err := repo.TakeLater(c.ctx, c.at); err != nil {
		return err
	}
	request, err := promotionRequest(c, conf)
	if err != nil {
		return err
	}
	result, err := app.SettleIncoming(c.ctx, c.store, c.at, c.started(), func(snap *memory.Snapshot) []memory.Action { return repo.Accepted(c.ctx, snap, request) })
	if err != nil {
		return err
	}
	if result != nil {
		printer.Warnings(&c.Printer, result)
		for _, a := range result.Entry.Actions {
			verb, text := printer.ActionDone(&a)
			c.Note("%s %s", verb, text)
		}
	}
	return makeBranches(c, repo, request)
}

// makeBranches puts what this machine has proposed on branches of git.
func makeBranches(c *call, repo *gitsync.Repo, request rules.Request) error {
	made, err := repo.ProposeAll(c.ctx, c.store, c.at, request)
	for _, branch := range made {
		c.Note("proposed on the branch %s", branch)
	}
	return err
}

func syncHint(err error) error {
	switch {
	case errors.Is(err, gitsync.ErrUnfinished):
		return fail.WithHint(err, "git status shows it")
	case errors.Is(err, gitsync.ErrConflict):
		return fail.WithHint(err, "nothing was merged; what was changed here is committed")
	case errors.Is(err, gitsync.ErrForeign):
		return fail.WithHint(err, "push them yourself with git push; or \"memory sync --push-all\". What was changed in the workspace is committed")
	case errors.Is(err, gitsync.ErrRoot):
		return fail.WithHint(err, "\"memory sync --root\", once, if it holds nothing but memories; else move the workspace into a folder of its own")
	}
	return err
}

// logSynced makes a sync a run in the log.
func logSynced(c *call, out *gitsync.Outcome) error {
	snap, err := c.store.Load(c.at)
	if err != nil {
		return err
	}
	action := oplog.Action{
		Type: oplog.Sync, Rule: memory.RuleManual,
		Detail: fmt.Sprintf("%s to commit, %s to bring in", app.Quantity(len(out.Sent), "file"), app.Quantity(out.Incoming, "commit")),
	}
	_, err = app.CommitSync(c.ctx, c.store, snap, c.started(), memory.Action{Action: action})
	return err
}
