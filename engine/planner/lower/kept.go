package lower

import (
	"reflect"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/tree"
)

// ownPart is a step without the steps below it and without what the words say of it.
func ownPart(s *tree.Step) tree.Step {
	own := s.Own()
	own.No, own.Said, own.At = 0, tree.Quote{}, nil
	for i := range own.Branches {
		own.Branches[i].At = nil
	}
	return own
}

// keepWhole takes over the nodes of unchanged steps as they were, but for where their ways lead. What deciders see stays where no words name
// something else to show.
func (b *revision) keepWhole() {
	if b.was == nil {
		return
	}
	for s := range b.was.Walk {
		for _, id := range b.nodes[s.ID] {
			now, was, step := b.flow.Node(id), b.old.Node(id), b.steps[s.ID]
			if was == nil || now.Kind != was.Kind {
				continue
			}
			if spec, ok := now.Spec.(*flow.ApprovalSpec); ok {
				old := was.Spec.(*flow.ApprovalSpec)
				if old.Refuses = spec.Refuses; reflect.DeepEqual(s.Show, step.Show) && !b.gone(old.Show) {
					spec.Show = old.Show
				}
			}
			if !reflect.DeepEqual(ownPart(s), ownPart(step)) || !sameWays(now, was) {
				continue
			}
			ways, wasWays := now.Ways(), was.Ways()
			for i := range min(len(ways), len(wasWays)) {
				*wasWays[i] = *ways[i]
			}
			b.keepAgent(was, now)
			*now = *was
		}
	}
}

// gone reports whether one of the paths reads a node that the flow has no more.
func (b *revision) gone(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return slices.ContainsFunc(strings.Split(path, "."), func(id string) bool { return b.old.Node(id) != nil && b.flow.Node(id) == nil })
	})
}

// sameWays reports whether two nodes have the same ways out under the same conditions.
func sameWays(a, b *flow.Node) bool {
	return slices.EqualFunc(a.Routes, b.Routes, func(x, y flow.Route) bool { return x.When == y.When || x.Default() && y.Default() }) &&
		slices.EqualFunc(a.OnError, b.OnError, func(x, y flow.ErrorRoute) bool { return x.Match == y.Match && x.Default == y.Default })
}

// keepAgent takes over the agent that a node runs.
func (b *revision) keepAgent(kept, now *flow.Node) {
	s, ok := kept.Spec.(*flow.AgentSpec)
	if !ok {
		return
	}
	made := now.Spec.(*flow.AgentSpec).Agent
	b.flow.Agents = slices.DeleteFunc(b.flow.Agents, func(a flow.Agent) bool { return a.ID == made })
	if a := b.old.AgentByID(s.Agent); a != nil && b.flow.AgentByID(a.ID) == nil {
		b.flow.Agents = append(b.flow.Agents, *a)
	}
}
