package cli

import (
	"fmt"
	"maps"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

func promoteCommand() *command {
	return &command{
		args:    "ID --to team:TEAM|global [--propose]",
		purpose: "copy a memory to a team, or to everybody",
		detail: `The memory stays and points to the copy (promoted_to). With --propose, or with
promote.via = "branch", nothing is copied: the copy is put on a branch of git,
memory/promote-RUN, and "memory sync" pushes it. Once people have merged it the
memory points to it; if they don't, nobody is asked again while the text stands.
The log says who asked and who accepted. "memory demote" takes copies back.`,
		page:    "teams.md",
		example: "memory promote mem_k3x9q0a7b2cd --to team:development",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "to", Usage: "the wider `SCOPE`: team:TEAM or global"},
			&urfave.BoolFlag{Name: "propose", Usage: "propose it on a branch of git", DefaultText: "promote.via"},
		},
		least: 1, most: 1, writes: true, run: runPromote, words: liveIDs,
	}
}

func runPromote(c *call) error {
	if c.flags.String("to") == "" {
		return fail.WithHint(fail.Usagef("--to is missing: write the wider scope, team:TEAM or global"), "usage: memory "+c.cmd.synopsis())
	}
	to, err := memory.ParseScope(c.flags.String("to"))
	if err != nil {
		return fail.WithHint(fail.Usagef("--to: %w", err), "usage: memory "+c.cmd.synopsis())
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := find.Known(snap, c.args...); err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	branch := conf.Promote.Via != config.ViaDirect
	if c.flags.IsSet("propose") {
		branch = c.flags.Bool("propose")
	}
	var repo *gitsync.Repo
	if branch {
		if repo, err = openRepository(c.ctx, c.store.Dir()); err != nil {
			return err
		}
	}
	request, err := promotionRequest(c, conf)
	if err != nil {
		return err
	}
	action, err := rules.PromoteTo(snap, request, c.args[0], to, branch)
	if err != nil {
		return err
	}
	err = applyCommand(c, []memory.Action{action}, func(all []oplog.Action) {
		for i := range all {
			verb, text := printer.ActionDone(&all[i])
			c.Say("%s %s\n", verb, term.Printable(text))
		}
	})
	if err != nil || !branch || c.dryRun() {
		return err
	}
	return makeBranches(c, repo, request)
}

// promotionRequest is what a promotion needs to know of the settings.
func promotionRequest(c *call, conf *config.Config) (rules.Request, error) {
	secret, err := app.SecretRules(c.store, conf.Settings)
	return rules.Request{Settings: conf.Settings, Secrets: secret}, err
}

func demoteCommand() *command {
	return &command{
		args:    "ID",
		purpose: "take back every copy that promotion has made of a memory",
		detail: `The copies in teams and in global go to the archive, and so do their copies;
what layers have made of a memory within its scope stays. If ID is itself a
copy, it is archived too. Its original stays and is not promoted again. "memory
sync" carries it to other machines, and "memory undo" takes it back. A copy that
was merged into another memory is named: that memory stays.`,
		example: "memory demote mem_k3x9q0a7b2cd",
		least:   1, most: 1, needs: needsSnapshot, writes: true, run: runDemote, words: liveIDs,
	}
}

func runDemote(c *call) error {
	if err := find.Known(c.snap, c.args...); err != nil {
		return err
	}
	actions, merged, err := archive.Demote(c.snap, c.args[0])
	for _, id := range slices.Sorted(maps.Keys(merged)) {
		c.Note("%s was merged into %s, which stays: look at it with \"memory show %s\"", id, merged[id], merged[id])
	}
	if err != nil {
		return err
	}
	err = applyCommand(c, actions, func(done []oplog.Action) {
		for _, a := range done {
			c.Say("archived %s: %s → %s\n", term.Printable(a.MemoryID), term.Printable(a.From), term.Printable(a.To))
		}
	})
	if err != nil {
		return fmt.Errorf("demote %s: %w", c.args[0], err)
	}
	return nil
}
