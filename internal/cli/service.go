package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/host"
)

func serviceCommand() *command {
	return &command{
		args:    "install|uninstall|status [options]",
		purpose: `run "memory watch" whenever you are logged in`,
		detail: `install writes a systemd user unit, a launchd agent or a scheduled task of
Windows for this workspace. It shows the change first, then activates it and
starts the watcher. Installing it twice changes nothing. A file of that name from
elsewhere is never touched. uninstall stops the watcher and removes the file. If
the system's commands for this are missing, the output says what to run.`,
		example: "memory service install --dry-run",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "print", Usage: "with install: print the unit and do nothing else"},
			&urfave.StringFlag{Name: "for", Usage: "with --print: the unit for `KIND`: systemd, launchd or windows"},
			&urfave.BoolFlag{Name: "dry-run", Usage: "only show what would be done"},
		},
		least: 1, most: 1, run: runService,
		words: func(*call) []string { return []string{"install", "status", "uninstall"} },
	}
}

// service is the unit of a workspace.
type service struct {
	host.Unit
	format    host.Format
	workspace string
	file      string
	text      []byte // as install would write it
	before    []byte // as it is; nil: there is none
}

// serviceDoc is what a command about it prints with --json.
type serviceDoc struct {
	Format    host.Format  `json:"format"`
	Name      string       `json:"name"`
	Workspace string       `json:"workspace"`
	File      string       `json:"file"`
	Installed bool         `json:"installed"`
	Ours      bool         `json:"ours"`
	Current   bool         `json:"current"` // as install would write it
	Changed   bool         `json:"changed"`
	Diff      string       `json:"diff,omitempty"`
	Backup    string       `json:"backup,omitempty"`
	Applied   bool         `json:"applied"`
	Commands  []ranCommand `json:"commands"`
	State     string       `json:"state,omitempty"`
	Watched   string       `json:"watched,omitempty"` // by which process
}

func runService(c *call) error {
	verb := c.args[0]
	switch verb {
	case "install", "uninstall", "status":
	default:
		return unknownVerb(verb, "install", "uninstall", "status")
	}
	kind, print := c.flags.String("for"), c.flags.Bool("print")
	switch {
	case verb != "install" && print:
		return fail.Usagef("--print belongs to install")
	case verb == "status" && c.flags.Bool("dry-run"):
		return fail.Usagef("status changes nothing: leave out --dry-run")
	case kind != "" && !print:
		return fail.Usagef("--for belongs to --print: another machine's unit can't be installed here")
	}
	s, err := c.service(kind, verb == "uninstall")
	if err != nil {
		return err
	}
	switch {
	case print:
		c.printf("%s", s.text)
		return nil
	case verb == "install":
		return c.installService(s)
	case verb == "uninstall":
		return c.uninstallService(s)
	}
	return c.serviceStatus(s)
}

func (c *call) serviceDoc(s *service) *serviceDoc {
	return &serviceDoc{
		Format: s.format, Name: s.Name, Workspace: s.workspace, File: s.file, Commands: []ranCommand{},
		Installed: s.before != nil, Ours: host.IsOurUnit(s.before), Current: string(s.before) == string(s.text),
	}
}

func (c *call) installService(s *service) error {
	doc := c.serviceDoc(s)
	if doc.Installed && !doc.Ours {
		return fail.WithHint(fmt.Errorf("%s is there already, and not ours", s.file), "nothing was changed: move it away first")
	}
	doc.Changed = !doc.Current
	change := &fileChange{File: s.file, before: s.before, after: s.text}
	if doc.Changed {
		doc.Diff = shownDiff(s, s.text)
	}
	c.say("%s", term.Printable(doc.Diff))
	if err := c.out.Flush(); err != nil {
		return err
	}
	commands := s.format.Enable(s.Name, s.file, os.Getuid(), doc.Changed && doc.Installed)
	if c.flags.Bool("dry-run") {
		c.announce(doc, s, doc.Changed, commands)
		return c.finishService(doc, nil)
	}
	if doc.Changed {
		if s.Log != "" {
			if err := os.MkdirAll(filepath.Dir(s.Log), 0o755); err != nil {
				return err
			}
		}
		if err := change.write(c.at.UTC().Format("20060102T150405Z")); err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		doc.Backup = change.Backup
		c.say("%s: written%s\n", term.Printable(c.brief(s.file)), backedUp(change.Backup))
	} else {
		c.say("%s: nothing to change\n", term.Printable(c.brief(s.file)))
	}
	doc.Applied, doc.Installed, doc.Ours, doc.Current = true, true, true, true
	if holder, err := c.store.Ops().Watched(); err == nil && holder != "" && doc.Changed && doc.Backup == "" {
		doc.Watched = holder
		c.note("a process watches the workspace already (%s): the unit takes over when that one has ended", holder)
	}
	return c.finishService(doc, c.runAll(doc, commands))
}

