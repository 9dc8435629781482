package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	urfave "github.com/urfave/cli/v2"
)

func benchCommand() *command {
	return &command{
		name: "bench", group: groupOther, args: "[options]",
		purpose: "measure the speed on this machine, on made-up memories",
		detail: `A folder of N memories, one to a file, is made below the temporary directory
and removed at the end, also by Ctrl-C. With --per-file the memories of each
directory stand in collections. Each round measures every operation, and
beside it a floor: what the machine needs just to describe all files, or to
read them and look at each value once, with as many cores. The ratio of the
medians tells more than the times, which differ from machine to machine.
With --used the folder is used before: runs and edits leave a log, a review
queue and records in it.
Nothing of yours is read. A million memories take some 5 GB of disk, in
collections a quarter of it, and, with --plans, minutes.`,
		example: "memory bench --memories 100000",
		flags: []urfave.Flag{
			&urfave.IntFlag{Name: "memories", Usage: "make `N` memories", Value: 10_000},
			&urfave.IntFlag{Name: "per-file", Usage: "put up to `K` memories into a file: from 2 on, in collections", Value: 1},
			&urfave.Uint64Flag{Name: "seed", Usage: "make those of seed `S`: the same every time", Value: 1},
			&urfave.IntFlag{Name: "used", Usage: "apply `N` runs first, with a hundred edits before each tenth"},
			&urfave.IntFlag{Name: "rounds", Usage: "measure everything `N` times", Value: 5},
			&urfave.BoolFlag{Name: "plans", Usage: "measure reading and planning only, which is what takes long enough at a million"},
			&urfave.StringFlag{Name: "make", Usage: "make the memories in the new folder `DIR`, keep them, and measure nothing"},
			&urfave.StringFlag{Name: "in", Usage: "make the folder in `DIR`, on the disk to be measured"},
		},
		run: runBench,
	}
}

// benchDoc is what --json prints.
type benchDoc struct {
	Machine    machine    `json:"machine"`
	Memories   int        `json:"memories"`
	PerFile    int        `json:"per_file"` // at most
	Files      int        `json:"files"`
	Bytes      int64      `json:"bytes"` // of these
	Seed       uint64     `json:"seed"`
	Used       int        `json:"used,omitempty"` // runs that were applied before
	Rounds     int        `json:"rounds"`
	Plans      bool       `json:"plans,omitempty"` // reading and planning only
	Operations []measured `json:"operations"`
}

type machine struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
}

// measured is an operation over all rounds.
type measured struct {
	Name   string  `json:"name"`
	Median float64 `json:"median_ms"`
	Least  float64 `json:"least_ms"`
	Rounds int     `json:"rounds"`
	Floor  string  `json:"floor,omitempty"`
	Ratio  float64 `json:"ratio,omitempty"`   // of the medians
	PeakMB float64 `json:"peak_mb,omitempty"` // of memory, of the process
}

// What a benchmark makes at most.
const (
	mostBenched = 10_000_000 // memories
	mostPerFile = 50_000     // of these: a tenth of what a file may have
	mostUsed    = 10_000     // runs
)

