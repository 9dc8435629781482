package cli

import (
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

func sessionCommand() *command {
	return &command{
		args:    "start|end [options]",
		purpose: "report that a session begins, or ends and is to be settled",
		detail: `At the end of a session, duplicates among its working memories are merged. What
is worth keeping becomes a long-term memory, and the rest is archived. The
agent's working memories are settled too, unless it has another open session, and
those without an owner if no session is open. Without --session and --agent, the
end settles all that belongs to no open session. You may report an end twice, or
the end of a session that nobody has begun.`,
		page:    "hosts.md",
		example: "memory session end --session sess-20260301 --agent DEV-001",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "session", Usage: "the session's `ID`"},
			&urfave.StringFlag{Name: "agent", Usage: "the `AGENT` that works in it"},
			&urfave.BoolFlag{Name: "spooled", Usage: "settle only the ends that hooks have left, and abandoned sessions"},
		},
		least: 1, most: 1, writes: true, run: runSession,
		words: func(*call) []string { return []string{"end", "start"} },
	}
}

func runSession(c *call) error {
	session := memory.Session{ID: c.flags.String("session"), Agent: c.flags.String("agent"), At: c.at}
	spooled := c.flags.Bool("spooled")
	switch verb := c.args[0]; {
	case verb != "start" && verb != "end":
		return unknownVerb(verb, "start", "end")
	case spooled && (verb == "start" || session.Scope() != nil):
		return fail.Usagef("--spooled belongs to end, without --session and --agent")
	case verb == "start" && session.Scope() == nil:
		return fail.Usagef("which session? give --session, --agent or both")
	case spooled && c.dryRun():
		return fail.Usagef("--spooled and --dry-run: what one end settles depends on the end before it")
	case verb == "start":
		return beginSession(c, session)
	case spooled:
		err := settleSpooled(c)
		if err != nil && c.store != nil { // nobody may be there to read it
			hook.Log(c.store, c.at, "session end --spooled", err)
		}
		return err
	}
	run, _, err := prepareEnd(c, session) // whoever says so now means that it ends
	if err != nil {
		return err
	}
	defer run.progress.End()
	if c.dryRun() {
		return run.wouldDo()
	}
	open, _, err := c.store.Ops().Sessions(ops.SessionsDir)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(open, func(s memory.Session) bool { return session.ID == "" || s.ID == session.ID }) {
		run.idle = "No open session."
	}
	if err := run.untilDone(); err != nil {
		return err
	}
	return c.store.Ops().ForgetSession(session)
}

// wouldDo prints what the first of the runs would do.
func (r *consolidation) wouldDo() error {
	_, snap, err := r.load()
	if err != nil {
		return err
	}
	r.request.LogHead = r.store.Log().Head()
	plan, err := app.MakePlan(r.store, snap, r.request)
	r.progress.End()
	if err != nil {
		return err
	}
	if r.JSON {
		return r.PrintJSON(document.NewPlan(plan, nil))
	}
	printer.Plan(&r.Printer, snap, plan, "session end")
	return nil
}

func beginSession(c *call, session memory.Session) error {
	store, err := c.open()
	if err != nil {
		return err
	}
	var fresh bool
	if c.dryRun() {
		known, _, err := store.Ops().Sessions(ops.SessionsDir)
		if err != nil {
			return err
		}
		fresh = !slices.ContainsFunc(known, func(s memory.Session) bool { return s.Scope().String() == session.Scope().String() })
	} else if fresh, err = store.Ops().BeginSession(session); err != nil {
		return err
	}
	if c.JSON {
		return c.PrintJSON(struct {
			memory.Session
			Fresh  bool `json:"new"`
			DryRun bool `json:"dry_run,omitempty"`
		}{session, fresh, c.dryRun()})
	}
	if c.dryRun() && fresh {
		c.Say("%s would begin; nothing was written\n", term.Printable(session.Scope().String()))
	} else if fresh {
		c.Say("%s has begun\n", term.Printable(session.Scope().String()))
	} else {
		c.Say("%s was open already\n", term.Printable(session.Scope().String()))
	}
	return nil
}

// prepareEnd makes the runs ready that settle the end of a session, and tells whether it
// goes on: it has begun once more since. It knows the agent that the session began with.
func prepareEnd(c *call, session memory.Session) (run *consolidation, goesOn bool, err error) {
	conf, err := c.settings()
	if err != nil {
		return nil, false, err
	}
	if _, err := c.open(); err != nil {
		return nil, false, err
	}
	secret, err := app.SecretRules(c.store, conf.Settings)
	if err != nil {
		return nil, false, err
	}
	known, _, err := c.store.Ops().Sessions(ops.SessionsDir)
	if err != nil {
		return nil, false, err
	}
	ending, goesOn := trigger.Ended(session, known, conf.Triggers.SessionIdle.Clock(), c.at)
	run = newConsolidation(c, rules.Request{Trigger: rules.SessionEnd, Scope: session.Scope(), Settings: conf.Settings, Secrets: secret, Ending: ending})
	run.single, run.progress = true, c.Progress("settling the session")
	return run, goesOn, nil
}

// settleSpooled settles the ends that wait in the spool, the oldest first, and the
// sessions that nobody has ended. What fails stays where it is for the next time.
func settleSpooled(c *call) error {
	store, err := c.open()
	if err != nil {
		return err
	}
	if _, err := store.Ops().SpoolAbandoned(c.at, store.SessionIdle); err != nil {
		return err
	}
	ends, unread, err := store.Ops().Sessions(ops.SpoolDir)
	if err != nil {
		return err
	}
	for _, name := range unread {
		c.Note("%s tells of no session: removed", name)
		if err := store.Ops().Unspool(name); err != nil {
			return err
		}
	}
	slices.SortStableFunc(ends, func(a, b memory.Session) int { return a.At.Compare(b.At) })
	all := &consolidation{call: c}
	sum := document.NewRuns()
	for _, end := range ends {
		if err := settle(c, end, sum); err != nil {
			return all.stopped(sum, err)
		}
	}
	return all.printRuns(sum, &memory.Plan{})
}

// held reports whether no run starts by itself. Then the end of a session that a hook tells
// of is only noted.
func held(c *call, settings config.Settings) (bool, error) {
	memories := 0
	if settings.Triggers.Automatic && settings.Consolidate.MinMemories > 0 {
		_, snap, err := c.load()
		if err != nil {
			return false, err
		}
		memories = len(snap.Memories())
	}
	return trigger.Held(settings, memories) != "", nil
}

// settle settles one end and adds up what it did. A session that has begun again
// since goes on.
func settle(c *call, end memory.Session, sum *document.Runs) error {
	if !c.fixed {
		c.at = clock().UTC().Truncate(time.Second)
	}
	run, goesOn, err := prepareEnd(c, end)
	if err != nil {
		return err
	}
	defer run.progress.End()
	if !goesOn {
		held, err := held(c, run.request.Settings)
		if err != nil {
			return err
		}
		if !held {
			_, err = run.goOn(sum)
		}
		if err != nil {
			return err
		}
		if err := c.store.Ops().ForgetSession(end); err != nil {
			return err
		}
	}
	return c.store.Ops().Unspool(end.File)
}
