package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow/file"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/storage"
)

// payShop is a shop on the wire, with an action whose policy can change.
type payShop struct {
	*world
	mu   sync.Mutex
	got  []string // bodies of requests
	fail atomic.Int32
	url  string
}

// newPayShop serves a shop, and a world whose tool till.pay has a policy.
func newPayShop(t *testing.T, policy string) *payShop {
	t.Helper()
	s := &payShop{world: newWorld(t)}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.got = append(s.got, string(body))
		s.mu.Unlock()
		if s.fail.Add(-1) >= 0 {
			http.Error(rw, "later", http.StatusServiceUnavailable)
			return
		}
		_, _ = rw.Write([]byte(`{"paid": true}`))
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.declare(policy)
	return s
}

// declare loads the action as an operator declares it.
func (s *payShop) declare(policy string) {
	s.t.Helper()
	src := fmt.Sprintf(`
actions:
  - name: till.pay
    description: Pay money
    method: PUT
    url: "%s/pay"
    params: {type: object, properties: {amount: {type: number}, to: {type: string}}, required: [amount]}
    policy: %s
`, s.url, policy)
	tools, err := tool.LoadActions("actions.yaml", []byte(src), tool.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.tools.Remove("till.pay")
	s.add(tools[0])
}

func (s *payShop) paid() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.got...)
}

// asks waits for the question about a call and gives it.
func (s *payShop) asks(id string) (storage.Gate, history.GateOpened) {
	s.t.Helper()
	g := s.gate(id)
	body, err := gate.Decode(g)
	if err != nil {
		s.t.Fatal(err)
	}
	return g, body.Opened
}

func (s *payShop) say(id, choice string) {
	s.t.Helper()
	g, o := s.asks(id)
	_, err := s.engine.Answer(s.t.Context(), engine.GateAnswer{Gate: g.ID, Choice: choice, Note: "too much", Shown: o.Hash, Actor: ana})
	if err != nil {
		s.t.Fatal(err)
	}
}

const payOnce = `
name: pays
inputs: {amount: {type: number, default: 5}, to: {type: string, default: DE-12345, sensitive: true}}
flow:
  entry: pay
  nodes:
    - {id: pay, type: tool, tool: till.pay, params: {amount: "{{inputs.amount}}", to: "{{inputs.to}}"}, routes: [{to: end}]}
`

// A tool whose policy is to ask is called with the arguments that were shown, once, after a yes.
func TestAToolNodeAsksBeforeEachCall(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	s.serve()
	s.save(payOnce)
	id := s.start("pays", nil).ID
	_, o := s.asks(id)
	if o.Kind != history.GateCall || !strings.Contains(o.Message, "till.pay") || o.Hash == "" || len(o.Show) != 2 {
		t.Fatalf("asked is %+v", o)
	}
	if shown := fmt.Sprint(o.Show); !strings.Contains(shown, "amount 5") || strings.Contains(shown, "DE-12345") {
		t.Errorf("shown is %s", shown)
	}
	if got := s.paid(); len(got) != 0 {
		t.Fatalf("it was called before anybody said yes: %v", got)
	}
	s.say(id, history.ChoiceYes)
	s.ended(id, history.Succeeded)
	if got := s.paid(); len(got) != 1 || !strings.Contains(got[0], `"amount":5`) || !strings.Contains(got[0], "DE-12345") {
		t.Errorf("sent were %v", got)
	}
	s.folds(id)
}

// A no is an error by name, which routes can take; nothing is called.
func TestANoToACallIsAnErrorByName(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	s.serve()
	s.save(strings.Replace(payOnce, "routes: [{to: end}]}\n", "on_error: [{match: CallRefused, to: no}], routes: [{to: end}]}\n    - {id: no, type: terminal, output: {why: \"{{error.message}}\"}}\n", 1))
	id := s.start("pays", nil).ID
	s.say(id, history.ChoiceNo)
	s.ended(id, history.Succeeded)
	v, err := s.engine.View(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(lastError(v)); !strings.Contains(said, "said no to the call of till.pay: too much") || len(s.paid()) != 0 {
		t.Errorf("it ends with %s, sent were %v", said, s.paid())
	}
	s.folds(id)
}

func lastError(v *view.View) string {
	var last string
	for _, f := range v.Facts {
		if b, ok := f.Body.(*history.StepFailed); ok {
			last = b.Error.Error()
		}
	}
	return last
}

// A tool that nothing may call fails its node, and says which policy of which tool it was, also in a run that started before.
func TestADeniedToolFailsItsNode(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "allow")
	s.serve()
	s.save(strings.Replace(payOnce, "entry: pay\n  nodes:\n", "entry: gate\n  nodes:\n    - {id: gate, type: approval, message: ok?, routes: [{to: pay}]}\n", 1))
	id := s.start("pays", nil).ID
	g, _ := s.asks(id)
	s.declare("deny")
	if _, err := s.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(s.engine, g.ID), Choice: "approve", Actor: ana}); err != nil {
		t.Fatal(err)
	}
	v := s.until(id, "an error", func(v *view.View) bool { return lastError(v) != "" })
	if said := lastError(v); !strings.Contains(said, "PolicyError: the policy of the tool till.pay is deny") || len(s.paid()) != 0 {
		t.Errorf("it ends with %s, sent were %v", said, s.paid())
	}
	if _, problems := file.Check("flow.yaml", []byte(payOnce), engine.Checks(s.tools)); !strings.Contains(fmt.Sprint(problems), "the policy of the tool 'till.pay' is deny") {
		t.Errorf("validation says %v", problems)
	}
}

