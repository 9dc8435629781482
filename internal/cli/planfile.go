package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/schemas"
)

// readPlan reads a plan that "memory plan --out" wrote.
func readPlan(name string) (*document.Run, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fail.File("--plan", err)
	}
	for _, f := range schemas.ValidatePlan(text) {
		if f.Severity == schemas.Error {
			return nil, fail.WithHint(fmt.Errorf("--plan: %s is not a plan: %s", name, f.Message), `"memory plan --out FILE" writes one`)
		}
	}
	doc := &document.Run{}
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, fmt.Errorf("--plan: %s: %w", name, err)
	}
	return doc, nil
}

// applyFile does what a plan file lists: it plans afresh, as of the same moment,
// and keeps the actions that come out as listed. Those that don't are stale.
func (r *consolidation) applyFile(name string) error {
	listed, err := readPlan(name)
	if err != nil {
		return err
	}
	at, ok := parseAt(listed.At)
	if !ok {
		return fmt.Errorf("--plan: %s: at: %q is not a time", name, listed.At)
	}
	r.at = at
	snap, since, err := r.madeHere(listed)
	if err != nil {
		return err
	}
	r.request.Trigger = listed.Trigger
	switch {
	case listed.Scope == "" || listed.Scope == "all":
	case listed.Trigger == rules.IndexOverflow && strings.HasSuffix(listed.Scope, memory.IndexFile):
		if !strings.Contains(listed.Scope, ", ") { // else several overflow, and all are planned for
			r.request.Index = listed.Scope
		}
	default:
		scope, err := memory.ParseScopes(listed.Scope)
		if err != nil {
			return fmt.Errorf("--plan: %s: %w", name, err)
		}
		r.request.Scope = &scope
	}
	if most := &r.request.Settings.Run.Limit; !r.flags.IsSet("max") {
		*most = cmp.Or(listed.Limit, max(*most, cost(listed.Actions))) // plans of before don't tell it
	}
	var stale []oplog.Action
	plan, result, err := r.once(func(p *memory.Plan) {
		stale = keepListed(p, listed.Actions)
		p.Refused = changedSince(snap, since, stale)
		p.Seal(r.request.LogHead)
	})
	if err != nil {
		return err
	}
	doc := document.NewPlan(plan, result)
	doc.Stale = stale
	if r.json {
		err = r.printJSON(doc)
	} else {
		printDone(r.call, doc, result)
	}
	if err != nil || len(stale) == 0 {
		return err
	}
	var lines []error
	for i := range stale {
		lines = append(lines, errors.New("stale: "+actionHead(&stale[i])))
	}
	return fail.WithHint(&fail.Error{Err: errors.Join(lines...), Code: fail.ExitStale}, "the memories, the settings or --max have changed since this plan was made: run \"memory plan\" again")
}

// madeHere refuses a plan that was made for another workspace: one that has no
// entry of the log that the plan came after, or, for a plan that came before all
// of the log, none of the memories that it lists. It returns the workspace as it is, and
// the entries of the log since.
func (r *consolidation) madeHere(listed *document.Run) (*memory.Snapshot, []oplog.Entry, error) {
	store, snap, err := r.load()
	if err != nil {
		return nil, nil, err
	}
	log, err := store.Log().Read()
	if err != nil {
		return nil, nil, err
	}
	since := log.Entries
	here := len(listed.Actions) == 0
	if listed.LogHead != "" {
		n := slices.IndexFunc(since, func(e oplog.Entry) bool { return e.Hash == listed.LogHead })
		here, since = n >= 0, since[n+1:]
	} else {
		for i := range listed.Actions {
			for _, id := range (&memory.Action{Action: listed.Actions[i]}).Members() {
				here = here || len(snap.Find(id)) > 0
			}
		}
	}
	if here {
		return snap, since, nil
	}
	return nil, nil, fail.WithHint(fail.Errorf(fail.ExitStale, "--plan: the plan is for another workspace"), "\"memory plan --out FILE\" makes one for this")
}

// changedSince lists the memories of stale actions that aren't as the plan file saw them. Those
// that the same rule has taken or skipped since are in the log already.
func changedSince(snap *memory.Snapshot, since []oplog.Entry, stale []oplog.Action) (changed []memory.Skip) {
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

// keepListed takes the actions out of a plan that aren't listed, and returns the
// listed ones that the plan doesn't have.
func keepListed(p *memory.Plan, listed []oplog.Action) (stale []oplog.Action) {
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
