package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/term"
)

// foundHost is a host that is used in the project, or could be.
type foundHost struct {
	Host      string   `json:"host"`
	Found     string   `json:"found"` // what tells of it: a file or directory of the project, or a program
	Installed bool     `json:"installed"`
	Files     []string `json:"files"` // that setting it up changes, or has changed

	title string
	work  *installation
}

// offerHosts looks for hosts beside a new workspace, and sets them up where the person agrees. Those that were
// set up before are left out. What can't be set up is an error, and doesn't keep others from it.
func (c *call) offerHosts(workspace string) (hosts []foundHost, err error) {
	if rel, err := filepath.Rel(c.Dir, workspace); c.flags.Bool("no-hosts") || err != nil || rel == "." || !filepath.IsLocal(rel) {
		return []foundHost{}, nil // no project of this directory
	}
	hosts, failed := c.findHosts()
	if len(hosts) == 0 {
		return []foundHost{}, failed
	}
	c.say("\nFound, and not set up yet:\n")
	for _, h := range hosts {
		c.say("  %-12s %s\n", h.title, term.Printable(h.Found))
		c.say("  %-12s %s\n", "", c.style.Dim("would change "+term.Printable(strings.Join(h.Files, ", "))))
	}
	agreed := c.flags.Bool("yes")
	if !agreed && c.asks() {
		c.say("Set them up? [Y/n] ")
		if err := c.out.Flush(); err != nil {
			return hosts, err
		}
		agreed = isYes(c.answer())
	}
	if !agreed {
		c.say("Nothing was set up. \"memory init --yes\" sets up all, \"memory install --host HOST\" one.\n")
		return hosts, failed
	}
	for i, h := range hosts {
		if err := h.work.make(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("set up %s: %w", h.Host, err))
			continue
		}
		hosts[i].Installed = true
		c.say("%s is set up. %s\n", h.title, h.work.files.trust)
	}
	return hosts, failed
}

// findHosts finds the hosts that are used in the project or stand on the PATH, and are not set up.
func (c *call) findHosts() (found []foundHost, failed error) {
	all := hostFiles(runtime.GOOS)
	for _, name := range hook.Names() {
		where := c.signOf(all[name])
		if where == "" {
			continue
		}
		work, err := c.installation(name, true)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("set up %s: %w", name, err))
			continue
		}
		h := foundHost{Host: name, Found: where, Files: []string{}, title: all[name].title, work: work}
		for _, f := range work.changes {
			if f.Changed = string(f.before) != string(f.after); f.Changed {
				h.Files = append(h.Files, c.brief(f.File))
			}
		}
		if len(h.Files) > 0 {
			found = append(found, h)
		}
	}
	return found, failed
}

// signOf is what tells that a host is used in the project, or could be; "" for nothing.
func (c *call) signOf(files hostSettings) string {
	for _, mark := range files.marks {
		if _, err := os.Stat(filepath.Join(c.Dir, filepath.FromSlash(mark))); err == nil {
			return mark
		}
	}
	for _, program := range files.programs {
		if file := c.programNamed(program); file != "" {
			return file
		}
	}
	return ""
}

// programNamed is where a program stands on the PATH; "" for nowhere.
func (c *call) programNamed(name string) string {
	endings := []string{""}
	if runtime.GOOS == "windows" {
		endings = []string{".exe", ".cmd"}
	}
	for _, dir := range filepath.SplitList(c.env("PATH")) {
		for _, ending := range endings {
			file := filepath.Join(dir, name+ending)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return file
			}
		}
	}
	return ""
}

// asks reports whether a person can be asked: both ends are a terminal.
func (c *call) asks() bool {
	for _, stream := range []any{c.Stdin, c.Stdout} {
		f, ok := stream.(*os.File)
		if !ok {
			return false
		}
		if _, terminal := term.Width(f); !terminal {
			return false
		}
	}
	return !c.quiet && !c.json
}

// answer is the first line of the standard input.
func (c *call) answer() string {
	line, err := bufio.NewReader(c.Stdin).ReadString('\n')
	if err != nil {
		return "no" // nobody has answered
	}
	return line
}

// isYes reports whether an answer to [Y/n] agrees.
func isYes(answer string) bool {
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "", "y", "yes":
		return true
	}
	return false
}
