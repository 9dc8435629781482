//go:build !linux

package live

import (
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// heard listens to what the system tells of directories as a whole, as Windows does. It
// tells that something has changed, not what.
type heard struct {
	store   *workspace.FileStore
	log     *slog.Logger
	watcher *fsnotify.Watcher
	news    atomic.Bool // something has changed since it was last asked
	rooms   atomic.Bool // a directory may have been added
	deaf    atomic.Bool // nothing is heard any more
}

// Listen begins to listen; where nothing can be heard, everything always counts as
// changed.
func Listen(store *workspace.FileStore, log *slog.Logger) Changes {
	if store.Network() != "" || runtime.GOOS != "windows" {
		return Unheard{}
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		lost(log, err)
		return Unheard{}
	}
	c := &heard{store: store, log: log, watcher: watcher}
	c.news.Store(true)
	c.rooms.Store(true)
	go c.hear()
	return c
}

// hear runs until the watcher is closed.
func (c *heard) hear() {
	for {
		select {
		case e, ok := <-c.watcher.Events:
			if !ok {
				return
			}
			if !strings.HasSuffix(e.Name, ".json") {
				c.rooms.Store(true)
			}
			if slices.Contains(workspace.Roots(c.store), e.Name) && e.Has(fsnotify.Remove|fsnotify.Rename) {
				c.lost(errReplaced)
			}
			c.news.Store(true)
		case err, ok := <-c.watcher.Errors:
			if !ok {
				return
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				c.lost(err)
			}
			c.rooms.Store(true)
			c.news.Store(true)
		}
	}
}

func (c *heard) lost(err error) {
	if !c.deaf.Swap(true) {
		lost(c.log, err)
	}
}

func (c *heard) Since() ([]string, bool) {
	news := c.news.Swap(false)
	if c.deaf.Load() || !news || !c.rooms.Swap(false) {
		return nil, news || c.deaf.Load()
	}
	err := eachDir(c.store, func(path, _ string) error { return c.watcher.Add(path) }) // what is watched already stays so
	if err != nil {
		c.lost(err)
	}
	return nil, true
}

func (c *heard) Wrote() { c.news.Store(true) } // the system tells of it, too, but later

func (c *heard) Close() error { return c.watcher.Close() }
