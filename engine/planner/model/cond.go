package model

import (
	"cmp"
	"fmt"
	"regexp"
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
		if id := f.numbers[name]; r.Step == "" && (f.kept[id] || f.changed[id] || f.stays[id]) {
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
	s := f.made(r.Step)
	if s != nil && slices.Contains([]tree.Kind{tree.Decide, tree.Parallel, tree.Repeat, tree.Tell, tree.Wait, tree.Stop}, s.Kind) {
		f.problem("Step %q gives no value: it is of kind %s.", cut(w.From, 60), s.Kind)
		return tree.Ref{}
	}
	if s != nil && r.Field != "" && !f.changed[s.ID] {
		all, known := f.gives(s)
		if first, _, _ := strings.Cut(r.Field, "."); known && !slices.Contains(all, first) {
			f.problem("Step %q gives no field %q: it gives %s. Without a value that fits, \"from\" is empty, so that people are asked.", cut(w.From, 60), cut(w.Field, 60), cmp.Or(strings.Join(all, ", "), "a text, unless its fields are listed"))
			return tree.Ref{}
		}
	}
	return r
}

// made finds a step that was read, or one of the base.
func (f *fill) made(id string) *tree.Step {
	if s := f.asks[id]; s != nil || f.base == nil {
		return s
	}
	return f.base.Step(id)
}

// gives lists the fields of what a step gives; false = they are not known.
func (b *brief) gives(s *tree.Step) (all []string, known bool) {
	switch {
	case s.Doer == tree.DoerTool:
		all = fieldsOf(b.tools[s.Tool])
		return all, len(all) > 0
	case s.Kind == tree.Agent || len(s.Fields) > 0:
		for _, l := range s.Fields {
			all = append(all, l.Name)
		}
		return all, true
	}
	return nil, false
}

// cond takes over a condition. People decide one that is no comparison, or that its words contradict.
func (f *fill) cond(w *wireCond) *tree.Cond {
	return f.checked(f.compared(w))
}

func (f *fill) checked(c *tree.Cond) *tree.Cond {
	if c != nil {
		if wrong := f.contrary(c); wrong != "" {
			f.problem("%s", wrong)
			return &tree.Cond{Words: c.Words, At: c.At}
		}
	}
	return c
}

// goesOn are words that say when a loop goes on, which is the opposite of when it ends. leads are those that stand before what ends it.
var (
	goesOn = regexp.MustCompile(`(?i)^(?:for )?(?:while|as long as|so long as|whenever)\b`)
	leads  = regexp.MustCompile(`(?i)\b(?:until|till|while|as long as|so long as|whenever|if|when)\s+$`)
	ifs    = regexp.MustCompile(`(?i)^(?:if|when)\b`)
	agains = english.WordSet("again anew another back repeat repeats repeated redo redone retry retried")
	ends   = english.WordSet("stop stops stopped end ends ended finish finished done else otherwise . ; ! ?")
)

// again reports whether the words behind an "if" say that something is done again: "if it is below 8, it is written again".
func again(behind string) bool {
	for _, w := range english.Scan(behind) {
		if agains[w.Low] || ends[w.Low] {
			return agains[w.Low]
		}
	}
	return false
}

// until takes over when a loop ends.
func (f *fill) until(w *wireCond) *tree.Cond {
	c := f.compared(w)
	if c == nil {
		return nil
	}
	q := &c.At[0]
	if at := leads.FindStringIndex(f.t.Texts[q.Text].Words[:q.From]); at != nil {
		q.From = at[0]
	}
	if words := f.t.Words(*q); !goesOn.MatchString(words) && !(ifs.MatchString(words) && again(f.t.Texts[q.Text].Words[q.To:])) {
		return f.checked(c)
	}
	if c.Op != "" && f.contrary(&tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{*c}, Words: c.Words, At: c.At}) != "" {
		f.problem("The words %q say when the steps are done again: until says when they are not, which is the opposite.", cut(c.Words, 80))
		c.Op = ""
	}
	if c.Op == "" { // people decide whether it goes on
		return &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{{Words: c.Words, At: c.At}}}
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
		c.Left.Literal = nil // it is a value of the run
	}
	if w.Right != nil {
		if c.Right = f.named(c, w.Right.Words); c.Right.Open() {
			c.Right, _ = f.value(*w.Right, "condition")
		}
	}
	if no {
		return &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{{Op: c.Op, Left: c.Left, Words: c.Words}}, Words: c.Words, At: c.At}
	}
	f.answered(c)
	return c
}

