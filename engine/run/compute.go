package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// ErrorOpaque is the type of the error of a node that nothing here can run.
const ErrorOpaque = "UnsupportedError"

// compute makes a value on a token's way.
func (m *machine) compute(n *node, t Token) {
	sc := &scope{m: m, t: t}
	v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.paramsFor(t).Render(sc, m.options(t)) })
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	m.keep(t, &StepFinished{Output: m.veil(n, t, computed(v)), Aside: true})
	m.leave(t.ID)
}

// computed is an output made of a value: an object has no text besides, which would hide a field of that name.
func computed(v any) Output {
	out := valueOutput(v)
	if _, isObject := normal(v).(map[string]any); isObject {
		out.Text = ""
	}
	return out
}

// veil leaves sensitive inputs out of the text of an output that is made of a node's parameters: that is what people see. Other nodes
// read the value itself.
func (m *machine) veil(n *node, t Token, out Output) Output {
	if out.Text == "" || !slices.Contains(slices.Collect(maps.Values(m.p.sensitive)), true) {
		return out
	}
	v, nerr := m.evaluate(t, n.ahead0, func() (any, error) {
		return n.paramsFor(t).Render(&scope{m: m, t: t, mask: true}, m.options(t))
	})
	if shown := valueOutput(v); nerr == nil && shown.Text != out.Text {
		if len(out.Data) == 0 {
			out.Data = json.RawMessage(expr.JSON(out.Text))
		}
		out.Text = shown.Text
	}
	return out
}

// opaque stops a token at a node of another program.
func (m *machine) opaque(n *node, t Token, spec *flow.OpaqueSpec) {
	what := spec.Reason
	if what == "" {
		what = "it is of the kind " + spec.Type
	}
	m.fail(t.ID, NodeError{
		Node: t.Node, Type: ErrorOpaque, Permanent: true,
		Message: fmt.Sprintf("%q came with an imported flow and cannot be run here: %s. Go on with a value in its place, or change the flow.", n.DisplayName(), what),
	})
}

// entry is where a run begins. What it gives is made when it is read, so that no input is stored twice.
func (m *machine) entry(n *node, t Token, spec *flow.EntrySpec) {
	if len(spec.Vars) > 0 {
		sc := &scope{m: m, t: t}
		v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return sc.given(n) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		given, vars := normalMap(asMap(v)), map[string]any{}
		for _, name := range spec.Vars {
			vars[name] = given[name]
		}
		if !m.writeVars(t, vars) {
			return
		}
	}
	m.leave(t.ID)
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// begins gives the node that a start names, or the flow's entry.
func (p *Program) begins(entry string) (string, error) {
	if entry == "" {
		return p.flow.Entry, nil
	}
	n := p.nodes[entry]
	if n == nil || n.Kind != flow.KindEntry && entry != p.flow.Entry {
		return "", fmt.Errorf("flow %s has no entry %q; runs begin at %s", p.flow.Name, entry, strings.Join(p.Entries(), ", "))
	}
	return entry, nil
}

// Entries lists the nodes where runs can begin, the flow's entry first.
func (p *Program) Entries() []string {
	all := []string{p.flow.Entry}
	for i := range p.flow.Nodes {
		if n := &p.flow.Nodes[i]; n.Kind == flow.KindEntry && n.ID != p.flow.Entry {
			all = append(all, n.ID)
		}
	}
	return all
}

// pulled reports whether a node's value is made when it is read.
func (n *node) pulled() bool {
	switch s := n.Spec.(type) {
	case *flow.ComputeSpec:
		return s.Pull
	case *flow.EntrySpec:
		return true
	}
	return false
}

// pullAll adds to what every node reads what the values read that are made on the way.
func (p *Program) pullAll() {
	whole := map[string]paths{}
	for id, n := range p.nodes {
		if n.pulled() {
			all := paths{}
			p.pull(&all, n, map[string]bool{})
			whole[id] = all
		}
	}
	for _, n := range p.nodes {
		for _, into := range []*paths{&n.enter, &n.leave} {
			for id, all := range whole {
				if into.every || slices.Contains(into.nodes, id) {
					into.add(all)
				}
			}
		}
	}
}

func (p *Program) pull(into *paths, n *node, seen map[string]bool) {
	if seen[n.ID] {
		return
	}
	seen[n.ID] = true
	into.add(n.enter)
	for _, id := range n.enter.nodes {
		if next := p.nodes[id]; next != nil && next.pulled() {
			p.pull(into, next, seen)
		}
	}
}

// pulls are the values that were made while one expression is evaluated, so that each is made once.
type pulls struct {
	values map[string]any
	open   []string // values that are being made
}

// pulled makes the value of a node. What is wrong with it is the error of whoever reads it.
func (sc *scope) pulled(n *node) any {
	if sc.pulls == nil {
		sc.pulls = &pulls{values: map[string]any{}}
	}
	key := fmt.Sprint(n.ID, sc.mask)
	if v, made := sc.pulls.values[key]; made {
		return v
	}
	if slices.Contains(sc.pulls.open, n.ID) {
		sc.m.pullError(fmt.Errorf("the value of %q needs itself: %s", n.ID, strings.Join(append(sc.pulls.open, n.ID), " -> ")))
		return nil
	}
	sc.pulls.open = append(sc.pulls.open, n.ID)
	v, err := sc.given(n)
	sc.pulls.open = sc.pulls.open[:len(sc.pulls.open)-1]
	if err != nil {
		sc.m.pullError(fmt.Errorf("the value of %q: %w", n.ID, err))
		return nil
	}
	value := &outputValue{m: sc.m, seq: sc.m.nextPulled(), kind: n.Kind}
	value.out = computed(v)
	if len(value.out.Data) == 0 && value.out.Text == "" && v != "" {
		sc.pulls.values[key] = nil
		return nil
	}
	sc.pulls.values[key] = value
	return value
}

// given evaluates what a pulled node gives.
func (sc *scope) given(n *node) (any, error) {
	if spec, ok := n.Spec.(*flow.EntrySpec); ok {
		begun, err := sc.m.p.begins(sc.m.start().Entry)
		if err != nil || begun != n.ID {
			return nil, err
		}
		if spec.Outputs == nil {
			return sc.inputs(), nil
		}
	}
	if n.broken != nil {
		return nil, n.broken
	}
	own := *sc
	own.secrets, own.own = false, ""
	v, err := n.params.Render(&own, sc.m.options(sc.t))
	if v == nil {
		return nil, err
	}
	return decode(json.RawMessage(expr.JSON(expr.Redacted(v)))), err
}

// pullError notes what was wrong with a value; the first one counts.
func (m *machine) pullError(err error) {
	if m.pullFailed == nil {
		m.pullFailed = err
	}
}

// nextPulled is a key under which a value that is no fact is decoded once.
func (m *machine) nextPulled() int64 {
	m.pulledSeq--
	return m.pulledSeq
}
