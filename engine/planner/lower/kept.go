package lower

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/tree"
)

// unchanged lists the steps that are as they were raised from the base, and those that name the same things to show; was is nil when it
// could not be raised.
func unchanged(was *tree.Tree, steps map[string]*tree.Step) (same, shown map[string]bool) {
	same, shown = map[string]bool{}, map[string]bool{}
	if was == nil {
		return same, shown
	}
	for s := range was.Walk {
		if now := steps[s.ID]; now != nil {
			same[s.ID] = reflect.DeepEqual(ownPart(s), ownPart(now))
			shown[s.ID] = reflect.DeepEqual(s.Show, now.Show)
		}
	}
	return same, shown
}

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
	for _, step := range slices.Sorted(maps.Keys(b.nodes)) {
		for _, id := range b.nodes[step] {
			now, was := b.flow.Node(id), b.old.Node(id)
			if was == nil || now.Kind != was.Kind {
				continue
			}
			if spec, ok := now.Spec.(*flow.ApprovalSpec); ok && b.shown[step] && !b.gone(was.Spec.(*flow.ApprovalSpec).Show) {
				spec.Show = was.Spec.(*flow.ApprovalSpec).Show
			}
			if !b.same[step] || !sameWays(now, was) {
				continue
			}
			kept := *was
			kept.Routes, kept.OnError = slices.Clone(was.Routes), slices.Clone(was.OnError)
			ways := now.Ways()
			for i, to := range kept.Ways()[:min(len(ways), len(kept.Ways()))] {
				*to = *ways[i]
			}
			b.keepAgent(&kept, now)
			*now = kept
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
