package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/mcp"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/host"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// hostFinding is what is known of one part of a host's set-up.
type hostFinding struct {
	What   string `json:"what"`
	State  string `json:"state"` // ok, failed or unknown
	Detail string `json:"detail"`
	Todo   string `json:"todo,omitempty"`
}

const (
	stateOK      = "ok"
	stateFailed  = "failed"
	stateUnknown = "unknown"
)

// checkHost says whether the hooks and the server of a host are set up, trusted, and were seen to work.
func (c *call) checkHost(name string) error {
	files, ok := hostFiles(runtime.GOOS)[name]
	if !ok {
		return choice{"host", hook.Names()}.unknown("--host", name)
	}
	findings := []hostFinding{c.programFinding(), c.hooksFinding(name, files), c.serverFinding(name, files), c.trustFinding(name, files)}
	seen, err := c.seenFindings(name)
	if err != nil {
		return err
	}
	findings = append(findings, seen...)
	failed := slices.ContainsFunc(findings, func(f hostFinding) bool { return f.State == stateFailed })
	if c.json {
		err = c.printJSON(struct {
			Host     string        `json:"host"`
			Findings []hostFinding `json:"findings"`
		}{name, findings})
	} else {
		for _, f := range findings {
			c.printf("%-8s %-10s %s\n", f.State, f.What, term.Printable(f.Detail))
			if f.Todo != "" {
				c.printf("%20s%s\n", "", c.style.Dim(term.Printable(f.Todo)))
			}
		}
	}
	if err == nil && failed {
		return fail.Outcome(fail.ExitProblems)
	}
	return err
}

func (c *call) programFinding() hostFinding {
	if file := c.programNamed("memory"); file != "" {
		return hostFinding{What: "program", State: stateOK, Detail: file}
	}
	return hostFinding{What: "program", State: stateFailed, Detail: "no memory on the PATH: hooks and server can't be started", Todo: "put the program into a directory of the PATH"}
}

// places are a file of the project and one of the person, "" for none.
func (c *call) places(files hostSettings, project, user string) (names []string) {
	if project != "" {
		names = append(names, filepath.Join(c.Dir, filepath.FromSlash(project)))
	}
	if dir := c.userDir(files); user != "" && dir != "" {
		names = append(names, filepath.Join(dir, filepath.FromSlash(user)))
	}
	return names
}

// serverIn is the name of our server in a file.
func (c *call) serverIn(file string, files hostSettings) string {
	for _, root := range []string{c.Dir, c.userDir(files)} {
		if record, err := readRecord(root); err == nil && record.file(file).Server != "" {
			return record.file(file).Server
		}
	}
	return mcp.Name
}

// installed looks for our part in files: add is how it is added, which changes nothing where it is.
func (c *call) installed(what string, names []string, add func(file string, doc []byte) ([]byte, error)) hostFinding {
	for _, name := range names {
		doc, err := readOptional(name)
		if err != nil || doc == nil {
			continue
		}
		switch after, err := add(name, doc); {
		case err != nil:
			return hostFinding{what, stateFailed, c.brief(name) + ": " + err.Error(), "fix the file, or edit it by hand: " + pageURL("hosts.md#by-hand")}
		case bytes.Equal(after, doc):
			return hostFinding{What: what, State: stateOK, Detail: c.brief(name)}
		}
	}
	for i, name := range names {
		names[i] = c.brief(name)
	}
	return hostFinding{What: what, State: stateFailed, Detail: "not in " + strings.Join(names, " or "), Todo: "memory install --host " + c.flags.String("host")}
}

func (c *call) hooksFinding(name string, files hostSettings) hostFinding {
	f := c.installed("hooks", c.places(files, files.project, files.user), func(_ string, doc []byte) ([]byte, error) {
		return host.AddSettings(doc, host.Settings{Head: files.settings.Head, Hooks: files.settings.Hooks})
	})
	if f.State == stateFailed && name == "claude" && strings.HasPrefix(f.Detail, "not in ") {
		f.State, f.Todo = stateUnknown, f.Todo+", unless the plugin is installed, which brings them"
	}
	return f
}

func (c *call) serverFinding(name string, files hostSettings) hostFinding {
	places := c.places(files, files.servers.project, files.servers.user)
	if files.servers.project == "" { // it is in the file of the hooks
		places = c.places(files, files.project, files.user)
	}
	f := c.installed("server", places, func(file string, doc []byte) ([]byte, error) {
		named := files.named(c.serverIn(file, files))
		if files.servers.project == "" {
			return host.AddSettings(doc, host.Settings{Servers: named.settings.Servers})
		}
		return named.servers.add(doc)
	})
	if f.State == stateFailed && name == "claude" && strings.HasPrefix(f.Detail, "not in ") {
		f.State, f.Todo = stateUnknown, f.Todo+`, unless the plugin is installed, or "claude mcp list" names it`
	}
	return f
}

