package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/engine/run"
	"sluice/engine/view"
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

// What people have set holds for every further question about the call: it is shown, and what is sent again under the same key is the same.
func TestARetryKeepsTheEditedArguments(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	s.fail.Store(1)
	s.serve()
	s.save(strings.Replace(payOnce, "routes: [{to: end}]", "retry: {max_attempts: 2, backoff_ms: 1}, routes: [{to: end}]", 1))
	id := s.start("pays", nil).ID
	s.edit(id, map[string]string{"amount": "8", "to": "bob"})
	s.say(id, history.ChoiceYes)
	s.until(id, "the next question", func(v *view.View) bool {
		s.clock.Advance(time.Second)
		return v.Run.Status == string(history.Waiting) && lastError(v) != "" && len(stillOpen(s.world, id)) == 1
	})
	g, o := s.asks(id)
	if shown := fmt.Sprint(o.Show); !strings.Contains(shown, "amount 8") || !strings.Contains(shown, "to bob") {
		t.Errorf("shown is %s", shown)
	}
	b, err := gate.Decode(g)
	if err != nil || b.Edit == nil || b.Edit.By != "ana" || !strings.Contains(fmt.Sprint(b.Edit.Args), "amount 5") {
		t.Errorf("the edit is told as %+v (%v)", b.Edit, err)
	}
	s.say(id, history.ChoiceYes)
	s.ended(id, history.Succeeded)
	if got := s.paid(); len(got) != 2 || got[0] != got[1] || !strings.Contains(got[1], `"amount":8`) {
		t.Errorf("sent were %v", got)
	}
	s.folds(id)
}

// A call that was refused has not been made: tried again, it asks for the first time, and its arguments can be changed.
func TestARefusedCallCanBeChanged(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	s.serve()
	s.save(payOnce)
	id := s.start("pays", nil).ID
	s.say(id, history.ChoiceNo)
	s.until(id, "the error", func(v *view.View) bool { return v.Run.Status == string(history.Failed) })
	s.say(id, history.ChoiceRetry)
	s.until(id, "the call's question", func(v *view.View) bool {
		open := stillOpen(s.world, id)
		return len(open) == 1 && open[0].Kind == string(history.GateCall)
	})
	if after := s.edit(id, map[string]string{"amount": "3"}); after.Message != "Call till.pay?" || after.Call.Attempt != 1 {
		t.Errorf("asked is %q, of attempt %d", after.Message, after.Call.Attempt)
	}
	s.say(id, history.ChoiceYes)
	s.ended(id, history.Succeeded)
	if got := s.paid(); len(got) != 1 || !strings.Contains(got[0], `"amount":3`) {
		t.Errorf("sent were %v", got)
	}
	s.folds(id)
}

// A run that goes on with another revision asks with the arguments that people have set, as far as the revision leaves what they replace.
func TestAnotherRevisionKeepsTheEditedArguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		open   bool // the question is open when the run is moved; else it was answered with no
		change [2]string
		amount string // what is asked about, and sent
	}{
		"after the step":           {change: [2]string{"routes: [{to: end}]", "routes: [{to: after}]}\n    - {id: after, type: set, vars: {x: 1}, routes: [{to: end}]"}, amount: "8"},
		"while it is asked":        {open: true, change: [2]string{"routes: [{to: end}]", "routes: [{to: after}]}\n    - {id: after, type: set, vars: {x: 1}, routes: [{to: end}]"}, amount: "8"},
		"another argument":         {change: [2]string{`"{{inputs.to}}"`, "carl"}, amount: "8"},
		"the argument of the edit": {change: [2]string{`"{{inputs.amount}}"`, "6"}, amount: "6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPayShop(t, "ask")
			s.serve()
			s.saveAs(1, payOnce)
			id := s.start("pays", nil).ID
			before := s.edit(id, map[string]string{"amount": "8"})
			if !c.open {
				s.say(id, history.ChoiceNo)
				s.until(id, "the error", func(v *view.View) bool { return v.Run.Status == string(history.Failed) })
			}
			s.saveAs(2, strings.Replace(payOnce, c.change[0], c.change[1], 1))
			if err := s.engine.Move(t.Context(), id, 2, ana); err != nil {
				t.Fatal(err)
			}
			if !c.open {
				s.say(id, history.ChoiceRetry)
			}
			s.until(id, "the call's question", func(v *view.View) bool {
				open := stillOpen(s.world, id)
				return len(open) == 1 && open[0].Kind == string(history.GateCall)
			})
			_, o := s.asks(id)
			carl := strings.Contains(c.change[1], "carl")
			if shown := fmt.Sprint(o.Show); !strings.Contains(shown, "amount "+c.amount) || strings.Contains(shown, "to carl") != carl || o.Hash == "" || o.Hash == before.Hash {
				t.Errorf("shown is %s, with hash %q", shown, o.Hash)
			}
			s.say(id, history.ChoiceYes)
			s.ended(id, history.Succeeded)
			if got := s.paid(); len(got) != 1 || !strings.Contains(got[0], `"amount":`+c.amount) || strings.Contains(got[0], "carl") != carl {
				t.Errorf("sent were %v", got)
			}
			s.folds(id)
		})
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
