package planner

import (
	"cmp"
	"slices"
	"strconv"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
)

// cond binds both sides of a condition to values, or asks for the decider. It reports whether the condition is understood.
func (p *planning) cond(s *tree.Step, c *tree.Cond, place string, k match.Scope) bool {
	decided := tree.Cond{Words: c.Words, At: c.At} // people decide whether the words hold, which may have a negation
	if c.Op == tree.OpNot && c.Words != "" && len(c.Parts) == 1 && len(c.Parts[0].Parts) == 0 && !p.known(c.Parts[0], k) {
		*c = decided
	}
	if len(c.Parts) > 0 {
		ok := true
		for i := range c.Parts {
			ok = p.cond(s, &c.Parts[i], place+"."+strconv.Itoa(i), k) && ok
		}
		if ok && c.Op == tree.OpNot {
			otherAnswer(c, k)
		}
		return ok
	}
	if _, amount := c.Right.Literal.(float64); !amount && c.Left.Ref == (tree.Ref{}) && len(reply.Said(p.t.Before(s), english.Scan(c.Words))) > 0 && !p.bindChoice(c, k) {
		p.askCond(s, c, place, k, nil)
		return false
	}
	ok, offered := p.bind(c, k, p.subjectBefore(s, c))
	if ok && match.Judged(c, k) {
		*c = decided
		ok, offered = p.bind(c, k, tree.Ref{})
	}
	if !ok {
		p.askCond(s, c, place, k, offered)
		return false
	}
	for _, v := range []tree.Value{c.Left, c.Right} {
		if v.Ref.Field != "" {
			p.checked = append(p.checked, v.Ref)
		}
	}
	return true
}

// otherAnswer makes a no of a denied yes, when there are two answers: "unless she says yes". A no would end the run before.
func otherAnswer(c *tree.Cond, k match.Scope) {
	one := c.Parts[0]
	said, _ := one.Right.Literal.(string)
	asked := k.Question(one.Left.Ref)
	if asked == nil || len(asked.Choices) != 2 || one.Op != "==" || !slices.Contains(asked.Choices, said) {
		return
	}
	if other := asked.Choices[1-slices.Index(asked.Choices, said)]; idiom.Refuses(other) {
		c.Op, c.Left, c.Right, c.Parts = one.Op, one.Left, one.Right, nil
		c.Right.Literal = other
	}
}

// bind finds what both sides of a comparison mean. If the left side can be several values, it gives them. before is the value that the
// condition before is about.
func (p *planning) bind(c *tree.Cond, k match.Scope, before tree.Ref) (ok bool, offered []match.Candidate) {
	if answer, text := c.Right.Literal.(string); p.onlyDone(c.Left.Ref) && !slices.Contains(tree.PersonChoices(), answer) || text && answer != flow.ChoiceTimeout && k.Never(c.Left.Ref, answer) {
		c.Left.Ref = tree.Ref{}
	}
	if p.bindChoice(c, k) {
		return true, nil
	}
	if c.Op == "" {
		match.ReadFlag(c, k)
	}
	ok = c.Op != "" && c.Op != tree.OpAnd && c.Op != tree.OpOr && c.Op != tree.OpNot
	if ok && c.Left.Open() {
		bindSlot(p, c, k)
	}
	if ok && c.Left.Open() {
		bindNumber(p, c, k)
	}
	if ok && c.Left.Open() {
		ok, offered = match.BindLeft(c, k, before)
	}
	if ok && needsRight(c.Op) && c.Right.Open() {
		ok = match.BindRight(c, k)
	}
	if answer, text := c.Right.Literal.(string); ok && text && answer != flow.ChoiceTimeout && k.Never(c.Left.Ref, answer) { // "it is urgent" behind a question with a yes and a no
		c.Left.Ref = tree.Ref{}
		return false, nil
	}
	return ok, offered
}

