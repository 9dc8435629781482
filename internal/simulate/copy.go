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
)

// Copy copies what belongs to a workspace into an empty directory: no hidden files, no
// links, nothing that can be made again. done is called with how many files have been copied.
func Copy(ctx context.Context, from, to string, done func(n int)) error {
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
		case strings.HasPrefix(d.Name(), "."), filepath.ToSlash(rel) == memory.OpsDir+"/cache":
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
	return errors.Join(err, out.Close())
}

// bytesOf adds up the files that hold live memories.
func bytesOf(dir string, snap *memory.Snapshot) (sum int64, err error) {
	seen := map[string]bool{}
	for _, m := range snap.Memories() {
		if seen[m.File] {
			continue
		}
		seen[m.File] = true
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(m.File)))
		if err != nil {
			return 0, err
		}
		sum += info.Size()
	}
	return sum, nil
}
