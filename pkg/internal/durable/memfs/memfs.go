package memfs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace/disk"
)

// FS is a disk in memory. The exported fields are set before its first use; the
// tree and the events are read and changed with Mu held.
type FS struct {
	// NoExchange and NoLink take these operations away, as some file systems do.
	// NoExchange takes Move, too.
	NoExchange, NoLink bool
	// Now is the clock that dates files; nil: files have no times.
	Now func() time.Time
	// Track records Events.
	Track bool

	Mu     sync.Mutex
	Root   *Node
	LastID uint64
	Events []Event // since everything was durable

	locks map[*Node]string // holders
}

// Node is a file or a directory.
type Node struct {
	ID      uint64
	Mode    fs.FileMode
	Data    []byte           // never changed in place
	Entries map[string]*Node // of a directory; nil for a file
	Linked  bool             // it has had more than one name
	text    string           // Data, once somebody has asked for all files
	opened  bool             // somebody may write into it

	// With Track:
	Synced []byte           // what of Data is durable
	Clean  bool             // all of it is
	Origin map[string]*Node // the entries when everything was durable; nil: it did not exist

	written, changed time.Time
}

// Event is a change of names, or a sync of a directory or a file.
type Event struct {
	Sets   []Set
	Synced *Node
}

// Set gives a name in a directory to a node, or takes it away.
type Set struct {
	Dir  *Node
	Name string
	To   *Node // nil: the name is free
}

// New returns an empty disk.
func New() *FS {
	m := &FS{locks: map[*Node]string{}}
	m.Root = m.node(0o755, map[string]*Node{})
	return m
}

func (m *FS) node(mode fs.FileMode, entries map[string]*Node) *Node {
	m.LastID++
	n := &Node{ID: m.LastID, Mode: mode, Entries: entries, Clean: entries != nil}
	m.date(n, true)
	return n
}

// date tells a node that it has changed, in its content too if written.
func (m *FS) date(n *Node, written bool) {
	if m.Now == nil {
		return
	}
	n.changed = m.Now()
	if written {
		n.written = n.changed
	}
}