// trustFinding reads what the host has noted of the project. A folder is trusted with those above it.
func (c *call) trustFinding(name string, files hostSettings) hostFinding {
	read := func(file string, trusted func(doc []byte, dir string) bool) hostFinding {
		doc, err := readOptional(file)
		if err != nil || doc == nil {
			return hostFinding{"trust", stateUnknown, "can't be read from " + c.brief(file), files.trust}
		}
		for dir := c.Dir; ; dir = filepath.Dir(dir) {
			if trusted(doc, dir) {
				return hostFinding{What: "trust", State: stateOK, Detail: c.brief(file) + " trusts " + dir}
			}
			if dir == filepath.Dir(dir) {
				return hostFinding{"trust", stateFailed, c.brief(file) + " doesn't trust " + c.Dir, files.trust}
			}
		}
	}
	dir := c.userDir(files)
	switch name {
	case "claude":
		return read(filepath.Join(filepath.Dir(dir), ".claude.json"), func(doc []byte, dir string) bool {
			return gjson.GetBytes(doc, "projects").Map()[dir].Get("hasTrustDialogAccepted").Bool()
		})
	case "codex":
		return read(filepath.Join(dir, "config.toml"), func(doc []byte, dir string) bool {
			var conf struct {
				Projects map[string]struct {
					Trust string `toml:"trust_level"`
				} `toml:"projects"`
			}
			return toml.Unmarshal(doc, &conf) == nil && conf.Projects[dir].Trust == "trusted"
		})
	case "gemini":
		if c.env("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
			return hostFinding{What: "trust", State: stateOK, Detail: "GEMINI_CLI_TRUST_WORKSPACE is true"}
		}
		return read(filepath.Join(dir, "trustedFolders.json"), func(doc []byte, dir string) bool {
			var folders map[string]string
			return json.Unmarshal(doc, &folders) == nil && (folders[dir] == "TRUST_FOLDER" || folders[filepath.Join(dir, "x")] == "TRUST_PARENT")
		})
	}
	return hostFinding{"trust", stateUnknown, "the host doesn't say", files.trust}
}

// seenFindings reports what hooks of the host have left in the workspace.
func (c *call) seenFindings(name string) ([]hostFinding, error) {
	hub, err := c.askedHub()
	if err != nil {
		return nil, err
	}
	if hub != nil {
		f := hostFinding{What: "hub", State: stateOK, Detail: hub.text()}
		if !hub.Answers {
			f.State, f.Todo = stateFailed, hub.todo()
		}
		return []hostFinding{f}, nil
	}
	dir := c.hookWorkspace(c.Dir)
	if dir == "" {
		return []hostFinding{{"workspace", stateFailed, "none here or above " + c.Dir, "memory init"}}, nil
	}
	findings := []hostFinding{{What: "workspace", State: stateOK, Detail: c.brief(dir)}}
	store, err := c.openFor(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }() // nothing is written by closing
	events, err := store.Ops().Events("")
	if err != nil {
		return nil, err
	}
	var last time.Time
	sessions := map[string]bool{}
	for _, e := range events {
		if e.Host == name {
			sessions[e.Session], last = true, e.At
		}
	}
	if len(sessions) == 0 {
		findings = append(findings, hostFinding{"sessions", stateUnknown, "none was seen yet", "start a session in the host, then check again"})
	} else {
		findings = append(findings, hostFinding{What: "sessions", State: stateOK, Detail: fmt.Sprintf("%s seen, the last on %s", quantity(len(sessions), "session"), c.when(last))})
	}
	receipts, err := app.Receipts(store)
	if err != nil {
		return nil, err
	}
	given := 0
	for _, r := range receipts {
		if r.Host == name {
			given++
		}
	}
	findings = append(findings, hostFinding{What: "given", State: stateOK, Detail: quantity(given, "block") + " of memories"})
	return append(findings, failuresFinding(store, name)), nil
}

// failuresFinding reports what the hooks' log says of a host.
func failuresFinding(store *workspace.FileStore, name string) hostFinding {
	doc, err := os.ReadFile(filepath.Join(store.Dir(), memory.OpsDir, hook.LogFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return hostFinding{"failures", stateUnknown, err.Error(), ""}
	}
	n, last := 0, ""
	for line := range strings.Lines(string(doc)) {
		if _, rest, ok := strings.Cut(line, " "); ok && strings.HasPrefix(rest, name+" ") {
			n, last = n+1, strings.TrimSpace(line)
		}
	}
	if n == 0 {
		return hostFinding{What: "failures", State: stateOK, Detail: "none"}
	}
	return hostFinding{"failures", stateFailed, fmt.Sprintf("%d, the last: %s", n, last), "ops/" + hook.LogFile + " has all of them; delete it when they are mended"}
}
