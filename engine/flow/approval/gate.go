package approval

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

// maxGuards limits how many pairs of gate and effect are compared. Above it every gate counts as weakened.
const maxGuards = 500

// weakerGates compares the approvals of two flows: those that were removed, those that ask fewer or other people, and those
// that can be bypassed now and could not before.
func weakerGates(old, now *flow.Flow, tool ToolFacts) []Allowance {
	var out []Allowance
	var kept []string
	for i := range old.Nodes {
		gate, ok := old.Nodes[i].Spec.(*flow.ApprovalSpec)
		if !ok {
			continue
		}
		id := old.Nodes[i].ID
		var is *flow.ApprovalSpec
		if n := now.Node(id); n != nil {
			is, _ = n.Spec.(*flow.ApprovalSpec)
		}
		if is == nil {
			out = append(out, Allowance{Kind: AllowsGateRemoved, Node: id, Words: fmt.Sprintf("the gate '%s' is gone", id)})
			continue
		}
		kept = append(kept, id)
		for _, words := range weakerGate(gate, is) {
			out = append(out, Allowance{Kind: AllowsGateWeakened, Node: id, Words: fmt.Sprintf("the gate '%s' %s", id, words)})
		}
	}
	return append(out, newGuards(old, now, tool).compare(kept)...)
}

// weakerGate describes how the settings of a gate became weaker.
func weakerGate(was, is *flow.ApprovalSpec) []string {
	out := is.Who.Weaker(was.Who)
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if is.Who != nil && is.Who.Quorum > 1 && len(missingFrom(vetoes(is), vetoes(was))) > 0 {
		add("may no longer be stopped by one vote for %s", naming.Quoted(missingFrom(vetoes(is), vetoes(was)), "or"))
	}
	if gone := missingFrom(is.Show, was.Show); len(gone) > 0 {
		add("no longer shows %s", naming.Quoted(gone, "and"))
	}
	if words := weakerDeadline(was.Deadline, is.Deadline); words != "" {
		add("%s", words)
	}
	return out
}

// missingFrom lists what of all is not in some.
func missingFrom(some, all []string) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(some, s) {
			out = append(out, s)
		}
	}
	return out
}

func vetoes(s *flow.ApprovalSpec) []string {
	if s.Veto != nil || len(s.Choices) == 0 {
		return s.Veto
	}
	return s.Choices[1:]
}

func weakerDeadline(was, is *flow.Deadline) string {
	if is == nil {
		return ""
	}
	before := flow.Deadline{}
	if was != nil {
		before = *was
	}
	if is.Escalate != nil && (before.Escalate == nil || before.Escalate.To != is.Escalate.To) {
		return "may also be decided by " + is.Escalate.To + " after " + is.Escalate.After.String()
	}
	switch {
	case is.Until != "" && is.Until != before.Until:
		return "now times out at " + is.Until
	case is.After.IsZero() || is.After == before.After || is.After.Longer(before.After):
		return ""
	case before.After.IsZero():
		return "now times out after " + is.After.String()
	default:
		return fmt.Sprintf("times out after %s instead of %s", is.After, before.After)
	}
}

// guards compares which effects can be reached without passing which gates.
type guards struct {
	old, now   *reach
	effects    []string // in both flows
	allowances []Allowance
	said       map[string]bool // gate and effect, and sentences, that were reported
}

func newGuards(old, now *flow.Flow, tool ToolFacts) *guards {
	g := &guards{old: newReach(old, tool), now: newReach(now, tool), said: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(g.old.effects)) {
		if len(g.now.effects[name]) > 0 {
			g.effects = append(g.effects, name)
		}
	}
	return g
}

func (g *guards) compare(gates []string) []Allowance {
	for _, gate := range gates {
		if len(gates)*len(g.effects) > maxGuards {
			g.weakened(gate, "", fmt.Sprintf("the ways around the gate '%s' are too many to compare", gate))
			continue
		}
		for _, effect := range g.effects {
			g.around(gate, effect)
		}
		g.answers(gate)
	}
	return g.allowances
}

// weakened reports a gate, once per effect and once per sentence, because one condition often leads to several effects.
func (g *guards) weakened(gate, effect, words string) {
	if g.said[gate+"\x00"+effect] || g.said[words] {
		return
	}
	g.said[gate+"\x00"+effect], g.said[words] = true, true
	g.allowances = append(g.allowances, Allowance{Kind: AllowsGateWeakened, Node: gate, Words: words})
}

