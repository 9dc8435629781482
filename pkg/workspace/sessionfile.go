package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// SessionFile is a file by which a session of another tool is known: one that
// stands below sessions/ or working/, an agent's working-memory.json, or one that
// holds working memories.
type SessionFile struct {
	File    string
	Touched time.Time // when it was last written, by the clock of the machine
	Broken  bool      // it isn't one JSON document: it may be half written
	Records []SessionRecord
}

// SessionRecord is what a file says about a session.
type SessionRecord struct {
	Session  string // "" if it names none
	Agent    string
	Said     Said
	Ended    time.Time // when, if it says so
	Active   time.Time // when something was last done in it, if it says so
	Messages int       // how many it counts or holds
}

// Said is what a record says of the state of a session.
type Said string

// States of a session.
const (
	SaidNothing Said = ""
	SaidOngoing Said = "ongoing"
	SaidEnded   Said = "ended"
)

// maxSessionFile bounds what is read of a file to learn of a session.
const maxSessionFile = 1 << 20

// WorkingMemoryFile is the file of an agent's working memory, in its directory.
const WorkingMemoryFile = "working-memory.json"

// SessionFiles returns the files by which sessions are known, by name; besides the
// places for them, the files in also. What a file of up to 1 MiB says is read if it
// was written since then, or if it is one of also. A file that is gone, or can't be
// read, is none.
func (s *FileStore) SessionFiles(agents, also []string, since time.Time) ([]SessionFile, error) {
	wanted := map[string]bool{}
	dirs := map[string][]string{}
	for _, file := range also {
		if !wanted[file] {
			wanted[file] = true
			dirs[path.Dir(file)] = append(dirs[path.Dir(file)], path.Base(file))
		}
	}
	add := func(dir string, entries []durable.Entry) (below []string) {
		for _, e := range entries {
			switch {
			case strings.HasPrefix(e.Name, "."):
			case e.Kind == durable.Dir:
				below = append(below, path.Join(dir, e.Name))
			case e.Kind == durable.Regular && path.Ext(e.Name) == ".json" && !wanted[path.Join(dir, e.Name)]:
				dirs[dir] = append(dirs[dir], e.Name)
			}
		}
		return below
	}
	for _, dir := range []string{"sessions", "working"} {
		entries, err := s.root.ReadDir(dir)
		if err != nil && !gone(err) {
			return nil, err
		}
		for _, below := range add(dir, entries) {
			if entries, err = s.root.ReadDir(below); err != nil && !gone(err) {
				return nil, err
			}
			add(below, entries)
		}
	}
	for _, agent := range agents {
		if file := path.Join("agents", agent, WorkingMemoryFile); !wanted[file] {
			dirs[path.Dir(file)] = append(dirs[path.Dir(file)], WorkingMemoryFile)
		}
	}
	var all []SessionFile
	for dir, names := range dirs {
		seen := func(i int, info durable.Info) bool {
			name := path.Join(dir, names[i])
			if info.Size <= maxSessionFile && (wanted[name] || info.ModTime.After(since)) {
				return false
			}
			all = append(all, SessionFile{File: name, Touched: info.ModTime})
			return true
		}
		err := s.root.ReadFiles(dir, names, maxSessionFile, seen, func(i int, data []byte, info durable.Info, err error) {
			if err != nil {
				return // a problem of the snapshot
			}
			name := path.Join(dir, names[i])
			f := SessionFile{File: name, Touched: info.ModTime}
			data = bytes.Clone(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
			if f.Broken = !gjson.ValidBytes(data); !f.Broken {
				f.Records = sessionRecords(name, data)
			}
			all = append(all, f)
		})
		if err != nil && !gone(err) {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b SessionFile) int { return strings.Compare(a.File, b.File) })
	return all, nil
}

// gone reports whether an error means that nothing is there to be read.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrLink) }

// TellsOfSessions reports whether a file stands where what it says is about a
// session.
func TellsOfSessions(name string) bool {
	return strings.HasPrefix(name, "sessions/") || strings.HasPrefix(name, "working/") || path.Base(name) == WorkingMemoryFile
}

// sessionRecords reads what a file says about sessions: at its root, in a member
// session or metadata there, or, in an index of sessions, in its elements. Files in
// other places say nothing about sessions, nor does a memory that stands in a
// session's directory: what it calls done is its own affair.
func sessionRecords(name string, text []byte) (all []SessionRecord) {
	root := parse(text)
	if !root.IsObject() || !TellsOfSessions(name) {
		return nil
	}
	if path.Base(name) == IndexFile {
		if path.Dir(name) != "sessions" {
			return nil
		}
		return indexedSessions(root)
	}
	if path.Dir(name) != "sessions" && strings.HasPrefix(name, "sessions/") && isRecord(root) {
		return nil
	}
	r := readSessionRecord(root)
	for _, part := range []string{"session", "metadata"} {
		if o := root.Get(part); o.IsObject() {
			r.learn(readSessionRecord(o))
			if r.Session == "" && part == "session" {
				r.Session = strings.Clone(o.Get("id").Str)
			}
		}
	}
	return append(all, r)
}

// indexedSessions reads an index of sessions: a list of them, and which is active.
func indexedSessions(root gjson.Result) (all []SessionRecord) {
	root.Get("sessions").ForEach(func(_, v gjson.Result) bool {
		r := readSessionRecord(v)
		if r.Session == "" {
			r.Session = strings.Clone(v.Get("id").Str)
		}
		if v.IsObject() && r.Session != "" {
			all = append(all, r)
		}
		return true
	})
	for _, name := range []string{"active_session", "current_session"} {
		if id := root.Get(name).Str; id != "" {
			all = append(all, SessionRecord{Session: strings.Clone(id), Said: SaidOngoing})
		}
	}
	return all
}

// learn takes what another part of the same record says where this one is silent.
func (r *SessionRecord) learn(o SessionRecord) {
	if r.Session == "" {
		r.Session = o.Session
	}
	if r.Agent == "" {
		r.Agent = o.Agent
	}
	if r.Said == SaidNothing {
		r.Said, r.Ended = o.Said, o.Ended
	}
	if r.Active.IsZero() {
		r.Active = o.Active
	}
	r.Messages = max(r.Messages, o.Messages)
}

// endedWords are the words for a state that is over; a state by any other word is
// ongoing.
var endedWords = []string{
	"abandoned", "aborted", "archived", "canceled", "cancelled", "closed", "complete", "completed", "done", "end", "ended",
	"exited", "expired", "failed", "finished", "inactive", "over", "resolved", "stopped", "terminated",
}

// readSessionRecord reads the members of an object that tell of a session, in
// snake_case or camelCase.
func readSessionRecord(o gjson.Result) (r SessionRecord) {
	status, flag := SaidNothing, SaidNothing
	o.ForEach(func(key, v gjson.Result) bool {
		switch memberName(key.Str) {
		case "sessionid":
			r.Session = strings.Clone(v.Str) // not the whole file
		case "agentid", "agent":
			r.Agent = strings.Clone(v.Str)
		case "endedat", "endtime", "ended", "sessionend", "finishedat", "completedat", "closedat", "stoppedat", "terminatedat":
			switch {
			case v.Type == gjson.True:
				flag = SaidEnded
			case v.Type == gjson.False:
				flag = SaidOngoing
			default:
				if t := momentOf(v); t.After(r.Ended) {
					r.Ended = t
				}
			}
		case "active", "isactive":
			switch v.Type {
			case gjson.True:
				flag = SaidOngoing
			case gjson.False:
				flag = SaidEnded
			}
		case "status", "state", "sessionstatus":
			if v.Type == gjson.String && v.Str != "" {
				status = SaidOngoing
				if slices.Contains(endedWords, strings.ToLower(strings.TrimSpace(v.Str))) {
					status = SaidEnded
				}
			}
		case "lastactivity", "lastactive", "lastactivityat", "lastactiveat", "updatedat", "lastupdated":
			if t := momentOf(v); t.After(r.Active) {
				r.Active = t
			}
		case "messagecount", "nummessages", "turncount":
			r.Messages = max(r.Messages, int(min(v.Int(), 1<<30)))
		case "messages", "conversation", "turns":
			if v.IsArray() {
				n := 0
				v.ForEach(func(_, _ gjson.Result) bool { n++; return true })
				r.Messages = max(r.Messages, n)
			}
		}
		return true
	})
	// A session that was taken up again may still carry the time of its first end.
	switch {
	case status != SaidNothing:
		r.Said = status
	case flag != SaidNothing:
		r.Said = flag
	case !r.Ended.IsZero():
		r.Said = SaidEnded
	}
	return r
}

var wordJoints = strings.NewReplacer("_", "", "-", "")

// memberName is a key without what tells the ways of writing apart.
func memberName(key string) string { return strings.ToLower(wordJoints.Replace(key)) }

// momentOf reads a time, also as seconds or milliseconds since 1970; zero for none.
func momentOf(v gjson.Result) time.Time {
	switch v.Type {
	case gjson.String:
		return timestamp.Parse(v.Str)
	case gjson.Number:
		switch n := v.Num; {
		case n > 1e8 && n < 1e11:
			return time.Unix(int64(n), 0).UTC()
		case n >= 1e11 && n < 1e14:
			return time.UnixMilli(int64(n)).UTC()
		}
	}
	return time.Time{}
}
