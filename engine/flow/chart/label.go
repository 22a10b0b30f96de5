package chart

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/engine/calendar"
	"sluice/engine/flow"
	"sluice/engine/naming"
)

const maxLabel = 32 // characters of a label made from a condition

// startWords says in a few words what a run needs and what starts one.
func startWords(f *flow.Flow) string {
	var parts []string
	var needs []string
	for _, in := range f.Inputs {
		if in.Required {
			needs = append(needs, strings.ReplaceAll(in.Name, "_", " "))
		}
	}
	if len(needs) > 0 {
		parts = append(parts, "needs "+naming.List(needs, "and"))
	}
	for _, t := range f.Triggers {
		label := t.Label()
		if t.Schedule != nil {
			if words, ok := calendar.Words(t.Schedule.Cron); ok {
				label = words
			}
		}
		if label != "" {
			parts = append(parts, label)
		}
	}
	return strings.Join(parts, "; ")
}

// criteria are the sentences by which the step's result is judged.
func criteria(n *flow.Node) []string {
	var out []string
	for _, c := range n.Criteria {
		out = append(out, c.Text)
	}
	return out
}

func errorLabel(r flow.ErrorRoute, index int) (label, description string) {
	switch {
	case r.Match != "":
		return "error: " + shorten(r.Match), "on an error that matches " + r.Match
	case index > 0:
		return "other error", "on any other error"
	default:
		return "error", "on any error"
	}
}

// comparisonWords writes the comparison for a label. The path is left out where all labels have the same one.
func comparisonWords(c flow.Comparison, withPath bool) string {
	op := map[string]string{"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}[c.Op]
	if op == "" {
		op = c.Op
	}
	switch {
	case c.Op == "==" && c.Value == "true":
		return lastName(c.Path)
	case c.Op == "==" && c.Value == "false":
		return "not " + lastName(c.Path)
	case withPath:
		return lastName(c.Path) + " " + op + " " + c.Value
	case c.Op == "==":
		return c.Value
	case c.Op == "!=":
		return "not " + c.Value
	default:
		return op + " " + c.Value
	}
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// routeLabels gives the label of each route: its own, else a short form of the condition; "otherwise" for a default
// beside conditions, or the remaining choices at a gate.
func routeLabels(n *flow.Node) []string {
	labels := make([]string, len(n.Routes))
	conditions := 0
	for _, r := range n.Routes {
		if !r.Default() {
			conditions++
		}
	}
	same := samePath(n)
	rest := ""
	if conditions > 0 {
		rest = otherwise(n)
	} else if _, joins := n.Spec.(*flow.ParallelSpec); !joins && frameEdges(n) > 0 {
		rest = "done"
	}
	for i, r := range n.Routes {
		switch {
		case r.Label != "":
			labels[i] = r.Label
		case r.If != flow.IfExpr:
			labels[i] = foreignLabel(n, r)
		case !r.Default():
			labels[i] = conditionLabel(n, r.When, !same)
		default:
			labels[i] = rest
		}
	}
	return labels
}

// samePath reports whether all conditions of a node compare one path, a decision's expression included.
func samePath(n *flow.Node) bool {
	paths := map[string]bool{}
	conditions := make([]string, 0, len(n.Routes)+1)
	decision, isDecision := n.Spec.(*flow.DecisionSpec)
	if isDecision {
		conditions = append(conditions, decision.Expr)
	}
	for _, r := range n.Routes {
		if r.If == flow.IfExpr && !r.Default() && (!isDecision || !flow.BareLiteral(r.When)) {
			conditions = append(conditions, r.When)
		}
	}
	for _, expr := range conditions {
		if c, ok := flow.ParseComparison(expr); ok {
			paths[c.Path] = true
		} else {
			paths[strings.TrimSpace(expr)] = true
		}
	}
	return len(paths) < 2
}

func conditionLabel(n *flow.Node, when string, withPath bool) string {
	decision, isDecision := n.Spec.(*flow.DecisionSpec)
	if isDecision && flow.BareLiteral(when) {
		return literalLabel(decision.Expr, strings.Trim(strings.TrimSpace(when), `'"`))
	}
	if choices := (flow.Route{When: when}).Choices(n.ID); len(choices) > 0 {
		return shorten(strings.Join(choices, " / "))
	}
	if c, ok := flow.ParseComparison(when); ok {
		return shorten(comparisonWords(c, withPath))
	}
	short := pathPattern.ReplaceAllStringFunc(when, lastName)
	return shorten(strings.Join(strings.Fields(short), " "))
}

var pathPattern = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+`)

// literalLabel labels a decision's literal: of "amount > 100" the answer true is "> 100", false is "not > 100".
func literalLabel(expr, literal string) string {
	if literal != "true" && literal != "false" {
		return shorten(literal)
	}
	c, ok := flow.ParseComparison(expr)
	switch {
	case !ok && literal == "true":
		return "yes"
	case !ok:
		return "no"
	case literal == "true":
		return shorten(comparisonWords(c, false))
	default:
		return shorten("not " + strings.TrimPrefix(comparisonWords(c, false), "not "))
	}
}

// otherwise labels a default beside conditions. At a gate it names the choices that no route takes, if they are few.
func otherwise(n *flow.Node) string {
	var left []string
	switch s := n.Spec.(type) {
	case *flow.ApprovalSpec:
		left = slices.Clone(s.Choices)
	case *flow.AskSpec:
		left = slices.Clone(s.Choices)
	}
	for _, r := range n.Routes {
		if r.Default() {
			continue
		}
		named := r.Choices(n.ID)
		if named == nil {
			return "otherwise"
		}
		left = slices.DeleteFunc(left, func(c string) bool { return slices.Contains(named, c) })
	}
	if len(left) == 0 || len(left) > 2 {
		return "otherwise"
	}
	return strings.Join(left, " / ")
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxLabel {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:maxLabel-1])) + "…"
}

// foreignLabel is the label of a route with a condition of another format.
func foreignLabel(n *flow.Node, r flow.Route) string {
	switch r.If {
	case flow.IfAlways:
		if len(n.Routes) > 1 {
			return "always"
		}
		return ""
	case flow.IfOutcome:
		switch success := r.When != flow.OutcomeFailure; {
		case len(n.Criteria) > 0 && success:
			return "yes"
		case len(n.Criteria) > 0:
			return "no"
		}
		return r.When
	default:
		return shorten(strings.Join(strings.Fields(r.When), " "))
	}
}

// branchLabel is the label of the edge to a branch.
func branchLabel(n *flow.Node, i int) string {
	label := n.Branches()[i].Label
	if label == "" && n.Kind == flow.KindSequence {
		return fmt.Sprint(i + 1)
	}
	return label
}

// bodyLabel is the label of the edge to the body of a foreach or a loop.
func bodyLabel(n *flow.Node) string {
	switch s := n.Spec.(type) {
	case *flow.ForeachSpec:
		return "each " + strings.ReplaceAll(s.As, "_", " ")
	case *flow.LoopSpec:
		if s.Type != flow.LoopWhile {
			return "each " + strings.ReplaceAll(s.As, "_", " ")
		}
	}
	return "again"
}
