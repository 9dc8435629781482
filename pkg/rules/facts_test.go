package rules_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// drawnDuplicates is a workspace of memories that say the same, with facts that
// some have and others have not.
func drawnDuplicates(t *rapid.T) map[string]string {
	extra := []string{
		"Ines owns it.", "It was set up on 5 March 2025.", "The limit is 1,000 connections.", "See https://example.org/pool for more.",
		"The ticket is OPS-1423.", "It lives in /etc/pool/pool.conf.", "Since v2.4.1 it restarts by itself.",
	}
	files := map[string]string{}
	for i := range rapid.IntRange(2, 6).Draw(t, "memories") {
		at := random.At.AddDate(0, 0, -rapid.IntRange(8, 40).Draw(t, "age")).Format(time.RFC3339)
		content := map[string]any{"summary": "The connection pool of the orders service is limited by PgBouncer in transaction mode, so that " +
			"prepared statements have to be switched off in the driver of each service that uses it, and in the scripts of the nightly export."}
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"owner", "note", "lessons", "title"}), 0, 2, rapid.ID).Draw(t, "keys") {
			content[key] = rapid.SampledFrom(extra).Draw(t, "fact")
			if key == "lessons" {
				content[key] = []any{content[key], rapid.IntRange(1, 3).Draw(t, "n")}
			}
		}
		raw, _ := json.Marshal(content) // strings and numbers always marshal
		files[fmt.Sprintf("agents/DEV-001/m%d.json", i)] = fmt.Sprintf(
			`{"id":"m%d","type":"semantic","title":%q,"created_by":"DEV-001","created_at":%q,"tags":["db"],"access_count":2,"last_accessed":%q,"content":%s}`,
			i, rapid.SampledFrom(append(extra, "")).Draw(t, "title"), at, random.At.Format(time.RFC3339), raw)
	}
	return files
}

type stated struct{ kind, key string }

func factsOf(t fataler, file string, raw []byte) map[stated]bool {
	ms, err := memory.ParseRecords(file, raw)
	if err != nil || len(ms) != 1 {
		t.Fatalf("%s: %d records, %v", file, len(ms), err)
	}
	var head struct{ Title string }
	if err := json.Unmarshal(raw, &head); err != nil {
		t.Fatal(err)
	}
	out := map[stated]bool{}
	text := ms[0].Text() + "\n" + head.Title
	for _, v := range memory.Variants(ms[0]) {
		text += "\n" + v.Words()
	}
	for _, f := range similarity.Facts(text) {
		out[stated{f.Kind, f.Key}] = true
	}
	return out
}

// Every wording of a merged memory, and so every fact, is in the survivor, and the action counts the facts.
func TestMergesKeepWording(t *testing.T) {
	total, variants := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		files := drawnDuplicates(t)
		var live []*memory.Memory
		for name, text := range files {
			ms, err := memory.ParseRecords(name, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			live = append(live, ms...)
		}
		settings := config.Default()
		settings.Merge.Differences = rapid.SampledFrom([]string{"ask", "latest-wins"}).Draw(t, "distinct facts")
		settings.Merge.ContentSimilarity = 0.5
		for _, a := range rules.Plan(memory.NewSnapshot(random.At, live, nil), rules.Request{Settings: settings}).Actions {
			if a.Type != "merge" {
				continue
			}
			survivor, err := memory.OneRecord(a.Ops[0].Ref.File, a.Ops[0].Raw)
			if err != nil {
				t.Fatal(err)
			}
			variants += len(memory.Variants(survivor))
			result, facts := factsOf(t, a.Ops[0].Ref.File, a.Ops[0].Raw), map[stated]bool{}
			for _, op := range a.Ops {
				source, err := memory.OneRecord(op.Ref.File, []byte(files[op.Ref.File]))
				if err != nil {
					t.Fatal(err)
				}
				if err := memory.ProveMerge(survivor, source); err != nil {
					t.Fatal(err)
				}
				if op.ID == survivor.ID {
					continue
				}
				for f := range factsOf(t, op.Ref.File, source.Raw()) {
					facts[f] = true
				}
			}
			stated := 0
			for f := range facts {
				if result[f] {
					stated++
				}
			}
			if a.FactsKept == nil || a.FactsArchived == nil || *a.FactsKept != stated || *a.FactsArchived != len(facts)-stated {
				t.Fatalf("the action counts %v stated and %v archived, there are %d of %d", a.FactsKept, a.FactsArchived, stated, len(facts))
			}
			total += stated
		}
	})
	if total == 0 || variants == 0 {
		t.Errorf("%d facts stated, %d variants in all workspaces: nothing was tested", total, variants)
	}
}
