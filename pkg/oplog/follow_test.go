package oplog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/oplog"
)

func follow(t *testing.T) (first, second []byte) {
	t.Helper()
	entry := func(id string) *oplog.Entry {
		return &oplog.Entry{RunID: id, Timestamp: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Status: oplog.Done}
	}
	var err error
	for _, id := range []string{"run_1", "run_2"} {
		if first, err = oplog.Append(first, entry(id)); err != nil {
			t.Fatal(err)
		}
	}
	if second, err = oplog.Follow(first, "ops/archive/old.json"); err != nil {
		t.Fatal(err)
	}
	if problems := oplog.Verify(second); len(problems) != 0 {
		t.Errorf("without entries: %v", problems)
	}
	if second, err = oplog.Append(second, entry("run_3")); err != nil {
		t.Fatal(err)
	}
	return first, second
}

func TestFollowCarriesTheChainOver(t *testing.T) {
	first, second := follow(t)
	if problems := oplog.Verify(second); len(problems) != 0 {
		t.Errorf("%v", problems)
	}
	_, link, _ := oplog.Head(first)
	log, err := oplog.Read(second)
	if err != nil || len(log.Entries) != 1 || log.Entries[0].PrevHash != link {
		t.Errorf("%+v %v", log, err)
	}
	if n, hash, err := oplog.Head(second); n != 3 || hash != log.Entries[0].Hash || err != nil {
		t.Errorf("head: %d %s %v", n, hash, err)
	}
	d, err := oplog.Parse(second)
	if err != nil {
		t.Fatal(err)
	}
	if file, n, hash := d.Follows(); file != "ops/archive/old.json" || n != 2 || hash != link {
		t.Errorf("follows: %s %d %s", file, n, hash)
	}
	third, err := oplog.Follow(second, "x")
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := oplog.Head(third); n != 3 {
		t.Errorf("a third document begins behind %d entries, want 3", n)
	}
	if _, err := oplog.Follow([]byte("{"), "x"); err == nil {
		t.Error("followed a broken document")
	}
}

// What is changed in the member itself, and an entry taken out behind it, is found.
func TestFollowTampered(t *testing.T) {
	_, second := follow(t)
	d, err := oplog.Parse(second)
	if err != nil {
		t.Fatal(err)
	}
	_, _, hash := d.Follows()
	at := strings.LastIndex(string(second), hash) // the member stands behind the entries
	text := string(second[:at]) + strings.Repeat("0", 64) + string(second[at+64:])
	problems := oplog.Verify([]byte(text))
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "ops/archive/old.json") {
		t.Errorf("%v", problems)
	}
	if problems := oplog.Verify([]byte(strings.Replace(string(second), `"follows"`, `"followed"`, 1))); len(problems) != 1 {
		t.Errorf("without the member: %v", problems)
	}
}
