package hook

import (
	"encoding/json"
	"fmt"
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
	emptied // the context of the session was emptied: what it was given is gone
	end
)

// Host is a program in which coding agents work, and its manners.
type Host struct {
	Name   string
	events map[string]kind
	dirs   []string // environment variables that name the project's directory
	silent string   // the answer that says nothing
	// prompted is the silent answer to a prompt, where it differs.
	prompted string
	// starts and prompts are the forms of the answers that give the agent a text, at the
	// start of a session and to a prompt; "" where the host takes none. %[1]s is the event,
	// %[2]s the text as JSON.
	starts, prompts string
	// notices is the form of the answer with a line for the person, at a start and a prompt; "" where the host shows none.
	// %s is the line as JSON.
	notices string
	// late: the text of the start is lost when the session goes on, that of a prompt is kept. So the
	// block of the start is given beside the first prompt.
	late bool
}

// specific is the form of Claude Code, which others have taken over.
const specific = `{"hookSpecificOutput":{"hookEventName":"%[1]s","additionalContext":%[2]s}}` + "\n"

// systemMessage is the form of a line for the person.
const systemMessage = `{"systemMessage":%s}` + "\n"

var hosts = []*Host{
	{
		Name: "claude", dirs: []string{"CLAUDE_PROJECT_DIR"}, starts: specific, prompts: specific, notices: systemMessage,
		events: map[string]kind{"SessionStart": start, "UserPromptSubmit": prompt, "Stop": other, "PreCompact": other, "PostCompact": other, "SessionEnd": end},
	},
	{
		Name: "codex", starts: specific, prompts: specific, notices: systemMessage,
		events: map[string]kind{"SessionStart": start, "UserPromptSubmit": prompt, "Stop": other, "PreCompact": other, "PostCompact": other, "SessionEnd": end},
	},
	{
		Name: "gemini", dirs: []string{"GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}, silent: "{}\n", starts: specific, prompts: specific, notices: systemMessage, late: true,
		events: map[string]kind{"SessionStart": start, "BeforeAgent": prompt, "AfterAgent": other, "PreCompress": emptied, "SessionEnd": end},
	},
	{
		Name: "cursor", dirs: []string{"CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}, silent: "{}\n", prompted: `{"continue":true}` + "\n",
		starts: `{"additional_context":%[2]s}` + "\n",
		events: map[string]kind{"sessionStart": start, "beforeSubmitPrompt": prompt, "stop": other, "preCompact": other, "sessionEnd": end},
	},
	{
		Name: "copilot", starts: `{"additionalContext":%[2]s}` + "\n", prompts: `{"additionalContext":%[2]s}` + "\n", late: true,
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

// Has reports whether the host is known to have an event.
func (h *Host) Has(event string) bool {
	for name := range h.events {
		if strings.EqualFold(name, event) {
			return true
		}
	}
	return false
}

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

// takes reports whether the host takes a text at an event.
func (h *Host) takes(k kind) bool { return h.form(k) != "" }

func (h *Host) form(k kind) string {
	switch k {
	case start:
		return h.starts
	case prompt:
		return h.prompts
	}
	return ""
}

// giving is the answer that gives the agent a text.
func (h *Host) giving(event, text string) (string, error) {
	for name, k := range h.events {
		if strings.EqualFold(name, event) {
			quoted, err := json.Marshal(text)
			return fmt.Sprintf(h.form(k), name, quoted), err
		}
	}
	return h.silence(event), nil
}

// noticing is the answer that shows the person a line, and gives the agent nothing.
func (h *Host) noticing(event, line string) (string, error) {
	if k := h.kind(event); h.notices == "" || k != start && k != prompt {
		return h.silence(event), nil
	}
	quoted, err := json.Marshal(line)
	return fmt.Sprintf(h.notices, quoted), err
}

// input is what an event says, as far as it concerns us.
type input struct {
	session string   // "" when the host doesn't say
	prompt  string   // what the person typed; "" at other events
	source  string   // why a session starts: startup, resume, clear, compact; "" when the host doesn't say
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
	in.prompt = typed(event.Get("prompt").Str)
	in.source = event.Get("source").Str
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

// typed is a prompt as the person typed it: Gemini CLI puts the texts of other hooks before it.
func typed(prompt string) string {
	rest := strings.TrimSpace(prompt)
	for strings.HasPrefix(rest, "<hook_context>") {
		_, after, ok := strings.Cut(rest, "</hook_context>")
		if !ok {
			break
		}
		rest = strings.TrimSpace(after)
	}
	return rest
}
