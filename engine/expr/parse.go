package expr

import (
	"fmt"
	"strings"

	"sluice/engine/expr/function"
	"sluice/engine/naming"
)

// Limits of one expression, checked when it is compiled.
const (
	MaxSource = 16 << 10 // bytes of an expression
	MaxTokens = 2000     // words, values, operators and brackets of an expression
	MaxDepth  = 64       // brackets, choices and negations inside each other
)

// parser reads tokens by recursive descent. From loose to tight: choice, or, and, not, comparison, operand.
type parser struct {
	*scanner
	at    int // the token that is looked at
	depth int
	open  []bracket // the whole expression, and the brackets around the token
}

type bracket struct {
	token
	kind bracketKind

	hint string // of a call: how it is written
	most int    // of a call: how many values it may have
	full bool   // it takes no more values
}

type bracketKind uint8

const (
	bracketWhole bracketKind = iota // the whole expression
	bracketGroup                    // (a), and the list (a, b)
	bracketList                     // [a, b]
	bracketIndex                    // path[a]
	bracketCall                     // len(a), a.lower()
)

// parse reads the expression at src[from:]. It ends with src, or in a template at the next }}, filters included. parse gives the
// position of its end.
func (n *Names) parse(src string, from int, template bool) (Term, int, error) {
	p := &parser{scanner: &scanner{src: src, pos: from, names: n, template: template}, open: []bracket{{}}}
	if err := p.scan(); err != nil {
		return Term{}, 0, err
	}
	if first := p.token(); first.kind == tokenEnd || first.is("|") {
		return Term{}, 0, p.fail(first.start, "", "the expression is empty")
	}
	t, err := p.choice()
	for err == nil && p.take("|") {
		t, err = p.filter(t)
	}
	if err == nil {
		err = p.complete(false)
	}
	return t, p.pos, err
}

// filter reads a function after a |. The value before the | is its first argument.
func (p *parser) filter(of Term) (Term, error) {
	name := p.token()
	if name.kind != tokenName {
		return Term{}, p.fail(name.start, "as in | upper", "the name of a filter is missing after |")
	}
	p.at++
	switch next := p.token(); {
	case next.is("("), next.kind == tokenEnd, next.is("|"):
	default:
		return Term{}, p.fail(next.start, "as in "+name.text+`("...")`, "a filter's value stands in parentheses")
	}
	t, err := p.call(name, "filter", of)
	t.Op, t.Start = "|"+t.Op, of.Start
	if after := p.token(); err == nil && after.kind != tokenEnd && !after.is("|") {
		err = p.fail(after.start, "end the expression with }}, or write | and another filter", "%s cannot follow a filter", after.text)
	}
	return t, err
}

func (p *parser) token() token { return p.tokens[p.at] }

func (p *parser) take(text string) bool {
	if !p.token().is(text) {
		return false
	}
	p.at++
	return true
}

// deeper enters one more level of nesting, and reports when there are too many.
func (p *parser) deeper(at token) error {
	p.depth++
	if p.depth > MaxDepth {
		return p.fail(at.start, fmt.Sprintf("at most %d levels", MaxDepth), "the expression is nested too deeply")
	}
	return nil
}

// choice reads a ? b : c.
func (p *parser) choice() (Term, error) {
	condition, err := p.or()
	question := p.token()
	if err != nil || !p.take("?") {
		return condition, err
	}
	if err := p.deeper(question); err != nil {
		return Term{}, err
	}
	yes, err := p.choice()
	if err != nil {
		return Term{}, err
	}
	if !p.take(":") {
		return Term{}, p.complete(true)
	}
	p.depth--
	no, err := p.choice()
	return Term{Op: "?", Start: condition.Start, Args: []Term{condition, yes, no}}, err
}

func (p *parser) or() (Term, error)  { return p.joined("or", p.and) }
func (p *parser) and() (Term, error) { return p.joined("and", p.not) }

func (p *parser) joined(op string, part func() (Term, error)) (Term, error) {
	t, err := part()
	for err == nil && p.take(op) {
		var right Term
		right, err = part()
		t = Term{Op: op, Start: t.Start, Args: []Term{t, right}}
	}
	return t, err
}

