package project

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
)

// counted makes Homes that show a number.
func counted(n *atomic.Int64) func(context.Context, string) (card.Card, error) {
	return func(_ context.Context, user string) (card.Card, error) {
		return card.Card{Page: []card.Part{{Title: fmt.Sprint(user, " ", n.Load())}}}, nil
	}
}

func (b *board) title(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if page := b.shown[id].Page; len(page) > 0 {
		return page[0].Title
	}
	return ""
}

// A burst of changes shows a Home once more, with the latest state; who has opened none gets none.
func TestABurstOfChangesShowsAHomeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var n atomic.Int64
	w.p.Home = func(ctx context.Context, user string) (card.Card, error) {
		if user == "U1" {
			return counted(&n)(ctx, user)
		}
		return counted(new(atomic.Int64))(ctx, user)
	}
	for _, u := range []string{"U1", "U2"} {
		if err := w.p.HomeOpened(t.Context(), u, false); err != nil {
			t.Fatal(err)
		}
		w.await(homeID(u))
	}
	for range 100 {
		n.Add(1)
		w.p.HomeChanged("U1")
		w.p.HomeChanged("U3")
	}
	w.await(homeID("U1"))
	w.settled()
	tries := func(id string) int {
		w.b.mu.Lock()
		defer w.b.mu.Unlock()
		return len(w.b.tries[id])
	}
	if got := w.b.title(homeID("U1")); got != "U1 100" || tries(homeID("U1")) != 2 {
		t.Errorf("%q was shown after %d calls", got, tries(homeID("U1")))
	}
	if tries(homeID("U2")) != 1 || tries(homeID("U3")) != 0 {
		t.Errorf("others were shown: %d, %d", tries(homeID("U2")), tries(homeID("U3")))
	}

	// A Home that Slack has lost is shown again, although nothing has changed.
	if err := w.p.HomeOpened(t.Context(), "U2", false); err != nil {
		t.Fatal(err)
	}
	w.await(homeID("U2"))
}

// A process that begins to send shows the Homes again: the notes about them were in the memory of the process before.
func TestHomesAreRefreshedAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var n atomic.Int64
	w.p.Home = counted(&n)
	if err := w.p.HomeOpened(t.Context(), "U1", false); err != nil {
		t.Fatal(err)
	}
	w.await(homeID("U1"))
	w.settled()
	n.Add(1)
	next := New()
	next.Engine, next.Sender, next.Holder, next.Home = w.p.Engine, w.b, w.p.Holder, counted(&n)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); next.Run(ctx) }()
	w.await(homeID("U1"))
	cancel()
	<-done
	if got := w.b.title(homeID("U1")); got != "U1 1" {
		t.Errorf("%q is shown", got)
	}
}

// What a Home cannot show is told to its person, and does not keep other surfaces back.
func TestAHomeThatCannotBeMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.p.Home = func(context.Context, string) (card.Card, error) {
		return card.Card{}, &surface.RefusedError{Code: "no", Err: errors.New("it cannot be made")}
	}
	if err := w.p.HomeOpened(t.Context(), "U1", false); err != nil {
		t.Fatal(err)
	}
	w.write(notice("n1", "hello"))
	var shown, told bool
	for timeout := time.After(limit); !shown || !told; {
		select {
		case got := <-w.b.sent:
			shown, told = shown || got == "n1", told || strings.HasPrefix(got, "aside-home-U1-")
		case <-timeout:
			t.Fatalf("the notice was shown: %v; the person was told: %v", shown, told)
		}
	}
}
