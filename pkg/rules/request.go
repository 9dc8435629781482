package rules

import (
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Triggers of a run.
const (
	Manual        = "manual"
	SessionEnd    = "session_end"
	IndexOverflow = "index_overflow"
	Weekly        = "weekly"
	Threshold     = "threshold"
	Interval      = "interval"
)

// TriggerNames lists the triggers that a run may have.
func TriggerNames() []string {
	return []string{Manual, SessionEnd, IndexOverflow, Weekly, Threshold, Interval}
}

// Request says what to plan.
type Request struct {
	Trigger string        // "" = manual
	Scope   *memory.Scope // nil = everything
	Type    string        // a type or subtype of memories; "" = any
	// Since and Until bound when a memory was last changed, [Since, Until); zero: no bound.
	Since, Until time.Time
	Index        string // index_overflow: the file of the only index to look at; "" = each that overflows
	Settings     config.Settings
	Secrets      *secrets.Rules // what no memory may hold that is promoted; nil: the built-in rules
	Reserved     int            // how many memories of the run's limit are for verdicts that an earlier run deferred
	LogHead      string         // hash of the log's last entry, which makes the run id unique
	Ending       *Ending        // with SessionEnd: the session that ends; then Scope only names it
	Memo         *Memo          // what comparing memories came to in an earlier plan; nil for nothing

	// Again also looks at what a run at this very time has changed: for run after run, until nothing is left to do at any time
	// right after.
	Again bool

	// Sketch, if set, asks for a plan that tells what would be done and can't be applied: its actions lack what only
	// applying them needs. It keeps what summaries come to and how texts differ, since a forecast asks often.
	Sketch *Memo

	// Progress, if set, is called now and then with how many memories of how many have been
	// compared, by one goroutine at a time. An error ends the planning.
	Progress func(done, total int) error
}

// Whole reports whether the request is about the whole workspace. A memo is to be kept after
// such plans only: others know nothing of the rest.
func (r Request) Whole() bool {
	return r.Scope == nil && r.Type == "" && r.Since.IsZero() && r.Until.IsZero() && r.Trigger != SessionEnd && r.Trigger != Threshold && r.Trigger != IndexOverflow
}

// Chosen reports whether a memory has the type and was last changed in the time that the request is about.
func (r *Request) Chosen(m *memory.Memory) bool {
	changed := m.Newest()
	return (r.Type == "" || memory.OfType(m, r.Type)) &&
		(r.Since.IsZero() || !changed.Before(r.Since)) && (r.Until.IsZero() || changed.Before(r.Until))
}
