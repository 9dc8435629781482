package cli

import (
	"strconv"

	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// hubFailedRun is a run in "hub failed --json".
type hubFailedRun struct {
	Workspace string `json:"workspace"`
	Schedule  string `json:"schedule"`
	Slot      string `json:"slot"` // which of its times
	At        string `json:"at"`
	Attempt   int    `json:"attempt"`
	GivenUp   bool   `json:"given_up,omitempty"`
	Error     string `json:"error"`
}

// hubFailed lists the last failed runs of a workspace, or of each.
func hubFailed(c *call, db *sqldisk.DB, args []string) error {
	names := args
	if len(names) == 0 {
		all, err := db.Workspaces(c.ctx)
		if err != nil {
			return err
		}
		for _, w := range all {
			names = append(names, w.Name)
		}
	}
	rows := []hubFailedRun{}
	t := &term.Table{Head: []string{"WORKSPACE", "SCHEDULE", "FAILED", "ATTEMPT", "ERROR"}, Cut: true}
	for _, name := range names {
		failures, err := db.Failures(c.ctx, name)
		if err != nil {
			return err
		}
		for _, f := range failures {
			row := hubFailedRun{name, f.Schedule, f.Slot.Slot, timestamp.Format(f.At), f.Attempt, f.Attempt >= sqldisk.MaxFailures, f.Error}
			attempt := strconv.Itoa(f.Attempt)
			if row.GivenUp {
				attempt += ", given up"
			}
			rows = append(rows, row)
			t.Row(name, f.Schedule, c.when(f.At), attempt, term.Printable(f.Error))
		}
	}
	switch {
	case c.json:
		return c.printJSON(struct {
			Failed []hubFailedRun `json:"failed"`
		}{rows})
	case len(rows) == 0:
		c.printf("no run has failed\n")
	default:
		c.printf("%s", t.Format("", c.style))
	}
	return nil
}
