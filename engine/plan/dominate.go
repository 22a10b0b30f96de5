package plan

import (
	"fmt"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// dominate makes sure that no step reads the result of another that a way to it leaves out. Branches see to it when they are
// built; jumps between lines can break it.
func (b *builder) dominate() {
	ids := make([]string, len(b.flow.Nodes))
	for i := range b.flow.Nodes {
		ids[i] = b.flow.Nodes[i].ID
	}
	for i := range b.flow.Nodes {
		n := &b.flow.Nodes[i]
		for _, id := range readsOf(n, ids) {
			if id == n.ID || !b.avoids(id, n.ID) {
				continue
			}
			reader, giver := b.lineOf(n.ID), b.lineOf(id)
			b.note(Note{Line: reader, Code: "maybe_missing", Blocks: true, Text: fmt.Sprintf(
				"Step %d needs what step %d gives, but there is a way to step %d that leaves step %d out.", reader, giver, reader, giver)})
		}
	}
}

func (b *builder) lineOf(id string) int {
	for line, ids := range b.lines {
		if slices.Contains(ids, id) {
			return line
		}
	}
	return 0
}

// readsOf lists the nodes whose results or answers a node reads.
func readsOf(n *flow.Node, ids []string) []string {
	var out []string
	add := func(paths [][]string) {
		for _, p := range paths {
			id := p[0]
			if id == "approvals" && len(p) > 1 {
				id = p[1]
			}
			if slices.Contains(ids, id) && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	value := func(v any) {
		if c, err := expr.CompileValue(v, ids); err == nil {
			add(c.Reads())
		}
	}
	expression := func(src string) {
		if c, err := expr.Compile(src, ids); err == nil {
			add(c.Reads())
		}
	}
	switch s := n.Spec.(type) {
	case *flow.ToolSpec:
		value(s.Params)
	case *flow.ApprovalSpec:
		value(s.Message)
	case *flow.SaySpec:
		value(s.Message)
	case *flow.DecisionSpec:
		expression(s.Expr)
	}
	return out
}

// avoids reports whether there is a way from the start to a node that does not pass another.
func (b *builder) avoids(pass, to string) bool {
	seen := map[string]bool{pass: true}
	todo := []string{b.flow.Entry}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		n := b.flow.Node(id)
		if n == nil || seen[id] {
			continue
		}
		if id == to {
			return true
		}
		seen[id] = true
		for _, e := range n.Edges() {
			todo = append(todo, e.To)
		}
	}
	return false
}
