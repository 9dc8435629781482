package cli

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// syncMinute is how often a workspace is synced at most, and how often the settings are looked at while it isn't to be.
const syncMinute = time.Minute

// syncBeside syncs as often as sync.interval says while the workspace is watched, until stop.
func (c *call) syncBeside(dir string, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(c.ctx)
	ended := make(chan struct{})
	interval := func() time.Duration {
		conf, err := c.readSettings()
		if err != nil {
			return 0 // the watcher tells of it
		}
		return conf.Sync.Interval.Clock()
	}
	go func() {
		defer close(ended)
		repeat(ctx, interval, func() { c.syncOnce(ctx, dir, log) })
	}()
	return func() {
		cancel()
		<-ended
	}
}

// repeat does something each interval, of a minute at least; while the interval is 0 it doesn't.
func repeat(ctx context.Context, interval func() time.Duration, do func()) {
	last := time.Now()
	for {
		every := interval()
		wait := syncMinute
		if every > 0 {
			wait = max(0, time.Until(last.Add(max(every, syncMinute))))
		}
		timer := time.NewTimer(min(wait, syncMinute))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if every > 0 && wait <= syncMinute && time.Since(last) >= every {
			do()
			last = time.Now()
		}
	}
}

// syncOnce is "memory sync" without anybody who asks for it.
func (c *call) syncOnce(ctx context.Context, dir string, log *slog.Logger) {
	var out, errs bytes.Buffer
	// GOGC keeps the command from setting the collector for this process.
	env := append(slices.Clone(c.Env), "MEMORY_AGENT=", "USER=", "USERNAME=", "GOGC=100")
	code := Run(ctx, Process{Args: []string{"memory", "--workspace", dir, "sync"}, Env: env, Dir: c.Dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	oneLine := func(b *bytes.Buffer) string { return strings.Join(strings.Fields(b.String()), " ") }
	switch {
	case ctx.Err() != nil:
	case code != exitDone:
		log.Warn("syncing failed", "exit_code", code, "error", oneLine(&errs))
	default:
		log.Info("synced", "did", oneLine(&out))
	}
}
