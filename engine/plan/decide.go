package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// formula is a condition as expressions: yes holds when it is true, no when it is surely false. When a value is missing neither
// does, unless the formula is sure.
type formula struct {
	value   string // what is compared; empty when it is more than one thing
	yes, no string
	sure    bool
	compound
}

// compound says of what an expression is made, for brackets.
type compound struct{ yesJoin, noJoin string }

// decide adds a decision with its branches. A missing value never takes the side that does something: it goes to the people who
// are asked on one of the sides, else the run ends and says so.
func (b *builder) decide(s *statement, in []exit, k known, c context) []exit {
	var refs []reference
	f := b.formula(s.cond, s.line, k, &refs)
	if s.cond.mixed {
		b.note(Note{Line: s.line, Code: "mixed_condition", Text: fmt.Sprintf("Step %d joins with “and” and “or”; “and” is taken first: %s.", s.line, conditionWords(f.yes))})
	}
	b.checked = append(b.checked, refs...)
	otherwise := f.sure || asksPeople(s.other)
	n := b.add(s.line, "check "+s.cond.about(), flow.Node{
		Name: s.cond.question(), Description: b.origins(refs), Spec: &flow.DecisionSpec{Expr: cmp.Or(f.value, f.yes)},
		Routes: f.routes(s.cond, otherwise),
	}, in)
	inside := context{next: c.next, facts: refs}
	head := len(b.flow.Nodes)
	yes, _ := b.list(s.then, b.exits(n, 0), k, inside)
	no, _ := b.list(s.other, b.exits(n, 1), k, inside)
	switch {
	case otherwise:
	case asksPeople(s.then):
		b.connect(b.exits(n, 2), b.flow.Nodes[head].ID)
	default:
		b.missing(s, n)
	}
	return append(yes, no...)
}

// asksPeople reports whether the first thing done is to ask people who choose.
func asksPeople(all []statement) bool {
	return len(all) > 0 && all[0].ask != nil && all[0].ask.choices != nil
}

// routes are the sides of a decision: where the condition holds, where it does not, and where that is not known. otherwise joins
// the last two.
func (f formula) routes(c *condition, otherwise bool) []flow.Route {
	label, unknown := c.label()
	when := f.yes
	if f.value == "" {
		when = "true"
	}
	if otherwise {
		return []flow.Route{{When: when, Label: label}, {When: "default", Label: opposite(label)}}
	}
	return []flow.Route{{When: when, Label: label}, {When: f.no, Label: opposite(label)}, {When: "default", Label: unknown}}
}

// opposite is the label of the side that does not hold.
func opposite(label string) string {
	switch label {
	case "yes":
		return "no"
	case "no":
		return "yes"
	}
	return "otherwise"
}

// origins says where the values of a decision come from, for the picture.
func (b *builder) origins(refs []reference) string {
	var from []string
	for _, r := range refs {
		if n := b.flow.Node(r.node); n != nil && !slices.Contains(from, quote(n.Name)) {
			from = append(from, quote(n.Name))
		}
	}
	if len(from) == 0 {
		return "from the run's inputs"
	}
	return "from " + list(from, "and")
}

// missing ends the way of a missing value with a message.
func (b *builder) missing(s *statement, decision int) {
	_, label := s.cond.label()
	because := "there is " + escape(label)
	if label == notKnown {
		because = "a value is missing"
	}
	message := fmt.Sprintf("{{run.title}} stops here: %s cannot be answered, because %s.", quote(escape(s.cond.question())), because)
	b.farewell(s.line, b.flow.Nodes[decision].ID+" unknown", message, b.exits(decision, 2))
}

// notKnown labels the way of a missing value that has no name of its own.
const notKnown = "not known"

// formula writes a condition as expressions, and notes what it reads.
func (b *builder) formula(c *condition, line int, k known, refs *[]reference) formula {
	var f formula
	if c.join != "" {
		f = b.joined(c, line, k, refs)
	} else {
		f = b.comparison(c, line, k, refs)
	}
	if c.inverted {
		f.yes, f.no, f.yesJoin, f.noJoin = f.no, f.yes, f.noJoin, f.yesJoin
	}
	return f
}

