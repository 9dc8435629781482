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

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Every page answers, with texts of memories as text and nothing else, and of bounded size.
func TestPages(t *testing.T) {
	b := serve(t, nil)
	elements := regexp.MustCompile(`(?i)<(img|b|iframe|svg onload)[ >]|<script(?: type="module" src="/static/app.js")?>`)
	for _, target := range []string{
		"/", "/plan", "/plan?trigger=weekly&scope=global", "/review", "/memories", "/memories?q=shop", "/memories?state=all&sort=score", "/memories?tag=db&type=factual",
		"/memories/mem_x", "/memories/mem_c", "/runs", "/forecast", "/links", "/links?id=mem_a&depth=2", "/trends", "/trends?days=3660", "/receipts", "/schedules", "/schedules?key=schedules.nightly&when=daily+02:00",
	} {
		page := b.get(target)
		for _, found := range elements.FindAllString(page, -1) {
			if found != `<script type="module" src="/static/app.js">` {
				t.Errorf("%s has %s", target, found)
			}
		}
		if len(page) > 300<<10 {
			t.Errorf("%s has %d bytes", target, len(page))
		}
		if strings.ContainsAny(page, "\u202e\x00") {
			t.Errorf("%s has characters that change what is displayed", target)
		}
		if !strings.Contains(page, "<h1") || strings.Contains(page, "style=") || strings.Contains(page, "onclick=") {
			t.Errorf("%s: no heading, or something inline", target)
		}
	}
	for target, code := range map[string]int{
		"/memories/nobody": 404, "/runs/none": 404, "/nothing": 404, "/memories?sort=x": 400, "/memories?from=-1": 400, "/links?id=nobody": 404, "/links?depth=9": 400, "/trends?days=0": 400,
		"/plan?at=yesterday": 400, "/plan?trigger=x": 400, "/plan/run_none": 409, "/schedules?key=run.limit&when=1": 400, "/api/v1/nothing": 404, "/static/nothing": 404,
	} {
		if w := b.do(b.request("GET", target, nil)); w.Code != code {
			t.Errorf("%s: %d, want %d", target, w.Code, code)
		}
	}
}

