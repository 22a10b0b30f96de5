package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/outbox"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// board is a sender that keeps what is shown, and refuses when it is told to.
type board struct {
	mu     sync.Mutex
	shown  map[string]card.Card // by surface
	order  []string
	thread map[string]string
	refuse []error // the next answers
	sent   chan string
	held   map[string]time.Duration // by surface
	tries  map[string][]int         // before each try, by surface
	upload func(context.Context, card.Card) (string, error)
}

func (b *board) Send(_ context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries[s.ID] = append(b.tries[s.ID], s.Tries)
	if len(b.refuse) > 0 {
		err := b.refuse[0]
		b.refuse = b.refuse[1:]
		return s, err
	}
	if s.TS == "" {
		s.TS = fmt.Sprintf("%d.0", len(b.order)+1)
		b.order = append(b.order, s.ID)
	}
	b.shown[s.ID], b.thread[s.ID] = c, s.Thread
	b.sent <- s.ID
	return s, nil
}

func (b *board) Drop(context.Context, string) {}

func (b *board) Upload(ctx context.Context, c card.Card) (string, error) {
	if b.upload != nil {
		return b.upload(ctx, c)
	}
	return "F1", nil
}

func (b *board) Fits(card.Card) bool { return true }

func (b *board) Held(s storage.Surface) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held[s.ID]
}

type world struct {
	*testing.T
	p     *Projector
	b     *board
	store storage.Store
}

const limit = 30 * time.Second

func newWorld(t *testing.T) *world {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	b := &board{shown: map[string]card.Card{}, thread: map[string]string{}, held: map[string]time.Duration{}, tries: map[string][]int{}, sent: make(chan string, 100)}
	p := New()
	p.Connect(engine.New(engine.Config{Store: store, Tools: tools, Dispatcher: local.New(local.Options{}), Surfaces: p}))
	p.Sender, p.Holder = b, "test"
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		_ = store.Close()
	})
	return &world{T: t, p: p, b: b, store: store}
}

func (w *world) write(b *storage.Batch) {
	w.Helper()
	if err := w.store.Write(w.Context(), b); err != nil {
		w.Fatal(err)
	}
	w.p.Wake()
}

func (w *world) await(id string) {
	w.Helper()
	for timeout := time.After(limit); ; {
		select {
		case got := <-w.b.sent:
			if got == id {
				return
			}
		case <-timeout:
			w.Fatalf("%s was never shown", id)
		}
	}
}

// settled waits until nothing is stale.
func (w *world) settled() {
	w.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); {
		stale, err := w.store.StaleSurfaces(w.Context(), time.Now().Add(time.Hour), 10)
		if err != nil {
			w.Fatal(err)
		}
		if len(stale) == 0 {
			return
		}
		select {
		case <-w.b.sent:
		case <-time.After(20 * time.Millisecond):
		}
	}
	w.Fatal("surfaces stay stale")
}

func notice(id, text string) *storage.Batch {
	return &storage.Batch{Surfaces: []storage.Surface{outbox.Notice(id, "C1", "", text, time.Now())}}
}

func TestARefusedMessageIsShownAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.b.refuse = []error{errors.New("500"), &RetryError{After: time.Millisecond, Err: errors.New("429")}}
	w.write(notice("n1", "hello"))
	w.await("n1")
	w.settled()
	if got := w.b.shown["n1"].Text.String(); got != "hello" || len(w.b.order) != 1 {
		t.Errorf("shown %q after %v", got, w.b.order)
	}
}

func TestAMessageThatCanNeverBeShownIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.b.refuse = []error{&surface.RefusedError{Code: "invalid_blocks", Err: errors.New("invalid_blocks")}, &surface.RefusedError{Code: "invalid_blocks", Err: errors.New("invalid_blocks")}}
	w.write(notice("n1", "hello"))
	w.settled() // both refusals are n1's: messages are shown side by side
	w.write(notice("n2", "others go on"))
	w.settled()
	if len(w.b.shown) != 1 {
		t.Errorf("%d messages are shown", len(w.b.shown))
	}
}

func TestATryIsNotedBeforeItIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.b.refuse = []error{errors.New("the answer was lost")}
	w.write(notice("n1", "hello"))
	for deadline := time.Now().Add(limit); ; {
		s, err := w.store.Surface(t.Context(), "n1")
		if err != nil {
			t.Fatal(err)
		}
		if s.Tries > 0 && s.TS == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the row says %d tries", s.Tries)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func TestTheSameContentIsNotSentTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(notice("n1", "hello"))
	w.await("n1")
	w.write(&storage.Batch{Stale: []string{"notice:n1"}})
	w.settled()
	select {
	case id := <-w.b.sent:
		t.Errorf("%s was sent again with the same content", id)
	default:
	}
}

func TestPeopleAndChannelsTakeTurns(t *testing.T) {
	t.Parallel()
	var list []storage.Surface
	add := func(n int, kind, user, channel string) {
		for i := range n {
			list = append(list, storage.Surface{ID: fmt.Sprint(kind, user, channel, i), Kind: kind, User: user, Channel: channel})
		}
	}
	add(30, surface.KindPrivate, "eve", "C1")
	add(2, surface.KindPrivate, "bob", "C1")
	add(2, surface.KindStatus, "", "C2")
	add(2, surface.KindGate, "", "C3")
	turns := turns{used: map[string]float64{}}
	for range 3 { // eve has had some turns before
		turns.took(list[0])
	}
	var first []string
	for _, s := range turns.order(list, func(s storage.Surface) bool { return kindOf(s.Kind).urgent })[:7] {
		first = append(first, cmp.Or(s.User, s.Channel))
	}
	if got := strings.Join(first[:2], " "); got != "C3 C3" {
		t.Errorf("questions are not first: %v", first)
	}
	for _, who := range []string{"eve", "bob", "C2"} {
		if !slices.Contains(first[2:], who) {
			t.Errorf("%s is not among the first: %v", who, first)
		}
	}
}

// TestASurfaceThatIsHeldBackDelaysNoOther: a surface for which the budget has no room waits alone, until there is room.
func TestASurfaceThatIsHeldBackDelaysNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.b.held["n1"] = 10 * time.Millisecond
	w.write(notice("n1", "one"))
	w.write(notice("n2", "two"))
	w.await("n2")
	w.b.mu.Lock()
	if got := w.b.order; len(got) != 1 {
		t.Errorf("%v was shown", got)
	}
	delete(w.b.held, "n1")
	w.b.mu.Unlock()
	w.await("n1")
	w.settled()
}
