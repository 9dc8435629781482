package ops

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// BeginSession notes that a session has begun, and reports whether that was new.
func (o *Ops) BeginSession(session memory.Session) (bool, error) {
	err := o.spoolSession(SessionsDir, noteName(session), session)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// SpoolEnd notes that a session has ended, to be settled by whoever reads it. The
// session is open no more; the agent that it began with goes along.
func (o *Ops) SpoolEnd(session memory.Session) error {
	note := path.Join(SessionsDir, noteName(session)+".json")
	var begun memory.Session
	if text, _, err := o.root.Read(note, maxSpooledLen); err == nil && session.Agent == "" && json.Unmarshal(text, &begun) == nil {
		session.Agent = begun.Agent
	}
	name := fmt.Sprintf("%s-%s", session.At.UTC().Format("20060102T150405.000000000"), noteName(session))
	if err := o.spoolSession(SpoolDir, name, session); err != nil {
		return err
	}
	return o.Unspool(note)
}

func (o *Ops) spoolSession(spool, name string, session memory.Session) error {
	text, err := json.Marshal(session)
	if err != nil {
		return fmt.Errorf("session %s: %w", session.ID, err)
	}
	return o.Spool(spool, name, append(text, '\n'))
}

// noteName names the note of a session that has begun.
func noteName(s memory.Session) string {
	if s.ID != "" {
		return memory.FileName(s.ID)
	}
	return memory.FileName("agent:" + strings.ToLower(s.Agent))
}

// ForgetSession takes the note of a session's begin away, once its end is settled: not
// that of one that has begun again since.
func (o *Ops) ForgetSession(session memory.Session) error {
	known, _, err := o.Sessions(SessionsDir)
	for _, k := range known {
		if k.Is(session) && !k.At.After(session.At) {
			err = errors.Join(err, o.Unspool(k.File))
		}
	}
	return err
}

// Sessions returns those of a spool, in the order of their files' names. A file
// that tells of none is passed over, and named.
func (o *Ops) Sessions(spool string) (all []memory.Session, unread []string, err error) {
	files, err := o.ReadSpool(spool)
	for _, file := range files {
		session := memory.Session{}
		if json.Unmarshal(file.Text, &session) != nil {
			unread = append(unread, file.Name)
			continue
		}
		session.File = file.Name
		all = append(all, session)
	}
	return all, unread, err
}
