package draftchart_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer/draftchart"
)

// graph writes a runtime graph.
func graph(nodes, edges string, more ...string) string {
	parts := append([]string{`"entry_node": "a"`, `"nodes": [` + nodes + `]`, `"edges": [` + edges + `]`}, more...)
	return `{"agent": {"id": "researcher"}, "goal": {"description": "Find out"}, "graph": {` + strings.Join(parts, ", ") + `}}`
}

// when writes a conditional edge.
func when(source, target, expr string, priority int) string {
	return fmt.Sprintf(`{"source": %q, "target": %q, "condition": "conditional", "condition_expr": %q, "priority": %d}`, source, target, expr, priority)
}

// graphs are the statements about running.
func graphs() map[string]func(t *testing.T) {
	two := func(a, b string) string { return a + ", " + b }
	return map[string]func(t *testing.T){
		"S0-73": func(t *testing.T) {
			doc := decode(t, graph(ids("a b c"), arrows("a>b b>c")))
			equal(t, doc.Map, map[string][]string{"a": {"a"}, "b": {"b"}, "c": {"c"}})
			var got []string
			for _, n := range doc.Chart.Nodes {
				got = append(got, n.ID+" "+string(n.Type))
			}
			equal(t, got, []string{"a start", "b process", "c terminal"})
		},
		"S0-x18": func(t *testing.T) {
			highest := graph(ids("a b c"), two(when("a", "b", "n > 1", 1), when("a", "c", "n > 2", 5)))
			play(t, highest, `start; do a {"n": 3}; at c`)
			play(t, highest, `start; do a {"n": 2}; at b`)
			play(t, graph(ids("a b c d"), arrows("a>b a>c b>d c>d")), "start; do a x; at a b c; do b x; do c y; at d")
		},
		"S0-x19": func(t *testing.T) {
			for _, expr := range []string{"output.n == 3", "memory['n'] == 3", "n == 3", "topic == 'bees'", ""} {
				src := graph(`{"id": "a", "input_keys": ["topic"], "output_keys": ["n"]}, {"id": "b"}`, when("a", "b", expr, 0))
				play(t, src, `start topic=bees; do a {"n": 3}; at b`)
			}
			play(t, graph(ids("a b"), when("a", "b", "n > (", 0)), `start; do a {"n": 3}; status succeeded`)
		},
		"S0-x20": func(t *testing.T) {
			src := graph(ids("a b c"), `{"source": "a", "target": "b", "condition": "llm_decide", "description": "Is it urgent?"}`)
			play(t, src, "start; do a x; questions a a/0; judge a a/0=yes; at b")
			play(t, src, "start; do a x; judge a a/0=no; status succeeded")
			play(t, src, "start; do a x; judge a; gate a judge yes no; answer a yes; at b") // a person is asked in the model's place
		},
		"S0-x21": func(t *testing.T) {
			src := graph(`{"id": "a", "success_criteria": "good", "max_retries": 3}, {"id": "b"}`, arrows("a>b"), `"max_steps": 7`)
			doc := decode(t, src)
			equal(t, []int{doc.Flow.MaxVisits, doc.Flow.Nodes[0].Retry.MaxAttempts, doc.Flow.Rules.Visits}, []int{7, 3, 0})
			equal(t, decode(t, draft(ids("a"), "")).Flow.MaxVisits, 100)
			circle := graph(`{"id": "a", "max_node_visits": 2}, {"id": "b", "max_node_visits": 2}`, arrows("a>b b>a"))
			play(t, circle, `start; do a x; do b x; do a x; do b x; status succeeded; fact limit_reached {"limit": "node_visits/a"}`)
			play(t, src, "start; do a x; judge a; gate a judge yes no") // a judge without an answer does not accept by itself
		},
		"S0-x22": func(t *testing.T) {
			for expr, at := range map[string]string{
				"str(n).lower() == 'true'":                      "b",
				"str(n).strip() in ('', 'None', 'null')":        "",
				"str(missing).strip() in ('', 'None', 'null')":  "b",
				"str(n).strip() not in ('', 'None', 'null')":    "b",
				"not n or output.get('n') == 'False'":           "",
				"len(list) >= 2 and int(count) == 2":            "b",
				"(output.get('n') or '').lower() == 'true'":     "b",
				"float(count) > 1.5 and list[0] in ['x', 'y']":  "b",
				"str(missing).strip() not in ('', 'None')":      "",
				"str(n).upper() == 'TRUE' and n is not missing": "",
			} {
				want := "at " + at
				if at == "" {
					want = "status succeeded"
				}
				play(t, graph(ids("a b"), when("a", "b", expr, 0)), `start; do a {"n": "True", "list": ["x", "y"], "count": "2"}; `+want)
			}
		},
	}
}

