package cli

import (
	_ "embed" // for the command file
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/mcp"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/host"
)

func installCommand() *command {
	return &command{
		args:    "HOST [options]",
		purpose: "add our hooks and MCP server to a coding agent's settings",
		detail: `Changes the settings of the project in the current directory, or your own with
--user. The change is shown first. Other entries stay as they are; a server of
the same name that isn't ours stays, too, and then only hooks are added, unless
--server-name gives ours another name. Files are kept as they were, in
.memory-install, for "memory uninstall". Installing twice changes nothing.`,
		page:    "hosts.md",
		example: "memory install --host claude --dry-run",
		flags: append(hostFlags(),
			&urfave.BoolFlag{Name: "claude-command", Usage: "with claude: the command /memory consolidate besides, which may hide the built-in /memory"},
		),
		most: 1, run: func(c *call) error { return runInstall(c, true) }, words: func(*call) []string { return hook.Names() },
	}
}

func uninstallCommand() *command {
	return &command{
		args:    "HOST [options]",
		purpose: "remove our hooks and MCP server from a coding agent's settings",
		detail: `A file that nobody has changed since "memory install" becomes what it was, byte
for byte. From others only what is ours is removed. Files and directories that
were made by "memory install" go. The change is shown first.`,
		example: "memory uninstall --host claude",
		flags:   hostFlags(),
		most:    1, run: func(c *call) error { return runInstall(c, false) }, words: func(*call) []string { return hook.Names() },
	}
}

func hostFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "host", Usage: "the `HOST`: " + strings.Join(hook.Names(), ", ")},
		&urfave.BoolFlag{Name: "user", Usage: "for all your projects, in your own settings"},
		&urfave.StringFlag{Name: "server-name", Usage: "the `NAME` of the MCP server (memory)"},
		&urfave.BoolFlag{Name: "dry-run", Usage: "only show the change"},
	}
}

// fileChange is what becomes of a file of a host.
type fileChange struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff"`
	Backup  string `json:"backup,omitempty"`
	Removed bool   `json:"removed,omitempty"`

	before, after []byte // nil: no file
	server        string // the name of the server in it; "" for none
	mixed         bool   // before held entries of ours already
}

func runInstall(c *call, adding bool) error {
	name, err := c.hostName()
	if err != nil {
		return err
	}
	if adding && c.flags.Bool("claude-command") && name != "claude" {
		return fail.Usagef("--claude-command is for the host claude")
	}
	i, err := c.installation(name, adding)
	if err != nil {
		return err
	}
	if err := c.showChanges(i.changes); err != nil {
		return err
	}
	if !c.flags.Bool("dry-run") {
		if err := i.make(); err != nil {
			return err
		}
	}
	c.reportChanges(i.changes, c.flags.Bool("dry-run"))
	if c.json {
		return c.printChanges(i.changes, name)
	}
	if adding {
		c.say("\n%s\nTo see whether it works: memory check --host %s\n", i.files.trust, name)
	}
	return nil
}

// hostName is the host that --host or the argument names.
func (c *call) hostName() (string, error) {
	name := c.flags.String("host")
	switch {
	case name == "" && len(c.args) == 0:
		return "", choice{"host", hook.Names()}.missing("--host")
	case name == "":
		if meant := (choice{"host", hook.Names()}).meant(c.args[0]); meant != "" {
			return meant, nil
		}
		return c.args[0], nil
	case len(c.args) > 0 && c.args[0] != name:
		return "", fail.Usagef("--host %s and %q: name one host", name, c.args[0])
	}
	return name, nil
}

// hostFile names the settings file of a host, and the directory that it lies in.
func (c *call) hostFile(files hostSettings) (name, dir string, err error) {
	if !c.flags.Bool("user") {
		name = filepath.Join(c.Dir, filepath.FromSlash(files.project))
		return name, filepath.Dir(name), nil
	}
	if files.user == "" {
		return "", "", fail.Usagef("--user: the host has hooks in projects only")
	}
	if dir = c.userDir(files); dir == "" {
		return "", "", errors.New("--user: the environment names no home directory")
	}
	return filepath.Join(dir, filepath.FromSlash(files.user)), dir, nil
}

