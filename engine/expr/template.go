package expr

import (
	"slices"
	"strings"

	"sluice/engine/expr/value"
)

// Template is a text with expressions in {{ }}, compiled. It does not change, and may be used by many goroutines at once.
type Template struct {
	pieces []piece
	reads  readSet
}

// piece is a stretch of text, or an expression with its filters.
type piece struct {
	text string
	expr *Expr // nil for text
}

// ParseTemplate reads a template: any text, with {{ expression | filter | filter("value") }} in it. ids are those of Compile.
// The error is a *SyntaxError that points into src. The characters {{ themselves are written {{ "{{" }}.
func ParseTemplate(src string, ids []string) (*Template, error) {
	return NewNames(ids).compileTemplate(src)
}

func (n *Names) compileTemplate(src string) (*Template, error) {
	t := &Template{}
	err := n.cut(src, func(text string, expression *Term) (err error) {
		p := piece{text: text}
		if expression != nil {
			if p.expr, err = compile(src, text, *expression); err != nil {
				return err
			}
			t.reads.add(p.expr.reads.paths...)
		}
		t.pieces = append(t.pieces, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// cut calls back for every text of a template, and for every expression with its term.
func (n *Names) cut(src string, each func(text string, t *Term) error) error {
	for at := 0; at < len(src); {
		open := strings.Index(src[at:], "{{")
		if open < 0 {
			return each(src[at:], nil)
		}
		if open > 0 {
			if err := each(src[at:at+open], nil); err != nil {
				return err
			}
		}
		from := at + open + 2
		t, end, err := n.parse(src, from, true)
		if err != nil {
			return err
		}
		if err := each(src[from:end], &t); err != nil {
			return err
		}
		at = end + 2
	}
	return nil
}

// Render gives the text with the values of its expressions in s. A template that is one expression and nothing else gives the
// value with its type; every other gives a string, or a Sealed text if a secret is in it. Values are inserted as they are:
// what looks like a template in a value stays as it is. The only error is one that wraps ErrCost; the cost is that of all
// expressions together.
func (t *Template) Render(s Scope, opt Options) (any, error) {
	return t.render(newEvaluation(s, opt))
}

// Reads lists the paths that the template may read, as Expr.Reads does.
func (t *Template) Reads() [][]string { return t.reads.list() }

// Static tells whether the template is a text without expressions.
func (t *Template) Static() bool {
	return len(t.pieces) == 0 || len(t.pieces) == 1 && t.pieces[0].expr == nil
}

func (t *Template) render(e *evaluation) (any, error) {
	if len(t.pieces) == 1 {
		return t.pieces[0].value(e)
	}
	parts := make([]any, len(t.pieces))
	var text strings.Builder
	sealed := false
	for i, p := range t.pieces {
		v, err := p.value(e)
		if err != nil {
			return nil, err
		}
		parts[i] = v
		if value.IsSecret(v) {
			sealed = true
			continue
		}
		part, err := e.Text(v)
		if err != nil {
			return nil, err
		}
		parts[i] = part
		text.WriteString(part)
	}
	if sealed {
		return value.Seal(parts), nil
	}
	return text.String(), nil
}

func (p piece) value(e *evaluation) (any, error) {
	if p.expr == nil {
		return p.text, e.Charge(1)
	}
	return p.expr.eval(e)
}

// Stretches renders the template, and tells which bytes of the text are values of expressions that of is true for. Values that are no
// texts, and texts that the filter json made, are none of them. Nothing is rendered when of is true for none, or when a secret is inside.
func (t *Template) Stretches(s Scope, opt Options, of func(*Expr) bool) (text string, at [][2]int, err error) {
	wanted := make([]bool, len(t.pieces))
	for i, p := range t.pieces {
		wanted[i] = p.expr != nil && p.expr.term.Op != "|json" && of(p.expr)
	}
	if !slices.Contains(wanted, true) {
		return "", nil, nil
	}
	e := newEvaluation(s, opt)
	var all strings.Builder
	for i, p := range t.pieces {
		v, err := p.value(e)
		if err != nil || value.IsSecret(v) {
			return "", nil, err
		}
		part, err := e.Text(v)
		if err != nil {
			return "", nil, err
		}
		from := all.Len()
		all.WriteString(part)
		if _, words := v.(string); words && wanted[i] && part != "" {
			at = append(at, [2]int{from, all.Len()})
		}
	}
	return all.String(), at, nil
}
