package web

import (
	"context"
	"errors"
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

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/repair"
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
		Watched: func() (*document.Watch, error) { return &document.Watch{}, nil },
		Schedule: func(context.Context, *memory.Snapshot, bool) (*document.Schedule, error) {
			return &document.Schedule{Zone: "UTC", Runs: []document.ScheduledRun{}}, nil
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
		if problems, err := repair.Problems(store, mustLoad(t, store)); err != nil || len(problems) > 0 {
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

// serverOf makes a server of the workspace in a directory, with the token "t" and the usual settings.
func serverOf(t testing.TB, dir string, log io.Writer) *Server {
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Listen(Options{
		Store: store, Settings: func() (*config.Config, error) { return config.Parse("memory.toml", nil) }, Now: func() time.Time { return noon }, Clock: func() time.Time { return noon },
		Log: slog.New(slog.NewTextHandler(log, nil)), Address: "127.0.0.1:0", Session: time.Hour, Tokens: []string{"t"},
		Watched: func() (*document.Watch, error) { return &document.Watch{}, nil },
		Schedule: func(context.Context, *memory.Snapshot, bool) (*document.Schedule, error) {
			return &document.Schedule{}, nil
		},
		SetSetting: func(string, string, bool) ([]byte, []byte, error) { return nil, nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.close(), s.listener.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// answerTo is the answer of a server to a program with a token.
func answerTo(s *Server, handler http.Handler, target *url.URL) *httptest.ResponseRecorder {
	r := &http.Request{Method: "GET", URL: target, Host: strings.TrimPrefix(s.Origin(), "http://"), Header: http.Header{"Authorization": {"Bearer t"}}, Body: http.NoBody, RequestURI: target.RequestURI()}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}
