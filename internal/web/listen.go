package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/live"
	"github.com/memoryd/memoryd/pkg/config"
)

// Limits of the server.
const (
	maxClients    = 200
	headerTimeout = 10 * time.Second
)

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
	if dir := o.Store.Dir(); dir != "" {
		if s.folder, err = os.Stat(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("serve the dashboard: %w", err), listener.Close())
		}
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.words.Cache, s.words.Log = o.Store.Cache(), o.Log
	s.live = live.New(o.Store, o.Now, live.Listen(o.Store, o.Log))
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

// Run serves until ctx is done, or no request has come for [Options.IdleExit]. A run that has
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
