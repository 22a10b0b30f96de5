package expr

import (
	"fmt"
	"strings"
)

// Limits of one expression, checked when it is compiled.
const (
	MaxSource = 16 << 10 // bytes of an expression
	MaxTokens = 2000     // words, values, operators and brackets of an expression
	MaxDepth  = 64       // brackets and negations inside each other
)

// arrangement is an expression written again in words that expr-lang reads the way S3 means them:
// every name, member, function and literal is a placeholder (n0, m0, f0, v0: the letter tells the
// kind, the number is the token), and "not" has the parentheses that its low precedence needs.
// By itself expr-lang would read `not a == b` as (not a) == b, `send-refund` as a subtraction, and
// 'a\d' as a mistake.
type arrangement struct {
	text   strings.Builder
	tokens []token
	starts []int // for every byte of text, the index of the token it came from
	frames []frame
	at     int
}

// frame is what an open bracket, or the whole expression, has seen so far.
type frame struct {
	open     token
	kind     frameKind
	negated  int // parentheses of "not" that the next boundary closes
	compared bool
	choices  int // ? that still wait for their :
	values   int // members of a list that are complete
	function string
}

type frameKind uint8

const (
	frameAll   frameKind = iota // the whole expression
	frameGroup                  // ( )
	frameList                   // [1, 2]
	frameTuple                  // (1, 2), also a list
	frameIndex                  // path[0]
	frameCall                   // len(x), x.lower()
)

