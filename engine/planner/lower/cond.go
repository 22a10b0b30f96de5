package lower

import (
	"math"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// formula is a condition as two tests: yes holds when it is true, no when it is surely false. When a value is missing neither does, unless
// the formula is sure.
type formula struct {
	value   string // what is compared; "" = more than one thing
	yes, no test
	sure    bool
}

// not is the opposite of a formula.
func (f formula) not() formula {
	f.yes, f.no = f.no, f.yes
	return f
}

// test is an expression, and the operator at the top of it: and, or; "" = it has none.
type test struct{ expr, op string }

// all joins tests by an operator, with brackets around those of another operator. It leaves repeated ones out.
func all(op string, tests ...test) test {
	if len(tests) == 1 {
		return tests[0]
	}
	var parts []string
	for _, t := range tests {
		if t.op != "" && t.op != op {
			t.expr = "(" + t.expr + ")"
		}
		if t.expr != "" && !slices.Contains(parts, t.expr) {
			parts = append(parts, t.expr)
		}
	}
	return test{strings.Join(parts, " "+op+" "), op}
}

// readable reports whether a value is a literal or something that a step before gives.
func (b *conditions) readable(v tree.Value) bool {
	if v.Literal != nil {
		return true
	}
	_, ok := b.path(v.Ref)
	return ok
}

// formula writes a condition; false = it is no comparison of values that are there.
func (b *conditions) formula(c *tree.Cond) (f formula, understood bool) {
	switch {
	case c == nil || c.Op == "":
		return f, false
	case c.Op == tree.OpAnd || c.Op == tree.OpOr:
		return b.joined(c)
	case c.Op == tree.OpNot && len(c.Parts) == 1:
		f, understood = b.formula(&c.Parts[0])
		return f.not(), understood
	}
	alone := c.Op == tree.OpTrue || c.Op == tree.OpEmpty
	if !b.readable(c.Left) || !alone && (idiom.Inverse[c.Op] == "" && c.Op != tree.OpContains || !b.readable(c.Right)) {
		return f, false
	}
	return b.comparison(c), true
}

// joined joins comparisons: the opposite of "a and b" is "not a or not b".
func (b *conditions) joined(c *tree.Cond) (f formula, understood bool) {
	var yes, no []test
	f.sure = true
	for i := range c.Parts {
		part, ok := b.formula(&c.Parts[i])
		if !ok {
			return f, false
		}
		yes, no = append(yes, part.yes), append(no, part.no)
		if f.sure = f.sure && part.sure; i == 0 {
			f.value = part.value
		} else if part.value != f.value {
			f.value = ""
		}
	}
	opposite := map[string]string{tree.OpAnd: tree.OpOr, tree.OpOr: tree.OpAnd}[c.Op]
	f.yes, f.no = all(c.Op, yes...), all(opposite, no...)
	return f, len(c.Parts) > 0
}

func (b *conditions) comparison(c *tree.Cond) formula {
	left := b.expression(c.Left)
	f := formula{value: left, sure: b.always(c.Left) && (c.Op == tree.OpTrue || b.always(c.Right))}
	if ask := b.asked(c.Left); ask != nil && (c.Op == tree.OpTrue || c.Op == "==" || c.Op == "!=") {
		return b.answered(c, ask, f)
	}
	var right string
	if c.Op != tree.OpTrue && c.Op != tree.OpEmpty {
		right = b.expression(c.Right)
	}
	switch c.Op {
	case tree.OpTrue:
		f.yes.expr, f.no.expr = left+" == true", left+" == false"
	case tree.OpEmpty:
		f.yes.expr, f.no.expr, f.sure = left+" == null", left+" != null", true
		if b.typeOf(c.Left.Ref) == "array" {
			f.yes.expr, f.no.expr = "len("+left+") == 0", "len("+left+") > 0"
		}
	case tree.OpContains:
		f.yes.expr = left + " contains " + right
		f.no = all("and", test{expr: left + " != null"}, test{expr: "not (" + f.yes.expr + ")"})
	case "==", "!=":
		f.yes.expr = left + " == " + right
		f.no = all("and", append(b.there(c.Left, c.Right), test{expr: left + " != " + right})...)
		if c.Op == "!=" {
			f = f.not()
		}
	default:
		f.yes.expr, f.no.expr = left+" "+c.Op+" "+right, left+" "+idiom.Inverse[c.Op]+" "+right
	}
	return f
}

// there asks whether values are there, those that can be missing.
func (b *conditions) there(values ...tree.Value) (out []test) {
	for _, v := range values {
		if !b.always(v) {
			out = append(out, test{expr: b.expression(v) + " != null"})
		}
	}
	return out
}

// answered compares the answer of people: what they choose is never missing behind the question.
func (b *conditions) answered(c *tree.Cond, ask *tree.Step, f formula) formula {
	want := b.choicesOf(ask)[0]
	if s, ok := c.Right.Literal.(string); ok && c.Op != tree.OpTrue {
		want = b.choiceOf(ask, s)
	}
	path := b.choice(ask.ID)
	f.value, f.sure = path, true
	f.yes.expr, f.no.expr = path+" == "+idiom.Literal(want), path+" != "+idiom.Literal(want)
	if c.Op == "!=" {
		return f.not()
	}
	return f
}

// always reports whether a value can never be missing: a literal, or an input that every run is given.
func (b *conditions) always(v tree.Value) bool {
	if v.Literal != nil {
		return true
	}
	in := b.t.Input(v.Ref.Input)
	return in != nil && v.Ref.Field == "" && (!in.Optional || in.Default != nil)
}

// condLabel is a short word for the side that holds: "over 100", "over 100 to 500", "shipped".
func condLabel(c *tree.Cond) string {
	switch right := rightWords(c); {
	case ranged(c):
		low, high := &c.Parts[0], &c.Parts[1]
		if strings.HasPrefix(low.Op, "<") {
			low, high = high, low
		}
		strict := func(c *tree.Cond) string { return map[string]string{">": "over ", "<": "under "}[c.Op] + rightWords(c) }
		return english.Shorten(strict(low)+" to "+strict(high), english.NameLength)
	case c.Op == tree.OpEmpty:
		return "missing"
	case right != "" && sideWords[c.Op] != "":
		return english.Shorten(strings.TrimSpace(strings.TrimPrefix(sideWords[c.Op]+" "+right, "is ")), english.NameLength)
	}
	return "yes"
}

// ranged reports whether a condition is a range with two bounds.
func ranged(c *tree.Cond) bool {
	at, ok := c.Range()
	return ok && len(c.Parts) == 2 && !math.IsInf(at.Low, 0) && !math.IsInf(at.High, 0)
}

// rightWords is what a condition compares with, in words.
func rightWords(c *tree.Cond) string {
	if c.Right.Words == "" && c.Right.Literal != nil {
		return strings.Trim(constant(c.Right.Literal), "'")
	}
	return c.Right.Words
}

var sideWords = map[string]string{
	"<": "under", "<=": "at most", ">": "over", ">=": "at least", "==": "is", "!=": "is not", tree.OpContains: "with",
}

// CondWords is a condition as words: those of its author, else made of its sides.
func CondWords(c *tree.Cond) string {
	switch {
	case c == nil:
		return ""
	case c.Words != "":
		return english.Plain(c.Words)
	case len(c.Parts) > 0:
		var parts []string
		for i := range c.Parts {
			parts = append(parts, CondWords(&c.Parts[i]))
		}
		if c.Op == tree.OpNot {
			return english.Denied(parts[0])
		}
		return strings.Join(parts, " "+c.Op+" ")
	}
	left := english.Plain(c.Left.Words)
	if c.Op == tree.OpEmpty {
		return "there is no " + left
	}
	return english.Plain(left + " " + sideWords[c.Op] + " " + rightWords(c))
}
