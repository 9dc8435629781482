package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/cmd/memory/internal/live"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// ErrPublic is an address that other machines can reach, without TLS or a token.
var ErrPublic = errors.New("other machines can reach that address: give --tls-cert, --tls-key and --token-file")

// DefaultAddress is where the dashboard is served.
const DefaultAddress = "127.0.0.1:7420"

// Options say for what workspace a server answers, and to whom.
type Options struct {
	Store    *workspace.FileStore
	Name     string                         // of the workspace, where it has no directory
	SignedIn string                         // who is served, where several are
	Guest    Guest                          // what they may do; nil: everything
	Meanings *app.Embeddings                // by which searches compare meanings; nil: by words alone
	Settings func() (*config.Config, error) // as they are at the moment
	Now      func() time.Time               // of the workspace
	Clock    func() time.Time               // of the machine
	Started  func() time.Time               // when a run begins, for its duration
	Log      *slog.Logger
	Version  string

	// Schedule lists the runs to come; with what each would do now, if would is set.
	Schedule func(ctx context.Context, snap *memory.Snapshot, would bool) (*app.ScheduleDocument, error)
	Watched  func() (*app.WatchDocument, error) // the process that watches the workspace
	// SetSetting gives the text of memory.toml before and after a change of one setting, and writes it if write is set.
	// A schedule without a value is taken out.
	SetSetting func(key, value string, write bool) (before, after []byte, err error)

	Address     string
	Hosts       []string      // further names by which the server may be asked
	Session     time.Duration // how long a browser stays signed in
	IdleExit    time.Duration // ends the server after so long without a request; 0: never
	Tokens      []string      // of programs
	LocalTokens bool          // the tokens are of programs of this machine only: no address beyond it may be served
	ReadOnly    bool
	TLS         bool
	CertFile    string
	KeyFile     string
	Public      bool // set by Listen
}

// Limits of the server.
const (
	maxClients    = 200
	headerTimeout = 10 * time.Second
	keyPath       = "/api/v1/key" // a POST with a bearer token gives a one-time key
)

// Server serves the dashboard of one workspace.
type Server struct {
	Options
	live     *live.Workspace
	guard    *guard
	words    live.Words
	plans    plans
	lists    lists
	feed     feed
	graphs   graphs
	next     figure[oplog.Stats]
	counted  figure[*app.StatusDocument]
	foretold figure[*foretold]
	ctx      context.Context // of what is done beside requests; ends with the server
	cancel   context.CancelFunc
	beside   sync.WaitGroup
	listener net.Listener
	http     *http.Server
	served   http.Handler // the pages, where somebody else guards them
	idle     *time.Timer
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
