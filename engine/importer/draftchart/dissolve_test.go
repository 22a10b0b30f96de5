package draftchart_test

import (
	"fmt"
	"slices"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer/draftchart"
)

// types are the statements about flowchart types.
func types() map[string]func(t *testing.T) {
	all := map[string]func(t *testing.T){
		"S0-29": func(t *testing.T) { typeOf(t, `{"id": "n", "node_type": "gcu", "flowchart_type": "io"}`, flow.TypeIO) },
		"S0-30": func(t *testing.T) { typeOf(t, `{"id": "n", "flowchart_type": "stored_data"}`, flow.TypeDatabase) },
		"S0-31": func(t *testing.T) {
			d := enrich(t, draft(`{"id": "a", "node_type": "gcu"}, {"id": "b"}`, ""))
			equal(t, d.Nodes[0].FlowchartType, flow.TypeBrowser)
		},
		"S0-32": func(t *testing.T) {
			d := enrich(t, draft(`{"id": "a", "tools": ["sql_query"]}, {"id": "b"}, {"id": "c"}`, arrows("a>b a>c:on_failure")))
			equal(t, typesOf(d), "start terminal terminal")
		},
		"S0-33": func(t *testing.T) {
			d := enrich(t, draft(`{"id": "a"}, {"id": "b", "tools": ["sql_query"]}, {"id": "c", "tools": ["sql_query"]}`, arrows("a>b b>c b>a:on_failure"), `"terminal_nodes": ["b"]`))
			equal(t, typesOf(d), "start terminal terminal")
		},
		"S0-34": func(t *testing.T) {
			equal(t, typesOf(enrich(t, draft(ids("a b c d"), arrows("a>b b>c b>d:on_failure")))), "start decision terminal terminal")
		},
		"S0-35": func(t *testing.T) {
			equal(t, typesOf(enrich(t, draft(ids("a b c d"), arrows("a>b b>c b>d")))), "start process terminal terminal")
		},
		"S0-36": func(t *testing.T) {
			d := enrich(t, draft(`{"id": "a"}, {"id": "b", "sub_agents": ["s"], "tools": ["sql_query"]}, {"id": "s"}, {"id": "c"}`, arrows("a>b b>c")))
			equal(t, d.Nodes[1].FlowchartType, flow.TypeSubprocess)
		},
		"S0-43": func(t *testing.T) {
			typeOf(t, `{"id": "n", "description": "Think", "tools": ["other"]}`, flow.TypeProcess)
		},
		"S0-44": func(t *testing.T) {
			typeOf(t, `{"id": "n", "description": "send the report"}`, flow.TypeDocument)
			typeOf(t, `{"id": "n", "description": "a report", "tools": ["send_email"]}`, flow.TypeIO)
		},
		"S0-x04": func(t *testing.T) {
			for _, old := range flow.OldFlowchartTypes() {
				now, _ := old.Canonical()
				typeOf(t, fmt.Sprintf(`{"id": "n", "flowchart_type": %q}`, old), now)
			}
			typeOf(t, `{"id": "n", "flowchart_type": "blob", "tools": ["sql_query"]}`, flow.TypeDatabase)
		},
		"S0-x08": func(t *testing.T) {
			equal(t, typesOf(enrich(t, draft(ids("a b c d"), arrows("a>b b>c:conditional b>d:conditional")))), "start decision terminal terminal")
		},
	}
	legend := []struct{ number, typ, shape, color string }{
		{"S0-20", "start", "stadium", "#8aad3f"},
		{"S0-21", "terminal", "stadium", "#b5453a"},
		{"S0-22", "process", "rectangle", "#b5a575"},
		{"S0-23", "decision", "diamond", "#d89d26"},
		{"S0-24", "io", "parallelogram", "#d06818"},
		{"S0-25", "document", "document", "#c4b830"},
		{"S0-26", "database", "cylinder", "#508878"},
		{"S0-27", "subprocess", "subroutine", "#887a48"},
		{"S0-28", "browser", "hexagon", "#cc8850"},
	}
	for _, l := range legend {
		all[l.number] = func(t *testing.T) {
			n := enrich(t, draft(fmt.Sprintf(`{"id": "a", "flowchart_type": %q}`, l.typ), "")).Nodes[0]
			equal(t, []string{n.FlowchartShape, n.FlowchartColor}, []string{l.shape, l.color})
			equal(t, draftchart.Legend()[flow.FlowchartType(l.typ)], draftchart.Drawing{Shape: l.shape, Color: l.color})
		}
	}
	hints := []struct {
		number string
		typ    flow.FlowchartType
		key    string
		words  []string
	}{
		{"S0-37", flow.TypeDatabase, "tools", []string{"query_database", "sql_query", "read_table"}},
		{"S0-38", flow.TypeDocument, "tools", []string{"generate_report", "create_document"}},
		{"S0-39", flow.TypeIO, "tools", []string{"send_email", "post_to_slack", "fetch_url", "display_results"}},
		{"S0-40", flow.TypeDatabase, "description", []string{"the DATABASE", "a data store", "Persist it"}},
		{"S0-41", flow.TypeDocument, "description", []string{"A Report", "document", "summary"}},
		{"S0-42", flow.TypeIO, "description", []string{"deliver it", "Send", "notify Ana"}},
		{"S0-x05", flow.TypeIO, "description", []string{"the output", "publish"}},
	}
	for _, h := range hints {
		all[h.number] = func(t *testing.T) {
			for _, word := range h.words {
				value := fmt.Sprintf("%q", word)
				if h.key == "tools" {
					value = "[" + value + "]"
				}
				typeOf(t, fmt.Sprintf(`{"id": "n", "name": "report", %q: %s}`, h.key, value), h.typ)
			}
		}
	}
	return all
}

