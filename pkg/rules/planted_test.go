package rules_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// planted is what the truth file of a planted workspace says.
type planted struct {
	Now   time.Time
	Merge []struct{ Older, Newer, Kind string }
	Trap  []struct{ Older, Newer, Kind string }
	Keep  []struct{ A, B, Kind string }

	Archive, Promote, Summarise       []string
	NoArchive, NoPromote, NoSummarise []struct{ ID, Why string }
}

// TestPlantedWorkspace runs the rules over a planted workspace of 1,000 memories,
// which is not part of the repository, until nothing is left to do, and holds them
// to its truth file: every action, nothing else, no trap merged.
// MEMORYD_PLANTED names another one: DIR/NAME without .jsonl.
func TestPlantedWorkspace(t *testing.T) {
	stem := os.Getenv("MEMORYD_PLANTED")
	if stem == "" {
		stem = strings.TrimSuffix(datasets.Path(t, "dev/workspace1000.jsonl"), ".jsonl")
	}
	lines, err := os.ReadFile(stem + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	truthText, err := os.ReadFile(stem + "_truth.json")
	if err != nil {
		t.Fatal(err)
	}
	var truth planted
	if err := json.Unmarshal(bytes.NewBuffer(bytes.ReplaceAll(truthText, []byte(`"no_`), []byte(`"no`))).Bytes(), &truth); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"memory.toml": "[teams]\n\"*\" = \"development\"\n"}
	for line := range bytes.Lines(lines) {
		var head struct {
			ID      string `json:"id"`
			ScopeID string `json:"scope_id"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatal(err)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, bytes.TrimSpace(line), "", "  "); err != nil {
			t.Fatal(err)
		}
		files[filepath.Join("agents", head.ScopeID, head.ID+".json")] = pretty.String()
	}
	dir := t.TempDir()
	if err := random.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	s, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	start := time.Now()
	plans := settle(t, s, truth.Now, request(t, files, rules.Manual))
	t.Logf("%d runs in %s", len(plans), time.Since(start).Round(time.Millisecond))

	got := map[string][]string{}
	for _, plan := range plans {
		for _, a := range plan.Actions {
			switch a.Type {
			case "merge":
				for _, id := range a.SourceIDs {
					got["merge"] = append(got["merge"], id+" "+a.ResultID)
				}
			case "review":
				ids := slices.Clone(a.MemoryIDs)
				slices.Sort(ids)
				got["review"] = append(got["review"], strings.Join(ids, " "))
			default:
				got[a.Type] = append(got[a.Type], a.MemoryID)
			}
		}
	}
	want := map[string][]string{"archive": truth.Archive, "promote": truth.Promote, "summarize": truth.Summarise}
	edited := map[string]bool{} // words were put in place of others, about which a person may be asked
	for _, m := range truth.Merge {
		want["merge"] = append(want["merge"], m.Older+" "+m.Newer)
		if strings.HasPrefix(m.Kind, "edit") {
			edited[m.Older+" "+m.Newer], edited[m.Newer+" "+m.Older] = true, true
		}
	}
	for _, m := range truth.Trap {
		ids := []string{m.Older, m.Newer}
		slices.Sort(ids)
		want["review"] = append(want["review"], strings.Join(ids, " "))
	}
	for _, what := range []string{"merge", "review", "archive", "promote", "summarize"} {
		for _, w := range want[what] {
			if !slices.Contains(got[what], w) && !edited[w] {
				t.Errorf("missing: %s %s", what, w)
			}
		}
		for _, g := range got[what] {
			if !slices.Contains(want[what], g) && !edited[g] {
				t.Errorf("too much: %s %s", what, g)
			}
		}
		t.Logf("%s: %d of %d", what, len(got[what]), len(want[what]))
	}
}