func (c *call) uninstallService(s *service) error {
	doc := c.serviceDoc(s)
	if !doc.Installed {
		c.say("%s: there is none\n", term.Printable(c.brief(s.file)))
		return c.finishService(doc, nil)
	}
	if !doc.Ours {
		return fail.WithHint(fmt.Errorf("%s is not ours", s.file), "nothing was changed")
	}
	before, after := s.format.Disable(s.Name, os.Getuid())
	doc.Changed, doc.Diff = true, shownDiff(s, nil)
	c.say("%s", term.Printable(doc.Diff))
	if c.flags.Bool("dry-run") {
		c.announce(doc, s, true, append(before, after...))
		return c.finishService(doc, nil)
	}
	failed := c.runAll(doc, before)
	if err := (&fileChange{File: s.file, before: s.before, Removed: true}).write(""); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", s.file, err), failed)
	}
	doc.Applied, doc.Installed, doc.Ours, doc.Current = true, false, false, false
	c.say("%s: removed\n", term.Printable(c.brief(s.file)))
	return c.finishService(doc, errors.Join(failed, c.runAll(doc, after)))
}

func shownDiff(s *service, after []byte) string {
	if s.format == host.Windows { // UTF-16
		return ""
	}
	return udiff.Unified(s.file, s.file, string(s.before), string(after))
}

func backedUp(name string) string {
	if name == "" {
		return ""
	}
	return "; as it was: " + term.Printable(filepath.Base(name))
}

// announce says what would be done.
func (c *call) announce(doc *serviceDoc, s *service, changed bool, commands []host.Command) {
	if changed {
		c.say("%s: would be changed\n", term.Printable(c.brief(s.file)))
	}
	for _, command := range commands {
		doc.Commands = append(doc.Commands, ranCommand{Command: command.Args})
		c.say("would run: %s\n", commandLine(command.Args))
	}
}

func (c *call) finishService(doc *serviceDoc, err error) error {
	if c.json && err == nil {
		return c.printJSON(doc)
	}
	return err
}

// serviceStatus tells whether the unit is there, in force, and running.
func (c *call) serviceStatus(s *service) error {
	doc := c.serviceDoc(s)
	var err error
	if doc.Watched, err = c.store.Ops().Watched(); err != nil {
		return err
	}
	state := "not installed"
	if doc.Installed {
		answer, failure := c.ask(s.format.Ask(s.Name, os.Getuid()))
		if doc.State, err = s.format.State(answer); err != nil {
			if doc.State = "not in force"; failure != nil {
				doc.State = "unknown: " + failure.Error()
			}
		}
		state = doc.State
	}
	if c.json {
		return c.printJSON(doc)
	}
	t := c.facts()
	t.Fact("workspace", s.workspace)
	t.Fact("unit", s.file)
	switch {
	case !doc.Installed:
		t.Fact("installed", `no: "memory service install" would write it`)
	case !doc.Ours:
		t.Fact("installed", "a file of that name is there, and not ours")
	case !doc.Current:
		t.Fact("installed", `yes, not as this version writes it: "memory service install" would renew it`)
	default:
		t.Fact("installed", "yes")
	}
	t.Fact("state", strings.TrimSpace(state))
	t.Fact("watched", or(doc.Watched, "by no process"))
	c.printf("%s", t.Format("", c.style))
	return nil
}

// service describes the unit of the workspace; one that is gone will do for taking
// it away.
func (c *call) service(kind string, gone bool) (*service, error) {
	s := &service{format: host.Format(kind)}
	if kind == "" {
		s.format = host.FormatFor(runtime.GOOS)
	}
	store, err := c.open()
	switch {
	case err == nil:
		s.workspace = store.Dir()
	case gone && c.flags.String("workspace") != "" && fail.Code(err) == fail.ExitNotFound:
		s.workspace = filepath.Clean(c.path(c.flags.String("workspace")))
	default:
		return nil, err
	}
	s.Name, s.Purpose = host.UnitName(s.workspace), "watching "+s.workspace
	if s.Program, err = program(); err != nil {
		return nil, err
	}
	s.Args = []string{"--workspace", s.workspace, "watch"}
	dir, err := c.serviceDir(s)
	if err != nil && kind == "" {
		return nil, err
	}
	s.file = filepath.Join(dir, s.format.File(s.Name))
	if s.text, err = s.format.Text(s.Unit); err != nil {
		return nil, err
	}
	if kind == "" {
		s.before, err = readOptional(s.file)
	}
	return s, err
}

