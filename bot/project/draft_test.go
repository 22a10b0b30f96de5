package project

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/llm"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/storage"
)

// draft stores a draft d1 of a flow by ana, and gives its card.
func (w *world) draft(f *flow.Flow, b draft.Body) card.Card {
	w.Helper()
	b.Flow, b.Authors = flow.Canonical(f), []string{"ana"}
	body, err := json.Marshal(b)
	if err != nil {
		w.Fatal(err)
	}
	d := storage.Draft{ID: "d1", Channel: "C1", Thread: "t1", Number: 1, Flow: f.Name, Status: draft.Open, Author: "ana", Hash: flow.Hash(f), Body: body}
	if err := w.store.Write(w.Context(), &storage.Batch{Draft: []storage.Draft{d}}); err != nil {
		w.Fatal(err)
	}
	c, err := w.p.DraftCard(w.Context(), d.ID)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// The approver of a flow with steps that nothing here can run is told their names, and may approve it all the same.
func TestADraftNamesWhatCannotBeRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := &flow.Flow{Name: "imported", Entry: "fax", Profile: "s4", Nodes: []flow.Node{
		{ID: "fax", Name: "Send the fax", Kind: flow.KindOpaque, Spec: &flow.OpaqueSpec{Type: "code"}, Routes: []flow.Route{{To: "done"}}},
		{ID: "done", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "done"}},
	}}
	c := w.draft(f, draft.Body{Steps: readback.Lines(f, nil, readback.Numbers(f)), Notes: []tree.Note{{Text: "Mind the gap."}}})
	if len(c.Warnings) != 2 || !strings.Contains(c.Warnings[0].String(), "Send the fax") || c.Warnings[1].String() != "Mind the gap." {
		t.Errorf("the warnings are %q", c.Warnings)
	}
	if len(c.Buttons) == 0 || c.Buttons[0].Action != "draft.approve" {
		t.Errorf("the buttons are %+v", c.Buttons)
	}
}

// A list of changes that count is never cut in silence: the card says how many more there are, and a button gives them all.
func TestADraftSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := &flow.Flow{Name: "pays", Entry: "done", Nodes: []flow.Node{{ID: "done", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "done"}}}}
	b := draft.Body{Second: true, Seconds: "@finance"}
	for i := range 100 {
		b.Allows = append(b.Allows, approval.Allowance{Kind: approval.AllowsChange, Words: fmt.Sprintf("step %d 'Pay': amount was 1, becomes %d", i, 1000+i)})
	}
	c := w.draft(f, b)
	list := c.Sections[1].Text.String()
	if !strings.Contains(list, "becomes 1000") || !strings.Contains(list, "more: *All changes* gives the whole list") {
		t.Errorf("the card says %q", list)
	}
	if !slices.ContainsFunc(c.Buttons, func(b card.Button) bool { return b.Action == "draft.changes" && b.Label == "All changes" }) {
		t.Errorf("the buttons are %+v", c.Buttons)
	}
	if small := c.Context[0].String(); !strings.Contains(small, "a second person must approve it: @finance") {
		t.Errorf("the card says %q", small)
	}
	all, err := w.p.FileCard(t.Context(), storage.Surface{Body: []byte(`{"draft": "d1", "flow": "pays", "format": "changes"}`)})
	if err != nil || !strings.Contains(all.File.Text, "becomes 1099") {
		t.Errorf("the whole list is %+v, %v", all.File, err)
	}
}

// A step that is new in a change is told as in the list of the steps, once with the nodes that share its sentence; what has no sentence keeps
// its own words.
func TestAChangeIsToldInTheWordsOfTheSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := &flow.Flow{Name: "pays", Entry: "done", Nodes: []flow.Node{{ID: "done", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "done"}}}}
	is := func(node string) approval.Allowance {
		return approval.Allowance{Kind: approval.AllowsChange, Node: node, Words: node + " {raw}", New: true}
	}
	c := w.draft(f, draft.Body{
		Steps:   []readback.Line{{Number: "1", Node: "done", Text: "Say done."}, {Number: "2", Node: "ask", Text: "Ask @ana."}},
		Numbers: map[string]string{"done": "1", "late": "1", "ask": "2", "no": "2"},
		Allows:  []approval.Allowance{is("ask"), is("no"), is("late"), is("hidden"), {Kind: approval.AllowsChange, Node: "done", Words: "step 1 'Done' says more"}},
	})
	i := slices.IndexFunc(c.Sections, func(s card.Section) bool { return s.Title == "What changes in a flow that can write" })
	want := "• step 2 is new: Ask @ana.\n• step 1 does now: Say done.\n• hidden {raw}\n• step 1 'Done' says more"
	if i < 0 || c.Sections[i].Text.String() != want {
		t.Errorf("the card says %+v", c.Sections)
	}
}

// While words are read there is a card in the draft's place; it says what reading cost, and why a model did not read them.
func TestADraftThatIsBeingRead(t *testing.T) {
	t.Parallel()
	used := llm.Usage{Model: "m", Input: 10, USD: 0.5, Priced: true}
	w := newWorld(t)
	for i, c := range []struct {
		r    draft.Reading
		want string
	}{
		{draft.Reading{Tries: 1}, ":hourglass_flowing_sand: Drafting ... []"},
		{draft.Reading{Tries: 1, None: true, Usage: used}, "No draft came of this. [model cost 0.50 USD]"},
	} {
		body, err := json.Marshal(draft.Body{Reading: &c.r})
		if err != nil {
			t.Fatal(err)
		}
		d := storage.Draft{ID: fmt.Sprint("r", i), Channel: "C1", Status: draft.Drafting, Author: "ana", Body: body}
		if err := w.store.Write(t.Context(), &storage.Batch{Draft: []storage.Draft{d}}); err != nil {
			t.Fatal(err)
		}
		for _, of := range []func(*surface.Cards, context.Context, string) (card.Card, error){(*surface.Cards).DraftCard, (*surface.Cards).BareDraft} {
			got, err := of(w.p.Cards, t.Context(), d.ID)
			if err != nil || fmt.Sprint(got.Text, " ", got.Context) != c.want || len(got.Buttons) > 0 {
				t.Errorf("the card is %q %q, %v", got.Text, got.Context, err)
			}
		}
	}
	f := &flow.Flow{Name: "refund", Entry: "done", Nodes: []flow.Node{{ID: "done", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "done"}}}}
	c := w.draft(f, draft.Body{Reading: &draft.Reading{Usage: used, Note: "The service is down."}})
	if len(c.Warnings) != 1 || c.Warnings[0].String() != "The service is down." || !strings.Contains(c.Context[0].String(), "model cost 0.50 USD") {
		t.Errorf("the card says %q, %q", c.Warnings, c.Context)
	}
}
