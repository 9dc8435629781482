package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

const (
	mostBytes    = 300 << 10
	mostElements = 1500
)

var element = regexp.MustCompile(`<[a-z]`)

// crowded is a workspace of which every list is long, and a run of it that has many actions.
func crowded(t *testing.T) (b *browser, run string) {
	b = serve(t, nil)
	put := map[string]string{}
	add := func(id, text string) {
		put[id] = `"tags":["t` + id[4:7] + `"],"access_count":3,"last_accessed":"2026-02-27T00:00:00Z",` + text
	}
	for i := range 80 { // what a plan merges, and what it asks about
		for _, side := range "ab" {
			add(fmt.Sprintf("mem_%03d%c", i, side), fmt.Sprintf(`"content":"The lift number %d of the house is serviced in June by two people of the firm %d."`, i, i))
			add(fmt.Sprintf("mem_%03d%c", 500+i, side), fmt.Sprintf(`"content":"The counter %d of the hall listens on port %d behind the old proxy %d."`, i, 7000+int(side), i))
		}
	}
	for i := range 40 {
		add(fmt.Sprintf("mem_900%02d", i), `"content":"The nightly copy of the catalogue is made at four by the machine in the cellar."`)
		add(fmt.Sprintf("mem_old%03d", i), fmt.Sprintf(`"content":"Locker %d is painted.","references":["%s"]`, i, strings.Repeat(fmt.Sprintf(`mem_900%02d","`, i), 60)+"mem_a"))
	}
	for _, side := range "ab" { // texts that don't fit on a page, each character of which is escaped
		add("mem_long"+string(side), `"content":"The list `+strings.Repeat(fmt.Sprintf(`\"%c\" & <b> `, side), 20_000)+`"`)
	}
	b.put(put)
	toml := "[run]\nlimit = 1000\n"
	if err := os.WriteFile(filepath.Join(b.server.Store.Dir(), "memory.toml"), []byte(toml), 0o644); err != nil {
		t.Fatal(err)
	}
	snap := mustLoad(t, b.server.Store)
	var actions []memory.Action
	for i := range 40 {
		one, err := archive.Archive(snap, "by hand", fmt.Sprintf("mem_old%03d", i))
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, one...)
	}
	result, err := b.server.Store.Commit(t.Context(), &workspace.Tx{Plan: memory.Command(snap, b.server.Store.Log().Head(), actions...), Snapshot: snap})
	if err != nil {
		t.Fatal(err)
	}
	var lines []byte
	for i := range 250 {
		rec := briefing.Receipt{At: noon.Add(time.Duration(i) * time.Second), Event: briefing.AtPrompt, Session: fmt.Sprintf("s%d", i%7), Budget: 2000, CutAll: 20}
		for j := range 60 {
			rec.Given = append(rec.Given, fmt.Sprintf("mem_%03da", j))
		}
		for j := range 20 {
			rec.Cut = append(rec.Cut, briefing.Cut{ID: fmt.Sprintf("mem_%03db", j), Reason: "budget"})
		}
		line, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := os.WriteFile(filepath.Join(b.server.Store.Dir(), app.ReceiptsFile), lines, 0o644); err != nil {
		t.Fatal(err)
	}
	return b, result.RunID
}

