// Command hosts drives the real programs of agent hosts against memory and a mock model, and tells what holds.
//
// From the root of the repository, where the plugins are:
//
//	go run ./tools/hosts [-dir DIR] [-memory PROGRAM] [-record DIR] [HOST…]
//
// For each host: does the model see the block of a session's start, the memories for a prompt, the tools; are working
// memories settled at the end; is a session that was killed settled; do two hosts work in one workspace; does the host go on
// without the program; and is the project as before after "memory uninstall". The hosts are npm packages at fixed versions,
// installed below DIR. They get no environment but what is set here, a home of their own, and the model on this machine.
// Without Node 22 or npm, or where a package can't be installed, the host is skipped, and that is said.
//
// The exit code is 1 where something doesn't hold.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	dir := flag.String("dir", "", "work in `DIR`, and keep the packages there (a temporary directory, which is removed)")
	program := flag.String("memory", "", "the `PROGRAM` (built from here)")
	record := flag.String("record", "", "write what the hosts tell their hooks into `DIR`, one file an event")
	flag.Parse()
	bad, err := run(*dir, *program, *record, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "hosts:", err)
		os.Exit(2)
	}
	if bad > 0 {
		fmt.Printf("%d don't hold\n", bad)
		os.Exit(1)
	}
}

func run(dir, program, record string, names []string) (bad int, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(hosts, func(h host) bool { return h.name == name }) {
			return 0, fmt.Errorf("there is no host %q", name)
		}
	}
	node, reason := findNode()
	if reason != "" {
		fmt.Printf("SKIPPED: %s\n", reason)
		return 0, nil
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "hosts-"); err != nil {
			return 0, err
		}
		defer func() { _ = os.RemoveAll(dir) }() // processes of a host may still write there
	} else if dir, err = filepath.Abs(dir); err != nil {
		return 0, err
	}
	bin := filepath.Join(dir, "bin")
	if err := provide(bin, program, record); err != nil {
		return 0, err
	}
	repository, err := filepath.Abs(".")
	if err != nil {
		return 0, err
	}
	m, err := serve()
	if err != nil {
		return 0, err
	}
	for _, h := range hosts {
		if len(names) > 0 && !slices.Contains(names, h.name) {
			continue
		}
		cli, err := install(filepath.Join(dir, "npm-"+h.name), h)
		if err != nil {
			fmt.Printf("SKIPPED %s: %v\n", h.title, err)
			continue
		}
		fmt.Printf("%s %s\n", h.title, h.version)
		t := &trial{host: h, model: m, root: filepath.Join(dir, "trial-"+h.name), cli: cli, bin: bin, node: node, repository: repository}
		if err := t.all(); err != nil {
			return bad, fmt.Errorf("%s: %w", h.title, err)
		}
		bad += t.bad
	}
	return bad, nil
}

// findNode is the directory of Node, or why it can't be used.
func findNode() (dir, reason string) {
	file, err := exec.LookPath("node")
	if err != nil {
		return "", "no node on the PATH"
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return "", "no npm on the PATH"
	}
	out, err := exec.Command(file, "--version").Output()
	if err != nil {
		return "", "node --version: " + err.Error()
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 22 {
		return "", "node is " + strings.TrimSpace(string(out)) + ", older than 22"
	}
	return filepath.Dir(file), ""
}

// provide puts memory into a directory; with record, a script besides that keeps what hooks are told.
func provide(bin, program, record string) (err error) {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	file := filepath.Join(bin, "memory")
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	if program == "" {
		program = filepath.Join(bin, "memory-built")
		if out, err := exec.Command("go", "build", "-o", program, "github.com/memoryd/memoryd/cmd/memory").CombinedOutput(); err != nil {
			return fmt.Errorf("build memory: %w\n%s", err, out)
		}
	} else if program, err = filepath.Abs(program); err != nil {
		return err
	}
	if record == "" {
		return os.Symlink(program, file)
	}
	if record, err = filepath.Abs(record); err != nil {
		return err
	}
	if err := os.MkdirAll(record, 0o755); err != nil {
		return err
	}
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = hook ]; then\n\tf=%q/$(date +%%s%%N)-$2-$3.in\n\tcat > \"$f\"\n\texec %q \"$@\" < \"$f\"\nfi\nexec %q \"$@\"\n", record, program, program)
	return os.WriteFile(file, []byte(script), 0o755)
}

// install installs a host's package, unless it is there, and returns its program.
func install(dir string, h host) (cli string, err error) {
	cli = filepath.Join(dir, "node_modules", ".bin", h.name)
	if _, err := os.Stat(cli); err == nil {
		return cli, nil
	}
	out, err := exec.Command("npm", "install", "--prefix", dir, "--no-audit", "--no-fund", h.pack+"@"+h.version).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("npm install %s@%s: %w: %s", h.pack, h.version, err, lastLine(out))
	}
	return cli, nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
