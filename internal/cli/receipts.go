package cli

import (
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/printer"
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
		if near := app.Closest(session, sessionsGiven(c)); near != "" {
			return fail.WithHint(err, "did you mean "+near+"?")
		}
		return fail.WithHint(err, `"memory receipts" lists the sessions`)
	}
	all = slices.DeleteFunc(all, func(r document.Receipt) bool { return !in(r.At) })
	if limit > 0 {
		all = all[max(len(all)-limit, 0):]
	}
	if c.JSON {
		doc.Receipts = all
		return c.PrintJSON(doc)
	}
	var sessions []string
	for _, r := range all {
		sessions = append(sessions, r.Session)
	}
	if !c.IDs(sessions...) {
		printer.Receipts(&c.Printer, all, session != "")
	}
	return nil
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
