package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// change is a message from what follows the files to the loop.
type change struct {
	path string // slash-separated, relative to the workspace; a file or a directory
	all  bool   // anything may have changed
	note string // how the files are followed from now on, for people
	err  error  // they can't be any more
}

// notifier is the part of [fsnotify.Watcher] that is needed.
type notifier interface {
	Add(dir string) error
	Remove(dir string) error
}

// source is where events come from.
type source struct {
	notifier
	events <-chan fsnotify.Event
	errs   <-chan error
	close  func() error
}

func system() (source, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return source{}, fmt.Errorf("events are not to be had: %w", err)
	}
	return source{w, w.Events, w.Errors, w.Close}, nil
}

// errGone: the directory of the workspace is not the one that it was.
var errGone = errors.New("the directory of the workspace was removed or replaced")

// follower follows the files of a workspace.
type follower struct {
	store   *workspace.FileStore
	dir     string          // of it
	poll    time.Duration   // between two looks, where they are needed
	why     string          // they are needed from the start
	rewalk  time.Duration   // how often watches that were missed are added
	watched map[string]bool // by path
	root    fs.FileInfo
	emit    func(change)
	open    func() (source, error) // nil for that of the system
}

// follow reports changes until the context ends.
func (f *follower) follow(ctx context.Context) {
	out := f.emit
	f.emit = func(c change) {
		if ctx.Err() == nil {
			out(c)
		}
	}
	var err error
	if f.root, err = os.Lstat(f.dir); err != nil {
		f.emit(change{err: err})
		return
	}
	why := f.why
	if why == "" {
		err := f.events(ctx)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errGone) {
			f.emit(change{err: err})
			return
		}
		why = err.Error()
	}
	p := workspace.NewPoll(f.store)
	p.Scan() // before they are compared, so that what changes meanwhile is a change
	f.emit(change{all: true, note: fmt.Sprintf("looking at the files every %s: %s", f.poll, why)})
	f.look(ctx, p)
}

// events follows by the system's events; the error is why that can't go on.
func (f *follower) events(ctx context.Context) (err error) {
	if f.open == nil {
		f.open = system
	}
	s, err := f.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return f.take(ctx, s.notifier, s.events, s.errs)
}

func (f *follower) take(ctx context.Context, n notifier, events <-chan fsnotify.Event, errs <-chan error) error {
	f.watched = map[string]bool{}
	if err := f.addAll(n); err != nil {
		return err
	}
	f.emit(change{all: true, note: fmt.Sprintf("following %d directories by events", len(f.watched))})
	again := time.NewTicker(f.rewalk)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
			if err := f.addAll(n); err != nil {
				return err
			}
		case e, ok := <-events:
			if !ok {
				return errors.New("events have ended")
			}
			if err := f.event(n, e); err != nil {
				return err
			}
		case err, ok := <-errs:
			if !ok {
				return errors.New("events have ended")
			}
			// An overflow: directories may have come and gone unseen.
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("events failed: %w", err)
			}
			if err := f.addAll(n); err != nil {
				return err
			}
			f.emit(change{all: true})
		}
	}
}

func (f *follower) event(n notifier, e fsnotify.Event) error {
	if e.Op == fsnotify.Chmod {
		return nil
	}
	name := f.name(e.Name)
	if name == "." {
		return f.check()
	}
	if name == "" || ignored(name) {
		return nil
	}
	if f.watched[e.Name] && e.Has(fsnotify.Remove|fsnotify.Rename) {
		// Watches below would go on under the old name.
		for dir := range f.watched {
			if dir == e.Name || strings.HasPrefix(dir, e.Name+string(filepath.Separator)) {
				_ = n.Remove(dir) // most are gone with it
				delete(f.watched, dir)
			}
		}
		f.emit(change{path: name})
	}
	if e.Op != fsnotify.Write { // which is of a file, and bursts consist of
		if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
			if !e.Has(fsnotify.Create | fsnotify.Rename) {
				return nil
			}
			if err := f.add(n, e.Name); err != nil {
				return err
			}
			f.emit(change{path: name})
			return nil
		}
	}
	if workspace.MayHold(f.store, name) || name == memory.ConfigFile {
		f.emit(change{path: name})
	}
	return nil
}

// roots are the directories that names are relative to.
func (f *follower) roots() []string { return append([]string{f.dir}, workspace.Roots(f.store)[1:]...) }

// name is the name in the workspace of what lies at a path; "" for what isn't of it.
func (f *follower) name(at string) string {
	for _, root := range f.roots() {
		if rel, err := filepath.Rel(root, at); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}

// addAll watches all directories of the workspace.
func (f *follower) addAll(n notifier) error {
	if err := f.check(); err != nil {
		return err
	}
	for _, root := range f.roots() {
		if err := f.add(n, root); err != nil {
			return err
		}
	}
	return nil
}

// add watches a directory and all below it. It is listed after it is watched, so
// that a directory made meanwhile is either listed or an event.
func (f *follower) add(n notifier, dir string) error {
	name := f.name(dir)
	if err := n.Add(dir); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && name != "." {
		return nil // gone already, or reported by whoever reads it
	} else if err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	f.watched[dir] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // as above
	}
	for _, e := range entries {
		if e.IsDir() && !ignored(path.Join(name, e.Name())) {
			if err := f.add(n, filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// check reports whether the workspace is where it was.
func (f *follower) check() error {
	info, err := os.Lstat(f.dir)
	if err != nil || !os.SameFile(info, f.root) {
		return errGone
	}
	return nil
}

// ignored reports whether nothing under a name is ever a memory.
func ignored(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	if top == memory.OpsDir || top == memory.SchemasDir {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

const (
	// scanShare is what scanning the files takes of a core: one part in so many.
	scanShare = 200
	// mostTold is how many changes are reported one by one.
	mostTold = 1000
)

// look scans the files again and again, the more seldom the longer that takes.
func (f *follower) look(ctx context.Context, p *workspace.Poll) {
	var scans pace
	next := time.NewTimer(f.poll)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			if err := f.check(); err != nil {
				f.emit(change{err: err})
				return
			}
			begun := time.Now()
			changed := p.Scan()
			scans.took(time.Since(begun))
			if len(changed) > mostTold {
				f.emit(change{all: true})
				changed = nil
			}
			for _, name := range changed {
				f.emit(change{path: name})
			}
			next.Reset(max(f.poll, scans.apart(scanShare)))
		}
	}
}

// pace is how long something took the last times. The shortest is what it costs:
// others waited for a processor.
type pace struct {
	last [4]time.Duration
	n    int
}

func (p *pace) took(d time.Duration) {
	p.last[p.n%len(p.last)] = d
	p.n++
}

// apart is how far apart it is to begin, to take so small a share of the time.
func (p *pace) apart(share int) time.Duration {
	if p.n == 0 {
		return 0
	}
	return time.Duration(share) * slices.Min(p.last[:min(p.n, len(p.last))])
}
