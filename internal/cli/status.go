package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/login"
	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

func statusCommand() *command {
	return &command{
		purpose: "show what is there, what was done last and what is due",
		page:    "troubleshooting.md",
		example: "memory status",
		detail: `In a project that uses a hub ("memory login") it says which one, and whether it
answers.`,
		run: runStatus,
	}
}

func runStatus(c *call) error {
	hub, err := login.Ask(c.ctx, c.search())
	if err != nil {
		return err
	}
	if hub != nil && discover.ForAgents(c.search()) == "" {
		return printHub(&c.printer, hub)
	}
	if _, err := c.settings(); err != nil {
		return err
	}
	if _, _, err := c.load(); err != nil {
		return err
	}
	secret, err := secretRules(c)
	if err != nil {
		return err
	}
	plan, err := app.MakePlan(c.store, c.snap, rules.Request{Settings: c.conf.Settings, Secrets: secret, LogHead: c.store.Log().Head(), Progress: c.comparing})
	if err != nil {
		return err
	}
	log, logErr := c.store.Log().Read()
	if logErr != nil {
		log = nil
	}
	s := document.NewStatus(c.snap, c.conf.Settings, plan.Stats(), app.NewestRun(log))
	if logErr != nil {
		s.Errors++
		s.Unread = append(s.Unread, document.UnreadFile{File: memory.LogFile, Message: logErr.Error()})
	}
	s.Workspace, s.Preset, s.LastCheck = c.store.Dir(), c.conf.Preset, repair.LastCheck(c.store)
	s.Worktree = discover.Worktree(c.search())
	if s.Watch, err = watched(c.store); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(struct {
			*document.Status
			Hub *login.Status `json:"hub,omitempty"`
		}{s, hub})
	}
	printStatus(c, s, hub)
	return nil
}

// printHub is the status of a project that has no workspace but that of a hub.
func printHub(p *printer, hub *login.Status) error {
	if p.json {
		return p.printJSON(struct {
			Hub *login.Status `json:"hub"`
		}{hub})
	}
	t := p.facts()
	t.Fact("workspace", "none here: agents use the hub's")
	hubFacts(t, hub)
	p.printf("%s", t.Format("", p.style))
	return nil
}

// hubFacts says which hub agents use.
func hubFacts(t *term.Table, hub *login.Status) {
	t.Fact("hub", hub.Text())
	t.Fact("project", hub.Dir)
	if !hub.Answers {
		t.Fact("", hub.Todo())
	}
}

// unreadShown is how many files that can't be read the overview names.
const unreadShown = 5

func printStatus(c *call, s *document.Status, hub *login.Status) {
	t := c.facts()
	t.Fact("workspace", c.brief(s.Workspace)+" (preset "+s.Preset+")")
	if s.Worktree != nil {
		t.Fact("worktree", worktreeText(s.Worktree, c.brief))
	}
	if hub != nil {
		hubFacts(t, hub)
		t.Fact("", "agents use the hub, and not this folder")
	}
	t.Fact("memories", thousands(s.Memories)+shares(s.Types, ": ", ""))
	kinds := map[string]int{}
	owners := map[string]int{}
	for scope, n := range s.Scopes {
		kind, _, _ := strings.Cut(scope, ":")
		kinds[kind] += n
		owners[kind]++
	}
	t.Fact("tiers", tierText(s.Tiers))
	t.Fact("scopes", strings.TrimPrefix(scopeText(kinds, owners), ", "))
	t.Fact("archived", thousands(s.Archived))
	t.Fact("indexes", strconv.Itoa(s.Indexes))
	t.Fact("last run", lastText(&c.printer, s.LastRun))
	t.Fact("to review", orNone(s.Review, "pair"))
	for i, copied := range s.Copies {
		if i == unreadShown && !c.verbose {
			t.Fact("", fmt.Sprintf("and %s more", thousands(len(s.Copies)-i)))
			break
		}
		t.Fact("conflict copy", fmt.Sprintf("%s of %s: memory review %s", copied.File, copied.Of, copied.PairID))
		t.Fact("", memory.DifferingIn(copied.Differences))
	}
	if len(s.Due) > 0 {
		t.Fact("to look at", fmt.Sprintf("%s: %s", app.First(s.Due, 6), "memory edit ID --review-on DATE once it is checked"))
	}
	if len(s.Conflicts) > 0 {
		t.Fact("merge conflicts", app.First(s.Conflicts, 3)+": memory review "+s.Conflicts[0])
	}
	t.Fact("next run", nextText(s.Next))
	if len(s.Off) > 0 {
		t.Fact("rules", offText(s.Off))
	}
	if s.Held != "" {
		t.Fact("automatic", "no run starts by itself: "+s.Held)
	}
	t.Fact("watch", watchText(&c.printer, s.Watch))
	t.Fact("last check", checkText(&c.printer, s.LastCheck))
	t.Fact("problems", problemText(s))
	for i, u := range s.Unread {
		if i == unreadShown && !c.verbose {
			t.Fact("", fmt.Sprintf("and %s more", thousands(len(s.Unread)-i)))
			break
		}
		t.Fact("not read", u.File+": "+u.Message)
	}
	c.printf("%s", t.Format("", c.style))
}

