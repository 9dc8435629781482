package installing

import (
	_ "embed" // for the command file
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/pkg/host"
)

// Place says where a person works.
type Place struct {
	Dir    paths.Dir // of the project
	Getenv func(name string) string
}

// Options say what is set up, and where.
type Options struct {
	Place
	Host          string
	User          bool   // in the person's settings, and not in those of the project
	ServerName    string // of our MCP server; "": as it was installed, else the usual one
	ClaudeCommand bool   // with Claude Code: a command file too
	Workspace     string // the folder of memories that agents of the project use; "" for none
	Note          func(text string)
}

// Installation is what becomes of a host's files. It is made by Apply.
type Installation struct {
	options Options
	files   hostFiles
	changes []*change
	record  *record
	adding  bool
	theirs  []*change // files that were ours, and are no more
}

// change is what becomes of one file.
type change struct {
	*filechange.Change
	server string // the name of our server in it; "" for none
	mixed  bool   // the file held entries of ours already
}

// Changes are those of the files, compared.
func (i *Installation) Changes() (all []*filechange.Change) {
	for _, f := range i.changes {
		all = append(all, f.Change)
	}
	return all
}

// Trust is what a person does before the host runs the hooks of a project.
func (i *Installation) Trust() string { return i.files.trust }

// commandFile makes /memory consolidate a command of Claude Code.
//
//go:embed commands/memory.md
var commandFile []byte

// CommandFile is the text of the command file for Claude Code.
func CommandFile() []byte { return commandFile }

// target is a file of a host, with how our part of it is added and removed.
type target struct {
	file   string
	server string // the name of our server in it; "" for none
	add    func(doc []byte) ([]byte, error)
	remove func(doc []byte) (left []byte, bare bool, err error)
}

// Install decides what is added to the files of a host. Nothing is changed yet.
func Install(o Options) (*Installation, error) { return decide(o, true) }

// Uninstall decides what is removed from the files of a host. Nothing is changed yet.
func Uninstall(o Options) (*Installation, error) { return decide(o, false) }

func decide(o Options, adding bool) (*Installation, error) {
	files, ok := hosts(runtime.GOOS)[o.Host]
	if !ok {
		return nil, fail.Usagef("unknown host %q", o.Host)
	}
	i := &Installation{options: o, files: files, adding: adding}
	settings, dir, err := i.settingsFile()
	if err != nil {
		return nil, err
	}
	root := string(o.Dir)
	if o.User {
		root = dir
	}
	if i.record, err = readRecord(root); err != nil {
		return nil, err
	}
	targets, err := i.targets(settings, dir)
	if err != nil {
		return nil, err
	}
	if o.Host == "claude" {
		command, err := i.commandTarget(filepath.Join(dir, "commands", "memory.md"))
		if err != nil {
			return nil, err
		}
		targets = append(targets, command...)
	}
	for _, t := range targets {
		f, err := i.change(t)
		if errors.Is(err, host.ErrOtherServer) {
			o.Note(fmt.Sprintf("%s: %v, which stays: only hooks are added. For the tools besides, give ours a name: --server-name NAME", o.Dir.Short(t.file), err))
			if t.file != settings {
				continue
			}
			hooks := files.settings
			hooks.Servers = nil
			t.server, t.add = "", func(doc []byte) ([]byte, error) { return host.AddSettings(doc, hooks) }
			f, err = i.change(t)
		}
		if err != nil {
			return nil, fail.WithHint(fmt.Errorf("%s: %w", t.file, err), "nothing was changed: fix the file, or edit it by hand: "+fail.DocsURL("hosts.md#by-hand"))
		}
		f.Compare()
		i.changes = append(i.changes, f)
	}
	return i, nil
}

// settingsFile names the settings file of a host, and the directory that it lies in.
func (i *Installation) settingsFile() (name, dir string, err error) {
	if !i.options.User {
		name = i.options.Dir.Resolve(filepath.FromSlash(i.files.project))
		return name, filepath.Dir(name), nil
	}
	if i.files.user == "" {
		return "", "", fail.Usagef("--user: the host has hooks in projects only")
	}
	if dir = i.options.userDir(i.files); dir == "" {
		return "", "", errors.New("--user: the environment names no home directory")
	}
	return filepath.Join(dir, filepath.FromSlash(i.files.user)), dir, nil
}

// userDir is the directory of a person's settings for a host; "" where the environment names no home directory.
func (p Place) userDir(files hostFiles) string {
	if dir := p.Getenv(files.home); files.home != "" && dir != "" {
		return p.Dir.Resolve(dir)
	}
	home := p.Getenv("HOME")
	if runtime.GOOS == "windows" {
		home = p.Getenv("USERPROFILE")
	}
	if home == "" {
		return ""
	}
	return p.Dir.Resolve(filepath.Join(home, files.dir))
}

// isServerName reports whether every host takes a name, and whether it is a bare key in TOML.
func isServerName(name string) bool {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, odd)
}

// serverName is the name of our server in a file: as it is wanted, or was installed.
func (i *Installation) serverName(file string) (string, error) {
	name := i.options.ServerName
	if name == "" {
		if name = i.record.file(file).Server; name == "" {
			name = host.ServerName
		}
		return name, nil
	}
	if !isServerName(name) {
		return "", fail.Usagef("--server-name: %q: write letters, digits, - and _, 64 at most", name)
	}
	return name, nil
}

