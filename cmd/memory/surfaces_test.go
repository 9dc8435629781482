//go:build unix

package main

import (
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/web"
	"github.com/memoryd/memoryd/pkg/config"
	records "github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// page is a browser that is signed in to the dashboard of a workspace.
type page struct {
	t       *testing.T
	handler http.Handler
	origin  string
	cookie  string
}

func dashboard(t *testing.T, dir string) *page {
	t.Helper()
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, fixtures.At)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return at }
	s, err := web.Listen(web.Options{
		Store: store, Settings: func() (*config.Config, error) { return config.Parse("memory.toml", nil) }, Now: now, Clock: now, Started: now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test", Address: "127.0.0.1:0", Session: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.End()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &page{t, s.Handler(), s.Origin(), ""}
	link, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	p.cookie, _, _ = strings.Cut(p.do("GET", link.RequestURI(), nil).Header().Get("Set-Cookie"), ";")
	return p
}

func (p *page) do(method, target string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, p.origin+target, strings.NewReader(form.Encode()))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "null")
	}
	r.Header.Set("Cookie", p.cookie)
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w
}

// post sends a form from a page of the dashboard.
func (p *page) post(from, target string, form url.Values) *httptest.ResponseRecorder {
	_, after, _ := strings.Cut(p.do("GET", from, nil).Body.String(), `name="form_token" value="`)
	token, _, ok := strings.Cut(after, `"`)
	if !ok {
		p.t.Fatalf("%s has no form", from)
	}
	form.Set("form_token", token)
	return p.do("POST", target, form)
}

// The same wrong input has the same cause at the command line, over MCP and in the dashboard.
func TestOneCause(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		t.Fatal(err)
	}
	record := func(id, more string) string {
		return `{"id": "` + id + `", "type": "factual", "created_by": "DEV-001", "created_at": "2026-02-20T00:00:00Z", ` + more + `"content": {"summary": "The ferry of ` + id + ` leaves at seven."}}`
	}
	for name, text := range map[string]string{
		"global/mem_plain.json": record("mem_plain", ""),
		"global/twin_1.json":    record("mem_twin", ""), "global/twin_2.json": record("mem_twin", ""),
		"global/mem_twice.json": record("mem_twice", `"tags": ["a"], "tags": ["b"], `),
	} {
		put(t, filepath.Join(dir, name), text)
	}
	exe := program(t)
	env := append(os.Environ(), "MEMORY_WORKSPACE="+dir, "MEMORY_AT="+fixtures.At)
	run := func(words ...string) (string, int) {
		_, errs, code, err := call(exe, dir, env, append(words, "--json")...)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		var doc struct{ Error string }
		if json.Unmarshal([]byte(lines[len(lines)-1]), &doc) != nil {
			t.Fatalf("%v: %d %s", words, code, errs)
		}
		_, cause, _ := strings.Cut(doc.Error, ": ")
		return cause, code
	}
	agent, browser := connect(t, dir), dashboard(t, dir)
	defer func() { // the workspace must be sound at the end
		for _, name := range []string{"twin_2", "mem_twice"} {
			if err := os.Remove(filepath.Join(dir, "global", name+".json")); err != nil {
				t.Error(err)
			}
		}
		if _, errs, code, err := call(exe, dir, env, "reindex"); err != nil || code != 0 {
			t.Errorf("%v: %s", err, errs)
		}
	}()

	edited := func(id, field, value string) string {
		raw := record(id, "")
		if id == "mem_twice" {
			raw = record(id, `"tags": ["a"], "tags": ["b"], `)
		}
		if field == "" {
			return raw
		}
		if before, after, ok := strings.Cut(raw, `"`+field+`": `); ok {
			_, after, _ = strings.Cut(after, `", `)
			return before + `"` + field + `": ` + value + `, ` + after
		}
		return strings.Replace(raw, "{", `{"`+field+`": `+value+`, `, 1)
	}
	const secret = `"postgres://admin:hunter2hunter2@db.example.com/shop"`
	for name, x := range map[string]struct {
		id, field, value string
		cause            string
		code, status     int
	}{
		"no such memory":     {"mem_plian", "priority", `"high"`, "mem_plian: no such memory", 6, 404},
		"two memories":       {"mem_twin", "priority", `"high"`, "mem_twin: id is not unique: it stands in global/twin_1.json and global/twin_2.json", 1, 409},
		"a record with twos": {"mem_twice", "priority", `"high"`, "mem_twice: global/mem_twice.json: ", 1, 409},
		"another id":         {"mem_plain", "id", `"mem_new"`, "mem_plain: the id changed", 1, 400},
		"a secret":           {"mem_plain", "note", secret, "password in a URL", 1, 422},
		"no scope_id":        {"mem_plain", "scope", `"team"`, `mem_plain: scope is "team" without a name`, 2, 400},
		"not valid":          {"mem_plain", "access_count", `"many"`, "mem_plain: access_count", 2, 400},
	} {
		t.Run(name, func(t *testing.T) {
			cause, code := run("edit", x.id, "--set", x.field+"="+x.value)
			if code != x.code || !strings.Contains(cause, x.cause) {
				t.Errorf("exit code %d: %s", code, cause)
			}
			result, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: "update", Arguments: object{"id": x.id, "fields": object{x.field: json.RawMessage(x.value)}}})
			if err != nil {
				t.Fatal(err)
			}
			if text := textOf(t, result); !result.IsError || !strings.HasPrefix(text, cause+". ") {
				t.Errorf("an agent reads\n%s\nwant\n%s", text, cause)
			}
			version := "none"
			if text, err := os.ReadFile(filepath.Join(dir, "global", x.id+".json")); err == nil {
				version = string(records.DigestOf(text))
			}
			w := browser.post("/memories/mem_plain", "/memories/"+x.id+"/content", url.Values{"version": {version}, "record": {edited(x.id, x.field, x.value)}})
			if text := html.UnescapeString(w.Body.String()); w.Code != x.status || !strings.Contains(text, cause) {
				t.Errorf("a page: %d\n%s\nwant\n%s", w.Code, text, cause)
			}
		})
	}

	t.Run("no such pair", func(t *testing.T) {
		cause, code := run("review", "rev_none", "--merge")
		if code != 6 {
			t.Errorf("exit code %d: %s", code, cause)
		}
		result, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: "review", Arguments: object{"pair": "rev_none", "decision": "merge"}})
		if err != nil {
			t.Fatal(err)
		}
		if text := textOf(t, result); !strings.HasPrefix(text, cause+". ") {
			t.Error(text)
		}
		w := browser.post("/memories/mem_plain", "/review", url.Values{"pair": {"rev_none"}, "verdict": {"merge"}})
		if text := html.UnescapeString(w.Body.String()); w.Code != http.StatusConflict || !strings.Contains(text, cause) {
			t.Errorf("%d %s", w.Code, text)
		}
	})
}
