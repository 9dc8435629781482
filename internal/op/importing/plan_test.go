package importing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
)

var importedAt = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// fataler is a test, or a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// written is the workspace when actions of an import have happened.
func written(t fataler, snap *memory.Snapshot, actions []memory.Action) *memory.Snapshot {
	t.Helper()
	live := map[string]*memory.Memory{}
	for _, m := range snap.Memories() {
		live[m.ID] = m
	}
	for _, a := range actions {
		for _, op := range a.Ops {
			file := op.To.File
			if op.Kind == memory.Put {
				file = op.Ref.File
			}
			ms, err := memory.ParseRecords(file, op.Raw)
			if err != nil || len(ms) != 1 || ms[0].ID != op.ID || ms[0].Locked != "" {
				t.Fatalf("%s would hold %d memories, %v: %s", file, len(ms), err, op.Raw)
			}
			live[op.ID] = ms[0]
		}
	}
	var all []*memory.Memory
	for _, m := range live {
		all = append(all, m)
	}
	return memory.NewSnapshot(snap.At, all, nil)
}

func importing() PlanOptions {
	return PlanOptions{Settings: config.Default(), Scope: memory.Global, By: "DEV-001", Secrets: secrets.Default()}
}

func plan(t fataler, snap *memory.Snapshot, records []foreign.Record, o PlanOptions) ([]memory.Action, []document.ImportItem) {
	t.Helper()
	actions, items, err := Plan(snap, records, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return actions, items
}

func lines(text string) []foreign.Record {
	records, _ := foreign.Read("", "s", "", []foreign.File{{Name: "notes.jsonl", Text: []byte(text)}})
	return records
}

func statuses(items []document.ImportItem) string {
	var all []string
	for _, i := range items {
		all = append(all, i.Status)
	}
	return strings.Join(all, " ")
}

func TestImportDecides(t *testing.T) {
	empty := memory.NewSnapshot(importedAt, nil, nil)
	for _, tt := range []struct {
		name, first, set, then, want string // the first import, an edit, the second import, the expected text
		archived                     bool
		holds                        string
	}{
		{name: "the same", first: `{"id":"1","text":"a b"}`, then: `{"id":"1","text":"a b"}`, want: "unchanged", holds: `"a b"`},
		{name: "edited there", first: `{"id":"1","text":"a b"}`, then: `{"id":"1","text":"c d","tags":["x"]}`, want: "updated", holds: `"c d"`},
		{name: "edited here", first: `{"id":"1","text":"a b"}`, set: `"here"`, then: `{"id":"1","text":"a b"}`, want: "unchanged", holds: `"here"`},
		{name: "edited here and there", first: `{"id":"1","text":"a b"}`, set: `"here"`, then: `{"id":"1","text":"c d"}`, want: "kept", holds: `"here"`},
		{name: "moved there, edited here", first: `{"id":"1","text":"a b"}`, set: `"here"`, then: `{"id":"2","text":"x y"}` + "\n" + `{"id":"1","text":"a b"}`, want: "imported updated", holds: `"here"`},
		{name: "archived here", first: `{"id":"1","text":"a b"}`, archived: true, then: `{"id":"1","text":"c d"}`, want: "kept"},
		{name: "said twice", then: `{"id":"1","text":"a b"}` + "\n" + `{"id":"2","text":"a b"}`, want: "imported equal"},
		{name: "said with another tag", then: `{"id":"1","text":"a b"}` + "\n" + `{"id":"2","text":"a b","tags":["x"]}`, want: "imported equal", holds: `"a b"`},
		{name: "said in part", then: `{"id":"1","text":"a b c d"}` + "\n" + `{"id":"2","text":"a b c d. And more."}`, want: "imported merged", holds: `"a b c d. And more."`},
		{name: "said in part, and again", then: `{"id":"1","text":"a b c d"}` + "\n" + `{"id":"2","text":"a b c d. And more."}` + "\n" + `{"id":"3","text":"a b c d. And more. Even this."}`, want: "imported merged merged", holds: `Even this."`},
		{name: "says less", then: `{"id":"1","text":"a b c d. And more."}` + "\n" + `{"id":"2","text":"a b c d"}`, want: "imported equal", holds: `"a b c d. And more."`},
		{name: "edited there, and said in part", first: `{"id":"1","text":"a b c d"}`, then: `{"id":"2","text":"e f g h. And more."}` + "\n" + `{"id":"1","text":"e f g h"}`, want: "merged updated", holds: `"e f g h. And more."`},
		{name: "a secret", then: `{"text":"postgres://app:Kestrel77@db.internal/shop"}` + "\n" + `{"text":"a b"}`, want: "refused imported"},
		{name: "a secret comes", first: `{"id":"1","text":"a b"}`, then: `{"id":"1","text":"postgres://app:Kestrel77@db.internal/shop"}`, want: "refused", holds: `"a b"`},
		{name: "our own twice", then: own("m", "x") + "\n" + own("m", "y"), want: "imported refused"},
		{name: "our own, edited here", first: own("m", "x"), set: `"here"`, then: own("m", "x"), want: "kept", holds: `"here"`},
		{name: "our own again", first: own("m", "x"), then: own("m", "x"), want: "unchanged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			actions, _ := plan(t, empty, lines(tt.first), importing())
			snap := written(t, empty, actions)
			if tt.set != "" {
				raw, err := memory.SetField(snap.Memories()[0].Raw(), []byte(tt.set), "content", "text")
				if err != nil {
					t.Fatal(err)
				}
				ms, err := memory.ParseRecords(snap.Memories()[0].File, raw)
				if err != nil {
					t.Fatal(err)
				}
				snap = memory.NewSnapshot(importedAt, ms, nil)
			}
			if tt.archived {
				snap.Memories()[0].Archived = true
				snap = memory.NewSnapshot(importedAt, nil, snap.Memories())
			}
			actions, items := plan(t, snap, lines(tt.then), importing())
			if got := statuses(items); got != tt.want {
				t.Fatalf("%s; want %s (%+v)", got, tt.want, items)
			}
			if tt.holds == "" {
				return
			}
			records := ""
			for _, m := range written(t, snap, actions).Memories() {
				records += m.Content().Raw
			}
			if !strings.Contains(records, tt.holds) {
				t.Errorf("%s is not in %s", tt.holds, records)
			}
		})
	}
}

