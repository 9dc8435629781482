package faultfs

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Mem is a file system in memory that knows what of it would survive a loss of
// power.
type Mem struct {
	// NoExchange and NoLink take these operations away, as some file systems do.
	// NoExchange takes the exclusive rename, too.
	NoExchange, NoLink bool

	mu     sync.Mutex
	root   *inode
	last   uint64
	events []event // since everything was durable
	lock   string
}

// inode is a file or a directory.
type inode struct {
	id      uint64
	mode    fs.FileMode
	data    []byte // never changed in place
	synced  []byte // what of it is durable
	clean   bool   // data is durable
	entries map[string]*inode
	origin  map[string]*inode // the entries when everything was durable; nil: it did not exist
}

// event is a change of names, or a sync of a directory or of anything.
type event struct {
	sets   []set
	synced *inode // the directory or file
}

// set gives a name in a directory to an inode; to nil takes it away.
type set struct {
	dir  *inode
	name string
	to   *inode
}

// New returns an empty file system.
func New() *Mem {
	m := &Mem{}
	m.root = m.inode(0o755, map[string]*inode{})
	m.Settle()
	return m
}

func (m *Mem) inode(mode fs.FileMode, entries map[string]*inode) *inode {
	m.last++
	return &inode{id: m.last, mode: mode, entries: entries, clean: entries != nil}
}

func fail(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

// get finds the directory of a name and what the name stands for, nil if free.
func (m *Mem) get(op, name string) (dir *inode, base string, node *inode, err error) {
	if !fs.ValidPath(name) {
		return nil, "", nil, fail(op, name, fs.ErrInvalid)
	}
	dir = m.root
	if name == "." {
		return nil, ".", dir, nil
	}
	parts := strings.Split(name, "/")
	for _, part := range parts[:len(parts)-1] {
		next := dir.entries[part]
		if next == nil {
			return nil, "", nil, fail(op, name, fs.ErrNotExist)
		}
		if next.entries == nil {
			return nil, "", nil, fmt.Errorf("%s %s: %w", op, name, durable.ErrLink)
		}
		dir = next
	}
	base = parts[len(parts)-1]
	return dir, base, dir.entries[base], nil
}

// need is get for a name that must be taken.
func (m *Mem) need(op, name string) (dir *inode, base string, node *inode, err error) {
	dir, base, node, err = m.get(op, name)
	if err == nil && node == nil {
		err = fail(op, name, fs.ErrNotExist)
	}
	return dir, base, node, err
}

// apply makes a change of names, in one step.
func (m *Mem) apply(sets ...set) {
	for _, s := range sets {
		if s.to == nil {
			delete(s.dir.entries, s.name)
		} else {
			s.dir.entries[s.name] = s.to
		}
	}
	m.events = append(m.events, event{sets: sets})
}

// Read implements [durable.FS].
func (m *Mem) Read(name string, max int64) ([]byte, durable.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, node, err := m.need("read", name)
	if err != nil {
		return nil, durable.Info{}, err
	}
	if node.entries != nil {
		return nil, durable.Info{}, fmt.Errorf("read %s: %w", name, durable.ErrLink)
	}
	if int64(len(node.data)) > max {
		return nil, durable.Info{}, fmt.Errorf("read %s: %w", name, durable.ErrTooLarge)
	}
	return slices.Clone(node.data), m.info(node), nil
}

// ReadFiles implements [durable.FS].
func (m *Mem) ReadFiles(dir string, names []string, max int64, known func(i int, info durable.Info) bool, f func(i int, data []byte, info durable.Info, err error)) error {
	for i, name := range names {
		data, info, err := m.Read(path.Join(dir, name), max)
		f(i, data, info, err)
		spoil(data)
	}
	return nil
}

// spoil overwrites what a caller of ReadFiles was given and must not use any more.
func spoil(data []byte) {
	for i := range data {
		data[i] = 0xff
	}
}

func (m *Mem) info(node *inode) durable.Info {
	if node.entries != nil {
		return durable.Info{Kind: durable.Dir, Attr: durable.Attr{Mode: node.mode}, ID: durable.FileID{Device: 1, Number: node.id}, Links: 2}
	}
	return durable.Info{
		Kind: durable.Regular, Size: int64(len(node.data)), Attr: durable.Attr{Mode: node.mode},
		ID: durable.FileID{Device: 1, Number: node.id}, Links: count(m.root, node),
	}
}

func count(dir, node *inode) (n int) {
	for _, e := range dir.entries {
		if e == node {
			n++
		} else if e.entries != nil {
			n += count(e, node)
		}
	}
	return n
}

// Stat implements [durable.FS].
func (m *Mem) Stat(name string) (durable.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, node, err := m.need("stat", name)
	if err != nil {
		return durable.Info{}, err
	}
	return m.info(node), nil
}

// ReadDir implements [durable.FS].
func (m *Mem) ReadDir(name string) (list []durable.Entry, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, node, err := m.need("readdir", name)
	if err != nil {
		return nil, err
	}
	if node.entries == nil {
		return nil, fmt.Errorf("readdir %s: %w", name, durable.ErrLink)
	}
	for _, base := range slices.Sorted(maps.Keys(node.entries)) {
		kind := durable.Regular
		if node.entries[base].entries != nil {
			kind = durable.Dir
		}
		list = append(list, durable.Entry{Name: base, Kind: kind})
	}
	return list, nil
}

// free is get for a name that must not be taken.
func (m *Mem) free(op, name string) (dir *inode, base string, err error) {
	dir, base, node, err := m.get(op, name)
	if err == nil && (node != nil || dir == nil) {
		err = fail(op, name, fs.ErrExist)
	}
	return dir, base, err
}

// Mkdir implements [durable.FS].
func (m *Mem) Mkdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.free("mkdir", name)
	if err != nil {
		return err
	}
	m.apply(set{dir, base, m.inode(0o755, map[string]*inode{})})
	return nil
}

// Create implements [durable.FS].
func (m *Mem) Create(name string, data []byte, mode fs.FileMode) (durable.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.free("create", name)
	if err != nil {
		return nil, err
	}
	node := m.inode(mode, nil)
	node.data = slices.Clone(data)
	m.apply(set{dir, base, node})
	return file{m, node}, nil
}

// Append implements [durable.FS].
func (m *Mem) Append(name string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, node, err := m.get("append", name)
	if err != nil {
		return err
	}
	if node == nil {
		node = m.inode(0o644, nil)
		m.apply(set{dir, base, node})
	}
	node.data, node.clean = slices.Concat(node.data, data), false
	return nil
}

type file struct {
	m    *Mem
	node *inode
}

func (f file) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.m.sync(f.node)
	return nil
}

func (f file) Chown(int, int) error { return nil }

func (f file) Close() error { return nil }

func (m *Mem) sync(node *inode) {
	node.synced, node.clean = node.data, true
	m.events = append(m.events, event{synced: node})
}

// SyncDir implements [durable.FS].
func (m *Mem) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _, node, err := m.need("fsync", name)
	if err == nil {
		m.sync(node)
	}
	return err
}

// Close implements [durable.FS].
func (m *Mem) Close() error { return nil }

// Files returns the content of every file by name.
func (m *Mem) Files() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]string{}
	var walk func(dir *inode, name string)
	walk = func(dir *inode, name string) {
		for base, node := range dir.entries {
			if node.entries != nil {
				walk(node, path.Join(name, base))
			} else {
				out[path.Join(name, base)] = string(node.data)
			}
		}
	}
	walk(m.root, "")
	return out
}
