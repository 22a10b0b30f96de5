package raise

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// Tree gives the step tree of a flow from a file, so that words can change it. The ids of its steps are those of the nodes. It fails when
// the flow says anything that steps cannot: lowering the tree on the base of the flow always gives the same flow again.
func Tree(f *flow.Flow) (*tree.Tree, error) {
	t, err := Steps(f)
	if err != nil {
		return nil, fmt.Errorf("%w; change the flow in its file instead", err)
	}
	again, _, _ := lower.Flow(t, worldFrom(f), t, nil)
	if err := sameFlow(f, again); err != nil {
		return nil, err
	}
	return t, nil
}

// worldFrom is the world that a flow needs to be lowered again.
func worldFrom(f *flow.Flow) env.World {
	kinds := map[string]string{}
	for i := range f.Nodes {
		if q := f.Nodes[i].Question(); q != nil && q.Who != nil {
			for _, name := range q.Who.Users {
				kinds[name] = "user"
			}
		}
	}
	return env.World{Base: f, Tools: []tool.Tool{tool.PostMessage(nil)}, Kind: func(name string) string { return kinds[name] }}
}

// sameFlow compares two flows without the order of their nodes and agents.
func sameFlow(was, now *flow.Flow) error {
	alone := func(n *flow.Node) []byte { return flow.Canonical(&flow.Flow{Name: "x", Nodes: []flow.Node{*n}}) }
	for i := range was.Nodes {
		one := &was.Nodes[i]
		if other := now.Node(one.ID); other == nil || !bytes.Equal(alone(one), alone(other)) {
			return fmt.Errorf("%s (node %s) says more than steps can; change the flow in its file instead", english.Quoted(one.DisplayName()), one.ID)
		}
	}
	if !bytes.Equal(inOrder(was), inOrder(now)) {
		return fmt.Errorf("the head of the flow, or nodes that nothing shows, say more than steps can; change the flow in its file instead")
	}
	return nil
}

