package cli

import (
	"slices"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/installing"
	"github.com/memoryd/memoryd/internal/op/login"
	"github.com/memoryd/memoryd/internal/printer"
)

// checkHost says whether the hooks and the server of a host are set up, trusted, and were seen to work.
func checkHost(c *call, name string) error {
	if err := knownHost(name); err != nil {
		return err
	}
	findings, err := installing.Check(hostPlace(c), name)
	if err != nil {
		return err
	}
	seen, err := seenOfHost(c, name)
	if err != nil {
		return err
	}
	findings = append(findings, seen...)
	if c.JSON {
		err = c.PrintJSON(struct {
			Host     string               `json:"host"`
			Findings []installing.Finding `json:"findings"`
		}{name, findings})
	} else {
		printer.HostFindings(&c.Printer, findings)
	}
	if err == nil && slices.ContainsFunc(findings, func(f installing.Finding) bool { return f.State == installing.Failed }) {
		return fail.Outcome(fail.ExitProblems)
	}
	return err
}

// seenOfHost reports what hooks of a host have left in the workspace, or whether the hub of the project answers.
func seenOfHost(c *call, name string) ([]installing.Finding, error) {
	hub, err := login.Ask(c.ctx, c.search())
	if err != nil {
		return nil, err
	}
	if hub != nil {
		f := installing.Finding{What: "hub", State: installing.OK, Detail: hub.Text()}
		if !hub.Answers {
			f.State, f.Todo = installing.Failed, hub.Todo()
		}
		return []installing.Finding{f}, nil
	}
	dir := discover.ForAgents(c.search())
	if dir == "" {
		return []installing.Finding{{What: "workspace", State: installing.Failed, Detail: "none here or above " + c.Dir, Todo: "memory init"}}, nil
	}
	store, err := c.openIn(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }() // nothing is written by closing
	seen, err := installing.Seen(store, name, c.When)
	return append([]installing.Finding{{What: "workspace", State: installing.OK, Detail: c.brief(dir)}}, seen...), err
}
