package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/storage"
)

// readAs is a model's answer for refundWords; approver is who is asked.
func readAs(approver string) llmtest.Reply {
	type obj = map[string]any
	do := func(text, tool string) obj {
		return obj{"kind": "tool", "label": "", "text": text, "also": []any{}, "tool": tool, "params": []any{}, "result": "", "retry": 0, "on_error": []any{}}
	}
	return llmtest.JSON(obj{
		"name": "refund", "also": []any{}, "inputs": []any{}, "triggers": []any{}, "limit": nil, "not_expressible": []any{},
		"steps": []any{
			do("get the order", "shop.get_order"),
			obj{
				"kind": "ask", "label": "", "text": "approve", "also": []any{"ask", "to"}, "who": []any{obj{"words": approver, "is": approver}}, "quorum": 0, "choices": []any{},
				"fields": []any{}, "free": false, "show": []any{}, "deadline": nil, "branches": []any{},
			},
			do("refund it", "shop.refund"),
		},
	})
}

func same() llmtest.Reply { return llmtest.JSON(map[string]any{"differences": []any{}}) }

// newModelWorld is a world whose engine has a scripted model.
func newModelWorld(t *testing.T, replies ...llmtest.Reply) (*world, *llmtest.Server) {
	t.Helper()
	s := llmtest.New(t)
	s.Reply(replies...)
	price := map[string]llm.Price{"m": {Input: 1e6, Output: 1e6}}
	m := llm.NewOpenAI(llm.OpenAIOptions{BaseURL: s.URL, Model: "m", Attempts: 1, Prices: price})
	w := newWorld(t, func(c *Config) {
		cards := project.New()
		c.Engine = engine.New(engine.Config{
			Store: c.Engine.Store(), Tools: c.Tools, Dispatcher: local.New(local.Options{}), Directory: c.Directory, Surfaces: cards, Worker: "test", Model: m,
		})
		cards.Connect(c.Engine)
		c.Cards, c.Model = cards.Cards, true
	})
	return w, s
}

// stored puts a message into the inbox and gives it as it is delivered.
func (w *world) stored(text string) request.Incoming {
	w.Helper()
	w.ts++
	row := storage.Inbox{Key: fmt.Sprint("key", w.ts), Thread: "C1:x", Kind: "event", Payload: []byte("{}"), Received: w.bot.Engine.Now()}
	if _, err := w.store.PutInbox(w.Context(), row); err != nil {
		w.Fatal(err)
	}
	rows, err := w.store.PendingInbox(w.Context(), 0, 10)
	if err != nil || len(rows) != 1 {
		w.Fatalf("%d rows, %v", len(rows), err)
	}
	return request.Incoming{Kind: request.KindMention, User: "ana", Name: "ana", Channel: "C1", TS: fmt.Sprintf("%d.0", w.ts), Text: text, Inbox: rows[0].ID}
}

// card is the draft that the only card is about, and what became of its reading.
func (w *world) card() (storage.Draft, draft.Reading) {
	w.Helper()
	all := w.surfaces(surface.KindDraft)
	if len(all) != 1 {
		w.Fatalf("there are %d cards", len(all))
	}
	d, err := w.store.Draft(w.Context(), strings.TrimPrefix(all[0].Ref, surface.DraftRef("")))
	if err != nil {
		w.Fatal(err)
	}
	var body draft.Body
	if err := json.Unmarshal(d.Body, &body); err != nil || body.Reading == nil {
		w.Fatalf("draft %s was not read: %v", d.ID, err)
	}
	return d, *body.Reading
}

// One card says that the draft is on its way and becomes it, with what it cost. When the model fails, the card says so.
func TestADraftIsReadByAModel(t *testing.T) {
	t.Parallel()
	bad := llmtest.Text("Sure!")
	for name, c := range map[string]struct {
		replies []llmtest.Reply
		note    string
		usd     float64
	}{
		"right":        {[]llmtest.Reply{readAs("@finance"), same()}, "", 30},
		"nonsense":     {[]llmtest.Reply{bad, bad, bad, bad}, "did not read this: the model gave no steps that can be used", 60},
		"away":         {[]llmtest.Reply{llmtest.Fail(503)}, "503", 0},
		"not compared": {[]llmtest.Reply{readAs("@finance"), bad}, "did not compare", 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := newModelWorld(t, c.replies...)
			in := w.stored(refundWords)
			if err := w.bot.Handle(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			d, r := w.card()
			if r.Usage.USD != c.usd || !strings.Contains(r.Note, c.note) || (r.Note == "") != (c.note == "") {
				t.Errorf("the reading is %+v", r)
			}
			if d.Status != draft.Open || d.ID != w.newest(in.TS).ID || s.Left() != 0 {
				t.Errorf("the draft %s is %s, %d replies are left", d.ID, d.Status, s.Left())
			}
			if err := w.bot.Handle(t.Context(), in); !errors.Is(err, storage.ErrDone) {
				t.Errorf("the delivery once more: %v", err)
			}
			if again := w.newest(in.TS); again.ID != d.ID || again.Version != d.Version || len(s.Requests()) != len(c.replies) {
				t.Errorf("the delivery once more: draft %s, %d requests", again.ID, len(s.Requests()))
			}
		})
	}
}

// A delivery that is interrupted while the model reads asks it once more at most, and makes one draft under one card.
func TestAnInterruptedReadingIsPaidOnceMore(t *testing.T) {
	t.Parallel()
	w, s := newModelWorld(t)
	asked := make(chan struct{})
	s.Script(func(llmtest.Request) llmtest.Reply {
		asked <- struct{}{}
		return llmtest.Reply{Wait: make(chan struct{})}
	})
	in := w.stored(refundWords)
	for try := 1; try <= 2; try++ {
		ctx, kill := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.bot.Handle(ctx, in) }()
		<-asked
		if d, r := w.card(); d.Status != draft.Drafting || r.Tries != try {
			t.Errorf("while it is read: %s, %+v", d.Status, r)
		}
		kill()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatalf("try %d: %v", try, err)
		}
	}
	if err := w.bot.Handle(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if d, r := w.card(); d.Status != draft.Open || !strings.Contains(r.Note, "interrupted twice") || d.ID != w.newest(in.TS).ID || d.Number != 1 {
		t.Errorf("the draft is %s, %+v", d.Status, r)
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// Words that are no flow leave a card that says so, and tell the person what can be written.
func TestNoDraftComesOfTalk(t *testing.T) {
	t.Parallel()
	bad := llmtest.Text("Hello!")
	w, _ := newModelWorld(t, bad, bad, bad, bad)
	in := w.stored("ворота")
	if err := w.bot.Handle(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if d, r := w.card(); d.Status != draft.Drafting || !r.None {
		t.Errorf("the draft is %s, %+v", d.Status, r)
	}
	if n := len(w.surfaces("private")); n != 1 {
		t.Errorf("%d private answers", n)
	}
	if _, err := w.store.DraftInThread(t.Context(), "C1", in.TS); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("there is a draft: %v", err)
	}
}