func own(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"type":"factual","scope":"project","scope_id":"shop","created_by":"DEV-001","content":{"text":%q}}`, id, text)
}

// TestImportTwiceIsOnce: importing again plans nothing, and what was imported is written back as it was.
func TestImportTwiceIsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for i := range rapid.IntRange(1, 10).Draw(t, "lines") {
			name := rapid.StringMatching(`[a-zé<"]{0,3}`)
			if rapid.Bool().Draw(t, "entity") {
				fmt.Fprintf(&text, `{"type":"entity","name":%q,"entityType":%q,"observations":["number %d",%q]}`+"\n", fmt.Sprint(i, name.Draw(t, "name")), name.Draw(t, "type"), i, rapid.StringMatching(`[a-z \\]{0,5}`).Draw(t, "said"))
			} else {
				fmt.Fprintf(&text, `{"type":"relation", "from":"%d","to":%q,"relationType":%q}`+"\n", i, name.Draw(t, "to"), name.Draw(t, "kind"))
			}
		}
		records := lines(text.String())
		empty := memory.NewSnapshot(importedAt, nil, nil)
		actions, items := plan(t, empty, records, importing())
		if len(actions) != len(records) {
			t.Fatalf("%d actions for %d records: %+v", len(actions), len(records), items)
		}
		snap := written(t, empty, actions)
		if again, items := plan(t, snap, records, importing()); len(again) > 0 || statuses(items) != strings.TrimSpace(strings.Repeat("unchanged ", len(items))) {
			t.Fatalf("again: %+v", items)
		}
		files, lost := foreign.Write(foreign.Graph, snap.Memories())
		if len(files) != 1 || string(files[0].Text) != text.String() || len(lost) > 0 {
			t.Fatalf("was\n%s, and is\n%s, lost %v", text.String(), files, lost)
		}
	})
}

func TestImportRedacts(t *testing.T) {
	o := importing()
	o.Redact = true
	empty := memory.NewSnapshot(importedAt, nil, nil)
	records := lines(`{"text": "postgres://app:Kestrel77@db.internal/shop", "date": "2026-01-01"}`)
	actions, items := plan(t, empty, records, o)
	if len(actions) != 1 || len(items[0].Redacted) != 1 || strings.Contains(string(actions[0].Ops[0].Raw), "Kestrel") {
		t.Fatalf("%+v, %s", items, actions[0].Ops[0].Raw)
	}
	if again, items := plan(t, written(t, empty, actions), records, o); len(again) > 0 || items[0].Status != Unchanged {
		t.Errorf("again: %+v", items)
	}
}

