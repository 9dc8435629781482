package gitsync

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Branches of proposals are named after the run that proposed them. A proposal whose branch was made has a mark, so that no second one
// is made once people have removed the branch.
const (
	proposalPrefix = "memory/promote-"
	proposalMarks  = "refs/memory/proposed/"
)

// Proposal is what a run asks people to take into the workspace.
type Proposal struct {
	Run     string
	Files   map[string][]byte // by their names in the workspace
	Message string
}

// Branch is the name of the branch of the proposals of a run.
func Branch(run string) string { return proposalPrefix + run }

// Propose puts files on a branch of their own, begun where the workspace stands at the remote, or here where that isn't known. Work tree
// and index stay as they are. Once a branch was made for a run nothing happens, whatever has become of it.
func (r *Repo) Propose(ctx context.Context, p Proposal, machine string) (made bool, err error) {
	branch := "refs/heads/" + Branch(p.Run)
	if _, err := r.line(ctx, "check-ref-format", branch); err != nil {
		return false, fmt.Errorf("%s can't be the name of a branch: %w", Branch(p.Run), err)
	}
	if r.known(ctx, proposalMarks+p.Run) || r.known(ctx, branch) {
		return false, nil
	}
	commit, err := r.commitFiles(ctx, p, machine)
	if err != nil {
		return false, fmt.Errorf("propose on %s: %w", Branch(p.Run), err)
	}
	refs := fmt.Sprintf("create %s %s\ncreate %s%s %s\n", branch, commit, proposalMarks, p.Run, commit)
	if _, err := r.run(ctx, []byte(refs), "update-ref", "--stdin"); err != nil {
		return false, err
	}
	return true, nil
}

// commitFiles makes the commit that adds the files.
func (r *Repo) commitFiles(ctx context.Context, p Proposal, machine string) (string, error) {
	base, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "@{upstream}^{commit}")
	if err != nil {
		if base, err = r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
			return "", fmt.Errorf("there is no commit yet: \"memory sync\" makes one: %w", err)
		}
	}
	dir, err := os.MkdirTemp("", "memory-propose-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it holds nothing but an index of git that is used no more
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if _, err := r.runWith(ctx, index, nil, "read-tree", base); err != nil {
		return "", err
	}
	for name, text := range p.Files {
		blob, err := r.run(ctx, text, "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		entry := "100644," + strings.TrimSpace(string(blob)) + "," + r.Prefix + name
		if _, err := r.runWith(ctx, index, nil, "update-index", "--add", "--cacheinfo", entry); err != nil {
			return "", err
		}
	}
	tree, err := r.runWith(ctx, index, nil, "write-tree")
	if err != nil {
		return "", err
	}
	args := append(r.identity(ctx, machine), "commit-tree", strings.TrimSpace(string(tree)), "-p", base)
	commit, err := r.run(ctx, []byte(p.Message), args...)
	return strings.TrimSpace(string(commit)), err
}

// ProposeAll puts what this machine has proposed on branches, one for each run, and returns those that were made.
func (r *Repo) ProposeAll(ctx context.Context, store *workspace.FileStore, at time.Time, request rules.Request) (made []string, err error) {
	if !r.known(ctx, "HEAD") { // a branch begins at a commit
		return nil, nil
	}
	snap, err := store.Load(at)
	if err != nil {
		return nil, err
	}
	own, err := store.Log().ReadOwn()
	if err != nil {
		return nil, err
	}
	runs := map[string]*Proposal{}
	for _, d := range snap.Review.Decided {
		scope, ok := d.Proposal()
		if _, here := own.Find(d.RunID); !ok || !here { // another machine's
			continue
		}
		file, record, ok, err := rules.ProposedCopy(snap, request, d)
		if err != nil {
			return nil, fmt.Errorf("propose a copy of %s: %w", d.A, err)
		}
		if !ok {
			continue
		}
		p := runs[d.RunID]
		if p == nil {
			p = &Proposal{Run: d.RunID, Files: map[string][]byte{}, Message: "memory promote: " + d.RunID + "\n\n"}
			runs[d.RunID] = p
		}
		p.Files[file] = record
		p.Message += fmt.Sprintf("%s for %s as %s\n", d.A, scope, d.B)
	}
	for _, run := range slices.Sorted(maps.Keys(runs)) {
		fresh, err := r.Propose(ctx, *runs[run], store.Machine())
		if err != nil {
			return made, err
		}
		if fresh {
			made = append(made, Branch(run))
		}
	}
	return made, nil
}

// Accepted builds the actions that note in memories which of their proposed copies people have accepted, and who has.
func (r *Repo) Accepted(ctx context.Context, s *memory.Snapshot, request rules.Request) []memory.Action {
	actions := rules.Accepted(s, request)
	for i := range actions {
		if copied := s.Live(actions[i].ResultID); copied != nil {
			actions[i].AcceptedBy = r.AcceptedBy(ctx, copied.File)
		}
	}
	return actions
}

// pushProposals pushes branches of proposals, which then are the remote's.
func (s *sync) pushProposals(ctx context.Context) error {
	refs, err := s.Repo.run(ctx, nil, "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads/"+proposalPrefix+"*")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(refs)) {
		branch, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		if branch == s.head || !s.known(ctx, proposalMarks+strings.TrimPrefix(branch, proposalPrefix)) {
			continue // somebody works on it, or has made it
		}
		if _, err := s.Repo.run(ctx, nil, "push", "--quiet", "--no-verify", "--", s.out.Remote, "refs/heads/"+branch+":refs/heads/"+branch); err != nil {
			return fmt.Errorf("the proposals of %s are not pushed: %w", branch, err)
		}
		if _, err := s.Repo.run(ctx, nil, "update-ref", "-d", "refs/heads/"+branch, commit); err != nil {
			return err
		}
		s.out.Proposed = append(s.out.Proposed, branch)
	}
	slices.Sort(s.out.Proposed)
	return nil
}

// known reports whether a ref leads to a commit.
func (r *Repo) known(ctx context.Context, ref string) bool {
	_, err := r.line(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	return err == nil
}

// AcceptedBy is who has merged what brought a file that a run proposed, as git has the name: the author of the first merge behind the commit
// that added it, or where there is none whoever committed that. "" where git doesn't tell.
func (r *Repo) AcceptedBy(ctx context.Context, name string) string {
	added, err := r.line(ctx, "log", "--diff-filter=A", "--format=%H", "--max-count=1", "HEAD", "--", ":(literal)"+name)
	if err != nil || added == "" {
		return ""
	}
	merges, err := r.names(ctx, "log", "-z", "--reverse", "--ancestry-path", "--merges", "--format=%an", added+"..HEAD")
	if err == nil && len(merges) > 0 {
		return merges[0]
	}
	who, _ := r.line(ctx, "log", "--max-count=1", "--format=%cn", added)
	return who
}
