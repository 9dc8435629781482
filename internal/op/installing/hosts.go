package installing

import (
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/host"
)

// hostFiles says where a host keeps its hooks and MCP servers, and what we put there: the events at which something is done, and our
// server.
type hostFiles struct {
	project  string // in the project's directory
	user     string // in the person's; "" for none
	dir      string // below that, unless home names another
	home     string // environment variable that names the host's directory
	settings host.Settings
	trust    string // what a person does before the host runs the hooks of a project
	ignore   string // the file in a project that names what the host doesn't read; "" for none

	servers serversFile // where the servers stand in a file of their own

	title    string   // the host's name for people
	programs []string // how it is called on the PATH
	marks    []string // files and directories of a project that is worked on with it
}

// named is the host with a name for our server.
func (h hostFiles) named(server string) hostFiles {
	h.settings.Servers = slices.Clone(h.settings.Servers)
	for i := range h.settings.Servers {
		h.settings.Servers[i].Name = server
	}
	h.servers.json.Name, h.servers.toml.Name = server, server
	return h
}

// serversFile is a file with a host's MCP servers.
type serversFile struct {
	project string
	user    string // beside the hooks; "" for none
	json    host.Server
	toml    host.Table
	byHand  string // what a person does where we don't write the file
}

// add puts our hooks into the settings.
func (h hostFiles) add(doc []byte) ([]byte, error) { return host.AddSettings(doc, h.settings) }

// removeServers takes our servers out of the settings, and leaves the hooks.
func (h hostFiles) removeServers(doc []byte) (left []byte, bare bool, err error) {
	return host.RemoveSettings(doc, host.Settings{Servers: h.settings.Servers})
}

// add puts our server into the file.
func (f serversFile) add(doc []byte) ([]byte, error) {
	if f.toml.Key != "" {
		return host.AddTable(doc, f.toml)
	}
	return host.AddSettings(doc, host.Settings{Servers: []host.Server{f.json}})
}

// remove takes our server out of the file; bare tells that nothing is left.
func (f serversFile) remove(doc []byte) (left []byte, bare bool, err error) {
	if f.toml.Key != "" {
		return host.RemoveTable(doc, f.toml)
	}
	return host.RemoveSettings(doc, host.Settings{Servers: []host.Server{f.json}})
}

// A guard is a command line around a hook of ours that ends with 0 whatever happens, also where the program isn't installed:
// a project's settings are read by people who don't have it, and Gemini CLI refuses every prompt after another exit code.
type guard string

const (
	posix      guard = "memory hook %s %s 2>/dev/null || true"
	cmdexe     guard = "memory hook %s %s 2>NUL || exit /b 0"
	powershell guard = "try { memory hook %s %s 2>$null } catch { }; exit 0"
)

// quoted is the guard of a host's hooks as JSON, with %[1]s for the event.
func (g guard) quoted(host string) string {
	return `"` + fmt.Sprintf(string(g), host, "%[1]s") + `"`
}

// guards are those for the shells of a system: the one in which most hosts run hooks, and the one of Gemini CLI.
func guards(system string) (shell, power guard) {
	if system == "windows" {
		return cmdexe, powershell
	}
	return posix, posix
}

