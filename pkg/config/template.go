package config

import (
	"fmt"
	"slices"
	"strings"
)

// Template returns a memory.toml that explains every setting: each with its value
// in a comment, ready to be changed, and those that the preset sets in force.
// Parse reads it as the preset. An unknown preset gives nil.
func Template(preset string) []byte {
	if !slices.Contains(Presets(), preset) {
		return nil
	}
	s := assignments{"preset": {value: preset}}.resolve()
	var b strings.Builder
	b.WriteString(`# Settings of this memory workspace.
#
# A line that begins with # is a comment; the value in it is what holds without
# it. To change a setting, remove the # and edit the value. Durations: "7d", "2w",
# "12h", "90m", "30s", "100ms", or "P1M" for a calendar month.
`)
	section := ""
	for _, row := range s.table() {
		name := row.key
		if head, tail, ok := strings.Cut(row.key, "."); ok {
			name = tail
			if head != section {
				b.WriteString(sectionTables(section))
				section = head
				fmt.Fprintf(&b, "\n[%s]", section)
			}
		}
		comment := "# "
		if _, ok := presets[preset][row.key]; ok || row.key == "preset" {
			comment = ""
		}
		fmt.Fprintf(&b, "\n# %s\n%s%s = %s\n", row.doc, comment, name, row.literal())
	}
	b.WriteString(sectionTables(section) + `
# Two sections whose keys are names that you choose. Remove the # before the
# header too, or put a section of your own at the end of the file.
#
# [teams]
# The teams of agents, for promotion. Any of these forms; where several fit an
# agent, its id comes before a pattern, and a pattern before a prefix. Without an
# entry, DEV-, SEC-, INF- and QA- stand for development, security, infrastructure
# and qa.
# "DEV-001" = "development"
# "OPS-*" = "infrastructure"
# DOC = "writers"
# qa = ["TEST-001", "TEST-002"]

# [schedules]
# More times at which to consolidate, each under a name of your own: a cron
# expression, days with a time of day, or a time between two runs. One with "all"
# goes on until nothing is left to do, one with a "scope" looks at nothing else.
# nightly = "daily 02:00"
# workdays = "mon-fri 18:30"
# often = "30m"
# thorough = { when = "0 3 1 * *", all = true }
# mine = { when = "sun 05:00", scope = "agent:DEV-001" }
`)
	return []byte(b.String())
}

// sectionTables are the tables of a section, which stand behind its settings.
func sectionTables(section string) string {
	if section != "model" {
		return ""
	}
	return `
# Servers. openai, anthropic, lmstudio and ollama need a model only; others an
# address too. A key stands in an environment variable, never in this file.
# ollama = { model = "gemma3" }
# openai = { model = "gpt-5-mini", key_env = "OPENAI_API_KEY" }
# mine = { kind = "compatible", base_url = "http://localhost:8080/v1", model = "any" }

# How far memories may travel, by scope: local, remote or never.
# scopes = { "project:*" = "remote" }

# What a million tokens cost.
# prices = { "gpt-5-mini" = { in = 0.25, cached = 0.025, out = 2.0 } }
`
}
