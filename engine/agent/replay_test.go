package agent_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/agent"
	"sluice/engine/flow"
	"sluice/engine/llm/llmtest"
	"sluice/engine/tool"
)

// conversation is a model that answers by what it has been told, not by how often it was asked: the same conversation
// gets the same answer in every try. Its agent works with a sub-agent, a refused call and a repair.
func conversation(r llmtest.Request) llmtest.Reply {
	reply := converse(r)
	for i := range reply.Calls {
		reply.Calls[i].ID = fmt.Sprintf("call-%d-%d", len(r.Messages), i)
	}
	return reply
}

func converse(r llmtest.Request) llmtest.Reply {
	if strings.Contains(r.System(), "Judge the order.") {
		if len(r.Messages) == 2 {
			return llmtest.Calls(call("shop__get_order", "B-2"))
		}
		return llmtest.Text("it looks fine")
	}
	switch len(r.Messages) {
	case 2: // system and request
		return llmtest.Calls(call("shop__get_order", "A-1"), call("http__post", "A-1"))
	case 5: // two answers
		return llmtest.Calls(llmtest.Call{Name: "agent__judge", Args: map[string]any{"task": "Judge A-1."}}, call("shop__label", "A-1"))
	case 8:
		return llmtest.Calls(call("shop__refund", "A-1"))
	case 10:
		return llmtest.Text("refund")
	default: // after the repair request
		return llmtest.JSON(map[string]any{"category": "refund"})
	}
}

func conversing(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.server.Script(conversation)
	w.spec.Agent.Output, w.spec.Agent.Subagents = category, []string{"judge"}
	w.spec.All = []flow.Agent{w.spec.Agent, {ID: "judge", Instructions: "Judge the order.", Tools: []string{"shop.get_order"}}}
	return w
}

var fullJournal = []string{
	"1 model", "2 shop.get_order run/7/2/0", "4 model", // 3 was refused
	"6 model", "7 shop.get_order run/7/7/0", "8 model", // 5 is the sub-agent
	"9 shop.label run/7/9/0", "10 model", "11 shop.refund run/7/11/0", "12 model", "13 model",
}

// The worker is killed before and after every write of the journal. The next try must end in the same answer, with the
// same acts under the same numbers and keys, and repeat nothing that was finished.
func TestRunResumesAfterACrashAnywhere(t *testing.T) {
	t.Parallel()
	whole := conversing(t)
	want, err := whole.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fullJournal, whole.journal.summary()); diff != "" {
		t.Fatal(diff)
	}
	positions := whole.journal.writes
	if positions != 4*len(fullJournal) {
		t.Fatalf("%d places to be killed at for %d acts", positions, len(fullJournal))
	}
	for at := 1; at <= positions; at++ {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			w := conversing(t)
			w.journal.crashAt = at
			if _, err := w.run(t); !errors.Is(err, errCrash) {
				t.Fatalf("the worker was not killed: %v", err)
			}
			finished := finishedCalls(w.journal)
			before := len(w.keys())
			w.journal.crashAt = 0
			got, err := w.run(t)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(fullJournal, w.journal.summary()); diff != "" {
				t.Error(diff)
			}
			for _, key := range w.keys()[before:] {
				if slices.Contains(finished, key) {
					t.Errorf("%s was finished and is called again", key)
				}
			}
			for _, key := range whole.keys() {
				if !slices.Contains(w.keys(), key) {
					t.Errorf("%s was never called", key)
				}
			}
			last := w.server.Requests()
			wholeLast := whole.server.Requests()
			if diff := cmp.Diff(wholeLast[len(wholeLast)-1], last[len(last)-1]); diff != "" && at <= positions-4 {
				t.Errorf("the model was told something else: %s", diff)
			}
		})
	}
}

// finishedCalls lists the tool calls whose outcome is stored.
func finishedCalls(j *journal) []string {
	var out []string
	for _, line := range j.summary() {
		if parts := strings.Fields(line); len(parts) == 3 && parts[2] != "(open)" {
			out = append(out, parts[1]+" "+parts[2])
		}
	}
	return out
}

// A tool that is gone when the step is taken up again must not shift the numbers of the others.
func TestRunResumesWithoutATool(t *testing.T) {
	t.Parallel()
	w := conversing(t)
	w.journal.crashAt = 4*8 + 3 // the label is on, its outcome is not stored
	if _, err := w.run(t); !errors.Is(err, errCrash) {
		t.Fatalf("got %v", err)
	}
	w.journal.crashAt = 0
	w.tools.Remove("shop.label")
	_, err := w.run(t)
	if e := failed(t, err); e.Type != "UnknownToolError" {
		t.Fatalf("got %+v", e)
	}
	if err := w.tools.Add(tool.Tool{Name: "shop.label", Effects: flow.EffectsIdempotent, Call: w.call}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fullJournal, w.journal.summary()); diff != "" {
		t.Error(diff)
	}
}

