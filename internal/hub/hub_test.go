package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// at is the time of the fixtures.
var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// database holds the small fixture as "acme", and an empty workspace.
func database(t *testing.T, address string) *sqldisk.DB {
	t.Helper()
	db, err := sqldisk.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	files := map[string][]byte{}
	err = fs.WalkDir(fixtures.Small, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[name], err = fs.ReadFile(fixtures.Small, name)
		}
		return err
	})
	_, migrated := db.Migrate(t.Context(), sqldisk.MigrateOptions{})
	if err = errors.Join(err, migrated, db.Create(t.Context(), "acme", "", at), db.Create(t.Context(), "empty", "", at), db.Import(t.Context(), "acme", files)); err != nil {
		t.Fatal(err)
	}
	return db
}

func sqlite(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "hub.db") }

func start(t *testing.T, db *sqldisk.DB) (*Hub, *httptest.Server) {
	t.Helper()
	return startWith(t, Options{DB: db})
}

// startWith is start with some options.
func startWith(t *testing.T, o Options) (*Hub, *httptest.Server) {
	t.Helper()
	o.Log, o.Metrics, o.SetSetting = slog.New(slog.DiscardHandler), metrics.New("test", "", at), setSchedule
	if o.Now == nil {
		o.Now = func() time.Time { return at }
	}
	server := httptest.NewUnstartedServer(nil)
	h := New(o, server.Listener)
	server.Config.Handler = h.Handler()
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	return h, server
}

// setSchedule writes one schedule.
func setSchedule(_ []byte, key, value string) ([]byte, error) {
	return fmt.Appendf(nil, "[schedules]\n%s = %q\n", strings.TrimPrefix(key, "schedules."), value), nil
}

