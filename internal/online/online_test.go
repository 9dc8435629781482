package online

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const secret = "memh_SECRET"

func TestParseHub(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://hub.example": true, "https://hub.example:7421/": true, "http://127.0.0.1:7421": true, "http://[::1]:7421": true, "http://localhost": true,
		"http://hub.example": false, "hub.example": false, "ftp://hub.example": false, "https://ada:x@hub.example": false, "https://hub.example?x": false, "https://": false, "": false,
	} {
		if h, err := ParseHub(address, "acme"); (err == nil) != ok || ok && strings.HasSuffix(h.URL, "/") {
			t.Errorf("%q: %+v, %v", address, h, err)
		}
	}
	for _, ws := range []string{"", ".", "..", "../acme", `a\b`} {
		if _, err := ParseHub("https://hub.example", ws); err == nil {
			t.Errorf("%q was taken for the name of a workspace", ws)
		}
	}
}

func TestNotes(t *testing.T) {
	n, home := Notes{t.TempDir()}, t.TempDir()
	hub, other := Hub{"https://hub.example", "acme"}, Hub{"https://hub.example", "other"}
	shop, inner := filepath.Join(home, "shop"), filepath.Join(home, "shop", "vendor", "inner")
	if err := errors.Join(os.MkdirAll(filepath.Join(inner, "deep"), 0o755), os.Symlink(shop, filepath.Join(home, "link"))); err != nil {
		t.Fatal(err)
	}
	find := func(dir string) string {
		t.Helper()
		p, ok, err := n.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return ""
		}
		return p.Workspace
	}
	if got := find(shop); got != "" {
		t.Error(got)
	}
	one, err := n.Add(shop, hub)
	if err != nil {
		t.Fatal(err)
	}
	two, err := n.Add(inner, other)
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		home: "", shop: "acme", filepath.Join(shop, "vendor"): "acme", filepath.Join(home, "link", "vendor"): "acme", inner: "other", filepath.Join(inner, "deep"): "other",
	} {
		if got := find(dir); got != want {
			t.Errorf("%s uses %q, want %q", dir, got, want)
		}
	}
	// The token is its owner's alone, and goes with the last project that needs it.
	if _, err := n.ReadToken(hub); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	file, err := n.WriteToken(hub, secret)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got, err := n.ReadToken(hub); got != secret || err != nil {
		t.Error(got, err)
	}
	if os.PathSeparator == '/' {
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
		if got, err := n.ReadToken(hub); got != "" || !errors.Is(err, ErrOpenToken) || strings.Contains(err.Error(), secret) {
			t.Error(got, err)
		}
	}
	again, err := n.Add(filepath.Join(shop, "vendor"), hub)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []Project{two, again, one} {
		if forgotten, err := n.Remove(p); err != nil || forgotten != (i == 2) {
			t.Errorf("%+v: %v, %v", p, forgotten, err)
		}
	}
	if got := find(inner); got != "" {
		t.Error(got)
	}
	// A note that can't be read is not a reason to use another workspace.
	if _, err := n.Add(shop, hub); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{", `{"url": "http://evil.example", "workspace": "acme"}`} {
		if err := os.WriteFile(n.fileOf(real(shop)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, ok, err := n.Find(inner); ok || err == nil {
			t.Errorf("%+v, %v, %v", p, ok, err)
		}
	}
}

func TestOnce(t *testing.T) {
	n, now := Notes{t.TempDir()}, time.Now()
	var first atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if n.Once("s1", now) {
				first.Add(1)
			}
		})
	}
	group.Wait()
	if first.Load() != 1 || !n.Once("s2", now) || n.Once("s1", now) || !n.Once("s1", now.Add(onceFor+time.Hour)) {
		t.Errorf("%d were the first", first.Load())
	}
}

// Whatever a hub answers, the token is in no error and goes to no other server.
func TestAnswers(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another server was asked: %v", r.Header) }))
	defer elsewhere.Close()
	for name, x := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"fine":      {200, `{"principal": "ada"}`, nil},
		"no JSON":   {200, "<html>", ErrAnswer},
		"no name":   {200, "{}", ErrAnswer},
		"token":     {401, "Bearer " + secret, ErrToken},
		"forbidden": {403, "no", ErrRefused},
		"nowhere":   {404, "no", ErrRefused},
		"busy":      {429, "later", ErrAway},
		"broken":    {503, "later", ErrAway},
		"moved":     {302, "", ErrAnswer},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+secret {
				t.Errorf("%s: %v", name, r.Header)
			}
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(x.status)
			_, _ = w.Write([]byte(x.body))
		}))
		c := &Client{Hub: Hub{server.URL, "acme"}, Token: secret}
		_, err := c.Principal(t.Context())
		if !errors.Is(err, x.want) || err != nil && (strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), server.URL)) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
		if _, err := c.Principal(t.Context()); !errors.Is(err, ErrUnsent) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s, closed: %v", name, err)
		}
	}
}

func TestCall(t *testing.T) {
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890}}`:         `{"n":12345678901234567890}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no tool"}}`: "no tool",
		`{}`: ErrAnswer.Error(), `[`: ErrAnswer.Error(),
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		raw, err := (&Client{Hub: Hub{server.URL, "acme"}}).Call(t.Context(), "tools/call", map[string]string{"name": "search"})
		if got := string(raw); got != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %s, %v", body, got, err)
		}
		server.Close()
	}
}

// A request ends with its context, whatever the hub does.
func TestGivesUp(t *testing.T) {
	asked := make(chan bool)
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		close(asked)
		<-r.Context().Done()
		return nil, r.Context().Err()
	})}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	_, err := (&Client{Hub: Hub{"https://hub.example", "acme"}, Token: secret, HTTP: client}).Hook(ctx, "claude", "SessionStart", "shop", nil)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrAway) || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
