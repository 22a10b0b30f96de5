package session

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"sluice/bot/httpapi"
	"sluice/engine/authority"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/token"
)

// Path is where sessions lie.
const Path = "/api/sessions/"

// Rights says who somebody is and what they may do. The engine does.
type Rights interface {
	Principal(ctx context.Context, a history.Actor) (authority.Principal, error)
	May(ctx context.Context, p authority.Principal, a authority.Action, about people.About) error
}

// Config is what sessions are read from.
type Config struct {
	Store  Store
	Rights Rights
	Runs   Runs
	Define Define
	Remove Remove
}

// Handler answers requests below Path. It is safe for concurrent use; it answers once it is open.
type Handler struct {
	log    *slog.Logger
	mux    *http.ServeMux
	open   atomic.Pointer[Config]
	active atomic.Int64 // readers of events
	look   time.Duration
	beat   time.Duration
	now    func() time.Time
}

const (
	// look is how often a session is looked at for somebody who reads its events.
	look = time.Second
	// beat is how often a reader of events hears something though nothing changes, and is asked again what they may see.
	beat = 20 * time.Second
	// writeMost is how long a reader of events may take to read; slower ones are cut off.
	writeMost = 10 * time.Second
	// readersMost bounds the readers of events: each costs a look a second.
	readersMost = 128
)

// New makes a handler that is not open yet.
func New(log *slog.Logger) *Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	h := &Handler{log: log, mux: http.NewServeMux(), look: look, beat: beat, now: time.Now}
	h.mux.HandleFunc("GET "+Path+"{id}/draft-graph", h.draft)
	h.mux.HandleFunc("GET "+Path+"{id}/flowchart-map", h.mapped)
	h.mux.HandleFunc("GET "+Path+"{id}/draft-status", h.status)
	h.mux.HandleFunc("GET "+Path+"{id}/record", h.record)
	h.mux.HandleFunc("GET "+Path+"{id}/events", h.events)
	h.mux.HandleFunc("PUT "+WorkflowPath+"{id}", h.define)
	h.mux.HandleFunc("DELETE "+WorkflowPath+"{id}", h.remove)
	return h
}

// Open lets requests in.
func (h *Handler) Open(c Config) { h.open.Store(&c) }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

func (h *Handler) draft(w http.ResponseWriter, r *http.Request) {
	h.answer(w, r, func(c *Config, x found) (any, error) {
		p, err := x.planning(r.Context(), c.Store)
		if p.Building {
			return struct {
				Draft any `json:"draft"`
			}{}, err
		}
		return p.DraftAnswer(), err
	})
}

func (h *Handler) mapped(w http.ResponseWriter, r *http.Request) {
	h.answer(w, r, func(c *Config, x found) (any, error) {
		p, err := x.planning(r.Context(), c.Store)
		return p.MapAnswer(), err
	})
}

// answer finds the session of a request for the token's person, and answers with what is made of it.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, body func(*Config, found) (any, error)) {
	ctx, cancel := context.WithTimeout(r.Context(), httpapi.RequestMost)
	defer cancel()
	r = r.WithContext(ctx)
	c, p, ok := h.enter(w, r)
	if !ok {
		return
	}
	x, err := h.see(ctx, c, p, r.PathValue("id"))
	if err == nil {
		var out any
		if out, err = body(c, x); err == nil {
			httpapi.Answer(w, http.StatusOK, out)
			return
		}
	}
	h.refuse(w, err)
}

// enter says for whom a request is made. Not ok: it has been answered.
func (h *Handler) enter(w http.ResponseWriter, r *http.Request) (c *Config, p authority.Principal, ok bool) {
	if c = h.open.Load(); c == nil {
		httpapi.Later(w, http.StatusServiceUnavailable, httpapi.Problem{Code: "not_serving", Error: "This process does not serve yet. Try again in a moment."})
		return nil, p, false
	}
	p, err := h.principal(r.Context(), c, r.Header.Get("Authorization"))
	if err != nil {
		h.refuse(w, err)
		return nil, p, false
	}
	return c, p, true
}

// principal gives the person whose token a header has.
func (h *Handler) principal(ctx context.Context, c *Config, header string) (authority.Principal, error) {
	scheme, secret, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return authority.Principal{}, token.ErrUnknown
	}
	t, err := token.Find(ctx, c.Store, strings.TrimSpace(secret), h.now())
	if err != nil {
		return authority.Principal{}, err
	}
	return c.Rights.Principal(ctx, history.Actor{User: t.User, Via: history.ViaHTTP})
}

// refuse answers a request that cannot be answered otherwise.
func (h *Handler) refuse(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, token.ErrUnknown):
		w.Header().Set("WWW-Authenticate", `Bearer realm="sluice"`)
		httpapi.Answer(w, http.StatusUnauthorized, httpapi.Problem{
			Code: "unauthorized", Error: "Send a token that counts as \"Authorization: Bearer ...\". `sluice token create` makes one for a person.",
		})
	case errors.Is(err, errAbsent):
		httpapi.Answer(w, http.StatusNotFound, httpapi.Problem{Code: "no_such_session", Error: "There is no such session, or the token's person may not see it."})
	case errors.Is(err, errNoRecord):
		httpapi.Answer(w, http.StatusNotFound, httpapi.Problem{
			Code: "no_record", Error: "There is a record of runs alone, and only where the flow came as a graph of agents. Ask for draft-status to see where another run stands.",
		})
	default:
		h.log.Error("a question about a session was not answered", "error", err)
		httpapi.Later(w, http.StatusServiceUnavailable, httpapi.Problem{Code: "unavailable", Error: "This cannot be answered at the moment. Try again."})
	}
}