// token grants a principal something, such as "read team:*", and makes a token.
func token(t *testing.T, db *sqldisk.DB, who string, grants ...string) string {
	t.Helper()
	var all []sqldisk.Grant
	for _, g := range grants {
		access, scope, _ := strings.Cut(g, " ")
		all = append(all, sqldisk.Grant{Access: sqldisk.Access(access), Scope: scope})
	}
	err := db.Grant(t.Context(), "acme", who, at, all...)
	text := ""
	if err == nil {
		text, err = db.NewToken(t.Context(), "acme", who, "", at, at.Add(time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ask calls a tool, and returns what it says.
func ask(t *testing.T, url, token, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := post(t, url, token, string(body))
	var got struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || status != http.StatusOK || len(got.Result.Content) != 1 {
		t.Fatalf("%s: %d %s, %v", tool, status, answer, err)
	}
	return got.Result.Content[0].Text, got.Result.IsError
}

func post(t *testing.T, url, token, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// Each tool by each kind of access, in one scope and in all of them, against a model.
func TestToolsByGrants(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	calls := []struct {
		tool  string
		args  map[string]any
		needs string // kinds of access, each of which does
		all   bool   // in all scopes
	}{
		{"search", map[string]any{"query": "staging"}, "read", false},
		{"get", map[string]any{"ids": []string{"mem_staging00001"}}, "read", false},
		{"context", nil, "read", false},
		{"plan", nil, "read", false},
		{"reason", map[string]any{"question": "When is staging copied?"}, "read", false},
		{"graph", nil, "read", false},
		{"clusters", nil, "read", false},
		{"enrich", nil, "run", false},
		{"save", map[string]any{"type": "factual", "content": "x", "scope": "team:security"}, "write", false},
		{"update", map[string]any{"id": "mem_nowhere", "tags": []string{"a"}}, "write", false},
		{"forget", map[string]any{"ids": []string{"mem_nowhere"}, "reason": "x"}, "write", false},
		{"review", nil, "review", false},
		{"consolidate", nil, "run", false},
		{"history", nil, "read", true},
		{"undo", map[string]any{"run": "run_nowhere"}, "run", true},
	}
	for _, access := range sqldisk.Accesses() {
		for _, scope := range []string{"team:security", "*"} {
			who := fmt.Sprintf("%s-%s", access, map[string]string{"*": "all", "team:security": "one"}[scope])
			grants := []string{string(access) + " " + scope}
			secret := token(t, db, who, grants...)
			for _, c := range calls {
				may := access == sqldisk.Admin || string(access) == c.needs
				if c.all {
					// An undo shows what it undid: it takes reading everywhere, too.
					may = may && scope == "*" && (c.tool != "undo" || access == sqldisk.Admin)
				}
				text, _ := ask(t, server.URL+"/mcp/acme", secret, c.tool, c.args)
				if refused := strings.Contains(text, "not granted"); refused == may {
					t.Errorf("%s by %s %s: %s", c.tool, access, scope, text)
				}
			}
		}
	}
}

// What is not granted is absent, and whose memory it is, is not the client's word.
func TestOneScope(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	url := server.URL + "/mcp/acme"
	admin, limited := token(t, db, "ada", "admin *"), token(t, db, "bob", "read agent:bob", "write agent:bob", "read global")
	if text, failed := ask(t, url, admin, "search", map[string]any{"query": "staging"}); failed || !strings.Contains(text, "mem_staging00001") {
		t.Error(text)
	}
	if text, failed := ask(t, url, limited, "search", map[string]any{"query": "staging"}); failed || strings.Contains(text, "staging") {
		t.Error(text)
	}
	if text, failed := ask(t, url, limited, "get", map[string]any{"ids": []string{"mem_staging00001"}}); strings.Contains(text, "customer") || !strings.Contains(text, "no memory has the id") && !failed {
		t.Error(text)
	}
	if text, failed := ask(t, url, limited, "save", map[string]any{"type": "factual", "content": "Of everybody.", "scope": "global"}); !failed || !strings.Contains(text, "not granted") {
		t.Error(text)
	}
	if text, failed := ask(t, url, limited, "save", map[string]any{"type": "factual", "content": "The lift is out of order.", "scope": "agent:bob", "by": "ada"}); failed {
		t.Error(text)
	}
	if text, _ := ask(t, url, admin, "search", map[string]any{"query": "lift"}); !strings.Contains(text, "by bob") {
		t.Error(text)
	}
	// A grant that is taken back counts from the next request on.
	if _, err := db.Revoke(t.Context(), "acme", "bob", sqldisk.Grant{Scope: "agent:bob", Access: sqldisk.Read}); err != nil {
		t.Fatal(err)
	}
	if text, _ := ask(t, url, limited, "search", map[string]any{"query": "lift"}); strings.Contains(text, "lift is") {
		t.Error(text)
	}
}

func TestStrangers(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	secret := token(t, db, "ada", "admin *")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, c := range map[string]struct{ path, token string }{
		"no token": {"/mcp/acme", ""}, "another": {"/mcp/acme", secret + "x"}, "another workspace": {"/mcp/empty", secret}, "no workspace": {"/mcp/nowhere", secret},
	} {
		if status, answer := post(t, server.URL+c.path, c.token, list); status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	if status, answer := post(t, server.URL+"/mcp/acme", secret, list); status != http.StatusOK || !strings.Contains(answer, "search") {
		t.Errorf("%d %s", status, answer)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp/acme", strings.NewReader(list))
	req.Header.Set("Authorization", "Bearer "+secret)
	req.Header.Set("Origin", "https://elsewhere.example")
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("from a page of another site: %v, %v", res, err)
	} else {
		_ = res.Body.Close()
	}
}

// Two hubs on one database serve the same workspace.
func TestTwoHubs(t *testing.T) {
	db := database(t, pgtest.New(t))
	_, one := start(t, db)
	_, two := start(t, db)
	secret := token(t, db, "ada", "admin *")
	for i, from := range []string{one.URL, two.URL, one.URL} {
		word := []string{"zebra", "yucca", "walrus"}[i]
		if text, failed := ask(t, from+"/mcp/acme", secret, "save", map[string]any{"type": "factual", "content": "The code name of release " + fmt.Sprint(i) + " is " + word + ".", "no_check": true}); failed {
			t.Error(text)
		}
		for _, url := range []string{one.URL, two.URL} {
			if text, _ := ask(t, url+"/mcp/acme", secret, "search", map[string]any{"query": word}); !strings.Contains(text, word+".") {
				t.Errorf("%s: %s", word, text)
			}
		}
	}
}

func TestHealth(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	for _, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		res, err := http.Get(server.URL + "/healthz")
		if err != nil || res.StatusCode != want {
			t.Fatalf("%v, %v", res, err)
		}
		_ = res.Body.Close()
		_ = db.Close()
	}
}

// A proxy on this machine passes the name on by which it was asked. With --url only that name counts.
func TestNames(t *testing.T) {
	db := database(t, sqlite(t))
	_, proxied := startWith(t, Options{DB: db, Proxied: true})
	_, named := startWith(t, Options{DB: db, Proxied: true, Public: &url.URL{Scheme: "https", Host: "hub.example"}})
	secret := token(t, db, "ada", "admin *")
	for name, c := range map[string]struct {
		server       *httptest.Server
		target, host string
		status       int
	}{
		"MCP behind a proxy":        {proxied, "/mcp/acme", "hub.example", http.StatusOK},
		"the name of --url":         {named, "/mcp/acme", "hub.example", http.StatusOK},
		"another than --url":        {named, "/mcp/acme", "evil.example", http.StatusMisdirectedRequest},
		"browsers need a name":      {proxied, "/sign-in", "hub.example", http.StatusMisdirectedRequest},
		"browsers by that of --url": {named, "/sign-in", "hub.example", http.StatusOK},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.server.URL+c.target, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", name, res.StatusCode, c.status)
		}
	}
}

// An address that other machines reach takes TLS, or a proxy that does it.
func TestPublic(t *testing.T) {
	if _, err := Listen(Options{Address: "0.0.0.0:0"}); !errors.Is(err, ErrPublic) {
		t.Error(err)
	}
	if h, err := Listen(Options{Address: "0.0.0.0:0", Proxied: true}); err != nil {
		t.Error(err)
	} else {
		_ = h.listener.Close()
	}
}

// A slot that is due is run once, leaves a sound workspace, and names the next one.
func TestWork(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": sqlite, "postgres": pgtest.New} {
		t.Run(name, func(t *testing.T) {
			db := database(t, address(t))
			h, _ := start(t, db)
			if err := PlanAll(t.Context(), db, "acme", config.Default(), at); err != nil {
				t.Fatal(err)
			}
			if found, err := h.once(t.Context(), t.Context()); found || err != nil {
				t.Fatalf("nothing is due yet: %v, %v", found, err)
			}
			weekly := key(trigger.Clocks(config.Default())[0])
			if err := db.Plan(t.Context(), "acme", weekly, sqldisk.Next{Slot: "now", At: at}); err != nil {
				t.Fatal(err)
			}
			if found, err := h.once(t.Context(), t.Context()); !found || err != nil {
				t.Fatalf("%v, %v", found, err)
			}
			d, err := db.Disk(t.Context(), "acme")
			if err != nil {
				t.Fatal(err)
			}
			s := workspace.OpenOn(d)
			if log, err := s.Log().Read(); err != nil || len(log.Entries) == 0 {
				t.Errorf("%+v, %v", log, err)
			}
			if _, err := s.Reindex(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			problems, err := s.Check(at)
			if err != nil || len(problems) > 0 {
				t.Errorf("%v, %v", problems, err)
			}
			all, err := db.Planned(t.Context(), "acme")
			if err != nil || len(all) == 0 || all[0].At.Before(at) || all[0].Error != "" {
				t.Errorf("%+v, %v", all, err)
			}
		})
	}
}

// The hub ends what has begun when it is told to stop.
func TestStops(t *testing.T) {
	db := database(t, sqlite(t))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := New(Options{DB: db, Workers: 2, Log: slog.New(slog.DiscardHandler), Metrics: metrics.New("test", "", at), Now: time.Now}, listener)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	res, err := http.Get(h.URL() + "/healthz")
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", res, err)
	}
	_ = res.Body.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(h.URL() + "/healthz"); err == nil {
		t.Error("it still answers")
	}
}

// A hub promotes directly, whatever the settings of a workspace say: it has no git on whose branches somebody would find proposals.
func TestPromotesDirectly(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "memory.toml"), []byte("[promote]\nvia = \"branch\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if conf, err := settings(store); err != nil || conf.Promote.Via != config.ViaDirect {
		t.Error(conf.Promote.Via, err)
	}
}