// A policy that changed after the approval makes the next start ask for an approval again.
func TestAChangedPolicyRefusesTheNextStart(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"ask", "deny"} {
		s := newPayShop(t, "allow")
		s.serve()
		s.save(payOnce)
		s.declare(to)
		_, err := s.engine.Start(t.Context(), engine.StartRequest{Flow: "pays", Actor: ana})
		if err == nil || !strings.Contains(err.Error(), "the tool till.pay has the policy "+to+" instead of allow") {
			t.Errorf("a start under the policy %s gives %v", to, err)
		}
	}
}

// Every item of a foreach asks for itself, and shows its own arguments.
func TestEachItemAsks(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	s.serve()
	s.save(`
name: pays
flow:
  entry: each
  max_iterations: 100
  nodes:
    - {id: each, type: foreach, items: "[10, 20]", as: x, body: pay, routes: [{to: end}]}
    - {id: pay, type: tool, tool: till.pay, params: {amount: "{{x}}"}, routes: [{to: end}]}
`)
	id := s.start("pays", nil).ID
	for n, amount := range []string{"10", "20"} {
		s.until(id, "a question", func(v *view.View) bool { return v.Run.Status == string(history.Waiting) && len(s.paid()) == n })
		if _, o := s.asks(id); !strings.Contains(fmt.Sprint(o.Show), "amount "+amount) {
			t.Errorf("item %d shows %v", n, o.Show)
		}
		s.say(id, history.ChoiceYes)
	}
	s.ended(id, history.Succeeded)
	if got := s.paid(); len(got) != 2 || !strings.Contains(got[0], "10") || !strings.Contains(got[1], "20") {
		t.Errorf("sent were %v", got)
	}
	s.folds(id)
}

// A retry is one more call, and asks once more.
func TestARetryAsksAgain(t *testing.T) {
	t.Parallel()
	s, id := askedAfterAFailure(t)
	if _, o := s.asks(id); !strings.Contains(o.Message, "attempt 2") || len(s.paid()) != 1 {
		t.Errorf("asked is %q after %v", o.Message, s.paid())
	}
	s.say(id, history.ChoiceYes)
	s.ended(id, history.Succeeded)
	if got := s.paid(); len(got) != 2 || got[0] != got[1] {
		t.Errorf("sent were %v", got)
	}
	s.folds(id)
}

// askedAfterAFailure is a run whose payment has failed once and asks whether it may be tried again.
func askedAfterAFailure(t *testing.T) (s *payShop, id string) {
	t.Helper()
	s = newPayShop(t, "ask")
	s.fail.Store(1)
	s.serve()
	s.save(strings.Replace(payOnce, "routes: [{to: end}]", "retry: {max_attempts: 2, backoff_ms: 1}, routes: [{to: end}]", 1))
	id = s.start("pays", nil).ID
	s.say(id, history.ChoiceYes)
	s.until(id, "the next question", func(v *view.View) bool {
		s.clock.Advance(time.Second)
		return v.Run.Status == string(history.Waiting) && lastError(v) != "" && len(stillOpen(s.world, id)) == 1
	})
	return s, id
}

