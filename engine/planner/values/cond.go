package values

import (
	"slices"
	"strings"
	"time"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// comparators are the words of a comparison and what they mean; behind "is" or alone, and after "not" turned round.
var comparators = []struct {
	words [][]string
	op    string
	not   bool
}{
	{phrase.Phrases(`greater_than_or_equal_to more_than_or_equal_to equal_to_or_over equal_to_or_above equal_to_or_more_than equal_or_over
		at_least no_less_than not_less_than >= ≥ from`), ">=", false},
	{phrase.Phrases(`less_than_or_equal_to smaller_than_or_equal_to equal_to_or_under equal_to_or_below at_most no_more_than not_more_than up_to <= ≤`), "<=", false},
	{phrase.Phrases(`greater_than more_than higher_than larger_than bigger_than exceeds exceed over above >`), ">", false},
	{phrase.Phrases(`less_than lower_than smaller_than fewer_than under below <`), "<", false},
	{phrase.Phrases(`equal_to equals the_same_as == =`), "==", false},
	{phrase.Phrases(`different_from != ≠`), "!=", false},
	{phrase.Phrases(`contains contain includes include mentions`), tree.OpContains, false},
	{phrase.Phrases(`between`), "between", false},
	{phrase.Phrases(`missing empty not_set unset not_given not_there blank`), tree.OpEmpty, false},
	{phrase.Phrases(`set given present`), tree.OpEmpty, true},
}

var (
	copulas  = phrase.Phrases(`has_been have_been is are was were be costs amounts_to`)
	denied   = phrase.Phrases(`isn't aren't wasn't weren't does_not do_not doesn't don't`)
	inverse  = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
	postfix  = map[string]string{"more": ">=", "above": ">=", "over": ">=", "higher": ">=", "less": "<=", "below": "<=", "under": "<=", "fewer": "<=", "lower": "<="}
	currency = phrase.Set(`eur euro euros usd dollar dollars gbp pound pounds chf francs yen € $ £ ¥ percent % kg kilo kilos kilograms lbs km kilometers kilometres miles`)
)

// operator is a comparison found in tokens.
type operator struct {
	from, to int
	op       string
	not      bool
}

// findOperator reads an operator at the beginning of toks; to 0 = there is none.
func findOperator(toks []phrase.Token) operator {
	n := phrase.Starting(toks, copulas)
	o := operator{op: "==", to: n}
	if d := phrase.Starting(toks, denied); n == 0 && d > 0 {
		n, o.not, o.to = d, true, d
		if strings.HasPrefix(toks[0].Low, "do") {
			o.to = 0 // "does not" compares only together with "contain", "exceed"
		}
	}
	alone := n == 0
	for _, c := range comparators { // "not set" and "not more than" are words of their own
		if size := phrase.Starting(toks[n:], c.words); size > 0 && !(alone && c.op == tree.OpEmpty) {
			return operator{op: c.op, not: o.not != c.not, to: n + size}
		}
	}
	if !alone && phrase.Begins(toks[n:], "not") {
		n++
		o.not, o.to = !o.not, n
		for _, c := range comparators {
			if size := phrase.Starting(toks[n:], c.words); size > 0 {
				return operator{op: c.op, not: !c.not, to: n + size}
			}
		}
	}
	return o
}

// Compares reports whether toks begin with a comparison.
func Compares(toks []phrase.Token) bool { return findOperator(toks).to > 0 }

// Condition reads a condition. A condition that it cannot compare keeps its words, and a person decides it.
func (r Source) Condition(toks []phrase.Token) tree.Cond {
	toks = phrase.Trim(toks)
	var c tree.Cond
	if len(toks) > 0 {
		c = r.any(toks)
		c.Words = r.Words(toks)
	}
	return c
}

// any reads parts joined by "or"; "and" binds more closely.
func (r Source) any(toks []phrase.Token) tree.Cond {
	parts, joins := split(toks)
	var ors, ands []tree.Cond
	var last *tree.Cond
	var op operator
	for i, part := range parts {
		c, o := r.compare(part, last, op)
		if last = &c; o.to > 0 {
			op = o
		}
		inherited := o.from == 0 && o.to == 0
		if i > 0 && joins[i-1] == tree.OpOr && !(op.not && inherited) { // "not red or green" is neither
			ors, ands = append(ors, join(tree.OpAnd, ands)), nil
		}
		ands = append(ands, c)
	}
	return join(tree.OpOr, append(ors, join(tree.OpAnd, ands)))
}

// join joins conditions. The whole is not understood when one part is not, because a half would mean something else.
func join(op string, parts []tree.Cond) tree.Cond {
	if len(parts) == 1 {
		return parts[0]
	}
	if slices.ContainsFunc(parts, func(c tree.Cond) bool { return c.Op == "" }) {
		return tree.Cond{}
	}
	return tree.Cond{Op: op, Parts: parts}
}

// split cuts a condition at "and", "or" and commas that stand in no operator and not between two bounds.
func split(toks []phrase.Token) (parts [][]phrase.Token, joins []string) {
	start, bound, series := 0, false, tree.OpOr
	cut := func(i, n int, join string) {
		if i > start {
			parts, joins = append(parts, toks[start:i]), append(joins, join)
		}
		start = i + n
	}
	for i := 0; i < len(toks); i++ {
		if toks[i].Kind == phrase.Sign || toks[i].Kind == phrase.Word {
			if o := findOperator(toks[i:]); o.to > 0 {
				bound = o.op == "between"
				i += o.to - 1
				continue
			}
		}
		switch toks[i].Low {
		case "and":
			if bound {
				bound = false
				continue
			}
			cut(i, 1, tree.OpAnd)
			series = tree.OpAnd
		case "or":
			if i+1 < len(toks) && postfix[toks[i+1].Low] != "" && !(i+2 < len(toks) && toks[i+2].Kind == phrase.Number) {
				continue
			}
			cut(i, 1, tree.OpOr)
			series = tree.OpOr
		case ",":
			cut(i, 1, ",")
		}
	}
	if start < len(toks) {
		parts = append(parts, toks[start:])
	}
	joins = joins[:max(0, min(len(joins), len(parts)-1))]
	for i := range joins {
		if joins[i] == "," {
			joins[i] = series
		}
	}
	return parts, joins
}

// compare reads one comparison. It takes omitted parts from the comparison before: "over 5 and under 10", "red or green".
func (r Source) compare(toks []phrase.Token, before *tree.Cond, op operator) (tree.Cond, operator) {
	toks = phrase.Trim(toks)
	if phrase.Begins(toks, "there") || before != nil && phrase.VerbOnly(toks) && !Compares(toks) {
		return tree.Cond{}, operator{}
	}
	var o operator
	for i := range toks {
		if toks[i].Kind == phrase.Quoted {
			continue
		}
		if o = findOperator(toks[i:]); o.to > 0 {
			o.from, o.to = i, i+o.to
			break
		}
	}
	if o.to == 0 { // "100 or more", or only the other value of the comparison before
		if before == nil || before.Op == "" || op.to == 0 {
			if v, after, ok := r.bounded(toks); ok {
				return tree.Cond{Op: after, Right: v}, operator{}
			}
			return tree.Cond{}, operator{}
		}
		o = operator{op: op.op, not: op.not}
	}
	left := tree.Value{}
	if o.from > 0 {
		left = r.Value(toks[:o.from], false)
	} else if before != nil {
		left = before.Subject()
	}
	return r.apply(left, o, toks[o.to:]), o
}

// apply makes the condition of an operator and what stands behind it; the zero Cond = they do not go together.
func (r Source) apply(left tree.Value, o operator, right []phrase.Token) tree.Cond {
	c := tree.Cond{Op: o.op, Left: left}
	switch o.op {
	case tree.OpEmpty:
		if len(right) > 0 {
			return tree.Cond{}
		}
	case "between":
		i := slices.IndexFunc(right, func(t phrase.Token) bool { return t.Low == "and" })
		if i < 1 || i == len(right)-1 {
			return tree.Cond{}
		}
		low, high := r.Number(right[:i]), r.Number(right[i+1:])
		if low.Literal == nil || high.Literal == nil {
			return tree.Cond{}
		}
		c = tree.Cond{Op: tree.OpAnd, Parts: []tree.Cond{{Op: ">=", Left: left, Right: low}, {Op: "<=", Left: left, Right: high}}}
	default:
		v, after, ok := r.bounded(right)
		if !ok || len(right) == 0 {
			return tree.Cond{}
		}
		if after != "" && c.Op == "==" {
			c.Op = after
		}
		if _, text := v.Literal.(string); text && strings.ContainsAny(c.Op[:1], "<>") {
			v.Literal = nil // the name of another value: "over the limit"
		}
		c.Right = v
	}
	if o.not {
		return negate(c)
	}
	return c
}

// bounded reads the right side of a comparison, and an operator behind it: "100 or more", "500+".
func (r Source) bounded(toks []phrase.Token) (v tree.Value, op string, ok bool) {
	toks = phrase.Trim(toks)
	if n := len(toks); n > 2 && toks[n-2].Low == "or" && postfix[toks[n-1].Low] != "" {
		op, toks = postfix[toks[n-1].Low], toks[:n-2]
	}
	if len(toks) == 0 || phrase.Comparatives[toks[0].Low] { // "if it is more": than what?
		return v, "", false
	}
	if toks[0].Kind == phrase.Number || currency[toks[0].Low] {
		v = r.Number(toks)
		return v, op, v.Literal != nil
	}
	if slices.ContainsFunc(toks[1:], func(t phrase.Token) bool { return t.Kind == phrase.Number }) {
		return v, "", false // "within 30 days" is no text
	}
	return r.Value(toks, true), op, op == ""
}

// Number reads an amount with a currency; a number with another unit has no literal.
func (r Source) Number(toks []phrase.Token) tree.Value {
	v := tree.Value{Words: r.Words(toks), At: r.Quote(toks)}
	for len(toks) > 0 && currency[toks[0].Low] {
		toks = toks[1:]
	}
	for len(toks) > 1 && currency[toks[len(toks)-1].Low] {
		toks = toks[:len(toks)-1]
	}
	if len(toks) == 1 {
		if f, ok := phrase.Amount(toks[0]); ok {
			v.Literal = f
		}
	}
	return v
}

// negate turns a condition round.
func negate(c tree.Cond) tree.Cond {
	if op, ok := inverse[c.Op]; ok {
		c.Op = op
		return c
	}
	if c.Op == "" && c.Words == "" {
		return c
	}
	c.At = nil
	return tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{c}, Words: c.Words}
}

