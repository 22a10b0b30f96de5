package render

import (
	"errors"
	"fmt"
	"slices"

	"sluice/engine/flow/chart"
)

// Request is one picture to make. The zero value of everything but Chart is fine.
type Request struct {
	Chart chart.Chart
	// Overlay is the state of a run; nil draws a draft, or an approved version.
	Overlay *Overlay
	Version int // that was approved; 0 = it is a draft
	// Diff is what changed against another revision; nil draws no marks.
	Diff  *Diff
	Theme Theme
	// Scale is how many device pixels a CSS pixel has in a PNG, 2 when zero. SVG has no scale.
	Scale float64
	// Subtitle stands under the title; without one the picture counts its steps.
	Subtitle string

	insets map[string]inset // by chart node id
	whole  bool             // an overview already: however large, it is drawn as it is
}

// State is how far a node has come.
type State string

// The states of a node, and of the whole run in the header.
const (
	Pending   State = ""
	Running   State = "running"
	Complete  State = "complete"
	Error     State = "error"
	Waiting   State = "waiting" // on a person
	Skipped   State = "skipped"
	Cancelled State = "cancelled"
	Rejected  State = "rejected"        // somebody decided against it
	TimedOut  State = "timed out"       // nobody decided in time
	ByHand    State = "skipped by hand" // a person let the run go on without it
	// Possible is a node that a dry run would reach.
	Possible State = "would run"
)

// Overlay is the state of a run, in terms of the chart.
type Overlay struct {
	Nodes map[string]NodeStatus // by chart node id; a node that is missing is pending
	Taken map[string]Taken      // by chart edge id: the edges really taken
	// Header is the state of the whole run.
	Header State
	// Dry says that this is not a run but the way that a set of inputs would take: nodes on it are [Possible], edges on it
	// Taken, and all the rest is drawn faint.
	Dry bool
}

func (r Request) dry() bool { return r.Overlay != nil && r.Overlay.Dry }

// NodeStatus is the state of one chart node.
type NodeStatus struct {
	State State
	// Note is a few words shown in the node instead of its description, such as "0.8 s" or "waits for @finance".
	Note string
}

// Taken is how often an edge was taken, and the last time why, for the tooltip.
type Taken struct {
	Count int // at least 1
	Why   string
}

// Diff is what is different in Chart against an earlier revision of it. Nodes and edges are named by their chart ids.
type Diff struct {
	Added, Changed           []string
	RemovedNodes             []chart.Node // no longer in Chart, drawn as ghosts
	AddedEdges, ChangedEdges []string
	RemovedEdges             []chart.Edge // no longer in Chart; those with an end that is not drawn are left out
}

// Compare is the difference that leads from one chart to the next. Numbers, open questions and places do not count as changes.
func Compare(before, after chart.Chart) *Diff {
	d := &Diff{}
	oldNodes := make(map[string]chart.Node, len(before.Nodes))
	for _, n := range before.Nodes {
		oldNodes[n.ID] = n
	}
	for _, n := range after.Nodes {
		old, ok := oldNodes[n.ID]
		delete(oldNodes, n.ID)
		old.Number, old.Open = n.Number, n.Open
		switch {
		case !ok:
			d.Added = append(d.Added, n.ID)
		case !sameNode(old, n):
			d.Changed = append(d.Changed, n.ID)
		}
	}
	for _, n := range before.Nodes {
		if _, gone := oldNodes[n.ID]; gone {
			d.RemovedNodes = append(d.RemovedNodes, n)
		}
	}
	d.compareEdges(before.Edges, after.Edges)
	return d
}

// sameNode tells whether two nodes show the same; where a click leads is no part of the flow.
func sameNode(a, b chart.Node) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Description == b.Description && kindOf(a) == kindOf(b) && a.Number == b.Number &&
		slices.Equal(a.Tools, b.Tools) && slices.Equal(a.Criteria, b.Criteria)
}

// compareEdges matches edges by their ends and label first: ids may be counted anew from revision to revision.
func (d *Diff) compareEdges(before, after []chart.Edge) {
	type ends struct{ from, to, label string }
	type link struct{ from, to string }
	same, linked := map[ends][]chart.Edge{}, map[link][]chart.Edge{}
	for _, e := range before {
		same[ends{e.From, e.To, e.Label}] = append(same[ends{e.From, e.To, e.Label}], e)
	}
	var left []chart.Edge
	for _, e := range after {
		key := ends{e.From, e.To, e.Label}
		if old := same[key]; len(old) > 0 {
			same[key] = old[1:]
			if old[0].Description != e.Description || old[0].Error != e.Error {
				d.ChangedEdges = append(d.ChangedEdges, e.ID)
			}
			continue
		}
		left = append(left, e)
	}
	for _, e := range before { // in their order, and only those not matched
		key := ends{e.From, e.To, e.Label}
		if old := same[key]; len(old) > 0 && old[0] == e {
			same[key] = old[1:]
			linked[link{e.From, e.To}] = append(linked[link{e.From, e.To}], e)
		}
	}
	for _, e := range left {
		key := link{e.From, e.To}
		if old := linked[key]; len(old) > 0 {
			linked[key] = old[1:]
			d.ChangedEdges = append(d.ChangedEdges, e.ID)
			continue
		}
		d.AddedEdges = append(d.AddedEdges, e.ID)
	}
	for _, e := range before {
		key := link{e.From, e.To}
		if old := linked[key]; len(old) > 0 && old[0] == e {
			linked[key] = old[1:]
			d.RemovedEdges = append(d.RemovedEdges, e)
		}
	}
}

// Empty tells whether nothing is different.
func (d *Diff) Empty() bool {
	return len(d.Added)+len(d.Changed)+len(d.RemovedNodes)+len(d.AddedEdges)+len(d.ChangedEdges)+len(d.RemovedEdges) == 0
}

var errEmpty = errors.New("the flow has no steps to draw")

// check refuses charts that cannot be drawn truthfully.
func check(p chart.Chart) error {
	if len(p.Nodes) == 0 {
		return errEmpty
	}
	ids := make(map[string]bool, len(p.Nodes))
	for _, n := range p.Nodes {
		if ids[n.ID] {
			return fmt.Errorf("the chart has two nodes with the id %q", n.ID)
		}
		ids[n.ID] = true
	}
	for _, e := range p.Edges {
		for _, end := range []string{e.From, e.To} {
			if !ids[end] {
				return fmt.Errorf("the chart's edge %q names %q, which is not a node of it", e.ID, end)
			}
		}
	}
	return nil
}
