package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// host is a host's program: where it comes from, what it needs to work with the model, and how one prompt is asked.
type host struct {
	name, pack, version string
	title               string
	// prepare writes the person's settings, and returns the environment.
	prepare func(home, project, url string) (env []string, err error)
	// ask are the arguments for a prompt; goOn: in the latest session.
	ask func(prompt string, goOn bool) []string
	// extend are the host's commands that install our plugin from the repository, and the arguments that load it; nil for none.
	extend func(repository string) (setup [][]string, args []string)
	// compact is the prompt that compacts the session; "" where that needs a terminal.
	compact string
	// command is our literal command, which "memory install --claude-command" adds; "" for none.
	command string
}

var hosts = []host{
	{
		compact: "/compact", command: "/memory consolidate",
		extend: func(repository string) ([][]string, []string) {
			return nil, []string{"--plugin-dir", filepath.Join(repository, "plugin")}
		},
		name: "claude", title: "Claude Code", pack: "@anthropic-ai/claude-code", version: "2.1.332",
		prepare: func(_, _, url string) ([]string, error) {
			return []string{
				"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=mock", "ENABLE_TOOL_SEARCH=false",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
			}, nil
		},
		ask: func(prompt string, goOn bool) []string {
			args := []string{"-p", prompt, "--allowedTools", "mcp__memory__*,mcp__plugin_memory_memory__*,Bash(memory:*)"}
			if goOn {
				args = append(args, "--continue")
			}
			return args
		},
	},
	{
		extend: func(repository string) ([][]string, []string) {
			return [][]string{{"plugin", "marketplace", "add", filepath.Join(repository, "extensions", "codex")}, {"plugin", "add", "memory@memoryd"}}, nil
		},
		name: "codex", title: "Codex", pack: "@openai/codex", version: "0.169.0",
		prepare: func(home, project, url string) ([]string, error) {
			conf := fmt.Sprintf("model = \"mock\"\nmodel_provider = \"mock\"\n\n[model_providers.mock]\nname = \"mock\"\nbase_url = %q\nenv_key = \"MOCK_KEY\"\nwire_api = \"responses\"\n\n[projects.%q]\ntrust_level = \"trusted\"\n", url+"/v1", project)
			return []string{"MOCK_KEY=mock"}, write(filepath.Join(home, ".codex", "config.toml"), conf, project)
		},
		ask: func(prompt string, goOn bool) []string {
			args := []string{"exec"}
			if goOn {
				args = append(args, "resume", "--last")
			}
			return append(args, "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", prompt)
		},
	},
	{
		extend: func(repository string) ([][]string, []string) {
			return [][]string{{"extensions", "install", "--consent", filepath.Join(repository, "extensions", "gemini")}}, nil
		},
		name: "gemini", title: "Gemini CLI", pack: "@google/gemini-cli", version: "0.61.0",
		prepare: func(home, _, url string) ([]string, error) {
			conf := `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}`
			return []string{"GEMINI_API_KEY=mock", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"},
				write(filepath.Join(home, ".gemini", "settings.json"), conf, "gemini-api-key")
		},
		ask: func(prompt string, goOn bool) []string {
			args := []string{"-y"}
			if goOn {
				args = append(args, "-r", "latest")
			}
			return append(args, "-p", prompt)
		},
	},
	{
		name: "copilot", title: "Copilot CLI", pack: "@github/copilot", version: "1.0.102",
		prepare: func(_, _, url string) ([]string, error) {
			return []string{
				"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=mock", "COPILOT_MODEL=mock",
				"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_ALLOW_ALL=true",
			}, nil
		},
		ask: func(prompt string, goOn bool) []string {
			args := []string{"-p", prompt}
			if goOn {
				args = append(args, "--continue")
			}
			return args
		},
	},
}

// patience is how long a host may take for one prompt.
const patience = 2 * time.Minute

// write writes a file of settings, unless there is one with a mark: the host may have added to it.
func write(name, text, mark string) error {
	if old, err := os.ReadFile(name); err == nil && strings.Contains(string(old), mark) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
