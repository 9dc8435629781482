package memory

import (
	"path"
	"strings"
)

// Unread finds the file or directory that can't be read in which a memory may be that the snapshot doesn't have; ok is false where there
// is none. An index says where the memory was, else its file has the name of its id.
func (s *Snapshot) Unread(id string) (p Problem, ok bool) {
	if len(s.Find(id)) > 0 {
		return p, false
	}
	for _, x := range s.Indexes {
		for _, e := range x.Entries() {
			if e.ID != id || e.File == "" {
				continue
			}
			if p, ok := s.UnreadAt(e.File); ok {
				return p, true
			}
		}
	}
	for _, p := range s.Problems {
		if p.Unread && path.Base(p.File) == FileName(id) {
			return p, true
		}
	}
	return p, false
}

// UnreadAt finds out whether a file, or a directory that it is in, can't be read.
func (s *Snapshot) UnreadAt(file string) (p Problem, ok bool) {
	for _, p := range s.Problems {
		if p.Unread && (p.File == file || strings.HasPrefix(file, p.File+"/")) {
			return p, true
		}
	}
	return p, false
}
