package gitsync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The first and the last line of the block that memoryd writes in files of git. It changes nothing outside of that block.
const (
	blockBegin = "# >>> memoryd >>>"
	blockEnd   = "# <<< memoryd <<<"
)

// attributes say which files the merge driver merges.
const attributes = "*.json merge=memory\n*.jsonl merge=memory\n"

// ignored is what a machine keeps for itself: what can be made anew, and records of its own runs.
const ignored = `/ops/*
!/ops/access/
!/ops/archive/
!/ops/logs/
!/ops/originals/
!/ops/reviews/
`

// ignoredIndexes are made anew by each machine.
const ignoredIndexes = "_index.json\n"

// Installed is what an installation changed.
type Installed struct {
	Files     []string // written, relative to the workspace
	Settings  []string // of .git/config
	Untracked []string // files that git no longer keeps; they stay on the disk
}

// settings of the repository that an installation makes. Those that somebody has set are left, but for the driver.
func (r *Repo) settings() [][2]string {
	return [][2]string{
		{"merge.memory.name", "memories"}, {"merge.memory.driver", r.Driver},
		// Else git takes the archiving of all memories of a directory for its renaming, and moves new ones behind them.
		{"merge.directoryRenames", "false"},
	}
}

// InstallOptions say how to set up a repository.
type InstallOptions struct {
	TrackIndexes bool // git keeps indexes too
	DryRun       bool // say what would be changed, and write nothing
}

// Install makes git merge memories by the driver, and leave out what each machine keeps for itself.
func (r *Repo) Install(ctx context.Context, o InstallOptions) (*Installed, error) {
	done := &Installed{Files: []string{}, Settings: []string{}, Untracked: []string{}}
	ignore := ignored
	if !o.TrackIndexes {
		ignore += ignoredIndexes
	}
	for _, f := range []struct{ name, body string }{{".gitattributes", attributes}, {".gitignore", ignore}} {
		changed, err := putBlock(filepath.Join(r.Dir, f.name), f.body, o.DryRun)
		if err != nil {
			return done, err
		}
		if changed {
			done.Files = append(done.Files, f.name)
		}
	}
	for _, s := range r.settings() {
		have, _ := r.local(ctx, s[0])
		if have == s[1] || have != "" && !strings.HasPrefix(s[0], "merge.memory.") {
			continue
		}
		if !o.DryRun {
			if _, err := r.run(ctx, nil, "config", "--local", s[0], s[1]); err != nil {
				return done, err
			}
		}
		done.Settings = append(done.Settings, s[0])
	}
	var err error
	args := []string{"ls-files", "-z", "--cached", "--ignored", "--exclude-standard"}
	if o.DryRun {
		args = append(args, r.excludes(ignore)...) // the file doesn't say so yet
	}
	if done.Untracked, err = r.names(ctx, append(args, "--", ".")...); err != nil || len(done.Untracked) == 0 || o.DryRun {
		return done, err
	}
	// "git rm" takes no list of files below the root of the work tree.
	_, err = r.run(ctx, []byte(strings.Join(done.Untracked, "\x00")+"\x00"), "update-index", "--force-remove", "-z", "--stdin")
	return done, err
}

// excludes are the patterns of the ignore file of the workspace as arguments of git, for which they begin at the root of the work tree.
func (r *Repo) excludes(ignore string) (args []string) {
	for line := range strings.Lines(ignore) {
		pattern := strings.TrimSuffix(line, "\n")
		not := ""
		if rest, ok := strings.CutPrefix(pattern, "!"); ok {
			not, pattern = "!", rest
		}
		if rest, ok := strings.CutPrefix(pattern, "/"); ok {
			pattern = "/" + r.Prefix + rest
		}
		args = append(args, "-x", not+pattern)
	}
	return args
}

// Uninstall takes back what Install did, but for files that git was told to keep no longer. With dry nothing is written.
func (r *Repo) Uninstall(ctx context.Context, dry bool) (*Installed, error) {
	done := &Installed{Files: []string{}, Settings: []string{}, Untracked: []string{}}
	for _, name := range []string{".gitattributes", ".gitignore"} {
		changed, err := putBlock(filepath.Join(r.Dir, name), "", dry)
		if err != nil {
			return done, err
		}
		if changed {
			done.Files = append(done.Files, name)
		}
	}
	for _, s := range r.settings() {
		if have, ok := r.local(ctx, s[0]); !ok || have != s[1] && !strings.HasPrefix(s[0], "merge.memory.") {
			continue
		}
		if !dry {
			if _, err := r.run(ctx, nil, "config", "--local", "--unset-all", s[0]); err != nil {
				return done, err
			}
		}
		done.Settings = append(done.Settings, s[0])
	}
	return done, nil
}

