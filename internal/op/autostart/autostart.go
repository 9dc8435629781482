package autostart

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/host"
)

// Options say which unit is meant, and for whom.
type Options struct {
	Workspace string      // its directory
	Format    host.Format // "": that of this system; another one is only printed
	Env       []string    // NAME=value, for the commands of the system too
	Getenv    func(name string) string
}

// Service is the unit of a workspace.
type Service struct {
	File      string
	Text      []byte // as Install writes it
	Workspace string

	unit   host.Unit
	format host.Format
	before []byte // the file as it is; nil: there is none
	env    []string
}

// Document is what is known of a unit, and what was done with it.
type Document struct {
	Format    host.Format `json:"format"`
	Name      string      `json:"name"`
	Workspace string      `json:"workspace"`
	File      string      `json:"file"`
	Installed bool        `json:"installed"`
	Ours      bool        `json:"ours"`
	Current   bool        `json:"current"` // as install would write it
	Changed   bool        `json:"changed"`
	Diff      string      `json:"diff,omitempty"`
	Backup    string      `json:"backup,omitempty"`
	Applied   bool        `json:"applied"`
	Commands  []Command   `json:"commands"`
	State     string      `json:"state,omitempty"`
	Watched   string      `json:"watched,omitempty"` // by which process
}

// Command is a command of the system, and what became of it.
type Command struct {
	Command []string `json:"command"`
	Ran     bool     `json:"ran"`
	Error   string   `json:"error,omitempty"`
}

// Did is what a step has done, or would do.
type Did int

// What steps do.
const (
	Wrote       Did = iota // the file; Backup is the copy of what it was
	Removed                // the file
	Unchanged              // the file is as it should be
	Absent                 // there is no file to remove
	WouldChange            // the file
	WouldRun               // Command
	Ran                    // Command, without an error
	Missing                // the program of Command: a person has to run this one and those that follow
	ToRun                  // Command, by a person
	Watched                // Holder watches the workspace already
)

// Step is one step of installing or uninstalling, as it is done.
type Step struct {
	Did     Did
	Backup  string
	Command []string
	Holder  string
}

// Change says how to install or uninstall.
type Change struct {
	DryRun bool
	Stamp  string                  // in the name of a copy of the file
	Holder string                  // the process that watches the workspace now; "" for none
	Show   func(diff string) error // is called before anything is changed; after an error nothing is
	Tell   func(Step)              // is called after each step
}

// Find describes the unit of a workspace.
func Find(o Options) (*Service, error) {
	s := &Service{Workspace: o.Workspace, format: o.Format, env: o.Env}
	if o.Format == "" {
		s.format = host.FormatFor(runtime.GOOS)
	}
	s.unit.Name, s.unit.Purpose = host.UnitName(s.Workspace), "watching "+s.Workspace
	var err error
	if s.unit.Program, err = Program(); err != nil {
		return nil, err
	}
	s.unit.Args = []string{"--workspace", s.Workspace, "watch"}
	dir, err := s.place(o.Getenv)
	if err != nil && o.Format == "" {
		return nil, err
	}
	s.File = filepath.Join(dir, s.format.File(s.unit.Name))
	if s.Text, err = s.format.Text(s.unit); err != nil {
		return nil, err
	}
	if o.Format == "" {
		s.before, err = filechange.Read(s.File)
	}
	return s, err
}

