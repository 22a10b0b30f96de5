package bot

import (
	"errors"
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/llm/llmtest"
	"sluice/storage"
)

// changedAs is a model's answer to a change of refundWords: the steps that stay, by number, and those that are new.
func changedAs(also string, steps ...any) llmtest.Reply {
	all := []any{}
	for _, s := range steps {
		if n, ok := s.(string); ok {
			s = map[string]any{"kind": "keep", "was": n}
		}
		all = append(all, s)
	}
	return llmtest.JSON(map[string]any{"also": []any{also}, "steps": all})
}

func asksBob(text string) map[string]any {
	return map[string]any{"kind": "ask", "text": text, "who": []any{map[string]any{"words": "@bob", "is": "@bob"}}}
}

// Words that are no form of a change are read by the model, with the draft that there is. The outcome is one new draft, or none and
// the reason.
func TestADraftIsChangedByAModel(t *testing.T) {
	t.Parallel()
	bad := llmtest.Text("Sure!")
	without := changedAs("the money waits for nobody", "1", "3")
	for name, c := range map[string]struct {
		words    string
		replies  []llmtest.Reply
		edit     string // of the new draft; "" = there is none
		question string
		says     string // to the person
	}{
		"added": {"the payment has to be signed by @bob too", []llmtest.Reply{changedAs("has to be signed by @bob too", "1", "2", asksBob("the payment"), "3")}, "Step 3 is new", "", ""},
		"a step that is not at the end": {
			"Let the customer pick a colour as well.",
			[]llmtest.Reply{changedAs("", map[string]any{"kind": "open", "text": "Let the customer pick a colour as well"}, "1", "2", "3")},
			"Step 1 is new", "Who or what does", "",
		},
		"gate dropped": {"the money waits for nobody", []llmtest.Reply{without, without, without, without}, "", "", "Step 2 is a question to people"},
		"more than asked": {
			"the payment has to be signed by @bob too",
			[]llmtest.Reply{changedAs("has to be signed by @bob too", "2", asksBob("the payment"), "3")},
			"Step 1 is gone", "The last change did this, too: Step 1 is gone", "",
		},
		"the same": {"what a fine draft that is", []llmtest.Reply{changedAs("what a fine draft that is", "1", "2", "3")}, "", "", "would change the draft"},
		"nonsense": {"the payment has to be signed by @bob too", []llmtest.Reply{bad, bad, bad, bad}, "", "", "after 3 corrections"},
		"away":     {"the payment has to be signed by @bob too", []llmtest.Reply{llmtest.Fail(503)}, "", "", "503"},
		"a form of words that leaves a step open": {
			"add after 3: weigh the parcel", []llmtest.Reply{changedAs("add after 3", "1", "2", "3", map[string]any{"kind": "agent", "text": "weigh the parcel"})}, "Step 4 is new", "", "",
		},
		"a form of words for somebody who is not known": {
			"add after 3: tell her it is paid",
			[]llmtest.Reply{changedAs("add after 3", "1", "2", "3", map[string]any{"kind": "tell", "text": "it is paid", "also": []string{"tell"}, "to": []any{map[string]any{"words": "her", "is": ""}}})},
			"Step 4 is new", "Who is meant by “her”", "",
		},
		"the same while the model is away": {"add after 3: weigh the parcel", []llmtest.Reply{llmtest.Fail(503)}, "weigh the parcel", "Who or what does", ""},
		"a form of words":                  {"remove 1", nil, "Step 1 is gone", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := newModelWorld(t, append([]llmtest.Reply{readAs("@finance"), same()}, c.replies...)...)
			thread, first := w.draft("ana", refundWords)
			in := w.stored(c.words)
			in.Kind, in.Thread = request.KindMessage, thread
			if err := w.bot.Handle(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			d := w.newest(thread)
			body := w.body(d)
			if (d.ID != first.ID) != (c.edit != "") || !strings.Contains(body.Edit, c.edit) {
				t.Errorf("the draft was %s and is %s, changed by %q", first.ID, d.ID, body.Edit)
			}
			if s.Left() != 0 {
				t.Errorf("%d replies are left", s.Left())
			}
			var asked strings.Builder
			for _, q := range body.Questions {
				asked.WriteString(q.Text)
			}
			if !strings.Contains(asked.String(), c.question) || c.question == "" && asked.String() != "" {
				t.Errorf("it asks %q", asked.String())
			}
			var said strings.Builder
			for _, p := range w.surfaces("private") {
				said.WriteString(string(p.Body))
			}
			if !strings.Contains(said.String(), c.says) || (said.String() == "") != (c.says == "") {
				t.Errorf("it says %q", said.String())
			}
			if err := w.bot.Handle(t.Context(), in); !errors.Is(err, storage.ErrDone) || len(s.Requests()) != 2+len(c.replies) || w.newest(thread).Version != d.Version {
				t.Errorf("the delivery once more: %v, %d requests", err, len(s.Requests()))
			}
			if c.edit != "" {
				w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "undo"})
				if back := w.newest(thread); back.ID == d.ID || back.Hash != first.Hash || back.Status != draft.Open {
					t.Errorf("undo gives %s", back.ID)
				}
			}
		})
	}
}

// Each reply in the thread of an approved flow changes what the reply before it made.
func TestRepliesChangeTheNewestDraftAfterAnApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, _ := w.draft("ana", refundWords)
	reply := func(text string) storage.Draft {
		w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: text})
		return w.newest(thread)
	}
	second := reply("2. ask @fin to approve")
	w.click("ana", "draft.approve", draft.Value(second))
	if first := reply("remove 3"); first.Base != 1 {
		t.Errorf("the first change is of version %d", first.Base)
	}
	if undone := reply("undo"); undone.Status != draft.Discarded {
		t.Errorf("the first change of a version is %s after undo", undone.Status)
	}
	reply("tell @bob at the end")
	next := reply("2 has 1 hour")
	var steps []string
	for _, l := range w.body(next).Steps {
		steps = append(steps, l.Text)
	}
	if all := strings.Join(steps, "\n"); next.Base != 1 || !strings.Contains(all, "Say in the run's thread") || !strings.Contains(all, "within 1 hour") {
		t.Errorf("draft %d of version %d does this:\n%s", next.Number, next.Base, all)
	}
}
