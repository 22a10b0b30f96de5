package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// value takes over a value. A literal is cut out of the words; a reference is to an input or to a step before it.
func (f *fill) value(w wireValue, what string) (tree.Value, bool) {
	if w.Words == "" && w.From != "" && w.As == "value" {
		v := tree.Value{Ref: f.ref(w)}
		return v, !v.Open()
	}
	q, ok := f.find(w.Words)
	if !ok {
		f.problem("The words %q of the %s do not stand in the description.", cut(w.Words, 60), what)
		return tree.Value{}, false
	}
	v := tree.Value{Words: f.t.Words(q), At: q}
	switch w.As {
	case "text":
		v.Literal = strings.Trim(v.Words, "\"“”„")
	case "number":
		n, ok := oneNumber(v.Words)
		if !ok {
			f.problem("The words %q are not one number: quote the number alone.", cut(w.Words, 60))
			return v, false
		}
		v.Literal = n
	case "yes", "no":
		v.Literal = w.As == "yes"
	default:
		v.Ref = f.ref(w)
	}
	return v, true
}

// ref finds the value of the run that the model means; the zero Ref when it does not say, or there is none.
func (f *fill) ref(w wireValue) tree.Ref {
	kind, name, _ := strings.Cut(w.From, ":")
	r := tree.Ref{Field: w.Field}
	switch kind {
	case "":
		return tree.Ref{}
	case "input":
		if r.Input = name; f.t.Input(name) == nil {
			r.Input = ""
		}
	case "step":
		r.Step = f.labels[name]
		if id := f.numbers[name]; r.Step == "" && (f.kept[id] || f.changed[id]) {
			r.Step = id
		}
	case "item":
		if n := len(f.each); n > 0 {
			r.Item = f.each[n-1]
		}
	case "event":
		if slices.Contains([]string{"text", "from", "channel", "thread"}, name) {
			r = tree.Ref{Event: name}
		}
	}
	if (r == tree.Ref{Field: w.Field}) {
		f.problem("There is no value %q for %q.", cut(w.From, 60), cut(w.Words, 60))
		return tree.Ref{}
	}
	return r
}

// cond takes over a condition. People decide one that is no comparison, or that its words contradict.
func (f *fill) cond(w *wireCond) *tree.Cond {
	c := f.compared(w)
	if c != nil {
		if wrong := f.contrary(c); wrong != "" {
			f.problem("%s", wrong)
			return &tree.Cond{Words: c.Words, At: c.At}
		}
	}
	return c
}

// compared takes over a condition with its parts.
func (f *fill) compared(w *wireCond) *tree.Cond {
	if w == nil {
		return nil
	}
	q, ok := f.find(w.Quote)
	if !ok {
		f.problem("The condition %q does not stand in the description.", cut(w.Quote, 60))
		return nil
	}
	c := &tree.Cond{Op: w.Op, Words: f.t.Words(q), At: []tree.Quote{q}}
	if w.Op == "decide" {
		c.Op = ""
		return c
	}
	no := false
	if w.Op == "==" && w.Right != nil && (w.Right.As == "yes" || w.Right.As == "no") {
		if _, said := f.find(w.Right.Words); !said { // "if it is urgent" has no word for yes
			c.Op, no, w.Right = tree.OpTrue, w.Right.As == "no", nil
		}
	}
	for i := range w.Parts {
		if part := f.compared(&w.Parts[i]); part != nil {
			c.Parts = append(c.Parts, *part)
		}
	}
	if w.Left != nil {
		c.Left, _ = f.value(*w.Left, "condition")
	}
	if w.Right != nil {
		c.Right, _ = f.value(*w.Right, "condition")
	}
	if no {
		return &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{{Op: c.Op, Left: c.Left, Words: c.Words}}, Words: c.Words, At: c.At}
	}
	f.answered(c)
	return c
}