// shares lists counts, the largest first.
func shares(counts map[string]int, before, after string) string {
	if len(counts) == 0 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = thousands(counts[name]) + " " + term.Cut(name, term.LongestCell)
	}
	return before + strings.Join(names, ", ") + after
}

// scopeText says how many memories each kind of scope holds, in how many of it.
func scopeText(kinds, owners map[string]int) (text string) {
	if len(kinds) == 0 {
		return "none"
	}
	for _, kind := range scopeKinds {
		switch {
		case kinds[kind] == 0:
		case kind == "global":
			text += ", " + thousands(kinds[kind]) + " global"
		default:
			text += ", " + thousands(kinds[kind]) + " in " + quantity(owners[kind], kind)
		}
	}
	return text
}

// checkText says when the last check was and what it found.
func checkText(p *printer, last *document.CheckSummary) string {
	switch {
	case last == nil:
		return "none known: run \"memory check\""
	case last.Errors+last.Warnings == 0:
		return p.when(last.At) + ": clean"
	case last.IndexDrift > 0:
		return fmt.Sprintf("%s: %s, %s; indexes: %s from the files", p.when(last.At), quantity(last.Errors, "error"), quantity(last.Warnings, "warning"), quantity(last.IndexDrift, "difference"))
	}
	return fmt.Sprintf("%s: %s, %s", p.when(last.At), quantity(last.Errors, "error"), quantity(last.Warnings, "warning"))
}

func lastText(p *printer, r *document.LastRun) string {
	if r == nil {
		return "none yet"
	}
	return fmt.Sprintf("%s, %s: %s (%s)", p.when(r.At), r.Trigger, totals(r.Stats), r.RunID)
}

func nextText(next oplog.Stats) string {
	next.MemoriesSkipped = 0
	if next == (oplog.Stats{}) {
		return "nothing to do"
	}
	text := "would " + app.Would(next, false)
	if next.MemoriesDeferred > 0 {
		text += fmt.Sprintf(", and defer %s", thousands(next.MemoriesDeferred))
	}
	return text + ": see \"memory plan\""
}

func problemText(s *document.Status) string {
	if s.Errors+s.Warnings == 0 {
		return "none"
	}
	return quantity(s.Errors, "error") + ", " + quantity(s.Warnings, "warning") + ": see \"memory check\""
}

func orNone(n int, what string) string {
	if n == 0 {
		return "none"
	}
	return quantity(n, what)
}

// worktreeText says which workspace a linked worktree uses, and why.
func worktreeText(w *document.Worktree, brief func(string) string) string {
	text := "uses the workspace of its repository: "
	if w.Own {
		text = "uses its own workspace: "
	}
	text += w.Why
	if w.Other != "" {
		text += "; not used: " + brief(w.Other)
	}
	return text
}
