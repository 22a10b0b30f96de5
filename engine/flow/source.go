package flow

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a document. They keep a hostile file from costing more than its own length.
const (
	MaxDocumentBytes = 1 << 20 // size of a flow file
	MaxDepth         = 64      // nesting of lists and mappings
	MaxNodes         = 2000    // run-time nodes of a flow
	MaxAgents        = 500     // agents of a flow, and triggers
	MaxKeys          = 1000    // keys of one mapping
	MaxValues        = 200_000 // values of a document after YAML aliases are followed
	maxProblems      = 200     // problems reported for one document
)

type valueKind int

const (
	kindNull valueKind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindMap
)

// words says in words what a value is, for "must be a string, not a list".
func (k valueKind) words() string {
	return [...]string{"nothing", "a boolean", "a number", "a string", "a list", "a mapping"}[k]
}

// place is a position in the source: line and column from 1, column in characters.
type place struct{ line, column int }

// value is one value of a document with its place. Values reached through a YAML alias are shared.
type value struct {
	kind  valueKind
	at    place
	text  string // of a string: its content; of other scalars: as written
	data  any    // of a boolean or number: bool, float64 or int64 (see number)
	block bool   // a block scalar: its content starts on the line after at
	items []*value
	pairs []pair
	size  int // values in it, aliases followed
	depth int
}

type pair struct {
	key   string
	at    place
	value *value
}

// get returns the value of a key of a mapping, or nil.
func (v *value) get(key string) *value {
	if v == nil {
		return nil
	}
	for _, p := range v.pairs {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

// free gives the value as plain Go data: nil, bool, float64, int64, string, []any, map[string]any.
func (v *value) free() any {
	switch v.kind {
	case kindString:
		return v.text
	case kindBool, kindNumber:
		return v.data
	case kindList:
		out := make([]any, len(v.items))
		for i, it := range v.items {
			out[i] = it.free()
		}
		return out
	case kindMap:
		out := make(map[string]any, len(v.pairs))
		for _, p := range v.pairs {
			out[p.key] = p.value.free()
		}
		return out
	default:
		return nil
	}
}

// measure sets size and depth from the parts.
func (v *value) measure() *value {
	v.size, v.depth = 1, 1
	add := func(part *value) {
		v.size = min(v.size+part.size, MaxValues+1)
		v.depth = max(v.depth, part.depth+1)
	}
	for _, it := range v.items {
		add(it)
	}
	for _, p := range v.pairs {
		add(p.value)
	}
	return v
}

// source is the text of a file, for snippets and for places inside strings.
type source struct {
	file  string
	text  string
	lines []string
}

// lineBreaks writes the line breaks of YAML in one way.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func newSource(file string, src []byte) *source {
	text := lineBreaks.Replace(strings.TrimPrefix(string(src), "\ufeff"))
	return &source{file: file, text: text, lines: strings.Split(text, "\n")}
}

func (s *source) problem(at place, severity Severity, code, message, hint string) Problem {
	p := Problem{File: s.file, Severity: severity, Code: code, Message: message, Hint: hint}
	if at.line > 0 && at.line <= len(s.lines) {
		p.Line, p.Column = at.line, max(at.column, 1)
		p.Snippet = snippet(s.lines[at.line-1], p.Line, p.Column)
	}
	return p
}

// inside finds the place of a byte offset of a string's content. Quotes, escapes and line folding make content and
// source differ, so both are walked together; where they cannot be matched, the string's own place is the answer.
func (s *source) inside(v *value, offset int) place {
	if v.kind != kindString || offset < 0 || offset > len(v.text) || v.at.line < 1 || v.at.line > len(s.lines) {
		return v.at
	}
	w := walker{lines: s.lines, line: v.at.line - 1, column: v.at.column - 1}
	if v.block {
		w.line, w.column = w.line+1, 0
		w.skipBlanks()
	} else {
		w.openQuote()
	}
	content := v.text
	for i := 0; i < offset; {
		r, n := utf8.DecodeRuneInString(content[i:])
		if unicode.IsSpace(r) {
			for i < offset && n > 0 && unicode.IsSpace(r) {
				i += n
				r, n = utf8.DecodeRuneInString(content[i:])
			}
			w.skipSpace()
			continue
		}
		if !w.step(r) {
			return v.at
		}
		i += n
	}
	if at, ok := w.place(); ok {
		return at
	}
	return v.at
}

// walker moves through the source as written while inside walks the content.
type walker struct {
	lines        []string
	line, column int // from 0, column in characters
	quote        rune
}

func (w *walker) rest() []rune {
	if w.line >= len(w.lines) {
		return nil
	}
	runes := []rune(w.lines[w.line])
	return runes[min(max(w.column, 0), len(runes)):]
}

func (w *walker) openQuote() {
	if r := w.rest(); len(r) > 0 && (r[0] == '"' || r[0] == '\'') {
		w.quote = r[0]
		w.column++
	}
}

// skipBlanks goes over spaces and line ends.
func (w *walker) skipBlanks() {
	for w.line < len(w.lines) {
		rest := w.rest()
		for i, r := range rest {
			if !unicode.IsSpace(r) {
				w.column += i
				return
			}
		}
		w.line, w.column = w.line+1, 0
	}
}

// skipSpace goes over what stands for white space: blanks, and in double quotes escapes such as \n.
func (w *walker) skipSpace() {
	for {
		w.skipBlanks()
		rest := w.rest()
		if w.quote == '"' && len(rest) > 1 && rest[0] == '\\' && strings.ContainsRune("nrt \\", rest[1]) && rest[1] != '\\' {
			w.column += 2
			continue
		}
		return
	}
}

// step goes over one character of the content.
func (w *walker) step(r rune) bool {
	rest := w.rest()
	switch {
	case len(rest) == 0:
		return false
	case w.quote == '"' && rest[0] == '\\' && len(rest) > 1:
		w.column += escapeLength(rest)
	case w.quote == '\'' && rest[0] == '\'':
		w.column += 2
	case rest[0] == r:
		w.column++
	default:
		return false
	}
	return true
}

func escapeLength(rest []rune) int {
	switch rest[1] {
	case 'x':
		return 4
	case 'u':
		return 6
	case 'U':
		return 10
	default:
		return 2
	}
}

func (w *walker) place() (place, bool) {
	if w.line >= len(w.lines) {
		return place{}, false
	}
	return place{w.line + 1, w.column + 1}, true
}

// number keeps integers that a float64 cannot hold as int64 and gives every other number as float64, which is what
// JSON values are everywhere else.
func number(i int64) any {
	const exact = 1 << 53
	if i > exact || i < -exact {
		return i
	}
	return float64(i)
}

// badDocument is a document that cannot be read at all.
type badDocument struct {
	at            place
	code          string
	message, hint string
}

func (b *badDocument) Error() string {
	return fmt.Sprintf("%d:%d: %s", b.at.line, b.at.column, b.message)
}