func fail(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

func link(op, name string) error { return fmt.Errorf("%s %s: %w", op, name, disk.ErrLink) }

// get finds the directory of a name and what has the name, nil if it is free. The
// root has no directory.
func (m *FS) get(op, name string) (dir *Node, base string, node *Node, err error) {
	if !fs.ValidPath(name) {
		return nil, "", nil, fail(op, name, fs.ErrInvalid)
	}
	dir = m.Root
	if name == "." {
		return nil, ".", dir, nil
	}
	parts := strings.Split(name, "/")
	for _, part := range parts[:len(parts)-1] {
		next := dir.Entries[part]
		if next == nil {
			return nil, "", nil, fail(op, name, fs.ErrNotExist)
		}
		if next.Entries == nil {
			return nil, "", nil, link(op, name)
		}
		dir = next
	}
	base = parts[len(parts)-1]
	return dir, base, dir.Entries[base], nil
}

// need is get for a name that must be taken.
func (m *FS) need(op, name string) (dir *Node, base string, node *Node, err error) {
	dir, base, node, err = m.get(op, name)
	if err == nil && node == nil {
		err = fail(op, name, fs.ErrNotExist)
	}
	return dir, base, node, err
}

// entry is need for a name that isn't the root.
func (m *FS) entry(op, name string) (dir *Node, base string, node *Node, err error) {
	dir, base, node, err = m.need(op, name)
	if err == nil && dir == nil {
		err = fail(op, name, fs.ErrInvalid)
	}
	return dir, base, node, err
}

// free is get for a name that must not be taken.
func (m *FS) free(op, name string) (dir *Node, base string, err error) {
	dir, base, node, err := m.get(op, name)
	if err == nil && node != nil {
		err = fail(op, name, fs.ErrExist)
	}
	return dir, base, err
}

// file is get for a regular file or a free name.
func (m *FS) file(op, name string) (dir *Node, base string, node *Node, err error) {
	dir, base, node, err = m.get(op, name)
	if err == nil && node != nil && node.Entries != nil {
		err = link(op, name)
	}
	return dir, base, node, err
}

// directory is need for a directory.
func (m *FS) directory(op, name string) (*Node, error) {
	_, _, node, err := m.need(op, name)
	if err == nil && node.Entries == nil {
		err = link(op, name)
	}
	return node, err
}

// apply changes names, in one step.
func (m *FS) apply(sets ...Set) {
	for _, s := range sets {
		if s.To == nil {
			delete(s.Dir.Entries, s.Name)
		} else {
			s.Dir.Entries[s.Name] = s.To
			m.date(s.To, false)
		}
		m.date(s.Dir, true)
	}
	if m.Track {
		m.Events = append(m.Events, Event{Sets: sets})
	}
}

// Read implements [disk.Disk].
func (m *FS) Read(name string, max int64) ([]byte, disk.Info, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	_, _, node, err := m.file("read", name)
	switch {
	case err != nil:
		return nil, disk.Info{}, err
	case node == nil:
		return nil, disk.Info{}, fail("read", name, fs.ErrNotExist)
	case int64(len(node.Data)) > max:
		return nil, disk.Info{}, fmt.Errorf("read %s: %w", name, disk.ErrTooLarge)
	}
	return slices.Clone(node.Data), m.info(node), nil
}

// ReadFiles implements [disk.Disk].
func (m *FS) ReadFiles(dir string, names []string, max int64, known func(i int, info disk.Info) bool, f func(i int, data []byte, info disk.Info, err error)) error {
	m.Mu.Lock()
	_, err := m.directory("read", dir)
	m.Mu.Unlock()
	if err != nil {
		return err
	}
	for i, name := range names {
		if !fs.ValidPath(name) || strings.Contains(name, "/") || name == "." {
			f(i, nil, disk.Info{}, fail("read", name, fs.ErrInvalid))
			continue
		}
		name = path.Join(dir, name)
		if known != nil && m.Now != nil {
			if info, err := m.Stat(name); err == nil && known(i, info) {
				continue
			}
		}
		data, info, err := m.Read(name, max)
		f(i, data, info, err)
		Spoil(data)
	}
	return nil
}

// Spoil overwrites data that a caller of ReadFiles must not use any more.
func Spoil(data []byte) {
	for i := range data {
		data[i] = 0xff
	}
}

func (m *FS) info(node *Node) disk.Info {
	info := disk.Info{
		Kind: disk.Regular, Size: int64(len(node.Data)), Attr: disk.Attr{Mode: node.Mode},
		ID: disk.FileID{Device: 1, Number: node.ID}, Links: 1, ModTime: node.written, ChangeTime: node.changed,
	}
	switch {
	case node.Entries != nil:
		info.Kind, info.Links = disk.Dir, 2
	case node.Linked:
		info.Links = count(m.Root, node)
	}
	return info
}

// count is how many names a file has.
func count(dir, node *Node) (n int) {
	for _, e := range dir.Entries {
		if e == node {
			n++
		} else if e.Entries != nil {
			n += count(e, node)
		}
	}
	return n
}

// Stat implements [disk.Disk].
func (m *FS) Stat(name string) (disk.Info, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	_, _, node, err := m.need("stat", name)
	if err != nil {
		return disk.Info{}, err
	}
	return m.info(node), nil
}

// ReadDir implements [disk.Disk].
func (m *FS) ReadDir(name string) ([]disk.Entry, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dir, err := m.directory("readdir", name)
	if err != nil {
		return nil, err
	}
	var list []disk.Entry
	for _, base := range slices.Sorted(maps.Keys(dir.Entries)) {
		kind := disk.Regular
		if dir.Entries[base].Entries != nil {
			kind = disk.Dir
		}
		list = append(list, disk.Entry{Name: base, Kind: kind})
	}
	return list, nil
}

// Mkdir implements [disk.Disk].
func (m *FS) Mkdir(name string) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dir, base, err := m.free("mkdir", name)
	if err != nil {
		return err
	}
	m.apply(Set{dir, base, m.node(0o755, map[string]*Node{})})
	return nil
}

