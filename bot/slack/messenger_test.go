package slack

import (
	"context"
	"slices"
	"testing"
	"time"

	"sluice/bot/card"
	"sluice/engine/tool"
	"sluice/storage"
)

// watched tells of every look at a surface.
type watched struct {
	storage.Store
	looked chan string
}

func (s watched) Surface(ctx context.Context, id string) (storage.Surface, error) {
	select {
	case s.looked <- id:
	default:
	}
	return s.Store.Surface(ctx, id)
}

// runInChannel stores a run with a status message that is not posted yet.
func (w *world) runInChannel(name string) storage.Surface {
	w.t.Helper()
	s := w.surface("status-" + name)
	s.Kind, s.Ref = "status", "run:"+name
	r := storage.Run{ID: name, Flow: "greet", Number: 1, Name: name, Status: "running", Channel: s.Channel, Started: time.Now()}
	facts := []storage.Fact{{Seq: 1, Kind: "run_started", At: time.Now()}}
	if err := w.store.Write(w.t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: facts}, Surfaces: []storage.Surface{s}}); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// What a run says first goes into the thread of its status message, however late that is posted. A second try finds it there.
func TestTheFirstWordsOfARunWaitForItsThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	looked := make(chan string)
	w.app.cfg.Store = watched{w.store, looked}
	status := w.runInChannel("greet-1")
	posted := make(chan tool.Posted)
	m := tool.Message{Key: "greet-1/1/1/0", Channel: "#support", Text: "hello", Run: "greet-1"}
	go func() {
		p, err := w.app.Post(t.Context(), m)
		if err != nil {
			t.Error(err)
		}
		posted <- p
	}()
	for range 2 { // it has looked in vain, and looks again
		select {
		case <-looked:
		case <-posted:
			t.Fatal("it was posted before the status message")
		}
	}
	status, err := w.app.Send(t.Context(), status, card.Card{Text: "greet-1 runs"})
	if err != nil {
		t.Fatal(err)
	}
	status.Shown = 1
	if err := w.store.SaveSurface(t.Context(), status); err != nil {
		t.Fatal(err)
	}
	first := <-posted
	said := w.messages("#support")
	if at := slices.IndexFunc(said, func(m shownMessage) bool { return m.TS == first.TS }); at < 0 || said[at].ThreadTS != status.TS {
		t.Errorf("it is not in the thread %s: %+v", status.TS, said)
	}
	if again, err := w.app.Post(t.Context(), m); err != nil || again != first {
		t.Errorf("the second try gave %v, %v; the first %v", again, err, first)
	}
}

// A status message that cannot be posted holds nothing up.
func TestARunWithoutAStatusMessageSpeaks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	status := w.runInChannel("greet-2")
	status.Wanted, status.Shown = 1, 1
	if err := w.store.SaveSurface(t.Context(), status); err != nil {
		t.Fatal(err)
	}
	if p, err := w.app.Post(t.Context(), tool.Message{Key: "greet-2/1/1/0", Channel: "#support", Text: "hello", Run: "greet-2"}); err != nil || p.TS == "" {
		t.Errorf("it is not posted: %v, %v", p, err)
	}
	if _, err := w.app.Post(t.Context(), tool.Message{Key: "greet-3/1/1/0", Channel: "#support", Text: "hello", Run: "greet-3"}); err == nil {
		t.Error("a run that is not there speaks")
	}
}
