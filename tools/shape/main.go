// Command shape measures how the code hangs together, for BENCHMARKS.md: lines without tests for each package, the
// largest circle of files inside each package, exported methods of the main types, and what one command executes.
//
//	go run ./tools/shape              lines, circles, methods, of the module in this directory
//	go run ./tools/shape -run "add …" also the functions and files that `memory add …` executes, in a new workspace
//
// Lines are those of .go files as `wc -l` counts them. Files form a circle when each of them uses, directly or over
// others, something that each of the others declares (a strongly connected component of the graph of uses, R. Tarjan,
// Depth-first search and linear graph algorithms, 1972).
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	dir := flag.String("C", ".", "directory of the module")
	run := flag.String("run", "", "arguments of a memory command to run and count")
	flag.Parse()
	if err := report(*dir, *run); err != nil {
		fmt.Fprintln(os.Stderr, "shape:", err)
		os.Exit(1)
	}
}

func report(dir, run string) error {
	pkgs, err := list(dir, "./...")
	if err != nil {
		return err
	}
	fmt.Println("| package | lines | files | largest circle |\n|---|--:|--:|--:|")
	total := 0
	var methods []string
	for _, p := range pkgs {
		if p.Standard || !p.Main || strings.Contains(p.ImportPath, "/tools/") {
			continue
		}
		lines, err := p.lines()
		if err != nil {
			return err
		}
		checked, err := p.check(pkgs)
		if err != nil {
			return err
		}
		total += lines
		fmt.Printf("| %s | %d | %d | %d |\n", p.name(), lines, len(p.GoFiles), checked.circle())
		methods = append(methods, checked.methods()...)
	}
	fmt.Printf("| all | %d | | |\n\n", total)
	for _, m := range methods {
		fmt.Println(m)
	}
	if run == "" {
		return nil
	}
	return executed(dir, strings.Fields(run))
}
