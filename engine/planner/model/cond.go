package model

import (
	"cmp"
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
	q, ok := f.need(w.Words, what)
	if !ok {
		return tree.Value{}, false
	}
	v := tree.Value{Words: f.t.Words(q), At: q}
	switch w.As {
	case "text":
		v.Literal = strings.Trim(v.Words, "\"“”„")
	case "number":
		n, ok := oneNumber(v.Words)
		if !ok {
			f.problem("The words %q are not one number: quote the number alone.", english.Shorten(w.Words, 60))
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
	if w.From == "" {
		return tree.Ref{}
	}
	kind, name, _ := strings.Cut(w.From, ":")
	var r tree.Ref
	switch {
	case kind == "input" && f.t.Input(name) != nil:
		r.Input = name
	case kind == "step":
		r.Step = cmp.Or(f.labels[name], f.numbers[name])
	case kind == "item" && len(f.each) > 0:
		r.Item = f.each[len(f.each)-1]
	case kind == "event" && slices.Contains([]string{"text", "from", "channel", "thread"}, name):
		return tree.Ref{Event: name}
	}
	if (r == tree.Ref{}) {
		f.problem("There is no value %q for %q.", english.Shorten(w.From, 60), english.Shorten(w.Words, 60))
		return r
	}
	r.Field = w.Field
	if s := f.made(r.Step); s != nil && !f.gives(s, r.Field, w) {
		return tree.Ref{}
	}
	return r
}

// made finds a step that was read, or one of the base.
func (f *fill) made(id string) *tree.Step {
	if s := f.read[id]; s != nil || f.base == nil {
		return s
	}
	return f.base.Step(id)
}

// gives reports whether a step gives a value, and this field of it.
func (f *fill) gives(s *tree.Step, field string, w wireValue) bool {
	if slices.Contains([]tree.Kind{tree.Decide, tree.Parallel, tree.Repeat, tree.Tell, tree.Wait, tree.Stop}, s.Kind) {
		f.problem("Step %q gives no value: it is of kind %s.", english.Shorten(w.From, 60), s.Kind)
		return false
	}
	var all []string
	for _, l := range s.Fields {
		all = append(all, l.Name)
	}
	if s.Doer == tree.DoerTool {
		all = fieldsOf(f.tools[s.Tool])
	}
	known := len(all) > 0 || s.Kind == tree.Agent
	if field, _, _ = strings.Cut(field, "."); field == "" || !known || f.changed[s.ID] || slices.Contains(all, field) {
		return true
	}
	f.problem("Step %q gives no field %q: it gives %s. Without a value that fits, \"from\" is empty, so that people are asked.", english.Shorten(w.From, 60), english.Shorten(w.Field, 60), cmp.Or(strings.Join(all, ", "), "a text, unless its fields are listed"))
	return false
}

// cond takes over a condition. People decide one that is no comparison, or that its words contradict.
func (f *fill) cond(w *wireCond) *tree.Cond {
	c := f.compared(w)
	if c != nil && !f.agrees(c) {
		return &tree.Cond{Words: c.Words, At: c.At}
	}
	return c
}

var (
	// goesOn are words that say when a loop goes on, which is the opposite of when it ends.
	goesOn = regexp.MustCompile(`(?i)^(?:for )?(?:while|as long as|so long as|whenever)\b`)
	// leads are words that stand before what ends a loop.
	leads = regexp.MustCompile(`(?i)\b(?:until|till|while|as long as|so long as|whenever|if|when)\s+$`)
)

// until takes over when a loop ends. Words that say when it goes on are the opposite. Words that contradict it are asked about.
func (f *fill) until(w *wireCond) *tree.Cond {
	c := f.compared(w)
	if c == nil {
		return nil
	}
	q := &c.At[0]
	if at := leads.FindStringIndex(f.t.Texts[q.Text].Words[:q.From]); at != nil {
		q.From = at[0]
	}
	on := goesOn.MatchString(f.t.Words(*q))
	said := c
	if on {
		said = &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{*c}, Words: c.Words, At: c.At}
	}
	agrees := f.agrees(said)
	if !agrees {
		f.problem("The words %q say when the steps are done again: until says when they are not, which is the opposite.", english.Shorten(c.Words, 80))
	}
	switch {
	case on && (c.Op == "" || !agrees): // people decide whether it goes on
		return &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{{Words: c.Words, At: c.At}}}
	case !agrees:
		return nil
	}
	return c
}

