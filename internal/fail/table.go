package fail

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"unicode"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// Kinds of errors that no package below has: a command gives them with [New].
var (
	// ErrInvalid: what is to be written is not valid.
	ErrInvalid = errors.New("not valid")
	// ErrStale: what was decided about has changed since.
	ErrStale = errors.New("changed meanwhile")
	// ErrDecided: a pair no longer waits for a decision, or never did.
	ErrDecided = errors.New("no such pair waits")
	// ErrSecret: what is to be written holds a secret.
	ErrSecret = errors.New("holds a secret")
	// ErrUneditable: a record can't be edited without losing bytes.
	ErrUneditable = errors.New("can't be edited safely")
)

// row says what an error means at each edge.
type row struct {
	is     func(error) bool
	code   int // exit code; 0: [ExitError]
	status int // of HTTP; 0: as the exit code has it

	hint  string // for a person at a command line
	agent string // for an agent, in sentences
	page  string // for a person at the dashboard, in sentences
}

func are(kinds ...error) func(error) bool {
	return func(err error) bool {
		for _, k := range kinds {
			if errors.Is(err, k) {
				return true
			}
		}
		return false
	}
}

// table is read from the top: the first row that fits holds.
var table = []row{
	{
		is:    are(context.Canceled),
		hint:  "interrupted: what was not finished was not done",
		agent: "The request was canceled. What it had not finished was not done.",
		page:  "What was not finished was not done.",
	},
	{
		is: are(workspace.ErrForbidden), status: http.StatusForbidden,
		agent: "Whoever runs the server can grant it: ask the person.",
		page:  "Nothing was written. Who administers the workspace grants it.",
	},
	{
		is: are(workspace.ErrLocked), code: ExitLocked,
		hint:  "another command is writing: try again",
		agent: "Another program is writing the memories: try again in a moment.",
		page:  "Nothing was written. Try again in a moment.",
	},
	{
		is: are(workspace.ErrWatched), code: ExitLocked,
		hint: "one process is enough; stop that one to start another",
	},
	{
		is:    are(workspace.ErrNetwork),
		hint:  "keep it on a local disk; if only this machine ever writes it, set files.allow_network = true in memory.toml",
		agent: "A person has to allow it with files.allow_network = true in memory.toml, or move the folder to a local disk.",
	},
	{
		is: are(workspace.ErrNotFound), code: ExitNotFound,
		hint:  `"memory list --all" shows every id`,
		agent: "search finds ids.",
		page:  "It may have been archived, merged or renamed: search for it.",
	},
	{
		is: are(workspace.ErrAmbiguous), status: http.StatusConflict,
		hint:  `change "id" in one of the files in an editor, or remove one of them, then run "memory reindex"`,
		agent: `A person has to change one of the ids; "memory check" shows where they stand.`,
		page:  `Change one of the ids by hand; "memory check" shows where they stand.`,
	},
	{
		is: are(ErrStale), code: ExitStale,
		hint:  "nothing of it was touched: look at it, then try again",
		agent: "Nothing of it was done. Read it again, then decide anew.",
		page:  "Nothing was written. Load the page again, then decide anew.",
	},
	{
		is: are(ErrDecided), code: ExitNotFound, status: http.StatusConflict,
		hint:  "\"memory review\" lists them",
		agent: "review without arguments lists those that wait.",
		page:  "Nothing was changed. Go back to the queue.",
	},
	{
		is: are(ErrSecret), status: http.StatusUnprocessableEntity,
		hint:  "--redact replaces it, --allow-secret writes it as it is; a rule of your own may allow it: see secrets.rules",
		agent: "Leave it out, or save it with redact, which replaces it. Only a person writes it down as it is.",
		page:  "Nothing was written. Leave the secret out, or write it at the command line with --allow-secret.",
	},
	{
		is: are(ErrUneditable), status: http.StatusConflict,
		hint:  "fix the file by hand",
		agent: "A person has to fix the file by hand.",
		page:  "Fix the file by hand.",
	},
	{
		is: are(ErrInvalid), code: ExitUsage, status: http.StatusBadRequest,
		agent: "Nothing was written: fix that and call again.",
		page:  "Nothing was written. Go back and try again.",
	},
	{
		is: are(workspace.ErrNoRun), status: http.StatusNotFound,
		agent: "Only the last runs can be undone: history lists them.",
		page:  "Nothing was written.",
	},
	{
		is:    are(workspace.ErrPending),
		hint:  "nothing is lost: fix the cause; then any command that writes finishes the run, such as \"memory reindex\"",
		agent: `Nothing is lost: the next change finishes it, or "memory reindex".`,
		page:  "Nothing is lost: the next change finishes it first.",
	},
	{is: diskFull, hint: "the disk is full: what was not finished was not done; make room, then try again"},
	{is: exhausted, hint: "the machine has no open files or no memory left for this: what was not finished was not done; close programs or raise the limit (\"ulimit -n\"), then try again"},
	{is: readOnly, hint: "the file system is mounted read-only: nothing was changed"},
	{
		is:    are(fs.ErrPermission),
		hint:  "permission denied: nothing was changed. Check who owns the file, its directory, and ops/ in the workspace",
		agent: "The permissions of the folder don't allow it: a person has to see to that.",
	},
}

// What is said of an error that has no words of its own.
const (
	agentElse = `Nothing was changed. If it stays so, "memory check" tells a person what is wrong with the folder.`
	pageElse  = "Nothing was written. The files are as they were."
)

func rowOf(err error) *row {
	for i := range table {
		if table[i].is(err) {
			return &table[i]
		}
	}
	return nil
}

// Status is the HTTP status of an error.
func Status(err error) int {
	code := Code(err)
	if r := rowOf(err); r != nil && r.status != 0 && (code == ExitError || code == r.code) {
		return r.status
	}
	switch code {
	case ExitUsage:
		return http.StatusBadRequest
	case ExitStale:
		return http.StatusConflict
	case ExitLocked:
		return http.StatusLocked
	case ExitNotFound:
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}

// Agent says to an agent what to do about an error.
func Agent(err error) string {
	return both(err, func(r *row) string { return r.agent }, agentElse)
}

// Page says to a person at the dashboard what to do about an error.
func Page(err error) string { return both(err, func(r *row) string { return r.page }, pageElse) }

// both is the error's own hint, as a sentence, and the words of its row.
func both(err error, words func(*row) string, otherwise string) string {
	own, text := sentence(ownHint(err)), ""
	if r := rowOf(err); r != nil {
		text = words(r)
	}
	switch {
	case own == "" && text == "":
		return otherwise
	case own == "" || text == "":
		return own + text
	}
	return own + " " + text
}

// ownHint is the outermost hint that an error has.
func ownHint(err error) (hint string) {
	var f *Error
	for e := err; errors.As(e, &f); e = f.Err {
		if f.Hint != "" {
			return f.Hint
		}
	}
	return ""
}

// sentence writes a hint as a sentence.
func sentence(hint string) string {
	if hint == "" {
		return ""
	}
	r := []rune(hint)
	r[0] = unicode.ToUpper(r[0])
	if hint = string(r); !strings.HasSuffix(hint, ".") && !strings.HasSuffix(hint, "?") {
		hint += "."
	}
	return hint
}
