package flowtest

import "sluice/engine/flow"

// EveryForeignKind is a flow with a node of every foreign kind.
func EveryForeignKind() *flow.Flow {
	half := 0.5
	return &flow.Flow{
		Name: "foreign", Entry: "begin", MaxVisits: 100,
		Inputs: []flow.Input{{Name: "order", Type: "string"}},
		Agents: []flow.Agent{{ID: "bot", Tools: []string{"shop.get"}}},
		Nodes: []flow.Node{
			{ID: "begin", Spec: &flow.EntrySpec{Outputs: map[string]any{"order": "{{inputs.order}}"}, Vars: []string{"order"}}, Routes: []flow.Route{{To: "ask"}}},
			{ID: "nightly", Spec: &flow.EntrySpec{Start: flow.StartSchedule}, Routes: []flow.Route{{To: "rounds"}}},
			{
				ID: "ask", Routes: []flow.Route{{To: "rounds"}},
				Spec: &flow.LLMSpec{Prompt: "Say {{inputs.order}}", Schema: map[string]any{"type": "object", "maxProperties": 3.0}, Temperature: &half, Tools: []string{"shop.find"}},
			},
			{ID: "rounds", Spec: &flow.LoopSpec{Type: flow.LoopFor, To: "3", Body: "agent"}, Routes: []flow.Route{{To: "parts"}}},
			{ID: "agent", Spec: &flow.AgentSpec{Agent: "bot", ToolMode: flow.ToolsExternal}, Routes: []flow.Route{{To: "calls"}}},
			{ID: "calls", Spec: &flow.ToolexecSpec{Tools: []string{"shop.get"}}},
			{ID: "parts", Spec: &flow.SequenceSpec{Branches: []flow.Route{{To: "sum"}, {To: "code", Label: "then the code"}}}, Routes: []flow.Route{{To: "done"}}},
			{ID: "sum", Spec: &flow.ComputeSpec{Value: map[string]any{"n": "{{twice.n}}"}}},
			{ID: "twice", Spec: &flow.ComputeSpec{Value: map[string]any{"n": 2.0}, Pull: true}},
			{ID: "code", Spec: &flow.OpaqueSpec{Type: "code", Reason: "it is a program", Source: map[string]any{"lines": 12.0}}},
			{ID: "done", Spec: &flow.TerminalSpec{Output: "{{sum.n}}", EndsRun: true}},
		},
	}
}

// ForeignParts is a flow with all parts that only other formats have.
func ForeignParts() *flow.Flow {
	return &flow.Flow{
		Name: "foreign", Entry: "judge", MaxVisits: 20, Profile: "s0",
		Rules:  flow.Rules{PauseAll: true, Remembers: true, Visits: 3, ToolTurns: 4, NodeTimeout: flow.Duration{Clock: 90e9}},
		Agents: []flow.Agent{{ID: "bot"}},
		Nodes: []flow.Node{
			{
				ID: "judge", Spec: &flow.AgentSpec{Agent: "bot"}, Policy: flow.PolicyPriority, NoMatch: flow.NoMatchBlock,
				Criteria: []flow.Clause{{ID: "q1", Text: "Is the amount above 100?"}, {ID: "q2", Text: "Is it polite?"}}, Subagents: []string{"clerk"},
				Routes: []flow.Route{
					{If: flow.IfOutcome, When: flow.OutcomeSuccess, To: "pay", Priority: 2},
					{If: flow.IfOutcome, When: flow.OutcomeFailure, To: "gate"},
					{If: flow.IfLLM, When: "Should a person look?", To: "gate", Priority: -1},
					{If: flow.IfAlways, To: flow.End},
				},
			},
			{ID: "clerk", Spec: &flow.AgentSpec{Agent: "bot"}},
			{
				ID: "gate", Spec: &flow.ApprovalSpec{Message: "Go on?"}, Policy: flow.PolicyAll,
				Aside:  true,
				Routes: []flow.Route{{If: flow.IfHandle, When: "approve", To: "pick"}, {If: flow.IfNext, When: "pay", To: "pay"}, {If: flow.IfTool, When: "http.get", To: flow.End}, {If: flow.IfEquals, When: "1", To: flow.End}, {To: flow.End}},
			},
			{
				ID: "pick", Spec: &flow.DecisionSpec{Cases: []flow.Case{{When: "previous == 'x'", Value: "condition-0"}}},
				Routes: []flow.Route{{If: flow.IfHandle, When: "condition-0", To: "pay"}, {To: flow.End}},
			},
			{
				ID: "pay", Spec: &flow.ToolSpec{Tool: "http.post", Params: map[string]any{"n": float64(1)}}, NoMatch: flow.NoMatchCaller,
				Arrivals: map[string]map[string]any{"judge/0": {"n": float64(2)}, "pick/0": {"n": int64(1<<60 + 1)}},
			},
		},
	}
}
