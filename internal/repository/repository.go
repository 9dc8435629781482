// Package repository finds what a code repository no longer has: paths, symbols and commits that memories name.
//
// What the repository has is read from its files. That it once had what is missing is asked of git, if git is there: only then is a path of which no
// part is known, or a symbol by itself, reported. Without git, or where the history is cut off (a shallow clone), a path counts as gone if its first
// directory is there, and a symbol if the package, file or directory is that it is said to be a member of. Hashes are checked by git only.
//
// Nothing is written, and no hook of the repository runs. A file that can't be read has no symbols. Files of more than 1 MiB and
// prose have none either: what only a document mentions is not in the code.
package repository

import (
	"bytes"
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

	"github.com/memoryd/memoryd/pkg/coderef"
	"github.com/memoryd/memoryd/pkg/text"
)

// Repository is a directory with code.
type Repository struct {
	Dir string

	files  map[string]bool     // paths below Dir, with slashes
	byBase map[string][]string // the same by their last part
	dirs   map[string]bool     // paths of directories
	names  map[string]bool     // what a member may be of: names of directories, and of files without their extension
	git    *git                // nil: git isn't there, or it is not a repository of git
}

// Note is a memory as it is checked.
type Note struct{ ID, Text string }

// Gone is something that a memory names and that the repository has no longer.
type Gone struct {
	MemoryID string       `json:"id"`
	Kind     coderef.Kind `json:"kind"`
	Name     string       `json:"name"`
	Now      string       `json:"now,omitempty" jsonschema:"where a file is instead"`
	Commit   string       `json:"commit,omitempty" jsonschema:"that has taken it away, if git knows"`
}

// String says it in a few words.
func (g Gone) String() string {
	switch {
	case g.Now != "":
		return fmt.Sprintf("%s, now %s", g.Name, g.Now)
	case g.Commit != "":
		return fmt.Sprintf("%s, gone since %s", g.Name, g.Commit)
	}
	return g.Name + ", gone"
}

// Open reads which files a directory has; what is below skip, which may be "", is none of them.
func Open(ctx context.Context, dir, skip string) (*Repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("open the repository: %s is not a directory", dir)
	}
	r := &Repository{Dir: dir, files: map[string]bool{}, byBase: map[string][]string{}, dirs: map[string]bool{}, names: map[string]bool{}}
	var list []string
	if r.git, list = openGit(ctx, dir); r.git == nil {
		if list, err = walk(dir); err != nil {
			return nil, fmt.Errorf("open the repository: %w", err)
		}
	}
	below, err := filepath.Rel(dir, skip)
	if skip == "" || err != nil || below == "." || strings.HasPrefix(below, "..") {
		below = ""
	}
	for _, name := range list {
		if below == "" || !strings.HasPrefix(name, filepath.ToSlash(below)+"/") {
			r.know(name)
		}
	}
	return r, ctx.Err()
}

func (r *Repository) know(name string) {
	base := path.Base(name)
	r.files[name] = true
	r.byBase[base] = append(r.byBase[base], name)
	r.names[strings.TrimSuffix(base, path.Ext(base))] = true
	for dir := path.Dir(name); dir != "." && !r.dirs[dir]; dir = path.Dir(dir) {
		r.dirs[dir] = true
		r.names[path.Base(dir)] = true
	}
}

// walk lists the files of a directory that is none of git, without what tools keep there.
func walk(dir string) (list []string, err error) {
	skipped := text.NewSet("node_modules vendor target dist build __pycache__ venv .git .hg .svn .venv .tox .nox .mypy_cache .pytest_cache .ruff_cache .cache .next .nuxt .gradle .terraform .idea .memory")
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name == dir:
			return err
		case err != nil:
			return nil // what can't be read has no files
		case e.IsDir() && name != dir && skipped.Has(e.Name()):
			return fs.SkipDir
		case e.Type().IsRegular():
			below, err := filepath.Rel(dir, name)
			list = append(list, filepath.ToSlash(below))
			return err
		}
		return nil
	})
	return list, err
}

