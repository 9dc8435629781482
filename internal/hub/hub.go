package hub

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/internal/web"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// DefaultAddress is where a hub is served.
const DefaultAddress = "127.0.0.1:7421"

// ErrPublic is an address that other machines can reach, without TLS.
var ErrPublic = errors.New("other machines can reach that address: give --tls-cert and --tls-key, or --behind-proxy where a proxy does TLS")

// ErrUnnamed: tokens are issued for an address, and which one others use is not known.
var ErrUnnamed = errors.New("an issuer gives tokens for the address by which others reach the hub: give it with --url, such as https://hub.example")

// Limits of the server.
const (
	headerTimeout = 10 * time.Second
	session       = 12 * time.Hour   // for which a browser stays signed in
	flushEvery    = 2 * time.Second  // between two looks at what was read
	stopTimeout   = 20 * time.Second // for requests and runs that have begun
	maxBody       = 8 << 20
)

// Options say what a hub serves, and where.
type Options struct {
	DB       *sqldisk.DB
	Address  string
	Workers  int // that run what is due; 0: none
	TLS      *tls.Config
	Proxied  bool     // a proxy before it does TLS
	Public   *url.URL // how others reach it; nil: by the address
	Hosts    []string // further names by which browsers may ask
	Log      *slog.Logger
	Metrics  *metrics.Metrics
	Version  string
	Now      func() time.Time
	Issuer   *Issuer // whose access tokens are taken, besides our own; nil: none
	Resident int     // workspaces that are kept in memory; 0: the default
	// SetSetting is the text of memory.toml with another value of a setting; "" takes a schedule out.
	SetSetting func(text []byte, key, value string) ([]byte, error)
}

// resident is the default of [Options.Resident].
const resident = 256

// Hub serves a database.
type Hub struct {
	Options
	listener net.Listener
	life     context.Context // of what outlives a request
	boards   *web.Workspaces
	settling sync.WaitGroup // ends of sessions

	mu    sync.Mutex
	rooms map[string]*room
}

// Check tells what speaks against an address: it is one beyond this machine, without TLS ([ErrPublic]), or
// without a name that tokens can be issued for ([ErrUnnamed]).
func (o *Options) Check() error {
	host, _, err := net.SplitHostPort(o.Address)
	if err == nil && o.TLS == nil && !o.Proxied && !config.IsLoopback(host) {
		err = ErrPublic
	}
	if err == nil && o.Issuer != nil && o.Public == nil && (o.Proxied || !config.IsLoopback(host)) {
		err = ErrUnnamed
	}
	if err != nil {
		return fmt.Errorf("serve the hub at %s: %w", o.Address, err)
	}
	return nil
}

// Listen opens the address of the options, if [Options.Check] lets it.
func Listen(o Options) (*Hub, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, fmt.Errorf("serve the hub: %w", err)
	}
	if o.TLS != nil {
		listener = tls.NewListener(listener, o.TLS)
		o.Hosts = append(slices.Clone(o.Hosts), certified(o.TLS)...)
	}
	return New(o, listener), nil
}

// certified are the names of a server by its certificates.
func certified(c *tls.Config) (all []string) {
	for _, cert := range c.Certificates {
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil { // no browser takes it
			continue
		}
		all = append(all, leaf.DNSNames...)
		for _, ip := range leaf.IPAddresses {
			all = append(all, ip.String())
		}
	}
	return all
}

// New is a hub that serves what a listener accepts.
func New(o Options, listener net.Listener) *Hub {
	if o.Resident == 0 {
		o.Resident = resident
	}
	h := &Hub{Options: o, listener: listener, rooms: map[string]*room{}, life: context.Background()}
	h.boards = web.NewWorkspaces(web.WorkspacesOptions{
		Address: listener.Addr().String(), Public: o.Public, Hosts: o.Hosts, TLS: o.TLS != nil, Session: session, Clock: o.Now, Log: o.Log, Enter: h.visit,
	})
	return h
}

// URL is where it is served.
func (h *Hub) URL() string {
	scheme := "http://"
	if h.TLS != nil {
		scheme = "https://"
	}
	return scheme + h.listener.Addr().String()
}

