package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Names in the place of a rule's, for actions of no rule: see pkg/rules for those.
const (
	RuleDeep    = "deep"    // a model's choice
	RuleManual  = "manual"  // a person's or an agent's own command
	RuleAccess  = "access"  // counts reads
	RuleCluster = "cluster" // keeps the summaries of clusters
	RuleEdge    = "edge"    // keeps judged edges
)

// Op is one change to one record: where it is, what it is expected to be,
// and the complete result.
type Op struct {
	Kind OpKind
	ID   string // of the record as it is, or for Create as it will be
	Ref  Ref    // where it is; for Create, where it would be if To is in the archive
	Base Digest // of the record as planned against; "" for Create
	To   Ref    // Create and Move: where it will be
	// Raw is the complete record afterwards. Move may leave it nil: bytes unchanged.
	Raw []byte
	// Note is, of a Markdown note, the file afterwards. The store computes it from Raw. Move may leave it nil.
	Note []byte
}

// Idle reports whether the change leaves every byte as it was: then nothing is written,
// and nothing recorded.
func (o *Op) Idle() bool {
	if o.Note != nil {
		return o.Kind == Put && DigestOf(o.Note) == o.Base
	}
	return o.Kind == Put && DigestOf(o.Raw) == o.Base
}

// Next is the digest of what is there afterwards: the record, or the file of a Markdown note; Base where that doesn't change.
func (o *Op) Next() Digest {
	switch {
	case o.Note != nil:
		return DigestOf(o.Note)
	case o.Raw == nil, o.IsNote():
		return o.Base
	}
	return DigestOf(o.Raw)
}

// OpKind says what an Op does.
type OpKind string

// What can happen to a record.
const (
	Put    OpKind = "put"    // replace it in place
	Create OpKind = "create" // a new file with it
	Move   OpKind = "move"   // take it out of one place and put it at another
	Remove OpKind = "remove" // take away what a run has created: only undo does
)

// Action is one step of a plan: what the log will say, and the changes that make
// it true. It happens whole or not at all.
type Action struct {
	oplog.Action
	Ops []Op
	// Originals are records kept in full under ops/originals/ before they change.
	Originals []Original
	// Pairs is what a review action adds to the review queue, and Decisions what
	// it settles there.
	Pairs     []review.Pair
	Decisions []review.Decision
	// Unpair and Undecide are what an undo takes out of it again.
	Unpair   []review.Pair
	Undecide []review.Decision
	// Edges is what becomes of judged edges in the files _edges.json.
	Edges   []edgefile.Change
	Chosen  []string          // sentences of the memories that a model chose
	Overlay []note.Change     // what becomes of lines of the overlay of Markdown notes; the store computes them
	Moved   map[string]string // files of notes that go, and those that say the same; "" for none
	Folds   []string          // ids whose lines in the access log the action counts
}

// Original is a record's bytes and the file under ops/originals/ that keeps them.
type Original struct {
	File string
	Raw  []byte
}

// KeptOriginal is the record of a memory as it is now, to be kept below [OriginalDir] under its digest.
func KeptOriginal(m *Memory) Original {
	digest := m.Digest()
	return Original{path.Join(OriginalDir, FileName(m.ID), string(digest[:16])+".json"), m.Raw()}
}

// Members lists the ids of the memories that the action changes or flags.
func (a *Action) Members() []string {
	switch {
	case a.Type == oplog.Add: // it may be flagged with others, which it does nothing to
		return []string{a.MemoryID}
	case a.Type == oplog.Tend: // of the index of a host
		return nil
	case len(a.MemoryIDs) > 0:
		return a.MemoryIDs
	case len(a.SourceIDs) > 0:
		return append(append([]string{}, a.SourceIDs...), a.ResultID)
	}
	return []string{a.MemoryID}
}

// Skip is a memory that a rule would have changed, and why it did not.
type Skip struct {
	MemoryID string `json:"memory_id"`
	Rule     string `json:"rule"`
	Reason   string `json:"reason"`
	Detail   string `json:"detail,omitempty"`
}

// SkipGroup is the memories that are left alone for one reason.
type SkipGroup struct {
	Reason string
	IDs    []string // each memory once
}

// GroupSkips groups skipped memories by reason. Groups, and the ids of a group, are in the order in which they first occur. A memory that
// several rules skip for one reason counts once.
func GroupSkips(skips []Skip) (groups []SkipGroup) {
	place, seen := map[string]int{}, make(map[[2]string]bool, len(skips))
	for _, s := range skips {
		if one := [2]string{s.MemoryID, s.Reason}; seen[one] {
			continue
		} else {
			seen[one] = true
		}
		i, ok := place[s.Reason]
		if !ok {
			i = len(groups)
			place[s.Reason] = i
			groups = append(groups, SkipGroup{Reason: s.Reason})
		}
		groups[i].IDs = append(groups[i].IDs, s.MemoryID)
	}
	return groups
}

// CountSkips says for each reason how many memories are left alone; see [GroupSkips].
func CountSkips(skips []Skip) map[string]int {
	n := map[string]int{}
	for _, g := range GroupSkips(skips) {
		n[g.Reason] = len(g.IDs)
	}
	return n
}

