// Package cli is the command line of memory: it turns arguments into calls of
// the library, and what comes back into text for people or JSON for programs.
//
// A [Process] is everything a command may know of the process around it. [Run]
// finds the command, runs it and returns the exit code. Each command is one file
// with one function that builds a command: its name, its help, its flags and what
// it does. How results look stands in files of their own (…text.go).
//
// Guarantees: nothing here ends the process, reads the environment, the clock or
// the standard streams except through Process (the clock: one place, the default
// of --at). Flags stand anywhere on the line; an unknown one is an error. With
// --json the standard output is exactly one JSON document, or nothing when the
// command failed; errors go to the standard error. The exit code tells what
// happened: 0 done, 1 error, 2 usage, 3 problems found, 4 stale plan or conflict,
// 5 locked, 6 not found.
//
// Limits: the library does the work and holds the guarantees about it; nothing is
// decided here.
package cli
