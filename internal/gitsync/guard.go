package gitsync

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// Kinds of [Withheld].
const (
	KindSecret  = "secret"  // it holds a secret
	KindDamaged = "damaged" // it is empty, cut off, unmerged, or not of its format
	KindRemoved = "removed" // it was removed along with many others, and not by memoryd
)

// Withheld is a file that is not committed.
type Withheld struct {
	File   string `json:"file"`
	Kind   string `json:"kind" jsonschema:"secret, damaged, removed"`
	Reason string `json:"reason"`
}

// Guard judges what a sync would share. Names are relative to the workspace.
type Guard struct {
	// Secrets names the kinds of secrets in a file, of whatever name.
	Secrets func(name string, text []byte) []string
	// Damage says why a file of the workspace can't be what its name says; "" if it can. Before gives the text of the last commit.
	Damage func(name string, text []byte, before func() []byte) string
	// Memory reports whether a file of that name holds memories.
	Memory func(name string) bool
	// Removed reports whether memoryd itself removed or moved the memories of a file with that text.
	Removed func(name string, text []byte) bool

	AcceptRemovals bool // share removals, however many they are
}

// A removal of many memories is withheld: of more than one in removedShare of a directory, or of the workspace, if they are removedLeast or more;
// and of all memories of a directory that had several.
const (
	removedShare = 3
	removedLeast = 5
)

// tooMany reports whether so many removals are withheld.
func tooMany(removed, had int) bool {
	return removed >= removedLeast && removed*removedShare > had || removed == had && had > 1
}