func arrange(s *scanner) (*arrangement, error) {
	a := &arrangement{tokens: s.tokens, frames: []frame{{}}}
	if len(s.tokens) > MaxTokens {
		return nil, s.fail(s.tokens[MaxTokens].start, fmt.Sprintf("at most %d words", MaxTokens), "the expression is too long")
	}
	if len(s.tokens) == 1 {
		return nil, s.fail(s.tokens[0].start, "", "the expression is empty")
	}
	wantOperand := true
	for a.at = 0; a.tokens[a.at].kind != tokenEnd; a.at++ {
		var err error
		if wantOperand {
			wantOperand, err = a.operand(s)
		} else {
			wantOperand, err = a.operator(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return a, a.finish(s, wantOperand)
}

func (a *arrangement) top() *frame { return &a.frames[len(a.frames)-1] }

func (a *arrangement) emit(text string) {
	a.text.WriteString(text)
	a.text.WriteByte(' ')
	for range len(text) + 1 {
		a.starts = append(a.starts, a.at)
	}
}

func (a *arrangement) placeholder(kind byte) { a.emit(fmt.Sprintf("%c%d", kind, a.at)) }

func (a *arrangement) push(s *scanner, f frame) error {
	f.open = a.tokens[a.at]
	a.frames = append(a.frames, f)
	return a.checkDepth(s)
}

func (a *arrangement) checkDepth(s *scanner) error {
	depth := -1
	for _, f := range a.frames {
		depth += 1 + f.negated + f.choices
	}
	if depth > MaxDepth {
		return s.fail(a.tokens[a.at].start, fmt.Sprintf("at most %d levels", MaxDepth), "the expression is nested too deeply")
	}
	return nil
}

// operand takes a token where a value may start; it reports whether a value is still wanted.
func (a *arrangement) operand(s *scanner) (wantOperand bool, err error) {
	t, next := a.tokens[a.at], a.tokens[a.at+1]
	switch {
	case t.kind == tokenValue:
		a.placeholder('v')
		return false, nil
	case t.kind == tokenName && next.kind == tokenPunct && next.text == "(":
		return a.call(s, t, functions, 'f')
	case t.kind == tokenName:
		a.placeholder('n')
		return false, nil
	case t.kind == tokenOperator && t.text == "not":
		if a.top().compared {
			return false, s.fail(t.start, "put the part with not in parentheses", "not cannot follow a comparison")
		}
		a.emit("not (")
		a.top().negated++
		return true, a.checkDepth(s)
	case t.kind == tokenPunct && t.text == "(" && a.tuple():
		a.emit("[")
		return true, a.push(s, frame{kind: frameTuple})
	case t.kind == tokenPunct && t.text == "(":
		a.emit("(")
		return true, a.push(s, frame{kind: frameGroup})
	case t.kind == tokenPunct && t.text == "[":
		a.emit("[")
		return true, a.push(s, frame{kind: frameList})
	case t.kind == tokenPunct && (t.text == "]" || t.text == ")") && a.listMayEnd():
		return a.close(s, t)
	}
	return false, s.fail(t.start, "", "a value is missing before %s", t.text)
}

// tuple tells whether the parenthesis here is a list, ('a', 'b'), as other formats write it: one with
// a comma of its own.
func (a *arrangement) tuple() bool {
	depth := 0
	for _, t := range a.tokens[a.at:] {
		if t.kind != tokenPunct {
			continue
		}
		switch t.text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case ",":
			if depth == 1 {
				return true
			}
		}
		if depth == 0 {
			return false
		}
	}
	return false
}

// listMayEnd allows [] and a comma after the last member.
func (a *arrangement) listMayEnd() bool {
	kind := a.top().kind
	if kind != frameList && kind != frameTuple {
		return false
	}
	last := a.tokens[a.at-1]
	return last.kind == tokenPunct && (last.text == "[" || last.text == "," && a.top().values > 0)
}

// call takes the name of a function or method together with its parenthesis.
func (a *arrangement) call(s *scanner, t token, known []function, letter byte) (wantOperand bool, err error) {
	f, ok := named(known, t.text)
	if !ok {
		return false, s.unknownFunction(t, known)
	}
	if letter == 'm' {
		f.values-- // the value before the dot is one of them
	}
	a.placeholder(letter)
	a.at++
	a.emit("(")
	if f.values > 0 {
		return true, a.push(s, frame{kind: frameCall, function: f.name})
	}
	a.at++
	if end := a.tokens[a.at]; end.kind != tokenPunct || end.text != ")" {
		return false, s.fail(end.start, "", "%s takes nothing between its parentheses", f.name)
	}
	a.emit(")")
	return false, nil
}

func (s *scanner) unknownFunction(t token, known []function) error {
	hint := "there are " + strings.Join(names(known), ", ")
	if near := nearest(t.text, names(known)); near != "" {
		hint = "did you mean " + near + "?"
	}
	return s.fail(t.start, hint, "there is no function %s", t.text)
}

// operator takes a token after a value; it reports whether a value must follow.
func (a *arrangement) operator(s *scanner) (wantOperand bool, err error) {
	t := a.tokens[a.at]
	switch {
	case t.kind == tokenPunct && t.text == ".":
		return a.member(s)
	case t.kind == tokenPunct && t.text == "[":
		a.emit("[")
		return true, a.push(s, frame{kind: frameIndex})
	case t.kind == tokenPunct && t.text == ",":
		return a.comma(s, t)
	case t.kind == tokenPunct && (t.text == ")" || t.text == "]"):
		return a.close(s, t)
	case t.kind == tokenOperator && t.text != "not":
		return a.binary(s, t)
	}
	return false, s.fail(t.start, a.strayHint(t), "an operator is missing before %s", t.text)
}

// foreignOperators are words that other languages have between two values.
var foreignOperators = map[string]string{
	"startsWith": "write matches '^...'",
	"endsWith":   "write matches '...$'",
	"is":         "write ==",
	"equals":     "write ==",
	"if":         "a choice is written condition ? value : other",
}

func (a *arrangement) strayHint(t token) string {
	switch {
	case t.kind == tokenPunct && t.text == "(":
		return "only a function's name stands before a parenthesis"
	case t.kind == tokenName && foreignOperators[t.text] != "":
		return foreignOperators[t.text]
	case t.kind == tokenName || t.kind == tokenValue:
		return "put a text in quotes; join conditions with and, or"
	}
	return ""
}

func (a *arrangement) member(s *scanner) (wantOperand bool, err error) {
	dot := a.tokens[a.at]
	a.at++
	t, isName := a.tokens[a.at], a.tokens[a.at].kind == tokenName
	if !isName {
		return false, s.fail(dot.start, `names with other characters are written ["..."]`, "a name is missing after the dot")
	}
	a.emit(".")
	if next := a.tokens[a.at+1]; next.kind == tokenPunct && next.text == "(" {
		return a.call(s, t, methods, 'm')
	}
	a.placeholder('m')
	return false, nil
}

func (a *arrangement) binary(s *scanner, t token) (wantOperand bool, err error) {
	top := a.top()
	switch t.text {
	case "and", "or":
		a.boundary()
	case "?":
		a.boundary()
		top.choices++
		if err := a.checkDepth(s); err != nil {
			return false, err
		}
	case ":":
		if top.choices == 0 {
			return false, s.fail(t.start, "a choice is written condition ? value : other", ": has no ? before it")
		}
		a.boundary()
		top.choices--
	default:
		if top.compared {
			return false, s.fail(t.start, "join comparisons with and", "a comparison cannot follow a comparison")
		}
		top.compared = true
	}
	a.emit(t.text)
	return true, nil
}

// boundary ends a condition: the parentheses of its "not" close here.
func (a *arrangement) boundary() {
	top := a.top()
	for range top.negated {
		a.emit(")")
	}
	top.negated, top.compared = 0, false
}

func (a *arrangement) comma(s *scanner, t token) (wantOperand bool, err error) {
	top := a.top()
	switch top.kind {
	case frameList, frameTuple:
	case frameCall: // no function takes more
		return false, s.fail(t.start, "", "%s takes one value", top.function)
	default:
		return false, s.fail(t.start, "a list is written ['a', 'b']", "a comma cannot be used here")
	}
	if err := a.endValue(s, t); err != nil {
		return false, err
	}
	top.values++
	a.emit(",")
	return true, nil
}

// endValue checks what must be complete before a comma or a closing bracket.
func (a *arrangement) endValue(s *scanner, t token) error {
	if a.top().choices > 0 {
		return s.fail(t.start, "a choice is written condition ? value : other", "the other side of the ? is missing")
	}
	a.boundary()
	return nil
}

func (a *arrangement) close(s *scanner, t token) (wantOperand bool, err error) {
	top := a.top()
	if top.kind == frameAll {
		return false, s.fail(t.start, "", "%s closes nothing", t.text)
	}
	want, written := ")", ")"
	switch top.kind {
	case frameList, frameIndex:
		want, written = "]", "]"
	case frameTuple:
		written = "]"
	}
	if t.text != want {
		return false, s.fail(t.start, "", "%s is closed by %s, not by %s", top.open.text, want, t.text)
	}
	if err := a.endValue(s, t); err != nil {
		return false, err
	}
	a.emit(written)
	a.frames = a.frames[:len(a.frames)-1]
	return false, nil
}

func (a *arrangement) finish(s *scanner, wantOperand bool) error {
	end := a.tokens[a.at]
	if wantOperand {
		return s.fail(end.start, "", "the expression ends where a value is missing")
	}
	if top := a.top(); top.kind != frameAll {
		return s.fail(top.open.start, "", "this %s is never closed", top.open.text)
	}
	return a.endValue(s, end)
}