// A person's value for a call with an unknown outcome stands in the journal like any other result.
func TestRunTakesAPersonsValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fail = func(tool.Call) error { return &tool.Error{Type: "TimeoutError", Message: "no answer", Unknown: true} }
	w.server.Reply(llmtest.Calls(call("shop__refund", "A-1")))
	_, err := w.run(t)
	if e := failed(t, err); !e.Unknown {
		t.Fatalf("got %+v", e)
	}
	if err := w.journal.Outcome(t.Context(), 2, agent.Outcome{Result: []byte(`"it was booked"`)}); err != nil {
		t.Fatal(err)
	}
	w.server.Reply(llmtest.Text("done"))
	if _, err := w.run(t); err != nil {
		t.Fatal(err)
	}
	requests := w.server.Requests()
	if told := requests[len(requests)-1].Last(); told != `{"result":"it was booked","tool":"shop__refund"}` || len(w.calls) != 1 {
		t.Errorf("the model was told %s after %d calls", told, len(w.calls))
	}
}

func TestRunAgainUnderAnotherGeneration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.spec.Gen = 2
	w.server.Reply(llmtest.Calls(call("shop__refund", "A-1")), llmtest.Text("done"))
	if _, err := w.run(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"shop.refund run/7/2/2"}, w.keys()); diff != "" {
		t.Error(diff)
	}
}

// A journal with a hole belongs to another conversation: nothing may be done on its ground.
func TestRunRefusesAJournalWithAHole(t *testing.T) {
	t.Parallel()
	w := conversing(t)
	if _, err := w.run(t); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 6, 9} {
		act := w.journal.acts[n]
		delete(w.journal.acts, n)
		calls := len(w.keys())
		_, err := w.run(t)
		if e := failed(t, err); e.Type != "JournalError" || len(w.keys()) != calls {
			t.Errorf("without act %d: got %+v and %d more calls", n, e, len(w.keys())-calls)
		}
		w.journal.acts[n] = act
	}
}

func TestSubagents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.spec.Agent.Tools, w.spec.Agent.Subagents = nil, []string{"deep"}
	w.spec.All = []flow.Agent{w.spec.Agent, {ID: "deep", Description: "Goes deeper", Subagents: []string{"deep"}, Limits: flow.AgentLimits{Turns: 2}}}
	depths := map[int]int{}
	w.server.Script(func(r llmtest.Request) llmtest.Reply {
		depths[len(r.Tools)]++
		if len(r.Tools) > 0 && len(r.Messages) < 4 {
			return llmtest.Calls(llmtest.Call{Name: "agent__deep", Args: map[string]any{"task": "Go on."}}, llmtest.Call{Name: "agent__deep"})
		}
		return llmtest.Text("bottom")
	})
	got, err := w.run(t)
	if err != nil || got.Text != "bottom" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if depths[0] != 1 || got.Usage.Input != 10*(2*agent.MaxDepth-1) {
		t.Errorf("%d agents at the bottom, used %+v", depths[0], got.Usage)
	}
	requests := w.server.Requests()
	last := requests[len(requests)-1]
	if said := last.Messages[len(last.Messages)-2].Text(); said != `{"result":"bottom","tool":"agent__deep"}` {
		t.Errorf("the caller was told %s", said)
	}
	if said := last.Last(); !strings.Contains(said, "give the task as a text") {
		t.Errorf("the caller was told %s", said)
	}
}

// A sub-agent that runs out of turns is its caller's problem; one that runs out of the caller's tokens is everybody's.
func TestSubagentLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits, sub flow.AgentLimits
		says        string
		ends        bool
	}{
		"own turns":       {flow.AgentLimits{}, flow.AgentLimits{Turns: 2}, "the agent sub had no answer after 2 turns", false},
		"own tokens":      {flow.AgentLimits{}, flow.AgentLimits{Tokens: 20}, "the agent sub had no answer after 30 tokens", false},
		"caller's tokens": {flow.AgentLimits{Tokens: 40}, flow.AgentLimits{}, "the agent sub had no answer after 45 tokens", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.spec.Agent.Subagents, w.spec.Agent.Limits = []string{"sub"}, c.limits
			w.spec.All = []flow.Agent{w.spec.Agent, {ID: "sub", Instructions: "Never stop.", Tools: []string{"shop.get_order"}, Limits: c.sub}}
			w.server.Script(func(r llmtest.Request) llmtest.Reply {
				switch {
				case strings.Contains(r.System(), "Never stop."):
					return llmtest.Calls(call("shop__get_order", "A-1"))
				case len(r.Messages) == 2:
					return llmtest.Calls(llmtest.Call{Name: "agent__sub", Args: map[string]any{"task": "Go."}})
				default:
					return llmtest.Text(r.Last())
				}
			})
			got, err := w.run(t)
			if c.ends {
				if e := failed(t, err); e.Type != "LimitError" || !strings.Contains(e.Message, c.says) {
					t.Errorf("got %+v", e)
				}
				return
			}
			if err != nil || !strings.Contains(got.Text, c.says) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
