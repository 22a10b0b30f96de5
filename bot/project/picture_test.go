package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/storage"
)

const undrawn = "The flowchart could not be drawn."

// private is a line for ana, with a picture unless key is "".
func private(id, key string) storage.Surface {
	c := card.Card{Title: "An answer", Text: card.Textf("only you")}
	if key != "" {
		c.Picture = &card.Picture{Key: key}
	}
	body, _ := json.Marshal(surface.PrivateBody{Card: c})
	return storage.Surface{ID: id, Kind: surface.KindPrivate, Ref: "private:" + id, Channel: "C1", User: "ana", Body: body, Created: time.Now()}
}

// slowly makes pictures that take a while.
func slowly(takes time.Duration) func(context.Context, card.Card) (string, error) {
	return func(ctx context.Context, _ card.Card) (string, error) {
		select {
		case <-time.After(takes):
			return "F1", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// failing gives these errors in the place of the first pictures.
func failing(errs ...error) func(context.Context, card.Card) (string, error) {
	return func(context.Context, card.Card) (string, error) {
		if len(errs) == 0 {
			return "F1", nil
		}
		err := errs[0]
		errs = errs[1:]
		return "", err
	}
}

// A private line cannot be edited: it waits for its picture and is sent once, with it or with words in its place. Time is that of the
// test: nothing waits for it.
func TestAPrivateLineIsSentOnce(t *testing.T) {
	t.Parallel()
	broken, away := errors.New("broken"), &RetryError{After: 3 * time.Second, Err: errors.New("429")}
	for name, c := range map[string]struct {
		upload  func(context.Context, card.Card) (string, error)
		picture bool
		most    time.Duration // until it is there
	}{
		"at once":        {slowly(0), true, time.Second},
		"slow":           {slowly(4 * time.Second), true, 5 * time.Second},
		"at the end":     {slowly(drawBudget - time.Second), true, drawBudget},
		"too slow":       {slowly(time.Hour), false, drawBudget + time.Second},
		"fails once":     {failing(broken), true, 5 * time.Second},
		"asks to wait":   {failing(away, away), true, 10 * time.Second},
		"waits too long": {failing(&RetryError{After: time.Hour, Err: away}), false, time.Second},
		"fails always":   {failing(slices.Repeat([]error{broken}, 100)...), false, drawBudget},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.b.upload = c.upload
				began := time.Now()
				w.write(&storage.Batch{Surfaces: []storage.Surface{private("p1", "slow")}})
				w.await("p1")
				if took := time.Since(began); took > c.most {
					t.Errorf("it came after %v", took)
				}
				w.settled()
				w.nextRelease()
				w.settled()
				w.b.mu.Lock()
				defer w.b.mu.Unlock()
				shown := w.b.shown["p1"]
				if n := len(w.b.tries["p1"]); n != 1 {
					t.Errorf("it was sent %d times", n)
				}
				if got := shown.Picture != nil && shown.Picture.File == "F1"; got != c.picture {
					t.Errorf("with its picture: %v", got)
				}
				if got := fmt.Sprint(shown.Context) == "["+undrawn+"]"; got == c.picture {
					t.Errorf("the small print is %q", shown.Context)
				}
				if len(w.b.order) != 1 {
					t.Errorf("there are more messages: %v", w.b.order)
				}
			})
		})
	}
}

// nextRelease has the loop do what it does when a new release starts.
func (w *world) nextRelease() {
	w.Helper()
	if err := w.store.RetryAside(w.Context(), "the next one"); err != nil {
		w.Fatal(err)
	}
	w.p.Wake()
}

// A line that Slack refuses is shown plainly, once: not again by the next release.
func TestAPlainPrivateLineIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.b.refuse = []error{&surface.RefusedError{Code: "invalid_blocks", Err: errors.New("invalid_blocks")}}
	w.write(&storage.Batch{Surfaces: []storage.Surface{private("p1", "")}})
	w.await("p1")
	w.settled()
	w.nextRelease()
	w.settled()
	w.b.mu.Lock()
	defer w.b.mu.Unlock()
	if n := len(w.b.tries["p1"]); n != 2 { // one refused, one shown
		t.Errorf("Slack was called %d times", n)
	}
}

// Lines that wait for their pictures hold up nothing, not even other lines of the same person: they keep no place of those being sent.
func TestAPrivateLineThatWaitsDelaysNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.b.upload = slowly(time.Hour)
		var slow []storage.Surface
		for i := range 2 * personMost {
			slow = append(slow, private(fmt.Sprint("slow", i), "slow"))
		}
		began := time.Now()
		w.write(&storage.Batch{Surfaces: slow})
		synctest.Wait()
		w.write(&storage.Batch{Surfaces: []storage.Surface{private("quick", "")}})
		w.await("quick")
		if took := time.Since(began); took > drawBudget/2 {
			t.Errorf("a line without a picture came after %v", took)
		}
		w.settled()
		w.b.mu.Lock()
		defer w.b.mu.Unlock()
		for _, s := range slow {
			if n := len(w.b.tries[s.ID]); n != 1 {
				t.Errorf("%s was sent %d times", s.ID, n)
			}
		}
	})
}
