package workspace_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/memory"
)

// TestRobustness puts broken, odd and hostile documents, which are not part of the
// repository, into a workspace as memory files: what has to be rejected is
// reported, what has to be accepted is not, and no byte of any of them changes
// when the workspace around them does.
func TestRobustness(t *testing.T) {
	type document struct {
		ID, Kind, Expect, Note string
		B64                    []byte
	}
	if testing.Short() {
		t.Skip("SKIPPED with -short: makes a workspace of each of some hundred documents")
	}
	n := 0
	for c := range datasets.Rows[document](t, "dev/json_robustness.jsonl") {
		n++
		t.Run(c.ID, func(t *testing.T) { robust(t, c.B64, c.Expect, c.Note) })
	}
	if n < 100 {
		t.Fatalf("%d cases only", n)
	}
}

func robust(t *testing.T, data []byte, expect, note string) {
	s := open(t, tree{"global/case.json": string(data), "global/good.json": `{"id":"good",` + rec + `}`, "global/_index.json": `{"entries":[]}`})
	past := time.Now().Add(-time.Hour) // else it might be half saved, and is waited for
	if err := os.Chtimes(filepath.Join(s.Dir(), "global/case.json"), past, past); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Load(time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	problems, err := s.Check(snap.At)
	if err != nil {
		t.Fatal(err)
	}
	var errors, any []memory.Problem
	for _, p := range problems {
		if p.File != "global/case.json" {
			continue
		}
		any = append(any, p)
		if p.Severity == memory.Error {
			errors = append(errors, p)
		}
	}
	switch expect {
	case "reject":
		if len(errors) == 0 || errors[0].Message == "" || errors[0].Hint == "" {
			t.Errorf("not rejected with what to do: %+v", any)
		}
	case "accept":
		if len(any) != 0 {
			t.Errorf("found %+v", any)
		}
	case "warn":
		// The format allows a content that is a string.
		if len(any) == 0 && note != "content is a string" {
			t.Errorf("nothing said about %q", note)
		}
	}
	commit(t, s, snap, toArchive(snap, "good"))
	if got := filesOf(t, s)["global/case.json"]; got != string(data) {
		t.Errorf("the file changed: %s", base64.StdEncoding.EncodeToString([]byte(got)))
	}
}
