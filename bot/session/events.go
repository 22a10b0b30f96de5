package session

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"sluice/bot/httpapi"
	"sluice/engine/authority"
	"sluice/engine/importer/draftchart"
)

// events tells a reader of a session's chart, map and run, now and after each change, until the reader goes or may not see it any more.
func (h *Handler) events(w http.ResponseWriter, r *http.Request) {
	c, p, ok := h.enter(w, r)
	if !ok {
		return
	}
	x, err := h.see(r.Context(), c, p, r.PathValue("id"))
	if err != nil {
		h.refuse(w, err)
		return
	}
	if h.active.Add(1) > readersMost {
		h.active.Add(-1)
		httpapi.Later(w, http.StatusServiceUnavailable, httpapi.Problem{Code: "too_many_readers", Error: "Too many programs read events at the moment. Try again later."})
		return
	}
	defer h.active.Add(-1)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	s := stream{w: w, flush: http.NewResponseController(w)}
	if err := h.follow(r, c, &s, x); err != nil && r.Context().Err() == nil {
		h.log.Debug("a reader of events was cut off", "error", err)
	}
}

// follow sends a session's state whenever it is another one.
func (h *Handler) follow(r *http.Request, c *Config, s *stream, x found) error {
	ctx := r.Context()
	p, err := x.planning(ctx, c.Store)
	if err == nil {
		err = s.state(x.version, draftchart.Planning{}, p)
	}
	if err == nil {
		err = s.status(ctx, c, x)
	}
	if err != nil {
		return err
	}
	ticks, beats := time.NewTicker(h.look), time.NewTicker(h.beat)
	defer ticks.Stop()
	defer beats.Stop()
	for {
		beat := false
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		case <-beats.C:
			beat = true
		}
		next, err := h.find(ctx, c.Store, r.PathValue("id"))
		if err != nil {
			return err
		}
		same, still := next.version == x.version, next.moved == x.moved
		if same && still && !beat {
			continue
		}
		if err := h.stillMay(ctx, c, r, next); err != nil {
			return err
		}
		was := p
		switch {
		case same && still:
			err = s.ping()
		case same:
			err = s.status(ctx, c, next)
		default:
			if p, err = next.planning(ctx, c.Store); err == nil {
				err = s.state(next.version, was, p)
			}
			if err == nil {
				err = s.status(ctx, c, next)
			}
		}
		if err != nil {
			return err
		}
		x = next
	}
}

// stillMay asks again for the token and what its person may see.
func (h *Handler) stillMay(ctx context.Context, c *Config, r *http.Request, x found) error {
	var p authority.Principal
	p, err := h.principal(ctx, c, r.Header.Get("Authorization"))
	if err != nil {
		return err
	}
	return c.Rights.May(ctx, p, x.action, x.about)
}

// stream writes events.
type stream struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	shown map[string]draftchart.Shown // of a run
}

// state sends what is shown now, where it is not what was shown before.
func (s *stream) state(version string, was, is draftchart.Planning) error {
	if is.Draft != nil && !is.Building {
		if err := s.event(version, is.DraftEvent()); err != nil {
			return err
		}
	}
	if was.Dissolved == nil && is.Dissolved == nil {
		return s.ping()
	}
	return s.event(version, is.MapEvent())
}

// status sends where a run stands, where that is not what was shown before.
func (s *stream) status(ctx context.Context, c *Config, x found) error {
	a, err := x.status(ctx, c.Runs)
	if err != nil || maps.Equal(a.Nodes, s.shown) {
		return err
	}
	s.shown = a.Nodes
	return s.event(fmt.Sprintf("%s-%d", x.version, x.moved), a.Event())
}

func (s *stream) event(version string, e draftchart.Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write event %s: %w", e.Type, err)
	}
	return s.write("id: %s\nevent: message\ndata: %s\n\n", version, data)
}

// ping keeps the connection from being taken for dead.
func (s *stream) ping() error { return s.write(": nothing new\n\n") }

func (s *stream) write(format string, args ...any) error {
	if err := s.flush.SetWriteDeadline(time.Now().Add(writeMost)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.w, format, args...); err != nil {
		return err
	}
	return s.flush.Flush()
}
