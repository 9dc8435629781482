package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// BeginSession notes that a session has begun, and reports whether that was new.
func (s *FileStore) BeginSession(session Session) (bool, error) {
	err := s.spoolSession(SessionsDir, noteName(session), session)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// SpoolEnd notes that a session has ended, to be settled by whoever reads it. The
// session is open no more; the agent that it began with goes along.
func (s *FileStore) SpoolEnd(session Session) error {
	note := path.Join(SessionsDir, noteName(session)+".json")
	var begun Session
	if text, err := s.Read(note); err == nil && session.Agent == "" && json.Unmarshal(text, &begun) == nil {
		session.Agent = begun.Agent
	}
	name := fmt.Sprintf("%s-%s", session.At.UTC().Format("20060102T150405.000000000"), noteName(session))
	if err := s.spoolSession(SpoolDir, name, session); err != nil {
		return err
	}
	return s.Unspool(note)
}

func (s *FileStore) spoolSession(spool, name string, session Session) error {
	text, err := json.Marshal(session)
	if err != nil {
		return fmt.Errorf("session %s: %w", session.ID, err)
	}
	return s.Spool(spool, name, append(text, '\n'))
}

func noteName(s Session) string {
	if s.ID != "" {
		return FileName(s.ID)
	}
	return FileName("agent:" + strings.ToLower(s.Agent))
}

// ForgetSession takes the note of a session's begin away, once its end is settled: not
// that of one that has begun again since.
func (s *FileStore) ForgetSession(session Session) error {
	known, _, err := s.Sessions(SessionsDir)
	for _, k := range known {
		if k.Is(session) && !k.At.After(session.At) {
			err = errors.Join(err, s.Unspool(k.File))
		}
	}
	return err
}

// Sessions returns those of a spool, in the order of their files' names. A file
// that tells of none is passed over, and named.
func (s *FileStore) Sessions(spool string) (all []Session, unread []string, err error) {
	files, err := s.ReadSpool(spool)
	for _, file := range files {
		session := Session{}
		if json.Unmarshal(file.Text, &session) != nil {
			unread = append(unread, file.Name)
			continue
		}
		session.File = file.Name
		all = append(all, session)
	}
	return all, unread, err
}