// serviceDir is where the units of a person lie; it sets what else depends on who
// that is.
func (c *call) serviceDir(s *service) (string, error) {
	home := or(c.env("HOME"), c.env("USERPROFILE"))
	if home == "" {
		return "", errors.New("the environment names no home directory")
	}
	switch s.format {
	case host.Systemd:
		dir := c.env("XDG_CONFIG_HOME")
		if !filepath.IsAbs(dir) { // which counts as none
			dir = filepath.Join(home, ".config")
		}
		return filepath.Join(dir, "systemd", "user"), nil
	case host.Launchd:
		s.Log = filepath.Join(home, "Library", "Logs", s.Name+".log")
		return filepath.Join(home, "Library", "LaunchAgents"), nil
	case host.Windows:
		if s.User = c.env("USERNAME"); s.User != "" && c.env("USERDOMAIN") != "" {
			s.User = c.env("USERDOMAIN") + `\` + s.User
		}
		return filepath.Join(or(c.env("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local")), "memoryd"), nil
	}
	return "", fail.WithHint(fmt.Errorf("nothing is known of how %s starts programs", runtime.GOOS), `let it start "memory watch" in its own way; --print --for KIND shows how others do`)
}

// program is the path of this program: by the name under which it is found, which
// outlives an update, else by that of its file.
func program() (string, error) {
	file, err := os.Executable()
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return file, nil
	}
	if named, ok := inPath(filepath.Base(os.Args[0])); ok {
		if target, err := filepath.EvalSymlinks(named); err == nil && target == real {
			return named, nil
		}
	}
	return real, nil
}

// commandPatience is how long a command of the system may take. "systemctl restart"
// waits for a run to end that must not be cut off.
const commandPatience = 2 * time.Minute

// ranCommand is a command of the system, and what became of it.
type ranCommand struct {
	Command []string `json:"command"`
	Ran     bool     `json:"ran"`
	Error   string   `json:"error,omitempty"`
}

// runAll runs commands one after the other, up to one that fails. Where the program
// is missing it says what to run, which is no error.
func (c *call) runAll(doc *serviceDoc, commands []host.Command) error {
	for i, command := range commands {
		ran := ranCommand{Command: command.Args}
		if _, ok := inPath(command.Args[0]); !ok {
			c.note("%s is not there; to bring it into force, run:", command.Args[0])
			for _, left := range commands[i:] {
				c.note("  %s", commandLine(left.Args))
				doc.Commands = append(doc.Commands, ranCommand{Command: left.Args})
			}
			return nil
		}
		_, err := c.ask(command)
		ran.Ran = true
		if err != nil && !command.Lenient {
			doc.Commands = append(doc.Commands, ran)
			var left []string
			for _, command := range commands[i:] {
				left = append(left, commandLine(command.Args))
			}
			return fail.WithHint(fmt.Errorf("%s: %w", commandLine(command.Args), err), "the file is as it should be; when the cause is mended, run: "+strings.Join(left, " && "))
		}
		if err != nil {
			ran.Error = err.Error()
		} else {
			c.say("%s: done\n", commandLine(command.Args))
		}
		doc.Commands = append(doc.Commands, ran)
	}
	return nil
}

// ask runs a command of the system and returns what it writes. It gets no input, and
// never waits for a person.
func (c *call) ask(command host.Command) (string, error) {
	return ask(c.ctx, c.Env, commandPatience, command.Args)
}

func ask(ctx context.Context, env []string, patience time.Duration, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(env[:len(env):len(env)], "LC_ALL=C", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0")
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return stdout.String(), nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("no answer after %s", patience)
	case errors.As(err, &exit):
		if said := strings.TrimSpace(stderr.String()); said != "" {
			first, _, _ := strings.Cut(said, "\n")
			return stdout.String(), errors.New(term.Printable(strings.TrimSpace(first)))
		}
	}
	return stdout.String(), err
}

// inPath finds a program; never one of the current directory.
func inPath(name string) (string, bool) {
	file, err := exec.LookPath(name)
	return file, err == nil && filepath.IsAbs(file)
}

// commandLine is a command as a person would type it.
func commandLine(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\"'\\$`&|;<>()*?[]#~") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return term.Printable(strings.Join(words, " "))
}
