package validate

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/reference"
	"sluice/engine/naming"
)

// Read checks a flow that was read from a file: targets, agents, tools, reachability,
// cycles, expressions. Problems that the reader reported are not repeated.
func Read(f *flow.Flow, from *flow.Origin, c flow.Checks) flow.Problems {
	v := &validator{Checker: flow.NewChecker(f, from, c), uncertain: map[int]bool{}}
	if from != nil {
		v.uncertain = from.Uncertain
	}
	scripts(v.Checker)
	v.header()
	v.Ceilings()
	prices(v.Checker)
	unlisted(v.Checker)
	v.rules()
	v.inputs()
	v.triggers()
	v.agents()
	for i := range f.Nodes {
		v.node(i)
	}
	v.reach()
	v.world()
	v.targets.otherPlaces(v.Problems)
	return v.Problems.Sorted()
}

// world runs the check of names outside the flow. If edges could not be read or have no target, warnings are left out, because a missing
// path may cause them.
func (v *validator) world() {
	if v.Checks.World == nil {
		return
	}
	certain := len(v.targets.dangling) == 0 && len(v.uncertain) == 0
	v.Checks.World(v.Flow, func(p flow.Problem, offset int) {
		if certain || p.Severity == flow.SeverityError {
			v.Report(flow.At{Path: p.Path, Node: p.Node, Name: p.About}, offset, p.Severity, p.Code, p.Message, p.Hint)
		}
	})
}

// Flow checks a flow that was not read from a file: problems have a path, but no line.
func Flow(f *flow.Flow, c flow.Checks) flow.Problems { return Read(f.WithDefaults(), nil, c) }

// validator checks one flow.
type validator struct {
	*flow.Checker
	targets   targets
	uncertain map[int]bool // nodes whose edges could not be read in full
}

// header checks name, run, limits and entry.
func (v *validator) header() {
	f := v.Flow
	if f.Name != flow.Slug(f.Name) || f.Name == "" {
		a := flow.At{Path: "name"}
		hint := "use lower-case letters, digits and hyphens"
		if s := flow.Slug(f.Name); s != "" {
			hint += ", such as " + s
		}
		v.Error(a, "bad-name", fmt.Sprintf("'%s' is not a name of a flow", f.Name), hint)
	}
	v.startTemplate(flow.At{Path: "run.title", On: " in run"}, f.Run.Title)
	v.startTemplate(flow.At{Path: "run.key", On: " in run"}, f.Run.Key)
	if f.Run.Key == "" && (!f.Run.Within.IsZero() || f.Run.OnDuplicate != "") {
		v.Warn(flow.At{Path: "run"}, "no-key", "run says what happens to duplicates, but has no key", "write for example key: \"{{inputs.order_id}}\"")
	}
	v.NonNegative(flow.At{Path: "limits.steps"}, "limits.steps", float64(f.Limits.Steps))
	v.NonNegative(flow.At{Path: "limits.items"}, "limits.items", float64(f.Limits.Items))
	v.NonNegative(flow.At{Path: "limits.depth"}, "limits.depth", float64(f.Limits.Depth))
	v.NonNegative(flow.At{Path: "budget.usd_per_month"}, "budget.usd_per_month", f.Budget.USDPerMonth)
	v.NonNegative(flow.At{Path: "flow.max_iterations"}, "max_iterations", float64(f.MaxVisits))
	if len(f.Nodes) == 0 {
		v.Error(flow.At{Path: "flow.nodes"}, "no-nodes", "a flow needs at least one node", "")
	}
	if len(f.Nodes) > flow.MaxNodes {
		v.Error(flow.At{Path: "flow.nodes"}, "too-large", fmt.Sprintf("a flow may have %d nodes; this one has %d", flow.MaxNodes, len(f.Nodes)), "move parts into subflows")
	}
	if a := (flow.At{Path: "flow.entry"}); v.Required(a, "entry", f.Entry) && len(f.Nodes) > 0 {
		if _, ok := v.Graph.Index[f.Entry]; !ok {
			v.Error(a, "unknown-entry", fmt.Sprintf("entry '%s' is not a node of the flow", f.Entry), naming.Suggest(f.Entry, v.IDs))
		}
	}
	v.onLimit()
}

func (v *validator) onLimit() {
	limit, a := v.Flow.OnLimit, flow.At{Path: "flow.on_limit", On: " in on_limit"}
	switch {
	case !v.Intact(a):
	case limit.Action == flow.LimitHandoff && limit.To == "":
		v.Error(a, "missing-key", "on_limit has action handoff, but no node to hand over to", "write for example on_limit: {action: handoff, to: help}")
	case limit.Action != flow.LimitHandoff && limit.To != "":
		v.Error(a.In("to"), "out-of-place", "'to' in on_limit is only for action handoff", "")
	case limit.To != "":
		v.targets.check(v.Checker, a.In("to"), limit.To, "in on_limit")
	}
}

// startTemplate checks a template that is rendered before any node has run.
func (v *validator) startTemplate(a flow.At, src string) {
	v.Template(a, src, false)
	for _, part := range reference.InTemplate(src) {
		for _, ref := range reference.In(part.Text) {
			root, _, _ := strings.Cut(ref.Text, ".")
			if v.Flow.Node(v.longestID(ref.Text)) != nil || slices.Contains([]string{"nodes", "approvals", "previous"}, root) {
				v.Report(a, part.Offset+ref.Offset, flow.SeverityError, "too-early",
					fmt.Sprintf("'%s' is not known yet when a run starts%s", ref.Text, a.On), "use inputs, event or run")
			}
		}
	}
}

// longestID finds the longest node id that a path begins with; ids may hold hyphens.
func (v *validator) longestID(path string) string {
	best := ""
	for _, id := range v.IDs {
		if len(id) > len(best) && strings.HasPrefix(path, id) && (len(path) == len(id) || strings.IndexByte(".[- ", path[len(id)]) >= 0) {
			best = id
		}
	}
	return best
}