func stillOpen(w *world, id string) []storage.Gate {
	rows, err := w.store.Gates(w.t.Context(), storage.GateQuery{Run: id, Open: true, Limit: 10})
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

// A crash between the yes and the call asks nobody again.
func TestACrashBetweenTheYesAndTheCallAsksOnce(t *testing.T) {
	t.Parallel()
	s := newPayShop(t, "ask")
	stop := s.serve()
	s.save(payOnce)
	id := s.start("pays", nil).ID
	g, o := s.asks(id)
	stop()
	s.open() // an engine that takes the answer and performs nothing: what a process leaves that dies right after it
	if _, err := s.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Choice: history.ChoiceYes, Shown: o.Hash, Actor: ana}); err != nil {
		t.Fatal(err)
	}
	s.close()
	if got := s.paid(); len(got) != 0 {
		t.Fatalf("sent were %v", got)
	}
	s.serve()
	s.ended(id, history.Succeeded)
	v, err := s.engine.View(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, f := range v.Facts {
		if f.Kind == "gate_opened" {
			asked++
		}
	}
	if asked != 1 || len(s.paid()) != 1 {
		t.Errorf("asked %d times, sent were %v", asked, s.paid())
	}
	s.folds(id)
}

// An agent's call asks too: after a yes the same conversation goes on with that call, after a no with the refusal.
func TestAnAgentsCallAsks(t *testing.T) {
	t.Parallel()
	for _, choice := range []string{history.ChoiceYes, history.ChoiceNo} {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			s := newPayShop(t, "ask")
			model := llmtest.New(t)
			s.model = llm.NewOpenAI(llm.OpenAIOptions{BaseURL: model.URL, Model: "small", Attempts: 1, Backoff: time.Millisecond})
			model.Reply(llmtest.Calls(llmtest.Call{Name: "till__pay", Args: map[string]any{"amount": 7, "to": "to DE-12345 now"}}))
			model.Reply(llmtest.Text("done"))
			s.serve()
			s.save(`
name: pays
inputs: {to: {type: string, default: DE-12345, sensitive: true}}
agents: [{id: bot, instructions: Pay., tools: [till.pay]}]
flow:
  entry: work
  nodes:
    - {id: work, type: agent, agent: bot, routes: [{to: end}]}
`)
			id := s.start("pays", nil).ID
			_, o := s.asks(id)
			if shown := fmt.Sprint(o.Show); o.Kind != history.GateCall || !strings.Contains(shown, "amount 7") || strings.Contains(shown, "DE-12345") {
				t.Errorf("asked is %q, shown %s", o.Message, shown)
			}
			s.say(id, choice)
			s.ended(id, history.Succeeded)
			if got := s.paid(); choice == history.ChoiceYes && (len(got) != 1 || !strings.Contains(got[0], "to DE-12345 now")) || choice == history.ChoiceNo && len(got) != 0 {
				t.Errorf("sent were %v", got)
			}
			asked, err := json.Marshal(model.Requests()[1].Messages)
			if err != nil || len(model.Requests()) != 2 {
				t.Fatalf("%d turns, %v", len(model.Requests()), err)
			}
			if told := strings.Contains(string(asked), "CallRefused"); told != (choice == history.ChoiceNo) {
				t.Errorf("the model read %s", asked)
			}
			s.folds(id)
		})
	}
}

// An agent whose tool is denied is not offered it. A call of it all the same is never made, the model hears so by name, and the step goes on;
// also when the policy changed after the call was asked about.
func TestAnAgentsDeniedCallIsNeverMade(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string]bool{"denied before the agent begins": false, "denied after a yes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPayShop(t, "ask")
			model := llmtest.New(t)
			s.model = llm.NewOpenAI(llm.OpenAIOptions{BaseURL: model.URL, Model: "small", Attempts: 1, Backoff: time.Millisecond})
			model.Reply(llmtest.Calls(llmtest.Call{Name: "till__pay", Args: map[string]any{"amount": 7}}))
			model.Reply(llmtest.Text("done"))
			s.serve()
			s.save(`
name: pays
agents: [{id: bot, instructions: Pay., tools: [till.pay]}]
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: ok?, routes: [{to: work}]}
    - {id: work, type: agent, agent: bot, routes: [{to: end}]}
`)
			id := s.start("pays", nil).ID
			if !asked {
				s.asks(id)
				s.declare("deny")
			}
			s.say(id, "approve")
			if asked {
				s.until(id, "the question about the call", func(v *view.View) bool { return v.Latest("work").Gate != 0 && len(stillOpen(s.world, id)) == 1 })
				s.declare("deny")
				s.say(id, history.ChoiceYes)
			}
			s.ended(id, history.Succeeded)
			if got := s.paid(); len(got) != 0 {
				t.Errorf("sent were %v", got)
			}
			turns := model.Requests()
			if len(turns) != 2 || !strings.Contains(turns[1].Last(), "PolicyError") || !strings.Contains(turns[1].Last(), "the policy of the tool till.pay is deny") {
				t.Errorf("in %d turns the model read %s", len(turns), turns[len(turns)-1].Last())
			}
			if !asked && len(turns[0].Tools) != 0 {
				t.Errorf("offered were %v", turns[0].Tools)
			}
			s.folds(id)
		})
	}
}
