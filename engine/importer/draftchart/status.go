package draftchart

import (
	"sluice/engine/history"
)

// Status is the state of a node as the draft shows it.
type Status string

// The states of nodes.
const (
	Pending  Status = "pending"
	Running  Status = "running"
	Complete Status = "complete"
	Failed   Status = "error"
)

// Color is the colour of a status; "" = nothing is drawn over the node.
func (s Status) Color() string {
	return map[Status]string{Running: "#F59E0B", Complete: "#22C55E", Failed: "#EF4444"}[s]
}

// Invert gives the runtime node of every node of the draft. A node that several runtime nodes stand for belongs to the first of them by id.
func Invert(mapped map[string][]string) map[string]string {
	inverse := map[string]string{}
	for id, nodes := range mapped {
		for _, n := range nodes {
			if first, known := inverse[n]; !known || id < first {
				inverse[n] = id
			}
		}
	}
	return inverse
}

// statuses are the states of a run's nodes as a draft shows them; others are pending.
var statuses = map[history.NodeState]Status{
	history.StateRunning: Running, history.StateWaiting: Running,
	history.StateComplete: Complete, history.StateByHand: Complete,
	history.StateError: Failed, history.StateTimedOut: Failed, history.StateRefused: Failed,
}

// Statuses gives the status of every node of a draft from those of a run. Of several runtime nodes that a node of the draft belongs to, one
// that is at work counts first, then one that failed.
func Statuses(mapped map[string][]string, nodes map[string]history.NodeView) map[string]Status {
	weight := map[Status]int{"": 0, Pending: 1, Complete: 2, Failed: 3, Running: 4}
	all := map[string]Status{}
	for id, shown := range mapped {
		s, known := statuses[nodes[id].State]
		if !known {
			s = Pending
		}
		for _, n := range shown {
			if weight[s] > weight[all[n]] {
				all[n] = s
			}
		}
	}
	return all
}
