package sqldisk_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// memories are n records of 1.06 KB, with words of their own.
func memories(n int) map[string]string {
	all := map[string]string{}
	for i := range n {
		id := fmt.Sprintf("mem_figure%05d", i)
		var words strings.Builder
		for w := range 130 {
			fmt.Fprintf(&words, "w%06x ", (i*131+w)*2654435761%(1<<24))
		}
		text := fmt.Sprintf(`{"id": %q, "type": "semantic", "created_at": "2026-02-01T00:00:00Z", "created_by": "DEV-001", "tags": ["t%d"], "content": "`, id, i)
		text += words.String()
		all[fmt.Sprintf("teams/team%d/%s.json", i%10, id)] = text[:min(len(text), 1058)] + `"}`
	}
	return all
}

// add puts files into an empty workspace, as "memory-hub workspace add" does.
func add(t testing.TB, db *sqldisk.DB, ws string, files map[string]string) {
	t.Helper()
	all := map[string][]byte{}
	for name, text := range files {
		all[name] = []byte(text)
	}
	if err := db.Import(t.Context(), ws, all); err != nil {
		t.Fatal(err)
	}
}

// retagged changes n memories, others each time.
func retagged(t testing.TB, s *workspace.FileStore, snap *memory.Snapshot, n, round int) *workspace.Tx {
	t.Helper()
	var actions []memory.Action
	all := snap.Memories()
	for i := range n {
		m := all[(round*n+i)%len(all)]
		raw, _, err := memory.Retag(m, []string{fmt.Sprintf("r%d", round)}, nil, at.Add(time.Duration(round)*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		action, err := memory.Replace(m, raw, "tags")
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, action)
	}
	return &workspace.Tx{Plan: memory.Command(snap, s.Log().Head(), actions...), Snapshot: snap}
}

// slot runs one slot that changes some memories, and returns how long the parts of it took.
func slot(b *testing.B, db *sqldisk.DB, ws string, changed, round int) (parts map[string]time.Duration) {
	b.Helper()
	if err := db.Plan(b.Context(), ws, "weekly", sqldisk.Next{Slot: fmt.Sprint(round), At: at}); err != nil {
		b.Fatal(err)
	}
	parts = map[string]time.Duration{}
	begun := time.Now()
	lap := func(part string) {
		parts[part] += time.Since(begun)
		begun = time.Now()
	}
	claim, err := db.Claim(b.Context(), at.Add(time.Hour), false)
	if err != nil || claim == nil {
		b.Fatalf("%v, %v", claim, err)
	}
	lap("claim")
	err = claim.Run(b.Context(), func(ctx context.Context, d *sqldisk.Disk) (string, sqldisk.Next, error) {
		lap("checkout")
		s := workspace.OpenOn(d)
		if err := d.Locally(func() error { _, err := s.Reindex(ctx, at); return err }); err != nil {
			return "", sqldisk.Next{}, err
		}
		begun = time.Now() // indexes are made again where a worker keeps nothing
		snap, err := s.Load(at)
		if err != nil {
			return "", sqldisk.Next{}, err
		}
		lap("load")
		tx := retagged(b, s, snap, changed, round)
		begun = time.Now()
		result, err := s.Commit(ctx, tx)
		if err != nil {
			return "", sqldisk.Next{}, err
		}
		lap("commit")
		return result.RunID, sqldisk.Next{}, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	lap("check-in")
	return parts
}

// The figures of a run on a database:
//
//	go test ./pkg/workspace/sqldisk -run '^$' -bench Figures -benchtime 20x
//
// In ms: a workspace of 1,000 memories of 1.06 KB, of which a run changes 90, by its parts; and claim with check-in of one of 100, of which
// 10 change, with slot and log. In KB: what a memory takes in the database, at first and after 8 runs that each change 125; and what of that are the log and
// the records of the runs, which can be undone.
func BenchmarkFigures(b *testing.B) {
	for engine, address := range engines {
		for _, size := range []struct {
			name         string
			all, changed int
		}{{"1000", 1000, 90}, {"100", 100, 10}} {
			b.Run(engine+"/"+size.name, func(b *testing.B) {
				db := open(b, address(b), sqldisk.MigrateOptions{})
				create(b, db, "acme")
				add(b, db, "acme", memories(size.all))
				var planned time.Duration
				if size.all == 1000 {
					snap := load(b, index(b, checkout(b, db, "acme")))
					begun := time.Now()
					rules.Plan(snap, rules.Request{Trigger: rules.Weekly, Settings: config.Default()})
					planned = time.Since(begun)
				}
				sum, round := map[string]time.Duration{}, 0
				for b.Loop() {
					for part, took := range slot(b, db, "acme", size.changed, round) {
						sum[part] += took
					}
					round++
				}
				if planned > 0 {
					b.ReportMetric(float64(planned.Microseconds())/1000, "plan-ms")
				}
				for part, took := range sum {
					b.ReportMetric(float64(took.Microseconds())/1000/float64(round), part+"-ms")
				}
			})
		}
		b.Run(engine+"/row", func(b *testing.B) {
			for b.Loop() {
				where := address(b)
				db := open(b, where, sqldisk.MigrateOptions{})
				create(b, db, "acme")
				empty := stored(b, where)
				add(b, db, "acme", memories(1000))
				b.ReportMetric((stored(b, where)-empty)/1000/1024, "first-KB")
				for round := range 8 {
					slot(b, db, "acme", 125, round)
					stored(b, where) // with the room of former texts free again, as autovacuum leaves it
				}
				records := 0
				for path, text := range documents(b, db, "acme") {
					if strings.HasPrefix(path, "ops/") {
						records += len(text)
					}
				}
				b.ReportMetric(float64(records)/1000/1024, "of-that-ops-KB")
				b.ReportMetric((stored(b, where)-empty)/1000/1024, "later-KB")
			}
		})
	}
}

// stored is how many bytes the documents take: in PostgreSQL the table with its indexes, in SQLite the file.
func stored(b *testing.B, address string) float64 {
	b.Helper()
	if file, ok := strings.CutPrefix(address, "sqlite:"); ok {
		db, err := sql.Open("sqlite", file)
		if err == nil {
			_, err = db.ExecContext(b.Context(), "pragma wal_checkpoint(truncate)")
		}
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		info, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		return float64(info.Size())
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(b.Context(), "vacuum document"); err != nil {
		b.Fatal(err)
	}
	var n float64
	if err := db.QueryRowContext(b.Context(), "select pg_total_relation_size('document')").Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}
