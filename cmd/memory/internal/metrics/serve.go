package metrics

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
)

// ErrPublic is an address that other machines can reach.
var ErrPublic = errors.New("other machines can reach that address")

// Path is where the metrics are.
const Path = "/metrics"

// Server serves metrics until it is closed.
type Server struct {
	URL    string
	server *http.Server
	ended  chan error
}

// Serve listens at an address, such as 127.0.0.1:9464; port 0 is any free one. One
// that other machines can reach is an ErrPublic, unless public is set.
func (m *Metrics) Serve(address string, public bool) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("serve metrics at %s: %w", address, err)
	}
	if !public && !config.IsLoopback(host) {
		return nil, fmt.Errorf("serve metrics at %s: %w", address, ErrPublic)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve metrics at %s: %w", address, err)
	}
	at := listener.Addr().String()
	if real, _, err := net.SplitHostPort(at); err == nil && !public && !config.IsLoopback(real) { // what localhost stands for here
		return nil, errors.Join(fmt.Errorf("serve metrics at %s: %w", at, ErrPublic), listener.Close())
	}
	s := &Server{
		URL:   "http://" + at + Path,
		ended: make(chan error, 1),
		server: &http.Server{
			Handler: m.Handler(public), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second,
			WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		},
	}
	go func() { s.ended <- s.server.Serve(listener) }()
	return s, nil
}

// Handler answers at one path. On this machine only, a request must name it as
// such: a page of the web that has its own name point here may read nothing.
func (m *Metrics) Handler(public bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		if !public && !config.IsLoopback(host) {
			http.Error(w, "ask for 127.0.0.1", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(m.text()) // who asks may have gone
	})
	return mux
}

// Close ends it at once.
func (s *Server) Close() error {
	err := s.server.Close()
	if served := <-s.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
