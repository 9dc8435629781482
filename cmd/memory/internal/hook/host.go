package hook

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// kind is what an event means to us, whatever the host calls it.
type kind int

const (
	other kind = iota // nothing is to be done
	start
	prompt
	end
)

// Host is a program in which coding agents work, and its manners.
type Host struct {
	Name   string
	events map[string]kind
	dirs   []string // environment variables that name the project's directory
	silent string   // the answer that says nothing
	// prompted is that answer to a prompt, where it is another one.
	prompted string
}

var hosts = []*Host{
	{
		Name: "claude", dirs: []string{"CLAUDE_PROJECT_DIR"},
		events: map[string]kind{"SessionStart": start, "UserPromptSubmit": prompt, "Stop": other, "PreCompact": other, "PostCompact": other, "SessionEnd": end},
	},
	{
		Name:   "codex",
		events: map[string]kind{"SessionStart": start, "UserPromptSubmit": prompt, "Stop": other, "PreCompact": other, "PostCompact": other},
	},
	{
		Name: "gemini", dirs: []string{"GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}, silent: "{}\n",
		events: map[string]kind{"SessionStart": start, "BeforeAgent": prompt, "AfterAgent": other, "PreCompress": other, "SessionEnd": end},
	},
	{
		Name: "cursor", dirs: []string{"CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}, silent: "{}\n", prompted: `{"continue":true}` + "\n",
		events: map[string]kind{"sessionStart": start, "beforeSubmitPrompt": prompt, "stop": other, "preCompact": other, "sessionEnd": end},
	},
	{
		Name:   "copilot",
		events: map[string]kind{"sessionStart": start, "userPromptSubmitted": prompt, "agentStop": other, "sessionEnd": end},
	},
}

// Named is the host with a name; nil for one that isn't known.
func Named(name string) *Host {
	for _, h := range hosts {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// Names lists the hosts.
func Names() (names []string) {
	for _, h := range hosts {
		names = append(names, h.Name)
	}
	return names
}

// Events lists the events that the host is known to have, by its names.
func (h *Host) Events() []string { return slices.Sorted(maps.Keys(h.events)) }

func (h *Host) kind(event string) kind {
	for name, k := range h.events {
		if strings.EqualFold(name, event) {
			return k
		}
	}
	return other
}

// silence is the answer that says nothing.
func (h *Host) silence(event string) string {
	if h.prompted != "" && h.kind(event) == prompt {
		return h.prompted
	}
	return h.silent
}

// input is what an event says, as far as it concerns us.
type input struct {
	session string   // "" when the host doesn't say
	dirs    []string // where the work is done, the most telling first
}

// read takes in the object on the standard input. Fields that are missing or of
// another type say nothing.
func read(text []byte) (in input) {
	event := gjson.ParseBytes(text)
	for _, name := range []string{"session_id", "sessionId", "conversation_id"} {
		if id := strings.TrimSpace(event.Get(name).Str); id != "" {
			in.session = id
			break
		}
	}
	if dir := event.Get("cwd").Str; dir != "" {
		in.dirs = append(in.dirs, dir)
	}
	for _, root := range event.Get("workspace_roots").Array() {
		if root.Str != "" && len(in.dirs) < 16 {
			in.dirs = append(in.dirs, root.Str)
		}
	}
	return in
}
