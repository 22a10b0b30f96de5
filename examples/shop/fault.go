package shop

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Moments at which a fault strikes.
const (
	BeforeBooking = "before_booking" // the request arrived, nothing was done yet
	AfterBooking  = "after_booking"  // what was asked was done, nothing was answered yet
)

// kinds of faults: hold waits for Release, delay for a while, timeout never answers (until Release), drop cuts the
// connection, 429 and 500 are answers, duplicate serves the request twice.
var kinds = []string{"hold", "delay", "timeout", "drop", "429", "500", "duplicate"}

type fault struct {
	kind, method, path string

	late     bool // after the booking
	delay    time.Duration
	times    int
	released <-chan struct{}
}

// faults wait for the requests that they match, in the order in which they were set.
type faults struct {
	mu   sync.Mutex
	list []*fault
	free chan struct{} // closed and replaced by release
}

// SetFault makes the next `times` requests misbehave whose method and path match (empty matches all; a path matches
// as a prefix). `after` is BeforeBooking (also if empty), AfterBooking, or for a delay its milliseconds.
func (s *Shop) SetFault(kind, method, path, after string, times int) error {
	if !slices.Contains(kinds, kind) {
		return fmt.Errorf("kind %q does not apply to the shop: use %s", kind, strings.Join(kinds, ", "))
	}
	f := &fault{kind: kind, method: method, path: path, times: max(1, times)}
	switch after {
	case "", BeforeBooking:
	case AfterBooking:
		f.late = true
	default:
		ms, err := strconv.Atoi(after)
		if err != nil {
			return fmt.Errorf("after %q: use %s, %s or milliseconds", after, BeforeBooking, AfterBooking)
		}
		f.delay = time.Duration(ms) * time.Millisecond
	}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.list = append(s.faults.list, f)
	return nil
}

// Release frees every request that a fault holds.
func (s *Shop) Release() { s.faults.release() }

func (f *faults) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.free)
	f.free = make(chan struct{})
}

func (f *faults) clear() {
	f.mu.Lock()
	f.list = nil
	f.mu.Unlock()
	f.release()
}

// take uses up one time of the first fault that matches.
func (f *faults) take(r *http.Request) *fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.list, func(one *fault) bool {
		return (one.method == "" || strings.EqualFold(one.method, r.Method)) && strings.HasPrefix(r.URL.Path, one.path)
	})
	if i < 0 {
		return nil
	}
	f.list[i].times--
	struck := *f.list[i]
	struck.released = f.free
	if f.list[i].times == 0 {
		f.list = slices.Delete(f.list, i, i+1)
	}
	return &struck
}

// recorded stores each arrival, then serves it, with the fault that waits for it. The fault is taken first: as soon as the arrival can be
// seen, Release frees its request.
func (s *Shop) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			answer(w, http.StatusBadRequest, problem("reading the body: %v", err))
			return
		}
		struck := s.faults.take(r)
		s.mu.Lock()
		err = s.write(line{Arrival: &Arrival{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"), string(body)}})
		s.mu.Unlock()
		if err != nil {
			s.log.Error("an arrival cannot be stored", "error", err)
			answer(w, http.StatusInternalServerError, problem("the shop cannot write its books"))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		serve(w, r, body, next, struck)
	})
}

// serve answers after the booking that was made, so that a late fault strikes in between.
func serve(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler, f *fault) {
	if f != nil && !f.late && !f.strike(w, r) {
		return
	}
	done := &held{status: http.StatusOK, header: http.Header{}}
	next.ServeHTTP(done, r)
	if f != nil && f.kind == "duplicate" {
		done = &held{status: http.StatusOK, header: http.Header{}}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(done, r)
	}
	if f != nil && f.late && !f.strike(w, r) {
		return
	}
	maps.Copy(w.Header(), done.header)
	w.WriteHeader(done.status)
	_, _ = w.Write(done.body.Bytes()) // a client that left needs no answer
}

// held is an answer that is not sent yet.
type held struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// Header is that of the answer.
func (h *held) Header() http.Header { return h.header }

// WriteHeader keeps the status.
func (h *held) WriteHeader(status int) { h.status = status }

// Write keeps the body.
func (h *held) Write(p []byte) (int, error) { return h.body.Write(p) }

// strike makes a fault happen; it is true when the request goes on afterwards.
func (f *fault) strike(w http.ResponseWriter, r *http.Request) bool {
	switch f.kind {
	case "429":
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusTooManyRequests, problem("too many requests"))
		return false
	case "500":
		answer(w, http.StatusInternalServerError, problem("the shop is broken"))
		return false
	case "drop":
		panic(http.ErrAbortHandler)
	case "timeout":
		f.wait(r, nil)
		panic(http.ErrAbortHandler)
	case "delay":
		timer := time.NewTimer(f.delay)
		defer timer.Stop()
		f.wait(r, timer.C)
	case "hold":
		// A held request goes on even when its client is gone: the shop cannot know.
		<-f.released
	}
	return true
}

func (f *fault) wait(r *http.Request, passed <-chan time.Time) {
	select {
	case <-passed:
	case <-f.released:
	case <-r.Context().Done():
	}
}
