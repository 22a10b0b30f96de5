package readback

import (
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner/idiom"
	"sluice/engine/tool"
)

// lineOf says what a node does whose ways lead to steps with the same names.
func lineOf(n flow.Node, more ...flow.Node) string {
	n.ID = "it"
	f := &flow.Flow{Entry: "it", Nodes: []flow.Node{n, {ID: "look", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "x"}}}}
	numbers := map[string]string{"it": "9", "look": "8"}
	for _, id := range []string{"1", "2", "3"} {
		f.Nodes = append(f.Nodes, flow.Node{ID: id, Kind: flow.KindWait, Spec: &flow.WaitSpec{}})
		numbers[id] = id
	}
	for _, m := range more {
		f.Nodes, numbers[m.ID] = append(f.Nodes, m), "9"
	}
	tools := []tool.Tool{{Name: "web.search", Description: "Search the web."}, {Name: "web.read", Description: "Read a page"}}
	f.Agents = []flow.Agent{{ID: "clerk", Tools: []string{"web.search", "web.read", "web.gone"}}, {ID: "thinker"}}
	for _, l := range Lines(f, tools, numbers) {
		if l.Node == "it" {
			return l.Text
		}
	}
	return ""
}

// TestSidesOfDecisions: the first condition that holds decides, and the sentences say so in any order.
func TestSidesOfDecisions(t *testing.T) {
	t.Parallel()
	const a = "look.result.amount"
	for _, c := range []struct {
		of     string
		routes []flow.Route
		want   string
	}{
		{
			a,
			[]flow.Route{{When: a + " <= 50", To: "2"}, {When: a + " <= 500", To: "1"}, {When: a + " > 500", To: "2"}, {When: "default", To: "2"}},
			"If amount is at most 50, or amount is over 500, or there is no amount → 2. If amount is over 50 and at most 500 → 1.",
		},
		{
			a,
			[]flow.Route{{When: a + " <= 50", To: "2"}, {When: a + " <= 500", To: "1"}, {When: "default", To: "2"}},
			"If amount is at most 50 → 2. If amount is over 50 and at most 500 → 1. Otherwise → 2.",
		},
		{ // the last but one is never taken
			a,
			[]flow.Route{{When: a + " <= 50", To: "2"}, {When: a + " <= 500", To: "1"}, {When: a + " <= 2000", To: "3"}, {When: a + " > 100 and " + a + " <= 1000", To: "2"}, {When: "default", To: flow.End}},
			"If amount is at most 50 → 2. If amount is over 50 and at most 500 → 1. If amount is over 500 and at most 2000 → 3. Otherwise: the run ends.",
		},
		{ // what lies on both sides of the first cannot be written as a range
			a,
			[]flow.Route{{When: a + " == 5", To: "2"}, {When: a + " > 0", To: "1"}, {When: a + " <= 0", To: "2"}, {When: "default", To: "1"}},
			"If amount is 5, or amount is at most 0 → 2. If amount is over 0, or there is no amount → 1.",
		},
		{ // two values: the third holds only where the first two do not
			"",
			[]flow.Route{{When: "look.result.vip == true", To: "1"}, {When: a + " > 100", To: "2"}, {When: a + " > 50", To: "1"}, {When: "default", To: "3"}},
			"If vip is true → 1. If amount is over 100 → 2. If amount is over 50 → 1. Otherwise → 3.",
		},
		{
			"",
			[]flow.Route{{When: "look.result.name contains 'a'", To: "1"}, {When: "look.result.name contains 'b'", To: "2"}, {When: "look.result.name contains 'c'", To: "1"}, {When: "default", To: "1"}},
			"If name contains a → 1. If name contains b → 2. Otherwise → 1.",
		},
		{
			"look.result.state",
			[]flow.Route{{When: "'new'", To: "1"}, {When: "'old'", To: "2"}, {When: "'odd'", To: "1"}, {When: "default", To: "3"}},
			"If state is new, or state is odd → 1. If state is old → 2. Otherwise → 3.",
		},
		{
			a,
			[]flow.Route{{When: a + " < 500", To: "1"}, {When: a + " >= 500", To: "1"}, {When: "default", To: "1"}},
			"In every case → 1.",
		},
		{ // one of the ways is that of a missing value already
			"",
			[]flow.Route{{When: "look.result.kind == 'question' or look.result.kind == null", To: "1"}, {When: "look.result.kind == 'bug'", To: "2"}, {When: "default", To: "2", Label: idiom.NotKnown}},
			"If kind is question or there is no kind → 1. Otherwise → 2.",
		},
		{ // what is said twice, and what cannot be
			"",
			[]flow.Route{
				{When: "look.result.disk > 90", To: "1"},
				{When: "look.result.disk <= 90 and look.result.cpu > 85 and look.result.disk <= 90", To: "2"},
				{When: "look.result.disk <= 90 and (look.result.cpu <= 85 or look.result.disk > 90)", To: "3"},
				{When: "default", To: flow.End},
			},
			"If disk is over 90 → 1. If disk is at most 90 and cpu is over 85 → 2. If disk is at most 90 and cpu is at most 85 → 3. Otherwise: the run ends.",
		},
		{
			"",
			[]flow.Route{{When: "look.result.vip == false and " + a + " >= 100 and " + a + " >= 100 and " + a + " <= 500", To: "1"}, {When: "look.result.name == 'not a name'", To: "2"}, {When: "default", To: "3"}},
			"If vip is false and amount is at least 100 and at most 500 → 1. If name is “not a name” → 2. Otherwise → 3.",
		},
		{
			a,
			[]flow.Route{{When: a + " < 500", To: "1"}, {When: a + " >= 500", To: "1"}, {When: "default", To: flow.End}},
			"If there is an amount → 1. If there is no amount: the run ends.",
		},
	} {
		if got := lineOf(flow.Node{Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: c.of}, Routes: c.routes}); got != c.want {
			t.Errorf("it says\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestAnswersInOrder: answers that exclude each other may stand in any order; one that also asks for something else stays where it is.
func TestAnswersInOrder(t *testing.T) {
	t.Parallel()
	ask := func(routes ...flow.Route) string {
		return lineOf(flow.Node{Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "Well?", Choices: []string{"a", "b", "c"}}, Routes: routes})
	}
	is := func(choice string) string { return "approvals.it == '" + choice + "'" }
	begins := "Ask any member of the channel (a, b, c): Well? "
	if got, want := ask(flow.Route{When: is("a"), To: "1"}, flow.Route{When: is("b"), To: "2"}, flow.Route{When: "default", To: "1"}), begins+"A or c → 1; b → 2."; got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
	if got, want := ask(flow.Route{When: is("a"), To: "1"}, flow.Route{When: "look.result.x > 5", To: "2"}, flow.Route{When: is("b"), To: "1"}, flow.Route{When: "default", To: "2"}),
		begins+"A → 1; if x is over 5 or c → 2; b → 1."; got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
}

// TestStepsEnd: where a step ends by itself, what follows is a sentence of its own, and an end that is no step is named by what ends.
func TestStepsEnd(t *testing.T) {
	t.Parallel()
	failed := flow.Node{ID: "failed", Name: "Failed", Kind: flow.KindTerminal, Spec: &flow.TerminalSpec{Outcome: "failed"}}
	for want, n := range map[string]flow.Node{
		"Say in the run's thread: Is it well? Then → 1.":                                        {Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "Is it well?"}, Routes: []flow.Route{{To: "1"}}},
		"Say in the run's thread: it is well, then → 1.":                                        {Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "it is well."}, Routes: []flow.Route{{To: "1"}}},
		"Say in the run's thread: it, then the run ends as failed.":                             {Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "it"}, Routes: []flow.Route{{To: "failed"}}},
		"An AI agent does: sum it up using Search the web, Read a page and web.gone, then → 1.": {Name: "Sum it up", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "clerk"}, Routes: []flow.Route{{To: "1"}}},
		"An AI agent does: sum it up, then → 1.":                                                {Name: "Sum it up", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "thinker"}, Routes: []flow.Route{{To: "1"}}},
	} {
		if got := lineOf(n, failed); got != want {
			t.Errorf("it says\n%s\nwant\n%s", got, want)
		}
	}
}

// TestByNumber: the parts of numbers are compared as numbers and letters.
func TestByNumber(t *testing.T) {
	t.Parallel()
	all := []string{"", "1", "1a", "1a2", "1a10", "1b", "1z", "1aa", "2", "10", "L1", "L1a", "L2"}
	for i := range all[1:] {
		if byNumber(all[i], all[i+1]) >= 0 || byNumber(all[i+1], all[i]) <= 0 {
			t.Errorf("%s stands behind %s", all[i], all[i+1])
		}
	}
}