// local is a setting of the repository itself.
func (r *Repo) local(ctx context.Context, key string) (string, bool) {
	value, err := os.ReadFile(filepath.Join(r.dir, "config"))
	if err != nil || len(value) == 0 { // a linked work tree
		text, err := r.line(ctx, "config", "--local", "--get", key)
		return text, err == nil
	}
	text, err := r.line(ctx, "config", "--file", filepath.Join(r.dir, "config"), "--get", key)
	return text, err == nil
}

// Ready says what keeps this clone from merging memories by the driver; "" for nothing.
func (r *Repo) Ready(ctx context.Context) string {
	switch text, err := os.ReadFile(filepath.Join(r.Dir, ".gitattributes")); {
	case err != nil || !strings.Contains(string(text), "merge=memory"):
		return "this clone has no .gitattributes that names the merge driver"
	}
	driver, ok := r.local(ctx, "merge.memory.driver")
	if !ok || driver == "" {
		return "this clone has no merge driver for memories: git will report conflicts"
	}
	if err := r.tryDriver(ctx, driver); err != nil {
		return fmt.Sprintf("the merge driver of this clone doesn't work, so that git leaves one side of a merge out (%v)", err)
	}
	return ""
}

// tryDriver merges a small document by a merge driver as git would run it: by git's shell.
func (r *Repo) tryDriver(ctx context.Context, driver string) error {
	dir, err := os.MkdirTemp("", "memory-driver-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing but these three files
	quoted := func(name string) string {
		return "'" + strings.ReplaceAll(filepath.ToSlash(filepath.Join(dir, name)), "'", `'\''`) + "'"
	}
	for name, text := range map[string]string{"base": "{}", "ours": `{"a":1}`, "theirs": `{"b":2}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	line := strings.NewReplacer("%O", quoted("base"), "%A", quoted("ours"), "%B", quoted("theirs"), "%P", "'try.json'").Replace(driver)
	if _, err := r.run(ctx, nil, "-c", "alias.memory-try=!"+line, "memory-try"); err != nil {
		return err
	}
	merged, err := os.ReadFile(filepath.Join(dir, "ours"))
	if err == nil && (!bytes.Contains(merged, []byte(`"a"`)) || !bytes.Contains(merged, []byte(`"b"`))) {
		err = errors.New("it did not merge")
	}
	return err
}

// Unmerged names the files of the workspace that git could not merge.
func (r *Repo) Unmerged(ctx context.Context) ([]string, error) {
	names, err := r.names(ctx, "diff", "--name-only", "--diff-filter=U", "--relative", "-z", "--", ".")
	return slices.Compact(names), err
}

// Expects reports whether somebody has made git merge memories by the driver, on whatever machine.
func Expects(workspace string) bool {
	text, err := os.ReadFile(filepath.Join(workspace, ".gitattributes"))
	return err == nil && strings.Contains(string(text), "merge=memory")
}

// putBlock writes the block of memoryd in a file, in the place of an earlier one; an empty body takes it out, and the file with it
// where nothing else is there. With dry it only says whether that would change the file.
func putBlock(name, body string, dry bool) (changed bool, err error) {
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	next := withBlock(string(old), body)
	switch {
	case next == string(old):
		return false, nil
	case dry:
		return true, nil
	case next == "":
		return true, os.Remove(name)
	}
	return true, replaceFile(name, []byte(next))
}

// replaceFile writes a file whole or not at all.
func replaceFile(name string, text []byte) error {
	tmp := name + ".memory-new"
	if err := os.WriteFile(tmp, text, 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, name); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// withBlock is a text with the block between the marks. A block without an end goes as far as the text.
func withBlock(text, body string) string {
	before, rest, found := strings.Cut(text, blockBegin)
	after := ""
	if found {
		if _, behind, ended := strings.Cut(rest, blockEnd); ended {
			after = strings.TrimPrefix(strings.TrimPrefix(behind, "\r"), "\n")
		}
	}
	if body == "" {
		return before + after
	}
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return before + blockBegin + "\n" + body + blockEnd + "\n" + after
}
