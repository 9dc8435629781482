package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A feed that a hub sends is looked at again every 15 seconds: it goes on while what it was let in for stands, and
// ends by the next look after that.
func TestFeedsOfAHubEnd(t *testing.T) {
	for name, change := range map[string]func(w *Workspaces, of *visited){
		"other grants":       func(_ *Workspaces, of *visited) { of.is.Store(&answered{server: &Server{}}) },
		"the token ended":    func(_ *Workspaces, of *visited) { of.is.Store(&answered{err: ErrSignedOut}) },
		"no database":        func(_ *Workspaces, of *visited) { of.is.Store(&answered{err: errors.New("no database")}) },
		"signed out":         func(w *Workspaces, of *visited) { w.guard.end(of.cookie.Value) },
		"the browser leaves": func(_ *Workspaces, of *visited) { of.leave() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := NewWorkspaces(WorkspacesOptions{Address: "127.0.0.1:7421", Session: 12 * time.Hour, Clock: time.Now})
				of, server := &visited{}, &Server{served: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })}
				of.is.Store(&answered{server: server})
				visit := &Visit{Workspace: "acme", Server: func(context.Context) (*Server, error) { is := of.is.Load(); return is.server, is.err }}
				of.cookie = w.guard.begin(session{time.Now().Add(w.Session), visit})
				ctx, leave := context.WithCancel(t.Context())
				of.leave = leave
				defer leave()
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, feedPath, nil)
				r.AddCookie(of.cookie)
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					w.feed(httptest.NewRecorder(), r, visit, server)
				}()
				over := func() bool {
					synctest.Wait()
					select {
					case <-ended:
						return true
					default:
						return false
					}
				}
				time.Sleep(time.Hour)
				if over() {
					t.Fatal("it ended though nothing had changed")
				}
				change(w, of)
				time.Sleep(heartbeat)
				if !over() {
					t.Error("it goes on")
				}
			})
		})
	}
}

// visited is what a token lets in to, as tests change it.
type visited struct {
	is     atomic.Pointer[answered]
	cookie *http.Cookie
	leave  func()
}

type answered struct {
	server *Server
	err    error
}
