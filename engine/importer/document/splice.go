package document

import (
	"fmt"
	"slices"

	"sluice/engine/flow/source"
)

// Edges are the edges of a source, each with a source and a target.
type Edges struct {
	List     *source.Value
	Advances func(edge *source.Value) bool // it orders what a run does; nil = all do
}

// Without takes a node out of the edges: what led to it leads to where it led. next is where that is; empty = nowhere.
func (g Edges) Without(e *source.Edits, id string) (next string, err error) {
	for _, v := range g.items() {
		if text(v, "source") == id && text(v, "target") != id && g.advances(v) {
			to := text(v, "target")
			if next != "" && next != to {
				return "", &NotWritableError{Step: id, Reason: fmt.Sprintf("several ways lead on from '%s'", id)}
			}
			next = to
		}
	}
	for i, v := range g.items() {
		from, to := text(v, "source"), text(v, "target")
		switch {
		case from != id && to != id:
		case from != id && next != "" && next != from && g.advances(v):
			e.Set(v, "target", next)
		default:
			e.Drop(g.List, i)
		}
	}
	return next, nil
}

// Between finds the one edge between two nodes; nil = there is none, or several.
func (g Edges) Between(from, to string) (edge *source.Value) {
	for _, v := range g.items() {
		if text(v, "source") != from || text(v, "target") != to || !g.advances(v) {
			continue
		}
		if edge != nil {
			return nil
		}
		edge = v
	}
	return edge
}

// Lead lets the one edge between two nodes lead to another one; without that one it is taken out.
func (g Edges) Lead(e *source.Edits, from, was, to string) {
	edge := g.Between(from, was)
	switch {
	case edge == nil:
	case to == "":
		e.Drop(g.List, slices.Index(g.List.Items, edge))
	default:
		e.Set(edge, "target", to)
	}
}

func (g Edges) advances(v *source.Value) bool { return g.Advances == nil || g.Advances(v) }

func (g Edges) items() []*source.Value {
	if g.List == nil {
		return nil
	}
	return g.List.Items
}

func text(v *source.Value, key string) string {
	if part := v.Get(key); part != nil {
		return part.Text
	}
	return ""
}