// place is the directory of a person's units. It sets what else of the unit depends on the person.
func (s *Service) place(getenv func(string) string) (string, error) {
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	if home == "" {
		return "", errors.New("the environment names no home directory")
	}
	switch s.format {
	case host.Systemd:
		dir := getenv("XDG_CONFIG_HOME")
		if !filepath.IsAbs(dir) { // which counts as none
			dir = filepath.Join(home, ".config")
		}
		return filepath.Join(dir, "systemd", "user"), nil
	case host.Launchd:
		s.unit.Log = filepath.Join(home, "Library", "Logs", s.unit.Name+".log")
		return filepath.Join(home, "Library", "LaunchAgents"), nil
	case host.Windows:
		if s.unit.User = getenv("USERNAME"); s.unit.User != "" && getenv("USERDOMAIN") != "" {
			s.unit.User = getenv("USERDOMAIN") + `\` + s.unit.User
		}
		dir := getenv("LOCALAPPDATA")
		if dir == "" {
			dir = filepath.Join(home, "AppData", "Local")
		}
		return filepath.Join(dir, "memoryd"), nil
	}
	return "", fail.WithHint(fmt.Errorf("nothing is known of how %s starts programs", runtime.GOOS), `let it start "memory watch" in its own way; --print --for KIND shows how others do`)
}

func (s *Service) document() *Document {
	return &Document{
		Format: s.format, Name: s.unit.Name, Workspace: s.Workspace, File: s.File, Commands: []Command{},
		Installed: s.before != nil, Ours: host.IsOurUnit(s.before), Current: string(s.before) == string(s.Text),
	}
}

// Install writes the unit and brings it into force.
func (s *Service) Install(ctx context.Context, how Change) (*Document, error) {
	doc := s.document()
	if doc.Installed && !doc.Ours {
		return nil, fail.WithHint(fmt.Errorf("%s is there already, and not ours", s.File), "nothing was changed: move it away first")
	}
	doc.Changed = !doc.Current
	change := &filechange.Change{File: s.File, Before: s.before, After: s.Text}
	if doc.Changed {
		doc.Diff = s.diff(s.Text)
	}
	if err := how.Show(doc.Diff); err != nil {
		return nil, err
	}
	commands := s.format.Enable(s.unit.Name, s.File, os.Getuid(), doc.Changed && doc.Installed)
	if how.DryRun {
		doc.announce(how, commands)
		return doc, nil
	}
	if doc.Changed {
		if s.unit.Log != "" {
			if err := os.MkdirAll(filepath.Dir(s.unit.Log), 0o755); err != nil {
				return nil, err
			}
		}
		if err := change.Write(how.Stamp); err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
		doc.Backup = change.Backup
		how.Tell(Step{Did: Wrote, Backup: change.Backup})
	} else {
		how.Tell(Step{Did: Unchanged})
	}
	doc.Applied, doc.Installed, doc.Ours, doc.Current = true, true, true, true
	if how.Holder != "" && doc.Changed && doc.Backup == "" {
		doc.Watched = how.Holder
		how.Tell(Step{Did: Watched, Holder: how.Holder})
	}
	return doc, s.runAll(ctx, doc, how, commands)
}

// Uninstall takes the unit out of force and removes its file.
func (s *Service) Uninstall(ctx context.Context, how Change) (*Document, error) {
	doc := s.document()
	if !doc.Installed {
		how.Tell(Step{Did: Absent})
		return doc, nil
	}
	if !doc.Ours {
		return nil, fail.WithHint(fmt.Errorf("%s is not ours", s.File), "nothing was changed")
	}
	before, after := s.format.Disable(s.unit.Name, os.Getuid())
	doc.Changed, doc.Diff = true, s.diff(nil)
	if err := how.Show(doc.Diff); err != nil {
		return nil, err
	}
	if how.DryRun {
		doc.announce(how, append(before, after...))
		return doc, nil
	}
	failed := s.runAll(ctx, doc, how, before)
	if err := (&filechange.Change{File: s.File, Before: s.before, Removed: true}).Write(""); err != nil {
		return doc, errors.Join(fmt.Errorf("%s: %w", s.File, err), failed)
	}
	doc.Applied, doc.Installed, doc.Ours, doc.Current = true, false, false, false
	how.Tell(Step{Did: Removed})
	return doc, errors.Join(failed, s.runAll(ctx, doc, how, after))
}

// Status asks the system whether the unit is in force, and running. Holder is the process that watches the workspace.
func (s *Service) Status(ctx context.Context, holder string) *Document {
	doc := s.document()
	doc.Watched = holder
	if !doc.Installed {
		return doc
	}
	answer, failure := run(ctx, s.env, patience, s.format.Ask(s.unit.Name, os.Getuid()).Args)
	var err error
	if doc.State, err = s.format.State(answer); err != nil {
		if doc.State = "not in force"; failure != nil {
			doc.State = "unknown: " + failure.Error()
		}
	}
	return doc
}

// diff is what a change of the file looks like; "" for a format that isn't written in UTF-8.
func (s *Service) diff(after []byte) string {
	if s.format == host.Windows { // UTF-16
		return ""
	}
	return udiff.Unified(s.File, s.File, string(s.before), string(after))
}

// announce tells what would be done.
func (d *Document) announce(how Change, commands []host.Command) {
	if d.Changed {
		how.Tell(Step{Did: WouldChange})
	}
	for _, command := range commands {
		d.Commands = append(d.Commands, Command{Command: command.Args})
		how.Tell(Step{Did: WouldRun, Command: command.Args})
	}
}

// runAll runs commands one after the other, up to one that fails. Where the program is missing it tells what to run, which is no error.
func (s *Service) runAll(ctx context.Context, doc *Document, how Change, commands []host.Command) error {
	for i, command := range commands {
		ran := Command{Command: command.Args}
		if _, ok := inPath(command.Args[0]); !ok {
			how.Tell(Step{Did: Missing, Command: command.Args})
			for _, left := range commands[i:] {
				how.Tell(Step{Did: ToRun, Command: left.Args})
				doc.Commands = append(doc.Commands, Command{Command: left.Args})
			}
			return nil
		}
		_, err := run(ctx, s.env, patience, command.Args)
		ran.Ran = true
		if err != nil && !command.Lenient {
			doc.Commands = append(doc.Commands, ran)
			var left []string
			for _, command := range commands[i:] {
				left = append(left, term.CommandLine(command.Args))
			}
			return fail.WithHint(fmt.Errorf("%s: %w", term.CommandLine(command.Args), err), "the file is as it should be; when the cause is mended, run: "+strings.Join(left, " && "))
		}
		if err != nil {
			ran.Error = err.Error()
		} else {
			how.Tell(Step{Did: Ran, Command: command.Args})
		}
		doc.Commands = append(doc.Commands, ran)
	}
	return nil
}
