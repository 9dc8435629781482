package rules_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// questionsOf are the pairs of texts that wait for a decision.
func questionsOf(s *memory.Snapshot) map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, p := range s.Open() {
		if a, b := s.Live(p.A), s.Live(p.B); a != nil && b != nil {
			texts := []string{a.Text(), b.Text()}
			slices.Sort(texts)
			out[[2]string{texts[0], texts[1]}] = true
		}
	}
	return out
}

// alike draws a workspace of one agent in which much is said twice, and something is contradicted.
func alike(t *rapid.T) map[string]string {
	day := func(label string) string {
		return random.At.Add(-time.Duration(rapid.IntRange(0, 400).Draw(t, label)) * 24 * time.Hour).Format(time.RFC3339)
	}
	files := map[string]string{"memory.toml": "[teams]\nDEV = \"development\"\n"}
	for n := range rapid.IntRange(2, 10).Draw(t, "memories") {
		text := rapid.SampledFrom([]string{
			"The nightly export job of the billing service has to finish within 30 minutes or the on-call engineer is paged.",
			"The nightly export job of the billing service has to finish within 45 minutes or the on-call engineer is paged.",
			"The nightly export job of the billing service has to finish within 60 minutes or the on-call engineer is paged.",
			"Really, the nightly export job of the billing service has to finish within 30 minutes or the on-call engineer is paged.",
			"We now give the nightly export job of the billing service 90 minutes instead of 30 minutes.",
		}).Draw(t, "text")
		id := fmt.Sprintf("m%d", n)
		files["agents/DEV-001/"+id+".json"] = fmt.Sprintf(`{"id":%q,"type":%q,"created_by":"DEV-001","created_at":%q,"updated_at":%q,"ttl":%s,"tags":%s,"access_count":%d,"last_accessed":%q,"content":%s}`,
			id, rapid.SampledFrom([]string{"semantic", "semantic", "semantic", "procedural", "working"}).Draw(t, "type"), day("created"), day("updated"),
			rapid.SampledFrom([]string{`null`, `"P60D"`}).Draw(t, "ttl"), rapid.SampledFrom([]string{`["n"]`, `["n"]`, `["n","o","p","q","r"]`, `["o","p","q","r","n","s"]`}).Draw(t, "tags"),
			rapid.IntRange(0, 12).Draw(t, "reads"), day("read"),
			fmt.Sprintf(rapid.SampledFrom([]string{`%q`, `{"summary":%q}`}).Draw(t, "form"), text))
	}
	return files
}

// Whatever runs do in whatever order of triggers, no question to a person goes away without an answer.
func TestQuestionsStay(t *testing.T) {
	asked := 0
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "questions")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := alike(t)
		if err := random.Write(dir, files); err != nil {
			t.Fatal(err)
		}
		s, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		req := request(t, files, rules.Manual)
		req.Settings.Layers.Enabled = rapid.Bool().Draw(t, "layers")
		req.Settings.Run.Limit = rapid.IntRange(2, 50).Draw(t, "limit")
		known, at := map[[2]string]bool{}, random.At
		for range 4 {
			req.Trigger = rapid.SampledFrom([]string{rules.Manual, rules.SessionEnd, rules.Weekly}).Draw(t, "trigger")
			settle(t, s, at, req)
			snap, err := s.Load(at)
			if err != nil {
				t.Fatal(err)
			}
			open := questionsOf(snap)
			for q := range known {
				if !open[q] {
					t.Fatalf("%s: the question about %q is gone", at, q)
				}
			}
			for q := range open {
				known[q] = true
			}
			at = at.Add(time.Duration(rapid.IntRange(1, 60*24).Draw(t, "hours")) * time.Hour)
		}
		asked += len(known)
	})
	if asked == 0 {
		t.Fatal("nothing was asked")
	}
}

// Where two memories wait for a decision, and each has a newer copy, the question goes on between the copies.
func TestQuestionMovesToBothCopies(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	put := func(id string, minutes int, at time.Time) {
		files["agents/DEV-001/"+id+".json"] = fmt.Sprintf(`{"id":%q,"type":"semantic","created_by":"DEV-001","created_at":%q,"tags":["n"],"access_count":2,"last_accessed":%q,"content":"The nightly export job of the billing service has to finish within %d minutes or the on-call engineer is paged."}`,
			id, at.Format(time.RFC3339), random.At.Format(time.RFC3339), minutes)
		if err := random.Write(dir, files); err != nil {
			t.Fatal(err)
		}
	}
	put("a", 30, random.At.AddDate(0, 0, -40))
	put("b", 45, random.At.AddDate(0, 0, -39))
	s, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	req := request(t, map[string]string{"memory.toml": ""}, rules.Manual)
	settle(t, s, random.At, req)
	put("c", 30, random.At.AddDate(0, 0, -20))
	put("d", 45, random.At.AddDate(0, 0, -19))
	at := random.At
	for range 3 { // one merge takes over the question, the other one waits for it
		at = at.Add(time.Hour)
		settle(t, s, at, req)
	}
	snap, err := s.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	open := snap.Open()
	if len(open) != 1 || open[0].A != "d" || open[0].B != "c" || len(snap.Memories()) != 2 {
		t.Errorf("%d memories, open: %+v", len(snap.Memories()), open)
	}
}
