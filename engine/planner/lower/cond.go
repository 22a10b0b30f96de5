package lower

import (
	"slices"
	"strings"

	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// formula is a condition as two expressions: yes holds when it is true, no when it is surely false. When a value is missing neither
// does, unless the formula is sure.
type formula struct {
	value   string // what is compared; "" = more than one thing
	yes, no string
	yesJoin string // "and" or "or" at the top of yes, for brackets
	noJoin  string
	sure    bool
}

func (f formula) not() formula {
	f.yes, f.no, f.yesJoin, f.noJoin = f.no, f.yes, f.noJoin, f.yesJoin
	return f
}

// understood reports whether a condition is a comparison of values that are there.
func (b *conditions) understood(c *tree.Cond) bool {
	switch {
	case c == nil || c.Op == "":
		return false
	case c.Op == tree.OpAnd || c.Op == tree.OpOr:
		return len(c.Parts) > 0 && !slices.ContainsFunc(c.Parts, func(p tree.Cond) bool { return !b.understood(&p) })
	case c.Op == tree.OpNot:
		return len(c.Parts) == 1 && b.understood(&c.Parts[0])
	case !b.readable(c.Left):
		return false
	case c.Op == tree.OpTrue || c.Op == tree.OpEmpty:
		return true
	}
	return (idiom.Inverse[c.Op] != "" || c.Op == tree.OpContains) && b.readable(c.Right)
}

// readable reports whether a value is a literal or something that a step before gives.
func (b *conditions) readable(v tree.Value) bool {
	if v.Literal != nil {
		return true
	}
	_, ok := b.path(v.Ref)
	return ok
}

// formula writes a condition that is understood.
func (b *conditions) formula(c *tree.Cond) formula {
	switch c.Op {
	case tree.OpAnd, tree.OpOr:
		return b.joined(c)
	case tree.OpNot:
		return b.formula(&c.Parts[0]).not()
	}
	return b.comparison(c)
}

// joined joins comparisons: the opposite of "a and b" is "not a or not b".
func (b *conditions) joined(c *tree.Cond) formula {
	opposite := map[string]string{tree.OpAnd: "or", tree.OpOr: "and"}[c.Op]
	var parts []formula
	for i := range c.Parts {
		parts = append(parts, b.formula(&c.Parts[i]))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	f := formula{sure: true, yesJoin: c.Op, noJoin: opposite, value: parts[0].value}
	var yes, no []string
	for _, p := range parts {
		yes = append(yes, bracket(p.yes, p.yesJoin, c.Op))
		no = append(no, bracket(p.no, p.noJoin, opposite))
		f.sure = f.sure && p.sure
		if p.value != f.value {
			f.value = ""
		}
	}
	f.yes, f.no = oneEach(yes, c.Op), oneEach(no, opposite)
	return f
}

func bracket(expr, inner, outer string) string {
	if inner != "" && inner != outer {
		return "(" + expr + ")"
	}
	return expr
}

// oneEach joins expressions and leaves repeated ones out.
func oneEach(exprs []string, join string) string {
	var parts []string
	for _, e := range exprs {
		if e != "" && !slices.Contains(parts, e) {
			parts = append(parts, e)
		}
	}
	return strings.Join(parts, " "+join+" ")
}

func (b *conditions) comparison(c *tree.Cond) formula {
	left := b.expression(c.Left)
	f := formula{value: left, sure: b.always(c.Left) && (c.Op == tree.OpTrue || b.always(c.Right))}
	if ask := b.asked(c.Left); ask != nil && (c.Op == tree.OpTrue || c.Op == "==" || c.Op == "!=") {
		return b.answered(c, ask, f)
	}
	switch c.Op {
	case tree.OpTrue:
		f.yes, f.no = left+" == true", left+" == false"
	case tree.OpEmpty:
		f.yes, f.no, f.sure = left+" == null", left+" != null", true
		if b.isList(c.Left) {
			f.yes, f.no = "len("+left+") == 0", "len("+left+") > 0"
		}
	case tree.OpContains:
		f.yes = left + " contains " + b.expression(c.Right)
		f.no, f.noJoin = left+" != null and not ("+f.yes+")", "and"
	case "==", "!=":
		right := b.expression(c.Right)
		f.yes, f.no, f.noJoin = left+" == "+right, b.there(c.Left, left)+b.there(c.Right, right)+left+" != "+right, "and"
		if f.no == left+" != "+right {
			f.noJoin = ""
		}
		if c.Op == "!=" {
			f = f.not()
		}
	default:
		right := b.expression(c.Right)
		f.yes, f.no = left+" "+c.Op+" "+right, left+" "+idiom.Inverse[c.Op]+" "+right
	}
	return f
}

// there asks whether a value is there, unless it always is.
func (b *conditions) there(v tree.Value, path string) string {
	if v.Literal != nil || b.always(v) {
		return ""
	}
	return path + " != null and "
}

// answered compares the answer of people: what they choose is never missing behind the question.
func (b *conditions) answered(c *tree.Cond, ask *tree.Step, f formula) formula {
	want := b.choicesOf(ask)[0]
	if s, ok := c.Right.Literal.(string); ok && c.Op != tree.OpTrue {
		want = b.choiceOf(ask, s)
	}
	path := b.choice(ask.ID)
	f.value, f.sure = path, true
	f.yes, f.no = path+" == "+idiom.Literal(want), path+" != "+idiom.Literal(want)
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

// isList reports whether a value is known to be a list.
func (b *conditions) isList(v tree.Value) bool {
	if in := b.t.Input(v.Ref.Input); in != nil {
		return in.Type == "array" && v.Ref.Field == ""
	}
	s := b.steps[v.Ref.Step]
	if s == nil {
		return false
	}
	if i := slices.IndexFunc(s.Fields, func(f tree.Field) bool { return f.Name == v.Ref.Field }); i >= 0 {
		return s.Fields[i].Type == "array"
	}
	schema := b.tools[s.Tool].Result
	for part := range strings.SplitSeq(v.Ref.Field, ".") {
		if part != "" {
			schema = jsonschema.Property(schema, part)
		}
	}
	return schema["type"] == "array"
}

// condLabel is a short word for the side that holds: "over 100", "shipped".
func condLabel(c *tree.Cond) string {
	right := c.Right.Words
	if right == "" && c.Right.Literal != nil {
		right = strings.Trim(constant(c.Right.Literal), "'")
	}
	switch {
	case c.Op == tree.OpTrue:
		return "yes"
	case c.Op == tree.OpEmpty:
		return "missing"
	case right != "" && sideWords[c.Op] != "":
		return english.Shorten(strings.TrimSpace(strings.TrimPrefix(sideWords[c.Op]+" "+right, "is ")), english.NameLength)
	}
	return "yes"
}

var sideWords = map[string]string{
	"<": "under", "<=": "at most", ">": "over", ">=": "at least", "==": "is", "!=": "not", tree.OpContains: "with",
}

// condWords is a condition as words.
func condWords(c *tree.Cond) string {
	switch {
	case c == nil:
		return ""
	case c.Words != "":
		return english.Plain(c.Words)
	case len(c.Parts) > 0:
		var parts []string
		for i := range c.Parts {
			parts = append(parts, condWords(&c.Parts[i]))
		}
		if c.Op == tree.OpNot {
			return english.Denied(parts[0])
		}
		return strings.Join(parts, " "+c.Op+" ")
	}
	return strings.TrimSpace(english.Plain(c.Left.Words) + " " + condLabel(c))
}
