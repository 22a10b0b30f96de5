package visualflow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/importer/document"
)

// converter makes a flow of a graph.
type converter struct {
	*graph
	flow  *flow.Flow
	taken map[string]bool // ids of run-time nodes
	made  map[string]bool // nodes that hold a value which several others read
	drawn map[string][]string
	vars  variables
}

// convert makes the flow of a document.
func (g *graph) convert() *converter {
	g.number()
	g.findCycle()
	c := &converter{graph: g, taken: map[string]bool{flow.End: true}, made: map[string]bool{}, drawn: map[string][]string{}}
	for _, n := range g.nodes {
		c.taken[n.run] = true
	}
	c.flow = &flow.Flow{
		Name: flowName(g.id), Description: g.words(), Profile: Profile, Entry: g.entry.run, Rules: flow.Rules{InputAlone: true},
		Run: flow.RunSpec{Title: escaped(g.name)},
	}
	c.findVariables()
	c.inputs()
	for _, n := range g.nodes {
		c.convert(n)
	}
	for _, n := range g.nodes {
		c.arrive(n)
	}
	return c
}

// document is the flow with its problems.
func (c *converter) document() document.Document {
	d := c.src.Document(c.flow)
	d.Map = c.drawn
	return d
}

// flowName is the name of the flow of a document. Other documents know only its id.
func flowName(id string) string { return cmp.Or(flow.Slug(id), "visualflow") }

// words is the description, after the name that people gave.
func (g *graph) words() string {
	if g.name == "" || g.description == "" {
		return g.name + g.description
	}
	return g.name + ": " + g.description
}

// convert makes the run-time node of a node. A value that nothing reads is left out.
func (c *converter) convert(n *node) {
	k := n.record
	switch {
	case n.acts() && k.act != nil:
		c.add(flow.Node{ID: n.run, Name: n.label, Spec: k.act(c, n), Routes: c.routes(n)}, n)
	case n.acts():
		c.addOpaque(n)
	case len(n.read) == 0:
	case k.pure != nil:
		c.add(flow.Node{ID: n.run, Name: n.label, Spec: &flow.ComputeSpec{Value: c.results(n), Pull: true, Strict: k.strict}}, n)
	default:
		c.addOpaque(n)
	}
}

// results gives what a pure node computes, by output pin.
func (c *converter) results(n *node) map[string]any {
	value := n.record.pure(c, n)
	if all, several := value.(results); several {
		return all
	}
	all := map[string]any{}
	for _, pin := range n.outputPins() {
		all[pin] = value
	}
	return all
}

// results are the values of several output pins.
type results map[string]any

func (c *converter) add(n flow.Node, of *node) {
	c.src.At(fmt.Sprintf("flow.nodes[%d]", len(c.flow.Nodes)), of.at)
	c.flow.Nodes = append(c.flow.Nodes, n)
	c.drawn[n.ID] = append(c.drawn[n.ID], of.id)
}

// addOpaque keeps a node that cannot be run. A run fails when it gets there, or reads its value.
func (c *converter) addOpaque(n *node) {
	reason := n.record.lost
	if !n.known {
		reason = "its type '" + n.kind + "' is not known"
	}
	c.add(flow.Node{ID: n.run, Name: n.label, Spec: c.opaque(n, reason), Routes: c.routes(n)}, n)
}

func (c *converter) opaque(n *node, reason string) *flow.OpaqueSpec {
	return &flow.OpaqueSpec{Type: n.kind, Reason: reason, Pull: !n.acts()}
}

// hold gives the name of a node that makes a value when it is read.
func (c *converter) hold(n *node, name string, value func() any) string {
	id := n.run + "-" + cleanID(name)
	if !c.made[id] {
		c.made[id], c.taken[id] = true, true
		v := value()
		c.add(flow.Node{ID: id, Name: n.label, Spec: &flow.ComputeSpec{Value: v, Pull: true}}, n)
	}
	return ref(id) + ".result"
}

func (c *converter) warn(n *node, code, message, hint string) {
	c.src.Warn(n.at.At, "", code, message+" (node '"+n.id+"')", hint)
}

// routes are the ways on from a node that is no branching one: those have their own.
func (c *converter) routes(n *node) []flow.Route {
	if way, own := ways[n.kind]; own {
		return way(n)
	}
	if next := n.next[execOut]; next != nil {
		return []flow.Route{{To: next.run}}
	}
	var all []flow.Route
	for _, handle := range n.handles() {
		all = append(all, flow.Route{When: "output.branch == " + quote(handle), To: n.next[handle].run, Label: handle})
	}
	if len(all) == 1 {
		all[0].When, all[0].Label = "", ""
	}
	return all
}

// handles lists the connected execution outputs, in the order of the pins.
func (n *node) handles() []string {
	var all, more []string
	for _, p := range n.outputs {
		if n.next[p.id] != nil && !slices.Contains(all, p.id) {
			all = append(all, p.id)
		}
	}
	for handle := range n.next {
		if !slices.Contains(all, handle) {
			more = append(more, handle)
		}
	}
	slices.SortFunc(more, byNumber)
	return append(all, more...)
}

// arrive gives a node other parameters for tokens that come by a route of their own.
func (c *converter) arrive(n *node) {
	at := slices.IndexFunc(c.flow.Nodes, func(m flow.Node) bool { return m.ID == n.run })
	if len(n.overrides) == 0 || at < 0 {
		return
	}
	usual := parameters(c.flow.Nodes[at].Spec)
	all := map[string]map[string]any{}
	for _, a := range n.arrivals {
		other := *n
		other.in = make(map[string]end, len(n.in))
		maps.Copy(other.in, n.in)
		for pin, by := range n.overrides {
			if from, given := by[a.route]; given {
				other.in[pin] = from
			}
		}
		changed := map[string]any{}
		for name, v := range parameters(n.record.act(c, &other)) {
			if !same(usual[name], v) {
				changed[name] = v
			}
		}
		if edge := c.edgeTo(a, n); edge != "" && len(changed) > 0 {
			all[edge] = changed
		}
	}
	c.flow.Nodes[at].Arrivals = all
}

// edgeTo names the edge of an arrival.
func (c *converter) edgeTo(a arrival, n *node) string {
	from := c.flow.Node(a.from.run)
	if from == nil {
		return ""
	}
	edges := from.Edges()
	if i := slices.IndexFunc(edges, func(e flow.Edge) bool { return e.To == n.run && c.labelled(from, a, e) }); i >= 0 {
		return edges[i].ID
	}
	return ""
}

// labelled reports whether an edge is that of the handle where an arrival begins.
func (c *converter) labelled(from *flow.Node, a arrival, e flow.Edge) bool {
	switch {
	case e.Kind == flow.EdgeBody:
		return a.handle == "loop"
	case e.Kind == flow.EdgeBranch:
		return from.Branches()[e.Index].Label == a.handle
	}
	label := from.Routes[e.Index].Label
	return label == a.handle || label == ""
}

// parameters are the parts of a node that can differ by route: texts, and the members of objects, by name.
func parameters(s flow.Spec) map[string]any {
	body, err := json.Marshal(s)
	var fields map[string]any
	if err != nil || json.Unmarshal(body, &fields) != nil {
		return nil
	}
	all := map[string]any{}
	for name, v := range fields {
		if members, ok := v.(map[string]any); ok {
			maps.Copy(all, members)
		} else if _, isText := v.(string); isText {
			all[name] = v
		}
	}
	return all
}
