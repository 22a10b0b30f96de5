package run

import (
	"encoding/json"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/scope"
)

// tryList is the list of a foreach in a trial. For an unknown list the trial chooses between no items and one unknown item.
func tryList(m *machine, t history.Token, spec *flow.ForeachSpec, list []json.RawMessage) []json.RawMessage {
	if m.Unknown {
		if m.Trial.Choose(t, []scope.Way{{Edge: flow.BodyEdge(t.Node), To: spec.Body}, {}}) == 1 {
			return nil
		}
		if len(list) == 0 {
			list = []json.RawMessage{json.RawMessage("null")}
		}
	}
	if most := m.Trial.Items(t, len(list)); most < len(list) {
		m.Unknown, list = true, list[:most]
	}
	return list
}

// Giver names what gives a node's value from outside: its kind, with the tool or agent. It is "" for what the machine computes by
// itself or people answer.
func Giver(n *flow.Node) string {
	switch s := n.Spec.(type) {
	case *flow.ToolSpec:
		return string(n.Kind) + " " + s.Tool
	case *flow.AgentSpec:
		return string(n.Kind) + " " + s.Agent
	}
	if n.Acts() {
		return string(n.Kind)
	}
	return ""
}