// Unless is the opposite of a condition. Its own words do not have the negation, so it has none.
func Unless(c tree.Cond) tree.Cond { return tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{c}} }

// Value reads words as a value. On the right side of a comparison, bare words are a text, and words with an article are another value.
func (r Source) Value(toks []phrase.Token, right bool) tree.Value {
	toks = phrase.Trim(toks)
	v := tree.Value{Words: r.Words(toks), At: r.Quote(toks)}
	if len(toks) == 0 {
		return v
	}
	if len(toks) == 1 {
		t := toks[0]
		switch f, ok := phrase.Amount(t); {
		case ok:
			v.Literal = f
			return v
		case t.Kind == phrase.Quoted:
			v.Literal = t.Text
			return v
		case right && (t.Low == "true" || t.Low == "yes" || t.Low == "false" || t.Low == "no"):
			v.Literal = t.Low == "true" || t.Low == "yes"
			return v
		case t.Kind == phrase.Slot:
			v.Words = t.Text
			return v
		case !right && (t.Low == "it's" || t.Low == "that's"): // "it's over 100"
			v.Words = strings.TrimSuffix(t.Low, "'s")
			return v
		}
	}
	const mostText = 4 // words of a text without quotes
	if right && !phrase.Determiners[toks[0].Low] && len(toks) <= mostText && toks[0].Kind != phrase.Slot {
		v.Literal = v.Words
	}
	return v
}

