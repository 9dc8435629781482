package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if args := os.Args[1:]; len(args) > 2 && args[0] == "launch" {
		err = launch(args[1], args[2], args[3:])
	} else {
		err = run(ctx, args, os.Stdout, os.Stderr)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	sizes   []int
	rounds  int
	seed    uint64
	perFile int
	makeDir string
	layouts []layout
	only    *regexp.Regexp // rows to measure
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sizes := flags.String("n", "1000,10000,100000", "numbers of memories, separated by commas")
	flags.IntVar(&o.rounds, "rounds", 0, "how often each command is measured (default 20, from 2,000 memories on 10, from 20,000 on 5)")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the generated memories")
	flags.IntVar(&o.perFile, "per-file", 1, "most memories in one file; from 2 on files are collections")
	flags.StringVar(&o.makeDir, "make", "", "make a workspace in this new directory and measure nothing")
	layouts := flags.String("scopes", "one,spread", "in which scopes memories are: \"one\": all in global; \"spread\": in those of many agents, projects and teams")
	only := flags.String("rows", "", "measure only the rows whose names match this regular expression")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for _, text := range strings.Split(*layouts, ",") {
		if text != string(oneScope) && text != string(spread) {
			return o, fmt.Errorf("-scopes %s: want one, spread, or both separated by a comma", *layouts)
		}
		o.layouts = append(o.layouts, layout(text))
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-rows: %w", err)
	}
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-n %s: want positive numbers separated by commas", *sizes)
		}
		o.sizes = append(o.sizes, n)
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.perFile < 1:
		return o, fmt.Errorf("-per-file %d: want at least 1", o.perFile)
	case o.rounds < 0:
		return o, fmt.Errorf("-rounds %d: want at least 1", o.rounds)
	case o.makeDir != "" && len(o.sizes) != 1:
		return o, fmt.Errorf("-make: want one size, got -n %s", *sizes)
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if o.makeDir != "" {
		if err := os.Mkdir(o.makeDir, 0o755); err != nil {
			return err
		}
		_, err := makeWorkspace(o.makeDir, o.sizes[0], o.perFile, o.seed, o.layouts[0])
		return err
	}
	temp, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	file, err := buildProgram(temp)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, machine())
	for _, l := range o.layouts {
		var all []map[rowName]sample
		for _, n := range o.sizes {
			samples, size, err := o.measure(ctx, n, l, file, temp)
			if err != nil {
				return fmt.Errorf("measure %d memories: %w", n, err)
			}
			all = append(all, samples)
			fmt.Fprintf(stdout, "\n### %s memories, %s, %s\n\n", thousands(n), l.say(), size)
			printTable(stdout, n, samples)
		}
		printGrowth(stdout, o.sizes, all)
	}
	return nil
}

// measure measures all rows on a new workspace of n memories, which is removed at the end.
func (o options) measure(ctx context.Context, n int, l layout, file, temp string) (samples map[rowName]sample, size string, err error) {
	dir := filepath.Join(temp, "workspace")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w, err := makeWorkspace(dir, n, o.perFile, o.seed, l)
	if err != nil {
		return nil, "", err
	}
	b := &bench{
		program: program{file: file, dir: dir, temp: temp}, w: w,
		fresh: newGenerator(o.seed+1, l), rounds: o.rounds, only: o.only, samples: map[rowName]sample{},
	}
	if b.rounds == 0 {
		b.rounds = defaultRounds(n)
	}
	size = fmt.Sprintf("%s files of %s KB on average", thousands(len(w.files)), short(float64(w.bytes)/float64(len(w.files))/1000))
	return b.samples, size, b.measure(ctx)
}

// defaultRounds is how often a command is measured on n memories.
func defaultRounds(n int) int {
	switch {
	case n < 2_000:
		return 20
	case n < 20_000:
		return 10
	}
	return 5
}
