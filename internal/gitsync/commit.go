package gitsync

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// withhold finds out which of some files stay here, and returns the others.
func (s *sync) withhold(ctx context.Context, names []string) (rest []string, err error) {
	held, err := s.held(ctx, names)
	for _, h := range held {
		if !slices.ContainsFunc(s.out.Withheld, func(w Withheld) bool { return w.File == h.File }) {
			s.out.Withheld = append(s.out.Withheld, h)
		}
	}
	rest = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(held, func(w Withheld) bool { return w.File == name })
	})
	return rest, err
}

// commit commits what has changed in the workspace but for what is withheld.
func (s *sync) commit(ctx context.Context) error {
	paths := []string{"."}
	for _, w := range s.out.Withheld {
		paths = append(paths, ":(exclude,literal)"+w.File)
	}
	if _, err := s.Repo.run(ctx, nil, append([]string{"add", "--all", "--"}, paths...)...); err != nil {
		return err
	}
	staged, err := s.names(ctx, append([]string{"diff", "--cached", "--name-only", "-z", "--"}, paths...)...)
	if err != nil && !s.unborn(ctx) {
		return err
	}
	if len(staged) == 0 && !s.unborn(ctx) {
		return nil
	}
	args := append(s.identity(ctx, s.Machine), "commit", "--quiet", "--no-verify", "-m", "memory sync: "+s.Machine)
	// With paths git takes them from the disk, and files that it was told to track no longer come back. Without, it takes all that is
	// staged, which must be ours.
	if all, err := s.names(ctx, "diff", "--cached", "--name-only", "-z"); err != nil || len(all) != len(staged) {
		args = append(append(args, "--"), paths...)
	}
	_, err = s.Repo.run(ctx, nil, args...)
	return err
}

// unborn reports whether the branch has no commit yet.
func (s *sync) unborn(ctx context.Context) bool {
	return !s.known(ctx, "HEAD")
}

// merge brings in what the remote has.
func (s *sync) merge(ctx context.Context) (err error) {
	back, err := s.setAside(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, back()) }()
	args := append(s.identity(ctx, s.Machine), "merge", "--quiet", "--ff", "--no-edit", "--no-verify", "-m", "memory sync: "+s.Machine, s.upstream())
	if _, err := s.Repo.run(ctx, nil, args...); err != nil {
		if err = s.resolve(ctx, err); err != nil {
			return err
		}
	}
	if err := s.Settle(); err != nil {
		return err
	}
	changed, err := s.changes(ctx)
	if err != nil || len(changed) == 0 {
		return err
	}
	more, err := s.withhold(ctx, changed)
	if err != nil {
		return err
	}
	s.out.Sent = append(s.out.Sent, more...)
	return s.commit(ctx)
}

// unmerged is a file that git could not merge: what base, ours and theirs have, by their ids; "" for none.
type unmerged struct{ stages [3]string }

// resolve merges what git could not, in the workspace, and commits; or calls the merge off.
func (s *sync) resolve(ctx context.Context, cause error) error {
	files, names, err := s.unmergedFiles(ctx)
	if err == nil && len(names) == 0 {
		err = cause
	}
	var left []string
	for _, name := range names {
		if err != nil {
			break
		}
		in, inside := strings.CutPrefix(name, s.Prefix)
		if !inside {
			left = append(left, name)
			continue
		}
		var failed error
		if failed = s.settle(ctx, in, files[name]); failed != nil {
			left = append(left, fmt.Sprintf("%s: %v", in, failed))
		}
		s.out.Merged = append(s.out.Merged, in)
	}
	if err == nil && len(left) == 0 {
		args := append(s.identity(ctx, s.Machine), "commit", "--quiet", "--no-verify", "--no-edit")
		if _, err = s.Repo.run(ctx, nil, args...); err == nil {
			return nil
		}
	}
	if len(left) > 0 {
		err = fmt.Errorf("%s: %w: git merge %s", strings.Join(left, "; "), ErrConflict, s.upstream())
	}
	s.out.Merged = s.out.Merged[:0]
	if _, aborted := s.Repo.run(ctx, nil, "merge", "--abort"); aborted != nil && len(names) > 0 {
		err = errors.Join(err, aborted)
	}
	return err
}

// unmergedFiles lists what git left to be merged, by the names in the work tree.
func (s *sync) unmergedFiles(ctx context.Context) (map[string]*unmerged, []string, error) {
	out, err := s.Repo.run(ctx, nil, "ls-files", "--unmerged", "-z", "--full-name", ":/")
	if err != nil {
		return nil, nil, err
	}
	files := map[string]*unmerged{}
	var names []string
	scan := bufio.NewScanner(bytes.NewReader(out))
	scan.Buffer(nil, 1<<20)
	scan.Split(func(data []byte, end bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	})
	for scan.Scan() {
		fields, name, _ := strings.Cut(scan.Text(), "\t")
		parts := strings.Fields(fields)
		if len(parts) != 3 {
			continue
		}
		stage, err := strconv.Atoi(parts[2])
		if err != nil || stage < 1 || stage > 3 {
			continue
		}
		if files[name] == nil {
			files[name] = &unmerged{}
			names = append(names, name)
		}
		files[name].stages[stage-1] = parts[1]
	}
	return files, names, scan.Err()
}
