package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/engine/run"
)

// edit sets arguments of the call that waits, and gives the new question.
func (s *payShop) edit(id string, values map[string]string) history.GateOpened {
	s.t.Helper()
	g, o := s.asks(id)
	if err := s.engine.EditCall(s.t.Context(), g.ID, ana, values, o.Shown()); err != nil {
		s.t.Fatal(err)
	}
	_, after := s.asks(id)
	if after.Shown() == o.Shown() {
		s.t.Fatal("the question has the hash that it had before")
	}
	return after
}

// What a person has set is shown, has a hash of its own, and is what is sent; an answer to what was shown before decides nothing.
func TestEditedArgumentsAreSent(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	s.serve()
	s.save(payOnce)
	id := s.start("pays", nil).ID
	g, before := s.asks(id)
	for values, want := range map[[2]string]string{
		{"amount", "much"}: "amount must be a number, not a string", {"amount", ""}: "amount is required", {"tip", "1"}: "tip is no parameter of till.pay",
		{"to", "x•••"}: "to is shown in part",
	} {
		err := s.engine.EditCall(t.Context(), g.ID, ana, map[string]string{values[0]: values[1]}, before.Shown())
		if form, ok := errors.AsType[*run.FormError](err); !ok || !strings.Contains(form.Error(), want) {
			t.Errorf("%v: %v", values, err)
		}
	}
	after := s.edit(id, map[string]string{"amount": "7.5", "to": "•••"})
	if shown := fmt.Sprint(after.Show); !strings.Contains(shown, "amount 7.5") || strings.Contains(shown, "DE-12345") {
		t.Errorf("shown is %s", shown)
	}
	for _, old := range []func() error{
		func() error {
			_, err := s.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Choice: history.ChoiceYes, Shown: before.Shown(), Actor: ana})
			return err
		},
		func() error {
			return s.engine.EditCall(t.Context(), g.ID, ana, map[string]string{"amount": "9"}, before.Shown())
		},
	} {
		if err := old(); !errors.Is(err, run.ErrShown) {
			t.Errorf("an answer to what was shown before: %v", err)
		}
	}
	s.say(id, history.ChoiceYes)
	s.ended(id, history.Succeeded)
	if got := s.paid(); len(got) != 1 || !strings.Contains(got[0], `"amount":7.5`) || !strings.Contains(got[0], "DE-12345") {
		t.Errorf("sent were %v", got)
	}
	s.folds(id)
}

// What was approved is sent although the policy does not ask any more.
func TestEditedArgumentsAreSentUnderAnotherPolicy(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	s.serve()
	s.save(payOnce)
	id := s.start("pays", nil).ID
	s.edit(id, map[string]string{"amount": "8"})
	s.declare("allow")
	s.say(id, history.ChoiceYes)
	s.ended(id, history.Succeeded)
	if got := s.paid(); len(got) != 1 || !strings.Contains(got[0], `"amount":8`) {
		t.Errorf("sent were %v", got)
	}
	s.folds(id)
}

// A call that may have taken effect keeps its arguments: its key stands for them.
func TestACallThatWasTriedKeepsItsArguments(t *testing.T) {
	t.Parallel()
	s, id := askedAfterAFailure(t)
	g, o := s.asks(id)
	if err := s.engine.EditCall(t.Context(), g.ID, ana, map[string]string{"amount": "9"}, o.Shown()); !errors.Is(err, run.ErrSent) {
		t.Errorf("an edit of a call that was tried: %v", err)
	}
}

// An agent's call is made with what the person has set, once, and the model is told.
func TestAnAgentsEditedCall(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	model := llmtest.New(t)
	s.model = llm.NewOpenAI(llm.OpenAIOptions{BaseURL: model.URL, Model: "small", Attempts: 1, Backoff: time.Millisecond})
	model.Reply(llmtest.Calls(llmtest.Call{Name: "till__pay", Args: map[string]any{"amount": 7, "to": "bob"}}))
	model.Reply(llmtest.Text("done"))
	s.serve()
	s.save("name: pays\nagents: [{id: bot, instructions: Pay., tools: [till.pay]}]\nflow:\n  entry: work\n  nodes:\n    - {id: work, type: agent, agent: bot, routes: [{to: end}]}\n")
	id := s.start("pays", nil).ID
	s.edit(id, map[string]string{"amount": "3", "to": ""})
	s.say(id, history.ChoiceYes)
	s.ended(id, history.Succeeded)
	if got := s.paid(); len(got) != 1 || !strings.Contains(got[0], `"amount":3`) || strings.Contains(got[0], "bob") {
		t.Errorf("sent were %v", got)
	}
	told, err := json.Marshal(model.Requests()[1].Messages)
	if err != nil || !strings.Contains(string(told), "A person has changed the arguments") {
		t.Errorf("the model read %s (%v)", told, err)
	}
	s.folds(id)
}
