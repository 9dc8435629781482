package repository

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
)

// git asks git about a repository. A nil one knows nothing.
type git struct {
	dir     string
	shallow bool // what was isn't known, or not all of it
	past    *history
}

// history is what a repository once had.
type history struct {
	moved   map[string]string   // where a file was moved to last
	removed map[string]string   // by path: the last commit that has removed it or moved it away
	byBase  map[string][]string // paths by their last part, the latest first
}

// openGit lists the files of a repository of git, those that it doesn't know yet too; nil if dir is in none, or git isn't there.
func openGit(ctx context.Context, dir string) (*git, []string) {
	g := &git{dir: dir}
	out, err := g.run(ctx, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, nil
	}
	shallow, err := g.run(ctx, nil, "rev-parse", "--is-shallow-repository")
	_, empty := g.run(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD") // it has no commit
	g.shallow = err != nil || empty != nil || strings.TrimSpace(string(shallow)) != "false"
	var list []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if _, err := os.Lstat(path.Join(dir, name)); name != "" && err == nil {
			list = append(list, name)
		}
	}
	return g, list
}

// run runs a command of git that only reads.
func (g *git) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	command := strings.TrimPrefix(strings.Join(args[:min(2, len(args))], " "), "--literal-pathspecs ")
	args = append([]string{"-C", g.dir, "-c", "core.quotepath=false", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "--no-pager", "--no-optional-locks"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1")
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s in %s: %w", command, g.dir, err)
	}
	return out, nil
}

// history reads the past, once; nil where it isn't known.
func (g *git) history(ctx context.Context) (*history, error) {
	if g == nil || g.shallow {
		return nil, nil
	}
	if g.past != nil {
		return g.past, nil
	}
	out, err := g.run(ctx, nil, "log", "--format=%x01%h", "--name-status", "-M", "--diff-filter=DR", "--relative", "-z")
	if err != nil {
		return nil, err
	}
	g.past = parseHistory(string(out))
	return g.past, nil
}

// parseHistory reads "\x01HASH", then "D", PATH or "R097", OLD, NEW, all with NUL behind them; the latest commit comes first.
func parseHistory(out string) *history {
	h := &history{map[string]string{}, map[string]string{}, map[string][]string{}}
	fields := strings.Split(out, "\x00")
	commit := ""
	for i := 0; i < len(fields); i++ {
		field := strings.TrimLeft(fields[i], "\n")
		switch {
		case strings.HasPrefix(field, "\x01"):
			commit = field[1:]
		case field == "D" && i+1 < len(fields):
			h.note(fields[i+1], "", commit)
			i++
		case strings.HasPrefix(field, "R") && i+2 < len(fields):
			h.note(fields[i+1], fields[i+2], commit)
			i += 2
		}
	}
	return h
}

func (h *history) note(name, now, commit string) {
	if _, ok := h.removed[name]; ok {
		return
	}
	h.removed[name] = commit
	h.byBase[path.Base(name)] = append(h.byBase[path.Base(name)], name)
	if now != "" {
		h.moved[name] = now
	}
}

// find is the path that was there last and is this one, or ends so.
func (h *history) find(name string) (string, bool) {
	if _, ok := h.removed[name]; ok {
		return name, true
	}
	for _, full := range h.byBase[path.Base(name)] {
		if strings.HasSuffix(full, "/"+name) {
			return full, true
		}
	}
	return "", false
}

// missing are the hashes that name no commit.
func (g *git) missing(ctx context.Context, hashes map[string]bool) (map[string]bool, error) {
	if g == nil || g.shallow || len(hashes) == 0 {
		return nil, nil
	}
	var in bytes.Buffer
	for hash := range hashes {
		fmt.Fprintf(&in, "%s\n", hash)
	}
	out, err := g.run(ctx, in.Bytes(), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	missing := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if hash, ok := strings.CutSuffix(strings.TrimSpace(line), " missing"); ok {
			missing[hash] = true
		}
	}
	return missing, nil
}

// maxAsked is how many words git is asked about: each makes the pattern longer that every change is held against.
const maxAsked = 200

// removed tells which commit was the last to take each of some words out of a line of code, in one walk through the history. A word that no
// commit has taken out is absent; known is false if git couldn't say in time.
func (g *git) removed(ctx context.Context, list []string) (commits map[string]string, known bool) {
	commits = map[string]string{}
	if g == nil || g.shallow || len(list) == 0 {
		return commits, true
	}
	args := []string{"log", "--format=%x01%h", "-p", "-U0", "--no-ext-diff", "--no-textconv", "--no-color", "-G", strings.Join(list, "|"), "--", "."}
	for _, ext := range append(prose(), ".json") {
		args = append(args, ":(exclude,glob)**/*"+ext)
	}
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return commits, false
	}
	wanted := map[string]bool{}
	for _, word := range list {
		wanted[word] = true
	}
	commit := ""
	for line := range bytes.Lines(out) {
		switch {
		case line[0] == '\x01':
			commit = string(bytes.TrimSpace(line[1:]))
		case line[0] == '-' && !bytes.HasPrefix(line, []byte("--- ")):
			words(line, func(word []byte) {
				if _, ok := commits[string(word)]; !ok && wanted[string(word)] {
					commits[string(word)] = commit
				}
			})
		}
	}
	return commits, true
}
