package draftchart_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/flow/flowtest"
	"sluice/engine/history"
	"sluice/engine/importer/document"
	"sluice/engine/importer/draftchart"
)

// draft writes a draft with some nodes and edges, and with more keys behind a semicolon.
func draft(nodes, edges string, more ...string) string {
	parts := append([]string{`"agent_name": "lead_router", "goal": "Route leads"`, `"nodes": [` + nodes + `]`}, more...)
	if edges != "" {
		parts = append(parts, `"edges": [`+edges+`]`)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// ids writes nodes with nothing but an id; n:TYPE gives one a flowchart type.
func ids(list string) string {
	var all []string
	for word := range strings.FieldsSeq(list) {
		id, kind, typed := strings.Cut(word, ":")
		if typed {
			all = append(all, fmt.Sprintf(`{"id": %q, "flowchart_type": %q, "decision_clause": "%s?"}`, id, kind, id))
		} else {
			all = append(all, fmt.Sprintf(`{"id": %q}`, id))
		}
	}
	return strings.Join(all, ", ")
}

// arrows writes edges: a>b, a>b:condition, a>b:condition:label.
func arrows(list string) string {
	var all []string
	for word := range strings.FieldsSeq(list) {
		parts := append(strings.Split(word, ":"), "", "")
		source, target, _ := strings.Cut(parts[0], ">")
		all = append(all, fmt.Sprintf(`{"source": %q, "target": %q, "condition": %q, "label": %q}`, source, target, parts[1], parts[2]))
	}
	return strings.Join(all, ", ")
}

func readDraft(t *testing.T, src string) draftchart.Draft {
	t.Helper()
	d, _, err := draftchart.ReadDraft("draft.json", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func enrich(t *testing.T, src string) draftchart.Draft {
	t.Helper()
	d, _ := draftchart.Enrich(readDraft(t, src))
	return d
}

func dissolve(t *testing.T, src string) draftchart.Dissolved {
	t.Helper()
	return draftchart.Dissolve(enrich(t, src), nil)
}

// refused checks that a document is an error with some words.
func refused(t *testing.T, src string, words ...string) {
	t.Helper()
	_, err := draftchart.Decode("draft.json", []byte(src))
	if err == nil {
		t.Fatalf("%s was read", src)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v does not say %q", err, w)
		}
	}
}

// equal compares two values.
func equal(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// typesOf lists the flowchart types of a draft's nodes.
func typesOf(d draftchart.Draft) string {
	var all []string
	for _, n := range d.Nodes {
		all = append(all, string(n.FlowchartType))
	}
	return strings.Join(all, " ")
}

// typeOf classifies the second of three nodes.
func typeOf(t *testing.T, node string, want flow.FlowchartType) {
	t.Helper()
	d := enrich(t, draft(`{"id": "a"}, `+node+`, {"id": "z"}`, arrows("a>n n>z")))
	if got := d.Nodes[1].FlowchartType; got != want {
		t.Errorf("%s is %s, want %s", node, got, want)
	}
}

// edgesOf writes the edges of a draft: source>target:condition:label.
func edgesOf(d draftchart.Draft) string {
	var all []string
	for _, e := range d.Edges {
		text := e.Source + ">" + e.Target + ":" + e.Condition
		if e.Label != "" {
			text += ":" + e.Label
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func nodeOf(t *testing.T, d draftchart.Draft, id string) draftchart.Node {
	t.Helper()
	i := slices.IndexFunc(d.Nodes, func(n draftchart.Node) bool { return n.ID == id })
	if i < 0 {
		t.Fatalf("there is no node %s", id)
	}
	return d.Nodes[i]
}

// decode reads a document without errors.
func decode(t *testing.T, src string) document.Document {
	t.Helper()
	doc, err := draftchart.Decode("draft.json", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if errs := doc.Check(flowtest.Checks()).Errors(); len(errs) > 0 {
		t.Fatal(errs)
	}
	return doc
}

// play runs a document by a script; commands stand on lines or between semicolons.
func play(t *testing.T, src, script string) *enginetest.Driver {
	t.Helper()
	stored, err := flow.FromJSON(flow.Canonical(decode(t, src).Flow))
	if err != nil {
		t.Fatal(err)
	}
	d, err := enginetest.NewDriver(stored)
	if err != nil {
		t.Fatal(err)
	}
	d.Context.HasModel = true
	if err := d.Script(strings.ReplaceAll(script, "; ", "\n")); err != nil {
		t.Errorf("%v\n%s", err, enginetest.Print(d.Facts))
	}
	return d
}

// keysOf lists the keys of a value as JSON.
func keysOf(t *testing.T, v any) []string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(m))
}

// The question of the worked example.
var billing = draft(`{"id": "fetch-billing-data", "name": "Fetch Billing Data"}, {"id": "amount-gt-100", "name": "Amount > $100?", "flowchart_type": "decision"},
	{"id": "generate-pdf-receipt"}, {"id": "draft-email-receipt"}`,
	arrows("fetch-billing-data>amount-gt-100 amount-gt-100>generate-pdf-receipt::Yes amount-gt-100>draft-email-receipt::No"))

// chain is two decisions, one after the other.
var chain = draft(ids("a d1:decision d2:decision x b c"), arrows("a>d1 d1>d2::Yes d1>x::No d2>b::Yes d2>c::No"))

func TestConformance(t *testing.T) {
	t.Parallel()
	shown := map[string]func(t *testing.T){}
	for _, group := range []map[string]func(t *testing.T){documents(), types(), decisions(), sessions(), pictures(), graphs()} {
		for number, show := range group {
			if shown[number] != nil {
				t.Errorf("%s is shown twice", number)
			}
			shown[number] = show
		}
	}
	for _, number := range slices.Sorted(maps.Keys(shown)) {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			shown[number](t)
		})
	}
}

// documents are the statements about what a draft holds.
func documents() map[string]func(t *testing.T) {
	return map[string]func(t *testing.T){
		"S0-01": func(t *testing.T) {
			refused(t, `{"goal": "g", "nodes": [{"id": "a"}]}`, "no agent_name")
			refused(t, `{"agent_name": "x", "nodes": [{"id": "a"}]}`, "no goal")
			refused(t, `{"agent_name": "x", "goal": "g"}`, "no nodes")
		},
		"S0-02": func(t *testing.T) {
			d := enrich(t, draft(ids("a"), ""))
			equal(t, []any{d.Description, d.SuccessCriteria, d.Constraints, d.TerminalNodes}, []any{"", []string{}, []string{}, []string{"a"}})
			refused(t, draft(ids("a"), "", `"constraints": "all"`), "constraints", "list of strings")
		},
		"S0-03": func(t *testing.T) {
			equal(t, len(enrich(t, draft(ids("a b"), "")).Nodes), 2)
			refused(t, draft(`{"id": "a"}, {"name": "B"}`, ""), "nodes[1] has no id")
		},
		"S0-04": func(t *testing.T) {
			equal(t, enrich(t, draft(ids("intake"), "")).Nodes[0].Name, "Intake")
		},
		"S0-05": func(t *testing.T) {
			d := enrich(t, draft(`{"id": "a"}, {"id": "b", "node_type": "gcu"}`, ""))
			equal(t, []string{d.Nodes[0].NodeType, d.Nodes[1].NodeType}, []string{"event_loop", "gcu"})
			refused(t, draft(`{"id": "a", "node_type": "function"}`, ""), "unknown node_type 'function' on node 'a'")
		},
		"S0-06": func(t *testing.T) {
			for _, typ := range flow.FlowchartTypes() {
				typeOf(t, fmt.Sprintf(`{"id": "n", "flowchart_type": %q}`, typ), typ)
			}
			typeOf(t, `{"id": "n"}`, flow.TypeProcess)
		},
		"S0-07": func(t *testing.T) {
			doc := decode(t, draft(`{"id": "a", "tools": ["no_such_tool"], "input_keys": ["x"], "output_keys": ["y"]}`, ""))
			equal(t, doc.Flow.Agents[0].Tools, []string{"no_such_tool"})
			refused(t, draft(`{"id": "a", "tools": [1]}`, ""), "tools")
		},
		"S0-08": func(t *testing.T) {
			n := enrich(t, draft(ids("a"), "")).Nodes[0]
			equal(t, n.SuccessCriteria+n.DecisionClause, "")
			refused(t, draft(`{"id": "a", "decision_clause": []}`, ""), "decision_clause")
		},
		"S0-09": func(t *testing.T) {
			refused(t, draft(ids("a"), `{"target": "a"}`), "edges[0] has no source")
			refused(t, draft(ids("a"), `{"source": "a"}`), "edges[0] has no target")
		},
		"S0-10": func(t *testing.T) {
			d := enrich(t, draft(ids("a b"), arrows("a>b a>b:always a>b:on_failure a>b:conditional a>b:llm_decide")))
			equal(t, edgesOf(d), "a>b:on_success a>b:always a>b:on_failure a>b:conditional a>b:llm_decide")
			refused(t, draft(ids("a b"), arrows("a>b:maybe")), "unknown condition 'maybe'")
		},
		"S0-11": func(t *testing.T) {
			e := enrich(t, draft(ids("a b"), `{"source": "a", "target": "b"}`)).Edges[0]
			equal(t, e.Description+e.Label, "")
		},
		"S0-12": func(t *testing.T) {
			equal(t, edgesOf(enrich(t, draft(ids("a b c"), ""))), "a>b:on_success b>c:on_success")
		},
		"S0-13": func(t *testing.T) {
			equal(t, enrich(t, draft(ids("a b c"), arrows("a>b a>c"))).TerminalNodes, []string{"b", "c"})
		},
		"S0-14": func(t *testing.T) {
			equal(t, keysOf(t, enrich(t, draft(ids("a"), ""))), []string{
				"agent_name", "constraints", "description", "edges", "entry_node", "flowchart_legend", "goal", "nodes", "success_criteria", "terminal_nodes",
			})
		},
		"S0-15": func(t *testing.T) { equal(t, enrich(t, draft(ids("first b"), "")).EntryNode, "first") },
		"S0-16": func(t *testing.T) {
			for _, n := range enrich(t, draft(ids("a b c"), "")).Nodes {
				if n.FlowchartType == "" || n.FlowchartShape == "" || n.FlowchartColor == "" {
					t.Errorf("%+v", n)
				}
			}
		},
		"S0-17": func(t *testing.T) {
			data, err := json.Marshal(enrich(t, draft(ids("a"), "")).Nodes[0])
			if err != nil || !strings.Contains(string(data), `"decision_clause":"","sub_agents":[]`) {
				t.Errorf("%s %v", data, err)
			}
		},
		"S0-18": func(t *testing.T) {
			d := enrich(t, draft(ids("a b c"), `{"source": "a", "target": "b"}, {"id": "mine", "source": "b", "target": "c"}, {"source": "c", "target": "a"}`))
			equal(t, []string{d.Edges[0].ID, d.Edges[1].ID, d.Edges[2].ID}, []string{"edge-0", "mine", "edge-2"})
		},
		"S0-19": func(t *testing.T) {
			equal(t, enrich(t, draft(ids("a"), "")).Legend[flow.TypeStart], draftchart.Drawing{Shape: "stadium", Color: "#8aad3f"})
		},
		"S0-x01": func(t *testing.T) {
			d := enrich(t, draft(ids("check-tier read_the_mail élan"), ""))
			equal(t, []string{d.Nodes[0].Name, d.Nodes[1].Name, d.Nodes[2].Name}, []string{"Check Tier", "Read The Mail", "Élan"})
		},
		"S0-x02": func(t *testing.T) {
			equal(t, len(enrich(t, draft(ids("a b c"), "")).Nodes), 3)
		},
		"S0-x03": func(t *testing.T) {
			equal(t, len(enrich(t, draft(ids("a"), "")).Legend), 9)
		},
		"S0-x09": func(t *testing.T) {
			refused(t, draft(ids("a a"), ""), "the id 'a' is used twice")
			refused(t, draft(ids("apple"), arrows("apple>appel")), "there is no node 'appel'", "did you mean 'apple'")
			refused(t, draft(`"a"`, ""), "nodes[0] is not a mapping")
		},
		"S0-x14": func(t *testing.T) {
			d, corrections := draftchart.Enrich(readDraft(t, draft(ids("a b lone pair"), arrows("b>a lone>pair"))))
			equal(t, typesOf(d), "start process")
			equal(t, corrections, []string{"'lone' is not connected with 'a': it was left out", "'pair' is not connected with 'a': it was left out"})
			equal(t, decode(t, draft(ids("a b lone"), arrows("a>b"))).Problems[0].Message, "'lone' is not connected with 'a': it was left out")
		},
		"S0-x15": func(t *testing.T) {
			equal(t, enrich(t, draft(ids("a b"), arrows("a>b b>a"))).TerminalNodes, []string{"b"})
			x := dissolve(t, draft(ids("a d:decision b"), arrows("a>d a>b")))
			equal(t, x.Draft.TerminalNodes, []string{"b"})
		},
		"S0-x16": func(t *testing.T) {
			file, err := draftchart.ExportPublished(decode(t, chain).Flow)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, keysOf(t, json.RawMessage(file)), []string{"flowchart_map", "original_draft"})
			d, mapped, err := draftchart.ReadDraft("", file)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := draftchart.Enrich(d)
			equal(t, again, enrich(t, chain))
			equal(t, mapped, dissolve(t, chain).Map)
			equal(t, len(decode(t, string(file)).Flow.Nodes), 4)
			// It is a document of its own: a graph is read without it.
			refused(t, `{"original_draft": 1}`, "a draft is a mapping")
		},
		"S0-x17": func(t *testing.T) {
			src := `{"original_draft": ` + draft(ids("a d:decision b c"), arrows("a>d d>b::Yes d>c::No")) + `, "flowchart_map": {"a": ["a"], "d": ["d"], "b": ["b"], "c": ["c"]}}`
			doc := decode(t, src)
			equal(t, len(doc.Flow.Nodes), 4)
			equal(t, doc.Map["d"], []string{"d"})
			equal(t, len(decode(t, strings.Replace(src, `"d": ["d"], `, "", 1)).Flow.Nodes), 3)
		},
		"S0-x24": func(t *testing.T) {
			d := readDraft(t, draft(ids("a b"), ""))
			if _, _, err := (draftchart.Planning{}).Save(d, 0); err != nil {
				t.Error(err)
			}
			strict := draftchart.Planning{Policy: draftchart.Policy{Questions: 2, Nodes: 2}}
			if _, _, err := strict.Save(d, 1); !errors.Is(err, draftchart.ErrTooEarly) {
				t.Errorf("got %v", err)
			}
			if _, _, err := strict.Save(d, 2); err != nil {
				t.Error(err)
			}
		},
	}
}

// sessions are the statements about the gate, the map and the status.
func sessions() map[string]func(t *testing.T) {
	save := func(t *testing.T, p draftchart.Planning, src string) (draftchart.Planning, []draftchart.Event) {
		t.Helper()
		p, events, err := p.Save(readDraft(t, src), 0)
		if err != nil {
			t.Fatal(err)
		}
		return p, events
	}
	confirm := func(t *testing.T, p draftchart.Planning) draftchart.Planning {
		t.Helper()
		p, _, err := p.Confirm(nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	text := func(t *testing.T, v any) string {
		t.Helper()
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return map[string]func(t *testing.T){
		"S0-63": func(t *testing.T) {
			before := enrich(t, billing)
			kept := enrich(t, billing)
			x := draftchart.Dissolve(before, nil)
			x.Draft.Nodes[0].SubAgents = append(x.Draft.Nodes[0].SubAgents, "x")
			equal(t, before, kept)
			p, _ := save(t, draftchart.Planning{}, billing)
			equal(t, *confirm(t, p).MapAnswer().OriginalDraft, kept)
		},
		"S0-64": func(t *testing.T) {
			p, _ := save(t, draftchart.Planning{}, billing)
			equal(t, text(t, p.MapAnswer()), `{"map":null,"original_draft":null}`)
			a := confirm(t, p).MapAnswer()
			if a.Map == nil || a.OriginalDraft == nil {
				t.Errorf("got %+v", a)
			}
		},
		"S0-65": func(t *testing.T) {
			equal(t, text(t, draftchart.Planning{}.DraftAnswer()), `{"draft":null}`)
			p, _ := save(t, draftchart.Planning{}, billing)
			equal(t, keysOf(t, p.DraftAnswer()), []string{"draft"})
		},
		"S0-66": func(t *testing.T) {
			f := decode(t, chain).Flow
			for runtime, absorbed := range map[string][]string{"a": {"a", "d1", "d2"}, "b": {"b"}, "c": {"c"}, "x": {"x"}} {
				got := draftchart.Live(f, map[string]history.NodeView{runtime: {State: history.StateRunning}})
				maps.DeleteFunc(got.Nodes, func(_ string, s draftchart.Shown) bool { return s.Status != "running" })
				equal(t, slices.Sorted(maps.Keys(got.Nodes)), absorbed)
			}
		},
		"S0-67": func(t *testing.T) {
			d := play(t, chain, "start; do a done; judge a d1=yes d2=no; at c")
			v, err := history.NewView(d.Flow, d.Facts)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]draftchart.Status{}
			for id, s := range draftchart.Live(d.Flow, v.Nodes).Nodes {
				got[id] = s.Status
			}
			equal(t, got, map[string]draftchart.Status{"a": "complete", "d1": "complete", "d2": "complete", "c": "running", "b": "pending", "x": "pending"})
		},
		"S0-68": func(t *testing.T) {
			for state, want := range map[history.NodeState]draftchart.Shown{
				history.StateRunning: {Status: "running", Color: "#F59E0B"}, history.StateWaiting: {Status: "running", Color: "#F59E0B"},
				history.StateComplete: {Status: "complete", Color: "#22C55E"}, history.StateError: {Status: "error", Color: "#EF4444"},
				history.StatePending: {Status: "pending"}, history.StateSkipped: {Status: "pending"},
			} {
				got := draftchart.Live(decode(t, billing).Flow, map[string]history.NodeView{"fetch-billing-data": {State: state}})
				equal(t, got.Nodes["amount-gt-100"], want)
			}
		},
		"S0-69": func(t *testing.T) {
			_, events := save(t, draftchart.Planning{}, billing)
			equal(t, events, []draftchart.Event{{Type: "draft_graph_updated", StreamID: "queen", Data: enrich(t, billing)}})
			equal(t, keysOf(t, events[0]), []string{"data", "stream_id", "type"})
		},
		"S0-70": func(t *testing.T) {
			if _, _, err := (draftchart.Planning{}).Build(); !errors.Is(err, draftchart.ErrNoDraft) {
				t.Errorf("got %v", err)
			}
			p, _ := save(t, draftchart.Planning{}, billing)
			if _, _, err := p.Build(); !errors.Is(err, draftchart.ErrNotConfirmed) {
				t.Errorf("got %v", err)
			}
			if _, _, err := (draftchart.Planning{}).Confirm(nil); !errors.Is(err, draftchart.ErrNoDraft) {
				t.Errorf("got %v", err)
			}
		},
		"S0-71": func(t *testing.T) {
			p, _ := save(t, draftchart.Planning{}, billing)
			p = confirm(t, p)
			if !p.Confirmed {
				t.Error("it is not confirmed")
			}
			p, _ = save(t, p, chain)
			if _, _, err := p.Build(); p.Confirmed || !errors.Is(err, draftchart.ErrNotConfirmed) {
				t.Errorf("got %v", err)
			}
		},
		"S0-72": func(t *testing.T) {
			p, _ := save(t, draftchart.Planning{}, chain)
			_, d, err := confirm(t, p).Build()
			if err != nil || strings.Contains(typesOf(d), "decision") {
				t.Errorf("%s %v", typesOf(d), err)
			}
		},
		"S0-x23": func(t *testing.T) {
			p, _ := save(t, draftchart.Planning{}, billing)
			p, _, err := confirm(t, p).Build()
			if err != nil {
				t.Fatal(err)
			}
			p, events := save(t, p, chain)
			if !p.Confirmed || len(events) != 2 || events[1].Type != "flowchart_map_updated" {
				t.Errorf("%v %+v", p.Confirmed, events)
			}
			equal(t, p.MapAnswer().Map["a"], []string{"a", "d1", "d2"})
			if !reflect.DeepEqual(events[1].Data, p.MapAnswer()) {
				t.Error("the event has another map")
			}
		},
	}
}
