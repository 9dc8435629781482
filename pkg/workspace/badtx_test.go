package workspace_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
)

// A transaction that lacks something, or names what can't be, is an error or skipped; it never panics, writes nothing outside the places
// that it names, and a memory that it doesn't name stays.
func TestBadTransactions(t *testing.T) {
	const bystander = `{"id":"b","type":"factual","content":"two"}`
	files := map[string]string{"global/a.json": `{"id":"a","type":"factual","content":"one"}`, "global/list.json": `{"entries":[{"id":"c","type":"factual","content":"three"},` + bystander + `]}`}
	rapid.Check(t, func(t *rapid.T) {
		disk := memdisk.New()
		for name, text := range files {
			if err := disk.Put(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		store := workspace.OpenOn(disk)
		defer store.Close()
		snap, err := store.Load(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom([]string{"", ".", "..", "../x.json", "/x.json", "global/a.json", "global/list.json", "global/new.json", "archive/a.json", "ops/review.json", "global", "a\x00b"})
		ref := rapid.Custom(func(t *rapid.T) memory.Ref {
			return memory.Ref{
				File: name.Draw(t, "file"), Array: rapid.SampledFrom([][]string{nil, nil, {"entries"}, {"nowhere"}, {""}}).Draw(t, "array"),
				Index: rapid.SampledFrom([]int{0, 0, 1, -1, 7}).Draw(t, "index"),
			}
		})
		op := rapid.Custom(func(t *rapid.T) memory.Op {
			base := memory.Digest("")
			if m := snap.Live(rapid.SampledFrom([]string{"a", "c", "none"}).Draw(t, "base")); m != nil {
				base = m.Digest()
			}
			return memory.Op{
				Kind: rapid.SampledFrom([]memory.OpKind{memory.Put, memory.Create, memory.Move, memory.Remove, "", "drop"}).Draw(t, "kind"),
				ID:   rapid.SampledFrom([]string{"a", "c", "", "none"}).Draw(t, "id"), Ref: ref.Draw(t, "ref"), To: ref.Draw(t, "to"), Base: base,
				Raw: []byte(rapid.SampledFrom([]string{"", "{", "7", `{"id":"a","type":"factual","content":"other"}`}).Draw(t, "raw")),
			}
		})
		action := rapid.Custom(func(t *rapid.T) memory.Action {
			return memory.Action{
				Action:    oplog.Action{Type: rapid.SampledFrom([]string{"", oplog.Archive, oplog.Merge, oplog.Edit}).Draw(t, "type"), MemoryID: "a"},
				Ops:       rapid.SliceOfN(op, 0, 3).Draw(t, "ops"),
				Originals: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) memory.Original { return memory.Original{File: name.Draw(t, "original")} }), 0, 1).Draw(t, "originals"),
			}
		})
		plan := rapid.Custom(func(t *rapid.T) *memory.Plan {
			p := memory.Command(snap, "", rapid.SliceOfN(action, 0, 3).Draw(t, "actions")...)
			switch rapid.IntRange(0, 5).Draw(t, "broken") {
			case 0:
				p.RunID = rapid.SampledFrom([]string{"", "..", "a/b", "run_x\"y"}).Draw(t, "run")
			case 1:
				p.At = time.Time{}
			}
			return p
		})
		var tx *workspace.Tx
		if rapid.IntRange(0, 9).Draw(t, "nil") > 0 {
			tx = &workspace.Tx{Save: rapid.Bool().Draw(t, "unlogged")}
		}
		if tx != nil && rapid.IntRange(0, 9).Draw(t, "plan") > 0 {
			tx.Plan = plan.Draw(t, "plan")
		}
		result, err := store.Commit(context.Background(), tx)
		if (tx == nil || tx.Plan == nil) && err == nil {
			t.Fatal("a transaction without a plan is taken")
		}
		if err != nil && (err.Error() == "" || result != nil && result.Applied > 0 && result.RunID == "") {
			t.Fatalf("%v, %+v", err, result)
		}
		after, err := store.Load(snap.At)
		if err != nil {
			t.Fatal(err)
		}
		if m := after.Live("b"); m == nil || string(m.Raw()) != bystander {
			t.Fatalf("a memory that nobody named is gone: %v", after.IDs())
		}
	})
}
