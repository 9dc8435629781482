package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/text"
)

func planCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "show what consolidation would do, and change nothing",
		detail: `Each action is shown with its reason, then what was left alone and why. If there
are many questions to a person, only the first are shown; --verbose shows all.
What was read is cached in ops/cache, which may be deleted at any time.
--out writes the plan to a file. "memory consolidate --plan FILE" then does what
the file lists, and nothing else.`,
		example: "memory plan --scope agent:DEV-001 --out plan.json",
		flags: []urfave.Flag{
			triggerFlag(), scopesFlag(),
			typeFlag(), sinceFlag(), untilFlag(), consentFlag(), maxFlag(),
			&urfave.StringFlag{Name: "out", Usage: "also write the plan to `FILE`"},
			&urfave.BoolFlag{Name: "force", Usage: "let --out overwrite a file"},
		},
		run: runPlan,
	}
}

func runPlan(c *call) error {
	for _, flag := range []string{"type", "since", "until"} {
		if c.flags.IsSet("out") && c.flags.IsSet(flag) {
			return fail.Usagef("--out and --%s: a plan in a file is of a scope; \"memory consolidate --%s\" does without a file", flag, flag)
		}
	}
	r, err := planRequest(c)
	if err != nil {
		return err
	}
	progress := c.progress("planning")
	defer progress.end()
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := unknownChosen(c, snap); err != nil {
		return err
	}
	r.LogHead = store.Log().Head()
	plan, err := app.MakePlan(store, snap, r)
	progress.end()
	if err == nil && c.has("deep") && c.flags.Bool("deep") {
		plan, err = deepen(c, r, snap, plan)
	}
	if err != nil {
		return err
	}
	if name := c.flags.String("out"); name != "" || c.json {
		doc := document.NewPlan(plan, nil)
		doc.Limit = r.Settings.Run.Limit
		if name != "" {
			if err := savePlan(c, c.path(name), *doc); err != nil {
				return err
			}
		}
		if c.json {
			return c.printJSON(doc)
		}
	}
	printPlan(c, snap, plan)
	return nil
}

// membersOf lists the memories that actions are about.
func membersOf(actions []oplog.Action) (ids []string) {
	for i := range actions {
		ids = append(ids, (&memory.Action{Action: actions[i]}).Members()...)
	}
	return ids
}

// planRequest is what the flags ask to plan.
func planRequest(c *call) (rules.Request, error) {
	r := rules.Request{Trigger: cmp.Or(c.flags.String("trigger"), rules.Manual), Progress: c.comparing}
	var err error
	if r.Scope, err = c.scopes(); err != nil {
		return r, err
	}
	r.Type = c.flags.String("type")
	conf, err := c.settings()
	if err != nil {
		return r, err
	}
	r.Settings = conf.Settings
	if r.Since, r.Until, err = periodOf(c, r.Settings); err != nil {
		return r, err
	}
	r.Secrets, err = app.SecretRules(c.store, r.Settings)
	return r, err
}

