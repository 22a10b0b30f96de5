package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/people"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// chatFlow is a conversation of one agent with the person who asks for the run.
const chatFlow = `{"name": "chat", "entry": "a", "rules": {"conversational": true}, "agents": [{"id": "a"}], "inputs": [{"name": "message", "type": "string"}],
	"nodes": [{"id": "a", "type": "agent", "agent": "a", "tool_mode": "external", "input": {"user_message": "{{inputs.message}}"}, "routes": [{"if": "next", "when": "END", "to": "end"}]}]}`

// echo is a model that says what it has heard, and ends the conversation when that is bye.
type echo struct{ asked atomic.Int64 }

func (e *echo) Chat(_ context.Context, r llm.Request) (llm.Response, error) {
	e.asked.Add(1)
	heard := r.Messages[len(r.Messages)-1].Text
	if strings.Contains(heard, "bye") {
		return llm.Response{Text: "Bye.", Calls: []llm.ToolCall{{ID: "1", Name: "end", Arguments: "{}"}}}, nil
	}
	return llm.Response{Text: "You said " + heard}, nil
}

// silenced is a store whose process is gone: whatever still runs of it is told so at once, instead of trying again for as long as it lives.
type silenced struct{ *mortal }

func (s silenced) Write(ctx context.Context, b *storage.Batch) error {
	if s.dead.Load() {
		return fmt.Errorf("killed: %w", storage.ErrNotFound)
	}
	return s.mortal.Write(ctx, b)
}

// replies delivers words as replies in the thread of a run. A process that is dead takes none.
func (w *world) replies(process *mortal, run string, words ...string) {
	w.t.Helper()
	for i, text := range words {
		in := storage.Inbox{Key: fmt.Sprint("reply ", i), Kind: "message", Thread: "t", Received: w.engine.Now()}
		if _, err := w.store.PutInbox(w.t.Context(), in); err != nil {
			w.t.Fatal(err)
		}
		rows, err := w.store.PendingInbox(w.t.Context(), 0, 10)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, row := range rows {
			said, err := w.engine.Say(w.t.Context(), run, history.Actor{User: "ana", Via: history.ViaMessage}, text, row.ID)
			if !process.dead.Load() && (err != nil || !said) {
				w.t.Fatalf("%q was taken: %t, %v", text, said, err)
			}
		}
	}
}

// talkedAt has a conversation in which a process dies the n-th time that it passes a position, and another one takes over.
func talkedAt(t *testing.T, n int64) (passed int64) {
	t.Helper()
	w := newWorld(t)
	w.model, w.grace = &echo{}, time.Millisecond
	var count atomic.Int64
	var process atomic.Pointer[mortal]
	armed, path := atomic.Bool{}, filepath.Join(t.TempDir(), "sluice.db")
	w.database = func(ctx context.Context) (storage.Store, error) {
		s, err := sqlite.Open(ctx, path)
		m := &mortal{Store: s}
		process.Store(m)
		return silenced{m}, err
	}
	w.hook = func(string) {
		if armed.Load() && count.Add(1) == n {
			process.Load().dead.Store(true)
			w.Wake()
		}
	}
	stop := w.serve()
	f, err := flow.FromJSON([]byte(chatFlow))
	if err != nil {
		t.Fatal(err)
	}
	w.saveFlow(f)
	s, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "chat", Inputs: map[string]any{"message": "hello"}, Actor: history.Actor{User: "ana", Via: history.ViaMessage}})
	if err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	first := process.Load()
	w.replies(first, s.Run.ID, "one", "two", "bye")
	w.wait("the end, or death", func(ctx context.Context) (bool, string, error) {
		r, err := w.store.Run(ctx, s.Run.ID)
		return r.Status == string(history.Succeeded) || first.dead.Load(), r.Status, err
	})
	if first.dead.Load() {
		stop()
		w.clock.Advance(31 * time.Second)
		w.serve()
		rows, err := w.store.PendingInbox(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows { // what was not done is delivered again, in its order
			text := []string{"one", "two", "bye"}[row.ID-1]
			if _, err := w.engine.Say(t.Context(), s.Run.ID, history.Actor{User: "ana", Via: history.ViaMessage}, text, row.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.ended(s.Run.ID, history.Succeeded)
	v, err := w.engine.View(t.Context(), s.Run.ID)
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	for _, fact := range v.Facts {
		if b, ok := fact.Body.(*history.GateDecided); ok {
			heard = append(heard, b.Text)
		}
	}
	if got := strings.Join(heard, "\n"); got != "one\ntwo\nbye" {
		t.Errorf("the agent heard %q", heard)
	}
	w.folds(s.Run.ID)
	return count.Load()
}

// A kill at any position of a conversation loses no words, and doubles none: they are stored with the delivery that brought them, and each is
// heard once, in order, whether an agent waited for it or was still at work.
func TestAKillAnywhereInAConversation(t *testing.T) {
	t.Parallel()
	positions := talkedAt(t, 0)
	if positions < 6 {
		t.Fatalf("only %d positions were passed", positions)
	}
	for n := int64(1); n <= positions; n += 2 {
		t.Run(fmt.Sprint(n), func(t *testing.T) { talkedAt(t, n) })
	}
}

// Other people's words are not taken, nor are those in a run that does not converse.
func TestOthersDoNotTalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model = &echo{}
	w.directory = everybody{}
	w.serve()
	f, err := flow.FromJSON([]byte(chatFlow))
	if err != nil {
		t.Fatal(err)
	}
	w.saveFlow(f)
	s, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "chat", Inputs: map[string]any{"message": "hello"}, Actor: history.Actor{User: "ana", Via: history.ViaMessage}})
	if err != nil {
		t.Fatal(err)
	}
	for user, want := range map[string]bool{"ben": false, "ana": true} {
		said, err := w.engine.Say(t.Context(), s.Run.ID, history.Actor{User: user, Via: history.ViaMessage}, "more")
		if err != nil || said != want {
			t.Errorf("the words of %s were taken: %t, %v", user, said, err)
		}
	}
}

// everybody is a directory in which each name is a member.
type everybody struct{ people.Directory }

func (everybody) Resolve(_ context.Context, name string) (people.Principal, error) {
	return people.Principal{Kind: "user", ID: name, Name: name}, nil
}

func (everybody) Members(_ context.Context, p people.Principal) ([]string, error) {
	return []string{p.ID}, nil
}

func (everybody) Person(_ context.Context, id string) (people.Person, error) {
	return people.Person{ID: id, Active: true}, nil
}
