package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// Exit codes.
const (
	exitDone     = 0
	exitError    = 1
	exitUsage    = 2
	exitProblems = 3 // check or log --verify found some
	exitStale    = 4 // a stale plan, or a conflict with somebody's edit
	exitLocked   = 5
	exitNotFound = 6
)

// exitMeanings are what each exit code means.
var exitMeanings = [...]string{
	exitDone: "done", exitError: "an error", exitUsage: "the command line was not understood", exitProblems: "problems were found",
	exitStale: "the plan is stale, or somebody's edit is in conflict", exitLocked: "another process writes", exitNotFound: "there is no such memory, run or schema",
}

// failure is an error with what the edge adds: an exit code and what to do.
type failure struct {
	err  error
	code int // 0: as the wrapped error has it
	hint string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func failf(code int, format string, args ...any) error {
	return &failure{err: fmt.Errorf(format, args...), code: code}
}

func usagef(format string, args ...any) error { return failf(exitUsage, format, args...) }

func withHint(err error, hint string) error { return &failure{err: err, hint: hint} }

// outcome ends a command with an exit code and no message: what there is to say
// stands in its output.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

func exitCode(err error) int {
	var o outcome
	if errors.As(err, &o) {
		return int(o)
	}
	for e := err; e != nil; {
		var f *failure
		if !errors.As(e, &f) {
			break
		}
		if f.code != 0 {
			return f.code
		}
		e = f.err
	}
	switch {
	case errors.Is(err, workspace.ErrLocked), errors.Is(err, workspace.ErrWatched):
		return exitLocked
	case errors.Is(err, workspace.ErrNotFound):
		return exitNotFound
	}
	return exitError
}

func hintOf(err error) string {
	var f *failure
	for e := err; errors.As(e, &f); e = f.err {
		if f.hint != "" {
			return f.hint
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

// report prints an error, on the standard error.
func (c *call) report(err error) {
	var o outcome
	if errors.As(err, &o) {
		return
	}
	text, hint := err.Error(), hintOf(err)
	if c.cmd != nil {
		text = c.cmd.name + ": " + text
	}
	w := tolerant{c.Stderr}
	if c.json {
		doc, _ := json.Marshal(struct {
			Error string `json:"error"`
			Hint  string `json:"hint,omitempty"`
			Code  int    `json:"exit_code"`
		}{text, hint, exitCode(err)}) // strings and a number always marshal
		fmt.Fprintf(w, "%s\n", doc)
		return
	}
	fmt.Fprintf(w, "memory: %s\n", strings.ReplaceAll(shortWords(printable(text)), "\n", "\n  "))
	if hint != "" {
		fmt.Fprintf(w, "hint: %s\n", shortWords(printable(hint)))
	}
}

// fileError is the error about a file that the command line names: one that isn't there is not found.
func fileError(where string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return failf(exitNotFound, "%s: %w", where, err)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// addressError is an error of listening at an address of the command line: one of usage, if the address is none.
func addressError(err error) error {
	var form *net.AddrError
	var host *net.DNSError
	if errors.As(err, &form) || errors.As(err, &host) {
		return withHint(usagef("%w", err), "write a host and a port, such as 127.0.0.1:7420")
	}
	return err
}

// flagError is a value that a flag doesn't take, in our words.
func flagError(err error) error {
	// As the flag library writes flags in its messages.
	oneDash := regexp.MustCompile(`^invalid (boolean )?value "(.*)" for (?:flag )?-+([\w-]+): .*$`)
	if m := oneDash.FindStringSubmatch(err.Error()); m != nil {
		write := "a whole number" // the others take any text, which the commands read
		switch {
		case m[1] != "":
			write = "true or false"
		case strings.Contains(err.Error(), strconv.ErrRange.Error()):
			write = "one closer to zero"
		}
		return usagef("--%s: %q is not a valid value: write %s", m[3], m[2], write)
	}
	return usagef("%w", err)
}