// Plan is an ordered list of actions computed from a snapshot. It is data:
// nothing has happened yet.
type Plan struct {
	RunID   string
	At      time.Time
	Trigger string
	Scope   string   // "" = everything
	Types   []string // types or subtypes that it is limited to; nil = any
	// Since and Until bound when its memories were last changed; zero: no bound.
	Since, Until time.Time
	Actions      []Action
	Skipped      []Skip
	Deferred     []string
	// DeferredRules are the rules that were not asked because the run is full; they
	// are when it is not.
	DeferredRules []string
	Off           []string // rules that the settings switch off
	// Refused are memories that a plan file relies on and that have changed since: the
	// log has them as skipped.
	Refused []Skip
	// Covers tells which memories the run looked at; nil = all of them.
	Covers func(*Memory) bool

	Model *oplog.ModelUse // what asking language models came to; nil: none was to be asked

	AccessLog []byte // the access log that a plan to fold reads has counted
}

// Stats counts the plan as the log will if all of it applies.
func (p *Plan) Stats() oplog.Stats {
	stats := oplog.Count(p.LogActions(), len(p.Deferred))
	stats.MemoriesSkipped += p.LeftAlone()
	return stats
}

// LeftAlone counts the memories that a rule would have changed and did not: each once, however
// many rules have looked at it, and none that an action of the plan is about.
func (p *Plan) LeftAlone() int {
	ids := make(map[string]bool, len(p.Skipped))
	for _, sk := range p.Skipped {
		ids[sk.MemoryID] = true
	}
	for i := range p.Actions {
		for _, id := range p.Actions[i].Members() {
			delete(ids, id)
		}
	}
	return len(ids)
}

// Empty reports whether applying the plan would change nothing.
func (p *Plan) Empty() bool { return len(p.Actions) == 0 }

// LogActions lists the actions as the log has them.
func (p *Plan) LogActions() []oplog.Action {
	actions := make([]oplog.Action, len(p.Actions))
	for i := range p.Actions {
		actions[i] = p.Actions[i].Action
	}
	return actions
}

// MarshalJSON gives the form of the command line's --json.
func (p *Plan) MarshalJSON() ([]byte, error) {
	type plan struct {
		RunID    string         `json:"run_id"`
		At       string         `json:"at"`
		Trigger  string         `json:"trigger"`
		Scope    string         `json:"scope"`
		Actions  []oplog.Action `json:"actions"`
		Skipped  []Skip         `json:"skipped"`
		Deferred []string       `json:"deferred"`
		Rules    []string       `json:"deferred_rules,omitempty"`
		Off      []string       `json:"rules_off,omitempty"`
		Stats    oplog.Stats    `json:"stats"`
	}
	scope := p.Scope
	if scope == "" {
		scope = "all"
	}
	return json.Marshal(plan{
		p.RunID, timestamp.Format(p.At), p.Trigger, scope,
		p.LogActions(), orEmpty(p.Skipped), orEmpty(p.Deferred), p.DeferredRules, p.Off, p.Stats(),
	})
}

// orEmpty makes a nil slice print as [].
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// The id of a run begins with the time as of which it was planned.
const (
	RunPrefix = "run_"
	RunStamp  = "20060102T150405Z"
)

// Seal gives the plan its run id: the time, and a hash over what it would do and
// over the head of the log, so that equal plans of different moments differ and
// the same plan computed twice does not.
func (p *Plan) Seal(logHead string) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00", timestamp.Format(p.At), p.Trigger, p.Scope, logHead)
	var part []byte
	for i := range p.Actions {
		a := &p.Actions[i]
		part = append(append(part[:0], a.Type...), 0, '[')
		for i, id := range a.Members() {
			if i > 0 {
				part = append(part, ' ')
			}
			part = strconv.AppendQuote(part, id)
		}
		h.Write(append(part, ']', 0))
		for _, op := range a.Ops {
			fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00", op.Kind, op.Ref, op.Base, DigestOf(op.Raw))
		}
		for _, e := range a.Edges {
			fmt.Fprintf(h, "%s\x00%q\x00%s\x00%s\x00", e.File, e.Name, e.Was, e.Now)
		}
	}
	p.RunID = RunPrefix + p.At.UTC().Format(RunStamp) + "_" + hex.EncodeToString(h.Sum(nil))[:8]
}

// NewID derives an id of our form from what it is for, so that planning twice
// gives the same one. Taken ids are stepped over.
func NewID(s *Snapshot, parts ...string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %d", parts, n))
		id := []byte("mem_")
		for _, b := range sum[:12] {
			id = append(id, letters[int(b)%len(letters)])
		}
		if len(s.Find(string(id))) == 0 {
			return string(id)
		}
	}
}

// Edit returns the record with the edits applied.
func (m *Memory) Edit(edits ...jsonedit.Edit) ([]byte, error) {
	if m.Locked != "" {
		return nil, fmt.Errorf("edit %s: %s: mend the file by hand", m.ID, m.Locked)
	}
	return jsonedit.Apply(m.Raw(), edits...)
}
