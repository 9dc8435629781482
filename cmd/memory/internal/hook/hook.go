package hook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

const (
	maxInput = 1 << 20   // bytes of an event that are read: a start or an end is small
	maxLog   = 256 << 10 // bytes of the log, and of the older one beside it
)

// logFile is where it says what went wrong, below ops/.
const logFile = "hook.log"

// Call is one event of a host.
type Call struct {
	Host  *Host
	Event string // as the host calls it
	Input io.Reader
	Env   func(name string) string
	Dir   string // where the program was started
	At    time.Time

	// Find returns the workspace for a directory, "" for none.
	Find func(dir string) string
	// Open opens a workspace.
	Open func(dir string) (*workspace.FileStore, error)
	// Brief writes the text that a session is given, "" for none: at its start, or
	// beside a prompt. Nil: nobody is given anything.
	Brief func(store *workspace.FileStore, to Recipient) (string, error)
	// Late is called when the host was not given in time what it should have been, with the
	// workspace: to see to it that the next time is in time. Nil: nothing is done.
	Late func(dir string) error
	// Settle starts the process that works off the spool, and doesn't wait for it.
	Settle func(dir string) error

	found atomic.Pointer[string] // the workspace, once it is known
	late  atomic.Bool            // the host has been answered
}

// Recipient is the session that a text is for.
type Recipient struct {
	Session string
	Host    string
	Project string // its directory
	Prompt  string // "" at the start
	Resumes bool   // it starts once more, with its context as it was
	// Late reports whether the text has come too late: then nobody is given it.
	Late func() bool
}

// Run does what the event asks for and returns the answer to the host.
func (c *Call) Run() string {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- result{err: fmt.Errorf("panic: %v", p)}
			}
		}()
		text, err := c.handle()
		done <- result{text, err}
	}()
	late := time.NewTimer(c.patience())
	defer late.Stop()
	var r result
	select {
	case r = <-done:
	case <-late.C:
		c.late.Store(true)
		r.err = fmt.Errorf("not done after %s", c.patience())
		if dir := c.found.Load(); dir != nil && c.Late != nil && c.Host.kind(c.Event) == prompt {
			r.err = errors.Join(r.err, c.Late(*dir))
		}
	}
	answer := c.Host.silence(c.Event)
	if r.text != "" {
		giving, err := c.Host.giving(c.Event, r.text)
		if r.err = errors.Join(r.err, err); err == nil {
			answer = giving
		}
	}
	if r.err != nil {
		c.log(r.err)
	}
	return answer
}

// patience is how long the host may be kept waiting.
func (c *Call) patience() time.Duration {
	switch c.Host.kind(c.Event) {
	case start, prompt:
		return 300 * time.Millisecond
	}
	return 200 * time.Millisecond
}

// handle does what is to be done, and returns the text that the agent is given.
func (c *Call) handle() (string, error) {
	what := c.Host.kind(c.Event)
	if what != start && what != end && (!c.Host.takes(what) || c.Brief == nil) {
		return "", nil
	}
	text, err := one(c.Input)
	if err != nil {
		return "", fmt.Errorf("read the event: %w", err)
	}
	in := read(text)
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
	session := memory.Session{ID: in.session, Host: c.Host.Name, At: c.At}
	to := Recipient{Session: in.session, Host: c.Host.Name, Project: project, Late: c.late.Load}
	switch what {
	case end:
		if session.ID == "" {
			session.ID = c.Host.Name // settles what belongs to nobody
		}
		if err := store.Ops().SpoolEnd(session); err != nil {
			return "", err
		}
		return "", c.settle(dir)
	case prompt:
		if to.Prompt = in.prompt; to.Prompt == "" {
			return "", nil
		}
		return c.Brief(store, to)
	}
	twice, err := c.begin(store, session, dir)
	if !c.Host.takes(start) || c.Brief == nil || twice && (in.source == "" || in.source == "startup") {
		return "", err
	}
	to.Resumes = in.source == "resume"
	given, failed := c.Brief(store, to)
	return given, errors.Join(err, failed)
}

// atOnce is how far apart two starts are that are one: hooks that are installed twice
// are run twice, and at the same time.
const atOnce = 10 * time.Second

// begin notes the start of a session, and has settled what an earlier end left. It
// reports whether another process has noted the same start.
func (c *Call) begin(store *workspace.FileStore, session memory.Session, dir string) (twice bool, err error) {
	if session.ID != "" {
		fresh, err := store.Ops().BeginSession(session)
		if err != nil {
			return false, err
		}
		if !fresh {
			begun, _, err := store.Ops().Sessions(ops.SessionsDir)
			if err != nil {
				return false, err
			}
			twice = slices.ContainsFunc(begun, func(s memory.Session) bool {
				return s.Is(session) && session.At.Sub(s.At).Abs() < atOnce
			})
		}
	}
	left, err := c.left(store)
	if err != nil || !left {
		return twice, err
	}
	return twice, c.settle(dir)
}

// left reports whether an earlier end has not been settled.
func (c *Call) left(store *workspace.FileStore) (bool, error) {
	if waiting, err := store.Ops().Waiting(ops.SpoolDir); err != nil || waiting {
		return waiting, err
	}
	begun, _, err := store.Ops().Sessions(ops.SessionsDir)
	for _, s := range begun {
		if c.At.Sub(s.At) >= store.SessionIdle {
			return true, err
		}
	}
	return false, err
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
	var dirs []string
	for _, name := range c.Host.dirs {
		dirs = append(dirs, c.Env(name))
	}
	for _, dir := range append(append(dirs, told...), c.Dir) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found := c.Find(filepath.Clean(dir)); found != "" {
			return found, filepath.Clean(dir)
		}
	}
	return "", ""
}

// log writes down what went wrong, if there is a workspace to write it to. What
// goes wrong with that is told nobody: the host must not see it.
func (c *Call) log(cause error) {
	defer func() { _ = recover() }()
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
	_ = store.Ops().Jot(logFile, fmt.Sprintf("%s %s: %s", at.UTC().Format(time.RFC3339), what, cause), maxLog)
}

// one reads one JSON value, and no further: not every host closes the stream.
func one(r io.Reader) ([]byte, error) {
	b := bufio.NewReader(io.LimitReader(r, maxInput))
	if mark, err := b.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3)
	}
	var value json.RawMessage
	err := json.NewDecoder(b).Decode(&value)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil // an event that says nothing
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("cut off, or longer than %d bytes", maxInput)
	}
	return value, err
}
