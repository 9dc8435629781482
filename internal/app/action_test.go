package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Edits by hand stand between the runs that they came between, and behind the last.
func TestChanges(t *testing.T) {
	ref := memory.Ref{File: "global/a.json"}
	record := func(text string) []byte { return []byte(`{"id":"a","type":"factual","content":"` + text + `"}`) }
	now, err := memory.ParseRecords(ref.File, record("four"))
	if err != nil {
		t.Fatal(err)
	}
	versions := []workspace.Version{
		{RunID: "run_1", Action: oplog.Action{Type: oplog.Edit}, To: ref, After: record("one")},
		{RunID: "run_2", Action: oplog.Action{Type: oplog.Edit}, From: ref, To: ref, Before: record("two"), After: record("three")},
	}
	var got []string
	for _, c := range document.Changes(versions, now) {
		got = append(got, c.Type+" "+c.RunID+" "+c.From+">"+c.To)
		if !strings.Contains(c.Diff, "+{") {
			t.Errorf("%s: %q", c.Type, c.Diff)
		}
	}
	want := "edit run_1 >global/a.json|hand  >|edit run_2 global/a.json>global/a.json|hand  >"
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
	versions[1].Before = record("one")
	if all := document.Changes(versions, nil); len(all) != 3 || all[2].Type != document.Deleted {
		t.Errorf("without an edit by hand, and with the file gone: %+v", all)
	}
}

func TestHead(t *testing.T) {
	for want, a := range map[string]oplog.Action{
		"merge 2 duplicates into c":                        {Type: oplog.Merge, SourceIDs: []string{"a", "b"}, ResultID: "c"},
		"ask a person about 2 memories: distinct facts":    {Type: oplog.Review, MemoryIDs: []string{"a", "b"}, Reason: "distinct_facts"},
		"ask a person whether b supersedes a":              {Type: oplog.Review, MemoryIDs: []string{"a", "b"}, Reason: "supersede"},
		"summarise a: 900 characters instead of 12,345":    {Type: oplog.Summarize, MemoryID: "a", CharsBefore: 12345, CharsAfter: 900},
		"promote a from agent:DEV-001 to team:development": {Type: oplog.Promote, MemoryID: "a", From: "agent:DEV-001", To: "team:development"},
		"archive a: stale":                                 {Type: oplog.Archive, MemoryID: "a", Reason: "stale"},
		"undo: what it was":                                {Type: oplog.Undo, Detail: "what it was"},
		"edit a":                                           {Type: oplog.Edit, MemoryID: "a"},
	} {
		if got := DescribeAction(&a); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		" a <b> & c\n": `{"summary":"a <b> & c"}`,
		"one\ntwo":     `{"summary":"one","details":"one\ntwo"}`,
	} {
		if got, err := TextContent(text); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	if _, err := TextContent(" \n"); !errors.Is(err, ErrEmptyText) {
		t.Error(err)
	}
	if got, err := TextContent("\xff"); err == nil {
		t.Errorf("%q", got)
	}
}

func TestHeadline(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for text, want := range map[string]string{
		"short":                  "short",
		"first line\nsecond":     "first line",
		"One. " + long:           "One.",
		"v1.2 and " + long:       "v1.2 and " + strings.TrimSpace(strings.Repeat("word ", 26)) + "…",
		strings.Repeat("日", 200): strings.Repeat("日", 139) + "…",
	} {
		if got := Headline(text); got != want {
			t.Errorf("%.20q…: %q, want %q", text, got, want)
		}
	}
}
