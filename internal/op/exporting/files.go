package exporting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Options say which memories are written, and how.
type Options struct {
	Scope  *memory.Scope // only those of it; nil for all
	Store  string        // only what was imported from it, by its directory or its name; "" for all
	Format foreign.Format
	To     string    // a directory or a file; Stdout for the text alone
	Dir    paths.Dir // where relative paths begin
	Force  bool      // files are overwritten
	DryRun bool
}

// Stdout is where to write what becomes one text.
const Stdout = "-"

// Result is what was written. The command line prints it as it is for --json.
type Result struct {
	Memories int              `json:"memories"`
	DryRun   bool             `json:"dry_run,omitempty"`
	Files    []File           `json:"files"`
	Misfits  []foreign.Misfit `json:"misfits"`
	Text     []byte           `json:"-"` // for Stdout
}

// File is one that was written.
type File struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
}

// Files writes the live memories of a workspace, in the directory home, into files of a format. Unless they may be overwritten,
// it writes nothing if one of the files is there.
func Files(ctx context.Context, snap *memory.Snapshot, home string, o Options) (*Result, error) {
	memories, err := chosen(snap, o)
	if err != nil {
		return nil, err
	}
	files, misfits := foreign.Write(o.Format, memories)
	result := &Result{Memories: len(memories), DryRun: o.DryRun, Files: []File{}, Misfits: append([]foreign.Misfit{}, misfits...)}
	single := o.Format == foreign.Graph || o.Format == foreign.Lines || o.Format == foreign.Document
	if o.To == Stdout {
		if !single || len(files) != 1 {
			return nil, severalFiles(files)
		}
		result.Text = files[0].Text
		return result, nil
	}
	dir := o.Dir.Resolve(o.To)
	info, err := os.Stat(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("export: %w", err)
	}
	isDir := err == nil && info.IsDir() || strings.HasSuffix(o.To, "/")
	if single && !isDir && (len(files) == 1 || err == nil || filepath.Ext(dir) != "") {
		if len(files) != 1 {
			return nil, severalFiles(files)
		}
		files[0].Name, dir = filepath.Base(dir), filepath.Dir(dir)
	}
	if err := outside(home, dir, o.Dir); err != nil {
		return nil, err
	}
	for _, f := range files {
		result.Files = append(result.Files, File{filepath.ToSlash(o.Dir.Short(filepath.Join(dir, filepath.FromSlash(f.Name)))), len(f.Text)})
	}
	return result, put(ctx, dir, files, o)
}

func severalFiles(files []foreign.File) error {
	return fail.Usagef("these are %s: name a directory", app.Quantity(len(files), "file"))
}

// chosen are the memories that the options ask for: at least one.
func chosen(snap *memory.Snapshot, o Options) (memories []*memory.Memory, err error) {
	dir := ""
	if o.Store != "" {
		if real, err := filepath.EvalSymlinks(o.Dir.Resolve(o.Store)); err == nil {
			dir = filepath.ToSlash(real)
		}
	}
	for _, m := range snap.Memories() {
		if o.Scope != nil && !o.Scope.Covers(m.Scope) {
			continue
		}
		if m.Raw() == nil {
			return nil, &fail.Error{Err: fmt.Errorf("%s: %s changed meanwhile: try again", m.ID, m.Ref), Code: fail.ExitStale}
		}
		if o.Store != "" {
			if s := foreign.SourceOf(m); s == nil || s.Store != o.Store && s.Store != dir {
				continue
			}
		}
		if m, err = memory.Telling(m); err != nil {
			return nil, fmt.Errorf("export %s: %w", m.ID, err)
		}
		memories = append(memories, m)
	}
	if len(memories) == 0 {
		return nil, fail.Errorf(fail.ExitNotFound, "there is no memory to export")
	}
	return memories, nil
}

// outside refuses to write into the workspace, where files would be memories again.
func outside(home, dir string, from paths.Dir) error {
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		return err
	}
	for at := dir; ; at = filepath.Dir(at) { // the part of it that exists
		real, err := filepath.EvalSymlinks(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if _, inside := paths.Below(home, real); inside {
			return fail.Usagef("%s lies in the workspace, where its files would be memories: name another place", from.Short(dir))
		}
		return nil
	}
}

// put writes files below a directory: none when one of them is there, unless they may be overwritten. Links below the directory
// that lead out of it are not followed; a file that is overwritten is whole, or as it was.
func put(ctx context.Context, dir string, files []foreign.File, o Options) (err error) {
	if !o.Force {
		for _, f := range files {
			name := filepath.Join(dir, filepath.FromSlash(f.Name))
			if _, err := os.Lstat(name); err == nil {
				return fail.WithHint(fmt.Errorf("%s is there already: nothing was written", o.Dir.Short(name)), "--force overwrites it")
			}
		}
	}
	if o.DryRun {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := putFile(root, f, o.Force); err != nil {
			return fmt.Errorf("write %s: %w", o.Dir.Short(filepath.Join(dir, f.Name)), err)
		}
	}
	return nil
}

// putFile writes a new file, or one beside a file that may be overwritten, to take its place in one step.
func putFile(root *os.Root, f foreign.File, force bool) error {
	name := filepath.FromSlash(f.Name)
	if d := path.Dir(f.Name); d != "." {
		if err := root.MkdirAll(filepath.FromSlash(d), 0o755); err != nil {
			return err
		}
	}
	at := name
	if force {
		at += fmt.Sprintf(".memory-new-%d", os.Getpid())
	}
	file, err := root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil && force {
		err = root.Rename(at, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(at))
	}
	return nil
}
