package cli

import (
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/adopting"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/login"
	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

func statusCommand() *command {
	return &command{
		purpose: "show what is there, what was done last and what is due",
		page:    "troubleshooting.md",
		example: "memory status",
		detail: `In a project that uses a hub ("memory login") it says which one, and whether it
answers. With --all it lists the folders of hosts that were adopted.`,
		flags: []urfave.Flag{&urfave.BoolFlag{Name: "all", Usage: "list all adopted folders of hosts in your home and in this project"}},
		run:   runStatus,
	}
}

func runStatus(c *call) error {
	if c.flags.Bool("all") {
		return printFolders(c, "No folder of a host is adopted. To see which there are: memory adopt --find", slices.DeleteFunc(adopting.Find(c.search().Home(), c.path("."), c.at), func(f adopting.Folder) bool { return !f.Adopted }))
	}
	hub, err := login.Ask(c.ctx, c.search())
	if err != nil {
		return err
	}
	if hub != nil && discover.ForAgents(c.search()) == "" {
		return printer.Hub(&c.Printer, hub)
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
	if c.JSON {
		return c.PrintJSON(struct {
			*document.Status
			Hub *login.Status `json:"hub,omitempty"`
		}{s, hub})
	}
	printer.Status(&c.Printer, s, hub, c.brief)
	return nil
}