// around finds paths to an effect that bypass a gate, from the start and from every node of both flows.
func (g *guards) around(gate, effect string) {
	was, is := g.old.avoiding(gate, effect), g.now.avoiding(gate, effect)
	leads := g.old.avoiding("", effect)
	if leads.start && !was.start && is.start {
		g.weakened(gate, effect, fmt.Sprintf("%s can be reached without the gate '%s'", effect, gate))
		return
	}
	for i := range g.old.flow.Nodes {
		before := &g.old.flow.Nodes[i]
		if before.ID == gate || !leads.nodes[i] {
			continue
		}
		conditions := g.old.conditions(before, was, leads)
		threshold := was.nodes[i] && guarded(conditions)
		if threshold && is.start && !g.old.avoiding(before.ID, effect).start && g.now.avoiding(before.ID, effect).start {
			g.weakened(gate, effect, fmt.Sprintf("%s can be reached without the condition '%s' before the gate '%s'", effect, before.ID, gate))
			continue
		}
		k, ok := g.now.Index[before.ID]
		switch {
		case !ok || !is.nodes[k]:
		case !was.nodes[i]:
			g.weakened(gate, effect, fmt.Sprintf("%s can be reached without the gate '%s' after '%s'", effect, gate, before.ID))
		case threshold:
			b := g.now.conditions(&g.now.flow.Nodes[k], is, g.now.avoiding("", effect))
			if !slices.Equal(conditions, b) && !stricter(conditions, b) {
				g.weakened(gate, effect, fmt.Sprintf("the condition before the gate '%s' changed at '%s': %s", gate, before.ID, conditionChange(conditions, b)))
			}
		}
	}
}

// answers compares what each answer at a gate leads to.
func (g *guards) answers(gate string) {
	before, after := g.old.flow.Node(gate), g.now.flow.Node(gate)
	choices := append(slices.Clone(after.Spec.(*flow.ApprovalSpec).Choices), flow.ChoiceTimeout)
	for _, choice := range choices {
		had := g.old.effectsFrom(answerTarget(before, choice))
		var more []string
		for _, effect := range g.now.effectsFrom(answerTarget(after, choice)) {
			if !slices.Contains(had, effect) && slices.Contains(g.effects, effect) {
				more = append(more, effect)
			}
		}
		if len(more) > 0 {
			g.weakened(gate, "answer "+choice, fmt.Sprintf("after '%s' at the gate '%s' the run goes on to %s", choice, gate, naming.List(more, "and")))
		}
	}
}

// answerTarget gives the target of a choice, or "" if the choice has none or its conditions do not show it. A default never takes a timeout.
func answerTarget(n *flow.Node, choice string) string {
	for _, r := range n.Routes {
		if r.Default() {
			if choice == flow.ChoiceTimeout {
				continue
			}
			return r.To
		}
		if slices.Contains(r.Choices(n.ID), choice) {
			return r.To
		}
	}
	return ""
}

// reach holds the nodes of one flow that lead to each effect.
type reach struct {
	*flow.Graph
	flow    *flow.Flow
	into    [][]int // the graph backwards
	effects map[string][]int
	cache   map[string]leading
}

// leading marks the nodes, and the start, that can lead to an effect.
type leading struct {
	nodes []bool
	start bool
}

func newReach(f *flow.Flow, tool ToolFacts) *reach {
	r := &reach{Graph: flow.NewGraph(f), flow: f, effects: effectNodes(f, tool), cache: map[string]leading{}}
	r.into = make([][]int, len(f.Nodes))
	for from, targets := range r.Out {
		for _, to := range targets {
			r.into[to] = append(r.into[to], from)
		}
	}
	return r
}

// avoiding marks the nodes that can lead to an effect without passing the gate; without a gate, by any path.
func (r *reach) avoiding(gate, effect string) leading {
	key := gate + "\x00" + effect
	if l, ok := r.cache[key]; ok {
		return l
	}
	seen := make([]bool, len(r.into))
	stack := slices.Clone(r.effects[effect])
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] || r.flow.Nodes[n].ID == gate {
			continue
		}
		seen[n] = true
		stack = append(stack, r.into[n]...)
	}
	entry, ok := r.Index[r.flow.Entry]
	l := leading{seen, ok && seen[entry]}
	r.cache[key] = l
	return l
}

