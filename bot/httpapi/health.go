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
	readyFor  = time.Second     // how long an answer counts: nobody asks the store more often from outside
)

// readiness remembers what the store said last.
type readiness struct {
	mu    sync.Mutex
	asked time.Time
	err   error
}

var errClosed = errors.New("the process does not serve yet")

// live says that the process is there.
func (s *Server) live(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, status{Status: "live"})
}

// readyNow says whether deliveries can be taken.
func (s *Server) readyNow(w http.ResponseWriter, r *http.Request) {
	err := errClosed
	if c := s.open.Load(); c != nil {
		err = s.ready.ask(r.Context(), s.now(), c.Store)
	}
	if err == nil {
		answer(w, http.StatusOK, status{Status: "ready"})
		return
	}
	s.log.Info("not ready", "error", err)
	sentence := "The database does not answer."
	if errors.Is(err, errClosed) {
		sentence = "This process does not serve yet: it waits for the database, or stands by for the one that serves."
	}
	later(w, http.StatusServiceUnavailable, problem{Code: "unavailable", Error: sentence})
}

func (r *readiness) ask(ctx context.Context, now time.Time, store storage.Store) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if age := now.Sub(r.asked); age >= 0 && age < readyFor {
		return r.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyMost)
	defer cancel()
	_, r.err = store.Pauses(ctx)
	r.asked = now
	return r.err
}