// compared takes over a condition with its parts.
func (f *fill) compared(w *wireCond) *tree.Cond {
	if w == nil {
		return nil
	}
	q, ok := f.need(w.Quote, "quote of a condition")
	if !ok {
		return nil
	}
	c := &tree.Cond{Op: w.Op, Words: f.t.Words(q), At: []tree.Quote{q}}
	if w.Op == "decide" {
		c.Op = ""
		return c
	}
	for i := range w.Parts {
		if part := f.compared(&w.Parts[i]); part != nil {
			c.Parts = append(c.Parts, *part)
		}
	}
	if w.Left != nil {
		c.Left, _ = f.value(*w.Left, "value of a condition")
		c.Left.Literal = nil // it is a value of the run
	}
	if w.Right == nil {
		return c
	}
	if flag := w.Right.As; w.Op == "==" && (flag == "yes" || flag == "no") {
		if _, said := f.find(w.Right.Words); !said { // "if it is urgent" has no word for yes
			is := tree.Cond{Op: tree.OpTrue, Left: c.Left, Words: c.Words, At: c.At}
			if flag == "no" {
				return &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{is}, Words: c.Words, At: c.At}
			}
			return &is
		}
	}
	if c.Right = f.oneOf(c, w.Right.Words); c.Right.Open() {
		c.Right, _ = f.value(*w.Right, "value of a condition")
	}
	f.answered(c)
	return c
}

// oneOf gives the one of the values that the left side can have which words are: a choice of a question, a value of a field or an input.
func (f *fill) oneOf(c *tree.Cond, words string) tree.Value {
	var all []string
	switch s, in := f.made(c.Left.Ref.Step), f.t.Input(c.Left.Ref.Input); {
	case in != nil:
		all = in.Enum
	case s == nil:
	case len(s.Fields) > 0 && c.Left.Ref.Field != "":
		for _, l := range s.Fields {
			if l.Name == c.Left.Ref.Field {
				all = l.Enum
			}
		}
	case s.Kind == tree.Ask && !s.Free && answers(c.Words, words):
		all = choicesOf(s)
	}
	if i := slices.IndexFunc(all, func(v string) bool { return strings.EqualFold(v, strings.TrimSpace(words)) }); i >= 0 {
		return tree.Value{Words: words, Literal: all[i]}
	}
	return tree.Value{}
}

// choicesOf are the choices of a question.
func choicesOf(ask *tree.Step) []string {
	if len(ask.Choices) == 0 {
		return []string{"approve", "reject"}
	}
	return ask.Choices
}