func (p *parser) not() (Term, error) {
	t := p.token()
	if !p.take("not") {
		return p.comparison()
	}
	if err := p.deeper(t); err != nil {
		return Term{}, err
	}
	negated, err := p.not()
	p.depth--
	return Term{Op: "not", Start: t.start, Args: []Term{negated}}, err
}

func isComparison(op string) bool {
	switch strings.TrimPrefix(op, "not ") {
	case "==", "!=", "<", "<=", ">", ">=", "in", "contains", "matches":
		return true
	}
	return false
}

func (p *parser) comparison() (Term, error) {
	left, err := p.operand()
	op := p.token()
	if err != nil || op.kind != tokenOperator || !isComparison(op.text) {
		return left, err
	}
	p.at++
	if p.token().is("not") {
		return Term{}, p.fail(p.token().start, "put the part with not in parentheses", "not cannot follow a comparison")
	}
	right, err := p.operand()
	if err != nil {
		return Term{}, err
	}
	if next := p.token(); next.kind == tokenOperator && isComparison(next.text) {
		return Term{}, p.fail(next.start, "join comparisons with and", "a comparison cannot follow a comparison")
	}
	name, negated := strings.CutPrefix(op.text, "not ")
	t := Term{Op: name, Start: left.Start, Args: []Term{left, right}}
	if negated {
		t = Term{Op: "not", Start: op.start, Args: []Term{t}}
	}
	return t, nil
}

// operand reads a value and the members and methods after it.
func (p *parser) operand() (Term, error) {
	t, err := p.primary()
	for err == nil {
		switch next := p.token(); {
		case next.is("."):
			p.at++
			t, err = p.member(t, next)
		case next.is("["):
			var key []Term
			if key, err = p.several(bracket{kind: bracketIndex}, nil); err == nil {
				t = t.index(key[0])
			}
		case next.kind == tokenName, next.kind == tokenValue, next.is("("), next.is("not"):
			return Term{}, p.fail(next.start, strayHint(next), "an operator is missing before %s", next.text)
		default:
			return t, nil
		}
	}
	return Term{}, err
}

func (p *parser) primary() (Term, error) {
	t := p.token()
	switch {
	case t.kind == tokenValue:
		p.at++
		return Term{Op: TermValue, Start: t.start, Value: t.value}, nil
	case t.kind == tokenName:
		p.at++
		if p.token().is("(") {
			return p.call(t, "function")
		}
		return Term{Op: TermPath, Start: t.start, Path: []string{t.text}, At: []int{t.start}}, nil
	case t.is("("):
		args, err := p.several(bracket{kind: bracketGroup}, nil)
		if err == nil && len(args) == 1 && !p.tokens[p.at-2].is(",") {
			return args[0], nil
		}
		return Term{Op: TermList, Start: t.start, Args: args}, err
	case t.is("["):
		args, err := p.several(bracket{kind: bracketList}, nil)
		return Term{Op: TermList, Start: t.start, Args: args}, err
	case t.kind == tokenEnd:
		return Term{}, p.fail(t.start, "", "the expression ends where a value is missing")
	}
	return Term{}, p.fail(t.start, "", "a value is missing before %s", t.text)
}

// member reads the name after a dot.
func (p *parser) member(of Term, dot token) (Term, error) {
	name := p.token()
	if name.kind != tokenName {
		return Term{}, p.fail(dot.start, memberHint, "a name is missing after the dot")
	}
	p.at++
	if p.token().is("(") {
		return p.call(name, "function", of)
	}
	return of.member(name.text, name.start), nil
}

