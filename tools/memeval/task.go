package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// A task is one judgement of the library.
type task struct {
	name    string
	purpose string // one line
	detail  string // the fields of a row and of an answer
	example string
	flags   *flag.FlagSet

	check func() error // validates the flags

	// start prepares a run: row answers one row, finish writes what follows the last one.
	start func(out *bufio.Writer) (row func(line []byte) error, finish func() error)
}

var errHelp = flag.ErrHelp

// tasks returns new tasks, with the defaults of their flags.
func tasks() []*task {
	return []*task{neardupTask(), temporalTask(), summariseTask(), supersessionTask(), recallTask(), currentTask(), candidatesTask(), wordingTask()}
}

func findTask(name string) *task {
	for _, t := range tasks() {
		if t.name == name {
			return t
		}
	}
	return nil
}

// newTask makes a task whose flags report mistakes to the caller.
func newTask(name string) *task {
	t := &task{name: name, flags: flag.NewFlagSet(name, flag.ContinueOnError), check: func() error { return nil }}
	t.flags.SetOutput(io.Discard)
	return t
}

// parse reads the flags, which may be anywhere among the arguments, and returns the
// files. After "--" every argument is a file.
func (t *task) parse(args []string) (files []string, err error) {
	for len(args) > 0 {
		if err := t.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, errHelp
		} else if err != nil {
			return nil, usagef("%s: %w", t.name, err)
		}
		rest := t.flags.Args()
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" || len(rest) == 0 {
			return append(files, rest...), nil
		}
		files, args = append(files, rest[0]), rest[1:]
	}
	return files, nil
}

// help explains a task; without one, it lists the tasks.
func help(args []string, out *bufio.Writer) error {
	if len(args) == 0 {
		fmt.Fprintf(out, "memeval runs the judgements of memoryd over labelled files and prints the answers.\n\n")
		fmt.Fprintf(out, "Usage:\n  memeval TASK [options] FILE...\n\nTasks:\n")
		for _, t := range tasks() {
			fmt.Fprintf(out, "  %-13s %s\n", t.name, t.purpose)
		}
		fmt.Fprintf(out, "\nA FILE holds one JSON object per line and may be compressed with gzip. \"-\" is the\nstandard input. \"memeval help TASK\" describes the fields of a row.\n")
		return nil
	}
	t := findTask(args[0])
	if t == nil {
		return usagef("help: %s: no such task", args[0])
	}
	fmt.Fprintf(out, "memeval %s: %s\n\nUsage:\n  memeval %s [options] FILE...\n\n%s\n", t.name, t.purpose, t.name, t.detail)
	first := true
	t.flags.VisitAll(func(f *flag.Flag) {
		if first {
			fmt.Fprintf(out, "\nOptions:\n")
			first = false
		}
		value, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(out, "  %-17s  %s", strings.TrimSpace("--"+f.Name+" "+value), usage)
		if value != "" {
			fmt.Fprintf(out, " [%s]", f.DefValue)
		}
		fmt.Fprintln(out)
	})
	fmt.Fprintf(out, "\nExample:\n  %s\n", strings.ReplaceAll(t.example, "\n", "\n  "))
	return nil
}
