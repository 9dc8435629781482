package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run does what the arguments ask and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := bufio.NewWriter(stdout)
	err := answer(args, stdin, out)
	// What was answered before an error is printed all the same.
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write the answers: %w", flushed)
	}
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "memeval: %v\nSee \"memeval help\".\n", err)
		return 2
	}
	fmt.Fprintf(stderr, "memeval: %v\n", err)
	return 1
}

// answer finds the task, reads its flags and files, and writes the answers.
func answer(args []string, stdin io.Reader, out *bufio.Writer) error {
	if len(args) == 0 {
		return usagef("which task?")
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return help(args[1:], out)
	}
	t := findTask(args[0])
	if t == nil {
		return usagef("%s: no such task", args[0])
	}
	files, err := t.parse(args[1:])
	switch {
	case errors.Is(err, errHelp):
		return help([]string{t.name}, out)
	case err != nil:
		return err
	case len(files) == 0:
		return usagef("%s: which files? \"-\" is the standard input", t.name)
	}
	if err := t.check(); err != nil {
		return err
	}
	row, finish := t.start(out)
	for _, name := range files {
		if err := eachRow(name, stdin, row); err != nil {
			return err
		}
	}
	return finish()
}

// usageError is a mistake on the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }
