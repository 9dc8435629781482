package hook

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// MaxInput is how many bytes of an event are read: a start or an end is small.
const MaxInput = 1 << 20

const (
	maxSession = 256       // bytes of a session's name
	maxLog     = 256 << 10 // bytes of the log, and of the older one beside it
)

// ErrEvent: what a host sent is not an event.
var ErrEvent = errors.New("not an event")

// eventError says what is wrong with what a host sent. It is an [ErrEvent].
type eventError struct{ wrong error }

func (e eventError) Error() string        { return "read the event: " + e.wrong.Error() }
func (e eventError) Unwrap() error        { return e.wrong }
func (e eventError) Is(target error) bool { return target == ErrEvent }

// LogFile is the file below ops/ that says what went wrong in hooks.
const LogFile = "hook.log"

// Call is one event of a host.
type Call struct {
	Host  *Host
	Event string // as the host calls it
	Input io.Reader
	Env   func(name string) string
	Dir   string // where the program was started
	At    time.Time

	// Hub returns the hub that events of a directory go to, nil for none. Nil: none do.
	Hub func(dir string) *Hub
	// Once reports whether something is named for the first time: what a person is told while a hub is away, and in which session.
	Once func(name string) bool

	// Find returns the workspace for a directory, "" for none. Nil: Open opens it, whatever the directory.
	Find func(dir string) string
	// Open opens a workspace.
	Open func(dir string) (*workspace.FileStore, error)
	// Brief writes the text that a session is given, "" for none: at its start, or
	// beside a prompt. Nil: nobody is given anything.
	Brief func(store *workspace.FileStore, to Recipient) (string, error)
	// Late is called when the host was not given in time what it should have been, with the
	// workspace: to see to it that the next time is in time. Nil: nothing is done.
	Late func(dir string) error
	// Process is the host's process; zero where it isn't known.
	Process process.ID
	// Settle starts the process that works off the spool, and doesn't wait for it.
	Settle func(dir string) error

	// Principal is whose session it is, where several use one workspace: sessions of the same name are theirs then. "": one person's.
	Principal string
	// End, if set, sees to the end of a session in place of the spool and Settle. The session has its own name.
	End func(session memory.Session) error

	found atomic.Pointer[string] // the workspace, once it is known
	asked atomic.Pointer[asked]  // the hub, once it is known
	late  atomic.Bool            // the host has been answered
}

// Hub is a workspace of a hub, which answers events in place of a workspace here.
type Hub struct {
	Name string // for people
	// Ask sends an event, and returns what the host is to be answered.
	Ask func(ctx context.Context, input []byte) (string, error)
}

// asked is a hub that was asked, about a session.
type asked struct {
	*Hub
	session string
}

// told is the line for the person where a hub gives nothing, "" where they know: it is shown once a session, at a start or a prompt.
func (c *Call) told(a *asked, cause error) string {
	what := c.Host.kind(c.Event)
	if c.Host.notices == "" || what != start && what != prompt || a.session == "" && what != start {
		return ""
	}
	if a.session != "" {
		first := make(chan bool, 1)
		go func() { first <- c.Once("hub " + a.Name + " " + c.Host.Name + " " + a.session) }()
		select {
		case is := <-first:
			if !is {
				return ""
			}
		case <-time.After(logPatience): // a disk that doesn't answer must not keep the host waiting
			return ""
		}
	}
	return fmt.Sprintf("memory: no memories are given: %v; \"memory status\" shows whether it answers", cause)
}

// Recipient is the session that a text is for.
type Recipient struct {
	Session string // as it is noted: with the principal, where there is one
	ID      string // as the host calls it
	Host    string
	Agent   string // "" where nobody says who works in the session
	Project string // its directory
	Starts  bool   // it has nothing of ours yet: its context is new, or was emptied
	Resumes bool   // it starts once more, with its context as it was
	Prompt  string // what the person typed; "" before the first prompt
	// Late reports whether the text has come too late: then it is not printed.
	Late func() bool
}

// Notice is an error that the person at the host can mend and should see. Where the host has a line for the person, it is shown once a
// session.
type Notice struct {
	Err   error
	first bool // it wasn't shown in this session yet
}

func (n Notice) Error() string { return n.Err.Error() }
func (n Notice) Unwrap() error { return n.Err }

// result is what came of an event.
type result struct {
	answer string // of a hub, as the host takes it
	text   string // for the agent
	notice string // for the person
	away   *asked // the hub that gave no answer
	err    error
}

// Run does what the event asks for and returns the answer to the host, in time.
func (c *Call) Run() string {
	done := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- result{err: fmt.Errorf("panic: %v", p)}
			}
		}()
		done <- c.handle()
	}()
	late := time.NewTimer(c.patience())
	defer late.Stop()
	var r result
	select {
	case r = <-done:
	case <-late.C:
		c.late.Store(true)
		r.err = fmt.Errorf("not done after %s", c.patience())
		if a := c.asked.Load(); a != nil {
			r = result{away: a, err: fmt.Errorf("the hub %s gave no answer within %s", a.Name, c.patience())}
		}
	}
	answer, err := c.answer(r)
	if err != nil {
		logged := make(chan struct{})
		go func() {
			defer close(logged)
			c.failed(err)
		}()
		select {
		case <-logged:
		case <-time.After(logPatience): // a disk that doesn't answer must not keep the host waiting
		}
	}
	return answer
}

// Answer is [Call.Run] for a server: it takes as long as it takes, and what went wrong is returned besides.
func (c *Call) Answer() (string, error) { return c.answer(c.handle()) }

// answer is what the host is told, and what went wrong.
func (c *Call) answer(r result) (string, error) {
	answer := c.Host.silence(c.Event)
	if r.answer != "" {
		answer = r.answer
	}
	if r.away != nil {
		r.notice = c.told(r.away, r.err)
	}
	if r.text != "" {
		giving, err := c.Host.giving(c.Event, r.text)
		if r.err = errors.Join(r.err, err); err == nil {
			answer = giving
		}
	}
	if r.notice != "" {
		noticing, err := c.Host.noticing(c.Event, r.notice)
		if r.err = errors.Join(r.err, err); err == nil {
			answer = noticing
		}
	}
	return answer, r.err
}

// patience is how long the host is kept waiting for what it is given. On a machine that is busy with builds a process may need ten
// times what it usually needs. With the log of what went wrong it is less than a second.
func (c *Call) patience() time.Duration {
	switch c.Host.kind(c.Event) {
	case start, prompt:
		return 700 * time.Millisecond
	}
	return 400 * time.Millisecond
}

// logPatience is how long the host is kept waiting for the log of what went wrong, and for the note of what the person was told.
const logPatience = 200 * time.Millisecond

// handle does what is to be done, here or by a hub.
func (c *Call) handle() (r result) {
	what := c.Host.kind(c.Event)
	if what == other || what == prompt && !c.Host.takes(what) {
		return r
	}
	text, err := one(c.Input)
	if err != nil {
		return result{err: eventError{err}}
	}
	in := read(text)
	if len(in.session) > maxSession || strings.ContainsFunc(in.session, unicode.IsControl) {
		return result{err: eventError{fmt.Errorf("the name of the session has more than %d bytes, or control characters", maxSession)}}
	}
	if hub := c.hub(in.dirs); hub != nil {
		return c.relay(hub, in.session, text)
	}
	r.text, r.err = c.here(what, in)
	var told Notice
	if errors.As(r.err, &told) && told.first {
		r.notice = told.Error()
	}
	return r
}

// hub is the one that the event goes to, nil for none.
func (c *Call) hub(told []string) (hub *Hub) {
	if c.Hub == nil {
		return nil
	}
	c.eachDir(told, func(dir string) bool {
		hub = c.Hub(dir)
		return hub != nil
	})
	return hub
}

// relay has a hub answer the event.
func (c *Call) relay(hub *Hub, session string, text []byte) result {
	a := &asked{hub, session}
	c.asked.Store(a)
	ctx, cancel := context.WithTimeout(context.Background(), c.patience())
	defer cancel()
	answer, err := hub.Ask(ctx, text)
	if err != nil {
		return result{away: a, err: err}
	}
	return result{answer: answer}
}

