package cli

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/internal/op/installing"
	"github.com/memoryd/memoryd/internal/term"
)

// offerHosts looks for hosts beside a new workspace, and sets them up where the person agrees. Those that were
// set up before are left out. What can't be set up is an error, and doesn't keep others from it.
func offerHosts(c *call, workspace string) (hosts []installing.Found, err error) {
	if rel, err := filepath.Rel(c.Dir, workspace); c.flags.Bool("no-hosts") || err != nil || rel == "." || !filepath.IsLocal(rel) {
		return []installing.Found{}, nil // no project of this directory
	}
	hosts, failed := installing.Find(hostOptions(c, ""))
	if len(hosts) == 0 {
		return []installing.Found{}, failed
	}
	c.Say("\nFound, and not set up yet:\n")
	for _, h := range hosts {
		c.Say("  %-12s %s\n", h.Title, term.Printable(h.Found))
		c.Say("  %-12s %s\n", "", c.Style.Dim("would change "+term.Printable(strings.Join(h.Files, ", "))))
	}
	if c.dryRun() {
		return hosts, failed
	}
	agreed := c.flags.Bool("yes")
	if !agreed && asks(c) {
		c.Say("Set them up? [Y/n] ")
		if err := c.Out.Flush(); err != nil {
			return hosts, err
		}
		line, err := bufio.NewReader(c.Stdin).ReadString('\n')
		agreed = err == nil && isYes(line) // without an answer it is no
	}
	if !agreed {
		c.Say("Nothing was set up. \"memory init --yes\" sets up all, \"memory install --host HOST\" one.\n")
		return hosts, failed
	}
	return hosts, errors.Join(failed, installing.SetUp(hosts, func(h installing.Found) { c.Say("%s is set up. %s\n", h.Title, h.Work.Trust()) }))
}

// asks reports whether a person can be asked: both ends are a terminal.
func asks(c *call) bool {
	for _, stream := range []any{c.Stdin, c.Stdout} {
		f, ok := stream.(*os.File)
		if !ok {
			return false
		}
		if _, terminal := term.Width(f); !terminal {
			return false
		}
	}
	return !c.Quiet && !c.JSON
}

// isYes reports whether an answer to [Y/n] agrees.
func isYes(answer string) bool {
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "", "y", "yes":
		return true
	}
	return false
}
