package web

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/live"
)

// ErrSignedOut: a token is not valid, or no longer.
var ErrSignedOut = errors.New("the token is not valid for this workspace")

// Workspaces serves the dashboards of several workspaces, each to whoever signs in with a token for it: people in a form, for a session
// with a cookie, and programs with a bearer token below /w/WORKSPACE/api/v1/.
type Workspaces struct {
	WorkspacesOptions
	guard   *guard
	handler http.Handler
}

// WorkspacesOptions say where the dashboards are served, and to whom.
type WorkspacesOptions struct {
	Address string   // host and port of the listener
	Public  *url.URL // how others reach it; nil: as the listener has it
	Hosts   []string // further names
	TLS     bool
	Session time.Duration
	Clock   func() time.Time
	Log     *slog.Logger
	// Enter finds what a token lets in to; [ErrSignedOut] where it doesn't.
	Enter func(ctx context.Context, workspace, token string) (*Visit, error)
}

// NewWorkspaces serves dashboards of several workspaces. Its answers are guarded like those of a [Server].
func NewWorkspaces(o WorkspacesOptions) *Workspaces {
	w := &Workspaces{WorkspacesOptions: o, guard: newGuard(o.Address, &Options{Hosts: o.Hosts, Session: o.Session, Clock: o.Clock, TLS: o.TLS})}
	if o.Public != nil {
		w.guard.hosts[strings.ToLower(o.Public.Host)] = true
		w.guard.origins[strings.ToLower(o.Public.Scheme+"://"+o.Public.Host)] = true
		w.guard.secure = w.guard.secure || o.Public.Scheme == "https"
	}
	w.handler = w.guard.local(http.HandlerFunc(w.serve))
	return w
}

// ServeHTTP implements [http.Handler].
func (w *Workspaces) ServeHTTP(out http.ResponseWriter, r *http.Request) { w.handler.ServeHTTP(out, r) }

// Knows reports whether a request asks for a name of this server.
func (w *Workspaces) Knows(r *http.Request) bool { return w.guard.hosts[strings.ToLower(r.Host)] }

// New is the dashboard of a workspace that w serves. It follows no files: [Guest.Refresh] brings changes along.
func New(o Options, w *Workspaces) *Server {
	s := &Server{Options: o, guard: w.guard}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.words.Log = o.Log
	s.live = live.New(o.Store, o.Now, live.Unheard{})
	s.served = s.pages()
	s.beside.Go(func() { s.feed.run(s.ctx, s) })
	return s
}

// End ends what is done beside requests, and the feeds of browsers.
func (s *Server) End() {
	s.cancel()
	s.feed.close()
}

// serve answers requests that come from here.
func (w *Workspaces) serve(out http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/static/style.css" || r.URL.Path == "/static/icon.svg": // of the form, too
		static().ServeHTTP(out, r)
	case r.Method == http.MethodPost && r.URL.Path == signInPath:
		w.signIn(out, r)
	case r.Method == http.MethodGet && r.URL.Path == signInPath:
		w.form(out, r)
	case r.Header.Get("Authorization") != "":
		w.program(out, r)
	default:
		w.person(out, r)
	}
}

const signInPath = "/sign-in"

// signInBody is what the form is given.
type signInBody struct{ Workspace, Problem string }

// form shows the form that signs in; with the parameter "failed" it says that somebody couldn't.
func (w *Workspaces) form(out http.ResponseWriter, r *http.Request) {
	body := signInBody{Workspace: r.FormValue("workspace")}
	if r.Form.Has("failed") {
		body.Problem = "There is no such workspace, or the token is not valid for it."
	}
	var text bytes.Buffer
	t, err := template.ParseFS(templateFiles, "templates/signin.html")
	if err == nil {
		err = t.ExecuteTemplate(&text, "signin", body)
	}
	if err != nil {
		w.Log.Error("page", "path", signInPath, "error", err)
		refuse(out, http.StatusInternalServerError, "memoryd made a mistake with this page: "+err.Error())
		return
	}
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = out.Write(visible(text.Bytes())) // who asked may have gone
}

