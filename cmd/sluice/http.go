package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"sluice/bot/httpapi"
	"sluice/bot/session"
	"sluice/bot/webhook"
	"sluice/engine/flow"
	"sluice/engine/secret"
)

// httpSettings is where other programs reach this one.
type httpSettings struct {
	HTTPAddr       string   `name:"http-addr" env:"SLUICE_HTTP_ADDR" help:"host:port where webhooks (/hooks/...) and questions about health (/healthz, /readyz) are answered; a port alone (:8080) is for this machine only. Empty = nowhere."`
	APIAddr        string   `name:"api-addr" env:"SLUICE_API_ADDR" help:"host:port where programs ask for the charts of drafts and runs (/api/sessions/...) with a token (sluice token create); a port alone (:8090) is for this machine only. Empty = nowhere."`
	TrustedProxies []string `name:"trusted-proxies" env:"SLUICE_TRUSTED_PROXIES" help:"Addresses or ranges (CIDR) of proxies in front of it, whose X-Forwarded-For says who sends. Without it a proxy's senders share the bounds of one address."`
}

// wrong lists the errors of the settings.
func (h *httpSettings) wrong() (all []string) {
	if _, err := httpapi.ParseProxies(h.TrustedProxies); err != nil {
		all = append(all, fmt.Sprintf("SLUICE_TRUSTED_PROXIES: %v", err))
	}
	for name, addr := range map[string]string{"SLUICE_HTTP_ADDR": h.HTTPAddr, "SLUICE_API_ADDR": h.APIAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil && addr != "" {
			all = append(all, fmt.Sprintf("%s: %q is no address: write host:port, or :port for this machine only", name, addr))
		}
	}
	if h.APIAddr != "" && h.APIAddr == h.HTTPAddr {
		all = append(all, "SLUICE_API_ADDR: programs with tokens ask at an address of their own, not at SLUICE_HTTP_ADDR")
	}
	slices.Sort(all)
	return all
}

// httpServer is the HTTP side of the program.
type httpServer struct {
	*httpapi.Server
	hooks    *webhook.Handler
	api      *httpapi.Server // at an address of its own
	sessions *session.Handler
}

// server makes the HTTP side, which is not open yet.
func (h *httpSettings) server(log *slog.Logger) *httpServer {
	proxies, _ := httpapi.ParseProxies(h.TrustedProxies) // wrong has refused what cannot be read
	s := &httpServer{httpapi.New(log, proxies), webhook.New(log, proxies), httpapi.New(log, proxies), session.New(log)}
	s.Handle(webhook.Path, s.hooks)
	s.api.Handle(session.Path, s.sessions)
	s.api.Handle(session.WorkflowPath, s.sessions)
	return s
}

// open lets deliveries in, once the program serves.
func (s *httpServer) open(h *app) {
	s.hooks.Open(webhook.Config{Hooks: h.bot.Hooks, Secrets: h.secrets})
	s.sessions.Open(session.Config{Store: h.store, Rights: h.engine, Runs: h.engine, Define: h.bot.Define, Remove: h.bot.Remove})
	s.Open(httpapi.Config{Store: h.store, Findings: h.findings})
	s.api.Open(httpapi.Config{Store: h.store, Findings: h.findings})
}

// listenHere opens an address. Without a host it is this machine's own.
func listenHere(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// httpListener is the HTTP side of a program, whose address is open from its start on.
type httpListener struct {
	*httpServer
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// listenHTTP answers HTTP at the addresses of the settings, if there are any, until ctx ends or it is closed.
func listenHTTP(ctx context.Context, h httpSettings, log *slog.Logger) (*httpListener, error) {
	ctx, cancel := context.WithCancel(ctx)
	d := &httpListener{httpServer: h.server(log), cancel: cancel}
	for addr, s := range map[string]*httpapi.Server{h.HTTPAddr: d.Server, h.APIAddr: d.api} {
		if addr == "" {
			continue
		}
		l, err := listenHere(addr)
		if err != nil {
			d.close()
			return nil, fmt.Errorf("listen for HTTP: %w", err)
		}
		d.done.Go(func() {
			if err := s.Serve(ctx, l); err != nil {
				log.Error("HTTP is not answered any more", "address", addr, "error", err)
			}
		})
	}
	return d, nil
}

// close waits until requests under way have ended. It may be called more than once.
func (d *httpListener) close() {
	d.cancel()
	d.done.Wait()
}

// beside puts the HTTP side in front of another handler, which has all other paths.
func beside(api *httpServer, other http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{webhook.Path, httpapi.Live, httpapi.Ready} {
		mux.Handle(path, api)
	}
	mux.Handle(session.Path, api.sessions)
	mux.Handle(session.WorkflowPath, api.sessions)
	mux.Handle("/", other)
	return mux
}

// hookProblem gives the reason why webhooks cannot be received here.
func hookProblem(ctx context.Context, c *config, secrets *secret.Env) func(name string, w flow.WebhookTrigger) string {
	return func(name string, w flow.WebhookTrigger) string {
		var all []string
		if c.HTTPAddr == "" {
			all = append(all, "nothing listens for webhooks here; set SLUICE_HTTP_ADDR to a host and port")
		}
		if err := webhook.CheckSecret(ctx, secrets, name, w); err != nil {
			all = append(all, err.Error())
		}
		return strings.Join(all, "; ")
	}
}
