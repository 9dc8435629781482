package gitsync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/merge"
)

// Tries is how often a push that was refused, since somebody else was faster, is tried again.
const Tries = 5

// Why a workspace could not be brought in step.
var (
	ErrUnfinished = errors.New("somebody has not finished it: finish it, or call it off with git")
	ErrDetached   = errors.New("no branch is checked out")
	ErrConflict   = errors.New("git can't merge it, and nor can memoryd: merge it by hand")
	ErrRefused    = errors.New("the push was refused again and again")
	ErrSecrets    = errors.New("it holds secrets, which are never pushed")
	ErrForeign    = errors.New("a push would publish commits that change files outside of the workspace")
	ErrRoot       = errors.New("the workspace is the whole repository, so that every file in it would be committed")
)

// Options of a sync.
type Options struct {
	Machine string
	Remote  string // "": that of the branch, else origin, else the only one
	Branch  string // at the remote; "": that which the branch follows, else of its name
	DryRun  bool
	Root    bool // the workspace may be a whole repository
	PushAll bool // push commits of others too, which change files outside of the workspace

	// Log is called once there is something to do, before it is done, so that the entry goes along.
	Log func(o *Outcome) error
	// Settle is called first, and after something came in: what is derived is made anew, and what came in may call for changes.
	Settle func() error
	Guard
}

// Outcome is what a sync did, or would do.
type Outcome struct {
	Sent     []string   `json:"sent"`     // files that were changed here: they are committed, and pushed if there is a remote
	Merged   []string   `json:"merged"`   // files that both sides had changed and git could not merge by itself
	Withheld []Withheld `json:"withheld"` // files that stay here, and why
	DryRun   bool       `json:"dry_run,omitempty"`
	Remote   string     `json:"remote"` // "": there is none, and it only committed
	Branch   string     `json:"branch"`
	Incoming int        `json:"incoming"` // commits that came in
	Pushed   bool       `json:"pushed"`
	Proposed []string   `json:"proposed"` // branches with proposals that were pushed
}

// sync is one at work.
type sync struct {
	*Repo
	Options
	out  *Outcome
	head string // the branch that is checked out
}

// Sync commits what was changed in the workspace, brings in what others have pushed, and pushes. It stops at what somebody has not finished,
// and where something can't be merged leaves everything as it was, but for the commit.
func (r *Repo) Sync(ctx context.Context, o Options) (*Outcome, error) {
	s := &sync{Repo: r, Options: o, out: &Outcome{DryRun: o.DryRun, Sent: []string{}, Merged: []string{}, Withheld: []Withheld{}, Proposed: []string{}}}
	return s.out, s.run(ctx)
}

func (s *sync) run(ctx context.Context) error {
	if what, err := s.unfinished(ctx); err != nil {
		return err
	} else if what != "" {
		return fmt.Errorf("a %s is under way: %w", what, ErrUnfinished)
	}
	if err := s.allowRoot(ctx); err != nil {
		return err
	}
	var err error
	if s.head, err = s.line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil {
		return ErrDetached
	}
	if err := s.target(ctx); err != nil {
		return err
	}
	if !s.DryRun {
		if err := s.Settle(); err != nil { // somebody may have pulled
			return err
		}
	}
	changed, err := s.changes(ctx)
	if err != nil {
		return err
	}
	if s.out.Remote != "" && !s.DryRun {
		if err := s.fetch(ctx); err != nil {
			return err
		}
	}
	ahead, behind, err := s.apart(ctx)
	if err != nil {
		return err
	}
	s.out.Incoming = behind
	if s.out.Sent, err = s.withhold(ctx, changed); err != nil {
		return err
	}
	if !reason(s.out.Sent) {
		s.out.Sent = []string{}
	}
	if s.DryRun {
		return nil
	}
	if len(s.out.Sent) > 0 || s.out.Incoming > 0 {
		if err := s.Log(s.out); err != nil {
			return err
		}
	}
	if len(s.out.Sent) > 0 {
		first := s.unborn(ctx)
		if err := s.commit(ctx); err != nil {
			return err
		}
		if first { // proposals need a commit to begin at
			if err := s.Settle(); err != nil {
				return err
			}
		}
	}
	if s.out.Remote == "" {
		return nil
	}
	if len(s.out.Sent) > 0 || ahead > 0 || behind > 0 {
		if err := s.exchange(ctx, behind); err != nil {
			return err
		}
	}
	return s.pushProposals(ctx)
}