// Run serves until ctx is done; then requests and runs that have begun are finished, for 20
// seconds at most.
func (h *Hub) Run(ctx context.Context) error {
	if err := h.DB.FreeLeases(ctx); err != nil {
		return fmt.Errorf("begin to serve: %w", err)
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	h.life = life
	server := &http.Server{
		Handler: h.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(h.Log.Handler(), slog.LevelWarn),
	}
	server.RegisterOnShutdown(h.endFeeds)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(h.listener) }()
	var crew sync.WaitGroup
	for range h.Workers {
		crew.Go(func() { h.work(ctx, life) })
	}
	crew.Go(func() { h.flush(ctx) })
	var failed error
	select {
	case failed = <-ended:
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(life, stopTimeout)
	defer cancel()
	defer context.AfterFunc(stopping, end)() // a run that takes longer is given up: nothing of it has happened
	err := server.Shutdown(stopping)
	if failed == nil {
		failed = <-ended
	}
	crew.Wait()
	if errors.Is(failed, http.ErrServerClosed) {
		failed = nil
	}
	return errors.Join(failed, err, h.close())
}

// Handler answers requests.
func (h *Hub) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", h.healthz)
	if h.Metrics != nil {
		mux.Handle("GET "+metrics.Path, h.Metrics.Handler(true))
	}
	mux.Handle(mcpPath+"{workspace}", h.named(h.mcp))
	mux.Handle("GET "+hookPath+"{workspace}", h.named(h.principal))
	mux.Handle("POST "+hookPath+"{workspace}/{host}/{event}", h.named(h.hook))
	mux.HandleFunc("GET "+metadataPath, h.metadata)
	mux.HandleFunc("GET "+metadataPath+mcpPath+"{workspace}", h.metadata)
	mux.HandleFunc("GET /.well-known/", http.NotFound)
	mux.Handle("/", h.boards)
	return mux
}

// named answers programs that ask by a name of the hub and from no page of another site. By which names a proxy is asked, or an address
// that other machines reach, is known only if the options say so.
func (h *Hub) named(handle http.HandlerFunc) http.Handler {
	inner := http.NewCrossOriginProtection().Handler(handle)
	host, _, _ := net.SplitHostPort(h.listener.Addr().String())
	strict := h.Public != nil || !h.Proxied && config.IsLoopback(host)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strict && !h.boards.Knows(r) {
			http.Error(w, "this is not the name of this server: --url says how others reach it", http.StatusMisdirectedRequest)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// healthz tells whether the database answers: 200, or 503.
func (h *Hub) healthz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err := h.DB.Ready(ctx); err != nil {
		h.Log.Error("not healthy", "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "the database can't be used: the log says why")
		return
	}
	fmt.Fprintln(w, "ok")
}

// mcp answers a request of an agent.
func (h *Hub) mcp(w http.ResponseWriter, r *http.Request) {
	who, room, ok := h.enter(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	room.guest(who).handler.ServeHTTP(w, r)
}

// enter finds who asks, and the workspace that is asked; where there is none, the request is answered.
func (h *Hub) enter(w http.ResponseWriter, r *http.Request) (who sqldisk.Principal, _ *room, ok bool) {
	token, given := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	ws := r.PathValue("workspace")
	asks, err := h.identify(r.Context(), ws, strings.TrimSpace(token))
	who = asks.who
	if !given || errors.Is(err, sqldisk.ErrToken) {
		h.Metrics.Asked("", "unauthorized")
		w.Header().Set("WWW-Authenticate", h.challenge(ws, given))
		http.Error(w, "a token for this workspace is needed: Authorization: Bearer TOKEN", http.StatusUnauthorized)
		return who, nil, false
	}
	if err != nil {
		h.refuse(w, ws, err)
		return who, nil, false
	}
	room, err := h.room(r.Context(), ws)
	if err != nil {
		h.refuse(w, ws, err)
		return who, nil, false
	}
	return who, room, true
}

// identity is whom a bearer token stands for in a workspace.
type identity struct {
	who   sqldisk.Principal
	until time.Time                                        // zero: now tells
	now   func(context.Context) (sqldisk.Principal, error) // with what is granted by now; [sqldisk.ErrToken] where the token has ended
}

// identify finds whom a token stands for. What it returns keeps the hash of the token only.
func (h *Hub) identify(ctx context.Context, ws, token string) (id identity, err error) {
	if h.Issuer != nil && isJWT(token) {
		return h.issued(ctx, ws, token)
	}
	hash := sqldisk.TokenHash(token)
	id.now = func(ctx context.Context) (sqldisk.Principal, error) {
		return h.DB.AuthenticateHash(ctx, ws, hash, h.Now())
	}
	id.who, err = id.now(ctx)
	return id, err
}

// refuse answers that something failed here.
func (h *Hub) refuse(w http.ResponseWriter, ws string, err error) {
	h.Log.Error("request failed", "workspace", ws, "error", err)
	h.Metrics.Asked("", "failed")
	http.Error(w, "the hub can't serve this workspace at the moment: its log says why", http.StatusServiceUnavailable)
}

// close ends what is kept of workspaces.
func (h *Hub) close() (err error) {
	h.settling.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.rooms {
		err = errors.Join(err, r.close())
	}
	return err
}

// reply answers with a JSON document.
func reply(w http.ResponseWriter, status int, answer any) {
	doc, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, "the answer can't be written", http.StatusInternalServerError)
		return
	}
	send(w, status, doc)
}

// send answers with what is JSON already.
func send(w http.ResponseWriter, status int, doc []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(doc) // who asked has gone, if it fails
}