// No page and no document tells a secret of an old record, in whatever member it stands.
func TestSecretsAreMasked(t *testing.T) {
	b := serve(t, nil)
	secret := "ghp_" + "ujOeHwdFcAefAZhnM6Jy8c1rihtYlKNxHddm"
	file := filepath.Join(b.server.Store.Dir(), "global", "mem_told.json")
	record := strings.ReplaceAll(`{"id":"mem_told","type":"factual","created_at":"2026-02-01T10:00:00Z","created_by":"S","title":"S","tags":["S"],"references":["S"],"note":"S","content":"The key of the shop is S."}`+"\n", "S", secret)
	if err := os.WriteFile(file, []byte(record), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, target := range strings.Fields("/ /plan /review /memories /memories?q=shop /memories/mem_told /runs /forecast /links?id=mem_told /receipts /api/v1/status /api/v1/plan /api/v1/list /api/v1/recall?q=shop" +
		" /api/v1/review /api/v1/show/mem_told /api/v1/explain/mem_told /api/v1/history/mem_told /api/v1/links?id=mem_told /api/v1/check") {
		if page := b.get(target); strings.Contains(page, secret) {
			t.Errorf("%s tells the secret", target)
		}
	}
	if page := b.get("/memories/mem_told"); strings.Count(page, "[redacted: github-token]") < 4 {
		t.Errorf("it isn't masked, but gone\n%s", page)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

// What a plan's page shows is applied, the rest isn't, and an undo gives every byte back.
func TestApplyAndUndo(t *testing.T) {
	b := serve(t, nil)
	before := b.files()
	page := b.get("/plan")
	run := regexp.MustCompile(`action="/plan/(run_[^"]+)"`).FindStringSubmatch(page)
	if run == nil || !strings.Contains(page, "merge 1 duplicate") || !strings.Contains(page, "archive mem_e") {
		t.Fatal(page)
	}
	merge := regexp.MustCompile(`name="n" value="(\d+)" aria-label="merge`).FindStringSubmatch(page)
	if detail := b.get("/plan/" + run[1] + "/" + merge[1]); !strings.Contains(detail, "<ins>") && !strings.Contains(detail, "line by line") {
		t.Error(detail)
	}
	if w := b.post("/plan/"+run[1], "/plan/"+run[1], url.Values{}); w.Code != http.StatusBadRequest {
		t.Errorf("nothing ticked: %d", w.Code)
	}
	w := b.post("/plan/"+run[1], "/plan/"+run[1], url.Values{"n": {merge[1]}})
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	done := w.Header().Get("Location")
	after := b.files()
	if len(after) == 0 || after["global/mem_e.json"] != before["global/mem_e.json"] || after["global/mem_a.json"] != "" {
		t.Error("not only what was ticked was done")
	}
	if w := b.post("/plan", "/plan/"+run[1], url.Values{"all": {"1"}}); w.Code != http.StatusConflict {
		t.Errorf("applied twice: %d", w.Code)
	}
	runPage, _, _ := strings.Cut(done, "?")
	if page := b.get(done); !strings.Contains(page, "Done: ") || !strings.Contains(page, "1 merged") {
		t.Error(page)
	}
	if page := b.get(runPage + "/undo"); !strings.Contains(page, "mem_a") || strings.Contains(page, "Changed since") {
		t.Error(page)
	}
	if w := b.post(runPage+"/undo", runPage+"/undo", url.Values{}); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if diff := cmp.Diff(before, b.files()); diff != "" {
		t.Error(diff)
	}
}

// A run of many actions is shown a hundred at a time, each by its number.
func TestLongRun(t *testing.T) {
	b := serve(t, nil)
	many := map[string]string{}
	for i := range 130 {
		many[fmt.Sprintf("mem_old%03d", i)] = fmt.Sprintf(`"content":"Locker %d is painted.","tags":["locker%d"]`, i, i)
	}
	b.put(many)
	snap := mustLoad(t, b.server.Store)
	var actions []memory.Action
	for id := range many {
		one, err := archive.Archive(snap, "by hand", id)
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, one...)
	}
	result, err := b.server.Store.Commit(t.Context(), &workspace.Tx{Plan: memory.Command(snap, b.server.Store.Log().Head(), actions...), Snapshot: snap})
	if err != nil {
		t.Fatal(err)
	}
	page := b.get("/runs/" + result.RunID + "?from=100")
	if strings.Count(page, "<article") != 30 || !strings.Contains(page, "101 to 130 of 130") || !strings.Contains(page, "undo?action=130") {
		t.Error(page)
	}
}

// A plan whose memory has been edited meanwhile leaves that one alone and says so.
func TestPlanMeetsAnEdit(t *testing.T) {
	b := serve(t, nil)
	run := regexp.MustCompile(`action="/plan/(run_[^"]+)"`).FindStringSubmatch(b.get("/plan"))
	file := filepath.Join(b.server.Store.Dir(), "global", "mem_e.json")
	edited := `{"id":"mem_e","type":"episodic","content":"The new office was painted."}`
	if err := os.WriteFile(file, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	if w := b.post("/plan/"+run[1], "/plan/"+run[1], url.Values{"all": {"1"}}); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != edited {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := b.server.Store.Reindex(t.Context(), noon); err != nil {
		t.Error(err)
	}
}

// A pair is decided once: the later of two browsers is told. Undo is in sight.
func TestReview(t *testing.T) {
	b := serve(t, nil)
	run := regexp.MustCompile(`action="/plan/(run_[^"]+)"`).FindStringSubmatch(b.get("/plan"))
	if w := b.post("/plan/"+run[1], "/plan/"+run[1], url.Values{"all": {"1"}}); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	before := b.files()
	page := b.get("/review")
	pair := regexp.MustCompile(`name="pair" value="([^"]+)"`).FindStringSubmatch(page)
	if pair == nil || !strings.Contains(page, "5432") || !strings.Contains(page, "<del>5432</del>") || !strings.Contains(page, "<ins>5433</ins>") {
		t.Fatal(page)
	}
	form := func() url.Values { return url.Values{"pair": {pair[1]}, "verdict": {reviewing.KeepNewer}} }
	w := b.post("/review", "/review", form())
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	page = b.get(w.Header().Get("Location"))
	if !strings.Contains(page, "Nothing waits") || !strings.Contains(page, "Undo") {
		t.Error(page)
	}
	if w := b.post("/memories/mem_d", "/review", form()); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "no such pair waits") {
		t.Errorf("decided twice: %d\n%s", w.Code, w.Body)
	}
	undo := regexp.MustCompile(`action="(/runs/[^"]+/undo)"`).FindStringSubmatch(page)
	if w := b.post("/memories/mem_d", undo[1], url.Values{"back": {"/review"}}); w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/review") {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if diff := cmp.Diff(before, b.files()); diff != "" {
		t.Error(diff)
	}
	if w := b.post("/review", "/review", url.Values{"pair": {pair[1]}, "verdict": {"burn"}}); w.Code != http.StatusBadRequest {
		t.Errorf("%d", w.Code)
	}
}

// A memory is edited, tagged, archived and restored; an edit of an older version, a secret and a broken record are refused.
func TestEdit(t *testing.T) {
	b := serve(t, nil)
	page := b.get("/memories/mem_c")
	version := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page)[1]
	edit := func(version, record string) *httptest.ResponseRecorder {
		return b.post("/memories/mem_c", "/memories/mem_c/content", url.Values{"version": {version}, "record": {record}})
	}
	record := `{"id":"mem_c","type":"factual","created_by":"DEV-1","created_at":"2026-01-01T00:00:00Z","content":"Port 5440."}`
	for text, code := range map[string]int{"{": 400, `{"id":"other","type":"factual","content":"x"}`: 400, strings.Replace(record, "Port", "AKIAIOSFODNN7QYTRWXZ ghp_0123456789abcdefghijABCDEFGHIJ456789", 1): 422} {
		if w := edit(version, text); w.Code != code {
			t.Errorf("%s: %d, want %d\n%s", text, w.Code, code, w.Body)
		}
	}
	if w := edit(version, record); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if w := edit(version, strings.Replace(record, "5440", "1", 1)); w.Code != http.StatusConflict {
		t.Errorf("an edit of an older version: %d", w.Code)
	}
	if !strings.Contains(b.get("/memories/mem_c"), "Port 5440.") {
		t.Error("the edit isn't there")
	}
	if w := b.post("/memories/mem_c", "/memories/mem_c/tags", url.Values{"add": {"one, two"}}); w.Code != http.StatusSeeOther {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
	if w := b.post("/memories/mem_c", "/memories/mem_c/archive", url.Values{"reason": {"ended"}}); w.Code != http.StatusSeeOther {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
	if page := b.get("/memories/mem_c"); !strings.Contains(page, "ended") || !strings.Contains(page, "Bring it back") {
		t.Error(page)
	}
	if w := b.post("/memories/mem_c", "/memories/mem_c/restore", url.Values{}); w.Code != http.StatusSeeOther {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
}

// A schedule is written after its change was shown, and not if the file has changed since.
func TestSchedule(t *testing.T) {
	b := serve(t, nil)
	page := "/schedules?key=schedules.nightly&when=daily+02:00"
	if text := b.get(page); !strings.Contains(text, "nightly = ") || !strings.Contains(text, "2026-03-02 02:00") {
		t.Error(text)
	}
	form := url.Values{"key": {"schedules.nightly"}, "when": {"daily 02:00"}, "diff": {"another"}}
	if w := b.post(page, "/schedules", form); w.Code != http.StatusConflict {
		t.Errorf("%d", w.Code)
	}
	change, err := changeSetting(b.server, "schedules.nightly", []string{"daily 02:00"}, noon, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	form.Set("diff", change.Diff)
	if w := b.post(page, "/schedules", form); w.Code != http.StatusSeeOther {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
	if !strings.Contains(b.get("/schedules"), "schedules.nightly") {
		t.Error("it isn't listed")
	}
	if text := b.get("/schedules?key=schedules.nightly&when=sometimes"); !strings.Contains(text, "write a cron expression") {
		t.Error(text)
	}
}

// Documents are those of the commands.
func TestDocuments(t *testing.T) {
	b := serve(t, nil)
	snap := mustLoad(t, b.server.Store)
	conf, err := b.server.Settings()
	if err != nil {
		t.Fatal(err)
	}
	var list document.Memories
	if err := json.Unmarshal([]byte(b.get("/api/v1/list?sort=id")), &list); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(document.NewMemories(snap.Memories(), noon, conf.Settings), list); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"status", "plan", "log", "receipts", "review", "forecast", "schedule", "check", "trends", "links?id=mem_a", "recall?q=shop", "show/mem_a", "explain/mem_a", "history/mem_a", "tier/mem_a"} {
		if text := b.get("/api/v1/" + name); !json.Valid([]byte(text)) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Whatever stands in an address, it is answered, and nothing panics.
func FuzzTarget(f *testing.F) {
	for _, target := range []string{"/memories?q=%00", "/memories/%2e%2e%2f", "/runs/run_x/undo?action=-1", "/plan/x/9", "/links?id=a&depth=3", "/api/v1/log/x", "/forecast?day=x&from=1"} {
		f.Add(target)
	}
	panics := 0
	s := serverOf(f, f.TempDir(), counter{&panics})
	handler := s.Handler()
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.Parse(target)
		if err != nil || !strings.HasPrefix(u.Path, "/") || u.Path == "/api/v1/feed" {
			return
		}
		answerTo(s, handler, u)
		if panics > 0 {
			t.Fatalf("%s panics", target)
		}
	})
}

// counter counts lines of a log that tell of a panic.
type counter struct{ n *int }

func (c counter) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "panic") {
		*c.n++
	}
	return len(line), nil
}

// What is archived is found by a search when little else fits, behind a line of its own; "No memory fits" means none.
func TestSearchFindsTheArchive(t *testing.T) {
	b := serve(t, nil)
	file := filepath.Join(b.server.Store.Dir(), "archive", "mem_zinc.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"id":"mem_zinc","type":"factual","created_at":"2025-02-01T10:00:00Z","content":"The zinc roof was laid in spring."}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	page := b.get("/memories?q=zinc")
	line, row := strings.Index(page, "Colder and archived memories"), strings.Index(page, "mem_zinc")
	if line < 0 || row < line || !strings.Contains(page, ">archived</td>") || strings.Contains(page, "No memory fits") {
		t.Error(page)
	}
	if page := b.get("/memories?q=zeppelin"); !strings.Contains(page, "No memory fits") {
		t.Error(page)
	}
	if list := b.get("/api/v1/recall?q=zinc"); !strings.Contains(list, `"archived": true`) {
		t.Error(list)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}
