package installing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/pkg/host"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Finding is what is known of one part of a host's set-up.
type Finding struct {
	What   string `json:"what"`
	State  string `json:"state"` // ok, failed or unknown
	Detail string `json:"detail"`
	Todo   string `json:"todo,omitempty"`
}

// States of findings.
const (
	OK      = "ok"
	Failed  = "failed"
	Unknown = "unknown"
)

// Check looks at the files of the project and the person: is the program there, are hooks and server set up, does the host trust the
// project.
func Check(p Place, name string) ([]Finding, error) {
	files, ok := hosts(runtime.GOOS)[name]
	if !ok {
		return nil, fail.Usagef("unknown host %q", name)
	}
	return []Finding{p.programFinding(), p.hooksFinding(name, files), p.serverFinding(name, files), p.trustFinding(name, files)}, nil
}

func (p Place) programFinding() Finding {
	if file := p.program("memory"); file != "" {
		return Finding{What: "program", State: OK, Detail: file}
	}
	return Finding{What: "program", State: Failed, Detail: "no memory on the PATH: hooks and server can't be started", Todo: "put the program into a directory of the PATH"}
}

// places are a file of the project and one of the person, "" for none.
func (p Place) places(files hostFiles, project, user string) (names []string) {
	if project != "" {
		names = append(names, p.Dir.Resolve(filepath.FromSlash(project)))
	}
	if dir := p.userDir(files); user != "" && dir != "" {
		names = append(names, filepath.Join(dir, filepath.FromSlash(user)))
	}
	return names
}

// serverIn is the name of our server in a file.
func (p Place) serverIn(file string, files hostFiles) string {
	for _, root := range []string{string(p.Dir), p.userDir(files)} {
		if record, err := readRecord(root); err == nil && record.file(file).Server != "" {
			return record.file(file).Server
		}
	}
	return host.ServerName
}

// installed looks for our part in files: add is how it is added, which changes nothing where it is.
func (p Place) installed(name, what string, names []string, add func(file string, doc []byte) ([]byte, error)) Finding {
	for _, name := range names {
		doc, err := filechange.Read(name)
		if err != nil || doc == nil {
			continue
		}
		switch after, err := add(name, doc); {
		case err != nil:
			return Finding{what, Failed, p.Dir.Short(name) + ": " + err.Error(), "fix the file, or edit it by hand: " + fail.DocsURL("hosts.md#by-hand")}
		case bytes.Equal(after, doc):
			return Finding{What: what, State: OK, Detail: p.Dir.Short(name)}
		}
	}
	for i, name := range names {
		names[i] = p.Dir.Short(name)
	}
	return Finding{What: what, State: Failed, Detail: "not in " + strings.Join(names, " or "), Todo: "memory install --host " + name}
}

func (p Place) hooksFinding(name string, files hostFiles) Finding {
	f := p.installed(name, "hooks", p.places(files, files.project, files.user), func(_ string, doc []byte) ([]byte, error) {
		return host.AddSettings(doc, host.Settings{Head: files.settings.Head, Hooks: files.settings.Hooks})
	})
	if f.State == Failed && name == "claude" && strings.HasPrefix(f.Detail, "not in ") {
		f.State, f.Todo = Unknown, f.Todo+", unless the plugin is installed, which brings them"
	}
	return f
}

func (p Place) serverFinding(name string, files hostFiles) Finding {
	places := p.places(files, files.servers.project, files.servers.user)
	if files.servers.project == "" { // it is in the file of the hooks
		places = p.places(files, files.project, files.user)
	}
	f := p.installed(name, "server", places, func(file string, doc []byte) ([]byte, error) {
		named := files.named(p.serverIn(file, files))
		if files.servers.project == "" {
			return host.AddSettings(doc, host.Settings{Servers: named.settings.Servers})
		}
		return named.servers.add(doc)
	})
	if f.State == Failed && name == "claude" && strings.HasPrefix(f.Detail, "not in ") {
		f.State, f.Todo = Unknown, f.Todo+`, unless the plugin is installed, or "claude mcp list" names it`
	}
	return f
}

// trustFinding reads what the host has noted of the project. A folder is trusted with those above it.
func (p Place) trustFinding(name string, files hostFiles) Finding {
	read := func(file string, trusted func(doc []byte, dir string) bool) Finding {
		doc, err := filechange.Read(file)
		if err != nil || doc == nil {
			return Finding{"trust", Unknown, "can't be read from " + p.Dir.Short(file), files.trust}
		}
		for dir := string(p.Dir); ; dir = filepath.Dir(dir) {
			if trusted(doc, dir) {
				return Finding{What: "trust", State: OK, Detail: p.Dir.Short(file) + " trusts " + dir}
			}
			if dir == filepath.Dir(dir) {
				return Finding{"trust", Failed, p.Dir.Short(file) + " doesn't trust " + string(p.Dir), files.trust}
			}
		}
	}
	dir := p.userDir(files)
	switch name {
	case "claude":
		return read(filepath.Join(filepath.Dir(dir), ".claude.json"), func(doc []byte, dir string) bool {
			return gjson.GetBytes(doc, "projects").Map()[dir].Get("hasTrustDialogAccepted").Bool()
		})
	case "codex":
		return read(filepath.Join(dir, "config.toml"), host.CodexTrusts)
	case "gemini":
		if p.Getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
			return Finding{What: "trust", State: OK, Detail: "GEMINI_CLI_TRUST_WORKSPACE is true"}
		}
		return read(filepath.Join(dir, "trustedFolders.json"), func(doc []byte, dir string) bool {
			var folders map[string]string
			return json.Unmarshal(doc, &folders) == nil && (folders[dir] == "TRUST_FOLDER" || folders[filepath.Join(dir, "x")] == "TRUST_PARENT")
		})
	}
	return Finding{"trust", Unknown, "the host doesn't say", files.trust}
}

// Seen reports what hooks of the host have left in the workspace. When writes a time for people.
func Seen(store *workspace.FileStore, name string, when func(time.Time) string) ([]Finding, error) {
	events, err := store.Ops().Events("")
	if err != nil {
		return nil, err
	}
	var findings []Finding
	var last time.Time
	sessions := map[string]bool{}
	for _, e := range events {
		if e.Host == name {
			sessions[e.Session], last = true, e.At
		}
	}
	if len(sessions) == 0 {
		findings = append(findings, Finding{"sessions", Unknown, "none was seen yet", "start a session in the host, then check again"})
	} else {
		findings = append(findings, Finding{What: "sessions", State: OK, Detail: fmt.Sprintf("%s seen, the last on %s", app.Quantity(len(sessions), "session"), when(last))})
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
	findings = append(findings, Finding{What: "given", State: OK, Detail: app.Quantity(given, "block") + " of memories"})
	return append(findings, failuresFinding(store, name)), nil
}

// failuresFinding reports what the hooks' log says of a host.
func failuresFinding(store *workspace.FileStore, name string) Finding {
	doc, err := os.ReadFile(filepath.Join(store.Dir(), memory.OpsDir, hook.LogFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Finding{"failures", Unknown, err.Error(), ""}
	}
	n, last := 0, ""
	for line := range strings.Lines(string(doc)) {
		if _, rest, ok := strings.Cut(line, " "); ok && strings.HasPrefix(rest, name+" ") {
			n, last = n+1, strings.TrimSpace(line)
		}
	}
	if n == 0 {
		return Finding{What: "failures", State: OK, Detail: "none"}
	}
	return Finding{"failures", Failed, fmt.Sprintf("%d, the last: %s", n, last), "ops/" + hook.LogFile + " has all of them; delete it when they are mended"}
}
