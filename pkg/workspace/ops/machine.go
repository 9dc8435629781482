package ops

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
)

// MachineFile names this machine, where several share the workspace. It is the machine's own, and never shared.
const MachineFile = "ops/machine.json"

// machinesDirs are the directories of what every machine writes for itself: one file each, named after the machine. A machine without a
// name, which is alone, writes the file before it.
var machinesDirs = map[string]string{
	memory.LogFile:    LogsDir,
	memory.ReviewFile: "ops/reviews",
	accesslog.File:    AccessDir,
}

const (
	LogsDir   = "ops/logs"   // holds the logs of machines
	AccessDir = "ops/access" // holds their access logs
)

// ValidMachine reports whether a machine may have a name: 1 to 40 of a to z, 0 to 9 and -, the first a letter.
func ValidMachine(name string) bool {
	if name == "" || len(name) > 40 || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// ReadMachine reads the name of this machine; "" where it has none.
func ReadMachine(root durable.FS) (string, error) {
	doc, _, err := root.Read(MachineFile, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var file struct {
		Machine string `json:"machine"`
	}
	if err := json.Unmarshal(doc, &file); err != nil || !ValidMachine(file.Machine) {
		return "", fmt.Errorf(`%s: no name of a machine: write {"machine": "NAME"}, of a to z, 0 to 9 and -`, MachineFile)
	}
	return file.Machine, nil
}

// WriteMachine names this machine, and gives it what it has written so far without a name. A machine that has a name keeps it.
func WriteMachine(root durable.FS, name string) error {
	doc, err := json.Marshal(map[string]string{"machine": name})
	if err != nil {
		return err
	}
	if _, err := durable.MkdirAll(root, memory.OpsDir); err != nil {
		return err
	}
	if err := durable.WriteNew(root, MachineFile, append(doc, '\n'), 0); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for lone, dir := range machinesDirs {
		if _, err := durable.MkdirAll(root, dir); err != nil {
			return err
		}
		own := OwnName(lone, name)
		if _, err := root.Stat(own); err == nil {
			continue
		}
		if _, err := root.Stat(lone); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := durable.Publish(root, lone, own); err != nil {
			return err
		}
	}
	return durable.SyncDirs(root, 1, memory.OpsDir)
}

// OwnName is where a machine writes what a lone one writes to a file.
func OwnName(lone, machine string) string {
	return machinesDirs[lone] + "/" + machine + path.Ext(lone)
}

// Own is a disk on which a machine with a name finds the files that are its own under the names that they have on a lone machine, and
// those of others in their directories.
func Own(root durable.FS, machine string) durable.FS {
	o := &ownDisk{FS: root, names: map[string]string{}}
	for lone := range machinesDirs {
		o.names[lone] = OwnName(lone, machine)
	}
	return o
}

type ownDisk struct {
	durable.FS
	names map[string]string
}

// at is where a file is. A directory that is to hold one is made.
func (o *ownDisk) at(name string) string {
	if own, ok := o.names[name]; ok {
		return own
	}
	return name
}

// to is at of a file that may be about to be made.
func (o *ownDisk) to(name string) string {
	own, ok := o.names[name]
	if !ok {
		return name
	}
	_ = o.Mkdir(path.Dir(own)) // it is there, or whatever comes next fails and says so
	return own
}

func (o *ownDisk) Read(name string, max int64) ([]byte, durable.Info, error) {
	return o.FS.Read(o.at(name), max)
}

func (o *ownDisk) Stat(name string) (durable.Info, error) { return o.FS.Stat(o.at(name)) }

func (o *ownDisk) Create(name string, data []byte, mode fs.FileMode) (durable.File, error) {
	return o.FS.Create(o.to(name), data, mode)
}

func (o *ownDisk) Append(name string, data []byte) error { return o.FS.Append(o.to(name), data) }
func (o *ownDisk) Exchange(a, b string) error            { return o.FS.Exchange(o.at(a), o.at(b)) }
func (o *ownDisk) Move(from, to string) error            { return o.FS.Move(o.at(from), o.to(to)) }
func (o *ownDisk) Rename(from, to string) error          { return o.FS.Rename(o.at(from), o.to(to)) }
func (o *ownDisk) Remove(name string) error              { return o.FS.Remove(o.at(name)) }

// ReadDir leaves out this machine's own among the files of machines: it has them by their other names.
func (o *ownDisk) ReadDir(dir string) ([]durable.Entry, error) {
	entries, err := o.FS.ReadDir(dir)
	for _, own := range o.names {
		if path.Dir(own) == dir {
			left := entries[:0:0]
			for _, e := range entries {
				if e.Name != path.Base(own) {
					left = append(left, e)
				}
			}
			entries = left
		}
	}
	return entries, err
}

// SyncDir makes the names of this machine's own files durable with those they stand for.
func (o *ownDisk) SyncDir(dir string) error {
	err := o.FS.SyncDir(dir)
	for lone, own := range o.names {
		if path.Dir(lone) != dir {
			continue
		}
		if failed := o.FS.SyncDir(path.Dir(own)); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// OpenForWriting implements [disk.Watcher] where the disk does.
func (o *ownDisk) OpenForWriting(name string) (bool, error) {
	return durable.OpenForWriting(o.FS, o.at(name)), nil
}

// SyncFile implements [disk.Syncer] where the disk does.
func (o *ownDisk) SyncFile(name string) error { return durable.SyncFile(o.FS, o.at(name)) }

// SetModified implements [disk.Timer] where the disk does.
func (o *ownDisk) SetModified(name string, at time.Time) error {
	return durable.SetModified(o.FS, o.at(name), at)
}

// Link implements [disk.Linker] where the disk does.
func (o *ownDisk) Link(from, to string) error {
	if l, ok := o.FS.(interface{ Link(from, to string) error }); ok {
		return l.Link(o.at(from), o.to(to))
	}
	return errors.ErrUnsupported
}

// Writable implements [disk.Checker] where the disk does.
func (o *ownDisk) Writable(dir string) error {
	if c, ok := o.FS.(interface{ Writable(dir string) error }); ok {
		return c.Writable(dir)
	}
	return nil
}

// others lists the files of other machines that stand for one of a lone machine.
func others(root durable.FS, lone string) (names []string) {
	dir := machinesDirs[lone]
	entries, err := root.ReadDir(dir)
	if err != nil {
		return nil // there are none, or "memory check" reports it
	}
	for _, e := range entries {
		if e.Kind == durable.Regular && path.Ext(e.Name) == path.Ext(lone) {
			names = append(names, dir+"/"+e.Name)
		}
	}
	return names
}

// OthersReads are the reads that other machines have noted and nobody has counted yet. With an error they are those of
// the files that can be read.
func OthersReads(root durable.FS) (all map[string]memory.Usage, failed error) {
	for _, name := range others(root, AccessFile) {
		doc, _, err := root.Read(name, jsonedit.MaxSize)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("read %s: %w", name, err))
			continue
		}
		if all == nil {
			all = map[string]memory.Usage{}
		}
		for id, u := range accesslog.Parse(doc).ByID {
			all[id] = all[id].Plus(u)
		}
	}
	return all, failed
}
