// Package planfile holds a plan that was written to a file against what the rules plan now. Nothing of a file is carried out: a run keeps
// those actions of its own plan that the file lists.
package planfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/schemas"
)

// Parse reads the text of a plan that "memory plan --out" wrote, and when it was made. The error doesn't name the file.
func Parse(text []byte) (listed *document.Run, at time.Time, err error) {
	for _, f := range schemas.ValidatePlan(text) {
		if f.Severity == schemas.Error {
			return nil, at, fail.WithHint(fmt.Errorf("not a plan: %s", f.Message), `"memory plan --out FILE" writes one`)
		}
	}
	listed = &document.Run{}
	if err := json.Unmarshal(text, listed); err != nil {
		return nil, at, err
	}
	if at, err = time.Parse(time.RFC3339, listed.At); err != nil || at.IsZero() || !timestamp.Writable(at) {
		return nil, at, fmt.Errorf("at: %q is not a time", listed.At)
	}
	return listed, at.UTC(), nil
}

// Request has the rules plan what the file was made for. The limit of a run is that of the file, unless limited says that somebody has
// given another.
func Request(r *rules.Request, listed *document.Run, limited bool) error {
	r.Trigger = listed.Trigger
	switch {
	case listed.Scope == "" || listed.Scope == "all":
	case listed.Trigger == rules.IndexOverflow && strings.HasSuffix(listed.Scope, memory.IndexFile):
		if !strings.Contains(listed.Scope, ", ") { // else several overflow, and all are planned for
			r.Index = listed.Scope
		}
	default:
		scope, err := memory.ParseScopes(listed.Scope)
		if err != nil {
			return err
		}
		r.Scope = &scope
	}
	if most := &r.Settings.Run.Limit; !limited {
		*most = cmp.Or(listed.Limit, max(*most, cost(listed.Actions))) // older plans don't say it
	}
	return nil
}

// Since is what the log of a workspace has since a plan was made there. A plan for another workspace is refused: one that has no entry of
// the log that the plan came after, or, for a plan that came before all of the log, none of the memories that it lists.
func Since(log []oplog.Entry, snap *memory.Snapshot, listed *document.Run) ([]oplog.Entry, error) {
	here := len(listed.Actions) == 0
	if listed.LogHead != "" {
		n := slices.IndexFunc(log, func(e oplog.Entry) bool { return e.Hash == listed.LogHead })
		here, log = n >= 0, log[n+1:]
	} else {
		for i := range listed.Actions {
			for _, id := range (&memory.Action{Action: listed.Actions[i]}).Members() {
				here = here || len(snap.Find(id)) > 0
			}
		}
	}
	if !here {
		return nil, fail.WithHint(fail.Errorf(fail.ExitStale, "the plan is for another workspace"), "\"memory plan --out FILE\" makes one for this")
	}
	return log, nil
}

// ChangedSince lists the memories of stale actions that aren't as the plan file saw them. Those
// that the same rule has taken or skipped since are in the log already.
func ChangedSince(snap *memory.Snapshot, since []oplog.Entry, stale []oplog.Action) (changed []memory.Skip) {
	type taken struct{ rule, id string }
	logged := map[taken]bool{}
	for i := range since {
		for _, a := range since[i].Actions {
			for _, id := range (&memory.Action{Action: a}).Members() {
				logged[taken{a.Rule, id}] = true
			}
		}
	}
	for _, a := range stale {
		for _, id := range (&memory.Action{Action: a}).Members() {
			saw, m := a.Digests[id], snap.Live(id)
			if saw != "" && !logged[taken{a.Rule, id}] && (m == nil || string(m.Digest()) != saw) {
				changed = append(changed, memory.Skip{MemoryID: id, Rule: a.Rule, Reason: workspace.ReasonChanged, Detail: "it was edited, moved or removed since the plan was made"})
			}
		}
	}
	return changed
}

// KeepListed takes the actions out of a plan that aren't listed, and returns the
// listed ones that the plan doesn't have.
func KeepListed(p *memory.Plan, listed []oplog.Action) (stale []oplog.Action) {
	taken := make([]bool, len(listed))
	var kept []memory.Action
	for _, a := range p.Actions {
		for i := range listed {
			if !taken[i] && same(a.Action, listed[i]) {
				taken[i] = true
				kept = append(kept, a)
				break
			}
		}
	}
	p.Actions = kept
	for i, ok := range taken {
		if !ok {
			stale = append(stale, listed[i])
		}
	}
	return stale
}

// same compares two actions: kind, memories, scores, sizes and digests. The file
// that a memory goes to and the wording don't count.
func same(a, b oplog.Action) bool {
	a.Detail, b.Detail = "", ""
	if a.Type == oplog.Archive || a.Type == oplog.Merge {
		a.To, b.To = "", ""
	}
	return reflect.DeepEqual(a, b)
}

// cost is how many memories the actions change, as the limit of a run counts them.
func cost(actions []oplog.Action) (n int) {
	for _, a := range actions {
		switch a.Type {
		case oplog.Review:
		case oplog.Merge:
			n += len(a.SourceIDs) + 1
		default:
			n++
		}
	}
	return n
}
