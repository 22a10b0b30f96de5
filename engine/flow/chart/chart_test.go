package chart_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/flowtest"
)

func TestMarksOfAPlan(t *testing.T) {
	t.Parallel()
	p := chart.Chart{
		Nodes: []chart.Node{{ID: flow.StartNode}, {ID: "a", Number: "1"}, {ID: chart.JoinNode("a")}, {ID: "b", Number: "2", Open: true}, {ID: flow.EndNode, Number: "9"}},
		Map:   map[string][]string{"a": {"a", chart.JoinNode("a")}, "b": {"b"}},
	}
	before := marks(p)
	for _, c := range []struct {
		name  string
		chart chart.Chart
		want  string
	}{
		{"numbers", p.Numbered(map[string]string{"a": "2a", "gone": "7"}), "·start/ a/2a a·join/2a b/? ·end/"},
		{"no numbers", p.Numbered(nil), "·start/ a/ a·join/ b/? ·end/"},
		{"open", p.WithOpen("a", flow.EndNode, "gone"), "·start/ a/1? a·join/ b/2 ·end/9"},
		{"none open", p.WithOpen(), "·start/ a/1 a·join/ b/2 ·end/9"},
	} {
		if got := marks(c.chart); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	stub := chart.Chart{Nodes: []chart.Node{{ID: "a"}, {ID: "b", Stub: true}, {ID: "c", Stub: true}}, Map: map[string][]string{"a": {"a"}, "b": {"b"}, "c": {"c"}}}
	if got := marks(stub.Numbered(map[string]string{"a": "1", "b": "1", "c": "1a"})); got != "a/1 b/ c/1a" {
		t.Errorf("stubs: got %q", got)
	}
	if marks(p) != before {
		t.Error("the chart itself was changed")
	}
}

// marks writes every node with its number, and a question mark where it is open.
func marks(p chart.Chart) string {
	var out []string
	for _, n := range p.Nodes {
		out = append(out, fmt.Sprintf("%s/%s%s", n.ID, n.Number, map[bool]string{true: "?"}[n.Open]))
	}
	return strings.Join(out, " ")
}

// TestPlans compares the charts of flows of every shape with golden files.
func TestPlans(t *testing.T) {
	t.Parallel()
	flowtest.Golden(t, "testdata/charts/*.txtar", func(t *testing.T, file txtar.File) string {
		return planText(chart.Of(flowtest.Parsed(t, file.Data)))
	})
}

func planText(p chart.Chart) string {
	var b strings.Builder
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "%2s %-10s %s [%s]", n.Number, n.Type, n.ID, n.Name)
		for _, mark := range []struct {
			set  bool
			name string
		}{{n.Person, "person"}, {n.Stub, "stub"}, {n.Open, "open"}} {
			if mark.set {
				fmt.Fprintf(&b, " <%s>", mark.name)
			}
		}
		if n.Description != "" {
			fmt.Fprintf(&b, " %s", n.Description)
		}
		b.WriteByte('\n')
	}
	for _, e := range p.Edges {
		arrow := "->"
		if e.Error {
			arrow = "~>"
		}
		fmt.Fprintf(&b, "%s: %s %s %s", e.ID, e.From, arrow, e.To)
		if e.Label != "" {
			fmt.Fprintf(&b, " |%s|", e.Label)
		}
		if e.Description != "" {
			fmt.Fprintf(&b, " (%s)", e.Description)
		}
		b.WriteByte('\n')
	}
	for _, id := range slices.Sorted(mapKeys(p.Map)) {
		if len(p.Map[id]) != 1 || p.Map[id][0] != id {
			fmt.Fprintf(&b, "map %s: %s\n", id, strings.Join(p.Map[id], ", "))
		}
	}
	return b.String()
}

func mapKeys(m map[string][]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestPlanOfGeneratedFlows checks what holds for every chart.
func TestPlanOfGeneratedFlows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		f := flowtest.Generated(seed)
		p := chart.Of(f)
		nodes := map[string]chart.Node{}
		for _, n := range p.Nodes {
			if _, twice := nodes[n.ID]; twice {
				t.Fatalf("seed %d: chart node %s is there twice", seed, n.ID)
			}
			if n.Type == "" || n.Name == "" {
				t.Fatalf("seed %d: chart node %s has no type or name", seed, n.ID)
			}
			nodes[n.ID] = n
		}
		for i := range f.Nodes {
			if n := nodes[f.Nodes[i].ID]; n.Number != strconv.Itoa(i+1) || p.Map[n.ID][0] != n.ID {
				t.Fatalf("seed %d: node %s has number %s", seed, n.ID, n.Number)
			}
		}
		edges := map[string]bool{}
		for _, e := range p.Edges {
			if _, ok := nodes[e.From]; !ok {
				t.Fatalf("seed %d: edge %s comes from %s, which is not drawn", seed, e.ID, e.From)
			}
			if _, ok := nodes[e.To]; !ok {
				t.Fatalf("seed %d: edge %s leads to %s, which is not drawn", seed, e.ID, e.To)
			}
			if edges[e.ID] {
				t.Fatalf("seed %d: edge %s is there twice", seed, e.ID)
			}
			edges[e.ID] = true
		}
		for i := range f.Nodes {
			for _, e := range f.Nodes[i].Edges() {
				if !edges[e.ID] && !(nodes[f.Nodes[i].ID].Stub && e.To == flow.End) {
					t.Fatalf("seed %d: edge %s is not drawn", seed, e.ID)
				}
			}
		}
	}
}

