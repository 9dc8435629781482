package workspace

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// A log that has grown, or is of an earlier month, goes on in a new file; the
// chain and the readers go through both.
func TestLogRotation(t *testing.T) {
	sc := scenarioNamed(t, "two runs")
	sc.files = with(memories("agents/a", 4), memory.LogFile, loggedBefore(day.AddDate(0, -1, 0)))
	m := sc.disk(t)
	for i, step := range sc.steps {
		if err := step(sc.store(m, i)); err != nil {
			t.Fatal(err)
		}
	}
	s := sc.store(m, 2)
	log, err := s.Log().Read()
	if err != nil || len(log.Entries) != 3 || log.Entries[0].RunID != "run_before" {
		t.Fatalf("%+v %v", log, err)
	}
	problems, count, head, err := s.Log().Verify()
	if err != nil || len(problems) != 0 || count != 3 || head != log.Entries[2].Hash {
		t.Errorf("%v %d %s %v", problems, count, head, err)
	}
	const old = LogArchive + "/consolidation-log-2026-02.json"
	text := m.Files()[old]
	if err := m.Overwrite(old, []byte(strings.Replace(text, "manual", "MANUAL", 1))); err != nil {
		t.Fatal(err)
	}
	if problems, _, _, _ := s.Log().Verify(); len(problems) == 0 {
		t.Error("a change in the older part goes unseen")
	}
	if err := m.Remove(old); err != nil {
		t.Fatal(err)
	}
	if problems, _, _, _ := s.Log().Verify(); len(problems) != 1 || !strings.Contains(problems[0].Message, "gone") {
		t.Errorf("without the older part: %v", problems)
	}
}

func TestLogRotatesBySize(t *testing.T) {
	sc := scenarioNamed(t, "merge")
	big := loggedBefore(day)
	big = strings.Replace(big, `"status"`, fmt.Sprintf(`"padding": %q, "status"`, strings.Repeat("x", logLimit)), 1)
	sc.files = with(memories("agents/a", 2), memory.LogFile, big)
	m := sc.disk(t)
	if err := sc.steps[0](sc.store(m, 0)); err != nil {
		t.Fatal(err)
	}
	files := m.Files()
	if files[LogArchive+"/consolidation-log-2026-03.json"] != big || len(files[memory.LogFile]) > 10_000 {
		t.Errorf("the log has %d bytes", len(files[memory.LogFile]))
	}
}

// A tail that was cut off shows in the records of the runs.
func TestCutLogIsFound(t *testing.T) {
	sc := scenarioNamed(t, "two runs")
	m := sc.disk(t)
	if err := sc.steps[0](sc.store(m, 0)); err != nil {
		t.Fatal(err)
	}
	short := m.Files()[memory.LogFile]
	if err := sc.steps[1](sc.store(m, 1)); err != nil {
		t.Fatal(err)
	}
	if err := m.Overwrite(memory.LogFile, []byte(short)); err != nil {
		t.Fatal(err)
	}
	if len(oplog.Verify([]byte(short))) != 0 {
		t.Fatal("the chain alone should not show it")
	}
	problems, _, _, err := sc.store(m, 2).Log().Verify()
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, "cut") {
		t.Errorf("%v %v", problems, err)
	}
}

// A damaged journal stops every writer, and nothing is touched.
func TestDamagedJournalStops(t *testing.T) {
	sc := scenarioNamed(t, "merge")
	for _, p := range sc.points(t, plain) {
		names, _, err := runNames(p.disk)
		if err != nil {
			t.Fatal(err)
		}
		if len(names) == 0 || p.step.Op != "exchange" {
			continue
		}
		name := RunsDir + "/" + names[0] + "/" + journalFile
		text := p.disk.Files()[name]
		if err := p.disk.Overwrite(name, []byte(strings.Replace(text, "merge", "merge!", 1))); err != nil {
			t.Fatal(err)
		}
		before := visible(p.disk)
		p.disk.Settle()
		err = sc.recovered(p.disk.Crash(faultfs.Ordered, faultfs.Nothing, 0))
		if !errors.Is(err, journal.ErrDamaged) || !strings.Contains(err.Error(), "move that directory") {
			t.Errorf("got %v", err)
		}
		if !maps.Equal(before, visible(p.disk)) {
			t.Error("something was touched")
		}
		return
	}
	t.Fatal("no point in the midst of a run")
}

// On a disk that is full from the commit on, the run is pending, and is finished
// when there is room again; on one that is full before, nothing has happened.
func TestFullDisk(t *testing.T) {
	sc := scenarioNamed(t, "merge")
	stages := sc.stages(t)
	for _, committed := range []bool{false, true} {
		m := sc.disk(t)
		full := !committed
		hook := &faultfs.Hook{FS: m, Before: func(s faultfs.Step) error {
			if full && (s.Op == "create" || s.Op == "mkdir") {
				return syscall.ENOSPC
			}
			full = full || strings.HasSuffix(s.To, journalFile)
			return nil
		}}
		err := sc.steps[0](sc.store(hook, 0))
		if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, ErrPending) != committed {
			t.Errorf("committed %v: %v", committed, err)
		}
		want := stages[0]
		if committed {
			snap := mustLoad(t, sc.store(m, 1))
			if len(snap.Problems) != 1 || !strings.Contains(snap.Problems[0].Message, "interrupted") {
				t.Errorf("a reader is told %v", snap.Problems)
			}
			want = stages[1]
		}
		if err := sc.recovered(m); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(want, visible(m)) {
			t.Errorf("committed %v: wrong files after recovery", committed)
		}
	}
}