// answered has a condition about the answer to a question compare it with one of its choices: "accepted" is approve.
func (f *fill) answered(c *tree.Cond) {
	ask := f.asks[c.Left.Ref.Step]
	if ask == nil && f.base != nil {
		ask = f.base.Step(c.Left.Ref.Step)
	}
	if ask == nil || ask.Kind != tree.Ask || len(ask.Fields) > 0 || ask.Free || c.Op != "==" && c.Op != "!=" {
		return
	}
	c.Left.Ref.Field = ""
	text, _ := c.Right.Literal.(string)
	choices := ask.Choices
	if len(choices) == 0 {
		choices, text = []string{"approve", "reject"}, cmp.Or(answerOf(text), text)
	}
	if c.Right.Literal = text; !slices.Contains(choices, text) {
		f.problem("%q is none of the answers to its question: %s.", cut(text, 60), strings.Join(choices, ", "))
		c.Op, c.Left, c.Right = "", tree.Value{}, tree.Value{}
	}
}

// bound is one comparison with a number.
type bound struct {
	op string
	n  float64
}

var opposite = map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// bounds lists the comparisons with numbers in a condition.
func bounds(c *tree.Cond, not bool) (out []bound) {
	if n, ok := c.Right.Literal.(float64); ok && opposite[c.Op] != "" {
		op := c.Op
		if not {
			op = opposite[op]
		}
		return []bound{{op, n}}
	}
	for i := range c.Parts {
		out = append(out, bounds(&c.Parts[i], not != (c.Op == tree.OpNot))...)
	}
	return out
}

// contrary says what is wrong with a condition that its words contradict; "" = nothing. Words behind "unless" may be turned round.
func (f *fill) contrary(c *tree.Cond) string {
	at := c.At[0]
	before := english.Scan(f.t.Texts[at.Text].Words[:at.From])
	denied := func(all []english.Word) bool {
		return slices.ContainsFunc(all, func(w english.Word) bool {
			return english.Denials[w.Low] || w.Low == "except" || w.Low == "else" || w.Low == "otherwise"
		})
	}
	if denied(before[max(0, len(before)-4):]) {
		return ""
	}
	read := values.Source{Src: c.Words}.Condition(phrase.Scan(c.Words, 0, len(c.Words)))
	said := bounds(&read, false)
	for _, b := range bounds(c, false) {
		for _, s := range said {
			if s.n == b.n && (s.op[0] != b.op[0] || len(said) == 1 && s.op != b.op) {
				return fmt.Sprintf("The words %q say %s %s: a condition says what its quote says; what happens otherwise stands behind it or in else.", cut(c.Words, 80), s.op, strconv.FormatFloat(s.n, 'f', -1, 64))
			}
		}
	}
	flag, not := c, false
	if c.Op == tree.OpNot && len(c.Parts) == 1 {
		flag, not = &c.Parts[0], true
	}
	if flag.Op != tree.OpTrue || flag.Left.Ref.Field == "" && flag.Left.Ref.Input == "" {
		return ""
	}
	words := english.Scan(c.Words)
	negative := func(all []english.Word) bool {
		return denied(all) || slices.ContainsFunc(all, func(w english.Word) bool { return match.Negative[w.Stem] })
	}
	if negative(words) != (not != negative(english.Scan(english.PlainName(flag.Left.Ref.Field+flag.Left.Ref.Input)))) {
		return fmt.Sprintf("The words %q say the opposite of this condition: op not turns a yes-or-no value round.", cut(c.Words, 80))
	}
	return ""
}

// answerOf is the answer that words say, approve or reject; "" = none.
func answerOf(words string) string {
	for _, w := range english.Scan(words) {
		if said := phrase.Answers[w.Low]; said != "" {
			return said
		}
	}
	return ""
}

// answers reports whether the words of a branch can mean the answer that it follows.
func answers(words, choice string) bool {
	for _, w := range english.Scan(words) {
		switch said := phrase.Answers[w.Low]; {
		case english.Denials[w.Low] && w.Low != "no":
			return true
		case said != "" && choice != said && (choice == "approve" || choice == "reject"):
			return slices.ContainsFunc(english.Scan(words), func(w english.Word) bool { return phrase.Answers[w.Low] == choice })
		}
	}
	return true
}
