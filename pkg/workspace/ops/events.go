package ops

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

const (
	eventsFile = "events.jsonl" // below ops/: events of sessions that hooks have told of
	maxEvents  = 256 << 10      // bytes of it, and of the older file beside it
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
