package hub

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

// browser is one that may be signed in.
type browser struct {
	t      *testing.T
	origin string
	cookie string
}

// signIn opens a browser with a token.
func signIn(t *testing.T, server *httptest.Server, workspace, token string) *browser {
	t.Helper()
	b := &browser{t: t, origin: server.URL}
	res, _ := b.do(http.MethodPost, "/sign-in", url.Values{"workspace": {workspace}, "token": {token}}, nil)
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 1 {
		t.Fatalf("sign in: %s", res.Status)
	}
	c := res.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.MaxAge <= 0 {
		t.Errorf("the cookie is %+v", c)
	}
	b.cookie = c.Name + "=" + c.Value
	return b
}

// do sends a request as the page of the server would; headers change that.
func (b *browser) do(method, target string, form url.Values, headers map[string]string) (*http.Response, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.origin+target, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	all := map[string]string{"Cookie": b.cookie, "Sec-Fetch-Site": "same-origin"}
	if form != nil {
		all["Content-Type"], all["Origin"] = "application/x-www-form-urlencoded", b.origin
	}
	maps.Copy(all, headers)
	for name, value := range all {
		switch {
		case name == "Host":
			r.Host = value
		case value != "":
			r.Header.Set(name, value)
		}
	}
	res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, string(text)
}

func (b *browser) get(target string) (status int, text string) {
	b.t.Helper()
	res, text := b.do(http.MethodGet, target, nil, nil)
	return res.StatusCode, text
}

var tokenOfForm = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// post sends a form with its token, which each page has for signing out.
func (b *browser) post(target string, form url.Values) (status int, text, location string) {
	b.t.Helper()
	_, page := b.do(http.MethodGet, "/memories", nil, nil)
	if found := tokenOfForm.FindStringSubmatch(page); found != nil {
		form.Set("form_token", found[1])
	}
	res, text := b.do(http.MethodPost, target, form, nil)
	return res.StatusCode, text, res.Header.Get("Location")
}

// applyAll applies what the rules plan, and returns the page of the run.
func (b *browser) applyAll() (location string) {
	b.t.Helper()
	_, page := b.get("/plan")
	run := regexp.MustCompile(`action="/plan/(run_[^"]+)"`).FindStringSubmatch(page)
	if run == nil {
		b.t.Fatal(page)
	}
	status, text, location := b.post("/plan/"+run[1], url.Values{"all": {"1"}})
	if status != http.StatusSeeOther {
		b.t.Fatalf("%d\n%s", status, text)
	}
	return location
}

// What a page and a document need, by what it is about. The memory that is asked for is one that bob may not read.
var (
	everybody = []string{"/", "/plan", "/review", "/memories", "/memories?q=staging", "/memories?state=all", "/forecast", "/links", "/schedules",
		"/api/v1/status", "/api/v1/plan", "/api/v1/list", "/api/v1/recall?q=staging", "/api/v1/review", "/api/v1/forecast", "/api/v1/schedule"}
	whoReadsAll = []string{"/runs", "/trends", "/trends.csv", "/receipts", "/api/v1/log", "/api/v1/receipts", "/api/v1/trends", "/api/v1/check"}
	ofHidden    = []string{"/memories/mem_staging00001", "/links?id=mem_staging00001", "/api/v1/show/mem_staging00001", "/api/v1/explain/mem_staging00001", "/api/v1/tier/mem_staging00001", "/api/v1/links?id=mem_staging00001"}
)

