package document

import (
	"cmp"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/trigger"
)

// Status is the state of a workspace as --json prints it.
type Status struct {
	Workspace string         `json:"workspace"`
	Preset    string         `json:"preset"`
	Memories  int            `json:"memories"`
	Types     map[string]int `json:"types"`
	Tiers     map[string]int `json:"tiers" jsonschema:"of live memories"`
	Scopes    map[string]int `json:"scopes"`
	Archived  int            `json:"archived"`
	Indexes   int            `json:"indexes"`
	LastRun   *LastRun       `json:"last_run"`
	Review    int            `json:"pairs_to_review"`
	Next      oplog.Stats    `json:"next_run"`
	Off       []string       `json:"rules_off,omitempty"`
	Held      string         `json:"automatic_off,omitempty" jsonschema:"why no run starts by itself"`
	Errors    int            `json:"errors" jsonschema:"met while the files were read just now"`
	Warnings  int            `json:"warnings"`
	LastCheck *CheckSummary  `json:"last_check" jsonschema:"null: none is known"`
	Watch     *Watch         `json:"watch"`
	Unread    []UnreadFile   `json:"unreadable"`
	Copies    []Copy         `json:"conflict_copies,omitempty"`
	Conflicts []string       `json:"merge_conflicts,omitempty" jsonschema:"ids of memories that wait for a decision about a merge"`
	Due       []string       `json:"due_for_review,omitempty" jsonschema:"ids of memories whose review_on has come"`
	Worktree  *Worktree      `json:"worktree,omitempty"`
}

// Worktree tells which workspace is used in a linked worktree of a git repository.
type Worktree struct {
	Root       string `json:"root"`
	Repository string `json:"repository" jsonschema:"its main worktree"`
	Used       string `json:"used"`
	Own        bool   `json:"own" jsonschema:"the worktree's, not the repository's"`
	Why        string `json:"why"`
	Other      string `json:"not_used,omitempty"`
}

// UnreadFile is a file that could not be read just now.
type UnreadFile struct {
	File    string `json:"file"`
	Message string `json:"message"`
}

// Copy is a conflict copy that waits for a decision.
type Copy struct {
	File        string   `json:"file"`
	Of          string   `json:"of"`
	ID          string   `json:"id"`
	PairID      string   `json:"pair_id" jsonschema:"for review"`
	Differences []string `json:"differences"`
}

// LastRun is the last entry of the log.
type LastRun struct {
	RunID   string      `json:"run_id"`
	At      time.Time   `json:"at"`
	Trigger string      `json:"trigger"`
	Stats   oplog.Stats `json:"stats"`
}

// Watch is what is known of the process that watches a workspace.
type Watch struct {
	Running   bool       `json:"running"`
	Stale     bool       `json:"stale" jsonschema:"it should have reported by now"`
	PID       int        `json:"pid,omitempty"`
	Started   *time.Time `json:"started_at,omitempty"`
	LastEvent *time.Time `json:"last_event_at,omitempty"`
	Compared  *time.Time `json:"last_comparison_at,omitempty"`
	Full      *time.Time `json:"full_comparison_at,omitempty"`
	Following string     `json:"following,omitempty"`
	LastRun   string     `json:"last_run,omitempty"`
	Holder    string     `json:"-"`
}

// Schedule lists the runs to come, as --json prints it.
type Schedule struct {
	Zone    string         `json:"time_zone"`
	Watched bool           `json:"watched"`
	Held    string         `json:"automatic_off,omitempty" jsonschema:"why no run starts by itself"`
	Runs    []ScheduledRun `json:"runs"`
}

// ScheduledRun is one run to come.
type ScheduledRun struct {
	Trigger string      `json:"trigger"`
	Name    string      `json:"name,omitempty" jsonschema:"of a schedule of the settings"`
	Scope   string      `json:"scope,omitempty" jsonschema:"that it is limited to"`
	At      *time.Time  `json:"at" jsonschema:"null: when the condition holds"`
	On      string      `json:"on" jsonschema:"the schedule, the condition, or why it is due"`
	Would   oplog.Stats `json:"would"`
}

// NewStatus describes a workspace; next is what the next run would do, last the newest run, nil for none. Watch, LastCheck,
// Workspace and Preset are left to the caller.
func NewStatus(snap *memory.Snapshot, settings config.Settings, next oplog.Stats, last *oplog.Entry) *Status {
	s := &Status{
		Memories: len(snap.Memories()), Types: map[string]int{}, Tiers: map[string]int{}, Scopes: map[string]int{},
		Archived: len(snap.Archived()), Indexes: len(snap.Indexes), Next: next,
		Review: len(snap.Open()), Unread: []UnreadFile{},
		Off: settings.Off(), Held: trigger.Held(settings, len(snap.Memories())),
	}
	now := snap.At.In(settings.Triggers.Days())
	for _, m := range snap.Memories() {
		if m.DueForReview(now) {
			s.Due = append(s.Due, m.ID)
		}
		s.Types[cmp.Or(m.Type, "none")]++
		s.Tiers[retention.Of(m, snap.At, settings).Tier.String()]++
		s.Scopes[m.Scope.String()]++
		if m.Conflicted {
			s.Conflicts = append(s.Conflicts, m.ID)
		}
	}
	for _, c := range snap.Copies {
		pair := c.Pair()
		s.Copies = append(s.Copies, Copy{c.Ref.String(), c.Of.Ref.String(), c.ID, pair.ID(), append([]string{}, pair.Differences...)})
	}
	s.Errors, s.Warnings = CountProblems(snap.Problems)
	for _, p := range snap.Problems {
		if p.Severity == memory.Error {
			s.Unread = append(s.Unread, UnreadFile{p.File, p.Message})
		}
	}
	if last != nil {
		s.LastRun = &LastRun{last.RunID, last.Timestamp, last.Trigger, last.Stats}
	}
	return s
}

// CountProblems counts errors and warnings.
func CountProblems(problems []memory.Problem) (errors, warnings int) {
	for _, p := range problems {
		if p.Severity == memory.Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}
