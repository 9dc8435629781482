package ops_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

const idle = 7 * 24 * time.Hour

// TestMain is also a process that ends when its input does.
func TestMain(m *testing.M) {
	if os.Getenv("OPS_TEST_CHILD") != "" {
		host, ok := process.Host()
		fmt.Println(ok, host.PID == os.Getppid())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func open(t *testing.T) *ops.Ops {
	t.Helper()
	store, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store.Ops()
}

// ours is the process that started this one: it runs as long as the test does.
func ours(t *testing.T) process.ID {
	t.Helper()
	id, ok := process.Host()
	if !ok {
		t.Skip("SKIPPED: processes can't be told on this system")
	}
	return id
}

// ended is a process that has ended.
func ended(t *testing.T) process.ID {
	t.Helper()
	id := ours(t)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "OPS_TEST_CHILD=1")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	id.PID = child.Process.Pid
	return id
}

func sessions(t *testing.T, o *ops.Ops, spool string) (ids []string) {
	t.Helper()
	all, unread, err := o.Sessions(spool)
	if err != nil || len(unread) > 0 {
		t.Fatal(unread, err)
	}
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	return ids
}

// A session whose process has ended is over; one whose process runs is open however old it is; where that can't be told, age decides.
func TestSpoolAbandoned(t *testing.T) {
	o := open(t)
	elsewhere := ours(t)
	elsewhere.Machine = "elsewhere"
	for _, s := range []memory.Session{
		{ID: "runs", At: at.Add(-100 * idle), Process: ours(t)},
		{ID: "ended", At: at.Add(-time.Minute), Process: ended(t)},
		{ID: "elsewhere", At: at.Add(-time.Minute), Process: elsewhere},
		{ID: "elsewhere-old", At: at.Add(-idle), Process: elsewhere},
		{ID: "told", At: at.Add(-time.Minute)},
		{ID: "told-old", At: at.Add(-idle)},
	} {
		if fresh, err := o.BeginSession(s); err != nil || !fresh {
			t.Fatal(s, fresh, err)
		}
	}
	if n, err := o.SpoolAbandoned(at, idle); n != 3 || err != nil {
		t.Errorf("%d are abandoned, %v", n, err)
	}
	if got, want := fmt.Sprint(sessions(t, o, ops.SpoolDir)), "[elsewhere-old ended told-old]"; got != want {
		t.Errorf("ended: %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(sessions(t, o, ops.SessionsDir)), "[elsewhere runs told]"; got != want {
		t.Errorf("open: %s, want %s", got, want)
	}
	if n, err := o.SpoolAbandoned(at, idle); n != 0 || err != nil {
		t.Errorf("once more: %d, %v", n, err)
	}
}

// A session that goes on in another process is noted with that one, and keeps its agent.
func TestBeginSessionAgain(t *testing.T) {
	o := open(t)
	first := memory.Session{ID: "s", Agent: "DEV-001", Host: "claude", At: at, Process: ended(t)}
	again := memory.Session{ID: "s", Host: "claude", At: at.Add(time.Hour), Process: ours(t)}
	for i, s := range []memory.Session{first, again, again, {ID: "s", At: at.Add(2 * time.Hour)}} {
		if fresh, err := o.BeginSession(s); err != nil || fresh != (i == 0) {
			t.Fatal(i, fresh, err)
		}
	}
	all, _, err := o.Sessions(ops.SessionsDir)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if got := all[0]; got.Agent != "DEV-001" || got.Process != again.Process || !got.At.Equal(again.At) || got.State != process.Running {
		t.Errorf("noted: %+v", got)
	}
}

// Of many who are told of the same event at once exactly one is the first.
func TestRecord(t *testing.T) {
	o := open(t)
	for round := range 20 {
		var first atomic.Int32
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				e := ops.Event{At: at.Add(time.Duration(round)*time.Hour + time.Duration(i)*time.Millisecond), Session: "s", Name: "start", By: fmt.Sprint(round, i)}
				ok, err := o.Record(e, 10*time.Second)
				if err != nil {
					t.Error(err)
				}
				if ok {
					first.Add(1)
				}
			})
		}
		group.Wait()
		if first.Load() != 1 {
			t.Fatalf("round %d: %d are the first", round, first.Load())
		}
	}
	if ok, err := o.Record(ops.Event{At: at, Session: "other", Name: "start", By: "x"}, time.Hour); !ok || err != nil {
		t.Error("another session", ok, err)
	}
	if all, err := o.Events("s"); len(all) != 160 || err != nil {
		t.Errorf("%d events, %v", len(all), err)
	}
}
