package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// inotify reads what the kernel has noted of changes at the moment of asking: what a
// program has written stands there by the time that its write returns, so that nothing
// is missed. A goroutine that listens would hear of it later.
type inotify struct {
	store *workspace.FileStore
	log   *slog.Logger

	mu   sync.Mutex
	fd   int            // -1: closed, or nothing can be heard any more
	dirs map[int]string // by watch, relative to the workspace
	anew bool           // directories may have come or gone
}

// watched are the events of a directory: whatever becomes of its files, and of itself.
const watched = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_MODIFY | unix.IN_ATTRIB |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_EXCL_UNLINK

// Listen begins to listen; where nothing can be heard, everything always counts as
// changed.
func Listen(store *workspace.FileStore, log *slog.Logger) Changes {
	if store.Network() != "" { // other machines write without a word
		return Unheard{}
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		lost(log, os.NewSyscallError("inotify_init", err))
		return Unheard{}
	}
	return &inotify{store: store, log: log, fd: fd, dirs: map[int]string{}, anew: true}
}

func (c *inotify) Since() (names []string, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 {
		return nil, true
	}
	seen := map[string]bool{}
	err := c.read(func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	})
	if err == nil && c.anew {
		err = c.watch()
		names, all = nil, true
	}
	if err != nil {
		lost(c.log, err)
		_ = c.end() // nothing was written to it
		return nil, true
	}
	return names, all
}

// watch follows all directories there are; those that are followed already stay so.
func (c *inotify) watch() error {
	c.anew = false // what comes from here on is told again
	now := map[int]string{}
	err := eachDir(c.store, func(path, rel string) error {
		wd, err := unix.InotifyAddWatch(c.fd, path, watched)
		if err != nil {
			return &os.PathError{Op: "watch", Path: path, Err: err}
		}
		now[wd] = rel
		return nil
	})
	for wd := range c.dirs {
		if _, ok := now[wd]; !ok { // moved away, or gone
			_, _ = unix.InotifyRmWatch(c.fd, uint32(wd))
		}
	}
	c.dirs = now
	return err
}

// read empties the queue of the kernel.
func (c *inotify) read(changed func(name string)) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(c.fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return nil
		case err != nil:
			return os.NewSyscallError("read of inotify", err)
		}
		for events := buf[:n]; len(events) >= unix.SizeofInotifyEvent; {
			wd, mask := int(int32(binary.NativeEndian.Uint32(events))), binary.NativeEndian.Uint32(events[4:])
			length := int(binary.NativeEndian.Uint32(events[12:]))
			if length > len(events)-unix.SizeofInotifyEvent {
				return fmt.Errorf("inotify: an event of %d bytes in %d", length, len(events))
			}
			name, _, _ := bytes.Cut(events[unix.SizeofInotifyEvent:][:length], []byte{0})
			events = events[unix.SizeofInotifyEvent+length:]
			if err := c.note(wd, mask, string(name), changed); err != nil {
				return err
			}
		}
	}
}

// note takes in an event.
func (c *inotify) note(wd int, mask uint32, name string, changed func(name string)) error {
	dir, known := c.dirs[wd]
	switch {
	case mask&unix.IN_Q_OVERFLOW != 0: // more has changed than the kernel keeps
		c.anew = true
	case !known, mask&unix.IN_IGNORED != 0: // of a directory that went
	case dir == "." && mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_UNMOUNT) != 0:
		return errReplaced
	case name == "" || mask&unix.IN_ISDIR != 0: // a directory itself
		c.anew = c.anew || followed(dir, name)
	case workspace.MayHold(c.store, path.Join(dir, name)):
		changed(path.Join(dir, name))
	}
	return nil
}

func (c *inotify) Wrote() {} // the kernel knows

func (c *inotify) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end()
}

func (c *inotify) end() error {
	if c.fd < 0 {
		return nil
	}
	err := unix.Close(c.fd)
	c.fd = -1
	return os.NewSyscallError("close of inotify", err)
}
