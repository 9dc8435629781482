package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func memorydPeers(program string) []peer {
	version := func() string { return "(this repository)" }
	checks := "similarity, facts, secrets"
	return []peer{
		{
			name: "memoryd", version: version, way: "process", checks: checks, durable: "yes", few: true,
			duplicates: func(d *dataset) (map[pair]bool, time.Duration, error) { return planned(program, d) },
			open: func(d *dataset, dir string) (store, error) {
				s := &memorydCLI{program, filepath.Join(dir, "w")}
				return s, copyTree(d.dir, s.dir)
			},
		},
		{
			name: "memoryd", version: version, way: "MCP over a pipe", checks: checks, durable: "yes",
			open: func(d *dataset, dir string) (store, error) {
				w := filepath.Join(dir, "w")
				if err := copyTree(d.dir, w); err != nil {
					return nil, err
				}
				cmd := exec.Command(program, "mcp", "--workspace", w)
				cmd.Stderr = os.Stderr
				c, err := startMCP(cmd)
				return &memorydMCP{c}, err
			},
		},
	}
}

// planned plans a run without a limit and returns the pairs that it would merge. The plan
// covers the other rules too.
func planned(program string, d *dataset) (map[pair]bool, time.Duration, error) {
	cmd := exec.Command(program, "plan", "--json", "--quiet", "--max", "100000", "--workspace", d.dir, "--at", at.Format(time.RFC3339))
	if err := os.RemoveAll(filepath.Join(d.dir, "ops")); err != nil { // without a cache
		return nil, 0, err
	}
	started := time.Now()
	out, err := cmd.Output()
	took := time.Since(started)
	if err != nil {
		return nil, 0, err
	}
	var plan struct {
		Actions []struct {
			Type    string   `json:"type"`
			Result  string   `json:"result_id"`
			Sources []string `json:"source_ids"`
		} `json:"actions"`
	}
	if err := json.Unmarshal(out, &plan); err != nil {
		return nil, 0, err
	}
	found := map[pair]bool{}
	for _, a := range plan.Actions {
		for _, source := range a.Sources {
			if a.Type == "merge" {
				found[pairOf(a.Result, source)] = true
			}
		}
	}
	return found, took, nil
}

type memorydCLI struct{ program, dir string }

func (s *memorydCLI) run(arguments ...string) (string, error) {
	out, err := exec.Command(s.program, append(arguments, "--workspace", s.dir)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return string(out), nil
}

func (s *memorydCLI) save(m memory) error {
	content, err := json.Marshal(m.record["content"])
	if err != nil {
		return err
	}
	_, err = s.run("add", "--type", m.record["type"].(string), "--by", "DEV-001", "--scope", "project:p0", "--content", string(content), "--quiet")
	return err
}

func (s *memorydCLI) search(query string) (string, error) {
	return s.run("recall", query, "--mode", "exhaustive", "--limit", "10", "--no-count", "--quiet")
}

func (s *memorydCLI) close() error { return nil }

type memorydMCP struct{ c *client }

func (s *memorydMCP) save(m memory) error {
	_, err := s.c.tool("save", map[string]any{"type": m.record["type"], "by": "DEV-001", "scope": "project:p0", "content": m.record["content"]})
	return err
}

func (s *memorydMCP) search(query string) (string, error) {
	return s.c.tool("search", map[string]any{"query": query, "mode": "exhaustive", "limit": 10})
}

func (s *memorydMCP) close() error { return s.c.close() }
