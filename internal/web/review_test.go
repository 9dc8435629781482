package web

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
)

// conflicts are records of which two machines have made something else.
var conflicts = map[string]string{
	"mem_till.json": `"created_at":"2026-02-01T10:00:00Z","updated_at":"2026-02-01T10:00:00Z","access_count":3,"last_accessed":"2026-02-27T00:00:00Z","content":"The till is by the door."`,
	"mem_till.sync-conflict-20260301-090000-ABCDEFG.json": `"created_at":"2026-02-01T10:00:00Z","updated_at":"2026-02-20T10:00:00Z","access_count":3,"last_accessed":"2026-02-27T00:00:00Z","content":"The till is in the back room."`,
	"mem_oven.json": `"created_at":"2026-02-01T10:00:00Z","content":"The oven bakes at 220 degrees.","merge_conflicts":[{"path":"/content","base":"The oven bakes.","kept":"The oven bakes at 220 degrees.","other":"The oven bakes at 180 degrees."}]`,
	"mem_lamp.json": `"created_at":"2026-02-01T10:00:00Z","content":"The lamp takes 60 W.","merge_conflicts":[{"path":""}]`,
}

// withConflicts makes a server of a workspace in which nothing but conflicts waits, and tells the pair of each memory.
func withConflicts(t *testing.T) (b *browser, pairs map[string]string) {
	b = serve(t, nil)
	for name, rest := range conflicts {
		id, _, _ := strings.Cut(name, ".")
		file := filepath.Join(b.server.Store.Dir(), "global", name)
		if err := os.WriteFile(file, []byte(`{"id":"`+id+`","type":"factual",`+rest+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.server.Store.Reindex(t.Context(), noon); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // as long as a copy waits, a check tells of it
		for name := range conflicts {
			if err := os.Remove(filepath.Join(b.server.Store.Dir(), "global", name)); err != nil {
				t.Error(err)
			}
		}
		if _, err := b.server.Store.Reindex(context.Background(), noon); err != nil {
			t.Error(err)
		}
	})
	pairs = map[string]string{}
	for _, p := range mustLoad(t, b.server.Store).Open() {
		id, _, _ := strings.Cut(p.A, "@")
		pairs[id] = p.ID()
	}
	return b, pairs
}

// What two machines made of one memory is shown side by side with what each choice writes; each writes that, and is taken back whole.
func TestReviewOfConflicts(t *testing.T) {
	b, pairs := withConflicts(t)
	if page := b.get("/"); !strings.Contains(page, "3 memories that two machines have changed") {
		t.Error(page)
	}
	before := b.files()
	sides := map[string][]string{
		"mem_till": {"Older version", "Newer version", "had changed the memory", "sync-conflict", "<del>by</del>", "<ins>in</ins>"},
		"mem_oven": {"The other side had", "The record now", "The record has the newer values", "<del>180</del>", "<ins>220</ins>"},
		"mem_lamp": {"had removed it", "The record now", "It stays until you decide", "No text."},
	}
	for _, c := range []struct {
		id, verdict, writes string
		live                []string // texts of live memories afterwards
		gone                string   // and one that is none any more
	}{
		{"mem_till", reviewing.KeepOlder, "changes mem_till; moves mem_till", []string{"by the door."}, "in the back room."},
		{"mem_till", reviewing.KeepNewer, "changes mem_till; moves mem_till", []string{"in the back room."}, "by the door."},
		{"mem_till", review.KeepBoth, "changes mem_till; moves mem_till", []string{"by the door.", "in the back room."}, ""},
		{"mem_till", rules.VerdictMerge, "changes mem_till; moves mem_till", []string{"in the back room."}, ""},
		{"mem_oven", reviewing.KeepOlder, "changes mem_oven", []string{"at 180 degrees."}, "at 220 degrees."},
		{"mem_oven", reviewing.KeepNewer, "changes mem_oven", []string{"at 220 degrees."}, "at 180 degrees."},
		{"mem_oven", review.KeepBoth, "writes mem_", []string{"at 220 degrees.", "at 180 degrees."}, ""},
		{"mem_lamp", reviewing.KeepOlder, "moves mem_lamp", nil, "takes 60 W."},
		{"mem_lamp", reviewing.KeepNewer, "changes mem_lamp", []string{"takes 60 W."}, ""},
	} {
		t.Run(c.id+" "+c.verdict, func(t *testing.T) {
			page := b.get("/review?pair=" + url.QueryEscape(pairs[c.id]))
			for _, want := range append(sides[c.id], `value="`+c.verdict+`"`, c.writes) {
				if !strings.Contains(html.UnescapeString(page), want) {
					t.Errorf("no %q in\n%s", want, page)
				}
			}
			w := b.post("/review", "/review", url.Values{"pair": {pairs[c.id]}, "verdict": {c.verdict}})
			if w.Code != http.StatusSeeOther {
				t.Fatalf("%d\n%s", w.Code, w.Body)
			}
			var live strings.Builder
			for _, m := range mustLoad(t, b.server.Store).Memories() {
				live.WriteString(m.Text() + "\n")
			}
			for _, text := range c.live {
				if !strings.Contains(live.String(), text) {
					t.Errorf("%q isn't there", text)
				}
			}
			if c.gone != "" && strings.Contains(live.String(), c.gone) {
				t.Errorf("%q is still there", c.gone)
			}
			undo := regexp.MustCompile(`action="(/runs/[^"]+/undo)"`).FindStringSubmatch(b.get(w.Header().Get("Location")))
			if w := b.post("/memories/mem_c", undo[1], url.Values{}); w.Code != http.StatusSeeOther {
				t.Fatalf("%d\n%s", w.Code, w.Body)
			}
			if diff := cmp.Diff(before, b.files()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A conflict copy is shown and decided about where another file has the id besides, with the time since when it waits.
func TestReviewWhereIDsAreNotUnique(t *testing.T) {
	b, pairs := withConflicts(t)
	other := filepath.Join(b.server.Store.Dir(), "global", "other.json")
	if err := os.WriteFile(other, []byte(`{"id":"mem_till","type":"factual","created_at":"2026-02-01T10:00:00Z","content":"Lamps take bulbs of 40 W."}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if page := b.get("/review?pair=" + pairs["mem_till"]); !strings.Contains(page, "<del>by</del>") {
		t.Error(page)
	}
	list := b.get("/api/v1/review")
	if !strings.Contains(list, pairs["mem_till"]) || !strings.Contains(list, `"flagged_at": "2026-02-20T10:00:00Z"`) || strings.Contains(list, "0001-01-01") {
		t.Error(list)
	}
	w := b.post("/review", "/review", url.Values{"pair": {pairs["mem_till"]}, "verdict": {review.KeepBoth}})
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	text := ""
	for _, m := range mustLoad(t, b.server.Store).Memories() {
		text += m.Text() + "\n"
	}
	for _, want := range []string{"by the door", "in the back room", "bulbs of 40 W"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is lost:\n%s", want, text)
		}
	}
	undo := regexp.MustCompile(`action="(/runs/[^"]+/undo)"`).FindStringSubmatch(b.get(w.Header().Get("Location")))
	if w := b.post("/memories/mem_c", undo[1], url.Values{}); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
}

func TestPartlyIsOfferedFirst(t *testing.T) {
	if got := offered(choices, false); got[0].Verdict != rules.VerdictMerge {
		t.Errorf("without a model %q comes first", got[0].Verdict)
	}
	got := offered(choices, true)
	if got[0].Verdict != review.Partly || got[1].Verdict != rules.VerdictMerge || len(got) != len(choices) {
		t.Errorf("where a model said that a part is replaced: %v", got)
	}
}
