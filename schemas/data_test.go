package schemas

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/fixtures/datasets"
)

// Memories of the planted workspace are as they should be.
func TestPlantedWorkspace(t *testing.T) {
	n := 0
	for raw := range datasets.Lines(t, "dev/workspace1000.jsonl") {
		n++
		for _, f := range ValidateMemory(raw) {
			t.Errorf("line %d: %+v", n, f)
		}
	}
}

// unseen are troubles that no single document shows, and one that is none.
var unseen = map[string]string{
	"created in the future": "needs a clock",
	"dangling supersedes":   "needs the other memories",
	"content is a string":   "is allowed: content is an object or a string",
}

func TestRobustness(t *testing.T) {
	counts := map[string]int{}
	type document struct {
		ID, Kind, Expect, Note string
		B64                    []byte
	}
	for c := range datasets.Rows[document](t, "dev/json_robustness.jsonl") {
		found := ValidateMemory(c.B64)
		ValidateIndex(c.B64)
		ValidateLog(c.B64)
		ValidatePlan(c.B64)
		if c.Kind != "memfile" {
			continue
		}
		counts[c.Expect]++
		_, excused := unseen[c.Note]
		broken := len(found) == 1 && found[0].Path == "" && found[0].Severity == Error
		switch {
		case c.Expect == "accept" && len(found) > 0, excused && len(found) > 0:
			t.Errorf("%s (%s): %+v", c.ID, c.Note, found)
		case c.Expect == "warn" && !excused && (len(found) == 0 || broken):
			t.Errorf("%s (%s): %+v", c.ID, c.Note, found)
		case c.Expect == "reject" && !broken:
			t.Errorf("%s (%s): %+v", c.ID, c.Note, found)
		}
	}
	t.Log(counts)
	for _, expect := range []string{"accept", "warn", "reject"} {
		if counts[expect] == 0 {
			t.Error("no case of", expect)
		}
	}
}

// In real workspaces a memory has at most one finding, for a type that we don't
// know, and indexes and logs have none.
func TestRealWorkspaces(t *testing.T) {
	memories, indexes, logs := 0, 0, 0
	root := datasets.Path(t, "workspaces")
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == "schemas" {
			return skipDir(err)
		}
		if filepath.Ext(name) != ".json" {
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		clean := func(found []Finding) {
			for _, f := range found {
				t.Errorf("%s: %+v", name, f)
			}
		}
		switch filepath.Base(name) {
		case "_index.json":
			indexes++
			clean(ValidateIndex(raw))
			return nil
		case "consolidation-log.json":
			logs++
			clean(ValidateLog(raw))
			return nil
		case "schema.json": // describes memories, with words for values
			return nil
		}
		for _, memory := range memoriesIn(t, raw) {
			memories++
			found := ValidateMemory(memory)
			if len(found) > 1 || len(found) == 1 && found[0].Path != "type" {
				clean(found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d memories, %d indexes, %d logs", memories, indexes, logs); memories < 100 || indexes < 50 || logs < 3 {
		t.Error("that is not all")
	}
}

func skipDir(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// memoriesIn returns the objects with an id and a type or content.
func memoriesIn(t *testing.T, raw []byte) []json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		if id := string(object["id"]); strings.HasPrefix(id, `"`) && (object["type"] != nil || object["content"] != nil) {
			return []json.RawMessage{raw}
		}
		var all []json.RawMessage
		for _, member := range object {
			all = append(all, memoriesIn(t, member)...)
		}
		return all
	}
	var list, all []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, element := range list {
			all = append(all, memoriesIn(t, element)...)
		}
	}
	return all
}

func BenchmarkValidateMemory(b *testing.B) {
	lines := slices.Collect(datasets.Rows[json.RawMessage](b, "dev/workspace1000.jsonl"))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if found := ValidateMemory(lines[i%len(lines)]); found != nil {
			b.Fatal(found)
		}
	}
}
