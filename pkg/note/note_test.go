package note

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/layout"
)

const text = "---\r\nname: Queue\r\ndescription: \"How the queue works\"\r\nmetadata:\r\n  type: feedback\r\n  modified: 2026-01-10T10:00:00Z\r\n---\r\n\r\nDrain it first.\r\n"

var at = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func claude() *Folder {
	l, _ := layout.Named("claude")
	return NewFolder(l, "project", "demo", nil)
}

func TestRecord(t *testing.T) {
	f := claude()
	line := f.Line("queue.md", []byte(text), at, nil)
	raw, err := f.Record(line, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := jsonedit.Check(raw); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"type": "procedural", "subtype": "feedback", "created_by": "CLAUDE", "updated_at": "2026-01-10T10:00:00Z", "created_at": "2026-03-01T00:00:00Z",
		"scope": "project", "content.title": "Queue", "content.summary": "How the queue works", "content.details": "\r\nDrain it first.\r\n",
	} {
		if got := gjson.GetBytes(raw, key).String(); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if !strings.HasPrefix(line.ID, "md_") || len(line.ID) != 15 {
		t.Errorf("id %q", line.ID)
	}
}

// Values of the overlay leave the note alone; text at the end, and a person's words, change what they must.
func TestWrite(t *testing.T) {
	f := claude()
	line := f.Line("queue.md", []byte(text), at, nil)
	raw, _ := f.Record(line, []byte(text))
	set := func(value, key string, path ...string) []byte {
		t.Helper()
		out, err := jsonedit.Apply(raw, jsonedit.Set([]byte(value), append([]string{key}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out, l, err := f.Write(line, []byte(text), set("7", "access_count"), false, at)
	if err != nil || string(out) != text || string(l.Fields["access_count"]) != "7" {
		t.Errorf("%q, %+v, %v", out, l, err)
	}
	again, err := f.Record(l, out)
	if err != nil || gjson.GetBytes(again, "access_count").Int() != 7 {
		t.Errorf("%s, %v", again, err)
	}
	added := set(`"\r\nDrain it first.\r\n\r\n## Also\r\nStop it.\r\n"`, "content", "details")
	out, _, err = f.Write(line, []byte(text), added, false, at)
	if want := strings.Replace(text, "2026-01-10T10:00:00Z", "2026-03-01T00:00:00Z", 1) + "\r\n## Also\r\nStop it.\r\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v", out, err)
	}
	var refused *RefusedError
	if _, _, err := f.Write(line, []byte(text), set(`"Other"`, "content", "details"), false, at); !errors.As(err, &refused) {
		t.Errorf("rewritten: %v", err)
	}
	if out, _, err := f.Write(line, []byte(text), set(`"It's: new"`, "content", "title"), true, at); err != nil || !strings.Contains(string(out), "name: \"It's: new\"\r\n") {
		t.Errorf("%q, %v", out, err)
	}
}

func TestOverlay(t *testing.T) {
	doc := []byte("{\"id\":\"a\",\"path\":\"a.md\"}\n{\"id\":\"b\",\"path\":\"b.md\"}")
	changes := []Change{{ID: "a", Now: `{"id":"a","path":"c.md"}`}, {ID: "x", Now: `{"id":"x","path":"x.md"}`}, {ID: "b", Was: "…"}}
	out := PatchOverlay(doc, changes)
	if want := "{\"id\":\"a\",\"path\":\"c.md\"}\n{\"id\":\"x\",\"path\":\"x.md\"}\n"; string(out) != want || string(PatchOverlay(out, changes)) != want {
		t.Errorf("%s", out)
	}
	if _, err := ReadOverlay([]byte("{}\n[")); err == nil {
		t.Error("damaged lines are not reported")
	}
}

// A note under a new name is the same one, if its old name is gone.
func TestRenamed(t *testing.T) {
	line := claude().Line("queue.md", []byte(text), at, nil)
	f := NewFolder(claude().Layout, "project", "", []Line{line})
	if got := f.Line("other.md", []byte(text), at, func(string) bool { return false }); got.ID != line.ID || got.Path != "other.md" {
		t.Errorf("%+v", got)
	}
	if got := f.Line("other.md", []byte(text), at, func(string) bool { return true }); got.ID == line.ID {
		t.Errorf("a copy has the id of the note: %+v", got)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(text))
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := claude()
		line := folder.Line("n.md", data, at, nil)
		raw, err := folder.Record(line, data)
		if err != nil {
			return
		}
		if err := jsonedit.Check(raw); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		out, _, err := folder.Write(line, data, raw, true, at)
		if err != nil || string(out) != string(data) {
			t.Fatalf("unchanged: %q, %v", out, err)
		}
	})
}
