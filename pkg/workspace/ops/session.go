package ops

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/sessionfile"
)

// BeginSession notes that a session has begun, and reports whether that was new. A session that is noted already and goes on in
// another process is noted once more, with that process.
func (o *Ops) BeginSession(session memory.Session) (bool, error) {
	err := o.spoolSession(SessionsDir, noteName(session), session)
	if !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	known, ok := o.begun(session)
	if !ok || session.Process == known.Process || session.Process == (process.ID{}) {
		return false, nil
	}
	if session.Agent == "" {
		session.Agent = known.Agent
	}
	text, err := json.Marshal(session)
	if err == nil {
		err = o.replace(path.Join(SessionsDir, noteName(session)+".json"), append(text, '\n'))
	}
	if err != nil {
		return false, fmt.Errorf("session %s: %w", session.ID, err)
	}
	return false, nil
}

// replace gives a file that is there another text, durably.
func (o *Ops) replace(name string, text []byte) error {
	tmp, err := durable.Temp(path.Dir(name))
	if err != nil {
		return err
	}
	if err := durable.Write(o.root, tmp, text, 0); err != nil {
		return err
	}
	if err := o.root.Rename(tmp, name); err != nil {
		return errors.Join(err, o.root.Remove(tmp))
	}
	return o.root.SyncDir(path.Dir(name))
}

// AgentOf is the agent that a session began with; "" where nobody named one, or the session hasn't begun.
func (o *Ops) AgentOf(session string) string {
	begun, _ := o.begun(memory.Session{ID: session})
	return begun.Agent
}

// begun reads the note of a session that has begun; false where there is none that can be read.
func (o *Ops) begun(session memory.Session) (begun memory.Session, ok bool) {
	text, _, err := o.root.Read(path.Join(SessionsDir, noteName(session)+".json"), maxSpooledLen)
	ok = err == nil && json.Unmarshal(text, &begun) == nil
	return begun, ok
}

// SpoolAbandoned notes the end of each session that has begun and that nobody can end any more: its process has ended, or,
// where that isn't known, it began longer than idle ago. It returns how many these are.
func (o *Ops) SpoolAbandoned(at time.Time, idle time.Duration) (int, error) {
	begun, _, err := o.Sessions(SessionsDir)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, s := range begun {
		if s.Open(at, idle) {
			continue
		}
		s.At = at
		if err := o.SpoolEnd(s); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// SpoolEnd notes that a session has ended, to be settled by whoever reads it. The
// session is open no more; the agent that it began with goes along.
func (o *Ops) SpoolEnd(session memory.Session) error {
	if begun, ok := o.begun(session); ok && session.Agent == "" {
		session.Agent = begun.Agent
	}
	session.Process = process.ID{} // what ended needs none
	name := fmt.Sprintf("%s-%s", session.At.UTC().Format("20060102T150405.000000000"), noteName(session))
	if err := o.spoolSession(SpoolDir, name, session); err != nil {
		return err
	}
	return o.Unspool(path.Join(SessionsDir, noteName(session)+".json"))
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

// Sessions returns those of a spool, in the order of their files' names. A file that holds no session is skipped
// and listed.
func (o *Ops) Sessions(spool string) (all []memory.Session, unread []string, err error) {
	files, err := o.ReadSpool(spool)
	for _, file := range files {
		session := memory.Session{}
		if json.Unmarshal(file.Text, &session) != nil {
			unread = append(unread, file.Name)
			continue
		}
		session.File, session.State = file.Name, session.Process.State()
		all = append(all, session)
	}
	return all, unread, err
}

// maxSessionFile bounds what is read of a file to learn of a session.
const maxSessionFile = 1 << 20

// SessionFiles returns the files by which sessions are known, by name; besides the
// places for them, the files in also. What a file of up to 1 MiB says is read if it
// was written since then, or if it is one of also. A file that is gone, or can't be
// read, is none.
func (o *Ops) SessionFiles(agents, also []string, since time.Time) ([]sessionfile.File, error) {
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
		entries, err := o.root.ReadDir(dir)
		if err != nil && !gone(err) {
			return nil, err
		}
		for _, below := range add(dir, entries) {
			if entries, err = o.root.ReadDir(below); err != nil && !gone(err) {
				return nil, err
			}
			add(below, entries)
		}
	}
	for _, agent := range agents {
		if file := path.Join("agents", agent, sessionfile.WorkingMemory); !wanted[file] {
			dirs[path.Dir(file)] = append(dirs[path.Dir(file)], sessionfile.WorkingMemory)
		}
	}
	var all []sessionfile.File
	for dir, names := range dirs {
		seen := func(i int, info durable.Info) bool {
			name := path.Join(dir, names[i])
			if info.Size <= maxSessionFile && (wanted[name] || info.ModTime.After(since)) {
				return false
			}
			all = append(all, sessionfile.File{Name: name, Touched: info.ModTime})
			return true
		}
		err := o.root.ReadFiles(dir, names, maxSessionFile, seen, func(i int, data []byte, info durable.Info, err error) {
			if err != nil {
				return // a problem of the snapshot
			}
			name := path.Join(dir, names[i])
			f := sessionfile.File{Name: name, Touched: info.ModTime}
			if f.Records, f.Broken = sessionfile.Read(name, data); !f.Broken && memoryOfSession(name, data) {
				f.Records = nil
			}
			all = append(all, f)
		})
		if err != nil && !gone(err) {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b sessionfile.File) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// memoryOfSession tells a memory that stands in a session's directory: what it calls done
// is its own affair.
func memoryOfSession(name string, data []byte) bool {
	if path.Dir(name) == "sessions" || !strings.HasPrefix(name, "sessions/") {
		return false
	}
	start, end := jsonedit.Span(data)
	return memory.IsRecord(gjson.ParseBytes(data[start:end]))
}

// gone reports whether an error means that nothing is there to be read.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrLink) }
