package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// AccessFile is the access log: reads of memories that their records don't count
// yet, one JSON object a line. Reading a memory appends to it and writes no memory
// file; [Fold] plans to bring the counts into the records.
const AccessFile = OpsDir + "/access.jsonl"

// RuleAccess is the rule of actions that count reads.
const RuleAccess = "access"

// Accessed appends reads of memories at a moment to the access log; from says
// through what they were read. It takes no lock and waits for nobody.
func (s *FileStore) Accessed(at time.Time, from string, ids ...string) error {
	if err := s.mayWrite(); err != nil {
		return fmt.Errorf("count reads: %w", err)
	}
	text := []byte("\n") // ends a line that an interrupted writer left
	for _, id := range ids {
		text = accesslog.Append(text, accesslog.Reads{ID: id, At: at.UTC(), From: from})
	}
	err := s.root.Append(AccessFile, text)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = durable.MkdirAll(s.root, OpsDir); err == nil {
			err = s.root.Append(AccessFile, text)
		}
	}
	if err != nil {
		return fmt.Errorf("count reads: %w", err)
	}
	return nil
}

func readAccess(root durable.FS) (accesslog.Log, error) {
	doc, _, err := root.Read(AccessFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return accesslog.Log{}, nil
	}
	return accesslog.Parse(doc), err
}

// withReads is a copy of m with these reads.
func withReads(m *Memory, r accesslog.Reads) *Memory {
	counted := *m
	counted.Unfolded, counted.AccessCount = r.N, accesslog.Sum(m.AccessCount, r.N)
	if r.At.After(m.LastAccessed) {
		counted.LastAccessed = r.At
	}
	return &counted
}

// Fold plans to bring the reads in the access log into the records of those live
// memories that keep doesn't hold back. Reads of a memory that was merged away go
// to its successor, reads of others that aren't live stay in the access log.
// Applying the plan takes what it has counted out of the access log.
func (s *Snapshot) Fold(logHead string, keep func(*Memory) bool) *Plan {
	counts := map[*Memory]accesslog.Reads{}
	from := map[*Memory][]string{}
	for _, id := range slices.Sorted(maps.Keys(s.access.ByID)) {
		if m := s.successor(id); m != nil && m.Locked == "" && !keep(m) {
			counts[m] = counts[m].Plus(s.access.ByID[id])
			from[m] = append(from[m], id)
		}
	}
	var actions []Action
	inOrder := func(a, b *Memory) int {
		return cmp.Or(strings.Compare(a.File, b.File), slices.Compare(a.Array, b.Array), cmp.Compare(a.Index, b.Index))
	}
	for _, m := range slices.SortedFunc(maps.Keys(counts), inOrder) {
		r, value := counts[m], parse(m.Raw())
		edits := []jsonedit.Edit{jsonedit.Set([]byte(strconv.FormatInt(accesslog.Sum(max(value.Get("access_count").Int(), 0), r.N), 10)), "access_count")}
		if r.At.After(timestamp.Parse(value.Get("last_accessed").Str)) {
			edits = append(edits, jsonedit.Set(jsonedit.Quote(timestamp.Format(r.At)), "last_accessed"))
		}
		raw, err := m.Edit(edits...)
		if err != nil {
			continue // stays in the access log, and is counted all the same
		}
		actions = append(actions, Action{
			Action: oplog.Action{Type: oplog.Edit, Rule: RuleAccess, MemoryID: m.ID, From: m.Ref.String(), Detail: fmt.Sprintf("read %d more", r.N)},
			Ops:    []Op{{Kind: Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw}},
			folds:  from[m],
		})
	}
	plan := Command(s, logHead, actions...)
	plan.Trigger, plan.access = RuleAccess, s.access
	return plan
}

// successor is the live memory that the reads of an id belong to; nil for none.
func (s *Snapshot) successor(id string) *Memory {
	for range 16 { // links by hand may run in circles
		if m := s.Live(id); m != nil {
			return m
		}
		found := s.Find(id)
		if len(found) != 1 || len(found[0].SupersededBy) != 1 {
			return nil
		}
		id = found[0].SupersededBy[0]
	}
	return nil
}

// folded is what is left of the access log: lines that were not counted, one for
// each id, and all that was appended since.
func folded(f *journal.Fold, doc []byte, dead map[int]string) []byte {
	if len(doc) < f.Len || durable.Sum(doc[:f.Len]) != f.Sum {
		return doc // done by an earlier attempt, or written anew by somebody
	}
	left := accesslog.Left(doc[:f.Len], func(id string) bool {
		group, ok := f.Groups[id]
		_, died := dead[group]
		return ok && !died
	})
	if left = append(left, doc[f.Len:]...); len(left) == 0 {
		return nil
	}
	return left
}

// foldReads says what the transaction takes out of the access log, if anything.
func (c *commit) foldReads(groups map[int]int) *journal.Fold {
	f := &journal.Fold{Len: len(c.tx.Plan.access.Doc), Sum: durable.Sum(c.tx.Plan.access.Doc), Groups: map[string]int{}}
	for i := range c.tx.Plan.Actions {
		if !c.done[i] {
			continue
		}
		for _, id := range c.tx.Plan.Actions[i].folds {
			f.Groups[id] = groups[i]
		}
	}
	if len(f.Groups) == 0 {
		return nil
	}
	return f
}

// fold takes the counted reads out of the access log; an undo puts them back.
func (r *run) fold() *patch {
	if r.j.Fold == nil && !slices.ContainsFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == AccessFile }) {
		return nil
	}
	return &patch{label: journal.LabelAccess, name: AccessFile, of: func(doc []byte) ([]byte, error) {
		if exact, ok := r.exact(AccessFile, doc); ok || r.j.Fold == nil {
			if ok {
				return exact, nil
			}
			return doc, nil
		}
		return folded(r.j.Fold, doc, r.dead), nil
	}}
}

// appended gives back reads that somebody appended to the access log after it had
// been displaced into a slot, and reports whether that was all.
func (r *run) appended(slot string, s journal.Slot) (bool, error) {
	if s.Label != journal.LabelAccess {
		return false, nil
	}
	doc, _, err := r.root.Read(slot, jsonedit.MaxSize)
	if err != nil {
		return false, err
	}
	rest, ok := accesslog.Since(doc, s.Base)
	if !ok {
		return false, nil
	}
	if err := r.root.Append(AccessFile, append([]byte("\n"), rest...)); err != nil {
		return false, err
	}
	r.touched[path.Dir(AccessFile)] = true
	return true, r.root.Remove(slot) // after a crash before it they count twice
}