// rootKey is the setting of a clone in which somebody has said that the repository is the workspace.
const rootKey = "memory.root"

// allowRoot refuses a workspace that is a whole repository, unless somebody has said once that it holds nothing else.
func (s *sync) allowRoot(ctx context.Context) error {
	if s.Prefix != "" {
		return nil
	}
	said, _ := s.local(ctx, rootKey)
	switch {
	case said == "true":
		return nil
	case !s.Root:
		return ErrRoot
	case s.DryRun:
		return nil
	}
	_, err := s.Repo.run(ctx, nil, "config", "--local", rootKey, "true")
	return err
}

// exchange merges and pushes, again where somebody else was faster. Behind is how many commits there are to merge.
func (s *sync) exchange(ctx context.Context, behind int) error {
	for try := 0; ; try++ {
		if behind > 0 {
			if err := s.merge(ctx); err != nil {
				return err
			}
		}
		ahead, _, err := s.apart(ctx)
		if err != nil {
			return err
		}
		if ahead == 0 {
			return nil
		}
		if err := s.foreign(ctx); err != nil {
			return err
		}
		if err := s.clean(ctx); err != nil {
			return err
		}
		_, err = s.Repo.run(ctx, nil, "push", "--quiet", "--no-verify", "--", s.out.Remote, "HEAD:refs/heads/"+s.out.Branch)
		if err == nil {
			s.out.Pushed = true
			return nil
		}
		if !refused(err) {
			return fmt.Errorf("what was changed is committed here, and not pushed: %w", err)
		}
		if try == Tries {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		if err := s.fetch(ctx); err != nil {
			return err
		}
		if _, behind, err = s.apart(ctx); err != nil {
			return err
		}
		s.out.Incoming += behind
	}
}

// behind are what git says when a push failed since the remote has what isn't here, or somebody else pushes at the same time. A branch
// that is protected is "[remote rejected]", and would be so again.
var behind = [...]string{"[rejected]", "fetch first", "cannot lock ref", "failed to update ref", "incorrect old value"}

// refused reports whether a push may come through once the remote's commits are here.
func refused(err error) bool {
	var failed *runError
	return errors.As(err, &failed) && slices.ContainsFunc(behind[:], func(said string) bool { return strings.Contains(failed.text, said) })
}

// target finds the remote and its branch.
func (s *sync) target(ctx context.Context) error {
	config := func(key string) string {
		text, _ := s.line(ctx, "config", "--get", key)
		return text
	}
	remotes, err := s.line(ctx, "remote")
	if err != nil {
		return err
	}
	all := strings.Fields(remotes)
	has := func(name string) bool { return name != "" && strings.Contains("\n"+remotes+"\n", "\n"+name+"\n") }
	switch followed := config("branch." + s.head + ".remote"); {
	case s.Remote != "":
		if !has(s.Remote) {
			return fmt.Errorf("there is no remote %q: git remote add %s URL", s.Remote, s.Remote)
		}
		s.out.Remote = s.Remote
	case has(followed):
		s.out.Remote = followed
	case has("origin"):
		s.out.Remote = "origin"
	case len(all) == 1:
		s.out.Remote = all[0]
	case len(all) > 1:
		return fmt.Errorf("there are the remotes %s: name one with --remote, or sync.remote in memory.toml", strings.Join(all, ", "))
	}
	s.out.Branch = s.Branch
	if s.out.Branch == "" {
		s.out.Branch = strings.TrimPrefix(config("branch."+s.head+".merge"), "refs/heads/")
	}
	if s.out.Branch == "" {
		s.out.Branch = s.head
	}
	if _, err := s.line(ctx, "check-ref-format", "--branch", s.out.Branch); err != nil || strings.HasPrefix(s.out.Branch, "-") {
		return fmt.Errorf("%q is no name of a branch", s.out.Branch)
	}
	return nil
}

// upstream is where the remote's branch stands, as far as is known here.
func (s *sync) upstream() string { return "refs/remotes/" + s.out.Remote + "/" + s.out.Branch }

func (s *sync) fetch(ctx context.Context) error {
	_, err := s.Repo.run(ctx, nil, "fetch", "--quiet", "--", s.out.Remote)
	return err
}

// apart is how many commits only this side has, and how many only the remote's branch. Where there is no commit yet, or the remote has no
// such branch, the other side has all of its own.
func (s *sync) apart(ctx context.Context) (ahead, behind int, err error) {
	if s.out.Remote == "" {
		return 0, 0, nil
	}
	text, err := s.line(ctx, "rev-list", "--left-right", "--count", "HEAD..."+s.upstream(), "--")
	if err == nil {
		_, err = fmt.Sscan(text, &ahead, &behind)
		return ahead, behind, err
	}
	for _, side := range []struct {
		ref   string
		count *int
	}{{"HEAD", &ahead}, {s.upstream(), &behind}} {
		if !s.known(ctx, side.ref) {
			continue
		}
		if text, err = s.line(ctx, "rev-list", "--count", side.ref, "--"); err == nil {
			_, err = fmt.Sscan(text, side.count)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return ahead, behind, nil
}

// changes lists the files of the workspace that were changed and are to be committed. The log alone is no reason for a commit: each sync
// would then be one for the next.
func (s *sync) changes(ctx context.Context) (changed []string, err error) {
	entries, err := s.names(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--", ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if len(e) >= 4 {
			changed = append(changed, strings.TrimPrefix(e[3:], s.Prefix))
		}
	}
	if !reason(changed) {
		return []string{}, nil
	}
	return changed, nil
}

// reason reports whether some files are a reason for a commit: more than a log that is not one of a branch.
func reason(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, "ops/logs/") || strings.Contains(name, "+") })
}

