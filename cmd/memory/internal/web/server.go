package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
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
	idle     *time.Timer
}

// Listen opens the address of the options; where it is taken, the next free port of the same host. It
// refuses an address beyond this machine without TLS and a token.
func Listen(o Options) (*Server, error) {
	host, port, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("serve the dashboard at %s: %w", o.Address, err)
	}
	o.Public = !config.IsLoopback(host)
	if o.Public && (!o.TLS || len(o.Tokens) == 0 || o.LocalTokens) {
		return nil, fmt.Errorf("serve the dashboard at %s: %w", o.Address, ErrPublic)
	}
	if o.TLS {
		if _, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile); err != nil {
			return nil, fmt.Errorf("serve the dashboard with the certificate %s: %w", o.CertFile, err)
		}
	}
	listener, err := listenNear(host, port)
	if err != nil {
		return nil, fmt.Errorf("serve the dashboard at %s: %w", o.Address, err)
	}
	s := &Server{Options: o, listener: listener}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.words.Cache, s.words.Log = o.Store, o.Log
	s.live = live.New(o.Store, o.Now, live.Listen(o.Store.Dir(), o.Store.Network() != "", o.Log))
	s.guard = newGuard(listener.Addr().String(), &s.Options)
	s.http = &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	return s, nil
}

// portsTried is how many ports behind a taken one are tried.
const portsTried = 20

// listenNear listens at a port, or where it is taken at one of the next.
func listenNear(host, port string) (net.Listener, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	n, numeric := strconv.Atoi(port)
	if err == nil || numeric != nil || n <= 0 {
		return listener, err
	}
	for next := n + 1; next <= min(n+portsTried, 65535); next++ {
		if l, e := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(next))); e == nil {
			return l, nil
		}
	}
	return nil, err
}

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

// Run serves until ctx is done, or nobody has asked for [Options.IdleExit]. A run that has
// begun is finished.
func (s *Server) Run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.IdleExit > 0 {
		s.idle = time.AfterFunc(s.IdleExit, cancel)
	}
	served := make(chan error, 1)
	go func() {
		listener := limit(s.listener, maxClients)
		if s.TLS {
			served <- s.http.ServeTLS(listener, s.CertFile, s.KeyFile)
		} else {
			served <- s.http.Serve(listener)
		}
	}()
	go s.feed.run(ctx, s)
	select {
	case err = <-served:
	case <-ctx.Done():
		s.feed.close()
		err = s.http.Shutdown(context.WithoutCancel(ctx))
		<-served
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.close())
}

// close ends what is done beside requests.
func (s *Server) close() error {
	s.cancel()
	s.beside.Wait()
	return s.live.Close()
}

// limit lets so many connections be open at a time.
func limit(l net.Listener, n int) net.Listener { return &limited{l, make(chan struct{}, n)} }

type limited struct {
	net.Listener
	slots chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &counted{Conn: conn, end: sync.OnceFunc(func() { <-l.slots })}, nil
}

type counted struct {
	net.Conn
	end func()
}

func (c *counted) Close() error {
	defer c.end()
	return c.Conn.Close()
}

// Handler answers all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range s.routes() {
		mux.Handle(pattern, s.answer(handle))
	}
	mux.Handle("GET /static/", static())
	mux.Handle("GET /api/v1/feed", http.HandlerFunc(s.serveFeed))
	return s.guard.protect(s.noteUse(s.recovered(mux)))
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

// handler answers a request with a page, a document or another address; see [reply].
type handler func(*http.Request) (*reply, error)

func (s *Server) routes() map[string]handler {
	return map[string]handler{
		"GET /{$}":                    s.overviewPage,
		"GET /plan":                   s.planPage,
		"GET /plan/{run}":             s.shownPlanPage,
		"GET /plan/{run}/{n}":         s.planActionPage,
		"POST /plan/{run}":            s.applyPlan,
		"GET /review":                 s.reviewPage,
		"POST /review":                s.decide,
		"GET /memories":               s.memoriesPage,
		"GET /memories/{id}":          s.memoryPage,
		"POST /memories/{id}/tags":    s.tagMemory,
		"POST /memories/{id}/content": s.editMemory,
		"POST /memories/{id}/archive": s.archiveMemory,
		"POST /memories/{id}/restore": s.restoreMemory,
		"GET /runs":                   s.runsPage,
		"GET /runs/{run}":             s.runPage,
		"GET /runs/{run}/undo":        s.undoPage,
		"POST /runs/{run}/undo":       s.undo,
		"GET /forecast":               s.forecastPage,
		"GET /links":                  s.linksPage,
		"GET /trends":                 s.trendsPage,
		"GET /trends.csv":             s.trendsCSV,
		"GET /receipts":               s.receiptsPage,
		"GET /schedules":              s.schedulesPage,
		"POST /schedules":             s.setSchedule,
		"GET /api/v1/{document}":      s.document,
		"GET /api/v1/{document}/{id}": s.documentOf,
		"POST /api/v1/key":            s.keyDocument,
		"POST /api/v1/plan/{run}":     s.applyPlan,
		"POST /api/v1/review":         s.decide,
		"GET /":                       s.nothingHere,
	}
}