// hosts are the hosts by name, with commands for a system (a GOOS).
func hosts(system string) map[string]hostFiles {
	shell, power := guards(system)
	return map[string]hostFiles{
		"claude": {
			title: "Claude Code", programs: []string{"claude"}, marks: []string{".claude", "CLAUDE.md"},
			trust:   "Claude Code asks once whether you trust the project, and whether you want the MCP server of .mcp.json: say yes to both.",
			project: ".claude/settings.json", user: "settings.json", dir: ".claude", home: "CLAUDE_CONFIG_DIR",
			settings: host.Settings{Hooks: hooksFor(`{"hooks":[{"type":"command","command":"memory","args":["hook","claude","%s"],"timeout":5}]}`, "SessionStart", "UserPromptSubmit", "SessionEnd")},
			servers: serversFile{
				project: ".mcp.json", json: server(`{"command":"memory","args":["mcp"]}`),
				byHand: `the host rewrites its own settings all the time: to have the MCP server in all projects, run "claude mcp add --scope user memory -- memory mcp"`,
			},
		},
		"codex": {
			title: "Codex", programs: []string{"codex"}, marks: []string{".codex"},
			trust:   "Codex skips the hooks of a project silently until you trust it: start codex in the project once, trust it, and approve the hooks.",
			project: ".codex/hooks.json", user: "hooks.json", dir: ".codex", home: "CODEX_HOME",
			settings: host.Settings{Hooks: hooksFor(`{"hooks":[{"type":"command","command":`+shell.quoted("codex")+`,"timeout":3}]}`, "SessionStart", "UserPromptSubmit", "SessionEnd")},
			servers:  serversFile{project: ".codex/config.toml", user: "config.toml", toml: host.Table{Key: "mcp_servers", Name: host.ServerName, Command: "memory", Args: []string{"mcp"}}},
		},
		"gemini": {
			title: "Gemini CLI", programs: []string{"gemini"}, marks: []string{".gemini", "GEMINI.md"}, ignore: ".geminiignore",
			trust:   "Gemini CLI runs the hooks of a trusted folder only: start gemini in the project once and trust the folder.",
			project: ".gemini/settings.json", user: "settings.json", dir: ".gemini",
			settings: host.Settings{
				Hooks:   hooksFor(`{"hooks":[{"type":"command","command":`+power.quoted("gemini")+`,"timeout":5000}]}`, "SessionStart", "BeforeAgent", "SessionEnd"),
				Servers: []host.Server{server(`{"command":"memory","args":["mcp"]}`)},
			},
		},
		"cursor": {
			title: "Cursor", programs: []string{"cursor-agent", "cursor"}, marks: []string{".cursor", ".cursorrules"},
			trust:   "Cursor asks in its settings (Tools & MCP) whether the MCP server may run: enable it there.",
			project: ".cursor/hooks.json", user: "hooks.json", dir: ".cursor",
			settings: host.Settings{
				Head:  [][2]string{{"version", "1"}},
				Hooks: hooksFor(`{"command":`+shell.quoted("cursor")+`}`, "sessionStart", "sessionEnd"),
			},
			// The host starts its servers anywhere, and tells where the project is.
			servers: serversFile{project: ".cursor/mcp.json", user: "mcp.json", json: server(`{"command":"memory","args":["mcp"],"env":{"CURSOR_PROJECT_DIR":"${workspaceFolder}"}}`)},
		},
		"copilot": {
			title: "Copilot CLI", programs: []string{"copilot"}, marks: []string{".github/hooks", ".github/copilot-instructions.md"},
			trust:   "Copilot CLI asks once whether you trust the files of the folder: say yes.",
			project: ".github/hooks/memory.json", user: "hooks/memory.json", dir: ".copilot", home: "COPILOT_HOME",
			settings: host.Settings{
				Head:  [][2]string{{"version", "1"}},
				Hooks: hooksFor(`{"type":"command","bash":`+posix.quoted("copilot")+`,"powershell":`+powershell.quoted("copilot")+`,"timeoutSec":5}`, "sessionStart", "userPromptSubmitted", "sessionEnd"),
			},
			servers: serversFile{project: ".github/mcp.json", user: "mcp-config.json", json: server(`{"type":"local","command":"memory","args":["mcp"],"tools":["*"]}`)},
		},
	}
}

// server is ours among those of a host.
func server(entry string) host.Server {
	return host.Server{Key: "mcpServers", Name: host.ServerName, Entry: entry}
}

func hooksFor(entry string, events ...string) (all []host.Hook) {
	for _, event := range events {
		all = append(all, host.Hook{Event: event, Entry: fmt.Sprintf(entry, event)})
	}
	return all
}
