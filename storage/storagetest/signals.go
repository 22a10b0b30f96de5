package storagetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sluice/storage"
)

func signals(t *testing.T, s storage.Store) {
	ctx := t.Context()
	signal := storage.Timer{ID: "ended/c1", Run: "run0001", Kind: "child_ended", Due: start, Body: []byte(`{"child":"c1"}`)}
	second := signal
	second.Body = []byte("another")
	write(t, s, &storage.Batch{Signals: []storage.Timer{signal}})
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1)}, Signals: []storage.Timer{second}})
	same(t, "due", must(s.NextDue(ctx))(t), stored(start))
	want := signal
	want.Due = stored(start)
	same(t, "handed out", must(s.ClaimTimers(ctx, "p1", start, time.Minute, 9))(t), []storage.Timer{want})
	same(t, "held", len(must(s.ClaimTimers(ctx, "p1", start, time.Minute, 9))(t)), 0)

	// A signal that is known does not come back earlier for having been written again.
	write(t, s, &storage.Batch{Signals: []storage.Timer{signal}})
	same(t, "still held", len(must(s.ClaimTimers(ctx, "p1", start, time.Minute, 9))(t)), 0)
	later := start.Add(time.Hour)
	same(t, "forgotten and handed out again", timerIDs(must(s.ClaimTimers(ctx, "p1", later, time.Minute, 9))(t)), []string{"ended/c1"})

	write(t, s, &storage.Batch{NoSignals: []string{"ended/c1", "nothing"}})
	same(t, "gone", len(must(s.ClaimTimers(ctx, "p1", later.Add(time.Hour), time.Minute, 9))(t)), 0)
}

func signalRace(t *testing.T, s storage.Store) {
	write(t, s, &storage.Batch{Signals: []storage.Timer{{ID: "start/c1", Run: "c1", Kind: "child_start", Due: start}}})
	oneWins(t, 12, storage.ErrConflict, func(n int) error {
		return s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: newRun(n + 1), Facts: newFacts(1, 2), Take: "start/c1"}})
	})
	same(t, "runs", len(must(s.Runs(t.Context(), storage.RunQuery{}))(t)), 1)
	_, err := s.Gate(t.Context(), "x/1")
	wantError(t, err, storage.ErrNotFound)

	// A transition takes a signal, too, or nothing of it happens.
	r := must(s.Runs(t.Context(), storage.RunQuery{}))(t)[0]
	err = s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{
		Run: r, Facts: newFacts(3, 1), Take: "start/c1", Timers: []storage.Timer{{ID: "t", Due: start}},
	}})
	wantError(t, err, storage.ErrConflict)
	same(t, "version", must(s.Run(t.Context(), r.ID))(t).Version, int64(1))
	same(t, "nothing is due", must(s.NextDue(t.Context()))(t), time.Time{})
}

func eventIDs(list []storage.Event) []string {
	return ids(list, func(e storage.Event) string { return e.ID })
}

func events(t *testing.T, s storage.Store) {
	ctx := t.Context()
	at := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }
	write(t, s, &storage.Batch{Events: []storage.Event{
		{ID: "e3", Name: "paid", At: at(3), Body: []byte(`{"n":3}`)},
		{ID: "e2", Name: "paid", At: at(1)},
		{ID: "e1", Name: "paid", At: at(1)},
		{ID: "e4", Name: "sent", At: at(1)},
	}})
	write(t, s, &storage.Batch{Events: []storage.Event{{ID: "e3", Name: "paid", At: at(9), Body: []byte("again")}}})
	same(t, "of a name", eventIDs(must(s.Events(ctx, "paid", at(0), 9))(t)), []string{"e1", "e2", "e3"})
	same(t, "limited", eventIDs(must(s.Events(ctx, "paid", at(0), 2))(t)), []string{"e1", "e2"})
	same(t, "since a time", must(s.Events(ctx, "paid", at(3), 9))(t), []storage.Event{
		{ID: "e3", Name: "paid", At: stored(at(3)), Body: []byte(`{"n":3}`)},
	})
	same(t, "of no name", len(must(s.Events(ctx, "lost", at(0), 9))(t)), 0)
}