// inOrder is the canonical form of a flow with its nodes and agents in the order of their ids.
func inOrder(f *flow.Flow) []byte {
	f = f.Clone()
	slices.SortFunc(f.Nodes, func(a, b flow.Node) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(f.Agents, func(a, b flow.Agent) int { return cmp.Compare(a.ID, b.ID) })
	return flow.Canonical(f)
}

// raiser finds the steps in a graph.
type raiser struct {
	f    *flow.Flow
	t    *tree.Tree
	done map[string]bool
	err  error // the first thing that steps cannot say
}

// fail says what steps cannot say of a node. Nothing goes on behind it.
func (r *raiser) fail(n *flow.Node, what string) string {
	if r.err == nil {
		r.err = fmt.Errorf("%s (node %s) %s", english.Quoted(n.DisplayName()), n.ID, what)
	}
	return flow.End
}

// Steps gives the step tree of a flow without a check that lowering gives the same flow again.
func Steps(f *flow.Flow) (*tree.Tree, error) {
	if f == nil || len(f.Nodes) == 0 {
		return nil, fmt.Errorf("the flow has no steps")
	}
	if len(f.Foreign()) > 0 || f.Profile != flow.ProfileNative {
		return nil, fmt.Errorf("the flow came from another program")
	}
	r := &raiser{f: f, t: &tree.Tree{Name: f.Name, About: f.Description}, done: map[string]bool{}}
	for _, in := range f.Inputs {
		input := tree.Input{Name: in.Name, Type: in.Type, Optional: !in.Required, About: in.Description, Default: in.Default, Sensitive: in.Sensitive, Enum: jsonschema.Texts(in.Enum)}
		r.t.Inputs = append(r.t.Inputs, input)
	}
	for _, g := range f.Triggers {
		r.t.Triggers = append(r.t.Triggers, lower.TriggerOf(g))
	}
	r.t.Steps, r.t.Last = r.entry(), len(f.Nodes)
	for f.Node(fmt.Sprintf("s%d", r.t.Last+1)) != nil {
		r.t.Last++
	}
	return r.t, r.err
}

// entry raises the steps behind the start, and the limit of the whole run.
func (r *raiser) entry() []tree.Step {
	n := r.f.Node(r.f.Entry)
	spec, ok := n.Spec.(*flow.ParallelSpec)
	if !ok || len(spec.Branches) != 2 || spec.Join.Type != "any" {
		return r.list(r.f.Entry, "")
	}
	limit := r.f.Node(spec.Branches[1].To)
	check := r.f.Node(r.only(n))
	if limit == nil || check == nil || limit.Kind != flow.KindWait || check.Kind != flow.KindDecision || !strings.HasSuffix(check.Spec.(*flow.DecisionSpec).Expr, idiom.Literal(idiom.Late)) {
		return r.list(r.f.Entry, "")
	}
	wait := limit.Spec.(*flow.WaitSpec)
	r.t.Deadline = &tree.Limit{After: durationText(wait.For), Time: wait.Until}
	steps := r.list(spec.Branches[0].To, "")
	if late := check.Routes[0].To; !idiom.Generated(r.f.Node(late)) {
		r.t.Deadline.Steps = r.list(late, r.failed(late, "Too late"))
	}
	return steps
}

// over reports whether nothing that a step says is done at a target.
func (r *raiser) over(to string) bool {
	n := r.f.Node(to)
	return n == nil || idiom.Generated(n) || idiom.EndsWay(n)
}

// only is where the single way of a node leads.
func (r *raiser) only(n *flow.Node) string {
	if len(n.Routes) == 1 && n.Routes[0].Default() {
		return n.Routes[0].To
	}
	return flow.End
}

// list raises the steps from a node up to another one, or to where the way ends.
func (r *raiser) list(from, stop string) (out []tree.Step) {
	for r.err == nil && from != stop && !r.over(from) {
		n := r.f.Node(from)
		if r.done[from] {
			r.err = fmt.Errorf("several ways lead to %s (node %s), which steps cannot say", english.Quoted(n.DisplayName()), from)
			return nil
		}
		r.done[from] = true
		s := tree.Step{ID: n.ID, Text: r.textOf(n)}
		if n.Retry != nil {
			if s.Retry = n.Retry.MaxAttempts; n.Retry.Multiplier == 1 && n.Retry.BackoffMS > 0 {
				s.Pause = durationText(flow.Duration{Clock: time.Duration(n.Retry.BackoffMS) * time.Millisecond})
			}
		}
		from = r.step(n, &s, stop)
		if len(n.OnError) == 1 && n.OnError[0].Default {
			to := n.OnError[0].To
			s.OnError = r.list(to, r.failed(to, "Failed"))
		}
		out = append(out, s)
	}
	return out
}

// failed finds the end that lowering adds where a run fails, and to which a way leads; "" = there is none.
func (r *raiser) failed(from, name string) string {
	for _, id := range r.reach(from) {
		n := r.f.Node(id)
		if s, ok := n.Spec.(*flow.TerminalSpec); ok && s.Outcome == "failed" && n.Name == name {
			return id
		}
	}
	return ""
}

// reach lists what can be reached from a node, itself included, nearest first.
func (r *raiser) reach(from string) []string {
	var out []string
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		n := r.f.Node(todo[0])
		if n == nil || slices.Contains(out, n.ID) {
			continue
		}
		out = append(out, n.ID)
		for _, e := range n.Edges() {
			if e.Kind != flow.EdgeError {
				todo = append(todo, e.To)
			}
		}
	}
	return out
}

// meeting is the nearest node to which more than one of the ways lead, and from which one comes to all others of those; else stop.
func (r *raiser) meeting(ways []string, stop string) string {
	counts := map[string]int{}
	var order []string
	for _, w := range ways {
		if w == stop || r.over(w) {
			continue
		}
		for _, id := range r.reach(w) {
			if counts[id]++; counts[id] == 2 && !r.over(id) {
				order = append(order, id)
			}
		}
	}
	for _, id := range order {
		all := r.reach(id)
		if !slices.ContainsFunc(order, func(o string) bool { return !slices.Contains(all, o) }) {
			return id
		}
	}
	return stop
}