func TestErrorsTakeTheEdgeForFailures(t *testing.T) {
	t.Parallel()
	play(t, graph(ids("a b c"), arrows("a>b a>c:on_failure")), "start; fail a final HTTPError: no; at c")
	play(t, billing, "start; fail fetch-billing-data final HTTPError: no; gate fetch-billing-data failure retry skip abort")
}

func TestEdgesMapKeysToInputs(t *testing.T) {
	t.Parallel()
	src := graph(`{"id": "a", "output_keys": ["found"]}, {"id": "b", "input_keys": ["topic", "other"]}`,
		`{"source": "a", "target": "b", "condition": "on_success", "input_mapping": {"topic": "found"}}`)
	play(t, src, `start other=1; do a {"found": "bees"}; params b {"topic": "bees", "other": 1}`)
}

func TestOddIDsGetOthers(t *testing.T) {
	t.Parallel()
	src := draft(`{"id": "a b"}, {"id": "end"}, {"id": "d/\"?", "flowchart_type": "decision"}, {"id": "node-end"}, {"id": "a-b"}`,
		`{"source": "a b", "target": "end"}, {"source": "end", "target": "d/\"?"}, {"source": "d/\"?", "target": "node-end", "label": "Yes"}, {"source": "d/\"?", "target": "a-b", "label": "No"}`)
	doc := decode(t, src)
	equal(t, doc.Map, map[string][]string{"a-b": {"a b"}, "node-end": {"end", `d/"?`}, "node-end-2": {"node-end"}, "a-b-2": {"a-b"}})
	play(t, src, "start; do a-b x; do node-end x; judge node-end d=no; at a-b-2")
}

func TestATerminalNodeEndsItsPath(t *testing.T) {
	t.Parallel()
	src := draft(ids("a b"), arrows("a>b b>a"), `"terminal_nodes": ["b"]`)
	play(t, src, "start; do a x; do b x; status succeeded")
	if doc := decode(t, src); len(doc.Chart.Edges) != 2 || doc.Problems[0].Code != "terminal-edges" {
		t.Errorf("%+v", doc.Problems)
	}
}

func TestAConditionalEdgeOfADraftIsAQuestion(t *testing.T) {
	t.Parallel()
	src := draft(ids("a b c"), arrows("a>b:conditional a>c:conditional:Done"))
	equal(t, decode(t, src).Flow.Nodes[0].Routes, []flow.Route{
		{If: flow.IfLLM, When: "Is 'B' the next step?", To: "b"},
		{If: flow.IfLLM, When: "Does 'Done' apply, so that the next step is 'C'?", To: "c", Label: "Done"},
	})
	play(t, src, "start; do a x; judge a a/0=yes a/1=yes; at b")
	mixed := draft(ids("a d:decision b c e"), arrows("a>d a>e:conditional d>b::Yes d>c::No"))
	play(t, mixed, "start; do a x; questions a d question-1; judge a d=yes question-1=no; at b")
	play(t, mixed, "start; do a x; judge a d=no question-1=yes; at a c e")
}

func TestThirdEdgesOfADecisionAreTaken(t *testing.T) {
	t.Parallel()
	src := draft(ids("a d:decision x y z"), arrows("a>d d>x::Yes d>y::No d>z:always:Log"))
	play(t, src, "start; do a words; judge a d=no; at a y z")
}

func TestTheChartShowsTheWayOfARun(t *testing.T) {
	t.Parallel()
	doc := decode(t, chain)
	byID := map[string]string{}
	for _, e := range doc.Chart.Edges {
		byID[e.ID] = e.From + ">" + e.To
	}
	for i, r := range doc.Flow.Nodes[0].Routes {
		var got []string
		for _, id := range doc.Chart.Taken(flow.RouteEdge("a", i)) {
			got = append(got, byID[id])
		}
		want := map[string]string{"x": "a>d1 d1>x", "b": "a>d1 d1>d2 d2>b", "c": "a>d1 d1>d2 d2>c"}[r.To]
		equal(t, strings.Join(got, " "), want)
	}
	equal(t, doc.Map["a"], []string{"a", "d1", "d2"})
	again, ok := draftchart.Chart(doc.Flow)
	if _, other := draftchart.Chart(&flow.Flow{}); !ok || other {
		t.Error("a flow has another chart than its author's")
	}
	equal(t, again, *doc.Chart)
}
