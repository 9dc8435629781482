package cli

import (
	"fmt"
	"sync"
	"time"
)

// patience is how long a command works in silence.
const patience = time.Second

// progress tells a person at a terminal what is going on when it takes longer
// than a second. The function returned ends it; it may be called twice.
func (c *call) progress(text string) (done func()) {
	if c.quiet || !c.onTerminal() {
		return func() {}
	}
	var mu sync.Mutex
	shown, ended := false, false
	timer := time.AfterFunc(patience, func() {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			shown = true
			fmt.Fprintf(tolerant{c.Stderr}, "%s …", text)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		if shown && !ended {
			fmt.Fprint(tolerant{c.Stderr}, "\r\x1b[K")
		}
		ended = true
	}
}
