package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/firstrun"
	"github.com/memoryd/memoryd/internal/op/installing"
	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func initCommand() *command {
	return &command{
		args:    "[DIR] [options]",
		purpose: "make a folder for memories, and connect the agents found",
		detail: `DIR is ./memory if it isn't given, or ./.memory if ./memory is something else,
such as a package of a program. Nothing is overwritten. A folder that has settings
is left as it is. A folder that has memories only gets settings: they count as
arrived now, so that none is stale for 90 days ("archive.arrived"). Then init says
what "check" finds, what the first run would do, and what the rules leave
unchanged. Hosts of agents that are found in the project or on the PATH can be
set up in the same step, as "memory install" does it: on a terminal you are asked
once.`,
		example: "memory init --preset careful",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "yes", Usage: "set up the hosts that are found, without asking"},
			&urfave.BoolFlag{Name: "no-hosts", Usage: "set up no host, and don't look for any"},
			&urfave.StringFlag{Name: "preset", Usage: "settings to begin with, `PRESET`: seed (the rules as written), careful (archive nothing used in the last 90 days) or subcog (scores and tiers as subcog has them)", Value: "seed"},
		},
		most: 1, run: runInit,
	}
}

func runInit(c *call) error {
	preset := c.flags.String("preset")
	settings := config.Template(preset)
	if settings == nil {
		return fmt.Errorf("no settings for the preset %q", preset)
	}
	dir := initDir(c)
	if discover.HasSettings(dir) {
		return initialised(c, dir, []string{}, "is a workspace already: left as it is", nil)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var err error
	if c.store, err = workspace.Open(dir); err != nil {
		return err
	}
	snap, err := c.store.Load(c.at)
	if err != nil {
		return err
	}
	what, made, held := "is a workspace now", []string{}, len(snap.Memories())+len(snap.Archived())
	if held > 0 {
		what = fmt.Sprintf("holds %s: added settings, changed nothing else", quantity(held, "memory"))
		settings = bytes.Replace(settings, []byte("# arrived = \"\"\n"), fmt.Appendf(nil, "arrived = %q\n", timestamp.Format(c.at)), 1)
	} else if made, err = makeRooms(dir); err != nil {
		return err
	}
	if err := workspace.Create(dir, settings); err != nil {
		return err
	}
	var found *foundHere
	if held+len(snap.Problems) > 0 {
		if found, err = lookAround(c); err != nil {
			return err
		}
	}
	return initialised(c, dir, append(made, memory.ConfigFile), what, found)
}

// foundHere is what init says of a folder that held something already.
type foundHere struct {
	Errors   int                `json:"errors"`
	Warnings int                `json:"warnings"`
	Files    int                `json:"files_with_problems"`
	First    *document.FirstRun `json:"first_run,omitempty"`
}

// lookAround checks the folder that has just become a workspace, and says what the first run would do.
func lookAround(c *call) (*foundHere, error) {
	_, snap, err := c.load()
	if err != nil {
		return nil, err
	}
	problems, err := repair.Problems(c.store, snap)
	if err != nil {
		return nil, err
	}
	_ = repair.SaveCheck(c.store, c.at, problems) // a hint for status
	files := map[string]bool{}
	for _, p := range problems {
		files[p.File] = true
	}
	found := &foundHere{Files: len(files)}
	found.Errors, found.Warnings = document.CountProblems(problems)
	secret, err := c.secretRules()
	if err != nil {
		return nil, err
	}
	found.First, err = firstrun.Plan(snap, rules.Request{Settings: c.conf.Settings, Secrets: secret, Progress: c.comparing}, clock)
	return found, err
}

// String says what the check found.
func (f *foundHere) String() string {
	if f.Errors+f.Warnings == 0 {
		return "memory check found no problems."
	}
	return fmt.Sprintf("memory check found %s and %s in %s. To see them: memory check", quantity(f.Errors, "error"), quantity(f.Warnings, "warning"), quantity(f.Files, "file"))
}

// initDir is the directory to make: the argument, --workspace, the current one if it is a workspace, else ./memory; ./.memory
// instead, if that is something else, such as a package of a program.
func initDir(c *call) string {
	switch {
	case len(c.args) > 0:
		return c.path(c.args[0])
	case c.flags.String("workspace") != "":
		return c.path(c.flags.String("workspace"))
	case discover.HasSettings(c.Dir):
		return c.Dir
	}
	dir := c.path("memory")
	if other := otherThings(dir); other != "" {
		c.note("%s is not a folder of memories, it holds %s: the workspace is %s", c.brief(dir), other, discover.HiddenName)
		return c.path(discover.HiddenName)
	}
	return dir
}

// otherThings names a file of a directory without memories which belongs to something else, such as a program; "" for none.
func otherThings(dir string) (name string) {
	if discover.HasSettings(dir) || discover.HasRooms(dir) || discover.HasIndex(dir) || !discover.IsDir(dir) {
		return ""
	}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what can't be read says nothing
		case strings.HasPrefix(d.Name(), ".") && file != dir:
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.Type().IsRegular() && !slices.Contains([]string{".json", ".jsonl", ".md", ".markdown", ".mdc", ".txt"}, strings.ToLower(filepath.Ext(file))):
			name = filepath.Base(file)
			return filepath.SkipAll
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return name
}

// makeRooms makes the directories that a new workspace has, and lists those that
// were missing.
func makeRooms(dir string) (made []string, err error) {
	for _, room := range []string{"global", memory.ArchiveDir, memory.OpsDir} {
		err := os.Mkdir(filepath.Join(dir, room), 0o755)
		switch {
		case err == nil:
			made = append(made, room+"/")
		case !os.IsExist(err):
			return made, err
		}
	}
	return made, nil
}

func initialised(c *call, dir string, made []string, what string, found *foundHere) error {
	c.say("%s %s\n", term.Printable(c.brief(dir)), what)
	if found != nil {
		c.say("%s\n", found)
		printFirstRun(&c.printer, found.First)
	}
	hosts, err := offerHosts(c, dir)
	if c.json {
		return errors.Join(c.printJSON(struct {
			Workspace string             `json:"workspace"`
			Created   []string           `json:"created"`
			Message   string             `json:"message"`
			Hosts     []installing.Found `json:"hosts"`
			Found     *foundHere         `json:"found,omitempty"` // in a folder that held something already
		}{dir, made, what, hosts, found}), err)
	}
	if len(made) > 0 {
		connect := "memory install --host HOST    connect an agent: " + strings.Join(hook.Names(), ", ")
		for _, h := range hosts {
			if h.Installed {
				connect = fmt.Sprintf("memory check --host %-8s   after a session: see whether it works", h.Host)
				break
			}
		}
		c.say(`
What now:
  memory add "…"                write a memory
  %s
  memory plan                   see what consolidation would do
`, connect)
	}
	return err
}
