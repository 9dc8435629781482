package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/term"
)

// patience is how long a command works in silence.
const patience = time.Second

// progress tells a person at a terminal what is going on, once that takes longer
// than a second. A nil one tells nothing.
type progress struct {
	w     io.Writer
	timer *time.Timer

	mu    sync.Mutex
	text  string
	part  string // how far it is with that
	due   bool   // a second has passed
	ended bool
}

// progress begins the progress line of a command. A command has one.
func (p *printer) progress(text string) *progress {
	if p.quiet || !p.onTerminal() {
		return nil
	}
	p.line = newProgress(term.Tolerant{Writer: p.stderr}, text, patience)
	return p.line
}

// reading tells how many files have been read, and stops the reading when the
// command is interrupted.
func (c *call) reading(done, total int) error {
	c.line.at(fmt.Sprintf("%s of %s read", thousands(done), quantity(total, "file")))
	return c.ctx.Err()
}

// comparing tells how many memories have been compared, and ends the planning when the
// command is interrupted.
func (c *call) comparing(done, total int) error {
	c.line.at(fmt.Sprintf("%s of %s compared", thousands(done), quantity(total, "memory")))
	return c.ctx.Err()
}

func newProgress(w io.Writer, text string, patience time.Duration) *progress {
	p := &progress{w: w, text: text}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.due = true
		p.print()
	})
	return p
}

// now says what is going on now.
func (p *progress) now(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.part = text, ""
	p.print()
}

// at says how far it is with that.
func (p *progress) at(part string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = part
	p.print()
}

// end takes the line away; it may be called twice.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = ""
	p.print()
	p.ended = true
}

const clearLine = "\r\x1b[K"

func (p *progress) print() {
	if !p.due || p.ended {
		return
	}
	line := clearLine
	switch {
	case p.text != "" && p.part != "":
		line += p.text + ": " + p.part + " …"
	case p.text != "":
		line += p.text + " …"
	}
	fmt.Fprint(p.w, line)
}
