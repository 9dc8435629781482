package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asked is a room in which a run has put pairs to a person: memories of one text in several shops, with another number of minutes each.
func asked(t *testing.T, shops ...[]int) *room {
	t.Helper()
	texts := make([][]string, len(shops))
	for shop, minutes := range shops {
		for _, n := range minutes {
			texts[shop] = append(texts[shop], fmt.Sprintf("The nightly export for the queue of shop %d has to finish within %d minutes or the engineer on call is paged.", shop, n))
		}
	}
	return askedAbout(t, texts...)
}

// askedAbout is the same for texts of several shops, the oldest of each first.
func askedAbout(t *testing.T, shops ...[]string) *room {
	t.Helper()
	var records []string
	for shop, texts := range shops {
		for i, text := range texts {
			records = append(records, fmt.Sprintf(`{"id":"m%d_%d","type":"semantic","created_by":"DEV-001","created_at":"2026-01-%02dT08:00:00Z","access_count":2,"last_accessed":"2026-02-20T08:00:00Z","tags":["shop%d"],"content":%q}`,
				shop, i, 10+i, shop, text))
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "agents", "DEV-001", "all.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"entries":[`+strings.Join(records, ",\n")+"]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "global"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := roomOf(t, dir, false)
	if _, err := r.store.Reindex(t.Context(), noon); err != nil {
		t.Fatal(err)
	}
	plan, _, err := r.consolidate(t.Context(), consolidateArgs{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = r.consolidate(t.Context(), consolidateArgs{Apply: plan.PlanID}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if problems, err := r.store.Check(noon); err != nil || len(problems) > 0 {
			t.Errorf("%+v, %v", problems, err)
		}
	})
	return r
}

// Pairs that differ in the same way are listed once, and decided at once.
func TestReviewGroups(t *testing.T) {
	r := asked(t, []int{30, 45}, []int{30, 45}, []int{30, 45})
	listed, text, err := r.review(t.Context(), reviewArgs{})
	if err != nil || listed.Total != 3 || len(listed.Pairs) != 1 || listed.Pairs[0].Alike != 3 || !strings.Contains(text, "and 2 more pairs that differ in the same way: group grp_") {
		t.Fatalf("%+v, %v\n%s", listed, err, text)
	}
	group := listed.Pairs[0].Group
	all, _, err := r.review(t.Context(), reviewArgs{Group: group})
	if err != nil || all.Total != 3 || len(all.Pairs) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	decided, text, err := r.review(t.Context(), reviewArgs{Group: group, Decision: "keep_newer"})
	if err != nil || len(decided.Decided) != 3 || decided.Total != 0 || len(decided.RunIDs) != 1 || !strings.Contains(text, "(3 pairs)") {
		t.Fatalf("%+v, %v\n%s", decided, err, text)
	}
	snap, err := r.loaded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for shop := range 3 {
		if snap.Live(fmt.Sprintf("m%d_0", shop)) != nil || snap.Live(fmt.Sprintf("m%d_1", shop)) == nil {
			t.Errorf("shop %d: the older one stands, or the newer doesn't", shop)
		}
	}
}

// A memory in several pairs of a group takes part in one run after the other.
func TestReviewGroupOfOneMemory(t *testing.T) {
	var texts []string
	for _, colour := range []string{"red", "green", "blue"} {
		texts = append(texts, "The nightly export for the queue of the shop in Graz goes to the "+colour+" printer on the ground floor of the house.")
	}
	r := askedAbout(t, texts)
	listed, _, err := r.review(t.Context(), reviewArgs{})
	if err != nil || listed.Total < 2 || len(listed.Pairs) != 1 {
		t.Fatalf("%+v, %v", listed, err)
	}
	decided, text, err := r.review(t.Context(), reviewArgs{Group: listed.Pairs[0].Group, Decision: "keep_newer"})
	if err != nil || decided.Total != 0 || len(decided.RunIDs) < 2 && len(decided.Settled) == 0 {
		t.Fatalf("%+v, %v\n%s", decided, err, text)
	}
	snap, err := r.loaded(t.Context())
	if err != nil || snap.Live("m0_2") == nil || len(snap.Memories()) != 1 { // that of the room is archived, too
		t.Errorf("%d memories, %v", len(snap.Memories()), err)
	}
}

// Of three values of one subject the newest is compared with the one before it. Once that is decided, whatever the answer is, the first one is
// compared with what is left.
func TestReviewValuesOfOneSubject(t *testing.T) {
	for _, c := range []struct{ decision, next string }{{"keep_newer", "m0_2"}, {"keep_both", "m0_2"}, {"keep_older", "m0_1"}} {
		r := asked(t, []int{30, 45, 60})
		for _, want := range [][2]string{{"m0_1", "m0_2"}, {"m0_0", c.next}} {
			listed, _, err := r.review(t.Context(), reviewArgs{})
			if err != nil || listed.Total != 1 || len(listed.Pairs) != 1 || listed.Pairs[0].Older.ID != want[0] || listed.Pairs[0].Newer.ID != want[1] {
				t.Fatalf("%s: want the question about %v: %+v, %v", c.decision, want, listed, err)
			}
			if decided, text, err := r.review(t.Context(), reviewArgs{Group: listed.Pairs[0].Group, Decision: c.decision}); err != nil || decided.Total != 0 || len(decided.RunIDs) == 0 {
				t.Fatalf("%+v, %v\n%s", decided, err, text)
			}
			plan, _, err := r.consolidate(t.Context(), consolidateArgs{})
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err = r.consolidate(t.Context(), consolidateArgs{Apply: plan.PlanID}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A pair is decided as before, by its id or that of a memory; what makes no sense is refused, and says what to do.
func TestReviewPair(t *testing.T) {
	r := asked(t, []int{30, 45}, []int{30, 45})
	for _, args := range []reviewArgs{
		{Decision: "merge"}, {Pair: "m0_0", Group: "grp_0"}, {Group: "grp_0", Decision: "keep", Keep: "m0_0"}, {Pair: "m0_0", Decision: "keep"}, {Group: "grp_00000000"},
		{Group: "grp_00000000", Decision: "keep_both"}, {Pair: "m0_0", Decision: "keep", Keep: "m1_0"}, {Pair: "nobody", Decision: "merge"},
	} {
		if result, _, err := r.review(t.Context(), args); err == nil || !strings.Contains(explained(err).Error(), ". ") {
			t.Errorf("%+v: %+v, %v", args, result, err)
		}
	}
	decided, text, err := r.review(t.Context(), reviewArgs{Pair: "m0_0", Decision: "keep", Keep: "m0_0"})
	if err != nil || !strings.HasPrefix(decided.Decided[0], "rev_") || len(decided.RunIDs) != 1 || decided.Total != 1 {
		t.Fatalf("%+v, %v\n%s", decided, err, text)
	}
	listed, _, err := r.review(t.Context(), reviewArgs{})
	if err != nil || len(listed.Pairs) != 1 || listed.Pairs[0].Alike != 0 || listed.Pairs[0].Older.ID != "m1_0" {
		t.Errorf("%+v, %v", listed, err)
	}
}
