package bot

import (
	"slices"
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/planner"
	"sluice/storage"
)

// inDraft says something to the bot in a draft's thread.
func inDraft(text string) func(*doors, string) request.Incoming {
	return func(p *doors, _ string) request.Incoming {
		return request.Incoming{Kind: request.KindMention, Text: text, Thread: p.draft().Thread}
	}
}

// answers presses an answer to a question of the draft.
func answers(p *doors, _ string) request.Incoming {
	d := p.draft()
	return request.Incoming{Kind: request.KindClick, Action: surface.AnswerAction(d.ID, "clause.0.0", "leave"), Value: draft.Value(d)}
}

// A draft with a question has no Approve. Its buttons answer, under the same card, and who answers is an author.
func TestQuestionsOfADraftAreAnsweredOnItsCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, d := w.draft("ana", "new parcels: 1. get the order 2. weigh the parcel 3. ask @finance to approve")
	body, _, err := draft.Decode(d)
	if err != nil || len(body.Questions) != 1 {
		t.Fatalf("questions: %+v, %v", body.Questions, err)
	}
	if got := w.click("ana", "draft.approve", draft.Value(d)); !strings.Contains(got, "cannot be approved yet") {
		t.Errorf("Approve before the answer: %q", got)
	}
	q := body.Questions[0]
	var person planner.Option
	for _, o := range q.Options {
		if o.Needs == "name" {
			person = o
		}
	}
	if got := said(w.hear(request.Incoming{Kind: request.KindClick, User: "bob", Action: surface.AnswerAction(d.ID, q.ID, person.ID), Chosen: "@fin"})); got != "" {
		t.Errorf("bob's answer is answered: %q", got)
	}
	now := w.newest(thread)
	after, f, err := draft.Decode(now)
	if err != nil || now.ID != d.ID || now.Hash == d.Hash || len(after.Questions) != 0 || len(f.Nodes) == 0 {
		t.Fatalf("after the answer: draft %s, %+v, %v", now.ID, after.Questions, err)
	}
	if strings.Join(after.Authors, " ") != "ana bob" {
		t.Errorf("the authors are %v", after.Authors)
	}
	if got := said(w.hear(request.Incoming{Kind: request.KindClick, User: "ana", Action: surface.AnswerAction(d.ID, q.ID, person.ID), Chosen: "@bob"})); !strings.Contains(got, "answered already") {
		t.Errorf("a second answer: %q", got)
	}
	if got := w.click("ana", "draft.approve", draft.Value(d)); !strings.Contains(got, "not what this draft holds") {
		t.Errorf("Approve of what was shown before: %q", got)
	}
	if got := w.click("ana", "draft.approve", draft.Value(now)); got != "" {
		t.Errorf("Approve: %q", got)
	}
}

// TestTheQuestionsOfADraftInAForm: one form answers several questions, each by the function of its button; an answer that cannot be taken
// keeps the others back, and what is left empty stays open.
func TestTheQuestionsOfADraftInAForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, d := w.draft("ana", "new parcels: 1. weigh the parcel 2. paint the box 3. sing a song 4. dance a dance 5. ask @finance to approve")
	body, _, err := draft.Decode(d)
	if err != nil || len(body.Questions) != 4 {
		t.Fatalf("questions: %+v, %v", body.Questions, err)
	}
	shown, err := w.bot.Cards.DraftCard(t.Context(), d.ID)
	if err != nil || len(shown.Buttons) == 0 || shown.Buttons[0].Label != "Answer…" {
		t.Fatalf("the card has no button for the form: %+v (%v)", shown.Buttons, err)
	}
	if last := shown.Questions[len(shown.Questions)-1]; last.Text.String() != "_1 more question follows these_" || len(last.Buttons)+len(last.Selects) > 0 {
		t.Errorf("how many questions come later stands in %q with %d buttons", last.Text, len(last.Buttons))
	}
	press := request.Incoming{Kind: request.KindClick, User: "ana", Team: "T1", Channel: "C1", Action: shown.Buttons[0].Action, Value: shown.Buttons[0].Value}
	asked, refused, err := w.bot.Form(t.Context(), press)
	if err != nil || refused != nil {
		t.Fatalf("the form does not open: %+v, %v", refused, err)
	}
	entered := map[string]string{}
	for i, q := range body.Questions {
		at := slices.IndexFunc(asked.Fields, func(f form.Field) bool { return f.Name == q.ID })
		if at < 0 || asked.Fields[at].Label != q.Text || len(asked.Fields[at].Options) < 2 {
			t.Fatalf("question %d is asked as %+v", i, asked.Fields)
		}
		entered[q.ID] = ""
	}
	first, second, third := body.Questions[0].ID, body.Questions[1].ID, body.Questions[2].ID
	entered[first], entered[second], entered[third+" in words"] = "Leave it out", "A person does it: @nobody", "no name at all"
	sent := request.Incoming{Kind: request.KindSubmit, User: "bob", Value: press.Value, Form: entered}
	if got := said(w.hear(sent)); !strings.Contains(got, "is no name") || !strings.Contains(got, "cannot be chosen any more") {
		t.Errorf("an answer that is no name is answered %q", got)
	}
	entered[second], entered[second+" in words"] = "", "@bob"
	if again, _, _ := draft.Decode(w.newest(thread)); len(again.Questions) != 4 {
		t.Fatalf("after answers of which one cannot be: %d questions", len(again.Questions))
	}
	entered[third+" in words"] = "@fin"
	if got := said(w.hear(sent)); got != "" {
		t.Errorf("the answers are answered %q", got)
	}
	now := w.newest(thread)
	after, f, err := draft.Decode(now)
	if err != nil || now.ID != d.ID || len(after.Questions) != 1 || len(f.Nodes) == 0 {
		t.Fatalf("after the answers: draft %s, %+v, %v", now.ID, after.Questions, err)
	}
	if got := said(w.hear(sent)); !strings.Contains(got, "answered already") {
		t.Errorf("the same answers once more are answered %q", got)
	}
}

