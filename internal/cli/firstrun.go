package cli

import (
	"errors"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// firstRunTime is how long the first run is planned for a sentence about it, at most.
const firstRunTime = 10 * time.Second

var errFirstRunSlow = errors.New("planning the first run takes too long")

// firstRun is what the next run would do to a workspace into which memories have just come; nil where it would take too long to find out.
func (c *call) firstRun(snap *memory.Snapshot) (*document.FirstRun, error) {
	conf, err := c.settings()
	if err != nil {
		return nil, err
	}
	secret, err := c.secretRules()
	if err != nil {
		return nil, err
	}
	begun := clock()
	first, err := app.NewFirstRun(snap, rules.Request{Settings: conf.Settings, Secrets: secret, Progress: func(done, total int) error {
		if clock().Sub(begun) > firstRunTime {
			return errFirstRunSlow
		}
		return c.comparing(done, total)
	}})
	if errors.Is(err, errFirstRunSlow) {
		return nil, nil
	}
	return first, err
}

// tellFirstRun says what the first run would do, and how to see it.
func (c *call) tellFirstRun(first *document.FirstRun) {
	if first == nil {
		c.say("To see what the first run would do: memory plan\n")
		return
	}
	c.say("%s\nTo see it: memory plan\n", app.FirstRunText(first))
}
