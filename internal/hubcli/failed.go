package hubcli

import (
	"strconv"

	"github.com/memoryd/memoryd/internal/cli"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// failedRun is a run in "workspace failed --json".
type failedRun struct {
	Workspace string `json:"workspace"`
	Schedule  string `json:"schedule"`
	Slot      string `json:"slot"` // which of its times
	At        string `json:"at"`
	Attempt   int    `json:"attempt"`
	GivenUp   bool   `json:"given_up,omitempty"`
	Error     string `json:"error"`
}

// failed lists the last failed runs of a workspace, or of each.
func failed(c *cli.Context, db *sqldisk.DB, names []string) error {
	if len(names) == 0 {
		all, err := db.Workspaces(c.Ctx())
		if err != nil {
			return err
		}
		for _, w := range all {
			names = append(names, w.Name)
		}
	}
	rows := []failedRun{}
	t := &term.Table{Head: []string{"WORKSPACE", "SCHEDULE", "FAILED", "ATTEMPT", "ERROR"}, Cut: true}
	for _, name := range names {
		failures, err := db.Failures(c.Ctx(), name)
		if err != nil {
			return err
		}
		for _, f := range failures {
			row := failedRun{name, f.Schedule, f.Slot.Slot, timestamp.Format(f.At), f.Attempt, f.Attempt >= sqldisk.MaxFailures, f.Error}
			attempt := strconv.Itoa(f.Attempt)
			if row.GivenUp {
				attempt += ", given up"
			}
			rows = append(rows, row)
			t.Row(name, f.Schedule, c.When(f.At), attempt, term.Printable(f.Error))
		}
	}
	switch {
	case c.JSON():
		return c.PrintJSON(struct {
			Failed []failedRun `json:"failed"`
		}{rows})
	case len(rows) == 0:
		c.Printf("no run has failed\n")
	default:
		c.PrintTable(t)
	}
	return nil
}
