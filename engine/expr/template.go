package expr

import (
	"strings"
	"unicode"
)

// Template is a text with expressions in {{ }}, compiled. It does not change, and may be used by many
// goroutines at once.
type Template struct {
	pieces []piece
	reads  readSet
}

// piece is a stretch of text, or an expression with its filters.
type piece struct {
	text    string
	expr    *Expr // nil for text
	filters []step
}

// ParseTemplate reads a template: any text, with {{ expression | filter | filter("value") }} in it.
// ids are those of Compile. The error is a *SyntaxError that points into src. The characters {{
// themselves are written {{ "{{" }}.
func ParseTemplate(src string, ids []string) (*Template, error) {
	return parseTemplate(src, longestFirst(ids))
}

func parseTemplate(src string, ids []string) (*Template, error) {
	t := &Template{}
	for at := 0; at < len(src); {
		open := strings.Index(src[at:], "{{")
		if open < 0 {
			t.pieces = append(t.pieces, piece{text: src[at:]})
			break
		}
		if open > 0 {
			t.pieces = append(t.pieces, piece{text: src[at : at+open]})
		}
		from := at + open + 2
		bars, to, err := bounds(src, from)
		if err != nil {
			return nil, err
		}
		p, err := parsePiece(src, from, bars, to, ids)
		if err != nil {
			return nil, err
		}
		t.pieces = append(t.pieces, p)
		at = to + 2
	}
	t.collectReads()
	return t, nil
}

// bounds finds the end of what {{ opens, and the bars that split filters off. Quotes hide both, and
// brackets hide bars.
func bounds(src string, from int) (bars []int, to int, err error) {
	s := &scanner{src: src}
	depth := 0
	for at := from; at < len(src); at++ {
		switch c := src[at]; {
		case c == '\'' || c == '"':
			_, n, ok := scanText(src[at:])
			if !ok {
				return nil, 0, s.fail(at, "", "the text that starts here has no closing quote")
			}
			at += n - 1
		case strings.HasPrefix(src[at:], "}}"):
			return bars, at, nil
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case strings.HasPrefix(src[at:], "||"):
			at++
		case c == '|' && depth <= 0:
			bars = append(bars, at)
		}
	}
	return nil, 0, s.fail(from-2, `end the expression with }}; to write {{ itself: {{ "{{" }}`, "this {{ is never closed")
}

func parsePiece(src string, from int, bars []int, to int, ids []string) (piece, error) {
	ends := append(bars, to)
	e, err := compile(src, from, ends[0], ids)
	if err != nil {
		return piece{}, err
	}
	p := piece{expr: e}
	for i, bar := range bars {
		f, err := parseFilter(src, bar+1, ends[i+1], ids)
		if err != nil {
			return piece{}, err
		}
		p.filters = append(p.filters, f)
	}
	return p, nil
}

func trimWindow(src string, from, to int) (int, int) {
	window := strings.TrimLeftFunc(src[from:to], unicode.IsSpace)
	from = to - len(window)
	return from, from + len(strings.TrimRightFunc(window, unicode.IsSpace))
}

// Render gives the text with the values of its expressions in s. A template that is one expression
// and nothing else gives the value with its type; every other gives a string, or a Sealed text if a
// secret is in it. Values are inserted as they are: what looks like a template in a value stays as it
// is. The only error is one that wraps ErrCost; the cost is that of all expressions together.
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
	sealed := false
	for i, p := range t.pieces {
		v, err := p.value(e)
		if err != nil {
			return nil, err
		}
		if isSecret(v) {
			sealed = true
			parts[i] = v
			continue
		}
		if parts[i], err = e.text(v); err != nil {
			return nil, err
		}
	}
	if sealed {
		return seal(parts), nil
	}
	var b strings.Builder
	for _, part := range parts {
		text, _ := part.(string)
		b.WriteString(text)
	}
	return b.String(), nil
}

func (p piece) value(e *evaluation) (any, error) {
	if p.expr == nil {
		return p.text, e.charge(1)
	}
	v, err := p.expr.eval(e)
	for _, f := range p.filters {
		if err != nil {
			return nil, err
		}
		v, err = f.run(e, v)
	}
	return v, err
}

func (t *Template) collectReads() {
	for _, p := range t.pieces {
		if p.expr == nil {
			continue
		}
		t.reads.add(p.expr.reads.paths...)
		for _, f := range p.filters {
			if f.given != nil {
				t.reads.add(f.given.reads.paths...)
			}
		}
	}
}