// here does what is to be done in the workspace, and returns the text that the agent is given.
func (c *Call) here(what kind, in input) (string, error) {
	if what == prompt && c.Brief == nil {
		return "", nil
	}
	dir, project := c.find(in.dirs)
	if dir == "" {
		return "", nil
	}
	c.found.Store(&dir)
	store, err := c.Open(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = store.Close() }() // nothing is written by closing
	id := in.session
	if id != "" && c.Principal != "" {
		in.session = c.Principal + "/" + id
	}
	session := memory.Session{ID: in.session, Agent: strings.TrimSpace(c.Env("MEMORY_AGENT")), Host: c.Host.Name, At: c.At, Process: c.Process}
	to := Recipient{Session: in.session, ID: id, Host: c.Host.Name, Agent: session.Agent, Project: project, Late: c.late.Load}
	if to.Agent == "" && to.Session != "" {
		to.Agent = store.Ops().AgentOf(to.Session)
	}
	switch what {
	case end:
		return "", c.end(store, session, id, dir)
	case emptied:
		_, err := c.record(store, in.session, emptiedEvent)
		return "", err
	case prompt:
		return c.besidePrompt(store, to, in.prompt)
	}
	first, err := c.begin(store, session, in.source, dir)
	to.Resumes = in.source == "resume" || in.source == "startup" && c.startedBefore(store, in.session)
	to.Starts = !to.Resumes
	if !first || c.Host.late || !c.Host.takes(start) || c.Brief == nil {
		return "", err
	}
	given, failed := c.brief(store, to)
	return given, errors.Join(err, failed)
}

// startedBefore reports whether a session that starts has its context from an earlier start: some hosts say startup each time.
// Where that can't be read, it has none.
func (c *Call) startedBefore(store *workspace.FileStore, session string) (started bool) {
	if session == "" {
		return false
	}
	events, _ := store.Ops().Events(session)
	for _, e := range events {
		switch {
		case c.At.Sub(e.At) < atOnce: // this start
		case e.Name == emptiedEvent:
			started = false
		case strings.HasPrefix(e.Name, "start"):
			started = true
		}
	}
	return started
}

// end notes the end of a session, and has it settled.
func (c *Call) end(store *workspace.FileStore, session memory.Session, id, dir string) error {
	if c.End != nil {
		err := store.Ops().ForgetSession(session)
		if session.ID = id; id == "" || err != nil {
			return err // whose memories they are isn't known: they are settled once they have rested
		}
		return c.End(session)
	}
	if session.ID == "" {
		session.ID = c.Host.Name // settles what belongs to nobody
	}
	if err := store.Ops().SpoolEnd(session); err != nil {
		return err
	}
	return c.settle(dir)
}

// brief is the text for a session. A notice is marked as the first of the session, if it is.
func (c *Call) brief(store *workspace.FileStore, to Recipient) (string, error) {
	text, err := c.Brief(store, to)
	var notice Notice
	if !errors.As(err, &notice) {
		return text, err
	}
	events, failed := store.Ops().Events(to.Session)
	if failed != nil || to.Session != "" && slices.ContainsFunc(events, func(e ops.Event) bool { return e.Name == noticeEvent }) {
		return text, errors.Join(err, failed)
	}
	notice.first, failed = c.record(store, to.Session, noticeEvent)
	return text, errors.Join(notice, failed)
}

// noticeEvent is recorded when the person was shown a notice.
const noticeEvent = "notice"

// besidePrompt is the text for a prompt. Where the host takes the block of the start only here, it is given with the first prompt
// after the start, and after the context was emptied.
func (c *Call) besidePrompt(store *workspace.FileStore, to Recipient, typed string) (string, error) {
	if to.Prompt = typed; typed == "" {
		return "", nil
	}
	sum := sha256.Sum256([]byte(typed))
	if first, err := c.record(store, to.Session, "prompt "+hex.EncodeToString(sum[:8])); err != nil || !first {
		return "", err
	}
	if c.Host.late && to.Session != "" {
		events, err := store.Ops().Events(to.Session)
		if err != nil {
			return "", err
		}
		to.Starts = owed(events)
	}
	return c.brief(store, to)
}

// owed reports whether a session waits for its block: no prompt but the last one was told of since it began, since a notice took
// the place of its block, or since its
// context was emptied.
func owed(events []ops.Event) bool {
	prompts := 0
	for _, e := range slices.Backward(events) {
		switch {
		case strings.HasPrefix(e.Name, "prompt "):
			prompts++
		case e.Name != "start resume":
			return prompts <= 1
		}
	}
	return prompts <= 1
}

