package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"sluice/cmd/sluice/browser"
	"sluice/storage"
)

// opsSettings is where operators look at the queue.
type opsSettings struct {
	OpsAddr  string   `name:"ops-addr" env:"SLUICE_OPS_ADDR" help:"host:port of the operators' pages, where the queue of a Postgres can be looked at; a port alone (:8090) is for this machine only. Empty = none."`
	OpsToken string   `name:"ops-token" env:"SLUICE_OPS_TOKEN" help:"What operators give to see these pages: as bearer token, or as password under any name." secret:""`
	OpsHosts []string `name:"ops-hosts" env:"SLUICE_OPS_HOSTS" help:"Names under which operators open these pages, besides addresses and localhost: such as the name that a proxy has."`
}

const (
	opsPath = "/river"
	// opsTokenLeast is how long a token must be, so that it cannot be guessed.
	opsTokenLeast = 16
)

// wrong lists the errors of the settings.
func (o *opsSettings) wrong(kind string) (all []string) {
	if o.OpsAddr == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(o.OpsAddr); err != nil {
		all = append(all, fmt.Sprintf("SLUICE_OPS_ADDR: %q is no address: write host:port, or :port for this machine only", o.OpsAddr))
	}
	if len(o.OpsToken) < opsTokenLeast {
		all = append(all, fmt.Sprintf("SLUICE_OPS_TOKEN must have at least %d characters: operators give it to see the pages at SLUICE_OPS_ADDR", opsTokenLeast))
	}
	if kind == storage.SQLite {
		all = append(all, "SLUICE_OPS_ADDR: the pages show the queue in a Postgres, and SQLite has none: leave it empty, or set DATABASE_URL")
	}
	return all
}

// listen opens the operators' address. Without a host it is this machine's own.
func (o *opsSettings) listen() (net.Listener, error) {
	l, err := listenHere(o.OpsAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for operators: %w", err)
	}
	return l, nil
}

// hosts are the names under which the pages may be asked for.
func (o *opsSettings) hosts(l net.Listener) browser.Hosts {
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsLoopback() && len(o.OpsHosts) == 0 {
		return browser.Loopback(l)
	}
	h := browser.Hosts{IPs: true}
	host, _, _ := net.SplitHostPort(o.OpsAddr)
	for _, name := range append([]string{host}, o.OpsHosts...) {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			h.Names = append(h.Names, name)
		}
	}
	return h
}

// pages makes what operators may look at.
type pages func(ctx context.Context, path string) (http.Handler, error)

// serveOps serves the operators' pages on a listener until ctx ends.
func serveOps(ctx context.Context, l net.Listener, o *opsSettings, queue pages, log *slog.Logger) error {
	page, err := queue(ctx, opsPath)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	mux := http.NewServeMux()
	mux.Handle(opsPath+"/", page)
	mux.Handle("GET /{$}", http.RedirectHandler(opsPath+"/", http.StatusFound))
	s := &http.Server{
		Handler: browser.OwnPages(o.hosts(l), log, "Open an address of this machine, or name the host in SLUICE_OPS_HOSTS.", forOperators(o.OpsToken, mux)), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	stop := context.AfterFunc(ctx, func() {
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), opsLeave)
		defer cancel()
		if s.Shutdown(leaving) != nil {
			// A page that is still being loaded is cut off.
			_ = s.Close()
		}
	})
	defer stop()
	log.Info("operators may look at the queue", "address", "http://"+l.Addr().String()+opsPath+"/")
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve operators: %w", err)
	}
	return nil
}

// opsLeave is how long a stop waits for pages that are being loaded.
const opsLeave = 2 * time.Second

// forOperators lets a request with the token through, and takes it out of the request.
func forOperators(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			_, given, ok = r.BasicAuth()
		}
		// The sums are of one length, whatever was given: the time it takes to compare them tells nothing.
		got := sha256.Sum256([]byte(given))
		if !ok || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="Sluice operators", charset="UTF-8"`)
			http.Error(w, "These pages are for operators: give the token of SLUICE_OPS_TOKEN as bearer token or as password.", http.StatusUnauthorized)
			return
		}
		r = r.Clone(r.Context())
		r.Header.Del("Authorization")
		next.ServeHTTP(w, r)
	})
}
