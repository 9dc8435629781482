// Package auditing checks the files of a repository that agents read. It changes nothing.
package auditing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/notefiles"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/repository"
	"github.com/memoryd/memoryd/pkg/audit"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Options say what is checked.
type Options struct {
	Paths    []string  // files and directories; none: the current directory
	Dir      paths.Dir // where relative paths begin
	Since    string    // only files that differ from this revision of git; "" for all
	Baseline string    // a file with a report: what it lists is left out; "" for none
	Note     func(text string)
}

// place is a repository, or a directory that is in none, and what of it is checked.
type place struct {
	root  string
	files []string // relative to root
	dirs  []string
}

// Run checks the files. Where they are of several repositories, the names in the report begin with the directory of each.
func Run(ctx context.Context, o Options) (*document.Findings, error) {
	if len(o.Paths) == 0 {
		o.Paths = []string{"."}
		if root := repository.Root(ctx, o.Dir.Resolve(".")); root != "" {
			o.Paths[0] = root
		}
	}
	places, err := placesOf(ctx, o)
	if err != nil {
		return nil, err
	}
	known, err := readBaseline(o)
	if err != nil {
		return nil, err
	}
	doc := &document.Findings{Findings: []audit.Finding{}}
	for _, p := range places {
		report, err := check(ctx, p, o)
		if err != nil {
			return nil, err
		}
		doc.Files += len(report.Files)
		for _, f := range report.Findings {
			if known[f.Print] {
				doc.Known++
				continue
			}
			if len(places) > 1 {
				f.Path = path.Join(filepath.ToSlash(o.Dir.Short(p.root)), f.Path)
			}
			doc.Add(f)
		}
	}
	return doc, nil
}

// placesOf finds the repositories that paths are in.
func placesOf(ctx context.Context, o Options) (places []*place, err error) {
	here := o.Dir.Resolve(".")
	for _, name := range o.Paths {
		full := o.Dir.Resolve(name)
		info, err := os.Stat(full)
		if err != nil {
			if errors.Is(err, os.ErrNotExist) {
				return nil, notefiles.NotFound(name)
			}
			return nil, fmt.Errorf("check %s: %w", name, err)
		}
		dir := full
		if !info.IsDir() {
			dir = filepath.Dir(full)
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			full = filepath.Join(real, strings.TrimPrefix(full, dir))
			dir = real
		}
		root := repository.Root(ctx, dir)
		if root == "" {
			root = dir
			if _, ok := within(here, full); ok && !info.IsDir() {
				root = here
			}
		}
		rel, ok := within(root, full)
		if !ok {
			root, rel = dir, filepath.Base(full)
			if info.IsDir() {
				rel = "."
			}
		}
		i := slices.IndexFunc(places, func(p *place) bool { return p.root == root })
		if i < 0 {
			i = len(places)
			places = append(places, &place{root: root})
		}
		if info.IsDir() {
			places[i].dirs = append(places[i].dirs, rel)
		} else {
			places[i].files = append(places[i].files, rel)
		}
	}
	return places, nil
}

// within is a name relative to a directory, slash-separated, if it lies there.
func within(dir, name string) (string, bool) {
	rel, err := filepath.Rel(dir, name)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// mostText bounds a file that is read.
const mostText = 4 << 20

// check checks the files of one place.
func check(ctx context.Context, p *place, o Options) (*audit.Report, error) {
	repo, err := repository.Open(ctx, p.root, "")
	if err != nil {
		return nil, err
	}
	names := repo.Files()
	for _, dir := range p.dirs { // a directory that git ignores is read if somebody names it
		if dir != "." && !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, dir+"/") }) {
			return check(ctx, &place{root: filepath.Join(p.root, filepath.FromSlash(dir)), dirs: []string{"."}}, Options{Note: o.Note})
		}
	}
	var changed []string
	if o.Since != "" {
		if changed, err = repo.Changed(ctx, o.Since); err != nil {
			return nil, fail.WithHint(fmt.Errorf("--changed-since %s: %w", o.Since, err), "name a revision that git knows here; a shallow clone may lack it")
		}
	}
	for _, name := range p.files {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	texts := sync.Map{}
	tree := audit.Tree{
		Dir: filepath.ToSlash(p.root), Files: names, Ignored: repo.Ignores(),
		There: func(name string) bool {
			_, err := os.Lstat(filepath.Join(p.root, filepath.FromSlash(name)))
			return err == nil
		},
		Text: func(name string) []byte {
			if known, ok := texts.Load(name); ok {
				return known.([]byte)
			}
			text := readText(filepath.Join(p.root, filepath.FromSlash(name)))
			texts.Store(name, text)
			return text
		},
		Past: func(names []string) map[string]audit.Past {
			lost, err := repo.Lost(ctx, names)
			if err != nil {
				o.Note("the history of git could not be read: " + err.Error())
			}
			all := map[string]audit.Past{}
			for name, l := range lost {
				all[name] = audit.Past(l)
			}
			return all
		},
	}
	report := audit.Check(tree, p.files, func(name string) bool {
		return (o.Since == "" || slices.Contains(changed, name)) && slices.ContainsFunc(p.dirs, func(dir string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") })
	}, secrets.Default())
	return &report, ctx.Err()
}

// readText is the text of a regular file; nil for any other, and for one that is too large or can't be read.
func readText(name string) []byte {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostText {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return text
}

// readBaseline is the fingerprints of an earlier report.
func readBaseline(o Options) (map[string]bool, error) {
	if o.Baseline == "" {
		return nil, nil
	}
	text, err := os.ReadFile(o.Dir.Resolve(o.Baseline))
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	var doc document.Findings
	if err := json.Unmarshal(text, &doc); err != nil || doc.Findings == nil {
		return nil, fail.WithHint(fmt.Errorf("--baseline %s: not a report of findings", o.Baseline), `"memory check --ci --json" writes one`)
	}
	known := map[string]bool{}
	for _, f := range doc.Findings {
		known[f.Print] = true
	}
	return known, nil
}
