package httpapi

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"sluice/storage"
)

const (
	readyMost = 2 * time.Second // how long the store may take to answer
	readyFor  = time.Second     // how long an answer counts: requests from outside do not ask the store more often
)

// readiness remembers what the store said last.
type readiness struct {
	mu    sync.Mutex
	asked time.Time
	err   error
}

// Finding is something that is wrong around the process.
type Finding struct {
	Text string // what is wrong, what it means, what to do
	// Stops means that nothing can be taken while it lasts; any other finding leaves the process ready.
	Stops bool
}

// waiting is why the process does not serve yet.
type waiting struct{ reason string }

// Error is the reason.
func (w waiting) Error() string { return w.reason }

// NotServing sets the sentence in which /readyz says why the process does not serve yet.
func (s *Server) NotServing(reason string) { s.waits.Store(&waiting{reason}) }

// live says that the process is there.
func (s *Server) live(w http.ResponseWriter, _ *http.Request) {
	Answer(w, http.StatusOK, status{Status: "live"})
}

// readyNow says whether deliveries can be taken, and what is wrong.
func (s *Server) readyNow(w http.ResponseWriter, r *http.Request) {
	c := s.open.Load()
	if c == nil {
		s.notReady(w, *s.waits.Load(), nil)
		return
	}
	findings, stops := c.findings()
	err := s.ready.ask(r.Context(), s.now(), c.Store)
	switch {
	case err == nil && !stops:
		Answer(w, http.StatusOK, status{Status: "ready", Problems: findings})
	case err == nil:
		s.notReady(w, waiting{findings[0]}, findings[1:])
	case errors.Is(err, storage.ErrFull):
		s.log.Info("not ready", "error", err)
		s.notReady(w, waiting{"The database is full: nothing new is taken and runs stand still, without a loss. Make space; all goes on by itself."}, findings)
	default:
		s.log.Info("not ready", "error", err)
		s.notReady(w, waiting{"The database does not answer: nothing new is taken and runs stand still, without a loss. All goes on by itself when it is back."}, findings)
	}
}

func (s *Server) notReady(w http.ResponseWriter, why waiting, more []string) {
	Later(w, http.StatusServiceUnavailable, Problem{Code: "unavailable", Error: why.reason, Problems: more})
}

// findings lists what is wrong; findings that stop the process come first.
func (c *Config) findings() (texts []string, stops bool) {
	if c.Findings == nil {
		return nil, false
	}
	var others []string
	for _, f := range c.Findings() {
		if f.Stops {
			texts = append(texts, f.Text)
		} else {
			others = append(others, f.Text)
		}
	}
	return append(texts, others...), len(texts) > 0
}

// ask says whether the store takes what is to be stored. An answer counts for a moment.
func (r *readiness) ask(ctx context.Context, now time.Time, store Store) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if age := now.Sub(r.asked); age >= 0 && age < readyFor {
		return r.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyMost)
	defer cancel()
	r.err = store.Probe(ctx)
	r.asked = now
	return r.err
}
