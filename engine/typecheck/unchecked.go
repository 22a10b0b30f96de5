package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/tool"
)

// Gap is a parameter of a writing step that has the name of a value that was checked or approved before it, and gets something else.
type Gap struct {
	Node    string // the step that writes
	Tool    string
	Param   string // such as amount; a part of an object with dots: json.amount
	Checked string // the reference of the value that was checked, such as look_up.result.amount
	By      string // the decision or gate that did
	Shown   bool   // a gate showed it; otherwise a condition compared it
	Now     string // what the parameter gets: a reference, or the text itself; "" = nothing
	Literal bool   // Now is a text or value that is written out
}

// Unchecked finds the gaps of a flow, in the order of its steps. A parameter gets the checked value also by way of a variable, and a key
// by which a step looked something up is the key of what it found.
func Unchecked(f *flow.Flow, tools []tool.Tool) []Gap {
	c := newChecker(f, World{Tools: tools})
	c.muted++
	return c.unchecked()
}

// How strongly a value was checked.
const (
	partShown = iota // a gate showed an object that holds it
	tested           // it was compared with a literal for equality, as a state is
	named            // the question of a gate names it, or it was compared
)

// check is a value that was looked at.
type check struct {
	ref, written string // canonical, and as the flow writes it
	by           int    // index of the node that looked first
	at           []int  // of all that did
	strength     int
	shown        bool
	number       bool
}

const maxChecks = 32 // values of one name

// checks are the values of a flow that were looked at.
type checks struct {
	*checker
	byName map[string][]check // folded
}

func (c *checker) unchecked() []Gap {
	if c.f.Profile != flow.ProfileNative {
		return nil
	}
	all := checks{c, map[string][]check{}}
	for i := range c.f.Nodes {
		all.looksAt(i)
	}
	if len(all.byName) == 0 {
		return nil
	}
	var gaps []Gap
	for i := range c.f.Nodes {
		s, ok := c.f.Nodes[i].Spec.(*flow.ToolSpec)
		if !ok {
			continue
		}
		if t := c.tools[s.Tool]; t != nil && t.Message == nil && tool.Effects(*t, s.Effects) != flow.EffectsRead {
			w := writing{all, i, t, nil}
			w.params("", s.Params, t.Params)
			gaps = append(gaps, w.gaps...)
		}
	}
	return gaps
}

// looksAt collects what a node compares or shows.
func (c checks) looksAt(i int) {
	n := &c.f.Nodes[i]
	switch s := n.Spec.(type) {
	case *flow.DecisionSpec:
		t, err := c.names.Expression(s.Expr)
		if err == nil && t.Op == expr.TermPath && len(n.Routes) > 0 {
			c.checked(t, check{by: i, strength: tested})
		} else if err == nil {
			c.compares(t, i)
		}
	case *flow.ApprovalSpec:
		terms, _, _ := c.names.Template(s.Message)
		for _, t := range terms {
			eachPath(t, func(t expr.Term) { c.checked(t, check{by: i, strength: named, shown: true}) })
		}
		for _, src := range s.Show {
			if t, err := c.names.Expression(src); err == nil && t.Op == expr.TermPath {
				c.shows(t, i)
			}
		}
	}
	for _, r := range n.Routes {
		if r.If == flow.IfExpr && !r.Default() {
			if t, err := c.names.Expression(r.When); err == nil {
				c.compares(t, i)
			}
		}
	}
}

// shows collects a value that a gate shows, with its fields.
func (c checks) shows(t expr.Term, by int) {
	c.checked(t, check{by: by, strength: named, shown: true})
	s := c.silently(func() shape { return c.path(t, true) })
	for _, name := range s.names() {
		if _, part := s.fields[name]; part && s.schema != nil {
			continue // result, data and so on of a step
		}
		field := t
		field.Path = append(slices.Clone(t.Path), name)
		field.At = append(slices.Clone(t.At), t.Start)
		c.checked(field, check{by: by, strength: partShown, shown: true})
	}
}

// compares collects the paths of comparisons.
func (c checks) compares(t expr.Term, by int) {
	switch t.Op {
	case "==", "!=", "<", "<=", ">", ">=", "in", "contains", "matches":
		strength := named
		if !strings.ContainsAny(t.Op, "<>") && slices.ContainsFunc(t.Args, func(a expr.Term) bool { return a.Op == expr.TermValue || a.Op == expr.TermList }) {
			strength = tested
		}
		eachPath(t, func(t expr.Term) { c.checked(t, check{by: by, strength: strength}) })
		return
	}
	for _, a := range t.Args {
		c.compares(a, by)
	}
}

func eachPath(t expr.Term, do func(expr.Term)) {
	if t.Op == expr.TermPath {
		do(t)
	}
	for _, a := range t.Args {
		eachPath(a, do)
	}
}

// checked notes a value under its name.
func (c checks) checked(t expr.Term, k check) {
	if len(t.Path) < 2 || slices.Contains([]string{"approvals", "error", "run", "event", "secret", "state", "previous", "output"}, t.Path[0]) {
		return
	}
	name := t.Path[len(t.Path)-1]
	if isIndex(name) || slices.Contains([]string{"result", "data", "text"}, name) {
		return
	}
	k.written = written(t.Path)
	k.number = c.silently(func() shape { return c.path(t, true) }).kinds == number
	k.ref = c.identity(t.Path, 0)
	same := c.byName[folded(name)]
	i := slices.IndexFunc(same, func(o check) bool { return o.ref == k.ref && o.strength == k.strength })
	switch {
	case i >= 0:
		same[i].at = append(same[i].at, k.by)
	case len(same) < maxChecks:
		k.at = []int{k.by}
		c.byName[folded(name)] = append(same, k)
	}
}

