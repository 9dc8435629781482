package memory

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Usage is how often a memory was used in one way, read say, and when last.
type Usage struct {
	N  int64
	At time.Time // zero: unknown
}

// Plus adds further usage of the same kind.
func (u Usage) Plus(more Usage) Usage {
	u.N = sum(u.N, more.N)
	if more.At.After(u.At) {
		u.At = more.At
	}
	return u
}

// sum adds counts without going over.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// WithReads is a copy of m with these reads.
func (m *Memory) WithReads(r Usage) *Memory {
	counted := *m
	counted.Unfolded, counted.AccessCount = r.N, sum(m.AccessCount, r.N)
	if r.At.After(m.LastAccessed) {
		counted.LastAccessed = r.At
	}
	return &counted
}

// Fold plans to bring the reads in the access log into the records of those live
// memories that keep does not hold back, and that wait for no decision about a conflict copy. Reads of a memory that was merged away go
// to its successor, reads of others that aren't live stay in the access log.
// Applying the plan takes what it has counted out of the access log.
func Fold(s *Snapshot, logHead string, keep func(*Memory) bool) *Plan {
	counts := map[*Memory]Usage{}
	from := map[*Memory][]string{}
	for _, id := range slices.Sorted(maps.Keys(s.Reads)) {
		if m := s.successor(id); m != nil && m.Locked == "" && s.CopyOf(m.ID) == nil && !keep(m) {
			counts[m] = counts[m].Plus(s.Reads[id])
			from[m] = append(from[m], id)
		}
	}
	var actions []Action
	inOrder := func(a, b *Memory) int {
		return cmp.Or(strings.Compare(a.File, b.File), slices.Compare(a.Array, b.Array), cmp.Compare(a.Index, b.Index))
	}
	for _, m := range slices.SortedFunc(maps.Keys(counts), inOrder) {
		r, value := counts[m], parse(m.Raw())
		var edits []jsonedit.Edit
		if r.N > 0 {
			edits = append(edits, jsonedit.Set([]byte(strconv.FormatInt(sum(max(value.Get("access_count").Int(), 0), r.N), 10)), "access_count"))
		}
		if r.At.After(timestamp.Parse(value.Get("last_accessed").Str)) {
			edits = append(edits, jsonedit.Set(jsonedit.Quote(timestamp.Format(r.At)), "last_accessed"))
		}
		if len(edits) == 0 {
			continue
		}
		raw, err := m.Edit(edits...)
		if err != nil {
			continue // stays in the access log, and is counted all the same
		}
		actions = append(actions, Action{
			Action: oplog.Action{Type: oplog.Edit, Rule: RuleAccess, MemoryID: m.ID, From: m.Ref.String(), Detail: readMore(r.N)},
			Ops:    []Op{{Kind: Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw}},
			Folds:  from[m],
		})
	}
	plan := Command(s, logHead, actions...)
	plan.Trigger, plan.AccessLog = RuleAccess, s.AccessLog
	return plan
}

// readMore says what a fold counts. A session that goes on for days counts once, and is told
// from one that has ended by its last read.
func readMore(n int64) string {
	if n == 0 {
		return "read again in a session that is counted"
	}
	return fmt.Sprintf("read %d more", n)
}

// LastGiven is when a memory, or one that was merged into it, was last given to an agent
// unasked, and how often; zero for never.
func (s *Snapshot) LastGiven(m *Memory) (given Usage) {
	if len(s.Given) == 0 {
		return given
	}
	given = s.Given[m.ID]
	for _, id := range m.Supersedes {
		given = given.Plus(s.Given[id])
	}
	return given
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