// Bounds reads a bound or a range of amounts: "under $100", "100-500", "between 5 and 10", "$500+".
func (r Source) Bounds(toks []phrase.Token) (c tree.Cond, n int, ok bool) {
	num := func(at int) int { // tokens of an amount at a place
		for n = 0; at+n < len(toks) && n < 3 && (toks[at+n].Kind == phrase.Number || currency[toks[at+n].Low]); n++ {
		}
		return n
	}
	if phrase.Begins(toks, "from") {
		if c, n, ok := r.Bounds(toks[1:]); ok && len(c.Parts) == 2 { // "from 50 to 200"
			return c, n + 1, true
		}
	}
	if _, n := phrase.ReadDate(toks[min(1, len(toks)):], time.Unix(0, 0)); phrase.Begins(toks, "from") && n > 0 { // "from 20 December"
		return c, 0, false
	}
	o := findOperator(toks)
	if o.to > 0 && o.op != "==" && !o.not && o.op != tree.OpEmpty {
		a := num(o.to)
		if o.op == "between" && a > 0 && phrase.Begins(toks[o.to+a:], "and") {
			b := num(o.to + a + 1)
			n = o.to + a + 1 + b
			return r.apply(tree.Value{}, o, toks[o.to:n]), n, b > 0
		}
		if a == 0 || o.op == "between" {
			return c, 0, false
		}
		v := r.Number(toks[o.to : o.to+a])
		n, c = o.to+a, tree.Cond{Op: o.op, Right: v}
		if joins := phrase.Starting(toks[n:], phrase.Phrases(",_and and but ,")); joins > 0 {
			more, size, ok := r.Bounds(toks[n+joins:])
			both := tree.Cond{Op: tree.OpAnd, Parts: []tree.Cond{c, more}}
			if at, ranged := both.Range(); ok && ranged && len(more.Parts) == 0 && more.Op[0] != c.Op[0] && strings.ContainsAny(more.Op[:1], "<>") && at.Low < at.High { // "more than 500 and up to 5,000"
				return both, n + joins + size, true
			}
		}
		return c, n, v.Literal != nil && !phrase.Begins(toks[n:], "or")
	}
	a := num(0)
	if a == 0 || len(toks) <= a {
		return c, 0, false
	}
	low := r.Number(toks[:a])
	switch toks[a].Low {
	case "-", "–", "to", "until", "till", "up":
		if toks[a].Low == "up" { // "50 up to 500"
			a++
		}
		b := num(a + 1)
		high := r.Number(toks[min(a+1, len(toks)) : a+1+b])
		c = tree.Cond{Op: tree.OpAnd, Parts: []tree.Cond{{Op: ">=", Right: low}, {Op: "<=", Right: high}}}
		return c, a + 1 + b, b > 0 && low.Literal != nil && high.Literal != nil
	case "or":
		if len(toks) > a+1 && postfix[toks[a+1].Low] != "" {
			return tree.Cond{Op: postfix[toks[a+1].Low], Right: low}, a + 2, low.Literal != nil
		}
	}
	return c, 0, false
}