// signIn trades a token for a cookie.
func (w *Workspaces) signIn(out http.ResponseWriter, r *http.Request) {
	name := strings.TrimSpace(r.PostFormValue("workspace"))
	visit, err := w.Enter(r.Context(), name, strings.TrimSpace(r.PostFormValue("token")))
	if err != nil {
		w.failed(out, r, name, err)
		return
	}
	until := w.Clock().Add(w.Session)
	if !visit.Until.IsZero() && visit.Until.Before(until) {
		until = visit.Until
	}
	w.signOut(r)
	w.guard.mu.Lock()
	cookie := w.guard.begin(session{until, visit})
	w.guard.mu.Unlock()
	http.SetCookie(out, cookie)
	http.Redirect(out, r, "/", http.StatusSeeOther)
}

// failed answers that somebody can't be let in.
func (w *Workspaces) failed(out http.ResponseWriter, r *http.Request, workspace string, err error) {
	switch {
	case !errors.Is(err, ErrSignedOut):
		w.Log.Error("request failed", "workspace", workspace, "error", err)
		refuse(out, http.StatusServiceUnavailable, "The hub can't serve this workspace at the moment: its log says why.")
	case r.URL.Path == signInPath:
		http.Redirect(out, r, signInPath+"?"+url.Values{"failed": {"1"}, "workspace": {workspace}}.Encode(), http.StatusSeeOther)
	case navigates(r):
		http.Redirect(out, r, signInPath+"?"+url.Values{"workspace": {workspace}}.Encode(), http.StatusSeeOther)
	default:
		out.Header().Set("WWW-Authenticate", `Bearer realm="memory"`)
		refuse(out, http.StatusUnauthorized, "Sign in, or send a token to /w/WORKSPACE/api/v1/: Authorization: Bearer TOKEN")
	}
}

// navigates reports whether a person goes to a page, as far as can be told: programs, scripts and
// what a page consists of are told by the status that they aren't let in.
func navigates(r *http.Request) bool {
	for _, part := range []string{"/api/", "/static/"} {
		if strings.Contains(r.URL.Path, part) {
			return false
		}
	}
	to := r.Header.Get("Sec-Fetch-Dest")
	return r.Header.Get("Authorization") == "" && (to == "" || to == "document")
}

// signOut ends the session of a request.
func (w *Workspaces) signOut(r *http.Request) {
	if c, err := r.Cookie(w.guard.cookie); err == nil {
		w.guard.end(c.Value)
	}
}

// person answers a browser.
func (w *Workspaces) person(out http.ResponseWriter, r *http.Request) {
	signedIn, ok := w.guard.session(r)
	if !ok {
		w.failed(out, r, "", ErrSignedOut)
		return
	}
	visit := signedIn.visit
	if changes(r) && !w.guard.formed(r) {
		refuse(out, http.StatusForbidden, "The form has no valid token: load its page again.")
		return
	}
	if r.Method == http.MethodPost && r.URL.Path == "/sign-out" {
		w.signOut(r)
		http.SetCookie(out, &http.Cookie{Name: w.guard.cookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: w.guard.secure, SameSite: http.SameSiteStrictMode})
		http.Redirect(out, r, "/", http.StatusSeeOther)
		return
	}
	server, err := visit.Server(r.Context())
	if err != nil {
		if errors.Is(err, ErrSignedOut) {
			w.signOut(r)
		}
		w.failed(out, r, visit.Workspace, err)
		return
	}
	if r.URL.Path == feedPath {
		w.feed(out, r, visit, server)
		return
	}
	server.served.ServeHTTP(out, r)
}

// feed sends the feed for as long as the visit stays what it is.
func (w *Workspaces) feed(out http.ResponseWriter, r *http.Request, visit *Visit, server *Server) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		beat := time.NewTicker(heartbeat)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
			}
			now, err := visit.Server(ctx)
			if _, ok := w.guard.session(r); !ok || err != nil || now != server {
				cancel()
				return
			}
		}
	}()
	server.served.ServeHTTP(out, r.WithContext(ctx))
}

// program answers a request with a bearer token, below /w/WORKSPACE.
func (w *Workspaces) program(out http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	rest, ok := strings.CutPrefix(r.URL.Path, "/w/")
	name, _, _ := strings.Cut(rest, "/")
	if !ok || !strings.EqualFold(scheme, "bearer") || !strings.HasPrefix(rest, name+"/api/v1/") {
		w.failed(out, r, name, ErrSignedOut)
		return
	}
	visit, err := w.Enter(r.Context(), name, strings.TrimSpace(token))
	var server *Server
	if err == nil {
		server, err = visit.Server(r.Context())
	}
	if err != nil {
		w.failed(out, r, name, err)
		return
	}
	http.StripPrefix("/w/"+name, server.served).ServeHTTP(out, r)
}
