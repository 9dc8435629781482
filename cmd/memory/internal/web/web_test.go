package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
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

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// browser is a client of a server under test, as a browser is one.
type browser struct {
	t      *testing.T
	server *Server
	cookie string
	origin string
}

// serve makes a server of a workspace with some memories, and a browser that has opened its link.
func serve(t *testing.T, change func(*Options)) *browser {
	t.Helper()
	dir := t.TempDir()
	for id, text := range map[string]string{
		"mem_a": `"type":"semantic","created_by":"DEV-1","created_at":"2026-01-01T00:00:00Z","tags":["shop"],"access_count":3,"last_accessed":"2026-02-27T00:00:00Z","content":"The nightly export of the shop runs at two and writes to the bucket named archive."`,
		"mem_b": `"type":"semantic","created_by":"DEV-1","created_at":"2026-01-02T00:00:00Z","tags":["shop"],"access_count":3,"last_accessed":"2026-02-27T00:00:00Z","content":"The nightly export of the shop runs at two, and writes to the bucket named archive."`,
		"mem_c": `"type":"factual","created_by":"DEV-1","created_at":"2026-01-01T00:00:00Z","tags":["db"],"access_count":3,"last_accessed":"2026-02-27T00:00:00Z","content":"The database of the shop listens on port 5432 behind the proxy."`,
		"mem_d": `"type":"factual","created_by":"DEV-1","created_at":"2026-01-02T00:00:00Z","tags":["db"],"access_count":3,"last_accessed":"2026-02-27T00:00:00Z","content":"The database of the shop listens on port 5433 behind the proxy."`,
		"mem_e": `"type":"episodic","created_by":"DEV-1","created_at":"2025-01-01T00:00:00Z","content":"The old office was painted."`,
		"mem_x": `"type":"factual","created_by":"DEV-1","created_at":"2026-02-27T00:00:00Z","tags":["<b>tag</b>"],"content":"<script>alert(1)</script> <img src=x onerror=alert(2)> \u202etxt.exe \u0000 ` + strings.Repeat("w", 1<<20) + `"`,
	} {
		file := filepath.Join(dir, "global", id+".json")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(`{"id":"`+id+`",`+text+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Reindex(t.Context(), noon); err != nil {
		t.Fatal(err)
	}
	settings := func() (*config.Config, error) {
		text, err := os.ReadFile(filepath.Join(dir, "memory.toml"))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		return config.Parse("memory.toml", text)
	}
	o := Options{
		Store: store, Settings: settings, Now: func() time.Time { return noon }, Clock: func() time.Time { return noon }, Started: func() time.Time { return time.Time{} },
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test", Address: "127.0.0.1:0", Session: time.Hour, Tokens: []string{"a token of a program"},
		Watched: func() (*app.WatchDocument, error) { return &app.WatchDocument{}, nil },
		Schedule: func(context.Context, *memory.Snapshot, bool) (*app.ScheduleDocument, error) {
			return &app.ScheduleDocument{Zone: "UTC", Runs: []app.ScheduledRun{}}, nil
		},
		SetSetting: func(key, value string, write bool) (before, after []byte, err error) {
			after = fmt.Appendf(nil, "[schedules]\n%s = %q\n", strings.TrimPrefix(key, "schedules."), value)
			if _, err := config.Parse("memory.toml", after); err != nil {
				return nil, nil, err
			}
			if write {
				err = os.WriteFile(filepath.Join(dir, "memory.toml"), after, 0o644)
			}
			return nil, after, err
		},
	}
	if change != nil {
		change(&o)
	}
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if problems, err := app.CheckAll(store, mustLoad(t, store)); err != nil || len(problems) > 0 {
			t.Errorf("check: %v, %v", problems, err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
		if err := s.listener.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &browser{t: t, server: s, origin: s.Origin()}
	link, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	answer := b.do(b.request("GET", link.RequestURI(), nil))
	if answer.Code != http.StatusSeeOther {
		t.Fatalf("the link: %d", answer.Code)
	}
	b.cookie, _, _ = strings.Cut(answer.Header().Get("Set-Cookie"), ";")
	return b
}

func mustLoad(t *testing.T, store *workspace.FileStore) *memory.Snapshot {
	t.Helper()
	snap, err := store.Load(noon)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// request is one as a browser sends it from a page of ours.
func (b *browser) request(method, target string, form url.Values) *http.Request {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := httptest.NewRequest(method, b.origin+target, body)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "null") // as where the page forbids referrers
	}
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	return r
}

func (b *browser) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	b.server.Handler().ServeHTTP(w, r)
	return w
}

// get loads a page.
func (b *browser) get(target string) string {
	b.t.Helper()
	w := b.do(b.request("GET", target, nil))
	if w.Code != http.StatusOK {
		b.t.Fatalf("%s: %d\n%s", target, w.Code, w.Body)
	}
	return w.Body.String()
}

var tokenField = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// post sends a form with the token of a page, and gives where it leads to.
func (b *browser) post(page, target string, form url.Values) *httptest.ResponseRecorder {
	b.t.Helper()
	found := tokenField.FindStringSubmatch(b.get(page))
	if found == nil {
		b.t.Fatalf("%s has no form", page)
	}
	form.Set(formField, found[1])
	return b.do(b.request("POST", target, form))
}

// files are all files of the workspace but those that are derived or tell of runs.
func (b *browser) files() map[string]string {
	b.t.Helper()
	all := map[string]string{}
	root := b.server.Store.Dir()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		if err != nil || d.IsDir() {
			if rel == "ops" {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(name)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

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
		if !strings.Contains(page, "<h1>") || strings.Contains(page, "style=") || strings.Contains(page, "onclick=") {
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
	if page := b.get(done); !strings.Contains(page, "Done: ") || !strings.Contains(page, "1 merged away") {
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
	form := func() url.Values { return url.Values{"pair": {pair[1]}, "verdict": {app.VerdictKeepNewer}} }
	w := b.post("/review", "/review", form())
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	page = b.get(w.Header().Get("Location"))
	if !strings.Contains(page, "Nothing waits") || !strings.Contains(page, "Undo") {
		t.Error(page)
	}
	if w := b.post("/memories/mem_d", "/review", form()); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "no longer waits") {
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
	change, err := b.server.settingChange("schedules.nightly", []string{"daily 02:00"}, noon, time.UTC)
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

// attacks are requests that must be refused, and with what.
func attacks(b *browser) map[string]struct {
	r    *http.Request
	code int
} {
	type attack = struct {
		r    *http.Request
		code int
	}
	with := func(r *http.Request, headers ...string) *http.Request {
		for i := 0; i < len(headers); i += 2 {
			if headers[i] == "Host" {
				r.Host = headers[i+1]
			} else {
				r.Header.Set(headers[i], headers[i+1])
			}
		}
		return r
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(b.origin, "http://"), ":")
	form := url.Values{formField: {"guess"}, "verdict": {"merge"}}
	return map[string]attack{
		"a page under another name":    {with(b.request("GET", "/memories", nil), "Host", "evil.example:"+port), http.StatusMisdirectedRequest},
		"another name on /healthz":     {with(b.request("GET", "/healthz", nil), "Host", "evil.example:"+port), http.StatusMisdirectedRequest},
		"another name on a file":       {with(b.request("GET", "/static/app.js", nil), "Host", "evil.example"), http.StatusMisdirectedRequest},
		"another port as host":         {with(b.request("GET", "/", nil), "Host", "127.0.0.1:1"), http.StatusMisdirectedRequest},
		"another site reads":           {with(b.request("GET", "/api/v1/list", nil), "Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"another port of this machine": {with(b.request("GET", "/memories", nil), "Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		"another origin writes":        {with(b.request("POST", "/review", form), "Origin", "http://evil.example"), http.StatusForbidden},
		"a sandboxed frame writes":     {with(b.request("POST", "/review", form), "Origin", "null", "Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"no cookie":                    {with(b.request("GET", "/memories", nil), "Cookie", ""), http.StatusUnauthorized},
		"a cookie that was guessed":    {with(b.request("GET", "/memories", nil), "Cookie", b.server.guard.cookie+"=AAAA"), http.StatusUnauthorized},
		"a token that was guessed":     {with(b.request("GET", "/memories", nil), "Authorization", "Bearer guess"), http.StatusUnauthorized},
		"a key that was guessed":       {with(b.request("GET", "/?key=0123", nil), "Cookie", ""), http.StatusUnauthorized},
		"a form without its token":     {b.request("POST", "/review", form), http.StatusForbidden},
		"a link for a page":            {b.request("POST", "/api/v1/key", form), http.StatusForbidden},
		"a method that isn't there":    {b.request("PUT", "/review", form), http.StatusForbidden},
	}
}

func TestAttacks(t *testing.T) {
	b := serve(t, nil)
	for name, a := range attacks(b) {
		if w := b.do(a.r); w.Code != a.code {
			t.Errorf("%s: %d, want %d: %s", name, w.Code, a.code, w.Body)
		} else if w.Header().Get("Content-Security-Policy") != policy || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: answered without the policy", name)
		}
	}
	w := b.do(b.request("GET", "/memories", nil))
	if got := w.Header(); got.Get("Access-Control-Allow-Origin") != "" || got.Get("Cross-Origin-Opener-Policy") != "same-origin" {
		t.Errorf("%v", got)
	}
}

// Without the first rule, a page that names itself like this machine is let in: the list above can fail.
func TestAttacksWithoutTheFirstRule(t *testing.T) {
	b := serve(t, nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(b.origin, "http://"), ":")
	b.server.guard.hosts["evil.example:"+port] = true
	a := attacks(b)["a page under another name"]
	if w := b.do(a.r); w.Code != http.StatusOK {
		t.Errorf("%d: the attack meets another rule", w.Code)
	}
}

// A link works once, and for a minute; a token of a program lets in without a cookie; a session ends.
func TestSignIn(t *testing.T) {
	now := noon
	b := serve(t, func(o *Options) { o.Clock = func() time.Time { return now } })
	open := func(key string) int {
		r := b.request("GET", "/?key="+key, nil)
		r.Header.Del("Cookie")
		return b.do(r).Code
	}
	key := b.server.guard.newKey()
	if first, again := open(key), open(key); first != http.StatusSeeOther || again != http.StatusUnauthorized {
		t.Errorf("%d, then %d", first, again)
	}
	key = b.server.guard.newKey()
	now = now.Add(keyLife + time.Second)
	if code := open(key); code != http.StatusUnauthorized {
		t.Errorf("after a minute: %d", code)
	}
	r := b.request("POST", "/api/v1/key", nil)
	r.Header.Del("Cookie")
	r.Header.Set("Authorization", "Bearer a token of a program")
	w := b.do(r)
	var link map[string]string
	if err := json.Unmarshal(w.Body.Bytes(), &link); err != nil || !strings.HasPrefix(link["url"], b.origin+"/?key=") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	now = now.Add(time.Hour)
	if w := b.do(b.request("GET", "/", nil)); w.Code != http.StatusUnauthorized {
		t.Errorf("after the session: %d", w.Code)
	}
}

// A read-only server refuses every change, and its pages offer none.
func TestReadOnly(t *testing.T) {
	b := serve(t, func(o *Options) { o.ReadOnly = true })
	for _, page := range []string{"/plan", "/review", "/memories/mem_c", "/schedules"} {
		if strings.Contains(b.get(page), `method="post"`) {
			t.Errorf("%s offers a change", page)
		}
	}
	for _, target := range []string{"/plan/run_x", "/review", "/memories/mem_c/archive", "/runs/x/undo", "/schedules", "/api/v1/review"} {
		r := b.request("POST", target, url.Values{formField: {b.server.guard.formToken(b.request("GET", "/", nil))}})
		if w := b.do(r); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "read-only") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
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
	var list []app.MemoryDocument
	if err := json.Unmarshal([]byte(b.get("/api/v1/list?sort=id")), &list); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(app.NewMemoryDocuments(snap.Memories(), noon, conf.Settings), list); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"status", "plan", "log", "receipts", "review", "forecast", "schedule", "check", "trends", "links?id=mem_a", "recall?q=shop", "show/mem_a", "explain/mem_a", "history/mem_a", "tier/mem_a"} {
		if text := b.get("/api/v1/" + name); !json.Valid([]byte(text)) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Beyond this machine nothing is served without TLS and a token; a taken port gives the next one.
func TestAddresses(t *testing.T) {
	b := serve(t, nil)
	for _, o := range []Options{{Address: "0.0.0.0:0"}, {Address: "0.0.0.0:0", TLS: true}, {Address: "0.0.0.0:0", TLS: true, Tokens: []string{"x"}, LocalTokens: true}} {
		o.Store, o.Log, o.Now, o.Clock = b.server.Store, b.server.Log, b.server.Now, b.server.Clock
		if _, err := Listen(o); err == nil || !strings.Contains(err.Error(), "other machines") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	next, err := listenNear("127.0.0.1", strings.TrimPrefix(b.origin, "http://127.0.0.1:"))
	if err != nil {
		t.Fatal(err)
	}
	if next.Addr().String() == b.server.listener.Addr().String() {
		t.Error("the taken port was given")
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}

// Whatever stands in an address, it is answered, and nothing panics.
func FuzzTarget(f *testing.F) {
	for _, target := range []string{"/memories?q=%00", "/memories/%2e%2e%2f", "/runs/run_x/undo?action=-1", "/plan/x/9", "/links?id=a&depth=3", "/api/v1/log/x", "/forecast?day=x&from=1"} {
		f.Add(target)
	}
	dir := f.TempDir()
	store, err := workspace.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	panics := 0
	s, err := Listen(Options{
		Store: store, Settings: func() (*config.Config, error) { return config.Parse("memory.toml", nil) }, Now: func() time.Time { return noon }, Clock: func() time.Time { return noon },
		Log: slog.New(slog.NewTextHandler(counter{&panics}, nil)), Address: "127.0.0.1:0", Session: time.Hour, Tokens: []string{"t"},
		Watched: func() (*app.WatchDocument, error) { return &app.WatchDocument{}, nil },
		Schedule: func(context.Context, *memory.Snapshot, bool) (*app.ScheduleDocument, error) {
			return &app.ScheduleDocument{}, nil
		},
		SetSetting: func(string, string, bool) ([]byte, []byte, error) { return nil, nil, nil },
	})
	if err != nil {
		f.Fatal(err)
	}
	handler := s.Handler()
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.Parse(target)
		if err != nil || !strings.HasPrefix(u.Path, "/") || u.Path == "/api/v1/feed" {
			return
		}
		r := &http.Request{Method: "GET", URL: u, Host: strings.TrimPrefix(s.Origin(), "http://"), Header: http.Header{"Authorization": {"Bearer t"}}, Body: http.NoBody, RequestURI: u.RequestURI()}
		handler.ServeHTTP(httptest.NewRecorder(), r.WithContext(t.Context()))
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
