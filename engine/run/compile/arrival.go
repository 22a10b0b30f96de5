package compile

import (
	"maps"

	"sluice/engine/expr"
	"sluice/engine/history"
)

// arrival is what differs in a node for tokens that come by one edge.
type arrival struct {
	params   *expr.Value
	template *expr.Template
}

// compileArrivals parses the parameters that depend on the edge by which a token comes: they take the place of those of the same
// name. template names the one that is a text of its own, and not one of the parameters.
func (n *Node) compileArrivals(params any, template string, ids []string) {
	for edge, own := range n.Arrivals {
		a := n.byEdge[edge]
		if n.Params != nil {
			all, _ := params.(map[string]any)
			all = maps.Clone(all)
			for name, v := range own {
				history.Put(&all, name, v)
			}
			n.note(&a.params, all, ids)
		}
		if src, ok := own[template].(string); ok && n.template != nil {
			t, err := expr.ParseTemplate(src, ids)
			if err != nil {
				n.Broken = err
				continue
			}
			a.template = t
			n.Enter.addPaths(t.Reads())
		}
		history.Put(&n.byEdge, edge, a)
	}
}

func (n *Node) note(into **expr.Value, v any, ids []string) {
	params, err := expr.CompileValue(v, ids)
	if err != nil {
		n.Broken = err
		return
	}
	*into = params
	n.Enter.addPaths(params.Reads())
}

// ParamsFor gives the node's parameters for a token.
func (n *Node) ParamsFor(t history.Token) *expr.Value {
	if a := n.byEdge[t.Edge]; a.params != nil {
		return a.params
	}
	return n.Params
}

// TemplateFor gives the node's text for a token.
func (n *Node) TemplateFor(t history.Token) *expr.Template {
	if a := n.byEdge[t.Edge]; a.template != nil {
		return a.template
	}
	return n.template
}