// TestUndoTakesBackAnswers: "undo" takes back one thing at a time, an answer by a button like a change by words, and says which.
func TestUndoTakesBackAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, d := w.draft("ana", "new parcels: 1. weigh the parcel 2. paint the box 3. ask @finance to approve")
	first, _, err := draft.Decode(d)
	if err != nil || len(first.Questions) != 2 {
		t.Fatalf("questions: %+v, %v", first.Questions, err)
	}
	for _, q := range first.Questions {
		w.hear(request.Incoming{Kind: request.KindClick, User: "ana", Action: surface.AnswerAction(d.ID, q.ID, q.Options[0].ID), Chosen: "@bob"})
	}
	reply := func(words string) (draft.Body, storage.Draft) {
		t.Helper()
		w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: words})
		now := w.newest(thread)
		body, _, err := draft.Decode(now)
		if err != nil {
			t.Fatal(err)
		}
		return body, now
	}
	if body, _ := reply(`add: tell @bob "sent"`); len(body.Questions) != 0 || len(body.Steps) != 4 {
		t.Fatalf("before: %+v, %+v", body.Questions, body.Steps)
	}
	for i, want := range []struct {
		words, said      string
		questions, steps int
	}{
		{"undo", "Taken back: New at the end: “tell @bob \"sent\"”.", 0, 3},
		{"undo", "Taken back: the answer “@bob” to “Who or what does “paint the box”?”", 1, 3},
		{"undo", "Taken back: the answer “@bob” to “Who or what does “weigh the parcel”?”", 2, 3},
		{"redo", "Made again: the answer “@bob” to “Who or what does “weigh the parcel”?”", 1, 3},
	} {
		body, now := reply(want.words)
		if body.Edit != want.said || len(body.Questions) != want.questions || len(body.Steps) != want.steps || now.Status != draft.Open {
			t.Errorf("%d. %s: %q, %d questions, %d steps, %s", i+1, want.words, body.Edit, len(body.Questions), len(body.Steps), now.Status)
		}
	}
}

// TestAFileThatIsNotWholeIsNotApproved: a click on Approve that the card does not have says what has to be mended.
func TestAFileThatIsNotWholeIsNotApproved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ node, want, mend string }{
		"no such tool": {"{id: a, type: tool, tool: shop.nothing, routes: [{to: end}]}", "The file needs the tool shop.nothing, which is not known here", "Press *What it needs here…* on its card"},
		"an open step": {`{id: a, name: "Weigh it (?)", type: approval, message: Well?, choices: [Done, "I can't"], routes: [{to: end}]}`, "Step 1: it is not said yet who or what does “Weigh it”.", "Drop the mended file into this thread"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			got := w.approve("ana", w.written("ana", "name: odd\nflow: {entry: a, nodes: ["+tt.node+"]}"))
			for _, part := range []string{"cannot be approved yet", tt.want, tt.mend} {
				if !strings.Contains(got, part) {
					t.Errorf("the answer does not say %q: %s", part, got)
				}
			}
		})
	}
}