// named gives the one of the values that the left side can have which words are: a choice of a question, a value of a field or an input.
func (f *fill) named(c *tree.Cond, words string) tree.Value {
	var all []string
	switch s, in := f.made(c.Left.Ref.Step), f.t.Input(c.Left.Ref.Input); {
	case in != nil:
		all = in.Enum
	case s == nil:
	case s.Doer == tree.DoerTool: // its words name what it can give: "classify it as billing or other"
		if at := strings.Index(strings.ToLower(s.Text), strings.ToLower(words)); at >= 0 && len(strings.ToLower(s.Text)) == len(s.Text) && english.Whole(s.Text, at, at+len(words)) {
			all = []string{s.Text[at : at+len(words)]}
		}
	case len(s.Fields) > 0 && c.Left.Ref.Field != "":
		if i := slices.IndexFunc(s.Fields, func(l tree.Field) bool { return l.Name == c.Left.Ref.Field }); i >= 0 {
			all = s.Fields[i].Enum
		}
	case s.Kind == tree.Ask && !s.Free && answers(c.Words, words):
		if all = s.Choices; len(all) == 0 {
			all = []string{"approve", "reject"}
		}
	}
	if i := slices.IndexFunc(all, func(v string) bool { return strings.EqualFold(v, strings.TrimSpace(words)) }); i >= 0 {
		return tree.Value{Words: words, Literal: all[i]}
	}
	return tree.Value{}
}

// answered has a condition about the answer to a question compare it with one of its choices: "accepted" is approve.
func (f *fill) answered(c *tree.Cond) {
	ask := f.made(c.Left.Ref.Step)
	if ask == nil || ask.Kind != tree.Ask || len(ask.Fields) > 0 && c.Left.Ref.Field != "" || ask.Free || c.Op != "==" && c.Op != "!=" {
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
func (f *finder) contrary(c *tree.Cond) string {
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
	required := slices.ContainsFunc(english.Scan(c.Words), func(w english.Word) bool { return w.Low == "must" || w.Low == "should" }) // something is done when it is not so
	for _, b := range bounds(c, false) {
		for _, s := range said {
			if s.n == b.n && !(required && b.op == opposite[s.op]) && (s.op[0] != b.op[0] || len(said) == 1 && s.op != b.op) {
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
	words, field := english.Scan(c.Words), english.Scan(english.PlainName(flag.Left.Ref.Field+flag.Left.Ref.Input))
	negative := func(all, of []english.Word) bool {
		return slices.ContainsFunc(all, func(w english.Word) bool {
			return denied([]english.Word{w}) && w.Stem != "stop" && w.Stem != "skip" || match.Negative[w.Stem] || opposed(w, of)
		})
	}
	absent := func(all []english.Word) bool {
		return slices.ContainsFunc(all, func(w english.Word) bool { return lacking[w.Low] })
	}
	if negative(words, field) != (not != negative(field, words)) && !(not && absent(words) && !absent(field)) {
		return fmt.Sprintf("The words %q say the opposite of this condition: op not turns a yes-or-no value round.", cut(c.Words, 80))
	}
	return ""
}

// lacking are words that say the opposite of some values, such as present, and not of others, such as needed.
var lacking = english.WordSet("missing lacking absent incomplete insufficient")

// opposed reports whether a word is the opposite of another one: "implausible" of plausible.
func opposed(w english.Word, of []english.Word) bool {
	return slices.ContainsFunc(of, func(o english.Word) bool {
		lead, ok := strings.CutSuffix(w.Stem, o.Stem)
		return ok && slices.Contains([]string{"un", "in", "im", "ir", "il", "dis", "non", "non-"}, lead)
	})
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
