package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// keyLife is how long the one-time key of a URL can be traded for a cookie.
const keyLife = time.Minute

// keyPath is where a POST with a bearer token gives a one-time key.
const keyPath = "/api/v1/key"

// maxBody bounds what a request may send, in bytes.
const maxBody = 16 << 20

// policy is the Content-Security-Policy of every answer. Nothing is inline, and nothing is made
// of text by scripts: Trusted Types without a policy.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// guard lets requests through that may be answered; see the package comment.
type guard struct {
	hosts    map[string]bool // as the Host of a request has them
	origins  map[string]bool
	cookie   string // name
	life     time.Duration
	bearers  [][32]byte // hashes of tokens that need no cookie
	readOnly bool
	now      func() time.Time
	secure   bool // over TLS

	mu       sync.Mutex
	secret   []byte                 // makes form tokens of cookies
	keys     map[[32]byte]time.Time // hashes of one-time keys, and until when they can be used
	sessions map[[32]byte]session   // by hashes of cookies
}

// session is a browser that is signed in.
type session struct {
	until time.Time
	visit *Visit // what for, where there are several workspaces
}

// Visit is what somebody has signed in for.
type Visit struct {
	Workspace string
	Until     time.Time // when it ends at the latest; zero: as long as sessions last
	// Server gives the dashboard, as what is granted says by now; [ErrSignedOut] where that has ended.
	Server func(context.Context) (*Server, error)
}

// newGuard guards a server at an address, such as 127.0.0.1:7420. Names are further hosts by which it may be asked.
func newGuard(address string, o *Options) *guard {
	host, port, _ := net.SplitHostPort(address)
	g := &guard{
		hosts: map[string]bool{}, origins: map[string]bool{}, cookie: "memory-" + port, life: o.Session, readOnly: o.ReadOnly, now: o.Clock, secure: o.TLS,
		secret: random(32), keys: map[[32]byte]time.Time{}, sessions: map[[32]byte]session{},
	}
	scheme := "http://"
	if o.TLS {
		scheme = "https://"
	}
	names := []string{"127.0.0.1", "::1", "localhost"}
	if o.Public {
		names = append(names, host)
	}
	for _, name := range append(names, o.Hosts...) {
		all := []string{net.JoinHostPort(strings.Trim(name, "[]"), port)}
		if defaultPort(scheme) == port {
			all = append(all, name)
		}
		for _, h := range all {
			g.hosts[strings.ToLower(h)], g.origins[strings.ToLower(scheme+h)] = true, true
		}
	}
	for _, token := range o.Tokens {
		g.bearers = append(g.bearers, sha256.Sum256([]byte(token)))
	}
	return g
}

func defaultPort(scheme string) string {
	if scheme == "https://" {
		return "443"
	}
	return "80"
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails, by its documentation
	return b
}

// newKey makes a key of 128 bits that can be traded once.
func (g *guard) newKey() string {
	key := hex.EncodeToString(random(16))
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.keys, func(_ [32]byte, until time.Time) bool { return g.now().After(until) })
	g.keys[sha256.Sum256([]byte(key))] = g.now().Add(keyLife)
	return key
}

// trade takes a one-time key and gives a cookie for it.
func (g *guard) trade(key string) (*http.Cookie, bool) {
	hash := sha256.Sum256([]byte(key))
	g.mu.Lock()
	defer g.mu.Unlock()
	until, ok := g.keys[hash]
	delete(g.keys, hash)
	if !ok || g.now().After(until) {
		return nil, false
	}
	return g.begin(session{until: g.now().Add(g.life)}), true
}

// begin signs a browser in, by a cookie. The lock is held.
func (g *guard) begin(of session) *http.Cookie {
	maps.DeleteFunc(g.sessions, func(_ [32]byte, o session) bool { return g.now().After(o.until) })
	value := base64.RawURLEncoding.EncodeToString(random(32))
	g.sessions[sha256.Sum256([]byte(value))] = of
	return &http.Cookie{
		Name: g.cookie, Value: value, Path: "/", MaxAge: int(of.until.Sub(g.now()) / time.Second), HttpOnly: true, Secure: g.secure, SameSite: http.SameSiteStrictMode,
	}
}

// known reports whether a request has a cookie or a bearer token that holds.
func (g *guard) known(r *http.Request) bool {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "bearer") {
		hash, found := sha256.Sum256([]byte(strings.TrimSpace(token))), 0
		for _, b := range g.bearers {
			found |= subtle.ConstantTimeCompare(hash[:], b[:])
		}
		return found == 1
	}
	_, ok := g.session(r)
	return ok
}

