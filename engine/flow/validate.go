package flow

import (
	"fmt"
	"slices"
	"strings"
)

// Checks are what a flow's validity depends on outside the document. A nil member skips its check. None may block for
// long: they are called once per name or text.
type Checks struct {
	// Tool says whether a tool exists, and if not, which names are nearest.
	Tool func(name string) (known bool, nearest []string)
	// Flow says the same of other flows.
	Flow func(name string) (known bool, nearest []string)
	// Expression checks the syntax of an expression. ids are all node ids of the flow. Without ok, offset is the byte
	// in src that the message is about.
	Expression func(src string, ids []string) (offset int, message, hint string, ok bool)
	// Template does the same for text with {{ }}.
	Template func(src string, ids []string) (offset int, message, hint string, ok bool)
	// Literal says whether the "when" of a decision's route is compared as it stands; only another one is checked as an
	// expression.
	Literal func(when string) bool
	// Cron checks the fields of a schedule, Timezone an IANA zone.
	Cron     func(fields string) error
	Timezone func(name string) error
	// Schema checks a JSON Schema.
	Schema func(schema map[string]any) error
}

// Validate checks what the parts of the flow say about each other: targets, agents, tools, reachability, cycles,
// expressions. What Parse reported is not repeated.
func (d *Document) Validate(c Checks) Problems {
	if d.broken {
		return nil
	}
	return validate(d.Flow, d, c)
}

// Validate checks a flow that was not read from a file: problems have a path, but no line.
func Validate(f *Flow, c Checks) Problems {
	f = f.Clone()
	fillDefaults(f)
	return validate(f, nil, c)
}

func validate(f *Flow, d *Document, c Checks) Problems {
	v := &validator{f: f, doc: d, checks: c, graph: newGraph(f)}
	for i := range f.Nodes {
		v.ids = append(v.ids, f.Nodes[i].ID)
	}
	v.header()
	v.rules()
	v.inputs()
	v.triggers()
	v.agents()
	for i := range f.Nodes {
		v.node(i)
	}
	v.reach()
	return v.problems.sorted()
}

// validator collects what one call of Validate finds.
type validator struct {
	f        *Flow
	doc      *Document // nil for a flow without a file
	checks   Checks
	graph    *graph
	ids      []string
	problems Problems
}

// at is a part of the flow: its path, the words for it, and the node it belongs to.
type at struct {
	path string
	on   string // " on flow node 'gate'", appended to messages
	node string
}

func (a at) in(key string) at {
	a.path = join(a.path, key)
	return a
}

func (a at) item(key string, i int) at { return a.in(fmt.Sprintf("%s[%d]", key, i)) }

func (v *validator) error(a at, code, message, hint string) {
	v.report(a, -1, SeverityError, code, message, hint)
}

func (v *validator) warn(a at, code, message, hint string) {
	v.report(a, -1, SeverityWarning, code, message, hint)
}

// report adds a problem unless Parse has one for the same place. offset is a byte inside the text at the path, or -1.
func (v *validator) report(a at, offset int, severity Severity, code, message, hint string) {
	if len(v.problems) >= maxProblems {
		return
	}
	p := Problem{Severity: severity, Code: code, Message: message, Hint: hint}
	if v.doc != nil {
		for path := a.path; path != ""; path = parent(path) {
			if v.doc.flagged[path] {
				return
			}
		}
		p = v.doc.src.problem(v.doc.placeOf(a.path, offset), severity, code, message, hint)
	}
	p.Node, p.Path = a.node, a.path
	v.problems = append(v.problems, p)
}

// intact reports whether Parse found nothing wrong inside a part, so that the part as a whole can be judged.
func (v *validator) intact(a at) bool {
	if v.doc == nil {
		return true
	}
	for path := range v.doc.flagged {
		if strings.HasPrefix(path, a.path+".") || strings.HasPrefix(path, a.path+"[") {
			return false
		}
	}
	return true
}

