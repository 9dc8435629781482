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

	"github.com/memoryd/memoryd/cmd/memory/internal/hook"
	"github.com/memoryd/memoryd/pkg/host"
)

// commandFile makes /memory consolidate a command of Claude Code.
//
//go:embed commands/memory.md
var commandFile []byte

func installCommand() *command {
	return &command{
		name: "install", group: groupOther, args: "--host HOST [options]",
		purpose: "add our hooks and MCP server to the settings of a coding agent's host",
		detail: `Changes the settings of the project in the current directory, or your own with
--user. The change is shown first, and a backup of the file is kept next to it.
Other entries stay as they are. Installing twice changes nothing.`,
		example: "memory install --host claude --dry-run",
		flags:   append(hostFlags(), &urfave.BoolFlag{Name: "claude-command", Usage: "with claude: the command /memory consolidate besides, which may hide the built-in /memory"}),
		run:     func(c *call) error { return runInstall(c, true) },
	}
}

func uninstallCommand() *command {
	return &command{
		name: "uninstall", group: groupOther, args: "--host HOST [options]",
		purpose: "remove our hooks and MCP server from the settings of a host",
		detail: `Removes only what "memory install" has added, and the command file if it is
unchanged. The change is shown first, and a backup of the file is kept next to
it.`,
		example: "memory uninstall --host claude",
		flags:   hostFlags(),
		run:     func(c *call) error { return runInstall(c, false) },
	}
}

func hostFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "host", Usage: "the `HOST`: " + strings.Join(hook.Names(), ", ")},
		&urfave.BoolFlag{Name: "user", Usage: "for all your projects, in your own settings"},
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
}

func runInstall(c *call, adding bool) error {
	files, ok := hostFiles(runtime.GOOS)[c.flags.String("host")]
	if !ok {
		return withHint(usagef("--host: there is no %q", c.flags.String("host")), "the hosts are "+strings.Join(hook.Names(), ", "))
	}
	isClaude := c.flags.String("host") == "claude"
	if adding && c.flags.Bool("claude-command") && !isClaude {
		return usagef("--claude-command is for the host claude")
	}
	settings, dir, err := c.hostFile(files)
	if err != nil {
		return err
	}
	change, err := settingsChange(settings, adding,
		files.add,
		func(doc []byte) ([]byte, bool, error) { return host.RemoveSettings(doc, files.settings) })
	if err != nil {
		return err
	}
	changes := []*fileChange{change}
	if change, err = c.serversChange(files.servers, dir, adding); err != nil {
		return err
	} else if change != nil {
		changes = append(changes, change)
	}
	if isClaude && (!adding || c.flags.Bool("claude-command")) {
		change, err := c.commandChange(filepath.Join(dir, "commands", "memory.md"), adding)
		if err != nil {
			return err
		}
		if change != nil {
			changes = append(changes, change)
		}
	}
	if err := c.makeChanges(changes); err != nil || !adding || c.json {
		return err
	}
	c.say("\n%s\nTo see whether it works: memory check --host %s\n", files.trust, c.flags.String("host"))
	return nil
}

// hostFile names the settings file of a host, and the directory that it lies in.
func (c *call) hostFile(files hostSettings) (name, dir string, err error) {
	if !c.flags.Bool("user") {
		name = filepath.Join(c.Dir, filepath.FromSlash(files.project))
		return name, filepath.Dir(name), nil
	}
	if files.user == "" {
		return "", "", usagef("--user: the host has hooks in projects only")
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

// settingsChange is what becomes of a settings file.
func settingsChange(name string, adding bool, add func([]byte) ([]byte, error), remove func([]byte) ([]byte, bool, error)) (*fileChange, error) {
	before, err := readOptional(name)
	if err != nil {
		return nil, err
	}
	change := &fileChange{File: name, before: before}
	switch {
	case adding:
		change.after, err = add(before)
	case before != nil:
		var bare bool
		change.after, bare, err = remove(before)
		if err == nil && bare && string(change.after) != string(before) && len(backups(name)) == 0 {
			change.after, change.Removed = nil, true // it was made by install
		}
	}
	if err != nil {
		return nil, withHint(fmt.Errorf("%s: %w", name, err), "nothing was changed: mend the file, or edit it by hand as docs/hosts.md shows")
	}
	return change, nil
}

// serversChange is what becomes of the file with a host's MCP servers; nil where
// there is none for us. dir is that of the hooks.
func (c *call) serversChange(f serversFile, dir string, adding bool) (*fileChange, error) {
	name := filepath.Join(c.Dir, filepath.FromSlash(f.project))
	switch {
	case f.project == "":
		return nil, nil
	case c.flags.Bool("user") && f.user == "":
		if adding {
			c.note("%s", f.byHand)
		}
		return nil, nil
	case c.flags.Bool("user"):
		name = filepath.Join(dir, f.user)
	}
	return settingsChange(name, adding, f.add, f.remove)
}

// commandChange is what becomes of the command file; nil when there is nothing to
// do with it. One that somebody else wrote, or has edited, is theirs.
func (c *call) commandChange(name string, adding bool) (*fileChange, error) {
	before, err := readOptional(name)
	if err != nil {
		return nil, err
	}
	ours := string(before) == string(commandFile)
	switch {
	case adding && before != nil && !ours:
		return nil, withHint(fmt.Errorf("%s exists already", name), "nothing was changed: move it away, or go without --claude-command")
	case adding:
		return &fileChange{File: name, before: before, after: commandFile}, nil
	case before == nil:
		return nil, nil
	case !ours:
		c.note("%s is not as it was installed: it stays", c.brief(name))
		return nil, nil
	}
	return &fileChange{File: name, before: before, Removed: true}, nil
}

// makeChanges shows what is to be changed, then changes it.
func (c *call) makeChanges(changes []*fileChange) error {
	return c.makeChangesOf(changes, c.at.UTC().Format("20060102T150405Z"), c.flags.String("host"))
}

// makeChangesOf makes changes for a host, "" for none; stamp goes into the names of
// files as they were.
func (c *call) makeChangesOf(changes []*fileChange, stamp, host string) error {
	dry := c.flags.Bool("dry-run")
	for _, f := range changes {
		f.Changed = (f.before == nil) != (f.after == nil) || string(f.before) != string(f.after)
		if f.Changed {
			f.Diff = udiff.Unified(f.File, f.File, string(f.before), string(f.after))
		}
		c.say("%s", printable(f.Diff))
	}
	if err := c.out.Flush(); err != nil {
		return err
	}
	for _, f := range changes {
		name := printable(c.brief(f.File))
		if !f.Changed {
			c.say("%s: nothing to change\n", name)
			continue
		}
		if dry {
			c.say("%s: would be changed\n", name)
			continue
		}
		if err := f.write(stamp); err != nil {
			return fmt.Errorf("%s: %w", f.File, err)
		}
		switch {
		case f.Removed:
			c.say("%s: removed\n", name)
		case f.Backup != "":
			c.say("%s: changed; as it was: %s\n", name, printable(c.brief(f.Backup)))
		default:
			c.say("%s: written\n", name)
		}
	}
	if !c.json {
		return nil
	}
	return c.printJSON(struct {
		Host    string        `json:"host,omitempty"`
		Applied bool          `json:"applied"`
		Files   []*fileChange `json:"files"`
	}{host, !dry, changes})
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
