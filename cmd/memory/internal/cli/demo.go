package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/fixtures"
)

func demoCommand() *command {
	return &command{
		name: "demo", group: groupOther, args: "[--keep]",
		purpose: "show all of it on a sample, in a few seconds",
		detail:  `A sample workspace is copied into a temporary folder, which is removed at the end.`,
		example: "memory demo",
		flags:   []urfave.Flag{&urfave.BoolFlag{Name: "keep", Usage: "keep the folder"}},
		run:     runDemo, textOnly: true,
	}
}

// scene is a part of the demonstration: what it shows, and the command lines.
type scene struct {
	title string
	lines []string
}

// scenes tell the story. The sample's files are fixed, so its ids are, too.
var scenes = []scene{
	{"A team of agents has kept memories for three months. This is what is there", []string{"status"}},
	{"What would be done, and why. A plan writes nothing", []string{"plan"}},
	{"Do it: run after run, until nothing is left to do", []string{"consolidate --all --pause 0s"}},
	{"Every run is logged, and a chain of hashes shows tampering", []string{"log", "log --verify"}},
	{"A run can be taken back, byte for byte, or a single action of it", []string{"undo last --memory mem_prices000002"}},
	{"What differs in a fact waits for a person", []string{"review mem_sandbox00001"}},
	{"Nothing is ever deleted: merged and stale memories are in the archive, byte for byte", []string{
		"explain mem_cookies00001", "restore mem_cookies00001",
	}},
	{"And the folder is sound", []string{"check"}},
}

func runDemo(c *call) (err error) {
	dir, err := os.MkdirTemp(or(c.env("TMPDIR"), os.TempDir()), "memory-demo-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if !c.flags.Bool("keep") {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if err := fixtures.CopyTo(filepath.Join(dir, demoFolder), fixtures.Small); err != nil {
		return err
	}
	c.printf("The sample is the memory folder of a web shop's team, on %s.\n\n", fixtures.At[:len("2006-01-02")])
	for _, s := range scenes {
		c.printf("%s\n", c.style.bold("# "+s.title+"."))
		for _, line := range s.lines {
			if err := c.act(dir, line); err != nil {
				return err
			}
		}
	}
	if c.flags.Bool("keep") {
		c.printf("The folder is %s. Its story plays at %s: give --at %s to go on.\n", filepath.Join(dir, demoFolder), fixtures.At, fixtures.At)
		return nil
	}
	c.printf("The folder was removed; \"memory demo --keep\" leaves it. To begin: memory init\n")
	return nil
}

// demoFolder is the name of the sample's folder.
const demoFolder = "lantern"

// act runs one command line of the demonstration.
func (c *call) act(dir, line string) error {
	c.printf("%s\n", c.style.bold("$ memory "+line))
	p := c.Process
	p.Args = append([]string{"memory"}, strings.Fields(line)...)
	p.Dir = dir
	p.Stdout, p.Stderr = c.out, c.out
	p.Env = slices.DeleteFunc(slices.Clone(c.Env), func(v string) bool { return strings.HasPrefix(v, "MEMORY_") })
	p.Env = append(p.Env, "MEMORY_WORKSPACE="+demoFolder, "MEMORY_AT="+fixtures.At)
	inner := &call{Process: p, ctx: c.ctx, style: c.style, out: bufio.NewWriter(c.out)}
	if code := inner.finish(inner.dispatch()); code != exitDone {
		return fmt.Errorf("memory %s ended with exit code %d", line, code)
	}
	c.printf("\n")
	return c.out.Flush()
}
