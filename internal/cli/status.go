package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
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
	hub, err := c.askedHub()
	if err != nil {
		return err
	}
	if hub != nil && c.hookWorkspace(c.Dir) == "" {
		return c.printHub(hub)
	}
	if _, err := c.settings(); err != nil {
		return err
	}
	if _, _, err := c.load(); err != nil {
		return err
	}
	secret, err := c.secretRules()
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
	s := app.NewStatusDocument(c.snap, c.conf.Settings, plan.Stats(), log)
	if logErr != nil {
		s.Errors++
		s.Unread = append(s.Unread, app.UnreadFile{File: memory.LogFile, Message: logErr.Error()})
	}
	s.Workspace, s.Preset, s.LastCheck = c.store.Dir(), c.conf.Preset, app.LastCheck(c.store)
	s.Worktree = c.worktreeOf()
	if s.Watch, err = watched(c.store); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(struct {
			*app.StatusDocument
			Hub *hubDocument `json:"hub,omitempty"`
		}{s, hub})
	}
	c.printStatus(s, hub)
	return nil
}

// printHub is the status of a project that has no workspace but that of a hub.
func (c *call) printHub(hub *hubDocument) error {
	if c.json {
		return c.printJSON(struct {
			Hub *hubDocument `json:"hub"`
		}{hub})
	}
	t := c.facts()
	t.fact("workspace", "none here: agents use the hub's")
	hubFacts(t, hub)
	c.printf("%s", t.format("", c.style))
	return nil
}

// hubFacts says which hub agents use.
func hubFacts(t *table, hub *hubDocument) {
	t.fact("hub", hub.text())
	t.fact("project", hub.Dir)
	if !hub.Answers {
		t.fact("", hub.todo())
	}
}

// unreadShown is how many files that can't be read the overview names.
const unreadShown = 5

func (c *call) printStatus(s *app.StatusDocument, hub *hubDocument) {
	t := c.facts()
	t.fact("workspace", c.brief(s.Workspace)+" (preset "+s.Preset+")")
	if s.Worktree != nil {
		t.fact("worktree", worktreeText(s.Worktree, c.brief))
	}
	if hub != nil {
		hubFacts(t, hub)
		t.fact("", "agents use the hub, and not this folder")
	}
	t.fact("memories", thousands(s.Memories)+shares(s.Types, ": ", ""))
	kinds := map[string]int{}
	owners := map[string]int{}
	for scope, n := range s.Scopes {
		kind, _, _ := strings.Cut(scope, ":")
		kinds[kind] += n
		owners[kind]++
	}
	t.fact("tiers", tierText(s.Tiers))
	t.fact("scopes", strings.TrimPrefix(scopeText(kinds, owners), ", "))
	t.fact("archived", thousands(s.Archived))
	t.fact("indexes", strconv.Itoa(s.Indexes))
	t.fact("last run", c.lastText(s.LastRun))
	t.fact("to review", orNone(s.Review, "pair"))
	for i, copied := range s.Copies {
		if i == unreadShown && !c.verbose {
			t.fact("", fmt.Sprintf("and %s more", thousands(len(s.Copies)-i)))
			break
		}
		t.fact("conflict copy", fmt.Sprintf("%s of %s: memory review %s", copied.File, copied.Of, copied.Pair))
		t.fact("", memory.DifferingIn(copied.Differences))
	}
	if len(s.Conflicts) > 0 {
		t.fact("merge conflicts", app.First(s.Conflicts, 3)+": memory review "+s.Conflicts[0])
	}
	t.fact("next run", nextText(s.Next))
	if len(s.Off) > 0 {
		t.fact("rules", offText(s.Off))
	}
	if s.Held != "" {
		t.fact("automatic", "no run starts by itself: "+s.Held)
	}
	t.fact("watch", c.watchText(s.Watch))
	t.fact("last check", c.checkText(s.LastCheck))
	t.fact("problems", problemText(s))
	for i, u := range s.Unread {
		if i == unreadShown && !c.verbose {
			t.fact("", fmt.Sprintf("and %s more", thousands(len(s.Unread)-i)))
			break
		}
		t.fact("not read", u.File+": "+u.Message)
	}
	c.printf("%s", t.format("", c.style))
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
		names[i] = thousands(counts[name]) + " " + cut(name, longestCell)
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
func (c *call) checkText(last *app.CheckSummary) string {
	switch {
	case last == nil:
		return "none known: run \"memory check\""
	case last.Errors+last.Warnings == 0:
		return c.when(last.At) + ": clean"
	case last.IndexDrift > 0:
		return fmt.Sprintf("%s: %s, %s; indexes: %s from the files", c.when(last.At), quantity(last.Errors, "error"), quantity(last.Warnings, "warning"), quantity(last.IndexDrift, "difference"))
	}
	return fmt.Sprintf("%s: %s, %s", c.when(last.At), quantity(last.Errors, "error"), quantity(last.Warnings, "warning"))
}

func (c *call) lastText(r *app.LastRun) string {
	if r == nil {
		return "none yet"
	}
	return fmt.Sprintf("%s, %s: %s (%s)", c.when(r.At), r.Trigger, totals(r.Stats), r.RunID)
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

func problemText(s *app.StatusDocument) string {
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
