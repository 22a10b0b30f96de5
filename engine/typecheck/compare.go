package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// fit says whether two values can be equal, or have an order.
type fit uint8

const (
	fits   fit = iota
	odd        // only where a text reads as what the other side is
	absent     // they have both a limited number of values, and none in common
	never
)

// comparison looks at ==, != and the orders.
func (c *checker) comparison(t expr.Term) {
	a, b := t.Args[0], t.Args[1]
	left, right := c.infer(a, isNothing(b)), c.infer(b, isNothing(a))
	if !isNothing(a) && !isNothing(b) {
		c.compared(t.Op, a, b, left, right)
	}
}

// membership looks at in and contains.
func (c *checker) membership(t expr.Term) {
	whole, part := t.Args[1], t.Args[0]
	if t.Op == "contains" {
		whole, part = part, whole
	}
	one, all := c.infer(part, true), c.infer(whole, true)
	switch {
	case whole.Op == expr.TermList:
		for i, item := range whole.Args {
			c.compared("==", part, item, one, all.items[i])
		}
	case all.kinds == list:
		c.compared("==", part, expr.Term{Op: itemTerm, Start: whole.Start, Args: []expr.Term{whole}}, one, all.item())
	}
}

// compared reports a comparison that cannot be meant.
func (c *checker) compared(op string, a, b expr.Term, left, right shape) {
	how := matches(op, left, right)
	if how == fits || c.quiet() {
		return
	}
	if left.written {
		a, b, left, right = b, a, right, left
	}
	always := map[bool]string{true: "always", false: "never"}[op == "!="]
	switch how {
	case never:
		c.error(c.here.at, b.Start, "mixed-types",
			fmt.Sprintf("%s is %s and is compared with %s: that is %s true", termWords(a), left.words(), otherWords(b, right), always), orderHint(op, left, right))
	case absent:
		c.noSuchValue(a, b, left, right)
	case odd:
		c.warn(c.here.at, b.Start, "mixed-types",
			fmt.Sprintf("%s is %s and is compared with %s", termWords(a), left.words(), otherWords(b, right)), "the comparison holds only where the text reads as such a value")
	}
}

// noSuchValue reports a comparison with a value that the other side never has, such as a choice that a gate does not offer.
func (c *checker) noSuchValue(a, b expr.Term, left, right shape) {
	if !right.written {
		c.warn(c.here.at, b.Start, "unknown-value", fmt.Sprintf("%s and %s have no value in common", termWords(a), termWords(b)), "")
		return
	}
	offset := b.Start
	if _, isText := right.enum[0].(string); isText && b.Op == expr.TermValue {
		offset++ // behind the quote
	}
	c.outside(offset, a, left, right.enum[0])
}

// outside reports a value that is none of those that a shape may have.
func (c *checker) outside(offset int, a expr.Term, s shape, value any) {
	possible := slices.DeleteFunc(slices.Clone(s.enum), func(v any) bool { return slices.Contains(byThemselves, v) })
	var names []string
	for _, v := range possible {
		names = append(names, fmt.Sprint(v))
	}
	hint := c.suggest(fmt.Sprint(value), names)
	if len(a.Path) == 2 && a.Path[0] == "approvals" {
		if hint == "" {
			hint = "its choices are " + listed(possible)
		}
		c.warn(c.here.at, offset, "unknown-choice", fmt.Sprintf("'%v' is not a choice of '%s'", value, a.Path[1]), hint)
		return
	}
	if hint == "" {
		hint = "its values are " + listed(possible)
	}
	c.warn(c.here.at, offset, "unknown-value", fmt.Sprintf("%s is never %s", termWords(a), shown(value)), hint)
}

// matches compares two shapes under an operator.
func matches(op string, a, b shape) fit {
	if a.kinds == 0 || b.kinds == 0 || a.written && b.written {
		return fits
	}
	order := op != "==" && op != "!="
	best := never
	for _, k := range kindWords {
		for _, l := range kindWords {
			if a.kinds&k.kind != 0 && b.kinds&l.kind != 0 {
				best = min(best, pair(order, k.kind, l.kind, a, b))
			}
		}
	}
	if best == fits && !order && a.enum != nil && b.enum != nil && !shareValue(a.enum, b.enum) {
		return absent
	}
	return best
}