// Create implements [disk.Disk].
func (m *FS) Create(name string, data []byte, mode fs.FileMode) (disk.File, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dir, base, err := m.free("create", name)
	if err != nil {
		return nil, err
	}
	if mode == 0 {
		mode = 0o644
	}
	node := m.node(mode, nil)
	node.Data = slices.Clone(data)
	m.apply(Set{dir, base, node})
	return file{m, node}, nil
}

// Append implements [disk.Disk].
func (m *FS) Append(name string, data []byte) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dir, base, node, err := m.file("append", name)
	if err != nil {
		return err
	}
	if node == nil {
		node = m.node(0o644, nil)
		m.apply(Set{dir, base, node})
	}
	m.Write(node, slices.Concat(node.Data, data))
	return nil
}

// Write gives a file new content, as somebody does who has it open.
func (m *FS) Write(node *Node, data []byte) {
	node.Data, node.Clean, node.text = data, false, ""
	m.date(node, true)
}

type file struct {
	m    *FS
	node *Node
}

func (f file) Sync() error {
	f.m.Mu.Lock()
	defer f.m.Mu.Unlock()
	f.m.sync(f.node)
	return nil
}

func (f file) Chown(int, int) error { return nil }

func (f file) Close() error { return nil }

// OpenForWriting implements [disk.Watcher]: a file that was once opened stays open.
func (m *FS) OpenForWriting(name string) (bool, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	_, _, node, err := m.file("lease", name)
	return node != nil && node.opened, err
}

// SyncFile implements [disk.Syncer].
func (m *FS) SyncFile(name string) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	_, _, node, err := m.file("fsync", name)
	switch {
	case err != nil:
		return err
	case node == nil:
		return fail("fsync", name, fs.ErrNotExist)
	}
	m.sync(node)
	return nil
}

func (m *FS) sync(node *Node) {
	if m.Track {
		node.Synced, node.Clean = node.Data, true
		m.Events = append(m.Events, Event{Synced: node})
	}
}

// SyncDir implements [disk.Disk].
func (m *FS) SyncDir(name string) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dir, err := m.directory("fsync", name)
	if err == nil {
		m.sync(dir)
	}
	return err
}

// Close implements [disk.Disk].
func (m *FS) Close() error { return nil }

// Put writes a file next to the name and renames it there. Missing directories are
// created.
func (m *FS) Put(name string, data []byte) error {
	for i := range len(name) {
		if name[i] == '/' {
			if err := m.Mkdir(name[:i]); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	m.Mu.Lock()
	defer m.Mu.Unlock()
	dir, base, _, err := m.file("put", name)
	if err != nil {
		return err
	}
	fresh := m.node(0o644, nil)
	fresh.Data = slices.Clone(data)
	m.apply(Set{dir, base, fresh})
	return nil
}

// Open returns a function that writes into the file as it is now, whatever its
// name is by then.
func (m *FS) Open(name string) (write func([]byte), err error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	_, _, node, err := m.file("open", name)
	if err == nil && node == nil {
		err = fail("open", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	node.opened = true
	return func(data []byte) {
		m.Mu.Lock()
		defer m.Mu.Unlock()
		m.Write(node, slices.Clone(data))
	}, nil
}

// Files returns the content of every file by name.
func (m *FS) Files() map[string]string {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	out := map[string]string{}
	var walk func(dir *Node, name string)
	walk = func(dir *Node, name string) {
		for base, node := range dir.Entries {
			if node.Entries != nil {
				walk(node, path.Join(name, base))
			} else {
				if len(node.text) != len(node.Data) { // else it was asked for before
					node.text = string(node.Data)
				}
				out[path.Join(name, base)] = node.text
			}
		}
	}
	walk(m.Root, "")
	return out
}
