package readback

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// side is where some ways out of a node lead, with the words for when each of them is taken.
type side struct {
	to    string
	when  []string
	apart bool // the words hold wherever they stand: none of the ways before can be taken in the place of this one
}

// Words for the ways that are left. They mean something else in another place.
const (
	anyOther  = "any other answer"
	otherwise = "otherwise"
)

// sides are the ways out of a node, in their order: the first whose condition holds is taken. Ways that lead to the same place are one where
// they are neighbours, or where nothing between them can be taken instead. A way that is never taken is left out.
func (r *reader) sides(n *flow.Node, words func(route flow.Route) string) (out []side) {
	asks := conditionsOf(n)
	for i, route := range n.Routes {
		when := words(route)
		s := side{to: route.To, apart: when != anyOther && !strings.HasPrefix(when, otherwise)}
		if !route.Default() {
			s.apart = !slices.ContainsFunc(asks[:i], func(before idiom.Condition) bool { return !excludes(before, asks[i]) })
			path, amounts, ranged := takenOf(asks[:i+1])
			if ranged && len(amounts) == 0 {
				continue
			}
			if len(amounts) == 1 && !s.apart {
				when, s.apart = idiom.Spoken(path)+" "+rangeWords(amounts[0]), true
			}
		}
		at := len(out) - 1
		for s.apart && at > 0 && out[at].to != s.to {
			at--
		}
		switch {
		case at < 0 || out[at].to != s.to:
			s.when = []string{when}
			out = append(out, s)
		case !slices.Contains(out[at].when, when):
			out[at].when = append(out[at].when, when)
			out[at].apart = out[at].apart && s.apart
		}
	}
	return out
}

// conditionsOf reads the conditions of the ways out of a node.
func conditionsOf(n *flow.Node) (out []idiom.Condition) {
	decided := ""
	if s, ok := n.Spec.(*flow.DecisionSpec); ok {
		decided = s.Expr
	}
	for _, route := range n.Routes {
		c := idiom.Condition{Src: route.When}
		if route.ConditionWords() == "" {
			c = idiom.ReadCondition(idiom.OfRoute(decided, route.When))
		}
		out = append(out, c)
	}
	return out
}

// excludes reports whether two conditions never hold both.
func excludes(a, b idiom.Condition) bool {
	with := func(o idiom.Condition) func(idiom.Condition) bool {
		return func(part idiom.Condition) bool { return excludes(part, o) }
	}
	not := func(o idiom.Condition) func(idiom.Condition) bool {
		return func(part idiom.Condition) bool { return !excludes(part, o) }
	}
	switch {
	case a.Op == "" || b.Op == "":
		return false
	case a.Negates(b):
		return true
	case a.Op == "or":
		return !slices.ContainsFunc(a.Parts, not(b))
	case b.Op == "or":
		return !slices.ContainsFunc(b.Parts, not(a))
	}
	if _, conds, ok := rangesOf([]idiom.Condition{a, b}); ok {
		_, some := common(*conds[0], *conds[1])
		return !some
	}
	if slices.ContainsFunc(a.Parts, with(b)) && a.Op == "and" || slices.ContainsFunc(b.Parts, with(a)) && b.Op == "and" {
		return true
	}
	_, one, written := a.Other()
	_, other, too := b.Other()
	return a.Op == "==" && b.Op == "==" && a.Path == b.Path && written && too && one != other
}

// rangesOf reads conditions that compare one value with amounts; false = they are others.
func rangesOf(asks []idiom.Condition) (path string, out []*tree.Cond, ok bool) {
	for i, c := range asks {
		of, cond, ok := rangeOf(c)
		if !ok || i > 0 && of != path {
			return "", nil, false
		}
		path, out = of, append(out, &cond)
	}
	return path, out, true
}

func rangeOf(c idiom.Condition) (path string, out tree.Cond, ok bool) {
	if c.Op == tree.OpAnd {
		path, parts, ok := rangesOf(c.Parts)
		for _, part := range parts {
			out.Parts = append(out.Parts, *part)
		}
		out.Op = tree.OpAnd
		return path, out, ok
	}
	_, literal, _ := c.Other()
	out = tree.Cond{Op: c.Op, Right: tree.Value{Literal: literal}}
	_, ok = out.Range()
	return c.Path, out, ok
}

// takenOf gives the amounts for which the last condition is the first that holds; false = they do not compare one value with amounts.
func takenOf(asks []idiom.Condition) (path string, out []tree.Range, ok bool) {
	path, conds, ok := rangesOf(asks)
	if !ok {
		return "", nil, false
	}
	last := len(conds) - 1
	left, _ := tree.Gaps(conds[:last])
	for _, gap := range left {
		if r, some := common(gap.Cond(tree.Value{}), *conds[last]); some {
			out = append(out, r)
		}
	}
	return path, out, true
}

// common gives the amounts for which both conditions hold; false = there are none.
func common(a, b tree.Cond) (tree.Range, bool) {
	both := tree.Cond{Op: tree.OpAnd, Parts: []tree.Cond{a, b}}
	r, ok := both.Range()
	return r, ok && (r.Low < r.High || r.Low == r.High && r.LowIn && r.HighIn)
}

// rangeWords says which amounts belong to a range: "is over 50 and at most 500".
func rangeWords(r tree.Range) string {
	if r.Low == r.High {
		return "is " + amount(r.Low)
	}
	var parts []string
	if !math.IsInf(r.Low, 0) {
		parts = append(parts, map[bool]string{true: "at least ", false: "over "}[r.LowIn]+amount(r.Low))
	}
	if !math.IsInf(r.High, 0) {
		parts = append(parts, map[bool]string{true: "at most ", false: "under "}[r.HighIn]+amount(r.High))
	}
	return "is " + strings.Join(parts, " and ")
}

func amount(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
