package workspace

import (
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// An undone merge parts its memories; what an undo took out of the archive was brought back. Nothing else that is undone says either.
func TestWhatAnUndoSettles(t *testing.T) {
	for _, kind := range []string{
		oplog.Merge, oplog.Summarize, oplog.Promote, oplog.Propose, oplog.Archive, oplog.Restore, oplog.Review, oplog.Decide,
		oplog.Add, oplog.Edit, oplog.Judge, oplog.Cluster, oplog.Link, oplog.Unlink,
	} {
		for _, reason := range []string{"undo", oplog.ReasonRedo} {
			s := &memory.Snapshot{Restored: map[string]time.Time{}, Undone: map[[2]string]time.Time{}}
			a := oplog.Action{Type: oplog.Undo, Reason: reason, MemoryIDs: []string{"b", "a"}, Detail: oplog.UndoDetail(kind, []string{"b", "a"})}
			if a.Undid() != kind {
				t.Errorf("the undo of a %s undid %q", kind, a.Undid())
			}
			undone(s, &a, day)
			redone := reason == oplog.ReasonRedo
			parted := !redone && kind == oplog.Merge
			back := redone && kind == oplog.Restore || !redone && (kind == oplog.Merge || kind == oplog.Archive || kind == oplog.Promote)
			if got := !s.Undone[review.Key("a", "b")].IsZero(); got != parted {
				t.Errorf("%s of %s parts: %v", reason, kind, got)
			}
			if got := !s.Restored["a"].IsZero(); got != back {
				t.Errorf("%s of %s brings back: %v", reason, kind, got)
			}
		}
	}
}
