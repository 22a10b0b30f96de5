package project

import (
	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/try"
	"sluice/render"
)

// TryPicture is a flow's picture with the ways lit that a trial found open. What only a fault leads to stays faint.
func TryPicture(r *try.Result) *card.Picture {
	drawn := plan.Number(r.Flow.Plan(), plan.Lines(r.Flow))
	o := &render.Overlay{Dry: true, Header: render.Possible, Nodes: map[string]render.NodeStatus{}, Taken: map[string]render.Taken{}}
	for id, mark := range r.Nodes {
		if mark < try.Possible {
			continue
		}
		status := render.NodeStatus{State: render.Possible}
		if mark == try.Possible {
			status.Note = "possible"
		}
		for _, shape := range drawn.Map[id] {
			o.Nodes[shape] = status
		}
	}
	for id, mark := range r.Edges {
		if mark >= try.Possible {
			o.Taken[id] = render.Taken{Count: 1, Why: mark.String()}
		}
	}
	lightEnds(drawn, o, render.Possible)
	return &card.Picture{Plan: drawn, Overlay: o, Title: r.Flow.Name}
}

// lightEnds lights the drawn start and the ends that were reached.
func lightEnds(p flow.Plan, o *render.Overlay, as render.State) {
	known := map[string]bool{}
	for _, shapes := range p.Map {
		for _, s := range shapes {
			known[s] = true
		}
	}
	for _, e := range p.Edges {
		if o.Taken[e.ID].Count == 0 {
			continue
		}
		for _, end := range []string{e.From, e.To} {
			if !known[end] {
				o.Nodes[end] = render.NodeStatus{State: as}
			}
		}
	}
}
