package bot

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/storage"
)

const weighFlow = `
name: weigh
flow:
  entry: w
  nodes:
    - {id: w, type: ask, message: "How heavy?", who: {groups: ["@finance"]}%s, routes: [{to: end}]}
`

// A plain reply in a run's thread answers the question in words that waits for its author; after other words the person is told how to answer.
func TestAPlainReplyAnswersAQuestionInWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form, user, text, says string
		open                   bool
	}{
		"text":             {"", "decider", "12 kg", "Answered: *12 kg*.", false},
		"one field":        {", form: {weight: {type: number}}", "decider", "12", "Answered: *weight: 12*.", false},
		"named field":      {", form: {weight: {type: number}, unit: {}}", "decider", "weight=12 unit=kg", "weight: 12, unit: kg", false},
		"sensitive fields": {", form: {pin: {sensitive: true}, unit: {}}", "decider", "pin=1234 unit=kg", "pin: •••, unit: kg", false},
		"no number":        {", form: {weight: {type: number}}", "decider", "quite heavy", "weight", true},
		"fields missing":   {", form: {weight: {type: number}, unit: {}}", "decider", "12 kg", "answer weight=… unit=…", true},
		"a question":       {"", "decider", "in kg or lb?", "answer …", true},
		"to somebody else": {"", "decider", "@owner do you know", "answer …", true},
		"another person":   {"", "member", "12 kg", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newDoors(t)
			p.save(fmt.Sprintf(weighFlow, c.form), "owner")
			run, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "weigh", Actor: request.Incoming{User: "owner"}.Actor(), Channel: "C1", Thread: "50.0"})
			if err != nil {
				t.Fatal(err)
			}
			p.posted(gate.ID(run.Run.ID, 1))
			if got := said(p.hear(request.Incoming{Kind: request.KindMessage, User: c.user, Thread: "50.0", Text: c.text})); !strings.Contains(got, c.says) || (got == "") != (c.says == "") {
				t.Errorf("the answer is %q", got)
			}
			open, err := p.store.Gates(t.Context(), storage.GateQuery{Run: run.Run.ID, Open: true})
			if err != nil || (len(open) > 0) != c.open {
				t.Errorf("open: %d (%v)", len(open), err)
			}
		})
	}
}

// posted waits until a question is open, and notes that its message shows all of it.
func (p *doors) posted(id string) {
	p.Helper()
	for p.Context().Err() == nil {
		g, err := p.store.Gate(p.Context(), id)
		if errors.Is(err, storage.ErrNotFound) {
			runtime.Gosched()
			continue
		}
		body, wrong := gate.Decode(g)
		s, missing := p.store.Surface(p.Context(), "gate-"+id)
		if err = errors.Join(err, wrong, missing); err != nil {
			p.Fatal(err)
		}
		s.TS, s.Body = "51.0", fmt.Appendf(nil, `{"shown":%q}`, body.Opened.Shown())
		if err := p.store.SaveSurface(p.Context(), s); err != nil {
			p.Fatal(err)
		}
		return
	}
}
