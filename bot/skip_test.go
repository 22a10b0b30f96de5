package bot

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

const triageFlow = `
name: triage
agents:
  - id: reader
    instructions: Read the ticket.
    output: {type: object, required: [summary, score], properties: {summary: {type: string}, score: {type: integer}, urgent: {type: boolean}, team: {enum: [shop, ship]}}}
flow:
  entry: read
  nodes:
    - {id: read, type: agent, agent: reader, routes: [{to: tell}]}
    - {id: tell, type: ask, message: "{{read.summary}} {{add(read.score, 1)}} {{read.urgent}} {{read.team}}", routes: [{to: end}]}
`

// TestASkippedAgentIsAskedForAllItsValues: a form has a field for each value of the agent's schema, and the same can be typed by their names.
func TestASkippedAgentIsAskedForAllItsValues(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	p.save(triageFlow, "owner")
	failed := func() (storage.Run, form.Ref) {
		s, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "triage", Actor: request.Incoming{User: "asker"}.Actor(), Channel: "C1"})
		if err != nil {
			t.Fatal(err)
		}
		id := gate.ID(s.Run.ID, 1)
		p.posted(id)
		g, err := p.store.Gate(t.Context(), id)
		if err != nil || g.Kind != string(history.GateFailure) {
			t.Fatalf("the question is %+v (%v)", g, err)
		}
		body, err := gate.Decode(g)
		if err != nil {
			t.Fatal(err)
		}
		return s.Run, form.Ref{Owner: form.OfGate, Subject: id, Choice: 1 + slices.Index(body.Opened.Choices, history.ChoiceSkip), Shown: body.Opened.Shown()}
	}
	asked := func(r storage.Run) string {
		p.posted(gate.ID(r.ID, 2))
		g, err := p.store.Gate(t.Context(), gate.ID(r.ID, 2))
		if err != nil {
			t.Fatal(err)
		}
		body, err := gate.Decode(g)
		if err != nil {
			t.Fatal(err)
		}
		return body.Opened.Message
	}
	r, ref := failed()
	f, refused, err := p.bot.Form(t.Context(), request.Incoming{User: "asker", Channel: "C1", Team: "T1", Value: ref.String()})
	if err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	want := []form.Field{
		{Name: ".value.summary", Label: "Summary", Kind: form.Text, Required: true},
		{Name: ".value.score", Label: "Score", Kind: form.Integer, Required: true},
		{Name: ".value.team", Label: "Team", Kind: form.Choice, Options: []string{"shop", "ship"}},
		{Name: ".value.urgent", Label: "Urgent", Kind: form.YesNo},
	}
	for i, field := range f.Fields[:min(len(f.Fields), len(want))] {
		if w := want[i]; field.Name != w.Name || field.Label != w.Label || field.Kind != w.Kind || field.Required != w.Required || !slices.Equal(field.Options, w.Options) {
			t.Errorf("field %d is %+v, want %+v", i, field, w)
		}
	}
	sent := map[string]string{".value.score": "many", ".value.summary": "broken cup", ".value.urgent": "yes", ".value.team": "ship"}
	err = p.bot.Handle(t.Context(), request.Incoming{Kind: request.KindSubmit, User: "asker", Channel: "C1", Team: "T1", Value: ref.String(), Form: sent, Waits: true})
	if wrong, ok := errors.AsType[*form.Problems](err); !ok || !strings.Contains(wrong.Fields[".value.score"], "integer") {
		t.Errorf("what is wrong is told as %v", err)
	}
	sent[".value.score"] = "4"
	if err := p.bot.Handle(t.Context(), request.Incoming{Kind: request.KindSubmit, User: "asker", Channel: "C1", Team: "T1", Value: ref.String(), Form: sent}); err != nil {
		t.Fatal(err)
	}
	if got := asked(r); got != "broken cup 5 true ship" {
		t.Errorf("the run went on with %q", got)
	}
	r, _ = failed()
	if got := said(p.hear(request.Incoming{Kind: request.KindCommand, User: "asker", Text: "skip " + r.Name + " summary=broken cup, and wet score=x"})); !strings.Contains(got, "Score: This") {
		t.Errorf("a wrong value is told as %q", got)
	}
	p.hear(request.Incoming{Kind: request.KindCommand, User: "asker", Text: "skip " + r.Name + " read summary=broken cup, and wet score=6"})
	if got := asked(r); got != "broken cup, and wet 7  " {
		t.Errorf("with typed values the run went on with %q", got)
	}
}