// bindSlot takes a <name> on the left of a comparison as the input of this name.
func bindSlot(p *planning, c *tree.Cond, k match.Scope) {
	name, typ := idiom.InputName(c.Left.Words), ""
	if _, amount := c.Right.Literal.(float64); amount {
		typ = "number"
	}
	named := map[string]bool{}
	if match.AddInputs(named, c.Words); !named[name] || p.t.Input(name) == nil && len(k.Slot(name)) == 1 {
		return
	}
	if is := p.t.Input(name); is == nil || is.Type == "" || typ == "" || match.IsNumber(is.Type) {
		p.t.Declare(tree.Input{Name: name, Type: typ})
		c.Left.Ref = tree.Ref{Input: name}
	}
}

// bindNumber takes an input that nothing gives a type and that is compared with a number as a number: “if the severity is 1” behind “incident
// <severity>”.
func bindNumber(p *planning, c *tree.Cond, k match.Scope) {
	_, amount := c.Right.Literal.(float64)
	all := k.Named(english.Scan(c.Left.Words), match.AnyType)
	if !amount || len(all) != 1 {
		return
	}
	if in := p.t.Input(all[0].Ref.Input); in != nil && (in.Type == "" || in.Type == "number") && len(in.Enum) == 0 {
		in.Type, c.Left.Ref = "number", all[0].Ref
	}
}

// known reports whether a condition is about a value of the run, or about one of several.
func (p *planning) known(c tree.Cond, k match.Scope) bool {
	_, offered := p.bind(&c, k, tree.Ref{})
	return c.Op != "" && (!c.Left.Open() || len(offered) > 0)
}

func needsRight(op string) bool { return op != tree.OpTrue && op != tree.OpEmpty }

// subjectBefore is the value that the condition directly before is about: "if the severity is high ask @bob; if it is low tell @ana".
func (p *planning) subjectBefore(s *tree.Step, c *tree.Cond) tree.Ref {
	all := s.Branches
	if at := slices.IndexFunc(all, func(b tree.Branch) bool { return b.When == c }); at >= 0 {
		all = all[:at]
	}
	if d := p.t.Before(s); d != nil && d.Kind == tree.Decide {
		all = slices.Concat(d.Branches, all)
	}
	for _, b := range slices.Backward(all) {
		if b.When != nil {
			return b.When.Subject().Ref
		}
	}
	return tree.Ref{}
}

// bindChoice reads a condition as one about the answer to the nearest question: "if approved", "if they say no", "if red".
func (p *planning) bindChoice(c *tree.Cond, k match.Scope) bool {
	if c.Left.Ref != (tree.Ref{}) {
		return c.Op != "" && !c.Right.Open() && k.Question(c.Left.Ref) != nil
	}
	asked := k.Asked()
	if asked == nil {
		return false
	}
	text := c.Left.Words
	switch right, _ := c.Right.Literal.(string); {
	case c.Op == "" || text == "" && c.Op == tree.OpTrue:
		text = c.Words
	case c.Op == "==" || c.Op == "!=":
		text += " " + cmp.Or(right, c.Right.Words)
	case c.Op != tree.OpTrue:
		return false
	}
	words := english.Scan(text)
	choice, not := asked.Choice(words)
	ask := p.t.Step(asked.Ref.Step)
	if choice == "" || reply.Opines(ask, words) || reply.OfAnother(ask, choice, words) || slices.ContainsFunc(words, func(w english.Word) bool {
		return anew[w.Low] || reply.Untrue(ask, w.Low) || k.Questions() > 1 && together[w.Low]
	}) {
		return false
	}
	if c.Op == "!=" {
		not = !not
	}
	if other := asked.Choices[len(asked.Choices)-1]; not && len(asked.Choices) == 2 && choice != other && idiom.Refuses(other) { // a no has a way of its own
		choice, not = other, false
	}
	c.Op = map[bool]string{false: "==", true: "!="}[not]
	c.Left = tree.Value{Words: c.Left.Words, At: c.Left.At, Ref: asked.Ref}
	c.Right = tree.Value{Words: c.Right.Words, At: c.Right.At, Literal: choice}
	return true
}

// anew are words that tell one answer of several times from another.
var anew = english.WordSet("again first too also")

// together are words for the answers of several people.
var together = english.WordSet("both all everyone everybody each any either nobody none two three")
