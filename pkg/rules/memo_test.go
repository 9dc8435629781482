package rules_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// record is a drawn memory, one of many that are alike, in a series, or updates of each other.
func record(t *rapid.T, id string) string {
	subject := rapid.SampledFrom([]string{"orders queue", "billing export"}).Draw(t, "subject")
	n := rapid.IntRange(0, 3).Draw(t, "n")
	text := rapid.SampledFrom([]string{
		fmt.Sprintf("The %s of the shop is restarted by the operators after %d failures in a row, before anybody is called.", subject, n),
		fmt.Sprintf("The %s of the shop is never restarted by the operators after some failures in a row, before anybody is called.", subject),
		fmt.Sprintf("The owner of the %s is %s.", subject, []string{"Ana Silva", "Ben Okafor", "Chen Wei", "Dana Fox"}[n]),
		fmt.Sprintf("We switched from Jenkins to Tekton to deploy the %s. It took %d days.", subject, n),
		fmt.Sprintf("This supersedes m%d.", n), " ", fmt.Sprintf("We deploy the %s with Jenkins.", subject),
	}).Draw(t, "text")
	born := random.At.AddDate(0, 0, -rapid.IntRange(0, 40).Draw(t, "born"))
	return fmt.Sprintf(`{"id":%q,"type":%q,"created_at":%q,"updated_at":%q,"tags":%s,"access_count":3,"last_accessed":%q,"content":%q}`,
		id, rapid.SampledFrom([]string{"semantic", "semantic", "procedural"}).Draw(t, "type"), born.Format(time.RFC3339),
		born.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "updated"))*time.Hour).Format(time.RFC3339),
		rapid.SampledFrom([]string{`["a"]`, `["a"]`, `["a","b"]`, `[]`}).Draw(t, "tags"), random.At.Format(time.RFC3339), text)
}

// However a workspace and the settings change: a plan with a memo of earlier ones is the plan
// without, also where the memo is damaged; and an unchanged block is not compared again.
func TestMemoChangesNothing(t *testing.T) {
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		edit := func() {
			id := fmt.Sprintf("m%d", rapid.IntRange(0, 25).Draw(t, "i"))
			files["agents/A-1/"+id+".json"] = record(t, id)
		}
		for range rapid.IntRange(2, 25).Draw(t, "memories") {
			edit()
		}
		req := rules.Request{Settings: config.Default()}
		var data []byte
		for range rapid.IntRange(2, 5).Draw(t, "plans") {
			for range rapid.IntRange(0, 2).Draw(t, "edits") {
				edit()
			}
			req.Settings.Run.Limit = rapid.SampledFrom([]int{2, 50}).Draw(t, "limit")
			req.Settings.Merge.ContentSimilarity = rapid.SampledFrom([]float64{0.8, 0.8, 0.5}).Draw(t, "content")
			if len(data) > 0 && rapid.IntRange(0, 9).Draw(t, "damage") == 0 {
				data = bytes.Clone(data)
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")]++
			}
			plan := func(memo *rules.Memo) string {
				var live []*memory.Memory
				for _, name := range slices.Sorted(maps.Keys(files)) {
					ms, err := memory.ParseRecords(name, []byte(files[name]))
					if err != nil {
						t.Fatal(err)
					}
					live = append(live, ms...)
				}
				req.Memo = memo
				return whole(t, rules.Plan(memory.NewSnapshot(random.At, live, nil), req))
			}
			want := plan(nil)
			memo := rules.ReadMemo(data)
			if diff := cmp.Diff(want, plan(memo)); diff != "" {
				t.Fatalf("-without +with the memo: %s", diff)
			}
			if more := memo.Bytes(); more != nil {
				data = more
			}
			again := rules.ReadMemo(data)
			if diff := cmp.Diff(want, plan(again)); diff != "" {
				t.Fatalf("-without +with the memo of the same files: %s", diff)
			}
			if again.Bytes() != nil {
				t.Fatal("the memo of the same files has changed")
			}
			known++
		}
	})
	if known == 0 {
		t.Error("nothing was tested")
	}
}

// whole is all that a plan says.
func whole(t *rapid.T, plan *memory.Plan) string {
	text, err := plan.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range plan.Actions {
		text = fmt.Appendf(text, "\n%+v", a.Pairs)
		for _, op := range a.Ops {
			text = fmt.Appendf(text, "\n%s %s %s %s %s", op.Kind, op.Ref, op.Base, op.To, op.Raw)
		}
	}
	return string(text)
}