// However much there is, a page has 1,500 elements and 300 KB at most.
func TestCrowdedPages(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED with -short: makes large pages, one after the other")
	}
	b, run := crowded(t)
	plan := regexp.MustCompile(`action="/plan/(run_[^"]+)"`).FindStringSubmatch(b.get("/plan"))
	if plan == nil {
		t.Fatal("no plan")
	}
	look := func(target string) string {
		t.Helper()
		page := b.get(target)
		if n := len(element.FindAllString(page, -1)); n > mostElements || len(page) > mostBytes {
			t.Errorf("%s has %d elements and %d bytes", target, n, len(page))
		}
		return page
	}
	// Each action stands on one page of the plan, and its own page tells of it.
	seen := map[string]bool{}
	for target := "/plan/" + plan[1]; target != ""; {
		page := look(target)
		for _, n := range regexp.MustCompile(`name="n" value="(\d+)"`).FindAllStringSubmatch(page, -1) {
			if seen[n[1]] {
				t.Errorf("action %s stands twice", n[1])
			}
			seen[n[1]] = true
		}
		next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page)
		if target = ""; next != nil {
			target = next[1]
		}
	}
	if all := b.server.plans.find(plan[1], noon).Actions; len(all) != len(seen) || len(all) < 160 {
		t.Errorf("%d of %d actions are listed", len(seen), len(all))
	}
	for n := range seen {
		if len(n) == 1 {
			look("/plan/" + plan[1] + "/" + n)
		}
	}
	if w := b.post("/plan/"+plan[1], "/plan/"+plan[1], url.Values{"all": {"1"}}); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	} else {
		applied, _, _ := strings.Cut(w.Header().Get("Location"), "?")
		look(applied)
		look(applied + "/undo")
	}
	receipt := regexp.MustCompile(`href="(/receipts\?session=s\d&amp;at=[^"]+)"`).FindStringSubmatch(look("/receipts"))
	if receipt == nil || !strings.Contains(look(strings.ReplaceAll(receipt[1], "&amp;", "&")), "60 memories given") {
		t.Errorf("a receipt: %v", receipt)
	}
	long := ""
	for _, p := range mustLoad(t, b.server.Store).Open() {
		if strings.Contains(p.A+p.B, "long") {
			long = p.ID()
		}
	}
	for _, target := range []string{
		"/", "/review", "/review?pair=" + url.QueryEscape(long), "/memories", "/memories?q=lift", "/memories/mem_longa", "/memories/mem_old001", "/runs", "/runs/" + run, "/forecast",
		"/links?id=mem_old001&depth=3", "/trends?days=3660", "/schedules",
	} {
		look(target)
	}
}

// A document has 300 KB at most; the header leads to the rest, until all of it was given.
func TestParts(t *testing.T) {
	b, run := crowded(t)
	follow := func(target string, each func(text []byte) int) {
		t.Helper()
		rows, all := 0, ""
		for n := 0; target != "" && n < 80; n++ {
			w := b.do(b.request("GET", target, nil))
			if w.Code != http.StatusOK || w.Body.Len() > mostBytes {
				t.Fatalf("%s: %d, %d bytes", target, w.Code, w.Body.Len())
			}
			rows, all = rows+each(w.Body.Bytes()), w.Header().Get("X-Total-Count")
			target = nextOf(target, w)
		}
		if target != "" || fmt.Sprint(rows) != all {
			t.Errorf("%d rows of %s; next: %s", rows, all, target)
		}
	}
	list := func(text []byte) int {
		var rows []json.RawMessage
		if err := json.Unmarshal(text, &rows); err != nil {
			t.Fatalf("%v\n%.200s", err, text)
		}
		return len(rows)
	}
	field := func(name string) func([]byte) int {
		return func(text []byte) int {
			var doc map[string]json.RawMessage
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatalf("%v\n%.200s", err, text)
			}
			return list(doc[name])
		}
	}
	for target, name := range map[string]string{
		"/api/v1/list": "memories", "/api/v1/list?limit=7": "memories", "/api/v1/receipts": "receipts", "/api/v1/receipts?session=s3": "receipts", "/api/v1/log": "runs",
		"/api/v1/review": "pairs", "/api/v1/trends?days=3660": "days",
	} {
		follow(target, field(name))
	}
	follow("/api/v1/log/"+run+"?limit=30", field("actions"))
	follow("/api/v1/forecast", field("memories"))
	follow("/api/v1/check", field("problems"))
	follow("/api/v1/links?id=mem_old001", field("nodes"))
	var plan document.Run
	first := b.do(b.request("GET", "/api/v1/plan", nil))
	if err := json.Unmarshal(first.Body.Bytes(), &plan); err != nil || len(plan.Actions) != rowsShown {
		t.Fatalf("%d actions, %v", len(plan.Actions), err)
	}
	follow("/api/v1/plan/"+plan.RunID, field("actions"))
	for target, code := range map[string]int{"/api/v1/list?limit=0": 400, "/api/v1/log?limit=x": 400, "/api/v1/review?from=-2": 400, "/api/v1/plan/run_none": 409} {
		if w := b.do(b.request("GET", target, nil)); w.Code != code {
			t.Errorf("%s: %d, want %d", target, w.Code, code)
		}
	}
}

// nextOf is where a document goes on; "" at its end.
func nextOf(target string, w *httptest.ResponseRecorder) string {
	next, ok := strings.CutSuffix(w.Header().Get("Link"), `>; rel="next"`)
	if !ok {
		return ""
	}
	at, _, _ := strings.Cut(target, "?")
	return at + strings.TrimPrefix(next, "<")
}