// parent is the path without its last key or index.
func parent(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// placeOf finds where a path stands; of a part that is not written, where the nearest part around it stands.
func (d *Document) placeOf(path string, offset int) place {
	if val := d.places[path]; val != nil && offset >= 0 {
		return d.src.inside(val, offset)
	}
	for ; path != ""; path = parent(path) {
		if val := d.places[path]; val != nil {
			return val.at
		}
	}
	return place{1, 1}
}

func (v *validator) nonNegative(a at, name string, n float64) {
	if n < 0 {
		v.error(a, "out-of-range", fmt.Sprintf("'%s' must not be negative%s", name, a.on), "")
	}
}

// required reports text that is empty. A missing key was reported by Parse.
func (v *validator) required(a at, name, text string) bool {
	if strings.TrimSpace(text) == "" {
		v.error(a, "empty", fmt.Sprintf("'%s' must not be empty%s", name, a.on), "")
		return false
	}
	return true
}

// header checks name, run, limits and entry.
func (v *validator) header() {
	f := v.f
	if f.Name != Slug(f.Name) || f.Name == "" {
		a := at{path: "name"}
		hint := "use lower-case letters, digits and hyphens"
		if s := Slug(f.Name); s != "" {
			hint += ", such as " + s
		}
		v.error(a, "bad-name", fmt.Sprintf("'%s' is not a name of a flow", f.Name), hint)
	}
	v.startTemplate(at{path: "run.title", on: " in run"}, f.Run.Title)
	v.startTemplate(at{path: "run.key", on: " in run"}, f.Run.Key)
	if f.Run.Key == "" && (!f.Run.Within.IsZero() || f.Run.OnDuplicate != "") {
		v.warn(at{path: "run"}, "no-key", "run says what happens to duplicates, but has no key", "write for example key: \"{{inputs.order_id}}\"")
	}
	v.nonNegative(at{path: "limits.steps"}, "limits.steps", float64(f.Limits.Steps))
	v.nonNegative(at{path: "limits.items"}, "limits.items", float64(f.Limits.Items))
	v.nonNegative(at{path: "limits.depth"}, "limits.depth", float64(f.Limits.Depth))
	v.nonNegative(at{path: "budget.usd_per_month"}, "budget.usd_per_month", f.Budget.USDPerMonth)
	v.nonNegative(at{path: "flow.max_iterations"}, "max_iterations", float64(f.MaxVisits))
	if len(f.Nodes) == 0 {
		v.error(at{path: "flow.nodes"}, "no-nodes", "a flow needs at least one node", "")
	}
	if len(f.Nodes) > MaxNodes {
		v.error(at{path: "flow.nodes"}, "too-large", fmt.Sprintf("a flow may have %d nodes; this one has %d", MaxNodes, len(f.Nodes)), "move parts into subflows")
	}
	if a := (at{path: "flow.entry"}); v.required(a, "entry", f.Entry) && len(f.Nodes) > 0 {
		if _, ok := v.graph.index[f.Entry]; !ok {
			v.error(a, "unknown-entry", fmt.Sprintf("entry '%s' is not a node of the flow", f.Entry), didYouMean(nearest(f.Entry, v.ids)))
		}
	}
	v.onLimit()
}

func (v *validator) onLimit() {
	limit, a := v.f.OnLimit, at{path: "flow.on_limit", on: " in on_limit"}
	switch {
	case !v.intact(a):
	case limit.Action == LimitHandoff && limit.To == "":
		v.error(a, "missing-key", "on_limit has action handoff, but no node to hand over to", "write for example on_limit: {action: handoff, to: help}")
	case limit.Action != LimitHandoff && limit.To != "":
		v.error(a.in("to"), "out-of-place", "'to' in on_limit is only for action handoff", "")
	case limit.To != "":
		v.target(a.in("to"), limit.To, "in on_limit")
	}
}

// target reports a target that is neither a node nor end.
func (v *validator) target(a at, to, on string) {
	if to == End || len(v.problems) >= maxProblems {
		return
	}
	if _, ok := v.graph.index[to]; ok {
		return
	}
	v.error(a, "unknown-target", fmt.Sprintf("unknown target '%s' %s", to, on), didYouMean(nearest(to, append(slices.Clone(v.ids), End))))
}

// reach checks that every node can be reached and that cycles are capped. Where edges could not be read, silence is
// better than blaming the nodes behind them.
func (v *validator) reach() {
	entry, ok := v.graph.index[v.f.Entry]
	if !ok {
		return
	}
	roots := append([]int{entry}, v.beginnings()...)
	if to, ok := v.graph.index[v.f.OnLimit.To]; ok && v.f.OnLimit.Action == LimitHandoff {
		roots = append(roots, to)
	}
	seen := v.graph.reachable(v.withSubagents(roots)...)
	v.orphans(seen)
	if v.f.MaxVisits != 0 || v.f.Profile != ProfileNative { // other formats have cycles without a cap; the run has a ceiling
		return
	}
	for _, root := range roots {
		if loop := v.graph.cycle(root); loop != nil {
			v.cycle(loop)
			return
		}
	}
}

// withSubagents adds the nodes that are called and not routed to.
func (v *validator) withSubagents(roots []int) []int {
	roots = slices.Clone(roots)
	for id := range v.f.subagentNodes() {
		if k, ok := v.graph.index[id]; ok {
			roots = append(roots, k)
		}
	}
	return roots
}

// orphans reports nodes that no path leads to. Documents of other formats may have them.
func (v *validator) orphans(seen []bool) {
	if v.doc != nil {
		for i := range v.doc.uncertain {
			if i < len(seen) && seen[i] {
				return
			}
		}
	}
	for i, reached := range seen {
		id := v.f.Nodes[i].ID
		if reached || id == "" || v.graph.index[id] != i {
			continue
		}
		a := at{path: fmt.Sprintf("flow.nodes[%d].id", i), node: id}
		report := v.error
		if v.f.Profile != ProfileNative {
			report = v.warn
		}
		report(a, "unreachable", fmt.Sprintf("flow node '%s' is not reachable from entry '%s'", id, v.f.Entry),
			"add a route to it, or remove it")
	}
}

func (v *validator) cycle(loop []int) {
	names := make([]string, 0, len(loop)+1)
	for _, i := range append(loop, loop[0]) {
		names = append(names, v.f.Nodes[i].ID)
	}
	if len(names) > 12 {
		names = append(append(names[:8:8], "..."), names[len(names)-2:]...)
	}
	last := &v.f.Nodes[loop[len(loop)-1]]
	a := at{path: fmt.Sprintf("flow.nodes[%d]", loop[len(loop)-1]), node: last.ID}
	for _, e := range last.Edges() {
		if e.To == v.f.Nodes[loop[0]].ID {
			a.path = edgePath(a.path, e)
			break
		}
	}
	v.error(a, "cycle-without-cap", "flow has cycles but max_iterations=0",
		strings.Join(names, "->")+"; set max_iterations to the most node visits of a run, such as 100")
}

// edgePath is the path of an edge's target.
func edgePath(node string, e Edge) string {
	switch e.Kind {
	case EdgeRoute:
		return fmt.Sprintf("%s.routes[%d].to", node, e.Index)
	case EdgeError:
		return fmt.Sprintf("%s.on_error[%d].to", node, e.Index)
	case EdgeBranch:
		return fmt.Sprintf("%s.branches[%d].to", node, e.Index)
	default:
		return node + ".body"
	}
}