// effectsFrom lists the effects that a target can lead to, sorted.
func (r *reach) effectsFrom(target string) []string {
	i, ok := r.Index[target]
	if !ok {
		return nil
	}
	var out []string
	for _, effect := range slices.Sorted(maps.Keys(r.effects)) {
		if r.avoiding("", effect).nodes[i] {
			out = append(out, effect)
		}
	}
	return out
}

// condition is an edge from a node, with its meaning for a gate.
type condition struct {
	expr, when string
	guarded    bool // leads to the effect, but only through the gate
	around     bool // leads to the effect past the gate
}

// conditions lists the edges from a node with their meaning for a gate.
func (r *reach) conditions(n *flow.Node, around, leads leading) []condition {
	expr := ""
	if s, ok := n.Spec.(*flow.DecisionSpec); ok {
		expr = s.Expr
	}
	var out []condition
	for _, e := range n.Edges() {
		when, _ := conditionOf(n, e)
		c := condition{expr: expr, when: string(e.Kind) + " " + when}
		if e.Kind == flow.EdgeRoute {
			c.when = when
		}
		if to, ok := r.Index[e.To]; ok {
			c.around = around.nodes[to]
			c.guarded = leads.nodes[to] && !c.around
		}
		out = append(out, c)
	}
	return out
}

func guarded(conditions []condition) bool {
	return slices.ContainsFunc(conditions, func(c condition) bool { return c.guarded })
}

// stricter reports whether the new conditions send every case to the gate that the old ones sent there. It is true only if just
// bounds changed, and each to the safe side.
func stricter(was, is []condition) bool {
	if len(was) != len(is) {
		return false
	}
	for i := range was {
		a, b := was[i], is[i]
		if a == b {
			continue
		}
		if a.guarded != b.guarded || a.around != b.around || (a.expr != b.expr && a.when != b.when) {
			return false
		}
		toGate := a.guarded
		x, y := a.when, b.when
		if a.expr != b.expr {
			x, y = a.expr, b.expr
			switch literal := strings.TrimSpace(a.when); literal {
			case "true":
			case "false", "": // a default is the other side of true
				toGate = !toGate
				if literal == "" && slices.ContainsFunc(was, func(c condition) bool { return c.when == "false" }) {
					return false
				}
			default:
				return false
			}
		}
		if (a.guarded || a.around) && !safer(x, y, toGate) {
			return false
		}
	}
	return true
}

// safer compares two bounds on the same value: an edge to the gate may take more values, an edge past it fewer.
func safer(was, is string, toGate bool) bool {
	a, okA := flow.ParseComparison(was)
	b, okB := flow.ParseComparison(is)
	if !okA || !okB || a.Path != b.Path || a.Op != b.Op {
		return false
	}
	x, errX := strconv.ParseFloat(a.Value, 64)
	y, errY := strconv.ParseFloat(b.Value, 64)
	if errX != nil || errY != nil {
		return false
	}
	switch a.Op {
	case ">", ">=":
		return toGate == (y <= x)
	case "<", "<=":
		return toGate == (y >= x)
	default:
		return false
	}
}

// conditionChange shows the first condition that differs.
func conditionChange(was, is []condition) string {
	show := func(c condition) string {
		switch {
		case c.expr != "" && (c.when == "true" || c.when == "false" || c.when == ""):
			return c.expr
		case c.when == "":
			return "otherwise"
		default:
			return c.when
		}
	}
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] && show(was[i]) != show(is[i]) {
			return show(was[i]) + " is now " + show(is[i])
		}
	}
	return "other ways lead past it"
}

// conditionOf gives the condition and the label of one of the node's edges.
func conditionOf(n *flow.Node, e flow.Edge) (condition, label string) {
	switch e.Kind {
	case flow.EdgeRoute:
		return routeCondition(n.Routes[e.Index]), n.Routes[e.Index].Label
	case flow.EdgeError:
		r := n.OnError[e.Index]
		if r.Default {
			return "default", ""
		}
		return r.Match, ""
	case flow.EdgeBranch:
		return "", n.Branches()[e.Index].Label
	default:
		return "", ""
	}
}

// routeCondition gives the condition of the route as one text.
func routeCondition(r flow.Route) string {
	words := r.When
	if r.If != flow.IfExpr {
		words = r.ConditionWords()
	}
	if r.Priority != 0 {
		words = strings.TrimSpace(fmt.Sprintf("%s (priority %d)", words, r.Priority))
	}
	return words
}