// Two principals with different grants: what one may not read is on no page and in no document.
func TestDashboardByGrants(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	admin, limited := token(t, db, "ada", "admin *"), token(t, db, "bob", "read agent:bob", "write agent:bob", "review agent:bob", "run agent:bob")
	for _, port := range []string{"5432", "5433"} { // a pair that waits
		if answer, failed := ask(t, server.URL+"/mcp/acme", admin, "save", map[string]any{"type": "factual", "content": "The database of the shop listens on port " + port + " behind the proxy.", "scope": "team:security", "tags": []string{"db"}, "no_check": true}); failed {
			t.Fatal(answer)
		}
	}
	ada := signIn(t, server, "acme", admin)
	ada.applyAll()
	// Every id of the fixtures, and who wrote them, is a word that bob may not read.
	_, list := ada.get("/api/v1/list?state=all")
	var all document.Memories
	if err := json.Unmarshal([]byte(list), &all); err != nil || len(all.Memories) < 5 {
		t.Fatalf("%s, %v", list, err)
	}
	hidden := []string{"customer data", "SEC-001", "security"}
	for _, m := range all.Memories {
		hidden = append(hidden, m.ID)
	}
	for _, text := range []string{"The heron nests behind the boathouse in March.", "The ferry to the island leaves at seven."} {
		if answer, failed := ask(t, server.URL+"/mcp/acme", limited, "save", map[string]any{"type": "factual", "content": text, "scope": "agent:bob"}); failed {
			t.Fatal(answer)
		}
	}
	bob := signIn(t, server, "acme", limited)
	for _, target := range slices.Concat(everybody, whoReadsAll, ofHidden) {
		if status, text := ada.get(target); status != http.StatusOK {
			t.Errorf("ada, %s: %d\n%s", target, status, text)
		}
	}
	for _, target := range everybody {
		status, text := bob.get(target)
		if status != http.StatusOK {
			t.Errorf("bob, %s: %d\n%s", target, status, text)
		}
		if strings.Contains(text, "run <code>memory check") || strings.Contains(text, "memory watch") {
			t.Errorf("%s: it advises what a hub doesn't have", target)
		}
		for _, word := range hidden {
			if strings.Contains(text, word) {
				i := strings.Index(text, word)
				t.Errorf("bob, %s: it tells of %s: %s", target, word, text[max(0, i-200):i+len(word)])
			}
		}
		if _, of := ada.get(target); of == text {
			t.Errorf("%s: both see the same", target)
		}
	}
	for _, target := range whoReadsAll {
		if status, text := bob.get(target); status != http.StatusForbidden || strings.Contains(text, "mem_") {
			t.Errorf("bob, %s: %d\n%s", target, status, text)
		}
	}
	for _, target := range ofHidden {
		if status, _ := bob.get(target); status != http.StatusNotFound {
			t.Errorf("bob, %s: %d", target, status)
		}
	}
	if _, text := bob.get("/api/v1/status"); !strings.Contains(text, `"memories": 2`) || strings.Contains(text, "run_") {
		t.Error(text)
	}
	// A program sees the same with a token, below the name of the workspace.
	program := &browser{t: t, origin: server.URL}
	_, text := program.do(http.MethodGet, "/w/acme/api/v1/list", nil, map[string]string{"Authorization": "Bearer " + limited, "Sec-Fetch-Site": ""})
	if _, page := bob.get("/api/v1/list"); text != page || !strings.Contains(text, "heron") {
		t.Errorf("%s\n%s", text, page)
	}
}

// A principal changes what it may, in its own name; the rest stays.
func TestDashboardActs(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": sqlite, "postgres": pgtest.New} {
		t.Run(name, func(t *testing.T) {
			db := database(t, address(t))
			_, server := start(t, db)
			ada, bob := signIn(t, server, "acme", token(t, db, "ada", "admin *")), signIn(t, server, "acme", token(t, db, "bob", "read *", "write agent:bob"))
			if status, text, _ := bob.post("/memories/mem_staging00001/tags", url.Values{"add": {"x"}}); status != http.StatusForbidden || !strings.Contains(text, "not granted") {
				t.Errorf("%d\n%s", status, text)
			}
			for _, target := range []string{"/plan/run_x", "/review", "/runs/last/undo", "/schedules"} {
				if status, text, _ := bob.post(target, url.Values{"all": {"1"}}); status != http.StatusForbidden || !strings.Contains(text, "this takes") {
					t.Errorf("%s: %d\n%s", target, status, text)
				}
			}
			before := documents(t, db)
			done := ada.applyAll()
			if _, text := ada.get("/api/v1/log"); !strings.Contains(text, `"actor": "ada"`) {
				t.Errorf("the log doesn't say who: %s", text)
			}
			made, _, _ := strings.Cut(done, "?")
			if status, text, _ := ada.post(made+"/undo", url.Values{}); status != http.StatusSeeOther {
				t.Fatalf("%d\n%s", status, text)
			}
			after := documents(t, db)
			for path, text := range before {
				if !strings.HasPrefix(path, "ops/") && after[path] != text {
					t.Errorf("%s is not what it was", path)
				}
			}
			// Whose memory it is can't be edited, nor by whom it was written.
			_, page := ada.get("/memories/mem_staging00001")
			version := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page)
			var record map[string]any
			if _, text := ada.get("/api/v1/show/mem_staging00001"); json.Unmarshal([]byte(text), &record) != nil || version == nil {
				t.Fatal(text)
			}
			record["created_by"] = "eve"
			raw, err := json.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			if status, text, _ := ada.post("/memories/mem_staging00001/content", url.Values{"version": {version[1]}, "record": {string(raw)}}); status != http.StatusForbidden || !strings.Contains(text, "setting created_by") {
				t.Errorf("%d\n%s", status, text)
			}
			// A schedule that is set is planned.
			_, page = ada.get("/schedules?key=schedules.nightly&when=daily+02:00")
			diff := regexp.MustCompile(`(?s)name="diff" value="([^"]*)"`).FindStringSubmatch(page)
			if diff == nil {
				t.Fatal(page)
			}
			change := html.UnescapeString(diff[1])
			if status, text, _ := ada.post("/schedules", url.Values{"key": {"schedules.nightly"}, "when": {"daily 02:00"}, "diff": {change}}); status != http.StatusSeeOther {
				t.Errorf("%d\n%s", status, text)
			}
			planned, err := db.Planned(t.Context(), "acme")
			if err != nil || len(planned) != 1 {
				t.Errorf("%+v, %v", planned, err)
			}
			if _, text := ada.get("/schedules"); !strings.Contains(text, "schedules.nightly") {
				t.Error(text)
			}
			d, err := db.Disk(t.Context(), "acme")
			if err != nil {
				t.Fatal(err)
			}
			s := workspace.OpenOn(d)
			if _, err := s.Reindex(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			if problems, err := s.Check(at); err != nil || len(problems) > 0 {
				t.Errorf("%v, %v", problems, err)
			}
		})
	}
}

