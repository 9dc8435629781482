package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	sizes := flags.String("n", "1000,10000,100000", "numbers of memories, separated by commas")
	seed := flags.Uint64("seed", 1, "seed of the generated memories")
	perFile := flags.Int("per-file", 1, "most memories in one file; from 2 on files are collections")
	makeDir := flags.String("make", "", "make a workspace in this new directory and measure nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *perFile < 1 {
		return fmt.Errorf("-per-file %d: want at least 1", *perFile)
	}
	var ns []int
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-n %s: want positive numbers separated by commas", *sizes)
		}
		ns = append(ns, n)
	}
	if *makeDir != "" {
		if len(ns) != 1 {
			return fmt.Errorf("-make: want one size, got -n %s", *sizes)
		}
		if err := os.Mkdir(*makeDir, 0o755); err != nil {
			return err
		}
		_, err := makeWorkspace(*makeDir, ns[0], *perFile, *seed)
		return err
	}
	return fmt.Errorf("only -make works yet")
}