// atOnce is how far apart two events are that are one: hooks that are installed twice
// are run twice, and at the same time.
const atOnce = 10 * time.Second

// emptiedEvent is recorded when a host has emptied the context of a session.
const emptiedEvent = "emptied"

// record notes an event of a session, and reports whether this process is the first to be told of it.
func (c *Call) record(store *workspace.FileStore, session, name string) (first bool, err error) {
	if session == "" {
		return true, nil
	}
	var by [8]byte
	if _, err := rand.Read(by[:]); err != nil {
		return false, err
	}
	return store.Ops().Record(ops.Event{At: c.At, Session: session, Host: c.Host.Name, Name: name, By: hex.EncodeToString(by[:])}, atOnce)
}

// begin notes the start of a session, and has settled what earlier ones left. It
// reports whether this process is the first to be told of this start.
func (c *Call) begin(store *workspace.FileStore, session memory.Session, source, dir string) (first bool, err error) {
	if session.ID != "" {
		if _, err := store.Ops().BeginSession(session); err != nil {
			return false, err
		}
	}
	if first, err = c.record(store, session.ID, strings.TrimSpace("start "+source)); err != nil {
		return false, err
	}
	if c.End != nil {
		return first, nil
	}
	if _, err := store.Ops().SpoolAbandoned(c.At, store.SessionIdle); err != nil {
		return first, err
	}
	left, err := store.Ops().Waiting(ops.SpoolDir)
	if err != nil || !left {
		return first, err
	}
	return first, c.settle(dir)
}

func (c *Call) settle(dir string) error {
	if err := c.Settle(dir); err != nil {
		return fmt.Errorf("start the settling: %w", err)
	}
	return nil
}

// find is the workspace of the event: that of the project, else of where the work
// is done, else of where the program was started; "" for none. With it comes the
// directory that led to it.
func (c *Call) find(told []string) (dir, project string) {
	if c.Find == nil {
		if len(told) > 0 {
			project = told[0]
		}
		return ".", project
	}
	c.eachDir(told, func(at string) bool {
		dir, project = c.Find(at), at
		return dir != ""
	})
	if dir == "" {
		project = ""
	}
	return dir, project
}

// eachDir passes the directories of an event on, the most telling first, until one is taken.
func (c *Call) eachDir(told []string, take func(dir string) bool) {
	var dirs []string
	for _, name := range c.Host.dirs {
		dirs = append(dirs, c.Env(name))
	}
	for _, dir := range append(append(dirs, told...), c.Dir) {
		if filepath.IsAbs(dir) && take(filepath.Clean(dir)) {
			return
		}
	}
}

// failed writes down what went wrong, if there is a workspace to write it to. An
// error in doing so is dropped: the host must not see it.
func (c *Call) failed(cause error) {
	defer func() { _ = recover() }()
	if found := c.found.Load(); found != nil && c.late.Load() && c.Late != nil && c.Host.kind(c.Event) == prompt {
		cause = errors.Join(cause, c.Late(*found))
	}
	dir := ""
	if found := c.found.Load(); found != nil {
		dir = *found
	} else if dir, _ = c.find(nil); dir == "" {
		return
	}
	store, err := c.Open(dir)
	if err != nil {
		return
	}
	Log(store, c.At, c.Host.Name+" "+c.Event, cause)
	_ = store.Close()
}

// Log writes a line about what went wrong to the hooks' log of a workspace.
func Log(store *workspace.FileStore, at time.Time, what string, cause error) {
	_ = store.Ops().Jot(LogFile, fmt.Sprintf("%s %s: %s", at.UTC().Format(time.RFC3339), what, cause), maxLog)
}

// one reads one JSON value, and no further: not every host closes the stream.
func one(r io.Reader) ([]byte, error) {
	b := bufio.NewReader(io.LimitReader(r, MaxInput))
	if mark, err := b.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3)
	}
	var value json.RawMessage
	err := json.NewDecoder(b).Decode(&value)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil // an event that says nothing
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("cut off, or longer than %d bytes", MaxInput)
	}
	return value, err
}
