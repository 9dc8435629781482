package cli

import (
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
)

func installCommand() *command {
	return &command{
		args:    "--host HOST [options]",
		purpose: "add our hooks and MCP server to the settings of a coding agent's host",
		detail: `Changes the settings of the project in the current directory, or your own with
--user. The change is shown first. Other entries stay as they are; a server of
the same name that isn't ours stays, too, and then only hooks are added, unless
--server-name gives ours another name. Files are kept as they were, in
.memory-install, for "memory uninstall". Installing twice changes nothing.`,
		example: "memory install --host claude --dry-run",
		flags: append(hostFlags(),
			&urfave.BoolFlag{Name: "claude-command", Usage: "with claude: the command /memory consolidate besides, which may hide the built-in /memory"},
		),
		run: func(c *call) error { return runInstall(c, true) },
	}
}

func uninstallCommand() *command {
	return &command{
		args:    "--host HOST [options]",
		purpose: "remove our hooks and MCP server from the settings of a host",
		detail: `A file that nobody has changed since "memory install" becomes what it was, byte
for byte. From others only what is ours is removed. Files and directories that
were made by "memory install" go. The change is shown first.`,
		example: "memory uninstall --host claude",
		flags:   hostFlags(),
		run:     func(c *call) error { return runInstall(c, false) },
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
	name := c.flags.String("host")
	if adding && c.flags.Bool("claude-command") && name != "claude" {
		return usagef("--claude-command is for the host claude")
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
		c.say("%s", printable(f.Diff))
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
			what = "changed; as it was: " + printable(c.brief(f.Backup))
		case f.before != nil:
			what = "changed"
		}
		c.say("%s: %s\n", printable(c.brief(f.File)), what)
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