// Check lists what notes name and the repository no longer has, in their order. Unasked is how many symbols were
// not looked for, since there were too many or ctx was done.
func (r *Repository) Check(ctx context.Context, notes []Note) (gone []Gone, unasked int, err error) {
	refs := make([][]coderef.Reference, len(notes))
	wanted, hashes := map[string]bool{}, map[string]bool{}
	for i := range notes {
		refs[i] = coderef.Find(notes[i].Text)
		for _, ref := range refs[i] {
			switch ref.Kind {
			case coderef.Symbol:
				wanted[ref.Text] = false
			case coderef.Commit:
				hashes[ref.Text] = true
			}
		}
	}
	r.look(wanted)
	missing, err := r.git.missing(ctx, hashes)
	if err != nil {
		return nil, 0, err
	}
	if err := r.recall(ctx, refs); err != nil {
		return nil, 0, err
	}
	var nowhere []string
	for _, word := range slices.Sorted(maps.Keys(wanted)) {
		if !wanted[word] {
			nowhere = append(nowhere, word)
		}
	}
	removed, known := r.git.removed(ctx, nowhere[:min(len(nowhere), maxAsked)])
	if unasked = max(len(nowhere)-maxAsked, 0); !known {
		unasked = len(nowhere)
	}
	for i := range notes {
		for _, ref := range refs[i] {
			g := Gone{MemoryID: notes[i].ID, Kind: ref.Kind, Name: ref.Text}
			switch ref.Kind {
			case coderef.Path:
				is := false
				if g.Now, g.Commit, is, err = r.path(ctx, ref.Text); err != nil {
					return nil, 0, err
				} else if !is {
					continue
				}
			case coderef.Commit:
				if !missing[ref.Text] {
					continue
				}
			case coderef.Symbol:
				if wanted[ref.Text] {
					continue
				}
				is := false
				if g.Commit, is = r.symbol(ref, removed); !is {
					continue
				}
				if ref.Of != "" {
					g.Name = ref.Of + "." + g.Name
				}
			}
			gone = append(gone, g)
		}
	}
	return gone, unasked, nil
}

// recall reads the history if a path is missing, before git is asked about symbols, for which the time may not be enough.
func (r *Repository) recall(ctx context.Context, refs [][]coderef.Reference) error {
	for _, list := range refs {
		for _, ref := range list {
			if ref.Kind == coderef.Path && !r.has(ref.Text) {
				_, err := r.git.history(ctx)
				return err
			}
		}
	}
	return nil
}

// has reports whether there is a file or directory of that path, or of a path that ends so.
func (r *Repository) has(name string) bool {
	if r.files[name] || r.dirs[name] {
		return true
	}
	if slices.ContainsFunc(r.byBase[path.Base(name)], func(full string) bool { return strings.HasSuffix(full, "/"+name) || name == path.Base(full) }) {
		return true
	}
	_, err := os.Lstat(filepath.Join(r.Dir, filepath.FromSlash(name))) // git may ignore it
	return !errors.Is(err, fs.ErrNotExist)
}

// path tells whether a path is gone, where the file is now, and which commit has taken it away.
func (r *Repository) path(ctx context.Context, name string) (now, commit string, gone bool, err error) {
	if r.has(name) {
		return "", "", false, nil
	}
	history, err := r.git.history(ctx)
	if err != nil {
		return "", "", false, err
	}
	if history == nil { // nobody knows what was
		first, _, below := strings.Cut(name, "/")
		return "", "", below && r.dirs[first], nil
	}
	was, ok := history.find(name)
	if !ok {
		return "", "", false, nil
	}
	for at, n := was, 0; n < len(history.moved); n++ { // a file may have been moved often, even in a circle
		if at, ok = history.moved[at]; !ok {
			break
		}
		if r.files[at] {
			return at, "", true, nil
		}
	}
	return "", history.removed[was], true, nil
}

// symbol tells whether a symbol that is nowhere in the code is gone, and by which commit.
func (r *Repository) symbol(ref coderef.Reference, removed map[string]string) (commit string, gone bool) {
	if r.git == nil || r.git.shallow {
		return "", ref.Of != "" && r.names[ref.Of]
	}
	commit, gone = removed[ref.Text]
	return commit, gone
}

// prose are the extensions of files that tell of code.
func prose() []string { return []string{".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".jsonl"} }

const maxFile = 1 << 20

// look notes which of the wanted words stand in a file of code.
func (r *Repository) look(wanted map[string]bool) {
	if len(wanted) == 0 {
		return
	}
	for name := range r.files {
		full := filepath.Join(r.Dir, filepath.FromSlash(name))
		info, err := os.Lstat(full)
		if slices.Contains(prose(), strings.ToLower(path.Ext(name))) || err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			continue
		}
		content, err := os.ReadFile(full)
		if err != nil || bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0 {
			continue
		}
		words(content, func(word []byte) {
			if found, ok := wanted[string(word)]; ok && !found {
				wanted[string(word)] = true
			}
		})
	}
}

// words calls yield for each identifier of ASCII letters, digits and underscores.
func words(content []byte, yield func([]byte)) {
	start := -1
	for i, c := range content {
		in := c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if in && start < 0 {
			start = i
		} else if !in && start >= 0 {
			yield(content[start:i])
			start = -1
		}
	}
	if start >= 0 {
		yield(content[start:])
	}
}