// settle merges one file by package merge. What one side removed and the other changed stays, and says so; what one side has moved, as to
// the archive, and the other changed so much that git doesn't see it is one memory still, at its new place.
func (s *sync) settle(ctx context.Context, name string, u *unmerged) error {
	var docs [3][]byte
	for i, id := range u.stages {
		if id == "" {
			continue
		}
		text, err := s.Repo.run(ctx, nil, "cat-file", "blob", id)
		if err != nil {
			return err
		}
		docs[i] = append([]byte{}, text...)
	}
	to, err := s.moved(ctx, name, &docs)
	if err != nil {
		return err
	}
	result, err := merge.Documents(name, docs[0], docs[1], docs[2])
	if err != nil {
		return err
	}
	if result.Doc == nil || to != name {
		if _, err := s.Repo.run(ctx, nil, "rm", "--quiet", "--force", "--ignore-unmatch", "--", ":(literal)"+name); err != nil || result.Doc == nil {
			return err
		}
	}
	if err := PutOthers(s.path, result.Others); err != nil {
		return err
	}
	file := s.path(to)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, result.Doc, 0o644); err != nil {
		return err
	}
	_, err = s.Repo.run(ctx, nil, "add", "--force", "--", ":(literal)"+to)
	return err
}

// path is where a file of the workspace is.
func (s *sync) path(name string) string { return filepath.Join(s.Dir, filepath.FromSlash(name)) }

// PutOthers writes the documents of [merge.Result.Others], each merged with the file of that name. at gives the path of a name.
func PutOthers(at func(name string) string, docs map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		file := at(name)
		have, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		result := merge.Result{Doc: docs[name]}
		if err == nil {
			if result, err = merge.Documents(name, nil, have, docs[name]); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := PutOthers(at, result.Others); err != nil {
			return err
		}
		if err := replaceFile(file, result.Doc); err != nil {
			return err
		}
	}
	return nil
}

// moved finds where the side that no longer has a file has its memory, and gives that side the text of that file.
func (s *sync) moved(ctx context.Context, name string, docs *[3][]byte) (to string, err error) {
	side := slices.IndexFunc(docs[1:], func(doc []byte) bool { return doc == nil }) + 1
	if side == 0 || docs[0] == nil || docs[3-side] == nil {
		return name, nil
	}
	id := memory.SoleID(name, docs[0])
	if id == "" || memory.SoleID(name, docs[3-side]) != id {
		return name, nil
	}
	files, err := s.names(ctx, "ls-files", "-z", "--cached", "--", ":(glob)**/"+path.Base(name))
	if err != nil {
		return name, err
	}
	for _, file := range append(files, memory.ArchiveDir+"/"+memory.FileName(id)+".json") {
		text, err := s.Repo.run(ctx, nil, "cat-file", "blob", ":0:"+s.Prefix+file)
		if err == nil && file != name && memory.SoleID(file, text) == id {
			docs[side] = text
			return file, nil
		}
	}
	return name, nil
}
