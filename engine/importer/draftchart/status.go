package draftchart

import (
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/history"
)

// Status is the state of a node as a draft shows it: pending, running, complete or error.
type Status string

// The states of nodes.
const (
	Pending  Status = "pending"
	Running  Status = "running"
	Complete Status = "complete"
	Failed   Status = "error"
)

// Shown is what a node of a draft shows of a run.
type Shown struct {
	Status Status `json:"status"`
	Color  string `json:"color"` // "" = nothing is drawn over the node
}

var statusColors = map[Status]string{Running: "#F59E0B", Complete: "#22C55E", Failed: "#EF4444"}

// statuses are the states of a run's nodes as a draft shows them; others are pending.
var statuses = map[history.NodeState]Status{
	history.StateRunning: Running, history.StateWaiting: Running,
	history.StateComplete: Complete, history.StateByHand: Complete,
	history.StateError: Failed, history.StateTimedOut: Failed, history.StateRefused: Failed,
}

// StatusAnswer is the answer to the question where a run stands.
type StatusAnswer struct {
	Nodes map[string]Shown `json:"nodes"` // by node of the draft
}

// Live gives what every node of a flow's draft shows of a run: the status of the runtime node that it became part of. Where it became part
// of several, one that is at work counts first, then one that failed.
func Live(f *flow.Flow, nodes map[string]history.NodeView) StatusAnswer {
	c, own := Chart(f)
	if !own {
		c = chart.Of(f)
	}
	weight := map[Status]int{"": 0, Pending: 1, Complete: 2, Failed: 3, Running: 4}
	all := map[string]Shown{}
	for _, n := range c.Nodes {
		all[n.ID] = Shown{Status: Pending}
	}
	for id, parts := range c.Map {
		s, known := statuses[nodes[id].State]
		if !known {
			s = Pending
		}
		for _, n := range parts {
			if weight[s] > weight[all[n].Status] {
				all[n] = Shown{s, statusColors[s]}
			}
		}
	}
	return StatusAnswer{all}
}

// Event tells of the answer.
func (a StatusAnswer) Event() Event { return Event{EventStatus, stream, a} }
