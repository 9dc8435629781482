package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
)

func demoCommand() *command {
	return &command{
		args:    "[--keep-folder]",
		purpose: "show the main job on a sample workspace, in a few seconds",
		detail:  `A sample workspace is copied into a temporary folder, which is removed at the end.`,
		example: "memory demo",
		flags:   []urfave.Flag{&urfave.BoolFlag{Name: "keep-folder", Usage: "keep the folder"}},
		text:    true, run: runDemo, textOnly: true,
	}
}

// scene is a part of the demonstration: what it shows, and the command lines, or what shows it.
type scene struct {
	title string
	lines []string
	show  func(c *call, dir string) error
}

// scenes tell the story. The sample's files are fixed, so its ids are, too.
func scenes() []scene {
	return []scene{
		{title: "A team of agents has kept memories for three months. This is what it has", lines: []string{"status"}},
		{title: "The plan: what would be done, and why. It changes no memory", lines: []string{"plan"}},
		{title: "Do it, run after run, until nothing is left to do", lines: []string{"consolidate --until-done --pause 0s"}},
		{title: "Every run is in the log, and a chain of hashes shows tampering", lines: []string{"log", "log --verify"}},
		{title: "A run can be undone, byte for byte, or a single action of it", lines: []string{"undo last --memory mem_prices000002"}},
		{title: "Memories that differ in a fact wait for a person's decision", lines: []string{"review mem_sandbox00001"}},
		{title: "Nothing is deleted: merged and stale memories are in the archive, byte for byte, and come back from there", lines: []string{
			"explain mem_cookies00001", "restore mem_cookies00001",
		}},
		{title: "An agent begins a session. A hook of its host gives it the memories that matter most", show: showStart},
		{title: "The agent saves what it learns. A working memory is for this session only", show: showSave},
		{title: "With a prompt, the agent gets the memories that are relevant to it, each once in a session", show: showPrompt},
		{title: "When the session ends, a rule keeps its working memories or archives them; the receipts show what the agent was given", lines: []string{"session end --session " + demoSession, "receipts"}},
		{title: "Nothing in the folder is broken", lines: []string{"check"}},
	}
}

func runDemo(c *call) (err error) {
	dir, err := os.MkdirTemp(cmp.Or(c.env("TMPDIR"), os.TempDir()), "memory-demo-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if !c.flags.Bool("keep-folder") {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if err := fixtures.CopyTo(filepath.Join(dir, demoFolder), fixtures.Small); err != nil {
		return err
	}
	c.Printf("The sample is the memory folder of a web shop's team, on %s.\n\n", fixtures.At[:len("2006-01-02")])
	for _, s := range scenes() {
		c.Printf("%s\n", c.Style.Bold("# "+s.title+"."))
		if s.show != nil {
			if err := s.show(c, dir); err != nil {
				return err
			}
		}
		for _, line := range s.lines {
			if err := act(c, dir, strings.Fields(line)...); err != nil {
				return err
			}
		}
	}
	if c.flags.Bool("keep-folder") {
		c.Printf("The sample is in %s. Its clock says %s: to try more commands there, add --at %s.\n", filepath.Join(dir, demoFolder), fixtures.At, fixtures.At)
		return nil
	}
	c.Printf("The sample was in a temporary folder, which is removed now; \"memory demo --keep-folder\" keeps it.\nTo begin with your own memories, run \"memory init\" in a project.\n")
	return nil
}

// demoFolder is the name of the sample's folder.
const demoFolder = "lantern"

// demoSession is the session of demoAgent.
const demoSession, demoAgent = "demo-1", "DEV-001"

// act runs one command of the demonstration.
func act(c *call, dir string, words ...string) error {
	line := term.CommandLine(words)
	c.Printf("%s\n", c.Style.Bold("$ memory "+line))
	inner := inSample(c, dir, words)
	if code := inner.finish(inner.dispatch()); code != fail.ExitDone {
		return fmt.Errorf("memory %s ended with exit code %d", line, code)
	}
	c.Printf("\n")
	return c.Out.Flush()
}

// inSample is a command in the sample.
func inSample(c *call, dir string, args []string) *call {
	p := c.Process
	p.Args = append([]string{"memory"}, args...)
	p.Dir = dir
	p.Stdout, p.Stderr = c.Out, c.Out
	p.Env = slices.DeleteFunc(slices.Clone(c.Env), func(v string) bool { return strings.HasPrefix(v, "MEMORY_") })
	p.Env = append(p.Env, "MEMORY_WORKSPACE="+demoFolder, "MEMORY_AT="+fixtures.At)
	return &call{Process: p, Printer: printer.New(bufio.NewWriter(c.Out), p.Stderr, c.Style), ctx: c.ctx, program: c.program}
}

func showStart(c *call, dir string) error {
	if err := act(c, dir, "session", "start", "--session", demoSession, "--agent", demoAgent); err != nil {
		return err
	}
	return showBlock(c, dir, app.BlockSession{Starts: true})
}

func showSave(c *call, dir string) error {
	return act(c, dir, "add", "--type", "working", "--scope", "session:"+demoSession, "--by", demoAgent, "--priority", "high",
		"--text", "Redis must run before the checkout tests, else they hang for 47 seconds.")
}

func showPrompt(c *call, dir string) error {
	const asked = "Why does the cart badge flicker after an update?" // the start gave nothing about it
	c.Printf("%s %s\n", c.Style.Dim("the person:"), asked)
	return showBlock(c, dir, app.BlockSession{Prompt: asked})
}

// demoTokens is the budget of a block of the demonstration: a real one is longer.
const demoTokens = 700

// showBlock shows what the agent is given unasked.
func showBlock(c *call, dir string, to app.BlockSession) error {
	inner := inSample(c, dir, nil)
	store, _, err := discover.Open(filepath.Join(dir, demoFolder), inner.Env)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // nothing is written by closing
	conf, err := discover.Settings(store, inner.Env, nil)
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, fixtures.At)
	if err != nil {
		return err
	}
	settings := conf.Settings
	settings.Context.TokenBudget = demoTokens
	to.ID, to.Agent, to.Host, to.Project, to.Late = demoSession, demoAgent, "claude", demoFolder, func() bool { return false }
	text, err := app.GiveBlock(store, settings, at, to)
	if err != nil {
		return err
	}
	c.Printf("%s\n%s\n", c.Style.Dim("the hook of its host gives the agent:"), term.Printable(text))
	return c.Out.Flush()
}