func TestThePlanOfForeignKinds(t *testing.T) {
	t.Parallel()
	p := chart.Of(flowtest.EveryForeignKind())
	words := map[string]string{}
	for _, n := range p.Nodes {
		words[n.ID] = string(n.Type) + " " + n.Description
	}
	for id, want := range map[string]string{
		"begin": "start by hand", "nightly": "start by schedule", "ask": "process asks a model: Say …",
		"rounds": "subprocess for i from 0 to below 3", "calls": "process calls shop.get as asked",
		"parts": "subprocess 2 parts, one after the other", "sum": "process makes a value", "code": "process cannot be run here: it is a program",
	} {
		if words[id] != want {
			t.Errorf("%s is %q, want %q", id, words[id], want)
		}
	}
	if _, drawn := words["twice"]; drawn {
		t.Error("a value that no token passes is drawn")
	}
	edges := map[string]string{}
	for _, e := range p.Edges {
		edges[e.ID] = e.From + " -> " + e.To + " " + e.Label
	}
	for id, want := range map[string]string{
		flow.EntryEdge:              flow.StartNode + " -> begin ",
		flow.StartNode + "/nightly": flow.StartNode + " -> nightly ",
		flow.BodyEdge("rounds"):     "rounds -> agent each i",
		flow.EndEdge("calls"):       "calls -> rounds ",
		flow.RouteEdge("rounds", 0): "rounds -> parts done",
		flow.BranchEdge("parts", 0): "parts -> sum 1",
		flow.BranchEdge("parts", 1): "parts -> code then the code",
		flow.EndEdge("code"):        "code -> parts ",
	} {
		if edges[id] != want {
			t.Errorf("edge %s is %q, want %q", id, edges[id], want)
		}
	}
}

func TestForeignFlowsAreDrawn(t *testing.T) {
	t.Parallel()
	p := chart.Of(flowtest.ForeignParts())
	labels := map[string]string{}
	for _, e := range p.Edges {
		labels[e.ID] = e.Label + " | " + e.Description
	}
	want := map[string]string{
		flow.EntryEdge:     " | ",
		"judge/0":          "yes | when it succeeds",
		"judge/1":          "no | when it fails",
		"judge/2":          "Should a person look? | when a model says yes to 'Should a person look?'",
		"judge/3":          "always | when always",
		"judge/subagent/0": "asks | may ask this agent while it works",
		"gate/0":           "approve | when it leaves by approve",
		"pick/0":           "condition-0 | when it leaves by condition-0",
		"pick/1":           "otherwise | otherwise",
		"gate/1":           "pay | when it names pay as the next",
		"gate/2":           "http.get | when the tool was http.get",
		"gate/3":           "1 | when the value is 1",
		"gate/4":           "otherwise | otherwise",
		"pay/end":          " | ",
	}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Error(diff)
	}
	judge := p.Nodes[slices.IndexFunc(p.Nodes, func(n chart.Node) bool { return n.ID == "judge" })]
	if diff := cmp.Diff([]string{"Is the amount above 100?", "Is it polite?"}, judge.Criteria); diff != "" {
		t.Error(diff)
	}
}

// TestStubsOfANodeAreOne: endings of a node that look the same are one shape, which shows the state of each and the ways to all.
func TestStubsOfANodeAreOne(t *testing.T) {
	t.Parallel()
	stub := func(id, name, from, label string) (chart.Node, chart.Edge) {
		return chart.Node{ID: id, Name: name, Stub: true}, chart.Edge{ID: from + "-" + id, From: from, To: id, Label: label}
	}
	c := chart.Chart{Nodes: []chart.Node{{ID: "ask"}, {ID: "other"}}, Edges: []chart.Edge{{ID: "next", From: "ask", To: "other"}}, Map: map[string][]string{"ask": {"ask"}, "other": {"other"}}}
	for _, s := range []struct{ id, name, from, label string }{
		{"no", "Tell the requester", "ask", "reject"},
		{"late", "Tell the requester", "ask", "no answer"},
		{"bye", "Say goodbye", "ask", "later"},
		{"else", "Tell the requester", "other", "reject"},
	} {
		n, e := stub(s.id, s.name, s.from, s.label)
		c.Nodes, c.Edges = append(c.Nodes, n), append(c.Edges, e)
		c.Map[s.id] = []string{s.id}
	}
	one := c.OneStub()
	var ids, labels []string
	for _, n := range one.Nodes {
		ids = append(ids, n.ID)
	}
	for _, e := range one.Edges {
		labels = append(labels, e.ID+" "+e.Label)
	}
	if got, want := fmt.Sprint(ids, labels), "[ask other no bye else] [next  ask-no reject / no answer ask-bye later other-else reject]"; got != want {
		t.Errorf("the chart is %s, not %s", got, want)
	}
	if got := fmt.Sprint(one.Map["late"], one.Taken("ask-late"), one.Taken("next"), one.Map["else"]); got != "[no] [ask-no] [next] [else]" {
		t.Errorf("a run is shown at %s", got)
	}
	if len(c.Nodes) != 6 || c.Map["late"][0] != "late" || len(c.Edges) != 5 || c.Edges[1].Label != "reject" {
		t.Errorf("the chart that was given changed: %+v", c)
	}
}
