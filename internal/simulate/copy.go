package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Copy copies what belongs to a workspace into an empty directory: no links, no cache, and hidden files only
// with hidden. done is called with how many files have been copied.
func Copy(ctx context.Context, from, to string, hidden bool, done func(n int)) error {
	n := 0
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) && name != from {
			return nil // moved meanwhile
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		switch {
		case rel == ".":
			return nil
		case !hidden && strings.HasPrefix(d.Name(), "."), d.IsDir() && d.Name() == ".git", filepath.ToSlash(rel) == memory.OpsDir+"/cache":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		if err := copyFile(name, filepath.Join(to, rel)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		n++
		done(n)
		return nil
	})
	if err != nil {
		return fmt.Errorf("copy the workspace: %w", err)
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime()) // by which a note without times is dated
}

// bytesOf adds up the files that hold live memories.
func bytesOf(docs workspace.Documents, snap *memory.Snapshot) (sum int64, err error) {
	seen := map[string]bool{}
	for _, m := range snap.Memories() {
		if seen[m.File] {
			continue
		}
		seen[m.File] = true
		info, err := docs.Stat(m.File)
		if err != nil {
			return 0, err
		}
		sum += info.Size
	}
	return sum, nil
}