func runBench(c *call) (err error) {
	n, perFile, rounds := c.flags.Int("memories"), c.flags.Int("per-file"), c.flags.Int("rounds")
	if n < 1 || n > mostBenched {
		return usagef("--memories %d: from 1 to %s can be made", n, thousands(mostBenched))
	}
	if perFile < 1 || perFile > mostPerFile {
		return usagef("--per-file %d: from 1 to %s memories can stand in a file", perFile, thousands(mostPerFile))
	}
	if rounds < 1 || rounds > 1000 {
		return usagef("--rounds %d: from 1 to 1,000 can be measured", rounds)
	}
	used := c.flags.Int("used")
	if used < 0 || used > mostUsed {
		return usagef("--used %d: from 0 to %s runs can be applied", used, thousands(mostUsed))
	}
	if c.flags.IsSet("make") {
		return c.makeMemories(c.path(c.flags.String("make")), n, perFile, used)
	}
	in := or(c.env("TMPDIR"), os.TempDir())
	if c.flags.IsSet("in") {
		in = c.path(c.flags.String("in"))
	}
	dir, err := os.MkdirTemp(in, "memory-bench-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	line := c.progress("making " + quantity(n, "memory"))
	defer line.end()
	files, bytes, err := makeWorkspace(c.ctx, dir, n, perFile, c.flags.Uint64("seed"))
	if err != nil {
		return err
	}
	b := newBench(c.ctx, dir, files, n)
	b.plansOnly = c.flags.Bool("plans")
	if err := b.prepare(); err != nil {
		return err
	}
	if err := b.use(used, line); err != nil {
		return errors.Join(err, b.store.Close())
	}
	for i := range rounds {
		line.now(fmt.Sprintf("round %d of %d", i+1, rounds))
		if err := b.round(); err != nil {
			return errors.Join(err, b.store.Close())
		}
	}
	if err := b.store.Close(); err != nil {
		return err
	}
	line.end()
	doc := benchDoc{
		Machine:  thisMachine(),
		Memories: n, PerFile: perFile, Files: len(files), Bytes: bytes, Seed: c.flags.Uint64("seed"),
		Used: used, Rounds: rounds, Plans: b.plansOnly, Operations: b.measured(),
	}
	if c.json {
		return c.printJSON(doc)
	}
	c.printBench(doc)
	return nil
}

// makeMemories makes a folder of made-up memories for others to measure.
func (c *call) makeMemories(dir string, n, perFile, used int) error {
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make %s: it exists already: name a new folder", dir)
	} else if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	line := c.progress("making " + quantity(n, "memory"))
	defer line.end()
	files, bytes, err := makeWorkspace(c.ctx, dir, n, perFile, c.flags.Uint64("seed"))
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if used > 0 {
		b := newBench(c.ctx, dir, files, n)
		if err := b.prepare(); err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
		if err := errors.Join(b.use(used, line), b.store.Close()); err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
	}
	line.end()
	if c.json {
		return c.printJSON(benchDoc{
			Machine:  thisMachine(),
			Memories: n, PerFile: perFile, Files: len(files), Bytes: bytes, Seed: c.flags.Uint64("seed"), Used: used, Operations: []measured{},
		})
	}
	c.say("made %s\n", quantity(n, "memory"))
	return nil
}

func thisMachine() machine {
	return machine{runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version()}
}

func (c *call) printBench(doc benchDoc) {
	stand := "one to a file"
	if doc.PerFile > 1 {
		stand = fmt.Sprintf("up to %s to a file in %s", thousands(doc.PerFile), quantity(doc.Files, "file"))
	}
	if doc.Used > 0 {
		stand += ", after " + quantity(doc.Used, "run")
	}
	c.say("%s of %d bytes on average, %s; %s/%s, %s, %s; medians of %s\n\n",
		quantity(doc.Memories, "memory"), doc.Bytes/int64(doc.Memories), stand, doc.Machine.OS, doc.Machine.Arch,
		quantity(doc.Machine.CPUs, "core"), doc.Machine.Go, quantity(doc.Rounds, "round"))
	peaks := ""
	t := &table{head: []string{"operation", "ms", "ratio", "to"}, right: map[int]bool{1: true, 2: true}}
	for _, m := range doc.Operations {
		ratio := ""
		if m.Floor != "" {
			ratio = strconv.FormatFloat(m.Ratio, 'f', 2, 64)
		}
		t.row(m.Name, strconv.FormatFloat(m.Median, 'f', 1, 64), ratio, m.Floor)
		if m.PeakMB > 0 {
			peaks += fmt.Sprintf("\n%s: %.1f MB of memory at most", m.Name, m.PeakMB)
		}
	}
	if peaks != "" {
		peaks += "\n"
	}
	c.printf("%s%s", t.format("", c.style), peaks)
}

// milliseconds of a duration, to the microsecond.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}
