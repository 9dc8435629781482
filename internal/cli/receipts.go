package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
)

func receiptsCommand() *command {
	return &command{
		args:    "[SESSION] [options]",
		purpose: "show what each session was given, what was left out, and what was read later",
		detail: `What a prompt was given counts as read, what a session was given at its start as
given. A memory counts as read later if anybody has read it after it was given.
With a session, or with --verbose, the memories are named.`,
		example: "memory receipts 6f1c2d3e-0001",
		flags:   []urfave.Flag{sinceFlag(), untilFlag(), limitFlag("show the last `N`")},
		least:   0, most: 1, run: runReceipts, words: sessionsGiven,
	}
}

func runReceipts(c *call) error {
	limit, err := c.limit()
	if err != nil {
		return err
	}
	in, err := inPeriod(c)
	if err != nil {
		return err
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	session := ""
	if len(c.args) > 0 {
		session = c.args[0]
	}
	receipts, err := app.Receipts(store)
	if err != nil {
		return err
	}
	doc := document.NewReceipts(receipts, snap, session)
	all := doc.Receipts
	if session != "" && len(all) == 0 {
		err := fail.Errorf(fail.ExitNotFound, "%s: no receipts of such a session", session)
		if near := closest(session, sessionsGiven(c)); near != "" {
			return fail.WithHint(err, "did you mean "+near+"?")
		}
		return fail.WithHint(err, `"memory receipts" lists the sessions`)
	}
	all = slices.DeleteFunc(all, func(r document.Receipt) bool { return !in(r.At) })
	if limit > 0 {
		all = all[max(len(all)-limit, 0):]
	}
	if c.json {
		doc.Receipts = all
		return c.printJSON(doc)
	}
	var sessions []string
	for _, r := range all {
		sessions = append(sessions, r.Session)
	}
	if !c.ids(sessions...) {
		printReceipts(c, all)
	}
	return nil
}

func printReceipts(c *call, all []document.Receipt) {
	if len(all) == 0 {
		c.printf("no receipts\n")
		return
	}
	t := &term.Table{
		Head:  []string{"WHEN", "SESSION", "HOST", "AT", "GIVEN", "COUNT AS", "CUT", "TOKENS", "READ SINCE"},
		Right: map[int]bool{4: true, 6: true, 7: true, 8: true},
	}
	for _, r := range all {
		t.Row(c.when(r.At), cmp.Or(r.Session, "-"), cmp.Or(r.Host, "-"), cmp.Or(r.File, r.Event), thousands(len(r.Given)), r.As, thousands(r.CutAll),
			fmt.Sprintf("%s of %s", thousands(r.Tokens), thousands(r.Budget)), thousands(len(r.Read)))
	}
	c.printf("%s", t.Format("", c.style))
	if len(c.args) == 0 && !c.verbose {
		return
	}
	for _, r := range all {
		c.printf("\n%s\n", c.style.Bold(term.Printable(c.when(r.At)+" "+r.Event)))
		facts := c.facts()
		facts.Fact("given", strings.Join(r.Given, ", "))
		var cut []string
		for _, m := range r.Cut {
			cut = append(cut, fmt.Sprintf("%s (%s)", m.ID, m.Reason))
		}
		if more := r.CutAll - len(r.Cut); more > 0 {
			cut = append(cut, thousands(more)+" more")
		}
		facts.Fact("cut", strings.Join(cut, ", "))
		facts.Fact("read since", strings.Join(r.Read, ", "))
		facts.Fact("not live any more", strings.Join(r.Gone, ", "))
		c.printf("%s", facts.Format("  ", c.style))
	}
}

// sessionsGiven lists sessions for completion.
func sessionsGiven(c *call) (ids []string) {
	store, err := c.open()
	if err != nil {
		return nil
	}
	all, err := app.Receipts(store)
	if err != nil {
		return nil
	}
	for _, r := range all {
		if r.Session != "" && !slices.Contains(ids, r.Session) {
			ids = append(ids, r.Session)
		}
	}
	return ids
}