// documents are those of acme.
func documents(t *testing.T, db *sqldisk.DB) map[string]string {
	t.Helper()
	_, docs, err := db.Since(t.Context(), "acme", 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, d := range docs {
		if !d.Removed() {
			all[d.Path] = string(d.Bytes)
		}
	}
	return all
}

// Requests that must be refused, and with what.
func TestDashboardAttacks(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	secret := token(t, db, "ada", "admin *")
	ada := signIn(t, server, "acme", secret)
	form := url.Values{"form_token": {"guess"}, "verdict": {"merge"}}
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	for name, a := range map[string]struct {
		method, target string
		form           url.Values
		headers        map[string]string
		status         int
	}{
		"a page under another name":     {"GET", "/memories", nil, map[string]string{"Host": "evil.example:" + port}, http.StatusMisdirectedRequest},
		"another port as host":          {"GET", "/", nil, map[string]string{"Host": "127.0.0.1:1"}, http.StatusMisdirectedRequest},
		"another name signs in":         {"POST", "/sign-in", form, map[string]string{"Host": "evil.example:" + port}, http.StatusMisdirectedRequest},
		"another name on MCP":           {"POST", "/mcp/acme", form, map[string]string{"Host": "evil.example:" + port, "Authorization": "Bearer " + secret}, http.StatusMisdirectedRequest},
		"another site reads":            {"GET", "/api/v1/list", nil, map[string]string{"Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		"another port of this machine":  {"GET", "/memories", nil, map[string]string{"Sec-Fetch-Site": "same-site"}, http.StatusForbidden},
		"another site signs in":         {"POST", "/sign-in", form, map[string]string{"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		"another origin writes":         {"POST", "/review", form, map[string]string{"Origin": "http://evil.example"}, http.StatusForbidden},
		"a sandboxed frame writes":      {"POST", "/review", form, map[string]string{"Origin": "null", "Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		"a page with a token elsewhere": {"GET", "/w/acme/api/v1/list", nil, map[string]string{"Authorization": "Bearer " + secret, "Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		"no cookie":                     {"GET", "/memories", nil, map[string]string{"Cookie": ""}, http.StatusSeeOther},
		"no cookie, by a script":        {"GET", "/memories", nil, map[string]string{"Cookie": "", "Sec-Fetch-Dest": "empty"}, http.StatusUnauthorized},
		"no cookie on a form":           {"POST", "/review", form, map[string]string{"Cookie": ""}, http.StatusSeeOther},
		"no cookie on the API":          {"GET", "/api/v1/list", nil, map[string]string{"Cookie": ""}, http.StatusUnauthorized},
		"no cookie on the feed":         {"GET", "/api/v1/feed", nil, map[string]string{"Cookie": ""}, http.StatusUnauthorized},
		"no cookie on a script":         {"GET", "/static/app.js", nil, map[string]string{"Cookie": ""}, http.StatusUnauthorized},
		"a cookie that was guessed":     {"GET", "/memories", nil, map[string]string{"Cookie": strings.Split(ada.cookie, "=")[0] + "=AAAA"}, http.StatusSeeOther},
		"a token that was guessed":      {"GET", "/w/acme/api/v1/list", nil, map[string]string{"Authorization": "Bearer guess"}, http.StatusUnauthorized},
		"a token of elsewhere":          {"GET", "/w/empty/api/v1/list", nil, map[string]string{"Authorization": "Bearer " + secret}, http.StatusUnauthorized},
		"a token without a workspace":   {"GET", "/api/v1/list", nil, map[string]string{"Authorization": "Bearer " + secret}, http.StatusUnauthorized},
		"a token for a page":            {"GET", "/w/acme/memories", nil, map[string]string{"Authorization": "Bearer " + secret}, http.StatusUnauthorized},
		"signs in with a wrong token":   {"POST", "/sign-in", url.Values{"workspace": {"acme"}, "token": {"guess"}}, nil, http.StatusSeeOther},
		"signs in elsewhere":            {"POST", "/sign-in", url.Values{"workspace": {"empty"}, "token": {secret}}, nil, http.StatusSeeOther},
		"a form without its token":      {"POST", "/review", form, nil, http.StatusForbidden},
		"signs another out":             {"POST", "/sign-out", form, nil, http.StatusForbidden},
		"a link for a page":             {"POST", "/api/v1/key", form, nil, http.StatusForbidden},
		"a method that isn't there":     {"PUT", "/review", form, nil, http.StatusForbidden},
	} {
		res, text := ada.do(a.method, a.target, a.form, a.headers)
		if res.StatusCode != a.status {
			t.Errorf("%s: %d, want %d: %s", name, res.StatusCode, a.status, text)
		}
		if to := res.Header.Get("Location"); to != "" && (!strings.HasPrefix(to, "/sign-in?") || len(res.Cookies()) > 0) {
			t.Errorf("%s: sent to %s with %v", name, to, res.Cookies())
		}
		if !strings.Contains(name, "MCP") && (!strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'") || res.Header.Get("Cache-Control") != "no-store") {
			t.Errorf("%s: answered without the policy", name)
		}
		if strings.Contains(text, "mem_") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A session ends with its time, its token, and when somebody signs out; its grants are those of the moment.
func TestDashboardSessions(t *testing.T) {
	db := database(t, sqlite(t))
	now := at
	h, server := startWith(t, Options{DB: db, Now: func() time.Time { return now }})
	secret := token(t, db, "ada", "admin *")
	ada, other := signIn(t, server, "acme", secret), signIn(t, server, "acme", secret)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/v1/feed", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", ada.cookie)
	feed, err := http.DefaultClient.Do(r)
	if err != nil || feed.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", feed, err)
	}
	defer feed.Body.Close()
	if status, _, _ := other.post("/sign-out", url.Values{}); status != http.StatusSeeOther {
		t.Errorf("%d", status)
	}
	if status, text := other.get("/memories"); status != http.StatusSeeOther {
		t.Errorf("signed out: %d\n%s", status, text)
	}
	if status, text := other.get("/sign-in?failed=1&workspace=acme"); status != http.StatusOK || !strings.Contains(text, `action="/sign-in"`) || !strings.Contains(text, "not valid") || !strings.Contains(text, `value="acme"`) {
		t.Errorf("the form: %d\n%s", status, text)
	}
	if status, _ := ada.get("/runs"); status != http.StatusOK {
		t.Errorf("%d", status)
	}
	if _, err := db.Revoke(t.Context(), "acme", "ada", sqldisk.Grant{Scope: "*", Access: sqldisk.Admin}); err != nil {
		t.Fatal(err)
	}
	if err := db.Grant(t.Context(), "acme", "ada", at, sqldisk.Grant{Scope: "team:security", Access: sqldisk.Read}); err != nil {
		t.Fatal(err)
	}
	if status, _ := ada.get("/runs"); status != http.StatusForbidden {
		t.Errorf("after admin was taken back: %d", status)
	}
	if _, err := io.ReadAll(feed.Body); err != nil { // it ends, since the grants are others
		t.Error(err)
	}
	now = now.Add(59 * time.Minute)
	if status, _ := ada.get("/memories"); status != http.StatusOK {
		t.Errorf("before the token ends: %d", status)
	}
	now = now.Add(2 * time.Minute)
	if status, _ := ada.get("/memories"); status != http.StatusSeeOther {
		t.Errorf("after the token has ended: %d", status)
	}
	secret = token(t, db, "eve", "read *")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	res, text := ada.do(http.MethodPost, "/sign-in", url.Values{"workspace": {"acme"}, "token": {secret}}, nil)
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without a database: %d\n%s", res.StatusCode, text)
	}
}
