package cli

import (
	"fmt"

	"github.com/memoryd/memoryd/pkg/hostfile"
)

// hostSettings says where a host keeps its hooks, and what we put there: the
// events at which something is done.
type hostSettings struct {
	project  string // in the project's directory
	user     string // in the person's; "" for none
	dir      string // below that, unless home names another
	home     string // environment variable that names the host's directory
	settings hostfile.Settings
}

var hostFiles = map[string]hostSettings{
	"claude": {
		project: ".claude/settings.json", user: "settings.json", dir: ".claude", home: "CLAUDE_CONFIG_DIR",
		settings: hostfile.Settings{Hooks: hooksFor(`{"hooks":[{"type":"command","command":"memory","args":["hook","claude","%s"],"timeout":5}]}`, "SessionStart", "UserPromptSubmit", "SessionEnd")},
	},
	"codex": {
		project: ".codex/hooks.json", user: "hooks.json", dir: ".codex", home: "CODEX_HOME",
		settings: hostfile.Settings{Hooks: hooksFor(`{"hooks":[{"type":"command","command":"memory hook codex %s","timeout":5}]}`, "SessionStart", "UserPromptSubmit")},
	},
	"gemini": {
		project: ".gemini/settings.json", user: "settings.json", dir: ".gemini",
		settings: hostfile.Settings{Hooks: hooksFor(`{"hooks":[{"type":"command","command":"memory hook gemini %s","timeout":5000}]}`, "SessionStart", "BeforeAgent", "SessionEnd")},
	},
	"cursor": {
		project: ".cursor/hooks.json", user: "hooks.json", dir: ".cursor",
		settings: hostfile.Settings{
			Head:  [][2]string{{"version", "1"}},
			Hooks: hooksFor(`{"command":"memory hook cursor %s"}`, "sessionStart", "sessionEnd"),
		},
	},
	"copilot": {
		project: ".github/hooks/memory.json",
		settings: hostfile.Settings{
			Head:  [][2]string{{"version", "1"}},
			Hooks: hooksFor(`{"type":"command","bash":"memory hook copilot %[1]s","powershell":"memory hook copilot %[1]s","timeoutSec":5}`, "sessionStart", "sessionEnd"),
		},
	},
}

func hooksFor(entry string, events ...string) (all []hostfile.Hook) {
	for _, event := range events {
		all = append(all, hostfile.Hook{Event: event, Entry: fmt.Sprintf(entry, event)})
	}
	return all
}