// canonical writes a path in one way: nodes.look_up.result.amount, look_up.data.amount and look_up.amount are one.
func (c checks) canonical(path []string) []string {
	if len(path) > 1 && path[0] == "nodes" {
		path = path[1:]
	}
	if path[0] == "input" {
		path = append([]string{"inputs"}, path[1:]...)
	}
	if _, node := c.nodes[path[0]]; node && len(path) > 2 && slices.Contains([]string{"result", "data", "output"}, path[1]) {
		path = append([]string{path[0]}, path[2:]...)
	}
	return path
}

const maxIdentity = 8 // variables and look-ups that are followed

// identity names the value behind a path: a variable is what it was set to, and the key of what a step found is the key that it was
// given. An amount that a step gives is its own.
func (c checks) identity(path []string, depth int) string {
	path = c.canonical(path)
	if depth < maxIdentity && len(path) == 2 {
		if path[0] == "vars" && len(c.setters[path[1]]) == 1 {
			if source, ok := c.onlyPath(c.setters[path[1]][0]); ok {
				return c.identity(source, depth+1)
			}
		}
		if n := c.node(path[0]); n != nil {
			s, ok := n.Spec.(*flow.ToolSpec)
			if field, _, _ := c.result(n).field(path[1]); ok && field.kinds&number == 0 {
				if source, ok := c.onlyPath(s.Params[path[1]]); ok {
					return c.identity(source, depth+1)
				}
			}
		}
	}
	return strings.Join(path, ".")
}

// onlyPath is the path that a template is made of, if it is nothing else.
func (c checks) onlyPath(v any) ([]string, bool) {
	text, _ := v.(string)
	if !strings.Contains(text, "{{") {
		return nil, false
	}
	terms, whole, err := c.names.Template(text)
	if err != nil || !whole || terms[0].Op != expr.TermPath {
		return nil, false
	}
	return terms[0].Path, true
}

// writing looks for the gaps of one step.
type writing struct {
	checks
	node int
	tool *tool.Tool
	gaps []Gap
}

// params goes over what a step gives, and what it could give.
func (w *writing) params(prefix string, given, schema map[string]any) {
	props := jsonschema.Properties(schema)
	for _, name := range sorted(given) {
		if inner, ok := given[name].(map[string]any); ok {
			w.params(prefix+name+".", inner, jsonschema.Property(schema, name))
			continue
		}
		w.param(prefix+name, name, given[name], true, props[name])
	}
	for _, name := range sorted(props) {
		if _, ok := given[name]; !ok {
			w.param(prefix+name, name, nil, false, props[name])
		}
	}
}

// param compares one parameter with what was checked under its name.
func (w *writing) param(label, name string, v any, given bool, schema any) {
	all := w.byName[folded(name)]
	if len(all) == 0 {
		return
	}
	if s, ok := schema.(map[string]any); ok {
		if means, _ := meaningOf(w.tool, label, s); means != "" {
			return
		}
	}
	refs, literal := w.refs(v)
	var found *check
	at := 0
	for i := range all {
		k := &all[i]
		by := w.lookedBefore(k)
		if by < 0 {
			continue
		}
		if slices.Contains(refs, k.ref) {
			return
		}
		weak := k.strength == partShown && !k.number || k.strength == tested && given
		if weak && (literal || !given) {
			continue
		}
		if found == nil || k.strength >= found.strength {
			found, at = k, by
		}
	}
	if found == nil {
		return
	}
	w.gaps = append(w.gaps, Gap{
		Node: w.f.Nodes[w.node].ID, Tool: w.tool.Name, Param: label, Checked: found.written, By: w.f.Nodes[at].ID, Shown: found.shown,
		Now: w.now(v, given), Literal: given && literal,
	})
}

// lookedBefore gives the last node that looked at a value before the step, or -1.
func (w *writing) lookedBefore(k *check) int {
	for _, by := range slices.Backward(k.at) {
		if may, _ := w.order.before(by, w.node, false); may && by != w.node {
			return by
		}
	}
	return -1
}

// refs names the values that a parameter is made of; without any it is a literal.
func (w *writing) refs(v any) (refs []string, literal bool) {
	text, ok := v.(string)
	if !ok || !strings.Contains(text, "{{") {
		return nil, true
	}
	terms, _, err := w.names.Template(text)
	if err != nil {
		return nil, true
	}
	for _, t := range terms {
		eachPath(t, func(t expr.Term) { refs = append(refs, w.identity(t.Path, 0)) })
	}
	return refs, len(refs) == 0
}

// now says what a parameter gets.
func (w *writing) now(v any, given bool) string {
	if path, ok := w.onlyPath(v); ok {
		return written(path)
	}
	if !given {
		return ""
	}
	return expr.Text(v)
}

// reportGaps warns about the gaps of a flow.
func (c *checker) reportGaps() {
	for _, g := range c.unchecked() {
		i := c.nodes[g.Node]
		at := place{path: fmt.Sprintf("flow.nodes[%d]", i), node: g.Node, on: fmt.Sprintf(" on flow node '%s'", g.Node)}.in("params")
		gets := fmt.Sprintf("'%s' is not given", g.Param)
		if g.Now != "" {
			at = at.in(g.Param)
			gets = fmt.Sprintf("'%s' gets '%s'", g.Param, shorten(g.Now))
		}
		was := "compared"
		if g.Shown {
			was = "shown"
		}
		c.warn(at, -1, "unchecked-value", fmt.Sprintf("'%s' was %s at '%s', and %s", g.Checked, was, g.By, gets),
			fmt.Sprintf(`to use what was checked write %s: "{{%s}}"`, g.Param, g.Checked))
	}
}

// folded is a name without case and separators, so that orderId and order_id are one.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}