// call reads a function and its arguments. For a method and a filter, args holds the value before it as the first argument. A filter
// without other arguments has no parentheses. what is "function", "method" or "filter", for messages.
func (p *parser) call(name token, what string, args ...Term) (Term, error) {
	f, ok := function.Named(name.text)
	if !ok {
		hint := "the README lists all functions"
		if near := naming.Best(name.text, function.Names()); near != "" {
			hint = "did you mean " + near + "?"
		}
		return Term{}, p.fail(name.start, hint, "there is no %s %s", what, name.text)
	}
	before := len(args)
	hint, open := "write "+f.Signature(before), p.token().is("(")
	var err error
	switch {
	case before > f.Most():
		err = p.fail(name.start, hint, "%s cannot stand behind a value", f.Name)
	case open && before == f.Most():
		if p.at++; !p.take(")") {
			err = p.fail(p.token().start, hint, "%s takes nothing between its parentheses", f.Name)
		}
	case open:
		args, err = p.several(bracket{kind: bracketCall, hint: hint, most: f.Most()}, args)
	}
	if err == nil && len(args) < f.Least() {
		err = p.fail(name.start, hint, "%s needs more values", f.Name)
	}
	return Term{Op: f.Name, Start: name.start, Args: args, function: f}, err
}

// several reads an opening bracket, values with commas between them, and the closing bracket.
func (p *parser) several(b bracket, args []Term) ([]Term, error) {
	b.token = p.token()
	if err := p.deeper(b.token); err != nil {
		return nil, err
	}
	p.open = append(p.open, b)
	p.at++
	for !p.mayClose(len(args)) {
		p.top().full = b.kind == bracketCall && len(args)+1 >= b.most
		arg, err := p.choice()
		if err == nil {
			err = p.complete(false)
		}
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
		if !p.take(",") {
			break
		}
	}
	err := p.complete(false)
	p.open = p.open[:len(p.open)-1]
	p.depth--
	p.at++
	return args, err
}

func (p *parser) top() *bracket { return &p.open[len(p.open)-1] }

// mayClose tells whether a bracket may close where a value may begin: after [, after the comma of a list, and in a call
// without values.
func (p *parser) mayClose(values int) bool {
	if !p.token().is(")") && !p.token().is("]") {
		return false
	}
	switch p.top().kind {
	case bracketList:
		return true
	case bracketGroup:
		return values > 0
	case bracketCall:
		return p.tokens[p.at-1].is("(")
	}
	return false
}

// complete checks the token after a value: it must close or continue the innermost bracket. asked says that the : of a ?
// is still missing.
func (p *parser) complete(asked bool) error {
	t, b := p.token(), p.top()
	closing := ")"
	if b.token.text == "[" {
		closing = "]"
	}
	switch {
	case t.kind == tokenEnd && b.kind != bracketWhole:
		return p.fail(b.start, "", "this %s is never closed", b.token.text)
	case t.is("|"):
		return p.fail(t.start, "write || for or; a filter stands behind the whole expression", "| cannot be used here")
	case t.is(":"):
		return p.fail(t.start, choiceHint, ": has no ? before it")
	case t.is(",") && b.full:
		return p.fail(t.start, b.hint, "there are too many values")
	case t.is(",") && (b.kind == bracketWhole || b.kind == bracketIndex):
		return p.fail(t.start, "a list is written ['a', 'b']", "a comma cannot be used here")
	case (t.is(")") || t.is("]")) && b.kind == bracketWhole:
		return p.fail(t.start, "", "%s closes nothing", t.text)
	case (t.is(")") || t.is("]")) && t.text != closing:
		return p.fail(t.start, "", "%s is closed by %s, not by %s", b.token.text, closing, t.text)
	case asked:
		return p.fail(t.start, choiceHint, "the other side of the ? is missing")
	}
	return nil
}

const choiceHint = "a choice is written condition ? value : other"

// foreignOperators are words that are operators in other languages.
var foreignOperators = map[string]string{
	"startsWith": "write matches '^...'",
	"endsWith":   "write matches '...$'",
	"is":         "write ==",
	"equals":     "write ==",
	"if":         choiceHint,
}

func strayHint(t token) string {
	switch {
	case t.is("("):
		return "only a function's name stands before a parenthesis"
	case t.kind == tokenName && foreignOperators[t.text] != "":
		return foreignOperators[t.text]
	case t.kind == tokenName || t.kind == tokenValue:
		return "put a text in quotes; join conditions with and, or"
	}
	return ""
}