// joined joins comparisons; the opposite of "a and b" is "not a or not b".
func (b *builder) joined(c *condition, line int, k known, refs *[]reference) formula {
	opposite := map[string]string{"and": "or", "or": "and"}[c.join]
	f := formula{sure: true, compound: compound{c.join, opposite}}
	var yes, no []string
	for _, kid := range c.kids {
		sub := b.formula(kid, line, k, refs)
		yes = append(yes, bracket(sub.yes, sub.yesJoin, c.join))
		no = append(no, bracket(sub.no, sub.noJoin, opposite))
		f.sure = f.sure && sub.sure
	}
	f.yes, f.no = oneEach(yes, c.join), oneEach(no, opposite)
	return f
}

// oneEach joins expressions; what several of them ask ("there is a status") is asked once.
func oneEach(exprs []string, join string) string {
	var parts []string
	for _, e := range exprs {
		for _, p := range cutOutside(e, " "+join+" ") {
			if !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
	}
	return strings.Join(parts, " "+join+" ")
}

func bracket(expr, join, inside string) string {
	if join != "" && join != inside {
		return "(" + expr + ")"
	}
	return expr
}

// comparison finds what is compared and writes both sides.
func (b *builder) comparison(c *condition, line int, k known, refs *[]reference) formula {
	var subject []string
	for _, w := range c.subject {
		if !w.content() {
			continue
		}
		subject = append(subject, nameStems(strings.TrimSuffix(w.low, "'s"))...)
	}
	if c.flag {
		if f, ok := b.flagged(c, k, subject, refs); ok {
			return f
		}
	}
	ref, found := k.named(subject)
	if found {
		*refs = append(*refs, ref)
	} else {
		ref = b.asked(c, line, k, subject)
	}
	f := formula{value: ref.path, sure: !found}
	if c.flag && !found && ref.field.typ == "boolean" {
		c.yesNo = true
		return flagFormula(ref.path, c.op == equal, true)
	}
	b.operate(&f, c, ref, line)
	return f
}

// operate writes both sides of a comparison.
func (b *builder) operate(f *formula, c *condition, ref reference, line int) {
	path, given := ref.path, ref.path+" != null and "
	switch c.op {
	case missing, present:
		f.yes, f.no, f.sure = path+" == null", path+" != null", true
		if c.op == present {
			f.yes, f.no = f.no, f.yes
		}
	case between:
		low, high := b.value(c, ref, line, 0), b.value(c, ref, line, 1)
		f.yes, f.no = path+" >= "+low+" and "+path+" <= "+high, path+" < "+low+" or "+path+" > "+high
		f.compound = compound{"and", "or"}
	case contains:
		f.yes = path + " contains " + b.value(c, ref, line, 0)
		f.no, f.noJoin = given+"not ("+f.yes+")", "and"
	case equal, unequal:
		v := b.value(c, ref, line, 0)
		f.yes, f.no, f.noJoin = path+" == "+v, given+path+" != "+v, "and"
		if c.op == unequal {
			f.yes, f.no, f.yesJoin, f.noJoin = f.no, f.yes, f.noJoin, f.yesJoin
		}
	default:
		v := b.value(c, ref, line, 0)
		f.yes, f.no = path+" "+string(c.op)+" "+v, path+" "+string(inverse[c.op])+" "+v
	}
}

// flagged reads "the order is late" as a yes-or-no field.
func (b *builder) flagged(c *condition, k known, subject []string, refs *[]reference) (formula, bool) {
	ref, ok := k.flag(c.values[0].stem)
	if !ok {
		return formula{}, false
	}
	if !k.thing(subject) {
		return formula{}, false
	}
	*refs = append(*refs, ref)
	c.yesNo = true
	return flagFormula(ref.path, c.op == equal, false), true
}

func flagFormula(path string, yes, sure bool) formula {
	f := formula{value: path, yes: path + " == true", no: path + " == false", sure: sure}
	if !yes {
		f.yes, f.no = f.no, f.yes
	}
	return f
}

// asked makes an input of what no result has: every run is asked for it.
func (b *builder) asked(c *condition, line int, k known, subject []string) reference {
	p := param{typ: "string", required: true, name: strings.ReplaceAll(strings.Join(plainTexts(c.subject), "_"), "'s", "")}
	switch {
	case len(c.values) > 0 && c.values[0].kind == numberWord:
		p.typ = "number"
	case c.flag && k.thing(subject):
		p.typ, p.name = "boolean", c.values[0].low
	case c.op == missing || c.op == present:
		p.required = false
	}
	if len(subject) == 0 && p.typ != "boolean" {
		b.note(Note{Line: line, Code: "not_understood", Blocks: true, Text: fmt.Sprintf("Step %d: I do not know what is meant in %s. Write its name.", line, quote(c.words))})
	}
	name := b.input(p, "")
	ask := "so every run asks for it"
	if !p.required {
		ask = "so it is what a run is given, or not"
	}
	b.note(Note{Line: line, Code: "missing_value", Text: fmt.Sprintf("Step %d: no earlier step gives %s, %s.", line, quote(strings.ReplaceAll(p.name, "_", " ")), ask)})
	return reference{path: "inputs." + name, field: field{typ: p.typ}}
}

func plainTexts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.low
	}
	return out
}