// targets are the files with hooks, with the MCP server, and with what the host doesn't read.
func (i *Installation) targets(settings, dir string) ([]target, error) {
	servers := i.serversFile(dir)
	if servers == "" && i.adding && i.options.User && i.files.servers.byHand != "" {
		i.options.Note(i.files.servers.byHand)
	}
	file := servers
	if file == "" {
		file = settings
	}
	name, err := i.serverName(file)
	if err != nil {
		return nil, err
	}
	old := i.files.named(i.record.file(file).Server)
	i.files = i.files.named(name)
	hooks := target{file: settings, add: i.files.add, remove: func(doc []byte) ([]byte, bool, error) { return host.RemoveSettings(doc, i.files.settings) }}
	if len(i.files.settings.Servers) > 0 {
		hooks.server = name
		hooks.add = renaming(old.removeServers, i.files.add)
	}
	all := []target{hooks}
	if servers != "" {
		f := i.files.servers
		all = append(all, target{file: servers, server: name, add: renaming(old.servers.remove, f.add), remove: f.remove})
	}
	if ignore := i.files.ignore; ignore != "" && !i.options.User {
		if pattern := i.workspacePattern(); pattern != "" || !i.adding {
			all = append(all, target{
				file: i.options.Dir.Resolve(ignore),
				add:  func(doc []byte) ([]byte, error) { return host.AddIgnore(doc, pattern), nil },
				remove: func(doc []byte) ([]byte, bool, error) {
					left, bare := host.RemoveIgnore(doc)
					return left, bare, nil
				},
			})
		}
	}
	return all, nil
}

// renaming calls add after remove has taken away an entry with an earlier name.
func renaming(remove func([]byte) ([]byte, bool, error), add func([]byte) ([]byte, error)) func([]byte) ([]byte, error) {
	return func(doc []byte) ([]byte, error) {
		wanted, err := add(doc)
		if err != nil || doc == nil || string(wanted) == string(doc) {
			return wanted, err
		}
		left, bare, err := remove(doc)
		if err != nil || string(left) == string(doc) {
			return wanted, nil // nothing of ours under the other name
		}
		if bare {
			left = nil
		}
		return add(left)
	}
}

// workspacePattern is the workspace's folder as an ignore file has it; "" where it isn't below the project.
func (i *Installation) workspacePattern() string {
	dir := i.options.Workspace
	if rel, err := filepath.Rel(string(i.options.Dir), dir); dir != "" && err == nil && rel != "." && filepath.IsLocal(rel) {
		return "/" + filepath.ToSlash(rel) + "/"
	}
	return ""
}

// serversFile is the file with a host's MCP servers; "" where there is none of its own for us. dir is that of the hooks.
func (i *Installation) serversFile(dir string) string {
	f := i.files.servers
	switch {
	case f.project == "", i.options.User && f.user == "":
		return ""
	case i.options.User:
		return filepath.Join(dir, f.user)
	}
	return i.options.Dir.Resolve(filepath.FromSlash(f.project))
}

// commandTarget is the command file, where there is something to do with it. One that somebody else wrote, or has edited, is theirs.
func (i *Installation) commandTarget(name string) ([]target, error) {
	before, err := filechange.Read(name)
	if err != nil {
		return nil, err
	}
	ours := string(before) == string(commandFile) || i.record.untouched(name, before)
	switch {
	case i.adding && !i.options.ClaudeCommand, !i.adding && before == nil:
		return nil, nil
	case i.adding && before != nil && !ours:
		return nil, fail.WithHint(fmt.Errorf("%s exists already", name), "nothing was changed: move it away, or go without --claude-command")
	case !i.adding && !ours:
		i.options.Note(i.options.Dir.Short(name) + " is not as it was installed: it stays")
		i.theirs = append(i.theirs, &change{Change: &filechange.Change{File: name}})
		return nil, nil
	}
	return []target{{
		file:   name,
		add:    func([]byte) ([]byte, error) { return commandFile, nil },
		remove: func([]byte) ([]byte, bool, error) { return nil, true, nil },
	}}, nil
}

// change is what becomes of a file.
func (i *Installation) change(t target) (*change, error) {
	before, err := filechange.Read(t.file)
	if err != nil {
		return nil, err
	}
	f := &change{Change: &filechange.Change{File: t.file, Before: before}, server: t.server}
	switch {
	case i.adding:
		if before != nil {
			left, _, err := t.remove(before)
			f.mixed = err == nil && string(left) != string(before)
		}
		f.After, err = t.add(before)
		return f, err
	case before == nil:
		return f, nil
	}
	if text, ok := i.record.restored(t.file, before); ok {
		f.After = text
		return f, nil
	}
	left, bare, err := t.remove(before)
	f.After = left
	if bare && string(left) != string(before) && !i.record.existed(t.file) {
		f.After = nil // it was made by install
	}
	return f, err
}

// Apply makes the changes. What is needed to take them back is on disk before them, and goes after they are.
func (i *Installation) Apply() error {
	var err error
	if i.record, err = readRecord(i.record.root); err != nil { // another host may have been set up since
		return err
	}
	if i.adding {
		if err := i.record.note(i.changes); err != nil {
			return fmt.Errorf("keep files as they were: %w", err)
		}
	}
	for _, f := range i.changes {
		if !f.Changed {
			continue
		}
		if err := f.Write(""); err != nil {
			return fmt.Errorf("%s: %w", f.File, err)
		}
	}
	if i.adding {
		return nil
	}
	if err := i.record.drop(append(i.changes, i.theirs...)); err != nil {
		return fmt.Errorf("remove what was kept: %w", err)
	}
	return nil
}
