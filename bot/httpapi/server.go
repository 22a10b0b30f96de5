package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"
)

const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 30 * time.Second
	writeTimeout  = RequestMost + 5*time.Second
	headerMost    = 32 << 10
	// leave is how long a stop waits for requests under way.
	leave = 3 * time.Second
	// RequestMost bounds one request: reading it, and what the store takes.
	RequestMost = 15 * time.Second
)

// Store is what the server asks of the database.
type Store interface {
	Probe(ctx context.Context) error
}

// Config is what the server asks whether the program is well.
type Config struct {
	Store Store
	// Findings lists what is wrong besides the store, such as no connection to Slack; nil = nothing is known.
	Findings func() []Finding
}

// Server answers HTTP requests. It is safe for concurrent use, and answers from the start; it is ready once it is open.
type Server struct {
	log     *slog.Logger
	routes  *http.ServeMux
	proxies Proxies
	headers time.Duration // headerTimeout
	open    atomic.Pointer[Config]
	waits   atomic.Pointer[waiting]
	ready   readiness
	now     func() time.Time
}

// New makes a server that is not open yet. Of proxies it believes the addresses that they forward.
func New(log *slog.Logger, proxies Proxies) *Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{log: log, routes: http.NewServeMux(), proxies: proxies, headers: headerTimeout, now: time.Now}
	s.NotServing("This process does not serve yet: it starts, or stands by for the one that serves.")
	s.routes.HandleFunc("GET "+Live, s.live)
	s.routes.HandleFunc("GET "+Ready, s.readyNow)
	return s
}

// Where the server answers.
const (
	Live  = "/healthz"
	Ready = "/readyz"
)

// Handle adds a handler for a pattern of http.ServeMux, before the server serves.
func (s *Server) Handle(pattern string, h http.Handler) { s.routes.Handle(pattern, h) }

// Open says that the program serves.
func (s *Server) Open(c Config) { s.open.Store(&c) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// Serve answers at a listener until ctx ends, and lets requests under way end then.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: s.headers, IdleTimeout: idleTimeout, WriteTimeout: writeTimeout, MaxHeaderBytes: headerMost,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	left := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(left)
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leave)
		defer cancel()
		if srv.Shutdown(leaving) != nil {
			_ = srv.Close() // clients that still send are cut off
		}
	})
	s.log.Info("HTTP is answered", "address", "http://"+l.Addr().String())
	err := srv.Serve(&limited{Listener: l, proxies: s.proxies, from: map[netip.Prefix]int{}})
	if !stop() {
		<-left
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}