// value writes the i-th value of a comparison. A word is written as the field's schema writes it.
func (b *builder) value(c *condition, ref reference, line, i int) string {
	w := c.values[i]
	if n, ok := parseNumber(w.text); ok && w.kind == numberWord {
		return numberText(n)
	}
	if ref.field.typ == "boolean" && (w.low == "true" || w.low == "yes" || w.low == "false" || w.low == "no") {
		return map[string]string{"true": "true", "yes": "true"}[w.low] + map[string]string{"false": "false", "no": "false"}[w.low]
	}
	text := w.text
	var allowed []string
	for _, e := range ref.field.enum {
		s, ok := e.(string)
		if ok && strings.EqualFold(s, text) {
			return literal(s)
		}
		allowed = append(allowed, fmt.Sprint(e))
	}
	if len(allowed) > 0 && c.op != contains {
		b.note(Note{Line: line, Code: "unknown_value", Text: fmt.Sprintf("Step %d: the %s is never %s; it is %s.", line, strings.Join(plainTexts(c.subject), " "), quote(text), list(allowed, "or"))})
	}
	return literal(text)
}

// question is the condition as a question, short enough for the picture.
func (c *condition) question() string {
	subject := strings.Join(plainTexts(c.subject), " ")
	text := subject + " " + c.sideWords()
	switch {
	case c.join != "":
		text = c.words
	case c.op == missing:
		text = "no " + subject
	case c.op == present:
		text = subject + " there"
	}
	return sentenceCase(shorten(strings.TrimSpace(text), questionLength)) + "?"
}

const questionLength = 36 // characters of a decision's name

// sideWords say what the value must be: "over 200", "shipped", "not ACME".
func (c *condition) sideWords() string {
	var values []string
	for _, v := range c.values {
		values = append(values, v.text)
	}
	value := strings.TrimSpace(strings.Join(values, " and ") + " " + c.unit)
	switch c.op {
	case over:
		return "over " + value
	case under:
		return "under " + value
	case atLeast:
		return "at least " + value
	case atMost:
		return "at most " + value
	case between:
		return "between " + value
	case contains:
		return "with " + value
	case unequal:
		return "not " + value
	case missing:
		return "missing"
	case present:
		return "there"
	}
	return value
}

// label says what the picture writes on the side that holds, and on the way of a missing value.
func (c *condition) label() (yes, unknown string) {
	unknown = notKnown
	if c.join == "" && !c.yesNo {
		unknown = "no " + shorten(strings.Join(plainTexts(c.subject), " "), nameLength)
	}
	switch {
	case c.inverted:
		return "no", unknown
	case c.join != "":
		return "yes", unknown
	}
	return shorten(c.sideWords(), nameLength), unknown
}

// about is what the decision is called after: the thing that is compared, not the value, so that its id survives a new limit.
func (c *condition) about() string {
	if c.yesNo {
		return c.values[0].low
	}
	if c.join == "" {
		return strings.Join(plainTexts(c.subject), " ")
	}
	var names []string
	for _, k := range c.kids {
		for a := range strings.FieldsSeq(k.about()) {
			if !slices.Contains(names, a) && len(names) < 3 {
				names = append(names, a)
			}
		}
	}
	return strings.Join(names, " ")
}
