package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// tree is every file below a directory.
func tree(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	return files, err
}

// seen is what of a tree people see: all but the records of runs, the cache, who held the
// lock last, and the empty files with which "check" tries out the file system.
func seen(files map[string]string) map[string]string {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(name, text string) bool {
		return strings.HasPrefix(name, "ops/runs/") || strings.HasPrefix(name, "ops/cache/") || name == "ops/.lock" || text == "" && strings.Contains(name, "/.mem-tmp-")
	})
	return files
}

// lost lists the files of was whose bytes nothing in is holds any more: no file,
// no slot, no journal.
func lost(was, is map[string]string) (names []string) {
	there := map[[32]byte]bool{}
	for name, text := range is {
		there[sha256.Sum256([]byte(text))] = true
		if strings.HasPrefix(name, "ops/runs/") && filepath.Base(name) == "journal.json" {
			_, body, _ := strings.Cut(text, "\n")
			var j struct{ Files []struct{ Before []byte } }
			if json.Unmarshal([]byte(body), &j) == nil {
				for _, f := range j.Files {
					there[sha256.Sum256(f.Before)] = true
				}
			}
		}
	}
	for name, text := range was {
		if !there[sha256.Sum256([]byte(text))] && !strings.HasPrefix(is[name], text) { // it may have been appended to
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// open lists the runs of a tree that were committed and not finished.
func open(files map[string]string) (runs []string) {
	for name := range files {
		if run, ok := strings.CutSuffix(name, "/journal.json"); ok && strings.HasPrefix(name, "ops/runs/") {
			if _, done := files[run+"/done.json"]; !done {
				runs = append(runs, filepath.Base(run))
			}
		}
	}
	return runs
}

// outcomes are the trees before an attack, and after one that was let be.
type outcomes struct{ pre, post map[string]string }

// judge looks at a workspace after a kill. The next command has to finish what
// was committed, and to say so; then all is as before or as after.
func (a *attack) judge(exe, dir string, want outcomes, ended bool) (post bool, err error) {
	now, err := tree(dir)
	if err != nil {
		return false, err
	}
	if gone := lost(seen(want.pre), now); len(gone) > 0 {
		return false, fmt.Errorf("lost at the kill: %v", gone)
	}
	for name, text := range seen(now) { // a reader at that moment; what was broken before may still be
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(strings.TrimPrefix(text, "\ufeff"))) && want.pre[name] != text && !strings.HasPrefix(name, "ops/conflicts/") {
			return false, fmt.Errorf("%s is broken at the kill", name)
		}
	}
	unfinished := open(now)
	if len(unfinished) > 0 {
		stdout, _, code, err := call(exe, dir, after, "check")
		if err != nil || code != 3 || !strings.Contains(stdout, "interrupted") {
			return false, fmt.Errorf("check doesn't report %v: exit code %d, %w\n%s", unfinished, code, err, stdout)
		}
	}
	next, env := a.next()
	_, stderr, code, err := call(exe, dir, env, next...)
	if err != nil || code != 0 {
		return false, fmt.Errorf("the next command: exit code %d, %w\n%s", code, err, stderr)
	}
	for _, run := range unfinished {
		if !strings.Contains(stderr, "finished the run "+run) {
			return false, fmt.Errorf("the next command doesn't say that it has finished %s:\n%s", run, stderr)
		}
	}
	if now, err = tree(dir); err != nil {
		return false, err
	}
	if gone := lost(seen(want.pre), now); len(gone) > 0 {
		return false, fmt.Errorf("lost after recovery: %v", gone)
	}
	pre := maps.Equal(seen(now), want.pre) && !a.repeats()
	post = maps.Equal(seen(now), want.post)
	switch {
	case !pre && !post:
		return false, fmt.Errorf("neither as before nor as after: %s", differs(want.post, seen(now)))
	case ended && !post:
		return false, errors.New("the command had ended, and all is as before")
	case len(unfinished) > 0 && !post:
		return false, errors.New("the run was committed, and all is as before")
	case len(open(now)) > 0:
		return false, fmt.Errorf("still unfinished: %v", open(now))
	}
	for _, args := range [][]string{{"check"}, {"log", "--verify"}} {
		if stdout, stderr, code, err := call(exe, dir, after, args...); err != nil || code != 0 {
			return false, fmt.Errorf("memory %s: exit code %d, %w\n%s%s", strings.Join(args, " "), code, err, stdout, stderr)
		}
	}
	return post, nil
}

// differs names what differs between two trees.
func differs(want, got map[string]string) string {
	var lines []string
	for name, text := range want {
		if is, ok := got[name]; !ok {
			lines = append(lines, "no "+name)
		} else if is != text {
			lines = append(lines, "other "+name+":\n"+cmp.Diff(text, is))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			lines = append(lines, "a new "+name)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}
