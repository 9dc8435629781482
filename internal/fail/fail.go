// Package fail gives errors what the edge of a program needs: an exit code, and what to do. It has the one table from
// kinds of errors to exit codes, HTTP statuses, and what to do: at a command line, for an agent, on a page.
package fail

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
)

// Exit codes.
const (
	ExitDone     = 0
	ExitError    = 1
	ExitUsage    = 2
	ExitProblems = 3 // check or log --verify found some
	ExitStale    = 4 // a stale plan, or a conflict with somebody's edit
	ExitLocked   = 5
	ExitNotFound = 6
)

// Meanings are what each exit code means.
var Meanings = [...]string{
	ExitDone: "done", ExitError: "an error", ExitUsage: "the command line was not understood", ExitProblems: "problems were found",
	ExitStale: "the plan is stale, or somebody's edit is in conflict", ExitLocked: "another process writes", ExitNotFound: "there is no such memory, run or schema",
}

// words name the exit codes to programs.
var words = [...]string{
	ExitDone: "done", ExitError: "error", ExitUsage: "usage", ExitProblems: "problems", ExitStale: "conflict", ExitLocked: "locked", ExitNotFound: "not_found",
}

// Word names an exit code to programs.
func Word(code int) string { return words[code] }

// Error is an error with what the edge adds: an exit code and what to do.
type Error struct {
	Err  error
	Code int    // 0: as the wrapped error has it
	Hint string // in addition to what the table says
	Kind error  // one of the kinds of this package, for [errors.Is]; nil for none
}

func (f *Error) Error() string { return f.Err.Error() }
func (f *Error) Unwrap() error { return f.Err }

// Is makes it an error of its kind.
func (f *Error) Is(target error) bool { return f.Kind != nil && target == f.Kind }

// New is an error of a kind.
func New(kind error, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Kind: kind}
}

func Errorf(code int, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Code: code}
}

func Usagef(format string, args ...any) error { return Errorf(ExitUsage, format, args...) }

func WithHint(err error, hint string) error { return &Error{Err: err, Hint: hint} }

// Outcome ends a command with an exit code and no message: what there is to say
// stands in its output.
type Outcome int

func (o Outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

func Code(err error) int {
	var o Outcome
	if errors.As(err, &o) {
		return int(o)
	}
	for e := err; e != nil; {
		var f *Error
		if !errors.As(e, &f) {
			break
		}
		if f.Code != 0 {
			return f.Code
		}
		e = f.Err
	}
	if r := rowOf(err); r != nil && r.code != 0 {
		return r.code
	}
	return ExitError
}

// Hint says what to do about an error, to a person at a command line.
func Hint(err error) string {
	if own := ownHint(err); own != "" {
		return own
	}
	if r := rowOf(err); r != nil {
		return r.hint
	}
	return ""
}

// DocsURL is the address of a page in docs/, for hints: whoever has only the program lacks the files.
func DocsURL(name string) string { return "https://github.com/memoryd/memoryd/blob/main/docs/" + name }

// File is the error about a file that the command line names: one that isn't there is not found.
func File(where string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return Errorf(ExitNotFound, "%s: %w", where, err)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// Address is an error of listening at an address of the command line: one of usage, if the address is none.
func Address(err error) error {
	var form *net.AddrError
	var host *net.DNSError
	if errors.As(err, &form) || errors.As(err, &host) {
		return WithHint(Usagef("%w", err), "write a host and a port, such as 127.0.0.1:7420")
	}
	return err
}
