package workspace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// doneCounter counts what is read of records of runs that have ended.
type doneCounter struct {
	durable.FS
	reads int
}

func (c *doneCounter) Read(name string, most int64) ([]byte, durable.Info, error) {
	if strings.HasSuffix(name, "/"+doneFile) {
		c.reads++
	}
	return c.FS.Read(name, most)
}

// TestCollectsTheOldest makes more runs in a day than are kept. Within that day none of their
// records is looked at; later each run removes some of them, the oldest first, until as many are
// left as are to be kept.
func TestCollectsTheOldest(t *testing.T) {
	const runs, keep = 3 * collectAtMost, 4
	sc := scenario{name: "many runs", files: memories("agents/a", runs+10), keep: keep}
	m := sc.disk(t)
	run := func(n int, at time.Time) (all []string) {
		t.Helper()
		root := &doneCounter{FS: m}
		s := sc.store(root, 0)
		s.Now = func() time.Time { return at }
		if err := archives(fmt.Sprintf("a-%d", n))(s); err != nil {
			t.Fatal(err)
		}
		if n < runs && root.reads > 0 {
			t.Fatalf("run %d: %d records were read", n, root.reads)
		}
		all, trash, err := runNames(m)
		if err != nil || len(trash) > 0 {
			t.Fatal(trash, err)
		}
		return all
	}
	var order, left []string // as they ended
	for n := range runs {
		left = run(n, day.Add(time.Duration(n)*time.Minute))
		order = append(order, added(t, order, left))
	}
	for n, want := range []int{2*collectAtMost + 1, collectAtMost + 2, keep, keep + 1} { // not at every run
		left = run(runs+n, day.Add(keepFor+time.Duration(100+n)*time.Hour))
		order = append(order, added(t, order, left))
		if len(left) != want {
			t.Fatalf("%d records are left, not %d", len(left), want)
		}
		kept := slices.Clone(order[len(order)-want:])
		slices.Sort(kept)
		if !slices.Equal(left, kept) {
			t.Errorf("left are %v, the last ones are %v", left, kept)
		}
	}
}

// added is the name that is new.
func added(t *testing.T, known, now []string) string {
	t.Helper()
	for _, name := range now {
		if !slices.Contains(known, name) {
			return name
		}
	}
	t.Fatal("no record is new")
	return ""
}

// TestSlotsAreDropped: a day after a run what it displaced is in its record only, but for what
// somebody wrote into it; the run can be taken back nevertheless, and its record goes like others.
func TestSlotsAreDropped(t *testing.T) {
	sc := scenario{name: "old runs", files: memories("agents/a", 9)}
	m := sc.disk(t)
	before := visible(m)
	slots := func() (runs []string) {
		all, _, err := runNames(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			if there, err := durable.Exists(m, RunsDir+"/"+name+"/"+slotsDir); err != nil {
				t.Fatal(err)
			} else if there {
				runs = append(runs, name)
			}
		}
		return runs
	}
	late, err := m.Open("agents/a/a-0.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := merges("a", 1)(sc.store(m, 0)); err != nil {
		t.Fatal(err)
	}
	first := slots()
	late([]byte(mark))
	if err := archives("a-5")(sc.store(m, 0)); err != nil { // on the same day
		t.Fatal(err)
	}
	if got := slots(); len(first) != 1 || len(got) != 2 || !slices.Contains(got, first[0]) {
		t.Fatalf("slots of %v, then of %v", first, got)
	}
	if err := archives("a-6")(sc.store(m, 1)); err != nil {
		t.Fatal(err)
	}
	if got := slots(); len(got) != 1 || slices.Contains(got, first[0]) {
		t.Errorf("a day later slots of %v", got)
	}
	if !held(m, false) {
		t.Error("what was written late has not come to light")
	}
	if res, err := sc.store(m, 2).Undo(t.Context(), first[0], nil, day); err != nil || res.Applied == 0 {
		t.Errorf("%+v, %v", res, err)
	}
	if got := visible(m); got["agents/a/a-1.json"] != before["agents/a/a-1.json"] {
		t.Errorf("a-1 is\n%s\nwas\n%s", got["agents/a/a-1.json"], before["agents/a/a-1.json"])
	}
	sc.keep = 2
	for n := range 3 {
		if err := archives(fmt.Sprintf("a-%d", 2+n))(sc.store(m, 3+n)); err != nil {
			t.Fatal(err)
		}
	}
	if all, _, err := runNames(m); err != nil || len(all) > 4 || slices.Contains(all, first[0]) {
		t.Errorf("records of %v are left, %v", all, err)
	}
}