// answered has a condition about the answer to a question compare it with one of its choices: "accepted" is approve.
func (f *fill) answered(c *tree.Cond) {
	ask := f.made(c.Left.Ref.Step)
	if ask == nil || ask.Kind != tree.Ask || len(ask.Fields) > 0 && c.Left.Ref.Field != "" || ask.Free || c.Op != "==" && c.Op != "!=" {
		return
	}
	c.Left.Ref.Field = ""
	text, _ := c.Right.Literal.(string)
	if len(ask.Choices) == 0 {
		text = cmp.Or(answerOf(text), text)
	}
	if c.Right.Literal = text; !slices.Contains(choicesOf(ask), text) {
		f.problem("%q is none of the answers to its question: %s.", english.Shorten(text, 60), strings.Join(choicesOf(ask), ", "))
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

// agrees reports whether a condition is not contrary to its words. What stands behind "unless" or "otherwise" may be turned round.
func (f *finder) agrees(c *tree.Cond) bool {
	before := english.Scan(f.t.Texts[c.At[0].Text].Words[:c.At[0].From])
	if slices.ContainsFunc(before[max(0, len(before)-4):], turns) {
		return true
	}
	return f.boundAgrees(c) && f.flagAgrees(c)
}

// turns reports whether a word turns round what stands with it.
func turns(w english.Word) bool {
	return english.Denials[w.Low] || w.Low == "except" || w.Low == "else" || w.Low == "otherwise"
}

// boundAgrees holds a comparison with a number against what the grammar reads in its words.
func (f *finder) boundAgrees(c *tree.Cond) bool {
	read := values.Source{Src: c.Words}.Condition(phrase.Scan(c.Words, 0, len(c.Words)))
	said := bounds(&read, false)
	for _, b := range bounds(c, false) {
		for _, s := range said {
			if s.n == b.n && (s.op[0] != b.op[0] || len(said) == 1 && s.op != b.op) {
				f.problem("The words %q say %s %s: a condition says what its quote says; what happens otherwise stands behind it or in else.", english.Shorten(c.Words, 80), s.op, strconv.FormatFloat(s.n, 'f', -1, 64))
				return false
			}
		}
	}
	return true
}

// flagAgrees holds a yes-or-no value against its words: they have a word of its name and deny it or not, or say its opposite ("if it fails"
// of passed).
func (f *finder) flagAgrees(c *tree.Cond) bool {
	flag, not := c, false
	if c.Op == tree.OpNot && len(c.Parts) == 1 {
		flag, not = &c.Parts[0], true
	}
	name := flag.Left.Ref.Field + flag.Left.Ref.Input
	if flag.Op != tree.OpTrue || name == "" {
		return true
	}
	words, of := english.Scan(c.Words), english.Scan(english.PlainName(name))
	negative := func(w english.Word) bool { return match.Negative[w.Stem] }
	named := slices.ContainsFunc(words, func(w english.Word) bool {
		return w.Content() && slices.ContainsFunc(of, func(o english.Word) bool { return o.Stem == w.Stem })
	})
	answer := strings.TrimPrefix(strings.ToLower(c.Words), "if ")
	if yes, no := answer == "yes" || answer == "so", answer == "no" || answer == "not"; yes && !not || no && not {
		return true
	}
	if named && not == slices.ContainsFunc(words, turns) || !named && not && slices.ContainsFunc(words, negative) && !slices.ContainsFunc(of, negative) {
		return true
	}
	f.problem("The words %q do not say %q as it is here, or say the opposite: op not turns a yes-or-no value round. If no field says it, op is decide.", english.Shorten(c.Words, 80), name)
	return false
}

// answerOf is the answer that words say, approve or reject; "" = none. “Doesn't accept” and “no objections” turn it round.
func answerOf(words string) string {
	all := english.Scan(words)
	for i, w := range all {
		said := phrase.Answers[w.Low]
		switch {
		case said == "" || denies(all, i):
			continue
		case slices.ContainsFunc(all[:i], turns):
			return map[string]string{"approve": "reject", "reject": "approve"}[said]
		}
		return said
	}
	return ""
}

// goesOnAnyway reports whether words say that the run goes on when nobody has answered: "if he doesn't answer send it anyway".
func goesOnAnyway(words string) bool {
	for _, toks := range phrase.Sentences(phrase.Scan(words, 0, len(words))) {
		for i := range toks {
			if _, _, n := phrase.Silence(toks[i:]); n > 0 {
				rest := phrase.Trim(toks[i+n:])
				said, size := phrase.OutcomeOf(rest)
				return size > 0 && (said == "" || phrase.Answers[said] == "approve") || len(rest) > 0 && phrase.Anyway(rest)
			}
		}
	}
	return false
}

// denies reports whether a word is no answer, but turns round what stands behind it: "no objections".
func denies(all []english.Word, i int) bool {
	return all[i].Low == "no" && i+1 < len(all) && all[i+1].Content() && phrase.Answers[all[i+1].Low] == ""
}

// answers reports whether words can mean a choice: they deny something, or say it, or say no other answer.
func answers(words, choice string) bool {
	other, all := false, english.Scan(words)
	for i, w := range all {
		said := phrase.Answers[w.Low]
		if said == choice || english.Denials[w.Low] && w.Low != "no" || denies(all, i) {
			return true
		}
		other = other || said != ""
	}
	return !other || choice != "approve" && choice != "reject"
}
