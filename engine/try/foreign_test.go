package try_test

import (
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/try"
)

func marks(t *testing.T, f *flow.Flow) *try.Result {
	t.Helper()
	r, err := try.Run(try.Request{Flow: f, Tools: untouchable(t), Now: enginetest.Epoch})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func check(t *testing.T, r *try.Result, nodes, edges map[string]try.Mark) {
	t.Helper()
	for id, want := range nodes {
		if r.Nodes[id] != want {
			t.Errorf("node %s is %v, want %v", id, r.Nodes[id], want)
		}
	}
	for id, want := range edges {
		if r.Edges[id] != want {
			t.Errorf("edge %s is %v, want %v", id, r.Edges[id], want)
		}
	}
}

// Nobody knows whether an agent asks for tools: its executor is possible, and so is every way on from there.
func TestAnAgentMayAskForTools(t *testing.T) {
	t.Parallel()
	r := marks(t, &flow.Flow{
		Name: "talk", Entry: "boss", Profile: "s2", MaxVisits: 20, Agents: []flow.Agent{{ID: "boss"}},
		Nodes: []flow.Node{
			{
				ID: "boss", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "boss", ToolMode: flow.ToolsExternal},
				Routes: []flow.Route{{If: flow.IfNext, When: "tool_executor", To: "calls"}, {To: "done"}},
			},
			{ID: "calls", Kind: flow.KindToolexec, Spec: &flow.ToolexecSpec{}, Routes: []flow.Route{{If: flow.IfTool, When: "t.act", To: "special"}}},
			{ID: "special", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "special"}},
			{ID: "done", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "done"}},
		},
	})
	check(t, r, map[string]try.Mark{"boss": try.Certain, "calls": try.Possible, "special": try.Possible, "done": try.Possible},
		map[string]try.Mark{"boss/0": try.Possible, "boss/1": try.Possible, flow.CallerEdge("calls"): try.Possible})
}

// A loop whose rounds are known is walked round by round; one that goes by what nobody knows may be over before any of
// them, or go on up to its limit.
func TestLoopsAreWalked(t *testing.T) {
	t.Parallel()
	loop := func(spec *flow.LoopSpec) *flow.Flow {
		spec.Body = "pick"
		return &flow.Flow{Name: "loop", Entry: "act", Profile: "s4", Nodes: []flow.Node{
			{ID: "act", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.act"}, Routes: []flow.Route{{To: "rounds"}}},
			{ID: "rounds", Kind: flow.KindLoop, Spec: spec, Routes: []flow.Route{{To: "done"}}},
			{ID: "pick", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "rounds.number"}, Routes: []flow.Route{{When: "2", To: "second"}, {When: "9", To: "ninth"}, {To: flow.End}}},
			{ID: "second", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "2"}},
			{ID: "ninth", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "9"}},
			{ID: "done", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "done"}},
		}}
	}
	check(t, marks(t, loop(&flow.LoopSpec{Type: flow.LoopFor, To: "3"})),
		map[string]try.Mark{"pick": try.Certain, "second": try.Certain, "ninth": try.Exceptional, "done": try.Certain}, nil)
	check(t, marks(t, loop(&flow.LoopSpec{Type: flow.LoopEach, Items: "act.result.list"})),
		map[string]try.Mark{"rounds": try.Certain, "pick": try.Possible, "second": try.Possible, "done": try.Possible}, nil)
	check(t, marks(t, loop(&flow.LoopSpec{Type: flow.LoopWhile, While: "not act.result.done"})),
		map[string]try.Mark{"rounds": try.Certain, "pick": try.Possible, "second": try.Possible, "done": try.Possible}, nil)
}

// Of ways that are taken at the same time each may be left out, up to all of them: then the default is taken.
func TestEveryWayMayBeLeftOut(t *testing.T) {
	t.Parallel()
	var routes []flow.Route
	for _, word := range []string{"red", "green", "blue"} {
		routes = append(routes, flow.Route{If: flow.IfHandle, When: word, To: "paint"})
	}
	for _, policy := range []flow.Policy{flow.PolicyAll, flow.PolicyPriority} {
		r := marks(t, &flow.Flow{Name: "ways", Entry: "act", Profile: "s4", Nodes: []flow.Node{
			{ID: "act", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.act"}, Policy: policy, Routes: append(routes, flow.Route{To: "bare"})},
			{ID: "paint", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "paint"}},
			{ID: "bare", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "bare"}},
		}})
		check(t, r, map[string]try.Mark{"act": try.Certain, "paint": try.Possible, "bare": try.Possible},
			map[string]try.Mark{"act/0": try.Possible, "act/1": try.Possible, "act/2": try.Possible, "act/3": try.Possible})
	}
}

// Nothing is judged in a trial: what hangs on a verdict is open both ways, whether a criterion, a question of a route or the
// outcome that they make.
func TestVerdictsAreOpen(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]flow.Route{
		"a criterion": {When: "state.verdicts.good", To: "yes"},
		"a question":  {If: flow.IfLLM, When: "Is it so?", To: "yes"},
		"the outcome": {If: flow.IfOutcome, When: flow.OutcomeFailure, To: "yes"},
	} {
		r := marks(t, &flow.Flow{Name: "judged", Entry: "act", Profile: "s4", Nodes: []flow.Node{
			{
				ID: "act", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "words"}, Criteria: []flow.Clause{{ID: "good", Text: "Is it good?"}},
				Routes: []flow.Route{route, {To: "no"}},
			},
			{ID: "yes", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "yes"}},
			{ID: "no", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "no"}},
		}})
		t.Log(name)
		check(t, r, map[string]try.Mark{"act": try.Certain, "yes": try.Possible, "no": try.Possible},
			map[string]try.Mark{"act/0": try.Possible, "act/1": try.Possible})
	}
}
