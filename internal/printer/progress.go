package printer

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/term"
)

// patience is how long a command works in silence.
const patience = time.Second

// Progress begins the progress line of a command. A command has one.
func (p *Printer) Progress(text string) *Progress {
	if p.Quiet || !p.onTerminal() {
		return nil
	}
	p.Line = newProgress(term.Tolerant{Writer: p.stderr}, text, patience)
	return p.Line
}

// Progress tells a person at a terminal what is going on, once that takes longer
// than a second. A nil one tells nothing.
type Progress struct {
	w     io.Writer
	timer *time.Timer

	mu    sync.Mutex
	text  string
	part  string // how far it is with that
	due   bool   // a second has passed
	ended bool
}

func newProgress(w io.Writer, text string, patience time.Duration) *Progress {
	p := &Progress{w: w, text: text}
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

// Now says what is going on now.
func (p *Progress) Now(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.part = text, ""
	p.print()
}

// At says how far it is with that.
func (p *Progress) At(part string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = part
	p.print()
}

// End takes the line away; it may be called twice.
func (p *Progress) End() {
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

func (p *Progress) print() {
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
