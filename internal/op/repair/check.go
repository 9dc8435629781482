package repair

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// CheckOptions say what is checked besides the workspace.
type CheckOptions struct {
	Later     bool             // shows also what may come of a run that is not finished
	Settings  *config.Settings // nil where they can't be read, which the check reports
	Program   string           // by which git merges memories; "" if it isn't known
	Code      bool             // looks for what memories name and the code no longer has
	CodeDir   string           // where the code is; "" for what is around the workspace
	Comparing func()           // is called when the comparison with the code begins; nil for none
}

// Check looks for problems in a workspace, of which snap was just read.
func Check(ctx context.Context, store *workspace.FileStore, snap *memory.Snapshot, o CheckOptions) (*document.Check, error) {
	problems, err := Problems(store, snap)
	if err != nil {
		return nil, err
	}
	if runs := interrupted(problems); len(runs) > 0 && !o.Later {
		doc := NewCheck(snap, runs)
		doc.Later = len(problems) - len(runs)
		return doc, nil
	}
	var code *document.Code
	if o.Code {
		if code, err = checkCode(ctx, store, snap, o); err != nil {
			return nil, err
		}
		problems = append(problems, code.Problems(snap)...)
	}
	problems = append(problems, cloneProblems(ctx, store.Dir(), o.Program)...)
	problems = append(problems, promotionProblems(o.Settings)...)
	// What status says of the last check is a hint: on a full disk the findings count, not the note of them.
	_ = SaveCheck(store, snap.At, problems)
	swap := swapMode(store) // after the note, which makes ops/ where the workspace has none
	doc := NewCheck(snap, problems)
	doc.Swap, doc.Code = swap, code
	doc.Behind, err = workspace.IndexesBehind(store)
	return doc, err
}

// NewCheck describes the problems of a workspace: runs that are not finished first, then the rest by file.
func NewCheck(snap *memory.Snapshot, problems []memory.Problem) *document.Check {
	doc := &document.Check{Problems: append([]memory.Problem{}, problems...), Memories: len(snap.Memories()) + len(snap.Archived()), Page: document.Page{Total: len(problems)}}
	rest := doc.Problems[len(interrupted(problems)):]
	slices.SortStableFunc(rest, func(a, b memory.Problem) int { return cmp.Compare(a.File, b.File) })
	doc.Errors, doc.Warnings = document.CountProblems(doc.Problems)
	return doc
}

// swapMode tries out how files can be replaced; "" where nothing can be written,
// which the commands that write report.
func swapMode(store *workspace.FileStore) string {
	mode, err := store.Documents().SwapMode()
	if err != nil {
		return ""
	}
	return string(mode)
}

// cloneProblems reports a clone in which git doesn't merge memories by the driver though the workspace is set up for that.
func cloneProblems(ctx context.Context, dir, program string) []memory.Problem {
	if program == "" || !gitsync.Expects(dir) {
		return nil
	}
	repo, err := gitsync.Open(ctx, dir, program)
	if err != nil { // no clone, or no git
		return nil
	}
	var found []memory.Problem
	if why := repo.Ready(ctx); why != "" {
		found = append(found, memory.Problem{File: ".gitattributes", Severity: memory.Warning, Message: why, Hint: "\"memory git install\", once in each clone"})
	}
	unmerged, _ := repo.Unmerged(ctx) // hints, both: without an answer of git there are none
	for _, name := range unmerged {
		found = append(found, memory.Problem{
			File: name, Severity: memory.Error, Message: "git has not merged it: the file may have one side only, or conflict markers",
			Hint: "\"git merge --abort\" or \"git rebase --abort\", then \"memory sync\"; or merge it by hand",
		})
	}
	waiting, _ := repo.Waiting(ctx)
	for _, name := range waiting {
		found = append(found, memory.Problem{
			File: name, Severity: memory.Warning, Message: "git merged two branches of a log, and the entries of one of them are not in it yet", Hint: "\"memory sync\" or \"memory reindex\" writes them",
		})
	}
	return found
}

// promotionProblems reports a workspace whose settings promote by branch though there is no git that has branches.
func promotionProblems(settings *config.Settings) []memory.Problem {
	if settings == nil || settings.Promote.Via != config.ViaNowhere || !settings.Promote.Enabled {
		return nil
	}
	return []memory.Problem{{
		File: memory.ConfigFile, Severity: memory.Warning, Message: "promote.via is \"branch\", and the workspace lies in no git repository: nothing is promoted",
		Hint: "\"git init\", then \"memory sync\"; or \"memory config set promote.via direct\"",
	}}
}

// codeTime is how long git may be asked about symbols.
const codeTime = time.Minute

// checkCode compares memories with the code.
func checkCode(ctx context.Context, store *workspace.FileStore, snap *memory.Snapshot, o CheckOptions) (*document.Code, error) {
	if o.Comparing != nil {
		o.Comparing()
	}
	dir := o.CodeDir
	if dir == "" {
		dir = codeAround(store.Dir())
	}
	ctx, cancel := context.WithTimeout(ctx, codeTime)
	defer cancel()
	doc, err := app.CheckCode(ctx, store, snap, dir)
	if err != nil {
		return nil, fail.WithHint(err, "name the directory of the code: memory check --code DIR")
	}
	return doc, nil
}

// codeAround is the directory of the code around a workspace: the nearest one above it that is a repository of git, else the one that it is in.
func codeAround(workspace string) string {
	for dir := filepath.Dir(workspace); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(workspace)
		}
	}
}