// decisions are the statements about dissolving decisions.
func decisions() map[string]func(t *testing.T) {
	// sides checks where a decision d with some edges leads, in the flat form.
	sides := func(t *testing.T, edges, want string) {
		t.Helper()
		equal(t, edgesOf(dissolve(t, draft(ids("a d:decision x y z"), arrows("a>d "+edges))).Draft), want)
	}
	return map[string]func(t *testing.T){
		"S0-45": func(t *testing.T) {
			x := dissolve(t, billing)
			equal(t, len(x.Draft.Nodes), 3)
			for _, e := range x.Draft.Edges {
				if e.Source == "amount-gt-100" || e.Target == "amount-gt-100" {
					t.Errorf("%+v is left", e)
				}
			}
		},
		"S0-46": func(t *testing.T) {
			for _, label := range []string{"Yes", "TRUE", "pass"} {
				sides(t, "d>x:conditional d>y:conditional:"+label, "a>y:on_success:"+label+" a>x:on_failure")
			}
			sides(t, "d>x:on_failure d>y:on_success", "a>y:on_success a>x:on_failure")
		},
		"S0-47": func(t *testing.T) {
			for _, label := range []string{"No", "false", "FAIL"} {
				sides(t, "d>x:conditional:"+label+" d>y:conditional", "a>y:on_success a>x:on_failure:"+label)
			}
			sides(t, "d>x:on_failure d>y:always", "a>y:on_success a>x:on_failure")
		},
		"S0-48": func(t *testing.T) { sides(t, "d>x:conditional d>y:conditional", "a>x:on_success a>y:on_failure") },
		"S0-49": func(t *testing.T) {
			sides(t, "d>x:conditional:Maybe d>y:conditional:Yes", "a>y:on_success:Yes a>x:on_failure:Maybe")
			sides(t, "d>x d>y", "a>x:on_success a>y:on_failure")
		},
		"S0-50": func(t *testing.T) {
			for _, c := range []struct{ node, want string }{
				{`"decision_clause": "c", "description": "d", "name": "n"`, "c"}, {`"description": "d", "name": "n"`, "d"}, {`"name": "n"`, "n"}, {`"name": ""`, "D"},
			} {
				x := dissolve(t, draft(`{"id": "a"}, {"id": "d", "flowchart_type": "decision", `+c.node+`}, {"id": "x"}`, arrows("a>d d>x")))
				equal(t, nodeOf(t, x.Draft, "a").SuccessCriteria, c.want)
			}
		},
		"S0-51": func(t *testing.T) {
			equal(t, nodeOf(t, dissolve(t, chain).Draft, "x").SuccessCriteria, "")
			equal(t, nodeOf(t, dissolve(t, billing).Draft, "fetch-billing-data").SuccessCriteria, "Amount > $100?")
		},
		"S0-52": func(t *testing.T) {
			x := dissolve(t, draft(`{"id": "a", "success_criteria": "Data is there"}, `+ids("d:decision x y"), arrows("a>d d>x::Yes d>y::No")))
			equal(t, nodeOf(t, x.Draft, "a").SuccessCriteria, "Data is there; then evaluate: d?")
		},
		"S0-53": func(t *testing.T) { sides(t, "d>x::Yes d>y::No", "a>x:on_success:Yes a>y:on_failure:No") },
		"S0-54": func(t *testing.T) {
			x := dissolve(t, draft(ids("a d:decision x y"), `{"source": "a", "target": "d"}, {"source": "d", "target": "x", "label": "Yes", "description": "it is large"}, {"source": "d", "target": "y", "label": "No"}`))
			equal(t, []string{x.Draft.Edges[0].Label, x.Draft.Edges[0].Description}, []string{"Yes", "it is large"})
		},
		"S0-55": func(t *testing.T) {
			equal(t, dissolve(t, draft(ids("a d:decision x y"), arrows("a>d d>x::Yes d>y::No"))).Map, map[string][]string{"a": {"a", "d"}, "x": {"x"}, "y": {"y"}})
		},
		"S0-56": func(t *testing.T) {
			x := dissolve(t, draft(ids("d:decision x y"), arrows("d>x:conditional:Yes d>y:conditional:No")))
			n := nodeOf(t, x.Draft, "d")
			equal(t, []string{string(n.FlowchartType), n.FlowchartShape, n.FlowchartColor, n.SuccessCriteria}, []string{"process", "rectangle", "#b5a575", "d?"})
			equal(t, edgesOf(x.Draft), "d>x:on_success:Yes d>y:on_failure:No")
			src := draft(ids("d:decision x y"), arrows("d>x::Yes d>y::No"))
			play(t, src, "start; do d words; questions d d; judge d d=no; at y")
		},
		"S0-57": func(t *testing.T) {
			x := dissolve(t, draft(ids("a d1:decision d2:decision b"), arrows("a>d1 d1>d2 d2>b")))
			equal(t, x.Map, map[string][]string{"a": {"a", "d1", "d2"}, "b": {"b"}})
			equal(t, nodeOf(t, x.Draft, "a").SuccessCriteria, "d1?; then evaluate: d2?")
			equal(t, edgesOf(x.Draft), "a>b:on_success")
		},
		"S0-58": func(t *testing.T) {
			x := dissolve(t, draft(`{"id": "s"}, {"id": "a", "success_criteria": "good"}, `+ids("b d:decision x y"), arrows("s>a s>b a>d b>d d>x::Yes d>y::No")))
			equal(t, edgesOf(x.Draft), "s>a:on_success s>b:on_success a>x:on_success:Yes a>y:on_failure:No b>x:on_success:Yes b>y:on_failure:No")
			equal(t, []string{nodeOf(t, x.Draft, "a").SuccessCriteria, nodeOf(t, x.Draft, "b").SuccessCriteria}, []string{"good; then evaluate: d?", "d?"})
			equal(t, x.Map["b"], []string{"b", "d"})
		},
		"S0-59": func(t *testing.T) {
			sides(t, "d>x::Yes d>y:always:Log d>z::No d>x::Yes", "a>x:on_success:Yes a>z:on_failure:No a>y:always:Log")
		},
		"S0-60": func(t *testing.T) {
			x := dissolve(t, billing)
			equal(t, edgesOf(x.Draft), "fetch-billing-data>generate-pdf-receipt:on_success:Yes fetch-billing-data>draft-email-receipt:on_failure:No")
			equal(t, nodeOf(t, x.Draft, "fetch-billing-data").SuccessCriteria, "Amount > $100?")
			equal(t, x.Map, map[string][]string{
				"fetch-billing-data": {"fetch-billing-data", "amount-gt-100"}, "generate-pdf-receipt": {"generate-pdf-receipt"}, "draft-email-receipt": {"draft-email-receipt"},
			})
		},
		"S0-61": func(t *testing.T) {
			one := dissolve(t, draft(ids("a d1:decision d2:decision b"), arrows("a>d1 d1>d2 d2>b")))
			two := dissolve(t, draft(ids("a d2:decision d1:decision b"), arrows("a>d1 d1>d2 d2>b")))
			equal(t, two.Map, one.Map)
			equal(t, nodeOf(t, two.Draft, "a").SuccessCriteria, nodeOf(t, one.Draft, "a").SuccessCriteria)
		},
		"S0-62": func(t *testing.T) {
			play(t, billing, "start; do fetch-billing-data 120; judge fetch-billing-data amount-gt-100=yes; at generate-pdf-receipt")
			play(t, billing, "start; do fetch-billing-data 20; judge fetch-billing-data amount-gt-100=no; at draft-email-receipt")
		},
		"S0-x06": func(t *testing.T) {
			sides(t, "d>x::Yes d>y::Yes d>z::No", "a>x:on_success:Yes a>z:on_failure:No a>y:on_success:Yes")
		},
		"S0-x07": func(t *testing.T) {
			sides(t, "d>x::No d>y::Yes", "a>y:on_success:Yes a>x:on_failure:No")
			sides(t, "d>x:on_success:No d>y:on_success", "a>y:on_success a>x:on_failure:No")
		},
		"S0-x10": func(t *testing.T) {
			d, corrections := draftchart.Enrich(readDraft(t, draft(`{"id": "a"}, {"id": "g", "node_type": "gcu"}, {"id": "b"}`, arrows("a>g g>b"))))
			equal(t, edgesOf(d), "a>b:on_success a>g:always:delegate g>a:always:report")
			equal(t, nodeOf(t, d, "a").SubAgents, []string{"g"})
			equal(t, corrections, []string{"'g' is an agent that 'a' calls: its edges were moved there"})
		},
		"S0-x11": func(t *testing.T) {
			src := draft(`{"id": "a"}, {"id": "d", "flowchart_type": "decision"}, {"id": "g", "node_type": "gcu"}, {"id": "b"}, {"id": "c"}`, arrows("a>d d>g::Yes g>b d>c::No"))
			x := dissolve(t, src)
			equal(t, nodeOf(t, x.Draft, "a").SubAgents, []string{"g"})
			equal(t, edgesOf(x.Draft), "a>b:on_success:Yes a>c:on_failure:No")
			equal(t, x.Map["a"], []string{"a", "d", "g"})
			equal(t, decode(t, src).Flow.AgentByID("a").Subagents, []string{"g"})
		},
		"S0-x12": func(t *testing.T) {
			x := dissolve(t, draft(`{"id": "a", "sub_agents": ["s"]}, {"id": "s"}, {"id": "b"}`, arrows("a>b")))
			equal(t, x.Map, map[string][]string{"a": {"a", "s"}, "b": {"b"}})
			equal(t, edgesOf(x.Draft), "a>b:on_success")
		},
		"S0-x13": func(t *testing.T) {
			d := enrich(t, draft(`{"id": "a", "sub_agents": ["s"]}, {"id": "s"}, {"id": "b"}`, arrows("a>b")))
			equal(t, edgesOf(d), "a>b:on_success a>s:always:delegate s>a:always:report")
			if slices.Contains(d.TerminalNodes, "s") {
				t.Error("an agent that another node calls is a last node")
			}
		},
		"S0-x25": func(t *testing.T) {
			equal(t, edgesOf(dissolve(t, chain).Draft), "a>b:on_success:Yes a>c:on_failure:No a>x:on_failure:No")
			for answers, at := range map[string]string{"d1=no d2=yes": "x", "d1=no d2=no": "x", "d1=yes d2=no": "c", "d1=yes d2=yes": "b"} {
				play(t, chain, "start; do a words; questions a d1 d2; judge a "+answers+"; at "+at)
			}
			own := draft(`{"id": "a", "success_criteria": "good"}, `+ids("d1:decision d2:decision x b c"), arrows("a>d1 d1>d2::Yes d1>x::No d2>b::Yes d2>c::No"))
			for answers, at := range map[string]string{"a=no d1=yes d2=yes": "x", "a=yes d1=yes d2=no": "c", "a=yes d1=yes d2=yes": "b"} {
				play(t, own, "start; do a words; judge a "+answers+"; at "+at)
			}
		},
	}
}