// userDir is the directory of a person's settings for a host; "" where the environment names no home directory.
func (c *call) userDir(files hostSettings) string {
	if dir := c.env(files.home); files.home != "" && dir != "" {
		return c.path(dir)
	}
	home := c.env("HOME")
	if runtime.GOOS == "windows" {
		home = c.env("USERPROFILE")
	}
	if home == "" {
		return ""
	}
	return c.path(filepath.Join(home, files.dir))
}

// makeChanges shows what is to be changed, then changes it; stamp goes into the names of backups.
func (c *call) makeChanges(changes []*fileChange, stamp string) error {
	if err := c.showChanges(changes); err != nil {
		return err
	}
	dry := c.flags.Bool("dry-run")
	for _, f := range changes {
		if f.Changed && !dry {
			if err := f.write(stamp); err != nil {
				return fmt.Errorf("%s: %w", f.File, err)
			}
		}
	}
	c.reportChanges(changes, dry)
	if !c.json {
		return nil
	}
	return c.printChanges(changes, "")
}

// showChanges shows what is to be changed.
func (c *call) showChanges(changes []*fileChange) error {
	for _, f := range changes {
		f.Changed = (f.before == nil) != (f.after == nil) || string(f.before) != string(f.after)
		f.Removed = f.Changed && f.after == nil
		if f.Changed {
			f.Diff = udiff.Unified(f.File, f.File, string(f.before), string(f.after))
		}
		c.say("%s", term.Printable(f.Diff))
	}
	return c.out.Flush()
}

// reportChanges says what was changed.
func (c *call) reportChanges(changes []*fileChange, dry bool) {
	for _, f := range changes {
		what := "written"
		switch {
		case !f.Changed:
			what = "nothing to change"
		case dry:
			what = "would be changed"
		case f.Removed:
			what = "removed"
		case f.Backup != "":
			what = "changed; as it was: " + term.Printable(c.brief(f.Backup))
		case f.before != nil:
			what = "changed"
		}
		c.say("%s: %s\n", term.Printable(c.brief(f.File)), what)
	}
}

func (c *call) printChanges(changes []*fileChange, host string) error {
	return c.printJSON(struct {
		Host    string        `json:"host,omitempty"`
		Applied bool          `json:"applied"`
		Files   []*fileChange `json:"files"`
	}{host, !c.flags.Bool("dry-run"), changes})
}

// readOptional reads a file; nil when there is none.
func readOptional(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}

// commandFile makes /memory consolidate a command of Claude Code.
//
//go:embed commands/memory.md
var commandFile []byte

// installation is what becomes of a host's files.
type installation struct {
	files   hostSettings
	changes []*fileChange
	record  *installRecord
	adding  bool
	theirs  []*fileChange // files that were ours, and are no more
}

// target is a file of a host, with how our part of it is added and removed.
type target struct {
	file   string
	server string // the name of our server in it; "" for none
	add    func(doc []byte) ([]byte, error)
	remove func(doc []byte) (left []byte, bare bool, err error)
}

// installation decides what is added to the files of a host, or removed. Nothing is changed yet.
func (c *call) installation(name string, adding bool) (*installation, error) {
	files, ok := hostFiles(runtime.GOOS)[name]
	if !ok {
		return nil, choice{"host", hook.Names()}.unknown("--host", name)
	}
	settings, dir, err := c.hostFile(files)
	if err != nil {
		return nil, err
	}
	i := &installation{files: files, adding: adding}
	root := c.Dir
	if c.flags.Bool("user") {
		root = dir
	}
	if i.record, err = readRecord(root); err != nil {
		return nil, err
	}
	targets, err := c.targets(i, settings, dir)
	if err != nil {
		return nil, err
	}
	if name == "claude" {
		command, err := c.commandTarget(i, filepath.Join(dir, "commands", "memory.md"))
		if err != nil {
			return nil, err
		}
		targets = append(targets, command...)
	}
	for _, t := range targets {
		change, err := i.change(t)
		if errors.Is(err, host.ErrOtherServer) {
			c.note(`%s: %v, which stays: only hooks are added. For the tools besides, give ours a name: --server-name NAME`, c.brief(t.file), err)
			if t.file != settings {
				continue
			}
			hooks := files.settings
			hooks.Servers = nil
			t.server, t.add = "", func(doc []byte) ([]byte, error) { return host.AddSettings(doc, hooks) }
			change, err = i.change(t)
		}
		if err != nil {
			return nil, fail.WithHint(fmt.Errorf("%s: %w", t.file, err), "nothing was changed: fix the file, or edit it by hand: "+pageURL("hosts.md#by-hand"))
		}
		i.changes = append(i.changes, change)
	}
	return i, nil
}