// session is the one of the cookie of a request, if it holds.
func (g *guard) session(r *http.Request) (session, bool) {
	c, err := r.Cookie(g.cookie)
	if err != nil {
		return session{}, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.sessions[sha256.Sum256([]byte(c.Value))] // found by its hash: how long that takes tells nothing of the cookie
	return s, ok && !g.now().After(s.until)
}

// end signs a browser out, whatever its cookie.
func (g *guard) end(cookie string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, sha256.Sum256([]byte(cookie)))
}

// formToken is what a form must carry that is sent with the cookie of a request; "" where it has none.
func (g *guard) formToken(r *http.Request) string {
	c, err := r.Cookie(g.cookie)
	if err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, g.secret)
	mac.Write([]byte(c.Value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Names of the form token in a form and in the header of a script's request.
const (
	formField  = "form_token"
	formHeader = "X-Form-Token"
)

// formed reports whether a POST carries the form token of its cookie. A bearer token needs none: no browser sends it by itself.
func (g *guard) formed(r *http.Request) bool {
	if r.Header.Get("Authorization") != "" {
		return true
	}
	sent := r.Header.Get(formHeader)
	if sent == "" {
		sent = r.PostFormValue(formField)
	}
	want := g.formToken(r)
	return want != "" && subtle.ConstantTimeCompare([]byte(sent), []byte(want)) == 1
}

// from reports whether a request comes from a page of ours, or was typed by a person. The origin of a form is "null" where the
// page forbids referrers, as ours do: then the browser's own word decides, which no page can set.
func (g *guard) from(r *http.Request) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if origin != "" && !g.origins[strings.ToLower(origin)] && !(origin == "null" && site == "same-origin") {
		return false
	}
	switch site {
	case "", "same-origin", "none":
		return true
	}
	return false
}

// headers go with every answer.
func headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// local answers only requests that come from a page of ours or a person, by one of our names.
func (g *guard) local(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	for origin := range g.origins {
		if u, err := url.Parse(origin); err == nil && u.Host != "" {
			_ = cross.AddTrustedOrigin(origin) // it has been parsed
		}
	}
	inner := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers(w)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		switch {
		case !g.hosts[strings.ToLower(r.Host)]:
			refuse(w, http.StatusMisdirectedRequest, "This is not the name of this server. Ask for 127.0.0.1, or allow the name: with --allow-host, and for a hub with --url.")
		case !opening(r) && !g.from(r):
			refuse(w, http.StatusForbidden, "Requests from other sites are refused.")
		case r.ContentLength > maxBody:
			refuse(w, http.StatusRequestEntityTooLarge, "More than 16 MB was sent: nothing was changed.")
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// opening reports whether a request opens the dashboard, from wherever.
func opening(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Path == "/" }

// changes reports whether a request may change something.
func changes(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// protect is the guard before a handler.
func (g *guard) protect(next http.Handler) http.Handler {
	return g.local(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/healthz" && r.Method == http.MethodGet:
			_, _ = w.Write([]byte("ok\n"))
		case opening(r) && r.URL.Query().Has("key"):
			g.open(w, r)
		case !g.known(r):
			refuse(w, http.StatusUnauthorized, "This browser is not signed in, or its session has ended. If you have just followed the link, load this page again; else run \"memory serve --open\" for a new link.")
		case changes(r) && g.readOnly && r.URL.Path != keyPath:
			refuse(w, http.StatusForbidden, "This server is read-only: nothing was changed.")
		case changes(r) && !g.formed(r):
			refuse(w, http.StatusForbidden, "The form has no valid token: load its page again.")
		default:
			next.ServeHTTP(w, r)
		}
	}))
}

// open trades the key of the printed URL for a cookie.
func (g *guard) open(w http.ResponseWriter, r *http.Request) {
	cookie, ok := g.trade(r.URL.Query().Get("key"))
	switch {
	case ok:
		http.SetCookie(w, cookie)
	case !g.known(r): // else a page that was opened before is opened again
		refuse(w, http.StatusUnauthorized, "This link has been used, or is older than a minute. Run \"memory serve --open\" for a new one.")
		return
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "" || site == "none" || site == "same-origin" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	// A page of somebody else's led here, the file of "memory serve --open" say: the browser sends the cookie only where one of ours leads.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<!doctype html><meta charset="utf-8"><title>memory</title><meta http-equiv="refresh" content="0; url=/"><a href="/">Open the dashboard</a>`)
}

// refuse answers with one sentence as plain text.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}
