package repository

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Root is the top directory of the repository of git that a directory is in; "" where it is in none, or git isn't there.
func Root(ctx context.Context, dir string) string {
	out, err := (&git{dir: dir}).run(ctx, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	return filepath.FromSlash(strings.TrimRight(string(out), "\r\n"))
}

// Changed lists the files that differ from a revision, and those that git doesn't know yet.
func (r *Repository) Changed(ctx context.Context, revision string) (names []string, err error) {
	for _, args := range [][]string{{"diff", "--name-only", "--relative", "-z", "--end-of-options", revision, "--"}, {"ls-files", "--others", "--exclude-standard", "-z"}} {
		if r.git == nil {
			return nil, os.ErrNotExist
		}
		out, err := r.git.run(ctx, nil, args...)
		if err != nil {
			return nil, err
		}
		names = append(names, strings.Split(strings.Trim(string(out), "\x00"), "\x00")...)
	}
	return names, nil
}

// Files are the files of the repository, sorted.
func (r *Repository) Files() []string {
	names := make([]string, 0, len(r.files))
	for name := range r.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Lost is what became of a path that the repository once had.
type Lost struct {
	Commit string // that removed it last, or moved it away
	Now    string // where it is now; "" if it is gone
}

// mostMoves bounds the commits in which moves are looked for.
const mostMoves = 50

// Lost looks in the history for paths that aren't there, of files and directories: those that it once had. It is nil without git and where the history
// is cut off. It costs one walk through the commits, of which only the named paths are compared.
func (r *Repository) Lost(ctx context.Context, names []string) (map[string]Lost, error) {
	if r.git == nil || r.git.shallow || len(names) == 0 {
		return nil, nil
	}
	args := []string{"--literal-pathspecs", "log", "--format=%x01%h", "--name-only", "--no-renames", "--diff-filter=D", "--relative", "-z", "--"}
	out, err := r.git.run(ctx, nil, append(args, names...)...)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	lost, files, commit := map[string]Lost{}, map[string]string{}, ""
	var commits []string
	for field := range strings.SplitSeq(string(out), "\x00") {
		field = strings.TrimLeft(field, "\n")
		if hash, ok := strings.CutPrefix(field, "\x01"); ok {
			commit = strings.TrimSpace(hash)
			continue
		}
		for at := field; at != "." && at != ""; at = filepath.ToSlash(filepath.Dir(at)) {
			if _, known := lost[at]; wanted[at] && !known {
				lost[at] = Lost{Commit: commit}
				if at == field {
					files[at] = commit
					commits = append(commits, commit)
				}
			}
		}
	}
	slices.Sort(commits)
	commits = slices.Compact(commits)
	for _, commit := range commits[:min(len(commits), mostMoves)] {
		moved, err := r.git.run(ctx, nil, "diff-tree", "-r", "-M", "--diff-filter=R", "--name-status", "--relative", "--root", "-z", "--no-commit-id", commit)
		if err != nil {
			return nil, err
		}
		fields := strings.Split(string(moved), "\x00")
		for i := 0; i+2 < len(fields); i += 3 {
			if from, to := fields[i+1], fields[i+2]; files[from] == commit && r.files[to] {
				lost[from] = Lost{commit, to}
			}
		}
	}
	return lost, nil
}
