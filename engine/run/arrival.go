package run

import (
	"maps"

	"sluice/engine/expr"
)

// arrival is what differs in a node for tokens that come by one edge.
type arrival struct {
	params   *expr.Value
	template *expr.Template
}

// compileArrivals parses the parameters that depend on the edge by which a token comes: they take the place of those of the same
// name. template names the one that is a text of its own, and not one of the parameters.
func (n *node) compileArrivals(params any, template string, ids []string) {
	for edge, own := range n.Arrivals {
		a := n.arrivals[edge]
		if n.params != nil {
			all, _ := params.(map[string]any)
			all = maps.Clone(all)
			for name, v := range own {
				put(&all, name, v)
			}
			n.note(&a.params, all, ids)
		}
		if src, ok := own[template].(string); ok && n.template != nil {
			t, err := expr.ParseTemplate(src, ids)
			if err != nil {
				n.broken = err
				continue
			}
			a.template = t
			n.enter.addPaths(t.Reads())
		}
		put(&n.arrivals, edge, a)
	}
}

func (n *node) note(into **expr.Value, v any, ids []string) {
	params, err := expr.CompileValue(v, ids)
	if err != nil {
		n.broken = err
		return
	}
	*into = params
	n.enter.addPaths(params.Reads())
}

// paramsFor gives the node's parameters for a token.
func (n *node) paramsFor(t Token) *expr.Value {
	if a := n.arrivals[t.Edge]; a.params != nil {
		return a.params
	}
	return n.params
}

// templateFor gives the node's text for a token.
func (n *node) templateFor(t Token) *expr.Template {
	if a := n.arrivals[t.Edge]; a.template != nil {
		return a.template
	}
	return n.template
}
