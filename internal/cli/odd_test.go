package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// Commands that stay, that take long, or that write elsewhere than into the workspace.
var apart = []string{"watch", "serve", "mcp", "demo", "service", "install", "uninstall"}

// oddWorkspaces are files by name: none, some without settings, with some, with broken ones, and
// files of ours that are no such thing.
var oddWorkspaces = map[string]map[string]string{
	"empty":  {},
	"plain":  plainFiles(nil),
	"set":    plainFiles(map[string]string{"memory.toml": "[run]\nlimit = 1\n"}),
	"broken": plainFiles(map[string]string{"memory.toml": "limit"}),
	"odd": {
		"global/a.json": "\xff\xfe", "global/b.json": "", "global/c.json": "[[[[", "global/_index.json": `{"memories":7}`, "global/list.json": `[{"id":"l"},{"id":"l"},{"id":""},7]`,
		"ops/consolidation-log.json": `{"entries":5}`, "ops/review.json": "[]", "ops/seen.json": "7", "ops/cache/catalog": "x", "ops/cache/sound": "x", "ops/cache/recall": "x",
		"ops/runs/run_1/journal.json": "{", "ops/runs/x": "y", "ops/spool/a": "x", "agents/x/profile.json": `{"team":3}`, "sessions/s.json": "5",
		"schemas/a.json": `{"allOf":7,"$ref":"https://github.com/memoryd/memoryd/schemas/memory.schema.json"}`,
	},
}

func plainFiles(more map[string]string) map[string]string {
	files := map[string]string{
		"global/a.json":   `{"id":"a","type":"semantic","content":"some text","created_at":"2026-01-01T00:00:00Z"}`,
		"global/b.json":   `{"id":"b","type":"semantic","content":"some text","tags":5,"access_count":"x","created_at":7}`,
		"agents/z/c.json": fmt.Sprintf(`{"id":"c","type":"episodic","content":{"details":%q},"created_at":"2025-01-01T00:00:00Z"}`, strings.Repeat("A word or two. ", 400)),
	}
	for name, text := range more {
		files[name] = text
	}
	return files
}

// Whatever stands in a workspace and in the environment, a command ends with one of the exit
// codes, says why when it fails, and prints one JSON document when that is asked for.
func TestEveryCommandAnywhere(t *testing.T) {
	environments := [][]string{nil, {"MEMORY_RUN_LIMIT=3"}, {"MEMORY_RUN_LIMIT=-1", "MEMORY_PRESET=nope"}, {"MEMORY_PRESET=careful", "MEMORY_FILES_CACHE=false", "TZ=Nowhere/X", "COLUMNS=1", "HOME="}}
	arguments := [][]string{nil, {"a", "--json"}, {"--json", "--limit", "-1"}, {"start"}}
	for name, files := range oddWorkspaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, env := range environments {
				dir := t.TempDir()
				if err := random.Write(dir, files); err != nil {
					t.Fatal(err)
				}
				for _, cmd := range builtCommands() {
					if slices.Contains(apart, cmd.name) {
						continue
					}
					for _, args := range arguments {
						args := slices.Concat([]string{"memory", cmd.name}, args, []string{"--workspace", dir, "--at", fixtures.At})
						var out, errs bytes.Buffer
						code := Run(context.Background(), Process{Args: args, Env: append([]string{"PATH=/usr/bin:/bin"}, env...), Dir: dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
						told := fmt.Sprintf("environment %d, %v: exit code %d, %s%s", i, args[1:], code, out.String(), errs.String())
						switch {
						case code < fail.ExitDone || code > fail.ExitNotFound:
							t.Errorf("no exit code of ours: %s", told)
						case code != fail.ExitDone && out.Len()+errs.Len() == 0 && !cmd.failOpen:
							t.Errorf("nothing is said: %s", told)
						case code == fail.ExitDone && slices.Contains(args, "--json") && out.Len() > 0 && !json.Valid(out.Bytes()):
							t.Errorf("no JSON: %s", told)
						}
					}
				}
			}
		})
	}
}
