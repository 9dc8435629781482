package web

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/live"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// Server serves the dashboard of one workspace.
type Server struct {
	Options
	folder   os.FileInfo // of the workspace as it was opened; nil where it has none
	live     *live.Workspace
	guard    *guard
	words    live.Words
	plans    plans
	lists    lists
	feed     feed
	graphs   graphs
	next     figure[oplog.Stats]
	counted  figure[*document.Status]
	foretold figure[*foretold]
	ctx      context.Context // of what is done beside requests; ends with the server
	cancel   context.CancelFunc
	beside   sync.WaitGroup
	listener net.Listener
	http     *http.Server
	served   http.Handler // the pages, where somebody else guards them
	idle     *time.Timer
}

// may reports whether who is served may do something.
func (s *Server) may(n Need) bool {
	return s.Guest == nil || s.Guest.May(n) && (n != undoes || s.Guest.May(readsAll))
}

// name tells people which workspace it is.
func (s *Server) name() string { return cmp.Or(s.Name, s.Store.Dir()) }

// URL opens the dashboard in a browser once, within a minute.
func (s *Server) URL() string { return s.Origin() + "/?key=" + s.guard.newKey() }

// Origin is the address of the server without a key.
func (s *Server) Origin() string {
	scheme := "http://"
	if s.TLS {
		scheme = "https://"
	}
	return scheme + s.listener.Addr().String()
}

// noteUse keeps a server that ends when nobody asks.
func (s *Server) noteUse(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.used()
		next.ServeHTTP(w, r)
	})
}

func (s *Server) used() {
	if s.idle != nil {
		s.idle.Reset(s.IdleExit)
	}
}

// recovered makes a panic cost its request, and no more.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); {
			case p == nil:
			case p == http.ErrAbortHandler:
				panic(p)
			default:
				s.Log.Error("panic", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				refuse(w, http.StatusInternalServerError, "memoryd made a mistake with this page. The server goes on, and its log tells more; nothing was half-written.")
			}
		}()
		next.ServeHTTP(w, r)
	})
}
