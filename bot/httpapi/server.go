package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"sluice/bot"
	"sluice/engine/secret"
	"sluice/storage"
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	headerMost    = 32 << 10
	// leave is how long a stop waits for requests under way.
	leave = 3 * time.Second
	// requestMost bounds one request: reading it, and what the store takes.
	requestMost = 15 * time.Second
	// together is how many deliveries may be read at once: this many bodies of bodyMost bytes are in memory.
	together = 64
)

// Config is what deliveries are given to.
type Config struct {
	Bot     *bot.Bot
	Store   storage.Store
	Secrets secret.Source
}

// Server answers HTTP requests. It is safe for concurrent use, and answers from the start; deliveries are taken once it is open.
type Server struct {
	log     *slog.Logger
	routes  *http.ServeMux
	slots   chan struct{}
	nobody  key // of no hook
	open    atomic.Pointer[Config]
	ready   readiness
	now     func() time.Time
	patient time.Duration // requestMost
}

// New makes a server that is not open yet.
func New(log *slog.Logger) *Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{log: log, routes: http.NewServeMux(), slots: make(chan struct{}, together), nobody: randomKey(), now: time.Now, patient: requestMost}
	s.routes.HandleFunc("POST "+Hooks+"{path...}", s.hook)
	s.routes.HandleFunc(Hooks, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		answer(w, http.StatusMethodNotAllowed, problem{Code: "not_post", Error: "A hook takes POST requests."})
	})
	s.routes.HandleFunc("GET "+Live, s.live)
	s.routes.HandleFunc("GET "+Ready, s.readyNow)
	return s
}

// Where the server answers.
const (
	Hooks = "/hooks/"
	Live  = "/healthz"
	Ready = "/readyz"
)

// Open lets deliveries in.
func (s *Server) Open(c Config) { s.open.Store(&c) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// Serve answers at a listener until ctx ends, and lets requests under way end then.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: headerMost,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	left := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(left)
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leave)
		defer cancel()
		if srv.Shutdown(leaving) != nil {
			_ = srv.Close() // whoever is still sending is cut off
		}
	})
	s.log.Info("HTTP is answered", "address", "http://"+l.Addr().String())
	err := srv.Serve(l)
	if !stop() {
		<-left
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}
