// Package cli is the command line of memory. It turns arguments into calls of the
// library. Package printer writes the results as text for people; --json prints documents.
//
// A [Process] is all that a command may know of the process around it. [Run] finds the
// command, runs it and returns the exit code. Each command is one file, with one
// function that describes it: name, help, flags and what it runs.
//
// Guarantees: nothing here ends the process. The environment and the standard streams
// are used through Process only; the clock is read in one place, as the default of --at.
// Flags may be anywhere on the line; an unknown one is an error. With --json the standard
// output is exactly one JSON document, or empty if the command failed; errors go to the
// standard error. Exit codes: 0 done, 1 error, 2 usage, 3 problems found, 4 stale plan or
// conflict, 5 locked, 6 not found.
//
// Limits: nothing is decided here; the library does the work.
package cli
