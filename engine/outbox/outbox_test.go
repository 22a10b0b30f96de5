package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/engine/run"
	"sluice/engine/tool"
	"sluice/storage"
)

var at = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// store has a run and surfaces.
type store struct {
	mu       sync.Mutex
	run      *storage.Run
	surfaces map[string]storage.Surface
}

func (s *store) Run(context.Context, string) (storage.Run, error) {
	if s.run == nil {
		return storage.Run{}, storage.ErrNotFound
	}
	return *s.run, nil
}

func (s *store) Surface(_ context.Context, id string) (storage.Surface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.surfaces[id]
	if !ok {
		return f, storage.ErrNotFound
	}
	return f, nil
}

func (s *store) Write(_ context.Context, b *storage.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.surfaces == nil {
		s.surfaces = map[string]storage.Surface{}
	}
	for _, f := range b.Surfaces {
		if _, there := s.surfaces[f.ID]; !there {
			s.surfaces[f.ID] = f
		}
	}
	return nil
}

// change is what the sender does to a message.
func (s *store) change(id string, by func(*storage.Surface)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.surfaces[id]
	by(&f)
	s.surfaces[id] = f
}

// A decision wants a message posted: it is stored with the decision, and the sender asks whether it may be posted still.
func Example() {
	state := &history.State{Tokens: []history.Token{{ID: 1, Message: "message-r1-7"}}}
	raw, err := history.EncodeState(state)
	if err != nil {
		panic(err)
	}
	row := storage.Run{ID: "r1", State: raw}
	b := &storage.Batch{Run: &storage.RunWrite{Run: row}}
	post := run.PostMessage{ID: "message-r1-7", Step: 3, Token: 1, Message: run.Message{Channel: "#general", Text: "Paid.", Key: "r1/3/1/0"}}
	if err := outbox.Fill(b, run.Decision{Effects: []run.Effect{post}}, at); err != nil {
		panic(err)
	}
	body, err := outbox.Decode(b.Surfaces[0])
	if err != nil {
		panic(err)
	}
	fmt.Println(b.Surfaces[0].Kind, b.Surfaces[0].Channel, body.Text)
	what, err := outbox.StateOf(context.Background(), &store{run: &row}, "message-r1-7", body)
	fmt.Println(what == outbox.Wanted, err)
	// Output:
	// message #general Paid.
	// true <nil>
}

// A message is held while its run is paused, and withdrawn when nobody waits for it any more.
func TestStateOf(t *testing.T) {
	t.Parallel()
	state := func(s history.State) []byte {
		raw, err := history.EncodeState(&s)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	waits := []history.Token{{ID: 1, Message: "m"}}
	for name, c := range map[string]struct {
		run  *storage.Run
		step int
		want outbox.State
	}{
		"its step waits":          {&storage.Run{State: state(history.State{Tokens: waits})}, 3, outbox.Wanted},
		"its run is paused":       {&storage.Run{State: state(history.State{Tokens: waits, Holds: []history.Hold{{Scope: history.HoldRun}}})}, 3, outbox.Held},
		"its step waits no more":  {&storage.Run{State: state(history.State{Tokens: []history.Token{{ID: 1, Message: "another"}}})}, 3, outbox.Withdrawn},
		"its step is over":        {&storage.Run{State: state(history.State{})}, 3, outbox.Withdrawn},
		"a call has asked":        {&storage.Run{Status: string(history.Succeeded)}, 0, outbox.Wanted},
		"a call, and a cancel":    {&storage.Run{Status: string(history.Cancelled)}, 0, outbox.Withdrawn},
		"its run was removed":     {nil, 3, outbox.Withdrawn},
		"a call of a removed run": {nil, 0, outbox.Withdrawn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := outbox.StateOf(t.Context(), &store{run: c.run}, "m", outbox.Body{Run: "r1", Step: c.step, Token: 1})
			if err != nil || got != c.want {
				t.Errorf("it is %v, %v", got, err)
			}
		})
	}
	if _, err := outbox.StateOf(t.Context(), &store{run: &storage.Run{State: []byte("{")}}, "m", outbox.Body{Step: 3}); err == nil {
		t.Error("half a state was read")
	}
}

// What lets a run go on, or ends it, makes its messages stale: the sender looks at them again.
func TestMessagesBecomeStale(t *testing.T) {
	t.Parallel()
	for _, d := range []run.Decision{
		{Effects: []run.Effect{run.WithdrawMessage{ID: "m"}}},
		{Facts: []history.Fact{{Body: &history.RunResumed{}}}},
		{Facts: []history.Fact{{Body: &history.RunEnded{}}}},
	} {
		b := &storage.Batch{Run: &storage.RunWrite{Run: storage.Run{ID: "r1"}}}
		if err := outbox.Fill(b, d, at); err != nil || len(b.Stale) != 1 || b.Stale[0] != outbox.Ref("r1") {
			t.Errorf("after %+v stale is %v, %v", d, b.Stale, err)
		}
	}
	b := &storage.Batch{Run: &storage.RunWrite{}}
	if err := outbox.Fill(b, run.Decision{Facts: []history.Fact{{Body: &history.VarsSet{}}}}, at); err != nil || len(b.Stale) != 0 {
		t.Errorf("variables made %v stale, %v", b.Stale, err)
	}
}

// An agent's call waits until its message is posted or refused, and no longer than a moment.
func TestPost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent   func(*storage.Surface)
		posted tool.Posted
		fails  bool
	}{
		"posted":  {func(s *storage.Surface) { s.Channel, s.TS = "C1", "9.0" }, tool.Posted{Channel: "C1", TS: "9.0"}, false},
		"refused": {func(s *storage.Surface) { _ = outbox.Body{Text: "Hi"}.Refuse(s, "no such channel") }, tool.Posted{}, true},
		"not yet": {nil, tool.Posted{Queued: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &store{}
				o := &outbox.Outbox{Store: s, Now: time.Now, Wake: func() {
					if c.sent != nil {
						time.AfterFunc(time.Second, func() { s.change("message-k", c.sent) })
					}
				}}
				posted, err := o.Post(t.Context(), tool.Message{Run: "r1", Channel: "#general", Text: "Hi", Key: "k"})
				refused, ok := errors.AsType[*tool.Error](err)
				if posted != c.posted || ok != c.fails || ok && !refused.Permanent || err != nil && !ok {
					t.Errorf("it is %+v, %v", posted, err)
				}
			})
		})
	}
}

// A notice is stored with what it belongs to, and always the same.
func TestNotice(t *testing.T) {
	t.Parallel()
	n := outbox.Notice("n1", "C1", "1.0", "Somebody paused it.", at)
	if n.Ref != "notice:n1" || n.Channel != "C1" || n.Thread != "1.0" || string(n.Body) != `{"text":"Somebody paused it."}` {
		t.Errorf("it is %+v", n)
	}
}