// TestExportIsTheIdentity: what is exported as JSON and imported into a fresh workspace is the same but for where it came from; imported where it
// is already, it changes nothing.
func TestExportIsTheIdentity(t *testing.T) {
	empty := memory.NewSnapshot(importedAt, nil, nil)
	rapid.Check(t, func(t *rapid.T) {
		var all []*memory.Memory
		word := rapid.StringMatching(`[a-zé"\\<]{1,6}( [a-z]{1,6}){0,4}`)
		for i := range rapid.IntRange(1, 8).Draw(t, "memories") {
			id := fmt.Sprintf("m%d", i)
			where := rapid.SampledFrom([]string{"global", "agents/ann", "projects/shop", "teams/QA", "sessions/s1", "notes"}).Draw(t, "where")
			members := []string{fmt.Sprintf(`"id":%q`, id), fmt.Sprintf(`"type":%q`, rapid.SampledFrom(memory.Types()).Draw(t, "type"))}
			for _, m := range []string{`"created_by":"ann"`, `"created_at":"2026-01-02T03:04:05+02:00"`, `"scope":"project","scope_id":"other"`, `"tags":["x","Y"]`, `"priority":"critical"`, `"protected":true`,
				`"ttl":"permanent"`, `"model":"never"`, `"supersedes":["q"]`, `"references":[{"id":"r","relationship":"is"}]`, `"importance":0.10`, `"access_count":3`, `"mine":{"a":[1e400,null]}`, `"variants":[{"text":"said so","from":"o","written":"2026-01-01T00:00:00Z"},{"path":"/content/port","value":1e400,"from":"p"}]`,
				`"origin":{"kind":"import","at":"2026-01-01T00:00:00Z"}`, `"metadata":{"owner":"x"}`} {
				if rapid.Bool().Draw(t, m) {
					members = append(members, m)
				}
			}
			content := strconv.Quote(word.Draw(t, "text"))
			if rapid.Bool().Draw(t, "object") {
				content = `{"title":` + content + `,"details":"d"}`
			}
			raw := "{\n  " + strings.Join(append(members, `"content":`+content), ",\n  ") + "\n}"
			ms, err := memory.ParseRecords(where+"/"+id+".json", []byte(raw))
			if err != nil || len(ms) != 1 {
				t.Fatalf("%v: %s", err, raw)
			}
			all = append(all, ms[0])
		}
		there := memory.NewSnapshot(importedAt, all, nil)
		for _, format := range []foreign.Format{foreign.Document, foreign.Lines} {
			files, misfits := foreign.Write(format, all)
			if len(files) != 1 || len(misfits) > 0 {
				t.Fatalf("%d files, %v", len(files), misfits)
			}
			records, misfits := foreign.Read("", "s", "", files)
			if len(records) != len(all) || len(misfits) > 0 {
				t.Fatalf("%d records, %v in %s", len(records), misfits, files[0].Text)
			}
			if actions, items := plan(t, there, records, importing()); len(actions) > 0 {
				t.Fatalf("where it is already: %+v", items)
			}
			actions, items := plan(t, empty, records, importing())
			here := written(t, empty, actions)
			for _, m := range all {
				found := here.Find(m.ID)
				if len(found) != 1 {
					t.Fatalf("%s is not there: %+v", m.ID, items)
				}
				was, is := compactJSON(withoutOrigin(foreign.Whole(m))), compactJSON(withoutOrigin(found[0].Raw()))
				if !gjson.Get(was, "created_by").Exists() {
					is = compactJSON([]byte(strings.Replace(is, `,"created_by":"DEV-001"`, "", 1)))
				}
				if was != is || m.Scope != found[0].Scope {
					t.Fatalf("was %s in %s\nis  %s in %s", was, m.Scope, is, found[0].Scope)
				}
			}
		}
	})
}

// An import tells how far it is, and ends where it is told to.
func TestImportProgress(t *testing.T) {
	records := lines(strings.Repeat(`{"text":"one of many"}`+"\n", 5))
	o, calls := importing(), atomic.Int64{}
	o.Progress = func(string, int) error { calls.Add(1); return nil }
	if plan(t, memory.NewSnapshot(importedAt, nil, nil), records, o); calls.Load() < 10 {
		t.Errorf("told %d times", calls.Load())
	}
	o.Progress = func(string, int) error { return context.Canceled }
	if _, _, err := Plan(memory.NewSnapshot(importedAt, nil, nil), records, o); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