// savePlan writes the document of --json to a file.
func savePlan(c *call, name string, doc document.Run) error {
	doc.LogHead = c.store.Log().Head()
	text, err := document.MarshalIndent(doc)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if c.flags.Bool("force") {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fail.WithHint(fmt.Errorf("--out: %s exists already", name), "choose another name, or overwrite it with --force")
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// printPlan prints a plan for people.
func printPlan(c *call, snap *memory.Snapshot, plan *memory.Plan) {
	if c.ids(membersOf(plan.LogActions())...) {
		return
	}
	c.printf("%s\n", c.style.Dim(fmt.Sprintf("as of %s, trigger %s, scope %s", c.when(plan.At), plan.Trigger, term.Printable(cmp.Or(plan.Scope, "all")))))
	if len(plan.Off) > 0 {
		c.printf("%s\n", offText(plan.Off))
	}
	shown, more := told(&c.printer, plan.LogActions())
	for _, text := range actionTexts(&c.printer, snap, plan, shown) {
		c.printf("\n%s", text)
	}
	if more.questions > 0 {
		c.printf("\n%s: --verbose shows them\n", c.style.Bold(more.String()))
	}
	if plan.Empty() {
		c.printf("\nnothing to do\n")
	}
	printSkips(&c.printer, plan.Skipped)
	printDeferred(&c.printer, plan.Deferred, len(plan.Deferred))
	if len(plan.DeferredRules) > 0 {
		c.printf("  This run is at its limit. Outdated memories are looked for in the next run that has room.\n")
	}
	if plan.Empty() {
		return
	}
	c.printf("\n%s %s\n", c.style.Bold("Total:"), app.Planned(plan.Stats()))
	do := cmp.Or(map[string]string{"session": "session end"}[c.cmd.name], "consolidate")
	c.printf("Nothing has been written. To do it: memory %s\n", do)
}

// offText names the rules that the settings switch off.
func offText(rules []string) string {
	return "switched off: " + strings.Join(rules, ", ") + " (enabled = false in memory.toml)"
}

// questionsShown is how many questions to a person a list holds without --verbose. A run asks
// as many as there are; what changes memories is never left out.
const questionsShown = 20

// untold are the questions that a list leaves out, and the memories that they are about.
type untold struct{ questions, memories int }

func (u untold) String() string {
	return fmt.Sprintf("%s to a person, about %s", quantity(u.questions, "more question"), quantity(u.memories, "memory"))
}

// told chooses the actions that are printed one by one.
func told(p *printer, actions []oplog.Action) (shown []int, more untold) {
	questions := 0
	for i := range actions {
		if a := &actions[i]; a.Type == oplog.Review && !p.verbose {
			if questions++; questions > questionsShown {
				more.questions++
				more.memories += len(a.MemoryIDs)
				continue
			}
		}
		shown = append(shown, i)
	}
	return shown, more
}

// actionTexts is [actionText] of some actions, put together on all cores: the memories
// may have to be read for it.
func actionTexts(p *printer, snap *memory.Snapshot, plan *memory.Plan, shown []int) []string {
	texts, cores := make([]string, len(shown)), runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for core := range cores {
		group.Go(func() {
			for i := core; i < len(texts); i += cores {
				texts[i] = actionText(p, snap, &plan.Actions[shown[i]].Action)
			}
		})
	}
	group.Wait()
	return texts
}

// actionText describes one action with its memories and its reason.
func actionText(p *printer, snap *memory.Snapshot, a *oplog.Action) string {
	t := p.facts()
	memory := func(name, id string) { t.Row(name, id+"  "+summaryOf(snap, id)) }
	switch a.Type {
	case oplog.Merge:
		memory("keep", a.ResultID)
		for _, id := range a.SourceIDs {
			memory("merge", id)
			if summaryOf(snap, id) == summaryOf(snap, a.ResultID) {
				t.Row("", inWhat(p, snap.Live(id), snap.Live(a.ResultID)))
			}
		}
	case oplog.Review:
		for i, id := range a.MemoryIDs {
			memory(app.RoleInReview(a, i), id)
		}
		for _, d := range a.Differences {
			t.Fact(app.DifferenceVerb(a.Reason), d)
		}
	case oplog.Judge:
		for _, id := range a.MemoryIDs {
			memory("", id)
		}
		t.Fact("model", judgedText(a))
	default:
		t.Fact("says", summaryOf(snap, a.MemoryID))
	}
	t.Fact("why", app.ActionReason(a))
	return fmt.Sprintf("%s\n%s", p.style.Bold(actionHead(a)), t.Format("  ", p.style))
}

// summaryOf is the line that stands for the memory with an id.
func summaryOf(snap *memory.Snapshot, id string) string { return app.WordsOf(snap, id) }

// inWhat says in what two memories of a merge differ that are shown with the same words.
func inWhat(p *printer, goes, stays *memory.Memory) string {
	if goes == nil || stays == nil {
		return ""
	}
	if goes.Text() == stays.Text() {
		return fmt.Sprintf("same text, written %s / %s", p.day(goes.Newest()), p.day(stays.Newest()))
	}
	const most = 3
	var parts []string
	for _, run := range text.Diff(goes.Text(), stays.Text()) {
		words := strings.Join(strings.Fields(strings.Join(run.Words, " ")), " ")
		switch {
		case run.Change == text.Same || words == "":
			continue
		case len(parts) == most:
			return strings.Join(parts, ", ") + " and more"
		case run.Change == text.Deleted:
			parts = append(parts, "only here: "+strconv.Quote(app.Headline(words)))
		default:
			parts = append(parts, "only in the kept one: "+strconv.Quote(app.Headline(words)))
		}
	}
	return strings.Join(parts, ", ")
}

// skippedShown is how many ids of one reason are named without --verbose.
const skippedShown = 3

// printSkips groups what was left alone by its reason.
func printSkips(p *printer, skips []memory.Skip) {
	if len(skips) == 0 {
		return
	}
	p.printf("\n%s\n", p.style.Bold("Left alone"))
	if p.verbose {
		t := &term.Table{}
		for _, s := range skips {
			t.Row(reasonWords(s.Reason), s.Rule, s.MemoryID, s.Detail)
		}
		p.printf("%s", t.Format("  ", p.style))
		return
	}
	t := &term.Table{Right: map[int]bool{1: true}}
	for _, g := range memory.GroupSkips(skips) {
		text := some(g.IDs, skippedShown)
		if g.Reason == rules.ReasonUser {
			text += " (--consent-user includes them)"
		}
		t.Row(reasonWords(g.Reason), thousands(len(g.IDs)), text)
	}
	p.printf("%s", t.Format("  ", p.style))
}

// printDeferred lists what a run deferred. A long list is cut.
func printDeferred(p *printer, named []string, all int) {
	if all = max(all, len(named)); all == 0 {
		return
	}
	shown := skippedShown
	if p.verbose {
		shown = len(named)
	}
	verbs := "are over the limit of a run and come"
	if all == 1 {
		verbs = "is over the limit of a run and comes"
	}
	p.printf("\n%s %s first in the next run.\n  %s\n",
		p.style.Bold(quantity(all, "more memory")), verbs, term.Printable(app.FirstOf(named, shown, all)))
}
