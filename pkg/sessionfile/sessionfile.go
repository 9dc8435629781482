package sessionfile

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/timestamp"
)

// File is a file by which a session of another tool is known: one that stands below
// sessions/ or working/, an agent's working-memory.json, or one that holds working
// memories.
type File struct {
	Name    string    // relative to the workspace
	Touched time.Time // when it was last written, by the clock of the machine
	Broken  bool      // it isn't one JSON document: it may be half written
	Records []Record
}

// Record is what a file says about a session.
type Record struct {
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
	Unsaid  Said = ""
	Ongoing Said = "ongoing"
	Ended   Said = "ended"
)

// WorkingMemory is the file of an agent's working memory, in its directory.
const WorkingMemory = "working-memory.json"

// index is a file of the directory of sessions that lists them.
const index = "sessions/_index.json"

// Tells reports whether a file stands where what it says is about a
// session.
func Tells(name string) bool {
	return strings.HasPrefix(name, "sessions/") || strings.HasPrefix(name, "working/") || path.Base(name) == WorkingMemory
}

// Read reads what a file says about sessions: at its root, in a member session or
// metadata there, or, in an index of sessions, in its elements. Files in other places
// say nothing about sessions; whether one is a memory that tells of something else is for
// the caller to know. What isn't one JSON document is broken.
func Read(name string, text []byte) (all []Record, broken bool) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !gjson.ValidBytes(text) {
		return nil, true
	}
	root := gjson.ParseBytes(text)
	switch {
	case !root.IsObject() || !Tells(name):
		return nil, false
	case name == index:
		return indexed(root), false
	case path.Base(name) == path.Base(index):
		return nil, false
	}
	r := recordOf(root)
	for _, part := range []string{"session", "metadata"} {
		if o := root.Get(part); o.IsObject() {
			r.learn(recordOf(o))
			if r.Session == "" && part == "session" {
				r.Session = strings.Clone(o.Get("id").Str)
			}
		}
	}
	return append(all, r), false
}

// indexed reads an index of sessions: a list of them, and which is active.
func indexed(root gjson.Result) (all []Record) {
	root.Get("sessions").ForEach(func(_, v gjson.Result) bool {
		r := recordOf(v)
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
			all = append(all, Record{Session: strings.Clone(id), Said: Ongoing})
		}
	}
	return all
}

// learn takes what another part of the same record says where this one is silent.
func (r *Record) learn(o Record) {
	if r.Session == "" {
		r.Session = o.Session
	}
	if r.Agent == "" {
		r.Agent = o.Agent
	}
	if r.Said == Unsaid {
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

// readRecord reads the members of an object that tell of a session, in
// snake_case or camelCase.
func recordOf(o gjson.Result) (r Record) {
	status, flag := Unsaid, Unsaid
	o.ForEach(func(key, v gjson.Result) bool {
		switch memberName(key.Str) {
		case "sessionid":
			r.Session = strings.Clone(v.Str) // not the whole file
		case "agentid", "agent":
			r.Agent = strings.Clone(v.Str)
		case "endedat", "endtime", "ended", "sessionend", "finishedat", "completedat", "closedat", "stoppedat", "terminatedat":
			switch {
			case v.Type == gjson.True:
				flag = Ended
			case v.Type == gjson.False:
				flag = Ongoing
			default:
				if t := momentOf(v); t.After(r.Ended) {
					r.Ended = t
				}
			}
		case "active", "isactive":
			switch v.Type {
			case gjson.True:
				flag = Ongoing
			case gjson.False:
				flag = Ended
			}
		case "status", "state", "sessionstatus":
			if v.Type == gjson.String && v.Str != "" {
				status = Ongoing
				if slices.Contains(endedWords, strings.ToLower(strings.TrimSpace(v.Str))) {
					status = Ended
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
	case status != Unsaid:
		r.Said = status
	case flag != Unsaid:
		r.Said = flag
	case !r.Ended.IsZero():
		r.Said = Ended
	}
	return r
}

var wordJoints = strings.NewReplacer("_", "", "-", "")

// memberName is a key without what tells the ways of writing apart.
func memberName(key string) string { return strings.ToLower(wordJoints.Replace(key)) }

// momentOf reads a time, also as seconds or milliseconds since 1970; zero for none.
func momentOf(v gjson.Result) time.Time {
	if v.Type == gjson.Number {
		return timestamp.Parse(v.Raw)
	}
	return timestamp.Parse(v.Str)
}
