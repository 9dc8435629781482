package cli

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/internal/watch"
	"github.com/memoryd/memoryd/pkg/config"
)

func watchCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "keep the indexes fresh and consolidate when it is due, until stopped",
		detail: `Follows the files. Whatever somebody adds, edits, moves or removes by hand is in
the indexes within a second. Starts the consolidations that "memory schedule"
lists. Logs to the standard error. Only one process at a time watches a
workspace. Ctrl-C or SIGTERM ends it, never in the middle of a run.`,
		example: "memory watch --debounce 500ms",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "debounce", Usage: "wait for `DURATION` without a change before looking", DefaultText: watch.Debounce.String()},
			&urfave.StringFlag{Name: "compare", Usage: "compare everything every `DURATION`", DefaultText: "5m"},
			&urfave.BoolFlag{Name: "poll", Usage: "poll the files instead of waiting for events"},
			&urfave.BoolFlag{Name: "log-json", Usage: "log one JSON object per line"},
			&urfave.StringFlag{Name: "metrics", Usage: "serve metrics for Prometheus at `ADDRESS`, such as 127.0.0.1:9464"},
			&urfave.BoolFlag{Name: "metrics-public", Usage: "allow an address that other machines can reach"},
			&urfave.BoolFlag{Name: "serve", Usage: "serve the dashboard too, as \"memory serve\" does by its settings"},
		},
		textOnly: true, stays: true, unasked: true,
		run: runWatch,
	}
}

func runWatch(c *call) error {
	if c.fixed {
		return fail.Usagef("it goes by the clock and takes no --at, nor MEMORY_AT")
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	w := &watch.Watcher{
		Store: store, Log: logger(c), Env: c.env, Zone: time.Local, Debounce: watch.Debounce, Full: watch.Full, Poll: watch.Poll,
		Settings: func() (config.Settings, error) {
			conf, err := c.readSettings()
			if err != nil {
				return config.Settings{}, err
			}
			return watch.RunsHere(conf.Settings, store.Machine()), nil
		},
	}
	for _, f := range []struct {
		name string
		to   *time.Duration
		min  time.Duration
		unit config.Unit
	}{{"debounce", &w.Debounce, 0, config.Seconds}, {"compare", &w.Full, time.Second, config.Minutes}} {
		if !c.flags.IsSet(f.name) {
			continue
		}
		if *f.to, err = c.duration(f.name, f.unit); err != nil {
			return err
		}
		if *f.to < f.min || *f.to > 24*time.Hour {
			return fail.Usagef("--%s: %s: it must be from %s to 24h", f.name, *f.to, f.min)
		}
	}
	switch {
	case c.flags.Bool("poll"):
		w.Polling = "as --poll asks for"
	case store.Network() != "":
		w.Polling = "the workspace lies on a network file system (" + store.Network() + "), which tells of no changes"
	}
	store.Note = func(text string) { w.Log.Info(text) }
	server, err := serveMetrics(c, w, conf.Watch.Metrics)
	if err != nil {
		return err
	}
	serving, err := serveBeside(c, w.Log)
	if err != nil {
		return err
	}
	stopSync := syncBeside(c, store.Dir(), w.Log)
	err = w.Run(c.ctx)
	stopSync()
	err = errors.Join(err, serving())
	if server != nil {
		err = errors.Join(err, server.Close())
	}
	return err
}

// serveMetrics lets the watcher count, and serves that at the address of the flag,
// else of the settings; nil where there is none.
func serveMetrics(c *call, w *watch.Watcher, address string) (*metrics.Server, error) {
	public := c.flags.Bool("metrics-public")
	if c.flags.IsSet("metrics") {
		address = c.flags.String("metrics")
	} else if public {
		return nil, fail.Usagef("--metrics-public belongs to --metrics")
	}
	if address == "" {
		return nil, nil
	}
	b := thisBuild()
	w.Metrics = metrics.New(b.Version, b.Commit, clock())
	server, err := w.Metrics.Serve(address, public)
	switch {
	case errors.Is(err, metrics.ErrPublic):
		return nil, fail.WithHint(fail.Usagef("%w", err), "write 127.0.0.1 before the port, or add --metrics-public")
	case err != nil && c.flags.IsSet("metrics"):
		return nil, fail.Address(err)
	}
	if err == nil {
		w.Log.Info("serving metrics", "url", server.URL)
	}
	return server, err
}

// logger writes to the standard error: for people, or for programs.
func logger(c *call) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	switch {
	case c.Quiet:
		options.Level = slog.LevelWarn
	case c.Verbose:
		options.Level = slog.LevelDebug
	}
	if c.flags.Bool("log-json") {
		return slog.New(slog.NewJSONHandler(term.Tolerant{Writer: c.Stderr}, options))
	}
	options.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey && len(groups) == 0 {
			a.Value = slog.StringValue(a.Value.Time().Format("15:04:05.000"))
		}
		return a
	}
	return slog.New(slog.NewTextHandler(term.Tolerant{Writer: c.Stderr}, options))
}

// syncBeside syncs as often as sync.interval says while the workspace is watched, until stop.
func syncBeside(c *call, dir string, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(c.ctx)
	ended := make(chan struct{})
	interval := func() time.Duration {
		conf, err := c.readSettings()
		if err != nil {
			return 0 // the watcher reports it
		}
		return conf.Sync.Interval.Clock()
	}
	go func() {
		defer close(ended)
		watch.Repeat(ctx, interval, func() { syncOnce(ctx, c.Process, dir, log) })
	}()
	return func() {
		cancel()
		<-ended
	}
}

// syncOnce is "memory sync" without anybody who asks for it.
func syncOnce(ctx context.Context, p Process, dir string, log *slog.Logger) {
	var out, errs bytes.Buffer
	// GOGC keeps the command from setting the collector for this process.
	env := append(slices.Clone(p.Env), "MEMORY_AGENT=", "USER=", "USERNAME=", "GOGC=100")
	code := Run(ctx, Process{Args: []string{"memory", "--workspace", dir, "sync"}, Env: env, Dir: p.Dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	oneLine := func(b *bytes.Buffer) string { return strings.Join(strings.Fields(b.String()), " ") }
	switch {
	case ctx.Err() != nil:
	case code != fail.ExitDone:
		log.Warn("syncing failed", "exit_code", code, "error", oneLine(&errs))
	default:
		log.Info("synced", "did", oneLine(&out))
	}
}
