package ops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Spools are directories below ops/ of small files of ours, one to an event, each
// written whole under a name that nothing else has: who adds one waits for nobody,
// who works them off takes them out one by one.
const (
	SessionsDir = memory.OpsDir + "/sessions" // sessions that have begun, and not ended
	SpoolDir    = memory.OpsDir + "/spool"    // ends of sessions that are not settled yet
)

const (
	maxSpooled    = 10_000   // files of a spool that are read at a time
	maxSpooledLen = 64 << 10 // bytes of one
)

// Spooled is a file of a spool.
type Spooled struct {
	Name string // of the file, relative to the workspace
	Text []byte
}

// Spool adds a file to a spool, durably; the name gets ".json" behind it. One that
// is taken is fs.ErrExist. Like all writing, it is refused on a network file system that is not allowed.
func (o *Ops) Spool(spool, name string, text []byte) error {
	if err := o.mayWrite(); err != nil {
		return err
	}
	file := path.Join(spool, name+".json")
	made, err := durable.MkdirAll(o.root, spool)
	if err == nil {
		err = durable.WriteNew(o.root, file, text, 0)
	}
	if err == nil {
		err = durable.SyncDirs(o.root, o.parallel, made...)
	}
	if err != nil {
		return fmt.Errorf("spool %s: %w", file, err)
	}
	return nil
}

// Waiting reports whether a spool holds anything.
func (o *Ops) Waiting(spool string) (bool, error) {
	names, err := o.spooled(spool)
	return len(names) > 0, err
}

// ReadSpool returns what is in a spool, by name; no more than 10,000 of its files.
// One that can't be read, or is larger than any of ours, comes without its text.
func (o *Ops) ReadSpool(spool string) ([]Spooled, error) {
	names, err := o.spooled(spool)
	var all []Spooled
	for _, name := range names[:min(len(names), maxSpooled)] {
		file := Spooled{Name: name}
		text, _, err := o.root.Read(name, maxSpooledLen)
		if errors.Is(err, fs.ErrNotExist) {
			continue // worked off by somebody else
		}
		if err == nil {
			file.Text = text
		}
		all = append(all, file)
	}
	return all, err
}

// spooled lists the files of a spool.
func (o *Ops) spooled(spool string) (names []string, err error) {
	entries, err := o.root.ReadDir(spool)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", spool, err)
	}
	for _, e := range entries {
		if e.Kind == durable.Regular && !strings.HasPrefix(e.Name, ".") {
			names = append(names, path.Join(spool, e.Name))
		}
	}
	return names, nil
}

// Unspool takes a file out of its spool; one that is gone is fine.
func (o *Ops) Unspool(name string) error {
	if dir := path.Dir(name); dir != SessionsDir && dir != SpoolDir {
		return fmt.Errorf("unspool %s: not in a spool", name)
	}
	if err := o.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unspool %s: %w", name, err)
	}
	return nil
}

// Jot adds a line to a text file of ours below ops/. A file that has grown beyond
// max bytes is kept as NAME.old, in place of an earlier one, and a new one begins.
func (o *Ops) Jot(name, line string, max int64) error {
	if err := o.mayWrite(); err != nil {
		return err
	}
	name = path.Join(memory.OpsDir, path.Base(name))
	info, err := o.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = durable.MkdirAll(o.root, memory.OpsDir)
	case err == nil && info.Size > max:
		err = o.root.Rename(name, name+".old")
	}
	if err == nil {
		err = o.root.Append(name, []byte(oneLine(line)+"\n"))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

const (
	eventsFile = "events.jsonl" // below ops/: events of sessions that hooks have told of
	maxEvents  = 256 << 10      // bytes of it, and of the older file next to it
)

// Event is something that a host told of a session.
type Event struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Host    string    `json:"host,omitempty"`
	Name    string    `json:"event"`
	By      string    `json:"by,omitempty"` // tells two processes apart that were told of the same
}

// Record adds an event to those of the workspace, and reports whether it is the first of its session and name within the time
// around it. A host runs a hook twice that is installed twice, at once; of the processes exactly one is the first,
// since lines are appended in one order for all.
func (o *Ops) Record(event Event, around time.Duration) (first bool, err error) {
	line, err := json.Marshal(event)
	if err != nil {
		return false, err
	}
	if err := o.Jot(eventsFile, string(line), maxEvents); err != nil {
		return false, err
	}
	all, err := o.Events(event.Session)
	if err != nil {
		return false, err
	}
	for _, e := range all {
		if e.Name == event.Name && e.At.Sub(event.At).Abs() < around {
			return e.By == event.By, nil
		}
	}
	return true, nil // the file was put aside between the two
}

// Events reads the events of a session, or all for "", in the order in which they were told. Lines that are none are passed over.
func (o *Ops) Events(session string) (all []Event, err error) {
	for _, name := range []string{eventsFile + ".old", eventsFile} {
		doc, _, err := o.root.Read(path.Join(memory.OpsDir, name), 2*maxEvents)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(doc) {
			var e Event
			if json.Unmarshal(line, &e) == nil && (session == "" || e.Session == session) && e.Name != "" {
				all = append(all, e)
			}
		}
	}
	return all, nil
}
