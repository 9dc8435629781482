package gitsync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/internal/fail"
)

// Why git can't be used.
var (
	ErrNoGit        = errors.New("git is not installed, or not on the PATH")
	ErrNoRepository = errors.New("the workspace lies in no git repository")
)

// Repo is the repository that a workspace lies in.
type Repo struct {
	Dir    string // the workspace
	Prefix string // of the workspace in the work tree: "" or "mem/"
	Driver string // the command by which git merges files of memoryd
	dir    string // where git keeps its own files
	git    string
}

// Open finds the repository of a workspace; driver is the program that merges.
func Open(ctx context.Context, workspace, driver string) (*Repo, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fail.WithHint(ErrNoGit, "install git, then try again; nothing else of memoryd needs it")
	}
	r := &Repo{Dir: workspace, git: git, Driver: driverLine(driver)}
	if r.Prefix, err = r.line(ctx, "rev-parse", "--show-prefix"); err != nil {
		return nil, noRepository(workspace)
	}
	if inside, err := r.line(ctx, "rev-parse", "--is-inside-work-tree"); err != nil || inside != "true" {
		return nil, noRepository(workspace)
	}
	if r.dir, err = r.line(ctx, "rev-parse", "--git-dir"); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(r.dir) {
		r.dir = filepath.Join(workspace, r.dir)
	}
	return r, nil
}

func noRepository(dir string) error {
	return fail.WithHint(fmt.Errorf("%w: %s", ErrNoRepository, dir), "git init, or git clone, then try again")
}

// Inside reports whether a directory lies in a work tree of git, as far as that is seen without git.
func Inside(dir string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}

// driverLine is the command that git is given: the shell runs it.
func driverLine(program string) string {
	return "'" + strings.ReplaceAll(filepath.ToSlash(program), "'", `'\''`) + "' merge-file --quiet %O %A %B %P"
}

// line is what a command prints, without the end of the line.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, nil, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

// names is what a command prints with -z.
func (r *Repo) names(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.run(ctx, nil, args...)
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 }), err
}

// runError is a command of git that failed.
type runError struct {
	args []string
	text string
	code int
}

func (e *runError) Error() string {
	return "git " + e.args[0] + ": " + strings.Join(strings.Fields(e.text), " ")
}

// run runs git in the workspace: without hooks, without questions, and with the driver, whatever the settings say.
func (r *Repo) run(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	return r.runWith(ctx, nil, in, args...)
}

// runWith is run with more in the environment.
func (r *Repo) runWith(ctx context.Context, env []string, in []byte, args ...string) ([]byte, error) {
	own := []string{
		"-C", r.Dir, "-c", "core.hooksPath=" + os.DevNull, "-c", "core.quotePath=false", "-c", "merge.directoryRenames=false",
		"-c", "merge.memory.name=memories", "-c", "merge.memory.driver=" + r.Driver,
	}
	cmd := exec.CommandContext(ctx, r.git, append(own, args...)...)
	cmd.Env = append(environ(), env...)
	cmd.Stdin = bytes.NewReader(in)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if ctx.Err() == nil && errors.As(err, &exit) {
			text := failed.String()
			if strings.TrimSpace(text) == "" {
				text = out.String()
			}
			return out.Bytes(), &runError{args, text, exit.ExitCode()}
		}
		return nil, fmt.Errorf("git %s: %w", args[0], errors.Join(ctx.Err(), err))
	}
	return out.Bytes(), nil
}

// environ is that of this process without what leads git to another repository, as in a hook of git.
func environ() (env []string) {
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR":
		default:
			env = append(env, v)
		}
	}
	return append(env, "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_MERGE_AUTOEDIT=no", "LC_ALL=C")
}

// identity are the options that git needs for a commit where user.name and user.email are not set.
func (r *Repo) identity(ctx context.Context, machine string) []string {
	if mail, err := r.line(ctx, "config", "user.email"); err == nil && mail != "" {
		return nil
	}
	return []string{"-c", "user.name=" + machine, "-c", "user.email=" + machine + "@localhost"}
}

// unfinished says what somebody has begun and not finished; "" for nothing.
func (r *Repo) unfinished(ctx context.Context) (string, error) {
	for _, s := range []struct{ file, what string }{
		{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
	} {
		if _, err := os.Stat(filepath.Join(r.dir, s.file)); err == nil {
			return s.what, nil
		}
	}
	unmerged, err := r.names(ctx, "ls-files", "-u", "-z")
	if len(unmerged) > 0 {
		return "merge", err
	}
	return "", err
}
