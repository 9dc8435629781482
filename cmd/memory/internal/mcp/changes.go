package mcp

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// changes listens to what the system tells of changes in the directories of
// memories. To look at all files instead costs 40 ms for 10,000 and half a second for
// 100,000 (FileStore.Load with Reuse, two cores).
type changes struct {
	dir     string
	log     *slog.Logger
	watcher *fsnotify.Watcher
	heard   atomic.Bool // something has changed since it was last asked
	rooms   atomic.Bool // a directory may have been added
	deaf    atomic.Bool // nothing is heard any more
}

// listen begins to listen. Where the system can't tell of directories as a whole,
// or nothing can be heard for another reason, it is deaf.
func listen(dir string, remote bool, log *slog.Logger) *changes {
	c := &changes{dir: dir, log: log}
	if remote || runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		c.deaf.Store(true)
		return c
	}
	var err error
	if c.watcher, err = fsnotify.NewWatcher(); err != nil {
		c.lost(err)
		return c
	}
	c.heard.Store(true)
	c.rooms.Store(true)
	go c.hear()
	return c
}

// hear runs until the watcher is closed.
func (c *changes) hear() {
	for {
		select {
		case e, ok := <-c.watcher.Events:
			if !ok {
				return
			}
			if !strings.HasSuffix(e.Name, ".json") {
				c.rooms.Store(true)
			}
			if e.Name == c.dir && e.Has(fsnotify.Remove|fsnotify.Rename) {
				c.lost(errors.New("the directory was removed or replaced"))
			}
			c.heard.Store(true)
		case err, ok := <-c.watcher.Errors:
			if !ok {
				return
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				c.lost(err)
			}
			c.rooms.Store(true)
			c.heard.Store(true)
		}
	}
}

func (c *changes) lost(err error) {
	if !c.deaf.Swap(true) {
		c.log.Warn("changes can't be followed: the files are looked at for each call", "error", err)
	}
}

// quiet reports whether nothing has changed since the last begin.
func (c *changes) quiet() bool { return !c.deaf.Load() && !c.heard.Load() }

// begin is called before the files are read: changes count from now on. One caller
// at a time.
func (c *changes) begin() {
	if c.deaf.Load() {
		return
	}
	c.heard.Store(false)
	if !c.rooms.Swap(false) {
		return
	}
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != c.dir {
			return nil // gone since: its parent tells
		}
		if err != nil || !d.IsDir() {
			return err
		}
		if rel, err := filepath.Rel(c.dir, path); err != nil || rel == workspace.OpsDir || rel == workspace.SchemasDir || rel != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		err = c.watcher.Add(path) // what is watched already stays so
		if errors.Is(err, fs.ErrNotExist) && path != c.dir {
			return nil
		}
		return err
	})
	if err != nil {
		c.lost(err)
	}
}

func (c *changes) close() error {
	if c.watcher == nil {
		return nil
	}
	return c.watcher.Close()
}
