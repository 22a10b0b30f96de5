package source

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/flow"
)

// Kind is the kind of a value.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// Words names a kind in words, for "must be a string, not a list".
func (k Kind) Words() string {
	return [...]string{"nothing", "a boolean", "a number", "a string", "a list", "a mapping"}[k]
}

// Place is a position in the source: line and column from 1, column in characters.
type Place struct{ Line, Column int }

// Value is one value of a document with its place. Values reached through a YAML alias are shared.
type Value struct {
	Kind  Kind
	At    Place
	Text  string // of a string: its content; of other scalars: as written
	Data  any    // of a boolean or number: bool, float64 or int64 (see number)
	block bool   // a block scalar: its content starts on the line after at
	json  bool   // it was read from JSON
	from  int    // of JSON: the bytes that hold it
	to    int
	Items []*Value
	Pairs []Pair
	size  int // values in it, aliases followed
	depth int
}

// Float is the value of a number; 0 of anything else.
func (v *Value) Float() float64 {
	if v == nil {
		return 0
	}
	switch n := v.Data.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	default:
		return 0
	}
}

// Pair is one key of a mapping with its value.
type Pair struct {
	Key   string
	At    Place
	Value *Value

	from int // of JSON: the byte at which the key begins
}

// Get returns the value of a key of a mapping, or nil.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for _, p := range v.Pairs {
		if p.Key == key {
			return p.Value
		}
	}
	return nil
}

// Plain gives the value as plain Go data: nil, bool, float64, int64, string, []any, map[string]any.
func (v *Value) Plain() any {
	switch v.Kind {
	case String:
		return v.Text
	case Bool, Number:
		return v.Data
	case List:
		out := make([]any, len(v.Items))
		for i, it := range v.Items {
			out[i] = it.Plain()
		}
		return out
	case Map:
		out := make(map[string]any, len(v.Pairs))
		for _, p := range v.Pairs {
			out[p.Key] = p.Value.Plain()
		}
		return out
	default:
		return nil
	}
}

// Scalars gives every scalar inside the value, keys apart. One that several aliases lead to comes once.
func (v *Value) Scalars() iter.Seq[*Value] {
	seen := map[*Value]bool{}
	return func(yield func(*Value) bool) { v.eachScalar(seen, yield) }
}

func (v *Value) eachScalar(seen map[*Value]bool, yield func(*Value) bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, it := range v.Items {
		if !it.eachScalar(seen, yield) {
			return false
		}
	}
	for _, p := range v.Pairs {
		if !p.Value.eachScalar(seen, yield) {
			return false
		}
	}
	return v.Kind == List || v.Kind == Map || yield(v)
}

// Renamed is a copy with another name for a key.
func (v *Value) Renamed(from, to string) *Value {
	out := *v
	out.Pairs = slices.Clone(v.Pairs)
	for i := range out.Pairs {
		if out.Pairs[i].Key == from {
			out.Pairs[i].Key = to
		}
	}
	return &out
}

// Without is a copy without a key.
func (v *Value) Without(key string) *Value {
	out := *v
	out.Pairs = slices.DeleteFunc(slices.Clone(v.Pairs), func(p Pair) bool { return p.Key == key })
	return &out
}

// measure computes size and depth from the parts.
func (v *Value) measure() *Value {
	v.size, v.depth = 1, 1
	add := func(part *Value) {
		v.size = min(v.size+part.size, flow.MaxValues+1)
		v.depth = max(v.depth, part.depth+1)
	}
	for _, it := range v.Items {
		add(it)
	}
	for _, p := range v.Pairs {
		add(p.Value)
	}
	return v
}

// File is the text of a file, for snippets and for places inside strings.
type File struct {
	Name   string // shown in problems
	Text   string
	lines  []string
	starts []int // bytes at which the lines begin, once they are needed
}

// lineBreaks replaces every line break of YAML by a newline.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// New makes a File of a text. Line breaks are normalized, and a byte order mark is left out.
func New(file string, src []byte) *File {
	text := lineBreaks.Replace(strings.TrimPrefix(string(src), "\ufeff"))
	return &File{Name: file, Text: text, lines: strings.Split(text, "\n")}
}

// Line is the text of a line, counted from 1; "" if there is none.
func (s *File) Line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// Problem makes a problem with its place and the line that it is on.
func (s *File) Problem(at Place, severity flow.Severity, code, message, hint string) flow.Problem {
	p := flow.Problem{File: s.Name, Severity: severity, Code: code, Message: message, Hint: hint}
	if at.Line > 0 && at.Line <= len(s.lines) {
		p.Line, p.Column = at.Line, max(at.Column, 1)
		p.Snippet = snippet(s.lines[at.Line-1], p.Line, p.Column)
	}
	return p
}

// Inside finds the place of a byte offset of a string's content. Quotes, escapes and line folding make content and
// source differ, so both are walked together; where they cannot be matched, the string's own place is the answer.
func (s *File) Inside(v *Value, offset int) Place {
	if v.Kind != String || offset < 0 || offset > len(v.Text) || v.At.Line < 1 || v.At.Line > len(s.lines) {
		return v.At
	}
	w := walker{lines: s.lines, line: v.At.Line - 1, column: v.At.Column - 1}
	if v.block {
		w.line, w.column = w.line+1, 0
		w.skipBlanks()
	} else {
		w.openQuote()
	}
	content := v.Text
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
			return v.At
		}
		i += n
	}
	if at, ok := w.place(); ok {
		return at
	}
	return v.At
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

func (w *walker) place() (Place, bool) {
	if w.line >= len(w.lines) {
		return Place{}, false
	}
	return Place{w.line + 1, w.column + 1}, true
}

// Error says why a document cannot be read at all.
type Error struct {
	At            Place
	Code          string
	Message, Hint string
}

func (b *Error) Error() string {
	return fmt.Sprintf("%d:%d: %s", b.At.Line, b.At.Column, b.Message)
}
