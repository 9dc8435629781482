package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed node/package.json
var nodePackage []byte

//go:embed node/driver.mjs
var nodeDriver []byte

// node is where the packages of npm are installed.
type node struct {
	dir string
	err error // why they could not be
}

func installNode(dir string) node {
	n := node{dir: filepath.Join(dir, "node")}
	n.err = errors.Join(
		os.Mkdir(n.dir, 0o755), os.WriteFile(filepath.Join(n.dir, "package.json"), nodePackage, 0o644), os.WriteFile(filepath.Join(n.dir, "driver.mjs"), nodeDriver, 0o644),
	)
	if n.err == nil {
		install := exec.Command("npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--silent")
		install.Dir = n.dir
		if out, err := install.CombinedOutput(); err != nil {
			n.err = fmt.Errorf("npm install: %w: %s", err, out)
		}
	}
	return n
}

func (n node) peers() []peer {
	return []peer{
		{
			name: "@modelcontextprotocol/server-memory", version: n.version("@modelcontextprotocol/server-memory"), way: "MCP over a pipe", checks: "equal names only",
			durable: "no (renamed without fsync)", open: n.serverMemory,
		},
		{name: "minisearch", version: n.version("minisearch"), way: "library over a pipe", checks: "no", durable: "no (in memory only)", open: n.miniSearch},
		{name: "minhash (128 permutations, LSH, then > 0.8)", version: n.version("minhash"), way: "process", duplicates: n.minhash},
	}
}

func (n node) version(name string) func() string {
	return func() string {
		var p struct {
			Version string `json:"version"`
		}
		text, err := os.ReadFile(filepath.Join(n.dir, "node_modules", name, "package.json"))
		if err != nil || json.Unmarshal(text, &p) != nil {
			return ""
		}
		return p.Version
	}
}

type serverMemory struct{ c *client }

// serverMemory gives the server a file in the form that it writes itself: a memory is an
// entity with its text as its one observation.
func (n node) serverMemory(d *dataset, dir string) (store, error) {
	if n.err != nil {
		return nil, n.err
	}
	name := filepath.Join(dir, "memory.jsonl")
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(f)
	lines := json.NewEncoder(w)
	for _, m := range d.memories {
		if err := lines.Encode(map[string]any{"type": "entity", "name": m.ID, "entityType": m.record["type"], "observations": []string{m.Text}}); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return nil, err
	}
	cmd := exec.Command("node", filepath.Join(n.dir, "node_modules/@modelcontextprotocol/server-memory/dist/index.js"))
	cmd.Env = append(os.Environ(), "MEMORY_FILE_PATH="+name)
	c, err := startMCP(cmd)
	return &serverMemory{c}, err
}

func (s *serverMemory) save(m memory) error {
	_, err := s.c.tool("create_entities", map[string]any{"entities": []any{map[string]any{"name": m.ID, "entityType": m.record["type"], "observations": []string{m.Text}}}})
	return err
}

func (s *serverMemory) search(query string) (string, error) {
	return s.c.tool("search_nodes", map[string]any{"query": query})
}

func (s *serverMemory) close() error { return s.c.close() }

// driven is a library of Node.js behind the driver, over a pipe.
type driven struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

func (n node) driver(job string, d *dataset) (*driven, error) {
	if n.err != nil {
		return nil, n.err
	}
	s := &driven{cmd: exec.Command("node", "driver.mjs", job)}
	s.cmd.Dir, s.cmd.Stderr = n.dir, os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = json.NewDecoder(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	return s, json.NewEncoder(s.in).Encode(d.memories)
}

func (n node) minhash(d *dataset) (map[pair]bool, time.Duration, error) {
	s, err := n.driver("minhash", d)
	if err != nil {
		return nil, 0, err
	}
	var answer struct {
		Milliseconds float64 `json:"ms"`
		Pairs        []pair  `json:"pairs"`
	}
	if err := errors.Join(s.out.Decode(&answer), s.in.Close(), s.cmd.Wait()); err != nil {
		return nil, 0, err
	}
	found := map[pair]bool{}
	for _, p := range answer.Pairs {
		found[pairOf(p[0], p[1])] = true
	}
	return found, time.Duration(answer.Milliseconds * float64(time.Millisecond)), nil
}

func (n node) miniSearch(d *dataset, _ string) (store, error) { return n.driver("minisearch", d) }

func (s *driven) ask(question any) (string, error) {
	if err := json.NewEncoder(s.in).Encode(question); err != nil {
		return "", err
	}
	var answer json.RawMessage
	err := s.out.Decode(&answer)
	return string(answer), err
}

func (s *driven) save(m memory) error {
	_, err := s.ask(map[string]any{"save": m})
	return err
}

func (s *driven) search(query string) (string, error) {
	return s.ask(map[string]string{"search": query})
}

func (s *driven) close() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }
