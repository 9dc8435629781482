package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/cmd/memory/internal/gitsync"
	"github.com/memoryd/memoryd/cmd/memory/internal/mirror"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func syncCommand() *command {
	return &command{
		name: "sync", group: groupLook, args: "[--remote R] [--branch B] [--dry-run]",
		purpose: "share the workspace with other machines through git, or a hub",
		detail: `Commits what was changed in the workspace, brings in what others have pushed,
and pushes. Nothing is forced, no commit is rewritten, and git's hooks don't run.
What two machines changed in one memory is merged; where both changed one value
the newer stands, and "memory review" shows the other. It stops at a merge or
rebase that somebody has not finished. Files that hold secrets are never pushed.
A push that is refused, since somebody else was faster, is tried 5 times more.

A workspace that follows a hub ("memory remote add") is brought in step with that
instead, unless --remote or --branch names one of git. An interrupted sync goes on
where it was.`,
		example: "memory sync",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "remote", Usage: "the git remote `R`, instead of sync.remote"},
			&urfave.StringFlag{Name: "branch", Usage: "the branch `B` of the remote, instead of sync.branch"},
			machineFlag(),
			&urfave.BoolFlag{Name: "dry-run", Usage: "tell what would go and come, as far as it is known here or the hub says, and do nothing"},
		},
		run: runSync,
	}
}

func runSync(c *call) error {
	if _, err := c.open(); err != nil {
		return err
	}
	if r, err := mirror.ReadRemote(c.store.Dir()); err == nil && !c.flags.IsSet("remote") && !c.flags.IsSet("branch") {
		return c.syncHub(r)
	} else if err != nil && !errors.Is(err, mirror.ErrNoRemote) {
		return err
	}
	repo, err := c.repository()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	secrets, err := c.secretKinds()
	if err != nil {
		return err
	}
	dry := c.flags.Bool("dry-run")
	settle := func() error { return nil }
	if !dry {
		settle = func() error { return c.settleSync(repo, conf) }
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
		Log: c.logSync, Settle: settle, Secrets: secrets,
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

// settleSync does what is to be done once something may have come in: indexes are made anew, copies that people have accepted are noted,
// and what was archived on one machine and edited on another comes back. What was proposed is put on branches.
func (c *call) settleSync(repo *gitsync.Repo, conf *config.Config) error {
	if _, err := c.store.Reindex(c.ctx, c.at); err != nil {
		return err
	}
	request, err := c.promotionRequest(conf)
	if err != nil {
		return err
	}
	snap, err := c.store.Load(c.at)
	if err != nil {
		return err
	}
	log, err := c.store.Log().Read()
	if err != nil {
		return err
	}
	actions := rules.Accepted(snap, request)
	for i := range actions {
		if copied := snap.Live(actions[i].ResultID); copied != nil {
			actions[i].AcceptedBy = repo.AcceptedBy(c.ctx, copied.File)
		}
	}
	if actions = append(actions, archive.EditedMeanwhile(snap, log)...); len(actions) > 0 {
		result, err := c.commitSync(snap, actions...)
		if err != nil {
			return err
		}
		c.warn(result)
		for _, a := range result.Entry.Actions {
			verb, text := done(&a)
			c.note("%s %s", verb, text)
		}
	}
	return c.makeBranches(repo, request)
}

// makeBranches puts what this machine has proposed on branches of git, one for each run.
func (c *call) makeBranches(repo *gitsync.Repo, request rules.Request) error {
	snap, err := c.store.Load(c.at)
	if err != nil {
		return err
	}
	own, err := c.store.Log().ReadOwn()
	if err != nil {
		return err
	}
	runs := map[string]*gitsync.Proposal{}
	for _, d := range snap.Review.Decided {
		if _, ok := d.Proposal(); !ok {
			continue
		}
		if entry, _ := app.FindRun(own, d.RunID); entry == nil || entry.RunID != d.RunID {
			continue // another machine's
		}
		file, record, ok, err := rules.ProposedCopy(snap, request, d)
		if err != nil {
			return fmt.Errorf("propose a copy of %s: %w", d.A, err)
		}
		if !ok {
			continue
		}
		if runs[d.RunID] == nil {
			runs[d.RunID] = &gitsync.Proposal{Run: d.RunID, Files: map[string][]byte{}, Message: "memory promote: " + d.RunID + "\n\n"}
		}
		p := runs[d.RunID]
		p.Files[file] = record
		scope, _ := d.Proposal()
		p.Message += fmt.Sprintf("%s for %s as %s\n", d.A, scope, d.B)
	}
	for _, run := range slices.Sorted(maps.Keys(runs)) {
		made, err := repo.Propose(c.ctx, *runs[run], c.store.Machine())
		if err != nil {
			return err
		}
		if made {
			c.note("proposed on the branch %s", gitsync.Branch(run))
		}
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
	_, err = c.commitSync(snap, synced("%s to commit, %s to bring in", quantity(len(out.Committed), "file"), quantity(out.Incoming, "commit")))
	return err
}

// synced is the entry of a sync in the log.
func synced(format string, args ...any) memory.Action {
	return memory.Action{Action: oplog.Action{Type: oplog.Sync, Rule: memory.RuleManual, Detail: fmt.Sprintf(format, args...)}}
}

// commitSync commits what a sync does as one run.
func (c *call) commitSync(snap *memory.Snapshot, actions ...memory.Action) (*workspace.Result, error) {
	plan := memory.Command(snap, c.store.Log().Head(), actions...)
	plan.Trigger = "sync"
	plan.Seal(c.store.Log().Head())
	return c.store.Commit(c.ctx, &workspace.Tx{Plan: plan, Started: c.started()})
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
	for _, branch := range out.Proposed {
		c.say("pushed %s: merge it to accept what it proposes\n", printable(branch))
	}
}