// isServerName reports whether every host takes a name, and whether it is a bare key in TOML.
func isServerName(name string) bool {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, odd)
}

// serverName is the name of our server in a file: as it is wanted, or was installed.
func (c *call) serverName(record *installRecord, file string) (string, error) {
	name := c.flags.String("server-name")
	if name == "" {
		return or(record.file(file).Server, mcp.Name), nil
	}
	if !isServerName(name) {
		return "", fail.Usagef("--server-name: %q: write letters, digits, - and _, 64 at most", name)
	}
	return name, nil
}

// targets are the files with hooks, with the MCP server, and with what the host doesn't read.
func (c *call) targets(i *installation, settings, dir string) ([]target, error) {
	servers := c.serversFile(i.files.servers, dir)
	if servers == "" && i.adding && c.flags.Bool("user") && i.files.servers.byHand != "" {
		c.note("%s", i.files.servers.byHand)
	}
	name, err := c.serverName(i.record, or(servers, settings))
	if err != nil {
		return nil, err
	}
	old := i.files.named(i.record.file(or(servers, settings)).Server)
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
	if ignore := i.files.ignore; ignore != "" && !c.flags.Bool("user") {
		if pattern := c.workspacePattern(); pattern != "" || !i.adding {
			all = append(all, target{
				file: filepath.Join(c.Dir, ignore),
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
func (c *call) workspacePattern() string {
	dir := c.hookWorkspace(c.Dir)
	if rel, err := filepath.Rel(c.Dir, dir); dir != "" && err == nil && rel != "." && filepath.IsLocal(rel) {
		return "/" + filepath.ToSlash(rel) + "/"
	}
	return ""
}

// serversFile is the file with a host's MCP servers; "" where there is none of its own for us.
// dir is that of the hooks.
func (c *call) serversFile(f serversFile, dir string) string {
	switch {
	case f.project == "", c.flags.Bool("user") && f.user == "":
		return ""
	case c.flags.Bool("user"):
		return filepath.Join(dir, f.user)
	}
	return filepath.Join(c.Dir, filepath.FromSlash(f.project))
}

// commandTarget is the command file, where there is something to do with it. One that somebody else wrote, or has edited, is theirs.
func (c *call) commandTarget(i *installation, name string) ([]target, error) {
	before, err := readOptional(name)
	if err != nil {
		return nil, err
	}
	ours := string(before) == string(commandFile) || i.record.untouched(name, before)
	switch {
	case i.adding && !c.flags.Bool("claude-command"), !i.adding && before == nil:
		return nil, nil
	case i.adding && before != nil && !ours:
		return nil, fail.WithHint(fmt.Errorf("%s exists already", name), "nothing was changed: move it away, or go without --claude-command")
	case !i.adding && !ours:
		c.note("%s is not as it was installed: it stays", c.brief(name))
		i.theirs = append(i.theirs, &fileChange{File: name})
		return nil, nil
	}
	return []target{{
		file:   name,
		add:    func([]byte) ([]byte, error) { return commandFile, nil },
		remove: func([]byte) ([]byte, bool, error) { return nil, true, nil },
	}}, nil
}

// change is what becomes of a file.
func (i *installation) change(t target) (*fileChange, error) {
	before, err := readOptional(t.file)
	if err != nil {
		return nil, err
	}
	f := &fileChange{File: t.file, before: before, server: t.server}
	switch {
	case i.adding:
		if before != nil {
			left, _, err := t.remove(before)
			f.mixed = err == nil && string(left) != string(before)
		}
		f.after, err = t.add(before)
		return f, err
	case before == nil:
		return f, nil
	}
	if text, ok := i.record.restored(t.file, before); ok {
		f.after = text
		return f, nil
	}
	left, bare, err := t.remove(before)
	f.after = left
	if bare && string(left) != string(before) && !i.record.existed(t.file) {
		f.after = nil // it was made by install
	}
	return f, err
}

// make makes the changes. What is needed to take them back is on disk before them, and goes after they are.
func (i *installation) make() error {
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
		if err := f.write(""); err != nil {
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
