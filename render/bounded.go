package render

import (
	"maps"
	"slices"

	"sluice/engine/flow/chart"
	"sluice/render/text"
)

// listed is how many items of a list a picture names; an ellipsis stands for the others.
const listed = 20

// bounded is a request whose texts have at most so many letters, and whose lists so many items. It copies what it changes:
// requests share their charts with others.
func bounded(q Request, letters int) Request {
	short := func(s string) string {
		if len(s) <= letters { // bytes are never fewer than letters
			return s
		}
		return text.Head(s, letters)
	}
	list := func(items []string) []string {
		items = slices.Clone(items[:min(len(items), listed+1)])
		for i := range items {
			items[i] = short(items[i])
		}
		if len(items) > listed {
			items[listed] = "…"
		}
		return items
	}
	nodes := func(all []chart.Node) []chart.Node {
		all = slices.Clone(all)
		for i := range all {
			n := &all[i]
			n.Name, n.Description, n.Tools, n.Criteria = short(n.Name), short(n.Description), list(n.Tools), list(n.Criteria)
		}
		return all
	}
	edges := func(all []chart.Edge) []chart.Edge {
		all = slices.Clone(all)
		for i := range all {
			all[i].Label, all[i].Description = short(all[i].Label), short(all[i].Description)
		}
		return all
	}
	q.Chart.Title, q.Chart.Description, q.Subtitle = short(q.Chart.Title), short(q.Chart.Description), short(q.Subtitle)
	q.Chart.Nodes, q.Chart.Edges = nodes(q.Chart.Nodes), edges(q.Chart.Edges)
	if q.Diff != nil {
		d := *q.Diff
		d.RemovedNodes, d.RemovedEdges = nodes(d.RemovedNodes), edges(d.RemovedEdges)
		q.Diff = &d
	}
	if q.Overlay != nil {
		o := *q.Overlay
		o.Nodes, o.Taken = maps.Clone(o.Nodes), maps.Clone(o.Taken)
		for id, n := range o.Nodes {
			n.Note = short(n.Note)
			o.Nodes[id] = n
		}
		for id, t := range o.Taken {
			t.Why = short(t.Why)
			o.Taken[id] = t
		}
		q.Overlay = &o
	}
	q.insets = maps.Clone(q.insets)
	for id, in := range q.insets {
		in.names = list(in.names)
		q.insets[id] = in
	}
	return q
}
