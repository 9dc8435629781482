// Package fail gives errors what the edge of a program needs: an exit code, and what to do. It has the one table from the
// errors of the store and of the system to both.
package fail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"

	"github.com/memoryd/memoryd/pkg/workspace"
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

// Error is an error with what the edge adds: an exit code and what to do.
type Error struct {
	Err  error
	Code int // 0: as the wrapped error has it
	Hint string
}

func (f *Error) Error() string { return f.Err.Error() }
func (f *Error) Unwrap() error { return f.Err }

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
	switch {
	case errors.Is(err, workspace.ErrLocked), errors.Is(err, workspace.ErrWatched):
		return ExitLocked
	case errors.Is(err, workspace.ErrNotFound):
		return ExitNotFound
	}
	return ExitError
}

func Hint(err error) string {
	var f *Error
	for e := err; errors.As(e, &f); e = f.Err {
		if f.Hint != "" {
			return f.Hint
		}
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted: what was not finished was not done"
	case errors.Is(err, workspace.ErrLocked):
		return "another command is writing: try again"
	case errors.Is(err, workspace.ErrWatched):
		return "one process is enough; stop that one to start another"
	case errors.Is(err, workspace.ErrNetwork):
		return "keep it on a local disk; if only this machine ever writes it, set files.allow_network = true in memory.toml"
	case errors.Is(err, workspace.ErrNotFound):
		return `"memory list --all" shows every id`
	case errors.Is(err, workspace.ErrAmbiguous):
		return `change "id" in one of the files in an editor, or remove one of them, then run "memory reindex"`
	case errors.Is(err, workspace.ErrPending):
		return "nothing is lost: fix the cause; then any command that writes finishes the run, such as \"memory reindex\""
	case diskFull(err):
		return "the disk is full: what was not finished was not done; make room, then try again"
	case exhausted(err):
		return "the machine has no open files or no memory left for this: what was not finished was not done; close programs or raise the limit (\"ulimit -n\"), then try again"
	case readOnly(err):
		return "the file system is mounted read-only: nothing was changed"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied: nothing was changed. Check who owns the file, its directory, and ops/ in the workspace"
	}
	return ""
}

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
