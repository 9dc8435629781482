package cli

import (
	"fmt"

	"github.com/memoryd/memoryd/cmd/memory/internal/mcp"
	"github.com/memoryd/memoryd/pkg/host"
)

// hostSettings says where a host keeps its hooks and MCP servers, and what we put
// there: the events at which something is done, and our server.
type hostSettings struct {
	project  string // in the project's directory
	user     string // in the person's; "" for none
	dir      string // below that, unless home names another
	home     string // environment variable that names the host's directory
	settings host.Settings

	servers serversFile // where the servers stand in a file of their own
}

// serversFile is a file with a host's MCP servers.
type serversFile struct {
	project string
	user    string // beside the hooks; "" for none
	json    host.Server
	toml    host.Table
	byHand  string // what a person does where we don't write the file
}

// hostFiles are the hosts by name.
func hostFiles() map[string]hostSettings {
	return map[string]hostSettings{
		"claude": {
			project: ".claude/settings.json", user: "settings.json", dir: ".claude", home: "CLAUDE_CONFIG_DIR",
			settings: host.Settings{Hooks: hooksFor(`{"hooks":[{"type":"command","command":"memory","args":["hook","claude","%s"],"timeout":5}]}`, "SessionStart", "UserPromptSubmit", "SessionEnd")},
			servers: serversFile{
				project: ".mcp.json", json: server(`{"command":"memory","args":["mcp"]}`),
				byHand: `the host rewrites its own settings all the time: to have the MCP server in all projects, run "claude mcp add --scope user memory -- memory mcp"`,
			},
		},
		"codex": {
			project: ".codex/hooks.json", user: "hooks.json", dir: ".codex", home: "CODEX_HOME",
			settings: host.Settings{Hooks: hooksFor(`{"hooks":[{"type":"command","command":"memory hook codex %s","timeout":5}]}`, "SessionStart", "UserPromptSubmit")},
			servers:  serversFile{project: ".codex/config.toml", user: "config.toml", toml: host.Table{Key: "mcp_servers", Name: mcp.Name, Command: "memory", Args: []string{"mcp"}}},
		},
		"gemini": {
			project: ".gemini/settings.json", user: "settings.json", dir: ".gemini",
			settings: host.Settings{
				Hooks:   hooksFor(`{"hooks":[{"type":"command","command":"memory hook gemini %s","timeout":5000}]}`, "SessionStart", "BeforeAgent", "SessionEnd"),
				Servers: []host.Server{server(`{"command":"memory","args":["mcp"]}`)},
			},
		},
		"cursor": {
			project: ".cursor/hooks.json", user: "hooks.json", dir: ".cursor",
			settings: host.Settings{
				Head:  [][2]string{{"version", "1"}},
				Hooks: hooksFor(`{"command":"memory hook cursor %s"}`, "sessionStart", "sessionEnd"),
			},
			// The host starts its servers anywhere, and tells where the project is.
			servers: serversFile{project: ".cursor/mcp.json", user: "mcp.json", json: server(`{"command":"memory","args":["mcp"],"env":{"CURSOR_PROJECT_DIR":"${workspaceFolder}"}}`)},
		},
		"copilot": {
			project: ".github/hooks/memory.json",
			settings: host.Settings{
				Head:  [][2]string{{"version", "1"}},
				Hooks: hooksFor(`{"type":"command","bash":"memory hook copilot %[1]s","powershell":"memory hook copilot %[1]s","timeoutSec":5}`, "sessionStart", "sessionEnd"),
			},
			servers: serversFile{project: ".github/mcp.json", json: server(`{"type":"local","command":"memory","args":["mcp"],"tools":["*"]}`)},
		},
	}
}

// server is ours among those of a host.
func server(entry string) host.Server {
	return host.Server{Key: "mcpServers", Name: mcp.Name, Entry: entry}
}

func hooksFor(entry string, events ...string) (all []host.Hook) {
	for _, event := range events {
		all = append(all, host.Hook{Event: event, Entry: fmt.Sprintf(entry, event)})
	}
	return all
}
