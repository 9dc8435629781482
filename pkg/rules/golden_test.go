package rules_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

var update = flag.Bool("update", false, "rewrite the expected plans in testdata")

// TestGolden plans the workspace in each testdata/*.txtar and compares the plan,
// and the records it results in, with the file "plan" in the same archive. The
// comment of the archive holds "at", "trigger", "scope" and, after "settings:",
// lines of memory.toml.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test cases", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := golden(t, ar)
			for i, f := range ar.Files {
				if f.Name != "plan" {
					continue
				}
				if *update {
					ar.Files[i].Data = got
					if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
						t.Fatal(err)
					}
				} else if !bytes.Equal(f.Data, got) {
					t.Errorf("plan differs; got:\n%s", got)
				}
				return
			}
			t.Fatal("no file \"plan\" in the archive")
		})
	}
}

func golden(t *testing.T, ar *txtar.Archive) []byte {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	req := rules.Request{}
	head, toml, _ := strings.Cut(string(ar.Comment), "settings:")
	for _, line := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		var err error
		switch key {
		case "at":
			at, err = time.Parse(time.RFC3339, value)
		case "trigger":
			req.Trigger = value
		case "scope":
			var s memory.Scope
			s, err = memory.ParseScope(value)
			req.Scope = &s
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Parse("memory.toml", []byte(toml))
	if err != nil {
		t.Fatal(err)
	}
	req.Settings = cfg.Settings
	plan := rules.Plan(snapshot(t, ar, at), req)
	out, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.Write(out)
	b.WriteByte('\n')
	for _, a := range plan.Actions {
		for _, op := range a.Ops {
			b.WriteString(string(op.Kind) + " " + op.ID + " " + op.Ref.String() + " -> " + op.To.String() + "\n")
			if op.Raw != nil {
				b.Write(op.Raw)
				b.WriteByte('\n')
			}
		}
	}
	return b.Bytes()
}

// snapshot reads the archive's *.json files as a store would.
func snapshot(t *testing.T, ar *txtar.Archive, at time.Time) *memory.Snapshot {
	t.Helper()
	var live, archived []*memory.Memory
	for _, f := range ar.Files {
		if !strings.HasSuffix(f.Name, ".json") {
			continue
		}
		ms, err := memory.ParseRecords(f.Name, f.Data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if strings.HasPrefix(f.Name, memory.ArchiveDir+"/") {
			archived = append(archived, ms...)
		} else {
			live = append(live, ms...)
		}
	}
	return memory.NewSnapshot(at, live, archived)
}
