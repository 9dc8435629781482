package watch

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// look compares the names, sizes and times of all files again and again.
func (f *follower) look(ctx context.Context) {
	tick := time.NewTicker(f.poll)
	defer tick.Stop()
	was := f.signature()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := f.check(); err != nil {
				f.emit(change{err: err})
				return
			}
			if is := f.signature(); is != was {
				was = is
				f.emit(change{all: true})
			}
		}
	}
}

// signature digests what can be told of the files without reading them.
func (f *follower) signature() uint64 {
	h := fnv.New64a()
	// What can't be listed or vanishes is a difference to the time when it could.
	_ = fs.WalkDir(os.DirFS(f.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if name != "." && ignored(name) {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err != nil {
			fmt.Fprintf(h, "%s\x00!\x00", name)
			return nil
		}
		if path.Ext(name) != ".json" && name != workspace.ConfigFile {
			return nil
		}
		if info, err := d.Info(); err == nil {
			fmt.Fprintf(h, "%s\x00%d %d\x00", name, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return h.Sum64()
}
