package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/consolidate"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// prepare opens the workspace and makes its indexes.
func (b *bench) prepare() (err error) {
	if b.store, err = b.open(); err != nil {
		return err
	}
	if _, err = b.store.Reindex(b.ctx, benchAt); err != nil {
		return errors.Join(err, b.store.Close())
	}
	flushDisks() // else the system is writing the memories while they are read
	return nil
}

// use applies runs, of each hour until now, and edits memories before each tenth.
func (b *bench) use(runs int, line *progress) (err error) {
	store, err := b.open() // which knows the files from run to run, as no other does
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	store.Brief, store.Reuse = false, true
	var at time.Time
	runner := &consolidate.Runner{
		Store: store, Load: func() (*workspace.Snapshot, error) { return store.Load(at) }, Started: time.Now,
		Loaded: func(*workspace.Snapshot) {}, Result: func(*workspace.Result) {},
	}
	settings := config.Default()
	settings.Run.Pause = config.Duration{}
	for i := range runs {
		line.now(fmt.Sprintf("run %s of %s", thousands(i+1), thousands(runs)))
		if i%10 == 0 {
			if err := b.edit(); err != nil {
				return err
			}
		}
		at = benchAt.Add(time.Duration(i-runs) * time.Hour)
		if _, _, err := runner.Once(b.ctx, rules.Request{Settings: settings}, nil); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until the files are old enough for a cache to know them.
func (b *bench) settle() error {
	select {
	case <-time.After(b.store.Racy + 100*time.Millisecond):
		return nil
	case <-b.ctx.Done():
		return b.ctx.Err()
	}
}

// open opens the workspace as a process does that knows nothing of it yet.
func (b *bench) open() (*workspace.FileStore, error) {
	store, err := workspace.Open(b.dir)
	if err != nil {
		return nil, err
	}
	store.AllowNetwork = true // it is nobody's memory
	store.Progress = func(int, int) error { return b.ctx.Err() }
	store.Derive, store.Brief = consolidate.Deriver, true
	b.lent = 0
	store.Lent = func(bytes int64) { b.lent += bytes }
	return store, nil
}

// plans makes the plan without a cache, with one, and after edits, each as a new process
// would. It returns the last plan, and how long a load takes without a cache.
func (b *bench) plans() (plan *workspace.Plan, load time.Duration, err error) {
	once := func(name string) (load time.Duration, err error) {
		store, err := b.open()
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		var loaded *workspace.Snapshot
		if load, err = b.clocked("", func() (err error) { loaded, err = store.Load(benchAt); return err }); err != nil {
			return 0, err
		}
		planned, err := b.continued("", func() (err error) {
			request := rules.Request{Settings: config.Default(), LogHead: store.LogHead(), Progress: store.Progress}
			plan, err = consolidate.Plan(store, loaded, request)
			return err
		})
		b.times[name] = append(b.times[name], load+planned)
		return load, err
	}
	if err := b.store.RemoveCache(); err != nil {
		return nil, 0, err
	}
	if load, err = once(opPlan); err != nil {
		return nil, 0, err
	}
	b.times[opLoad] = append(b.times[opLoad], load)
	if _, err = once(opWarm); err != nil {
		return nil, 0, err
	}
	if err = errors.Join(b.process(opProcess, false), b.answers(), b.process(opAnew, true), b.edit()); err != nil {
		return nil, 0, err
	}
	_, err = once(opEdited)
	return plan, load, err
}

// edit puts words into a hundred of the memories, or a tenth of few: one in each of as many files, or
// several where there are fewer. Others each time.
func (b *bench) edit() error {
	const before, words = `"details": "`, "By the way: "
	n := min(100, b.memories/10)
	each := (n + len(b.files) - 1) / max(len(b.files), 1)
	step := len(b.files)/max(n, 1) + 1
	for tries := 0; n > 0 && tries < len(b.files); tries++ {
		name := b.files[b.edited%len(b.files)]
		b.edited += step
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) { // a run has archived it
			continue
		}
		parts := strings.SplitAfter(string(data), before)
		held := len(parts) - 1
		some := min(each, n, held)
		for i := range some {
			parts[(b.edited+i*held/some)%held] += words
		}
		if err == nil {
			err = os.WriteFile(name, []byte(strings.Join(parts, "")), 0o644)
		}
		if err != nil {
			return fmt.Errorf("edit: %w", err)
		}
		n -= some
	}
	return nil
}

// answers runs the program as agents and hosts do, once the caches are there.
func (b *bench) answers() error {
	exe := benched()
	if exe == "" || b.plansOnly {
		return nil
	}
	at := timestamp.Format(benchAt)
	for _, op := range []struct {
		name, input string
		args        []string
	}{
		{"", "", []string{"recall", benchPrompt}}, // makes the index, where there is none
		{opRecall, "", []string{"recall", benchPrompt, "--limit", "20"}},
		{opGiven, "", []string{"context"}},
		{opHook, fmt.Sprintf(`{"session_id":"s%d","prompt":%q}`, b.edited, benchPrompt), []string{"hook", "claude", "UserPromptSubmit"}},
	} {
		cmd := exec.CommandContext(b.ctx, exe, append([]string{"--workspace", b.dir, "--at", at}, op.args...)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(op.input), io.Discard, io.Discard
		if _, err := b.clocked(op.name, cmd.Run); err != nil {
			return fmt.Errorf("run %s: %w", exe, err)
		}
	}
	return nil
}

// benched is the file of the program itself, if it is one: not in tests.
func benched() string {
	exe, err := os.Executable()
	if err != nil || strings.TrimSuffix(filepath.Base(exe), ".exe") != "memory" {
		return ""
	}
	return exe
}

// process runs the program itself. Anew it runs without a cache.
func (b *bench) process(name string, anew bool) error {
	exe := benched()
	if exe == "" {
		return nil
	}
	program := func() (*exec.Cmd, error) {
		cmd := exec.CommandContext(b.ctx, exe, "plan", "--workspace", b.dir, "--at", timestamp.Format(benchAt), "--quiet")
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		if anew {
			return cmd, b.store.RemoveCache()
		}
		return cmd, nil
	}
	cmd, err := program()
	if err != nil {
		return err
	}
	if _, err := b.clocked(name, cmd.Run); err != nil {
		return fmt.Errorf("run %s: %w", exe, err)
	}
	// Once more, to look at its memory. What the system tells of a process that has ended
	// counts the memory of the one that began it.
	if cmd, err = program(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run %s: %w", exe, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for look := time.NewTicker(time.Millisecond); ; {
		select {
		case err := <-ended:
			look.Stop()
			return err
		case <-look.C:
			b.peaks[name] = max(b.peaks[name], peakOf(cmd.Process.Pid))
		}
	}
}

// peakOf is the most memory that a running process has had so far, where /proc tells.
func peakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); err == nil {
			return kilobytes * 1024
		}
	}
	return 0
}
