package sqldisk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

// begun is when the slots of the tests are due: in the past of every clock.
var begun = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// both runs a test on a new database of each kind.
func both(t *testing.T, test func(t *testing.T, address string, db *DB)) {
	for name, address := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "hub.db") },
		"postgres": func() string { return pgtest.New(t) },
	} {
		t.Run(name, func(t *testing.T) {
			address := address()
			db, err := Open(t.Context(), address)
			if err == nil {
				_, err = db.Migrate(t.Context(), MigrateOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			test(t, address, db)
		})
	}
}

func planned(t *testing.T, db *DB, ws string) {
	t.Helper()
	if err := errors.Join(db.Create(t.Context(), ws, "", begun), db.Plan(t.Context(), ws, "daily", Next{"0", begun})); err != nil {
		t.Fatal(err)
	}
}

// count runs a slot: it adds a line, and names the slot after it until the last one is done.
func count(last int) func(c *Claim) func(context.Context, *Disk) (string, Next, error) {
	return func(c *Claim) func(context.Context, *Disk) (string, Next, error) {
		return func(_ context.Context, d *Disk) (string, Next, error) {
			n, err := strconv.Atoi(c.Slot.Slot)
			if err != nil {
				return "", Next{}, err
			}
			err = workspace.OpenOn(d).Ops().NoteRead(ops.Use{At: begun, From: "test", N: 1}, "slot"+c.Slot.Slot)
			next := Next{strconv.Itoa(n + 1), begun}
			if n+1 == last {
				next.At = begun.AddDate(100, 0, 0)
			}
			return "run_" + c.Slot.Slot, next, err
		}
	}
}

// work runs what is due until nothing is.
func work(ctx context.Context, db *DB, last int, lease bool) error {
	for {
		c, err := db.Claim(ctx, time.Now(), lease)
		if c == nil || err != nil {
			return err
		}
		if err := c.Run(ctx, count(last)(c)); err != nil {
			return err
		}
	}
}

// once fails the test where a slot was not done, or its work was done twice.
func once(t *testing.T, db *DB, ws string, slots int) {
	t.Helper()
	d, err := db.Disk(context.Background(), ws)
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := d.Read(ops.AccessFile, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for line := range strings.Lines(string(data)) {
		if _, id, ok := strings.Cut(line, `"slot`); ok {
			id, _, _ = strings.Cut(id, `"`)
			lines[id]++
		}
	}
	for i := range slots {
		if n := lines[strconv.Itoa(i)]; n != 1 {
			t.Errorf("%s: slot %d was done %d times", ws, i, n)
		}
	}
	var marked int
	if err := db.within(context.Background(), worker, ws, func(q querier) error {
		return q.QueryRowContext(context.Background(), db.dialect("select count(*) from slot where ws = ? and error = ''"), ws).Scan(&marked)
	}); err != nil || marked != slots {
		t.Errorf("%s: %d slots are marked as done, %v", ws, marked, err)
	}
}

func TestSlots(t *testing.T) {
	both(t, func(t *testing.T, _ string, db *DB) {
		for _, lease := range []bool{false, true} {
			ws := fmt.Sprintf("acme%v", lease)
			planned(t, db, ws)
			if err := work(t.Context(), db, 5, lease); err != nil {
				t.Fatal(err)
			}
			once(t, db, ws, 5)
		}
	})
}

// A slot that is being run is nobody else's, and one whose run failed is tried again and then
// given up.
func TestFailures(t *testing.T) {
	both(t, func(t *testing.T, _ string, db *DB) {
		planned(t, db, "acme")
		boom, again := errors.New("boom"), begun.Add(time.Hour)
		for i := range MaxFailures {
			now := begun.Add(time.Duration(i+1) * time.Hour)
			c, err := db.Claim(t.Context(), now, false)
			if err != nil || c == nil || c.Failures != i {
				t.Fatalf("%+v, %v", c, err)
			}
			if other, err := db.Claim(t.Context(), now, false); err != nil || other != nil {
				t.Fatalf("%+v, %v", other, err)
			}
			err = c.Run(t.Context(), func(_ context.Context, d *Disk) (string, Next, error) {
				return "", Next{}, errors.Join(d.Put("global/half.json", []byte("{}")), boom)
			})
			if !errors.Is(err, boom) {
				t.Fatal(err)
			}
			givenUp, err := c.Fail(t.Context(), err, again, Next{"1", again.Add(24 * time.Hour)})
			if err != nil || givenUp != (i == MaxFailures-1) {
				t.Fatalf("%v, %v", givenUp, err)
			}
			again = again.Add(time.Hour)
		}
		all, err := db.Planned(t.Context(), "acme")
		if err != nil || len(all) != 1 || all[0].Slot.Slot != "1" || !strings.Contains(all[0].Error, "boom") || all[0].Failures != 0 {
			t.Errorf("%+v, %v", all, err)
		}
		if revision, docs, err := db.Since(t.Context(), "acme", 0); err != nil || len(docs) > 0 || revision != 0 {
			t.Errorf("%v, %v", docs, err)
		}
		// They are kept when a later slot has been done.
		c, err := db.Claim(t.Context(), begun.AddDate(1, 0, 0), false)
		if err == nil {
			err = c.Run(t.Context(), func(context.Context, *Disk) (string, Next, error) {
				return "run", Next{"2", begun.AddDate(2, 0, 0)}, nil
			})
		}
		failed, ferr := db.Failures(t.Context(), "acme")
		if err := errors.Join(err, ferr); err != nil || len(failed) != MaxFailures || failed[0].Attempt != MaxFailures || failed[0].Slot.Slot != "0" || !strings.Contains(failed[0].Error, "boom") {
			t.Errorf("%+v, %v", failed, err)
		}
		if all, err := db.Planned(t.Context(), "acme"); err != nil || len(all) != 1 || all[0].Error != "" {
			t.Errorf("%+v, %v", all, err)
		}
		if _, err := db.Failures(t.Context(), "nowhere"); !errors.Is(err, ErrNoWorkspace) {
			t.Error(err)
		}
	})
}

// Of failures the latest are kept, of each workspace.
func TestFailuresKept(t *testing.T) {
	both(t, func(t *testing.T, _ string, db *DB) {
		for _, ws := range []string{"acme", "other"} {
			if err := db.Create(t.Context(), ws, "", begun); err != nil {
				t.Fatal(err)
			}
		}
		note := func(ws string, n int) error {
			return db.within(t.Context(), worker, ws, func(q querier) error {
				return noteFailure(t.Context(), db, q, Failure{Slot{ws, "daily", strconv.Itoa(n)}, 1, begun.Add(time.Duration(n) * time.Minute), "boom"})
			})
		}
		err := note("other", 0)
		for n := range keptFailures + 3 {
			err = errors.Join(err, note("acme", n))
		}
		all, aerr := db.Failures(t.Context(), "acme")
		others, oerr := db.Failures(t.Context(), "other")
		if err := errors.Join(err, aerr, oerr); err != nil || len(all) != keptFailures || all[0].Slot.Slot != strconv.Itoa(keptFailures+2) || len(others) != 1 {
			t.Errorf("%d and %d, %v", len(all), len(others), err)
		}
	})
}

// What somebody writes while a run is made is not lost, and the run is made again.
func TestRunBesideWriter(t *testing.T) {
	both(t, func(t *testing.T, _ string, db *DB) {
		planned(t, db, "acme")
		c, err := db.Claim(t.Context(), begun, true)
		if err != nil {
			t.Fatal(err)
		}
		tries := 0
		err = c.Run(t.Context(), func(ctx context.Context, d *Disk) (string, Next, error) {
			if tries++; tries == 1 {
				other, err := db.Disk(ctx, "acme")
				if err == nil {
					err = errors.Join(other.Mkdir("global"), other.Append("global/x.json", []byte("{}")))
				}
				return "r", Next{"1", begun}, err
			}
			return "r", Next{"1", begun}, d.Put("global/y.json", []byte("{}"))
		})
		d, derr := db.Disk(t.Context(), "acme")
		if err := errors.Join(err, derr); err != nil || tries != 2 {
			t.Fatalf("%d tries, %v", tries, err)
		}
		for _, name := range []string{"global/x.json", "global/y.json"} {
			if _, err := d.Stat(name); err != nil {
				t.Error(err)
			}
		}
	})
}

// A lease that has run out is somebody else's, and its first holder writes nothing.
func TestLeaseRunsOut(t *testing.T) {
	both(t, func(t *testing.T, _ string, db *DB) {
		planned(t, db, "acme")
		first, err := db.Claim(t.Context(), begun, true)
		if err != nil {
			t.Fatal(err)
		}
		second, err := db.Claim(t.Context(), begun.Add(Lease+time.Second), true)
		if err != nil || second == nil {
			t.Fatalf("%+v, %v", second, err)
		}
		if err := first.Run(t.Context(), count(1)(first)); !errors.Is(err, ErrLease) {
			t.Error(err)
		}
		if err := second.Run(t.Context(), count(1)(second)); err != nil {
			t.Error(err)
		}
		once(t, db, "acme", 1)
	})
}

func TestSpread(t *testing.T) {
	const span, workspaces = 6 * time.Hour, 6000
	hours := make([]int, 6)
	for i := range workspaces {
		hours[Spread(fmt.Sprintf("w%d", i), "weekly", span)/time.Hour]++
	}
	if slices.Min(hours) < workspaces/6-200 || slices.Max(hours) > workspaces/6+200 { // fixed names: no chance
		t.Error(hours)
	}
	if again := Spread("w7", "weekly", span); Spread("a", "b", 0) != 0 || again != Spread("w7", "weekly", span) {
		t.Errorf("%s: it is not the same for the same names", again)
	}
}

// killedEnv makes the test binary a worker on a database, until nothing is due.
const killedEnv = "MEMORYD_TEST_WORKER"

// TestKilledWorkers has several processes at work, kills one again and again, and finds every slot
// done once. Connections are cut meanwhile.
func TestKilledWorkers(t *testing.T) {
	workspaces, slots, pause := 4, 5, 400*time.Millisecond
	if os.Getenv("MEMORYD_HARNESS") == "full" {
		workspaces, slots, pause = 1000, 10, 300*time.Millisecond
	}
	address := pgtest.New(t)
	db, err := Open(t.Context(), address)
	if err == nil {
		_, err = db.Migrate(t.Context(), MigrateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for i := range workspaces {
		planned(t, db, fmt.Sprintf("w%d", i))
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func() *exec.Cmd {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), killedEnv+"="+strconv.Itoa(slots)+" "+address)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	crew := []*exec.Cmd{start(), start(), start()}
	killed := 0
	for round := 0; ; round++ {
		if n := left(t, db, workspaces); n == 0 {
			break
		}
		select {
		case <-time.After(pause):
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
		if round%3 == 2 {
			_, err = db.sql.Exec("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
			if err != nil {
				t.Log(err)
			}
		}
		i := round % len(crew)
		if err := crew[i].Process.Kill(); err == nil {
			killed++
		}
		_ = crew[i].Wait() // it was killed, or has ended
		crew[i] = start()
	}
	for _, cmd := range crew {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Logf("%d slots, %d kills", workspaces*slots, killed)
	for i := range workspaces {
		once(t, db, fmt.Sprintf("w%d", i), slots)
	}
}

// left is how many workspaces have slots left.
func left(t *testing.T, db *DB, workspaces int) int {
	t.Helper()
	all, err := db.Planned(context.Background(), "")
	for try := 0; err != nil && try < 10; try++ { // its connections are cut too
		all, err = db.Planned(context.Background(), "")
	}
	if err != nil || len(all) != workspaces {
		t.Fatalf("%d workspaces, %v", len(all), err)
	}
	return len(slices.DeleteFunc(all, func(p Planned) bool { return p.At.After(begun) }))
}

// stoppedEnv makes the test binary a worker on a database that holds one lease; see TestStoppedWorker.
const stoppedEnv = "MEMORYD_TEST_STOPPED"

// stopped is that worker, where processes can be stopped.
var stopped func(address string) (code int)

// TestMain is the tests, or one of the workers that they start.
func TestMain(m *testing.M) {
	if address := os.Getenv(stoppedEnv); address != "" {
		os.Exit(stopped(address))
	}
	if job := os.Getenv(killedEnv); job != "" {
		slots, address, _ := strings.Cut(job, " ")
		last, err := strconv.Atoi(slots)
		if err != nil {
			os.Exit(2)
		}
		for range 1000 { // a connection that is cut ends a round
			db, err := Open(context.Background(), address)
			if err == nil {
				err = errors.Join(work(context.Background(), db, last, false), db.Close())
			}
			if err == nil {
				os.Exit(0)
			}
		}
		os.Exit(1)
	}
	os.Exit(pgtest.Main(m))
}
