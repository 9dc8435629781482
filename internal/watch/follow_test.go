package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// limited is a notifier that has so many watches to give.
type limited struct {
	left    int
	watched map[string]bool
}

func (l *limited) Add(dir string) error {
	if l.watched[dir] {
		return nil
	}
	if l.left == 0 {
		return syscall.ENOSPC
	}
	l.left--
	l.watched[dir] = true
	return nil
}

func (l *limited) Remove(dir string) error {
	if !l.watched[dir] {
		return fsnotify.ErrNonExistentWatch
	}
	delete(l.watched, dir)
	return nil
}

// followed is a follower of a directory whose events the test makes.
type followed struct {
	*follower
	n       *limited
	events  chan fsnotify.Event
	errs    chan error
	ended   chan error
	mu      sync.Mutex // what wakes by a clock of the bubble has no order that the race detector knows
	changes []change
}

func follow(t *testing.T, ctx context.Context, watches int, dirs ...string) *followed {
	t.Helper()
	root := t.TempDir()
	for _, dir := range dirs {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return followIn(t, ctx, root, watches)
}

func followIn(t *testing.T, ctx context.Context, root string, watches int) *followed {
	t.Helper()
	info, err := os.Lstat(root)
	if err != nil {
		t.Fatal(err)
	}
	f := &followed{n: &limited{watches, map[string]bool{}}, events: make(chan fsnotify.Event), errs: make(chan error), ended: make(chan error, 1)}
	store, err := workspace.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	f.follower = &follower{store: store, dir: root, root: info, poll: Poll, rewalk: time.Hour, emit: func(c change) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.changes = append(f.changes, c)
	}}
	go func() { f.ended <- f.take(ctx, f.n, f.events, f.errs) }()
	return f
}

// taken are the changes since it was last asked.
func (f *followed) taken() []change {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	changes := f.changes
	f.changes = nil
	return changes
}

// told are these without their notes.
func (f *followed) told() (names []string) {
	for _, c := range f.taken() {
		if c.all {
			names = append(names, "*")
		} else {
			names = append(names, c.path)
		}
	}
	return names
}

func TestFollowEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := follow(t, ctx, 100, "global/deep", "ops/runs", ".git/objects")
		want := func(what string, names ...string) {
			t.Helper()
			if got := strings.Join(f.told(), " "); got != strings.Join(names, " ") {
				t.Errorf("%s: told %q, want %q", what, got, names)
			}
		}
		event := func(op fsnotify.Op, name string) {
			f.events <- fsnotify.Event{Name: filepath.Join(f.dir, name), Op: op}
		}
		want("at first", "*")
		if len(f.n.watched) != 3 {
			t.Errorf("watched: %v", f.n.watched)
		}
		event(fsnotify.Write, "global/a.json")
		event(fsnotify.Chmod, "global/a.json")
		event(fsnotify.Create, "global/.a.json.swp")
		event(fsnotify.Create, "global/a.json~")
		event(fsnotify.Write, "ops/review.json")
		event(fsnotify.Write, "memory.toml")
		want("files", "global/a.json", "memory.toml")

		// A directory with another in it: both are watched, and one look is asked for.
		if err := os.MkdirAll(filepath.Join(f.dir, "agents/A"), 0o755); err != nil {
			t.Fatal(err)
		}
		event(fsnotify.Create, "agents")
		want("a new directory", "agents")
		if !f.n.watched[filepath.Join(f.dir, "agents/A")] {
			t.Error("a directory in a new one is not watched")
		}

		// Renamed away: nothing below is watched under the old name.
		if err := os.Rename(filepath.Join(f.dir, "agents"), filepath.Join(f.dir, "teams")); err != nil {
			t.Fatal(err)
		}
		event(fsnotify.Rename, "agents")
		event(fsnotify.Create, "teams")
		want("a renamed directory", "agents", "teams")
		for dir := range f.n.watched {
			if strings.Contains(dir, "agents") {
				t.Errorf("still watched: %s", dir)
			}
		}

		// An overflow: anything may have changed, directories too.
		if err := os.MkdirAll(filepath.Join(f.dir, "projects/P"), 0o755); err != nil {
			t.Fatal(err)
		}
		f.errs <- fsnotify.ErrEventOverflow
		want("an overflow", "*")
		if !f.n.watched[filepath.Join(f.dir, "projects/P")] {
			t.Error("a directory made during an overflow is not watched")
		}
		cancel()
		if err := <-f.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended: %v", err)
		}
	})
}

func TestFollowGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, t.Context(), 100)
		synctest.Wait()
		if err := os.Rename(f.dir, f.dir+"-away"); err != nil {
			t.Fatal(err)
		}
		f.events <- fsnotify.Event{Name: f.dir, Op: fsnotify.Rename}
		if err := <-f.ended; !errors.Is(err, errGone) {
			t.Errorf("ended: %v", err)
		}
	})
}

// TestFollowLimit: too few watches end it, at the start or later, and then the
// files are looked at.
func TestFollowLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, t.Context(), 2, "global", "agents/A")
		if err := <-f.ended; !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("with too few watches: %v", err)
		}
		f = follow(t, t.Context(), 2, "global")
		synctest.Wait()
		if err := os.Mkdir(filepath.Join(f.dir, "teams"), 0o755); err != nil {
			t.Fatal(err)
		}
		f.events <- fsnotify.Event{Name: filepath.Join(f.dir, "teams"), Op: fsnotify.Create}
		if err := <-f.ended; !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("with too few watches for a new directory: %v", err)
		}
	})
}

func TestFollowByLooking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f := follow(t, ctx, 0)
		<-f.ended
		f.why = "events are not to be had"
		ended := make(chan struct{})
		go func() { f.follow(ctx); close(ended) }()
		if first := f.taken(); len(first) != 1 || !first[0].all || !strings.Contains(first[0].note, "every 1s: events are not to be had") {
			t.Errorf("it is not said aloud: %+v", first)
		}
		for i, step := range []struct {
			name string
			told bool
		}{{"a.json", true}, {"a.json", true}, {"b.txt", false}, {"ops/x.json", false}, {"agents/A/c.json", true}, {"", false}} {
			if name := filepath.Join(f.dir, step.name); step.name != "" {
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("{}"), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			pass(Poll)
			told := f.told()
			told = slices.DeleteFunc(told, func(name string) bool { return name == memory.IndexFile }) // one may have come and gone
			if got := len(told) > 0; got != step.told {
				t.Errorf("step %d, %q: told %q", i, step.name, told)
			}
		}
		cancel()
		<-ended
	})
}

// Of a folder of notes that was adopted, the notes and what is in its hidden directory are followed.
func TestFollowNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "topic"), 0o755); err != nil {
			t.Fatal(err)
		}
		looked, survey, err := workspace.Look(dir, "claude", time.Now())
		if err == nil {
			err = errors.Join(looked.Close(), workspace.Adopt(survey, config.Template("seed")))
		}
		if err != nil {
			t.Fatal(err)
		}
		own := filepath.Join(dir, note.OwnDir)
		f := followIn(t, ctx, own, 100)
		f.taken()
		for _, at := range []string{dir, filepath.Join(dir, "topic"), own, filepath.Join(own, "archive")} {
			if !f.n.watched[at] {
				t.Errorf("%s is not watched", at)
			}
		}
		for _, name := range []string{"new.md", "topic/old.md", "other.txt", ".memory/archive/a.note", ".memory/overlay.jsonl", ".memory/ops/run.json", ".memory/memory.toml"} {
			f.events <- fsnotify.Event{Name: filepath.Join(dir, name), Op: fsnotify.Write}
		}
		var got []string
		for _, c := range f.taken() {
			got = append(got, c.path)
		}
		if want := []string{"new.md", "topic/old.md", "archive/a.note", "memory.toml"}; !slices.Equal(got, want) {
			t.Errorf("changes of %v, want %v", got, want)
		}
		cancel()
		<-f.ended
	})
}
