package render

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/render/text"
)

// DOT is the plan as Graphviz source, for people who want to lay it out themselves.
func (r *Renderer) DOT(p flow.Plan) string {
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
	}
	shapes := map[flow.FlowchartType]string{
		flow.TypeStart: "box, style=\"rounded,filled\"", flow.TypeTerminal: "box, style=\"rounded,filled\"", flow.TypeDecision: "diamond, style=filled",
		flow.TypeIO: "parallelogram, style=filled", flow.TypeDocument: "note, style=filled", flow.TypeDatabase: "cylinder, style=filled",
		flow.TypeSubprocess: "box, peripheries=2, style=filled", flow.TypeBrowser: "hexagon, style=filled", flow.TypeProcess: "box, style=filled",
	}
	var b strings.Builder
	fmt.Fprintf(&b, "digraph flow {\n  label=%s;\n  labelloc=t;\n", quote(text.Plain(p.Title)))
	for _, n := range p.Nodes {
		t := known(n.Type)
		label := numbered(n)
		if d := text.Plain(n.Description); d != "" {
			label += "\n" + d
		}
		fmt.Fprintf(&b, "  %s [label=%s, shape=%s, color=%q, fillcolor=%q];\n",
			quote(n.ID), quote(label), shapes[t], typeColours[t].Hex(), typeColours[t].Alpha(.18).Over(white).Hex())
	}
	for _, e := range p.Edges {
		var attributes []string
		if l := text.Plain(e.Label); l != "" {
			attributes = append(attributes, "label="+quote(l))
		}
		if e.Error {
			attributes = append(attributes, "style=dotted")
		}
		fmt.Fprintf(&b, "  %s -> %s [%s];\n", quote(e.From), quote(e.To), strings.Join(attributes, ", "))
	}
	b.WriteString("}\n")
	return b.String()
}

// Mermaid is the plan as a Mermaid flowchart, for wikis and pull requests.
func (r *Renderer) Mermaid(p flow.Plan) string {
	quote := func(s string) string { // the entities of Mermaid, which takes nothing else inside a label
		return `"` + strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "#", "#35;", "`", "#96;").Replace(s) + `"`
	}
	around := map[flow.FlowchartType][2]string{
		flow.TypeStart: {"([", "])"}, flow.TypeTerminal: {"([", "])"}, flow.TypeProcess: {"[", "]"}, flow.TypeDecision: {"{", "}"},
		flow.TypeIO: {"[/", "/]"}, flow.TypeDocument: {">", "]"}, flow.TypeDatabase: {"[(", ")]"}, flow.TypeSubprocess: {"[[", "]]"}, flow.TypeBrowser: {"{{", "}}"},
	}
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	index := map[string]int{} // Mermaid's ids allow little: nodes are n0, n1, ...
	for i, n := range p.Nodes {
		index[n.ID] = i
		t := known(n.Type)
		fmt.Fprintf(&b, "  n%d%s%s%s:::%s\n", i, around[t][0], quote(numbered(n)), around[t][1], "type_"+string(t))
	}
	for _, e := range p.Edges {
		from, ok1 := index[e.From]
		to, ok2 := index[e.To]
		if !ok1 || !ok2 {
			continue
		}
		arrow := "-->"
		if e.Error {
			arrow = "-.->"
		}
		if l := text.Plain(e.Label); l != "" {
			arrow += "|" + quote(l) + "|"
		}
		fmt.Fprintf(&b, "  n%d %s n%d\n", from, arrow, to)
	}
	for _, t := range typeOrder {
		fmt.Fprintf(&b, "  classDef type_%s fill:%s,stroke:%s\n", t, typeColours[t].Alpha(.18).Over(white).Hex(), typeColours[t].Hex())
	}
	return b.String()
}

func numbered(n flow.PlanNode) string {
	name := text.Plain(n.Name)
	if name == "" {
		name = text.Plain(n.ID)
	}
	if n.Number > 0 {
		return fmt.Sprintf("%d. %s", n.Number, name)
	}
	return name
}
