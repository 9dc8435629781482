package web

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
		"another site asks /healthz":   {with(b.request("GET", "/healthz", nil), "Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
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
	// From a file, as "memory serve --open" hands it over, or another site: a browser sends a strict cookie only where a page of ours leads.
	r := b.request("GET", "/?key="+b.server.guard.newKey(), nil)
	r.Header.Del("Cookie")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := b.do(r)
	if w.Code != http.StatusOK || len(w.Result().Cookies()) != 1 || !strings.Contains(w.Body.String(), `http-equiv="refresh" content="0; url=/"`) {
		t.Errorf("%d %v %s", w.Code, w.Result().Cookies(), w.Body)
	}
	key = b.server.guard.newKey()
	now = now.Add(keyLife + time.Second)
	if code := open(key); code != http.StatusUnauthorized {
		t.Errorf("after a minute: %d", code)
	}
	r = b.request("POST", "/api/v1/key", nil)
	r.Header.Del("Cookie")
	r.Header.Set("Authorization", "Bearer a token of a program")
	w = b.do(r)
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

// What is too large is refused, whether or not it says how large it is, and changes nothing.
func TestTooLarge(t *testing.T) {
	b := serve(t, nil)
	before := b.files()
	large := "verdict=merge&pair=" + strings.Repeat("x", maxBody)
	for name, body := range map[string]io.Reader{"told": strings.NewReader(large), "untold": io.MultiReader(strings.NewReader(large))} {
		r := httptest.NewRequest("POST", b.origin+"/api/v1/review", body)
		r.Header.Set("Authorization", "Bearer a token of a program")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if w := b.do(r); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
		}
	}
	if diff := cmp.Diff(before, b.files()); diff != "" {
		t.Error(diff)
	}
}
