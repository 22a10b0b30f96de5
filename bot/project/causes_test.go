package project

import (
	"errors"
	"slices"
	"testing"
	"time"

	"sluice/storage"
)

// The surface that met a cause may be wanted no more when it is its turn to be tried. Another one that waits is tried then.
func TestWhatWaitsIsSentThoughTheFirstIsWantedNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.b.refuse = []error{&BlockedError{Code: "invalid_auth", Err: errors.New("the token")}}
	w.write(notice("n1", "hello"))
	w.waits("n1", "invalid_auth")
	w.write(notice("n2", "and another"))
	w.waits("n2", "invalid_auth")
	s, err := w.store.Surface(t.Context(), "n1")
	if err != nil {
		t.Fatal(err)
	}
	s.Shown, s.Blocked, s.BlockedAt = s.Wanted, "", time.Time{}
	if err := w.store.SaveSurface(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	w.await("n2")
}

// A row may say that it waits for a cause that is over: the cause ended while the row was being written.
func TestWhatWaitsForNothingIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(notice("n0", "the loop runs"))
	w.await("n0")
	late := notice("n1", "hello")
	late.Surfaces[0].RetryAt = time.Now().Add(time.Hour)
	w.write(late)
	s, err := w.store.Surface(t.Context(), "n1")
	if err != nil {
		t.Fatal(err)
	}
	s.Blocked, s.BlockedAt = "invalid_auth", time.Now()
	if err := w.store.SaveSurface(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	w.await("n1")
}

// When Slack asks to wait it has not taken the message, so that the message is not searched for.
func TestAfterAClearAnswerTheMessageIsNotSearchedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.b.refuse = []error{&RetryError{After: 200 * time.Millisecond, Answered: true, Err: errors.New("429")}}
	w.write(notice("n1", "hello"))
	w.await("n1")
	w.b.mu.Lock()
	defer w.b.mu.Unlock()
	if got := w.b.tries["n1"]; !slices.Equal(got, []int{0, 0}) {
		t.Errorf("the tries before each try were %d", got)
	}
}

// waits waits until a surface's row says that it waits for a cause.
func (w *world) waits(id, cause string) {
	w.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); {
		s, err := w.store.Surface(w.Context(), id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			w.Fatal(err)
		case s.Blocked == cause:
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	w.Fatalf("%s does not wait for %s", id, cause)
}