// TestDamagedRecordHindersNoOther: the record of a run that can't be read stays, and those of
// others go, slots first.
func TestDamagedRecordHindersNoOther(t *testing.T) {
	sc := scenario{name: "damaged", files: memories("agents/a", 9)}
	m := sc.disk(t)
	for n := range 3 {
		if err := archives(fmt.Sprintf("a-%d", n))(sc.store(m, 0)); err != nil {
			t.Fatal(err)
		}
	}
	names, _, err := runNames(m)
	if err != nil || len(names) != 3 {
		t.Fatal(names, err)
	}
	damaged := RunsDir + "/" + names[0]
	if err := m.Overwrite(damaged+"/"+journalFile, []byte("torn")); err != nil {
		t.Fatal(err)
	}
	run := func(n, command int) {
		t.Helper()
		s := sc.store(m, command)
		s.Note = func(text string) { t.Errorf("noted: %s", text) }
		if err := archives(fmt.Sprintf("a-%d", n))(s); err != nil {
			t.Fatal(err)
		}
	}
	run(3, 1)
	for i, name := range names {
		if there, err := durable.Exists(m, RunsDir+"/"+name+"/"+slotsDir); err != nil || there != (i == 0) {
			t.Errorf("the slots of run %d: %v, %v", i, there, err)
		}
	}
	sc.keep = 1
	run(4, 2)
	left, _, err := runNames(m)
	if err != nil || len(left) != 2 || !slices.Contains(left, names[0]) {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestDisplacedAreBounded: of what run after run displaces of one index a process keeps the last
// ones; what somebody has written into stays, whichever it is.
func TestDisplacedAreBounded(t *testing.T) {
	const runs = 3 * keepVersions
	sc := scenario{name: "one index", files: memories("agents/a", runs)}
	m := sc.disk(t)
	s := sc.store(m, 0)
	late, err := m.Open("agents/a/" + memory.IndexFile)
	if err != nil {
		t.Fatal(err)
	}
	for n := range runs {
		if err := archives(fmt.Sprintf("a-%d", n))(s); err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			late([]byte(mark))
		}
	}
	count := map[string]int{}
	for name := range m.Files() {
		if slot, ok := strings.CutPrefix(name, displacedDir+"/"); ok {
			count[strings.SplitN(slot, "~", 3)[2][:2]]++
		}
	}
	for label, n := range count {
		if n > keepVersions+1 {
			t.Errorf("%d displaced contents of %s are kept", n, label)
		}
	}
	if len(count) == 0 || !held(m, true) {
		t.Errorf("displaced are %v, text held: %v", count, held(m, true))
	}
	s.Now = func() time.Time { return day.Add(2 * keepPatched) }
	if err := s.writer().SweepDisplaced(); err != nil {
		t.Fatal(err)
	}
	if !held(m, false) {
		t.Error("what was written late has not come to light")
	}
}

// TestDeferredBeyondTheLog: what a run deferred is known to the next one, though the log names
// only the first of it; without the record those are left.
func TestDeferredBeyondTheLog(t *testing.T) {
	sc := scenario{name: "deferred", files: memories("agents/a", 9), named: 3}
	m := sc.disk(t)
	late := []string{"a-4", "a-8", "a-5", "a-6", "a-7"}
	if err := planned(func(snap *memory.Snapshot) []memory.Action {
		return []memory.Action{mergeOf(snap, "a-0", "a-1", snap.NewFiles())}
	}, late...)(sc.store(m, 0)); err != nil {
		t.Fatal(err)
	}
	deferred := func(command int) []string {
		t.Helper()
		snap, err := sc.store(m, command).Load(day)
		if err != nil {
			t.Fatal(err)
		}
		return snap.Deferred
	}
	if log := m.Files()[memory.LogFile]; !strings.Contains(log, `"memories_deferred": 5`) || strings.Contains(log, "a-6") {
		t.Errorf("the log says %s", log)
	}
	if got := deferred(1); !slices.Equal(got, late) {
		t.Errorf("deferred are %v", got)
	}
	for name := range m.Files() {
		if strings.HasSuffix(name, "/"+deferredFile) {
			if err := m.Append(name, []byte("torn")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := deferred(2); !slices.Equal(got, late[:3]) {
		t.Errorf("without a record deferred are %v", got)
	}
	s := sc.store(m, 2)
	snap, err := s.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := s.Check(snap.At)
	if err != nil || !slices.ContainsFunc(problems, func(p memory.Problem) bool {
		return p.Severity == memory.Warning && strings.HasSuffix(p.File, deferredFile)
	}) {
		t.Errorf("check says %v, %v", problems, err)
	}
}