// pair compares values of two kinds.
func pair(order bool, k, l kinds, a, b shape) fit {
	if k > l {
		k, l, a, b = l, k, b, a
	}
	switch {
	case order && (k|l)&(boolean|object|list) != 0:
		return never
	case order && k == text && l == text && (unreadable(a, asNumber) || unreadable(b, asNumber)):
		return never
	case k == l:
		return fits
	case k == text && l == number:
		return readable(a, b, asNumber)
	case k == text && l == boolean:
		return readable(a, b, func(v any) bool { return v == "true" || v == "false" })
	case k == text && l == instant:
		return fits
	case k == text:
		return readable(a, b, func(v any) bool { s, _ := v.(string); return strings.ContainsAny(s, "{[") })
	}
	return never
}

// readable says how a text compares with something else: for its values, if they are known, by what they read as.
func readable(t, other shape, reads func(any) bool) fit {
	switch {
	case t.enum == nil && other.written && other.kinds == number:
		return fits // a number in quotes, or out of them
	case t.enum == nil:
		return odd
	case unreadable(t, reads):
		return never
	}
	return fits
}

// unreadable reports a shape all of whose texts are known, and none reads as something else.
func unreadable(s shape, reads func(any) bool) bool {
	return s.enum != nil && !slices.ContainsFunc(s.enum, reads)
}

func asNumber(v any) bool { return expr.Compare("<=", v, v) }

func shareValue(a, b []any) bool {
	return slices.ContainsFunc(a, func(x any) bool {
		return slices.ContainsFunc(b, func(y any) bool { return expr.Compare("==", x, y) })
	})
}

// itemTerm stands for the items of a list.
const itemTerm = "item"

// written writes a path as an expression does.
func written(path []string) string {
	var b strings.Builder
	for i, name := range path {
		switch {
		case i > 0 && isIndex(name):
			b.WriteString("[" + name + "]")
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

// termWords names a term in a message.
func termWords(t expr.Term) string {
	switch t.Op {
	case expr.TermPath:
		return "'" + written(t.Path) + "'"
	case expr.TermValue:
		return shown(t.Value)
	case itemTerm:
		return "an item of " + termWords(t.Args[0])
	case "len":
		return "a length"
	}
	return "the value"
}

// otherWords names what something is compared with.
func otherWords(t expr.Term, s shape) string {
	if s.written {
		return s.words()
	}
	return termWords(t) + ", which is " + s.words()
}

func orderHint(op string, left, right shape) string {
	switch {
	case op != "==" && op != "!=" && left.kinds == text && right.kinds == text:
		return "only numbers and times have an order"
	case op != "==" && op != "!=" && left.kinds == boolean:
		return "only numbers and times have an order"
	case left.kinds == boolean:
		return "compare it with true or false, without quotes"
	case left.kinds == number:
		return "compare it with a number"
	}
	return ""
}

// decision looks at the literals that a decision's value is compared with.
func (c *checker) decision(at place, n *flow.Node, src string) {
	value := c.expression(at.in("expr"), src, true)
	t, err := c.names.Expression(src)
	if err != nil {
		return
	}
	for i, r := range n.Routes {
		literal, ok := expr.Literal(r.When)
		if r.If != flow.IfExpr || r.Default() || !ok || literal == nil {
			continue
		}
		when := ofValue(literal)
		c.here.at = at.item("routes", i).in("when")
		switch matches("==", value, when) {
		case never:
			c.error(c.here.at, -1, "mixed-types", fmt.Sprintf("%s is %s and is compared with %s: the route is never taken", termWords(t), value.words(), when.words()),
				orderHint("==", value, when))
		case absent:
			c.outside(-1, t, value, literal)
		}
	}
}
