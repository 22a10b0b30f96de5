package render

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/render/shape"
	"sluice/render/text"
)

// DOT is the chart as Graphviz source, for people who want to lay it out themselves.
func (r *Renderer) DOT(p chart.Chart) string {
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
	}
	shapes := map[flow.FlowchartType]string{
		flow.TypeStart: "box", flow.TypeTerminal: "box", flow.TypeDecision: "diamond", flow.TypeIO: "parallelogram", flow.TypeDocument: "note",
		flow.TypeDatabase: "cylinder", flow.TypeSubprocess: "box, peripheries=2", flow.TypeBrowser: "hexagon", flow.TypeProcess: "box",
		shape.Person: "invtrapezium", // the symbol of what is done by hand
	}
	var b strings.Builder
	fmt.Fprintf(&b, "digraph flow {\n  label=%s;\n  labelloc=t;\n", quote(text.Plain(p.Title)))
	for _, n := range p.Nodes {
		t := kindOf(n)
		label, style := numbered(n), "filled"
		if d := text.Plain(n.Description); d != "" {
			label += "\n" + d
		}
		if t == flow.TypeStart || t == flow.TypeTerminal {
			style += ",rounded"
		}
		if n.Open {
			label, style = label+"\n"+openWords, style+",dashed"
		}
		fmt.Fprintf(&b, "  %s [label=%s, shape=%s, style=%q, color=%q, fillcolor=%q];\n",
			quote(n.ID), quote(label), shapes[t], style, typeColours[t].Hex(), typeColours[t].Alpha(.18).Over(white).Hex())
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

// Mermaid is the chart as a Mermaid flowchart, for wikis and pull requests.
func (r *Renderer) Mermaid(p chart.Chart) string {
	quote := func(s string) string { // the entities of Mermaid, which takes nothing else inside a label
		return `"` + strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "#", "#35;", "`", "#96;").Replace(s) + `"`
	}
	around := map[flow.FlowchartType][2]string{
		flow.TypeStart: {"([", "])"}, flow.TypeTerminal: {"([", "])"}, flow.TypeProcess: {"[", "]"}, flow.TypeDecision: {"{", "}"},
		flow.TypeIO: {"[/", "/]"}, flow.TypeDocument: {">", "]"}, flow.TypeDatabase: {"[(", ")]"}, flow.TypeSubprocess: {"[[", "]]"}, flow.TypeBrowser: {"{{", "}}"},
		shape.Person: {"[\\", "/]"},
	}
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	index := map[string]int{} // Mermaid's ids allow little: nodes are n0, n1, ...
	for i, n := range p.Nodes {
		index[n.ID] = i
		t, label := kindOf(n), numbered(n)
		if n.Open {
			label += ": " + openWords
		}
		fmt.Fprintf(&b, "  n%d%s%s%s:::%s\n", i, around[t][0], quote(label), around[t][1], "type_"+string(t))
		if n.Open {
			fmt.Fprintf(&b, "  style n%d stroke-dasharray:5 4\n", i)
		}
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

func numbered(n chart.Node) string {
	name := text.Plain(n.Name)
	if name == "" {
		name = text.Plain(n.ID)
	}
	if n.Number != "" {
		return n.Number + ". " + name
	}
	return name
}
