package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// trial is a host at work in projects of its own.
type trial struct {
	host       host
	model      *model
	root       string
	cli        string   // the host's program
	bin, node  string   // directories with memory and with Node
	repository string   // memoryd's
	without    bool     // memory isn't on the PATH
	home       string   // the person's
	args       []string // to the host, besides
	bad        int
}

// What the hosts are to be given.
const (
	old   = "Run migrations twice on staging, MARK-OLD."
	topic = "The wombat ingestion pipeline times out after 47 seconds, MARK-TOPIC."
	block = "memory-context version"
)

// holds says whether something holds.
func (t *trial) holds(what string, ok bool, detail string) {
	if ok {
		fmt.Printf("  ok    %s\n", what)
		return
	}
	t.bad++
	fmt.Printf("  FAIL  %s: %s\n", what, strings.TrimSpace(detail))
}

// all are the parts of the trial. An error is one of the trial, not of what is tried.
func (t *trial) all() error {
	if err := os.RemoveAll(t.root); err != nil {
		return err
	}
	t.home = filepath.Join(t.root, "home")
	for _, part := range []func() error{t.starts, t.compacted, t.prompts, t.saves, t.literal, t.killed, t.below, t.together, t.absent, t.uninstalled, t.extended} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// project makes a project with a workspace, two memories and the host set up.
func (t *trial) project(name string) (dir string, err error) {
	dir = filepath.Join(t.root, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"init", "-q", "--no-hosts"},
		{"--at", "2026-09-01T09:00:00Z", "add", "-q", "--type", "procedural", "--by", "DEV", "--text", old},
		{"--at", "2026-10-20T09:00:00Z", "add", "-q", "--type", "factual", "--by", "DEV", "--tag", "wombat", "--text", topic},
		{"install", "-q", "--host", t.host.name},
	} {
		if _, err := t.memory(dir, args...); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// environment is all that programs are told.
func (t *trial) environment(more ...string) []string {
	path := t.node + ":/usr/bin:/bin"
	if !t.without {
		path = t.bin + ":" + path
	}
	return append([]string{"PATH=" + path, "HOME=" + t.home, "TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR=" + os.TempDir()}, more...)
}

func (t *trial) memory(dir string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(t.bin, "memory"), args...)
	cmd.Dir, cmd.Env = dir, t.environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("memory %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// ask asks one prompt, and returns what the host printed.
func (t *trial) ask(dir, prompt string, goOn bool) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	cmd, err := t.command(ctx, dir, prompt, goOn)
	if err != nil {
		return "", err
	}
	out, err := cmd.CombinedOutput()
	var code *exec.ExitError
	if errors.As(err, &code) {
		err = nil // it shows in what the model was sent
	}
	return string(out), err
}

// command is the host with a prompt; its processes are a group.
func (t *trial) command(ctx context.Context, dir, prompt string, goOn bool) (*exec.Cmd, error) {
	if err := os.MkdirAll(t.home, 0o755); err != nil {
		return nil, err
	}
	project := dir // the directory that is trusted: a project of the trial
	for filepath.Dir(project) != t.root {
		project = filepath.Dir(project)
	}
	env, err := t.host.prepare(t.home, project, t.model.url)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, t.cli, append(t.args, t.host.ask(prompt, goOn)...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, t.environment(env...), 5*time.Second
	ownGroup(cmd)
	return cmd, nil
}

// askInTime is ask in a new session, once more where a hook gave up because the machine is busy: that is not what is tried here.
func (t *trial) askInTime(dir, prompt string) (out string, err error) {
	log := filepath.Join(dir, "memory", "ops", "hook.log")
	for range 5 {
		t.model.expect(0)
		if out, err = t.ask(dir, prompt, false); err != nil {
			return out, err
		}
		text, err := os.ReadFile(log)
		if err != nil || !strings.Contains(string(text), "not done after") {
			return out, nil // no log: nothing has failed
		}
		fmt.Printf("  note  a hook was too late, the machine is busy: once more\n")
		if err := os.Remove(log); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (t *trial) starts() error {
	dir, err := t.project("starts")
	if err != nil {
		return err
	}
	out, err := t.askInTime(dir, "hello")
	if err != nil {
		return err
	}
	t.holds("the block of the start reaches the model once", t.model.count(block) == 1, fmt.Sprintf("%d times; %s", t.model.count(block), out))
	if out, err = t.ask(dir, "and now?", true); err != nil {
		return err
	}
	t.holds("it is there once when the session goes on", t.model.count(block) == 1, fmt.Sprintf("%d times; %s", t.model.count(block), out))
	return nil
}

// compacted goes on after a compaction, which takes the block out of the context.
func (t *trial) compacted() error {
	if t.host.compact == "" {
		return nil
	}
	dir, err := t.project("compacted")
	if err != nil {
		return err
	}
	if _, err := t.askInTime(dir, "hello"); err != nil {
		return err
	}
	for _, prompt := range []string{t.host.compact, "and now?"} {
		t.model.expect(0)
		if _, err := t.ask(dir, prompt, true); err != nil {
			return err
		}
	}
	t.holds("after a compaction the block is there once", t.model.count(block) == 1, fmt.Sprintf("%d times", t.model.count(block)))
	return nil
}

// literal types our command, which a built-in of the same name may hide.
func (t *trial) literal() error {
	if t.host.command == "" {
		return nil
	}
	dir, err := t.project("literal")
	if err != nil {
		return err
	}
	if _, err := t.memory(dir, "install", "-q", "--host", t.host.name, "--claude-command"); err != nil {
		return err
	}
	t.model.expect(0, call{"Bash", `{"command":"memory plan","description":"plan"}`})
	out, err := t.ask(dir, t.host.command, false)
	if err != nil {
		return err
	}
	t.holds(t.host.command+" is the command of the project, and may run memory plan", t.model.count("What was asked for: consolidate") > 0 && t.model.count("Nothing has been written") > 0, out)
	return nil
}

// extended works with our plugin instead of what "memory install" writes.
func (t *trial) extended() error {
	if t.host.extend == nil {
		return nil
	}
	dir, err := t.project("extended")
	if err != nil {
		return err
	}
	if _, err := t.memory(dir, "uninstall", "-q", "--host", t.host.name); err != nil {
		return err
	}
	defer func(home string) { t.home, t.args = home, nil }(t.home)
	t.home = filepath.Join(t.root, "home-extended")
	setup, args := t.host.extend(t.repository)
	for _, words := range setup {
		cmd, err := t.command(context.Background(), dir, "", false)
		if err != nil {
			return err
		}
		cmd.Args = append([]string{t.cli}, words...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.holds("the plugin: "+strings.Join(words[:2], " "), false, string(out))
			return nil
		}
	}
	t.args = args
	out, err := t.askInTime(dir, "hello")
	if err != nil {
		return err
	}
	t.holds("the plugin alone: the block once", t.model.count(block) == 1, fmt.Sprintf("%d times; %s", t.model.count(block), out))
	t.model.expect(0, call{"save", `{"content":"The plugin saves, MARK-PLUGIN.","type":"factual"}`})
	if out, err = t.ask(dir, "Please note it.", false); err != nil {
		return err
	}
	list, err := t.memory(dir, "list")
	if err != nil {
		return err
	}
	t.holds("the plugin alone: its tools", strings.Contains(list, "MARK-PLUGIN"), out)
	return nil
}

func (t *trial) prompts() error {
	dir, err := t.project("prompts")
	if err != nil {
		return err
	}
	for i := range 60 { // the block of the start has no room for all
		text := fmt.Sprintf("Service number %d of the batch listens on port %d and is owned by team %c%c, which answers within %d hours.", i, 9000+i*7, 'a'+i%26, 'a'+i%7, i+2)
		at := fmt.Sprintf("2026-11-%02dT09:00:00Z", 1+i%20)
		if _, err := t.memory(dir, "--at", at, "add", "-q", "--no-check", "--type", "factual", "--by", "DEV", "--priority", "high", "--text", text); err != nil {
			return err
		}
	}
	out, err := t.askInTime(dir, "Why does the wombat ingestion pipeline time out?")
	if err != nil {
		return err
	}
	t.holds("a prompt brings what is relevant to it", t.model.count("MARK-TOPIC") > 0, out)
	return nil
}

func (t *trial) saves() error {
	dir, err := t.project("saves")
	if err != nil {
		return err
	}
	t.model.expect(0,
		call{"search", `{"query":"wombat"}`},
		call{"save", `{"content":"The otter bucket is number seven, MARK-NEW.","type":"factual"}`},
		call{"save", `{"content":"Tried the flag -x, MARK-WORK.","type":"working"}`})
	out, err := t.ask(dir, "Please look it up and note it.", false)
	if err != nil {
		return err
	}
	list, err := t.memory(dir, "list")
	if err != nil {
		return err
	}
	t.holds("the tools search and save work", strings.Contains(list, "MARK-NEW"), out)
	return t.settles(dir, "the end settles working memories")
}

// settles waits for the settling, which goes on when the host has ended.
func (t *trial) settles(dir, what string) error {
	var log string
	var open []os.DirEntry
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		var err error
		if log, err = t.memory(dir, "log"); err != nil {
			return err
		}
		if open, err = os.ReadDir(filepath.Join(dir, "memory", "ops", "sessions")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if strings.Contains(log, "session_end") && len(open) == 0 {
			break
		}
	}
	t.holds(what, strings.Contains(log, "session_end") && len(open) == 0, fmt.Sprintf("%d open; %s", len(open), log))
	checked, err := t.memory(dir, "check")
	t.holds("and the workspace is sound", err == nil, checked)
	return nil
}

// killed kills the host while it waits for the model, after a save.
func (t *trial) killed() error {
	dir, err := t.project("killed")
	if err != nil {
		return err
	}
	t.model.expect(3*time.Second, call{"save", `{"content":"Tried the flag -y, MARK-WORK.","type":"working"}`})
	cmd, err := t.command(context.Background(), dir, "Please note it.", false)
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	saved := false
	for end := time.Now().Add(patience); time.Now().Before(end) && !saved; time.Sleep(20 * time.Millisecond) {
		names, err := filepath.Glob(filepath.Join(dir, "memory", "sessions", "*", "mem_*"))
		if err != nil {
			return err
		}
		saved = len(names) > 0
	}
	if err := killGroup(cmd); err != nil {
		return err
	}
	_ = cmd.Wait() // it was killed
	t.holds("a save is on disk while the host goes on", saved, "no file below sessions/")
	t.model.expect(0)
	if _, err := t.ask(dir, "hello", false); err != nil {
		return err
	}
	return t.settles(dir, "after kill -9 in the middle the next session settles it")
}

// below starts in a directory below the project's. Claude Code reads the settings there and not above: the tools are there.
func (t *trial) below() error {
	dir, err := t.project("below")
	if err != nil {
		return err
	}
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	sub := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		return err
	}
	t.model.expect(0, call{"save", `{"content":"Saved from below, MARK-BELOW.","type":"factual"}`})
	out, err := t.ask(sub, "hello", false)
	if err != nil {
		return err
	}
	list, err := t.memory(dir, "list")
	if err != nil {
		return err
	}
	n := t.model.count(block)
	if found := strings.Contains(list, "MARK-BELOW"); n == 0 && !found {
		fmt.Printf("  note  the host reads no settings of the directory above: no block, no tools\n")
	} else {
		t.holds("started in a sub-directory: the project's workspace", found && n <= 1, fmt.Sprintf("saved: %v, block: %d; %s", found, n, out))
		if n == 0 {
			fmt.Printf("  note  the host reads no hooks of the directory above: tools, but no block\n")
		}
	}
	_, err = os.Stat(filepath.Join(sub, "memory"))
	t.holds("and nothing is made there", errors.Is(err, fs.ErrNotExist), fmt.Sprint(err))
	return nil
}

// together runs two sessions at once in one workspace.
func (t *trial) together() error {
	dir, err := t.project("together")
	if err != nil {
		return err
	}
	t.model.expect(500*time.Millisecond, call{"save", `{"content":"Two at once, MARK-TWO.","type":"working"}`})
	var wg sync.WaitGroup
	failed := make([]error, 2)
	for i := range failed {
		wg.Go(func() { _, failed[i] = t.ask(dir, fmt.Sprintf("Please note it, number %d.", i), false) })
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return t.settles(dir, "two hosts at once in one workspace: both are settled")
}

// absent runs the host where the program isn't on the PATH.
func (t *trial) absent() error {
	dir, err := t.project("absent")
	if err != nil {
		return err
	}
	t.without = true
	defer func() { t.without = false }()
	t.model.expect(0)
	out, err := t.ask(dir, "hello", false)
	t.holds("without memory on the PATH the host goes on", t.model.asked() && strings.Contains(out, "MODEL-DONE"), out)
	return err
}

// uninstalled takes the settings out again.
func (t *trial) uninstalled() error {
	dir := filepath.Join(t.root, "uninstalled")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := t.memory(dir, "install", "--host", t.host.name); err != nil {
		return err
	}
	if _, err := t.memory(dir, "uninstall", "--host", t.host.name); err != nil {
		return err
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	t.holds("uninstall leaves nothing", len(left) == 0, fmt.Sprint(left))
	return nil
}