// held finds the files that are not committed.
func (s *sync) held(ctx context.Context, names []string) (held []Withheld, err error) {
	var removed []string
	// Files that git was told to track no longer are still on the disk, and not sent. Before the first commit there are none.
	untracked, _ := s.names(ctx, "diff", "--cached", "--name-only", "--relative", "--diff-filter=D", "-z", "--", ".")
	for _, name := range names {
		if !s.Memory(name) && slices.Contains(untracked, name) {
			continue
		}
		text, err := readFile(s.path(name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			if s.Memory(name) {
				removed = append(removed, name)
			}
			continue
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if kinds := s.Secrets(name, text); len(kinds) > 0 {
			held = append(held, Withheld{name, KindSecret, "it holds a secret: " + strings.Join(kinds, ", ")})
		} else if why := s.Damage(name, text, func() []byte { return s.committed(ctx, name) }); why != "" {
			held = append(held, Withheld{name, KindDamaged, why})
		}
	}
	if !s.AcceptRemovals && len(removed) > 0 {
		more, err := s.heldRemovals(ctx, removed)
		if err != nil {
			return nil, err
		}
		held = append(held, more...)
	}
	slices.SortStableFunc(held, func(a, b Withheld) int { return strings.Compare(a.Kind, b.Kind) })
	return held, nil
}

// readFile reads a file as git would commit it: of a symbolic link, where it points to.
func readFile(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		to, err := os.Readlink(name)
		return []byte(to), err
	case info.IsDir(): // a repository within this one: git commits its name only
		return nil, nil
	}
	return os.ReadFile(name)
}

// committed is the text of a file in the last commit; nil if it isn't there.
func (s *sync) committed(ctx context.Context, name string) []byte {
	text, err := s.Repo.run(ctx, nil, "cat-file", "blob", "HEAD:"+s.Prefix+name)
	if err != nil {
		return nil
	}
	return append([]byte{}, text...)
}

// heldRemovals finds out which removals of memories are too many to be shared unseen.
func (s *sync) heldRemovals(ctx context.Context, removed []string) (held []Withheld, err error) {
	var foreign []string
	for _, name := range removed {
		if text := s.committed(ctx, name); text != nil && !s.Removed(name, text) {
			foreign = append(foreign, name)
		}
	}
	if len(foreign) == 0 {
		return nil, nil
	}
	had, err := s.names(ctx, "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", ".")
	if err != nil {
		return nil, err
	}
	had = slices.DeleteFunc(had, func(name string) bool { return !s.Memory(name) })
	gone, of := byDirectory(foreign), byDirectory(had)
	all := tooMany(len(foreign), len(had))
	for _, name := range foreign {
		dir := path.Dir(name)
		switch {
		case tooMany(gone[dir], of[dir]):
			held = append(held, Withheld{name, KindRemoved, fmt.Sprintf("%d of the %d memories of %s were removed, and not by memoryd", gone[dir], of[dir], dir)})
		case all:
			held = append(held, Withheld{name, KindRemoved, fmt.Sprintf("%d of the %d memories of the workspace were removed, and not by memoryd", len(foreign), len(had))})
		}
	}
	return held, nil
}

// byDirectory counts files by their directories.
func byDirectory(names []string) map[string]int {
	n := map[string]int{}
	for _, name := range names {
		n[path.Dir(name)]++
	}
	return n
}

// unpushed are the arguments by which git lists what a push would add to the remote.
func (s *sync) unpushed() []string {
	return []string{"HEAD", "--not", "--remotes=" + s.out.Remote}
}

// foreign fails if a push would publish commits that change files outside of the workspace: they are somebody's work.
func (s *sync) foreign(ctx context.Context) error {
	if s.Prefix == "" || s.PushAll {
		return nil
	}
	args := append([]string{"log", "--no-merges", "--full-history", "--format=%h %s"}, s.unpushed()...)
	out, err := s.Repo.run(ctx, nil, append(args, "--", ":(top)", ":(top,exclude,literal)"+strings.TrimSuffix(s.Prefix, "/"))...)
	if err != nil {
		return err
	}
	found := strings.Split(strings.TrimSpace(string(out)), "\n")
	if found[0] == "" {
		return nil
	}
	shown, rest := found, ""
	if len(shown) > 3 {
		shown, rest = shown[:3], fmt.Sprintf(", and %d more", len(found)-3)
	}
	return fmt.Errorf("%s%s: %w", strings.Join(shown, "; "), rest, ErrForeign)
}

// mostBlob is the largest file in which a commit is searched for secrets, in bytes.
const mostBlob = 64 << 20

// clean looks for secrets in all that a push would add, of the workspace and of the rest of the repository.
func (s *sync) clean(ctx context.Context) error {
	out, err := s.Repo.run(ctx, nil, append([]string{"rev-list", "--objects"}, s.unpushed()...)...)
	if err != nil {
		return err
	}
	names := map[string]string{}
	var ids bytes.Buffer
	for line := range strings.Lines(string(out)) {
		if id, name, named := strings.Cut(strings.TrimRight(line, "\n"), " "); named && name != "" {
			names[id] = name
			ids.WriteString(id + "\n")
		}
	}
	if ids.Len() == 0 {
		return nil
	}
	sizes, err := s.Repo.run(ctx, ids.Bytes(), "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
	if err != nil {
		return err
	}
	var found []string
	var batch bytes.Buffer
	total := 0
	search := func() error {
		if batch.Len() == 0 {
			return nil
		}
		more, err := s.search(ctx, batch.Bytes(), names)
		found = append(found, more...)
		batch.Reset()
		total = 0
		return err
	}
	for line := range strings.Lines(string(sizes)) {
		var id, kind string
		var size int
		if _, err := fmt.Sscan(line, &id, &kind, &size); err != nil || kind != "blob" || size > mostBlob {
			continue
		}
		if total += size; total > mostBlob {
			if err := search(); err != nil {
				return err
			}
			total = size
		}
		batch.WriteString(id + "\n")
	}
	if err := search(); err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("%s: %w: take it out of the commits that aren't pushed yet", strings.Join(found, "; "), ErrSecrets)
	}
	return nil
}

// search looks for secrets in blobs, whose ids are a line each.
func (s *sync) search(ctx context.Context, ids []byte, names map[string]string) (found []string, err error) {
	out, err := s.Repo.run(ctx, ids, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	read := bufio.NewReader(bytes.NewReader(out))
	for {
		head, err := read.ReadString('\n')
		if err == io.EOF {
			return found, nil
		}
		var id, kind string
		var size int
		if _, err := fmt.Sscan(head, &id, &kind, &size); err != nil {
			return nil, fmt.Errorf("git cat-file: unexpected line %q", head)
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(read, text); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		if _, err := read.Discard(1); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		name := strings.TrimPrefix(names[id], s.Prefix)
		if kinds := s.Secrets(name, text); len(kinds) > 0 {
			found = append(found, fmt.Sprintf("%s (%s, in %.10s)", name, strings.Join(kinds, ", "), id))
		}
	}
}

// setAside takes what is staged, by others or withheld, out of git's index, and returns what puts it back: a merge needs an index without it.
func (s *sync) setAside(ctx context.Context) (back func() error, err error) {
	none := func() error { return nil }
	if s.unborn(ctx) {
		return none, nil
	}
	fields, err := s.names(ctx, "diff", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z", "HEAD", "--", ":(top)")
	if err != nil || len(fields) == 0 {
		return none, err
	}
	var put, drop bytes.Buffer
	for i := 0; i+1 < len(fields); i += 2 { // ":100644 100755 OLD NEW M", then the path from the top
		parts, name := strings.Fields(fields[i]), fields[i+1]
		if len(parts) != 5 {
			return none, fmt.Errorf("git diff: unexpected entry %q", fields[i])
		}
		fmt.Fprintf(&put, "%s %s\t%s\x00", parts[1], parts[3], name)
		fmt.Fprintf(&drop, ":(top,literal)%s\x00", name)
	}
	if _, err := s.Repo.run(ctx, drop.Bytes(), "reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
		return none, err
	}
	return func() error {
		if _, err := s.Repo.run(context.WithoutCancel(ctx), put.Bytes(), "update-index", "-z", "--index-info"); err != nil {
			return fmt.Errorf("stage again what was staged: %w", err)
		}
		return nil
	}, nil
}
