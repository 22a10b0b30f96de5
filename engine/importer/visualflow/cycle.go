package visualflow

import (
	"slices"
	"strings"
)

// findCycle reports a value that needs itself: data edges in a circle among nodes that are not executed.
func (g *graph) findCycle() {
	done := map[*node]bool{}
	for _, n := range g.nodes {
		if g.follow(n, nil, done) {
			return
		}
	}
}

// follow goes along what a value reads, and tells whether it found a circle.
func (g *graph) follow(n *node, path []*node, done map[*node]bool) bool {
	if i := slices.Index(path, n); i >= 0 {
		g.reportCycle(path[i:])
		return true
	}
	if done[n] || n.acts() {
		return false
	}
	for _, pin := range n.inputPins() {
		if from, ok := n.in[pin]; ok && g.follow(from.from, append(path, n), done) {
			return true
		}
	}
	done[n] = true
	return false
}

func (g *graph) reportCycle(path []*node) {
	var ids []string
	for _, n := range path[:min(len(path), 10)] {
		ids = append(ids, n.id)
	}
	g.src.Error(path[0].at.At, "", "data-cycle", "the value of node '"+path[0].id+"' needs itself", "by way of "+strings.Join(ids, ", "))
}