func fanOut(t *testing.T, s storage.Store) {
	ctx := t.Context()
	wait := func(n int, waits ...storage.Wait) {
		r := newRun(n)
		write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Waits: waits}})
	}
	wait(1, storage.Wait{Token: 1, Name: "paid", Since: start}, storage.Wait{Token: 3, Name: "paid", Since: start})
	wait(2, storage.Wait{Token: 1, Name: "paid", Since: start.Add(time.Minute)})
	wait(3, storage.Wait{Token: 1, Name: "sent", Since: start})
	wait(4, storage.Wait{Token: 1, Name: "paid", Since: start.Add(-time.Hour)}, storage.Wait{Token: 2, Name: "paid", Since: start})
	r := must(s.Run(ctx, "run0004"))(t)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{
		Run: r, NoWait: []int{1, 2, 9}, Waits: []storage.Wait{{Token: 1, Name: "sent", Since: start}, {Token: 1, Name: "paid", Since: start}},
	}})
	write(t, s, &storage.Batch{
		Events:  []storage.Event{{ID: "e1", Name: "paid", At: start, Body: []byte(`{"n":1}`)}},
		Signals: []storage.Timer{{ID: "e1", Kind: "event_spread", Due: start}},
	})
	for range 2 { // doing it again does nothing
		write(t, s, &storage.Batch{FanOut: []storage.FanOut{{Event: "e1", Kind: "event", Due: start}, {Event: "none", Kind: "event", Due: start}}, NoSignals: []string{"e1"}})
	}
	same(t, "signals", must(s.ClaimTimers(ctx, "p1", start, time.Minute, 9))(t), []storage.Timer{
		{ID: "e1/run0001/1", Run: "run0001", Kind: "event", Due: stored(start), Body: []byte(`{"n":1}`)},
		{ID: "e1/run0001/3", Run: "run0001", Kind: "event", Due: stored(start), Body: []byte(`{"n":1}`)},
		{ID: "e1/run0004/1", Run: "run0004", Kind: "event", Due: stored(start), Body: []byte(`{"n":1}`)},
	})
}

// eventCrossing lets an event and a wait come at the same time: the one that looks for the other after its own write must find it, or is
// found.
func eventCrossing(t *testing.T, s storage.Store) {
	ctx := t.Context()
	const rounds = 30
	for n := 1; n <= rounds; n++ {
		name, id := fmt.Sprintf("paid%d", n), fmt.Sprintf("e%d", n)
		var seen []storage.Event
		var wg sync.WaitGroup
		wg.Go(func() {
			r := newRun(n)
			err := s.Write(ctx, &storage.Batch{Run: &storage.RunWrite{Run: r, Waits: []storage.Wait{{Token: 1, Name: name, Since: start}}}})
			if err == nil {
				seen, err = s.Events(ctx, name, start, 9)
			}
			if err != nil {
				t.Errorf("wait: %v", err)
			}
		})
		wg.Go(func() {
			err := s.Write(ctx, &storage.Batch{Events: []storage.Event{{ID: id, Name: name, At: start}}})
			if err == nil {
				err = s.Write(ctx, &storage.Batch{FanOut: []storage.FanOut{{Event: id, Kind: "event", Due: start}}})
			}
			if err != nil {
				t.Errorf("event: %v", err)
			}
		})
		wg.Wait()
		if signals := must(s.ClaimTimers(ctx, "p1", start, time.Hour, 9))(t); len(seen)+len(signals) == 0 {
			t.Fatalf("round %d: the event and the wait have missed each other", n)
		}
	}
}

func forgetEvents(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{
		Events: []storage.Event{
			{ID: "e1", Name: "paid", At: start.Add(-3 * time.Second)},
			{ID: "e2", Name: "paid", At: start.Add(-2 * time.Second)},
			{ID: "e3", Name: "paid", At: start.Add(-time.Second)},
			{ID: "e4", Name: "paid", At: start},
		},
		Signals: []storage.Timer{{ID: "e1", Kind: "event_spread", Due: start}},
	})
	forget := func(what string, limit, want int, left ...string) {
		t.Helper()
		same(t, what, must(s.ForgetEvents(ctx, start, limit))(t), want)
		same(t, what+": what is left", eventIDs(must(s.Events(ctx, "paid", start.Add(-time.Hour), 9))(t)), left)
	}
	forget("one at a time", 1, 1, "e1", "e3", "e4")
	forget("what is not spread yet is kept", 9, 1, "e1", "e4")
	write(t, s, &storage.Batch{NoSignals: []string{"e1"}})
	forget("what is spread", 9, 1, "e4")
	forget("nothing more", 9, 0, "e4")
}
