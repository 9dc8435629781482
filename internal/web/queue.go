package web

import (
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// waited is how long a pair waited for a decision.
type waited struct{ from, to time.Time } // to zero: it waits still

// queue follows the review queue through the log.
type queue struct {
	pairs map[[2]string]*waited
	of    map[string][][2]string // keys of the pairs in which a memory stands
}

// waits tells when each pair waited: from the run that flagged it, until one decided it, or changed or moved one of its memories. A pair that
// waits now does so whatever the log tells, such as a conflict copy: from when its newer side was written. One that doesn't, and of which the
// log tells no end, since somebody edited a file, ended when its memories were last changed.
func waits(snap *memory.Snapshot, log *oplog.Log) map[[2]string]*waited {
	q := queue{map[[2]string]*waited{}, map[string][][2]string{}}
	for i := range log.Entries {
		if e := &log.Entries[i]; e.Status != oplog.Failed {
			for j := range e.Actions {
				q.follow(&e.Actions[j], e.Timestamp)
			}
		}
	}
	open := map[[2]string]bool{}
	for _, p := range snap.Open() {
		key := review.Key(p.A, p.B)
		open[key] = true
		if w := q.pairs[key]; w != nil {
			w.to = time.Time{}
		} else {
			q.pairs[key] = &waited{from: snap.WaitsSince(p)}
		}
	}
	for key, w := range q.pairs {
		if w.to.IsZero() && !open[key] {
			if w.to = newestOf(snap, key); w.to.Before(w.from) {
				w.to = w.from
			}
		}
	}
	return q.pairs
}

// newestOf is when the memories of a pair were last written.
func newestOf(snap *memory.Snapshot, key [2]string) (at time.Time) {
	for _, id := range key {
		for _, m := range snap.Find(id) {
			if m.Newest().After(at) {
				at = m.Newest()
			}
		}
	}
	return at
}

// follow notes what an action does to the queue.
func (q *queue) follow(a *oplog.Action, at time.Time) {
	switch a.Type {
	case oplog.Review, oplog.Add: // each of them and the last
		for i := range max(0, len(a.MemoryIDs)-1) {
			q.begin(review.Key(a.MemoryIDs[i], a.MemoryIDs[len(a.MemoryIDs)-1]), at)
		}
	case oplog.Decide, oplog.Undo:
		gone := a.Undid() == oplog.Add // and with it the question about it
		in := map[string]bool{}
		for _, id := range a.MemoryIDs {
			in[id] = true
		}
		for _, id := range a.MemoryIDs {
			for _, key := range q.of[id] {
				if gone || in[key[0]] && in[key[1]] {
					q.end(key, at)
				}
			}
		}
	case oplog.Merge, oplog.Archive, oplog.Edit:
		for _, id := range append([]string{a.MemoryID}, a.SourceIDs...) {
			for _, key := range q.of[id] {
				q.end(key, at)
			}
		}
	}
}

// begin notes that a pair waits. One that has waited before counts from then on.
func (q *queue) begin(key [2]string, at time.Time) {
	if w := q.pairs[key]; w != nil {
		if !w.to.IsZero() {
			*w = waited{from: at}
		}
		return
	}
	q.pairs[key] = &waited{from: at}
	for _, id := range key {
		q.of[id] = append(q.of[id], key)
	}
}

func (q *queue) end(key [2]string, at time.Time) {
	if w := q.pairs[key]; w.to.IsZero() {
		w.to = at
	}
}