// Over sets the left side of a condition that has none.
func Over(c *tree.Cond, left tree.Value) {
	c.Left = left
	for i := range c.Parts {
		c.Parts[i].Left = left
	}
	if len(c.Parts) > 0 {
		c.Left = tree.Value{}
	}
}

// Disjoint reports whether two comparisons of the same value never hold together.
func Disjoint(a, b tree.Cond) bool {
	if l := strings.ToLower(b.Subject().Words); !strings.EqualFold(a.Subject().Words, l) && l != "it" {
		return false
	}
	if a.Op == "==" && b.Op == "==" {
		return a.Right.Literal != nil && b.Right.Literal != nil && a.Right.Literal != b.Right.Literal
	}
	ra, okA := a.Range()
	rb, okB := b.Range()
	return okA && okB && (ra.High <= rb.Low || rb.High <= ra.Low)
}

// Opposite reports whether a comparison with an amount holds just where another one of the same value does not.
func Opposite(a, b tree.Cond) bool {
	amount, is := a.Right.Literal.(float64)
	l := strings.ToLower(b.Left.Words)
	return is && b.Right.Literal == amount && inverse[a.Op] == b.Op && (strings.EqualFold(a.Left.Words, l) || l == "it")
}

// ComparesAmount reports whether a condition compares an amount: "when the amount is over 5" starts nothing.
func ComparesAmount(c tree.Cond) bool {
	_, amount := c.Right.Literal.(float64)
	return amount || slices.ContainsFunc(c.Parts, ComparesAmount)
}

// Covers reports whether a comparison holds wherever another one does, and elsewhere, too: "up to 500" and "under 50".
func Covers(wide, narrow tree.Cond) bool {
	w, okW := wide.Range()
	n, okN := narrow.Range()
	return okW && okN && w.Low <= n.Low && n.High <= w.High && w != n
}
