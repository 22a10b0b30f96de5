package expr

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/expr/value"
	"sluice/engine/naming"
)

type tokenKind uint8

const (
	tokenEnd      tokenKind = iota
	tokenName               // a name: at the front of a path, after a dot, or before a parenthesis
	tokenValue              // a literal; value holds it
	tokenOperator           // text holds its normal form: "and", "not", "not in", "==", "?", ...
	tokenPunct              // text holds one of ( ) [ ] , .
)

type token struct {
	kind  tokenKind
	text  string
	value any
	start int // bytes into scanner.src
}

func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokenOperator || t.kind == tokenPunct)
}

// endsOperand reports whether the token may be the last one of a value.
func (t token) endsOperand() bool {
	return t.kind == tokenName || t.kind == tokenValue || t.is(")") || t.is("]")
}

// scanner splits an expression into tokens, from pos to the end of src; in a template, to the next }}.
type scanner struct {
	src      string
	pos      int
	template bool
	names    *Names
	tokens   []token
}

var wordOperators = []string{"and", "or", "not", "in", "contains", "matches"}

// signs are the operators that are no words, with their normal form. A longer sign comes before a shorter one that it begins with.
var signs = []struct{ text, normal string }{
	{"==", "=="},
	{"!=", "!="},
	{"<=", "<="},
	{">=", ">="},
	{"&&", "and"},
	{"||", "or"},
	{"<", "<"},
	{">", ">"},
	{"!", "not"},
	{"?", "?"},
	{":", ":"},
}

// foreignSigns are operators of other languages, with what to write here instead. Those of two and three characters come
// first: some begin like a sign.
var foreignSigns = []struct{ text, hint string }{
	{"===", "write == to compare"},
	{"!==", "write != to compare"},
	{"<>", "write != to compare"},
	{"{{", "an expression is written without {{ }}"},
	{"}}", "an expression is written without {{ }}"},
	{"??", `in a template write | default("..."); in an expression write a ? a : b`},
	{"**", arithmeticHint},
	{"..", "a path has one dot between its names"},
	{"=", "write == to compare"},
	{"&", "join conditions with and"},
	{"|", "join conditions with or; filters work in templates only"},
	{"+", arithmeticHint},
	{"-", arithmeticHint},
	{"*", arithmeticHint},
	{"/", arithmeticHint},
	{"%", arithmeticHint},
	{"^", arithmeticHint},
	{"{", "there are no objects in expressions"},
	{"}", "there are no objects in expressions"},
	{";", "write one expression"},
	{"‘", "use straight quotes"},
	{"’", "use straight quotes"},
	{"“", "use straight quotes"},
	{"”", "use straight quotes"},
	{"„", "use straight quotes"},
	{"`", "use straight quotes: ' or \""},
}

const arithmeticHint = "functions calculate: add(a, b), subtract, multiply, divide"

func (s *scanner) fail(offset int, hint, format string, args ...any) error {
	return newSyntaxError(s.src, offset, fmt.Sprintf(format, args...), hint)
}

func (s *scanner) scan() error {
	for from := s.pos; ; {
		rest := strings.TrimLeftFunc(s.src[s.pos:], unicode.IsSpace)
		s.pos = len(s.src) - len(rest)
		ends := rest == "" || s.template && strings.HasPrefix(rest, "}}")
		switch {
		case ends && rest == "" && s.template:
			return s.fail(from-2, `end the expression with }}; to write {{ itself: {{ "{{" }}`, "this {{ is never closed")
		case s.pos-from > MaxSource:
			return s.fail(from, fmt.Sprintf("at most %d bytes", MaxSource), "the expression is too long")
		case len(s.tokens) >= MaxTokens:
			return s.fail(s.pos, fmt.Sprintf("at most %d words", MaxTokens), "the expression is too long")
		case ends:
			s.add(tokenEnd, "", nil, 0)
			return nil
		}
		if err := s.next(rest); err != nil {
			return err
		}
	}
}

func (s *scanner) add(kind tokenKind, text string, value any, length int) {
	s.tokens = append(s.tokens, token{kind: kind, text: text, value: value, start: s.pos})
	s.pos += length
}

func (s *scanner) last() token {
	if len(s.tokens) == 0 {
		return token{kind: tokenOperator}
	}
	return s.tokens[len(s.tokens)-1]
}

func (s *scanner) next(rest string) error {
	c := rest[0]
	switch {
	case c == '\'' || c == '"':
		return s.text()
	case s.last().is("."):
		return s.member(rest)
	case s.id(rest):
		return nil
	case isDigit(c), c == '-' && len(rest) > 1 && isDigit(rest[1]) && !s.last().endsOperand():
		return s.number(rest)
	case nameLength(rest) > 0:
		s.word(rest[:nameLength(rest)])
		return nil
	case c == '|' && s.template && !strings.HasPrefix(rest, "||"):
		s.add(tokenPunct, "|", nil, 1)
		return nil
	case strings.HasPrefix(rest, "?."): // a path never fails, so that ?. is the same as a dot
		s.add(tokenPunct, ".", nil, 2)
		return nil
	}
	foreign := slices.IndexFunc(foreignSigns, func(f struct{ text, hint string }) bool { return strings.HasPrefix(rest, f.text) })
	if foreign < 0 || len(foreignSigns[foreign].text) == 1 {
		for _, sign := range signs {
			if strings.HasPrefix(rest, sign.text) {
				s.add(tokenOperator, sign.normal, nil, len(sign.text))
				return nil
			}
		}
	}
	switch {
	case foreign >= 0:
		return s.fail(s.pos, s.foreignHint(foreign, rest), "%s cannot be used here", foreignSigns[foreign].text)
	case strings.IndexByte("()[],.", c) >= 0:
		s.add(tokenPunct, rest[:1], nil, 1)
		return nil
	}
	r, _ := utf8.DecodeRuneInString(rest)
	if r == utf8.RuneError {
		return s.fail(s.pos, "", "the text is not valid UTF-8")
	}
	return s.fail(s.pos, "", "%q cannot be used in an expression", r)
}

// foreignHint gives the hint for an operator of another language. After a name, a - most likely belongs to a mistyped id of a node.
func (s *scanner) foreignHint(foreign int, rest string) string {
	if rest[0] != '-' || !s.last().endsOperand() || nameLength(rest[1:]) == 0 {
		return foreignSigns[foreign].hint
	}
	from := s.src[s.last().start:]
	word := from[:len(from)-len(strings.TrimLeftFunc(from, func(r rune) bool { return r == '-' || isNameRune(r) }))]
	if near := naming.Best(word, s.names.all()); near != "" {
		return "did you mean " + near + "?"
	}
	return `a name may hold - only if it is the id of a node; otherwise write ["..."]`
}

// id reads the id of a node where a plain name would end too early, as in send-refund.
func (s *scanner) id(rest string) bool {
	for _, id := range s.names.prefixes(rest) {
		if _, number := value.ParseNumber(id); number || len(id) <= nameLength(rest) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(rest[len(id):]); !isNameRune(after) {
			s.add(tokenName, id, nil, len(id))
			return true
		}
	}
	return false
}

// member reads a name after a dot: any word, also digits and words that are operators elsewhere.
func (s *scanner) member(rest string) error {
	if s.id(rest) {
		return nil
	}
	n := len(rest) - len(strings.TrimLeftFunc(rest, isNameRune))
	if n == 0 {
		return s.fail(s.pos, memberHint, "a name is missing after the dot")
	}
	s.add(tokenName, rest[:n], nil, n)
	return nil
}

const memberHint = `names with other characters are written ["..."]`

// word reads a name, an operator or a value that is a word. Operators and values may be in capitals.
func (s *scanner) word(word string) {
	lower, last := strings.ToLower(word), len(s.tokens)-1
	switch {
	case lower == "true" || lower == "false":
		s.add(tokenValue, word, lower == "true", len(word))
	case word == "nil" || word == "null":
		s.add(tokenValue, word, nil, len(word))
	case !slices.Contains(wordOperators, lower):
		s.add(tokenName, word, nil, len(word))
	case isComparison(lower) && last > 0 && s.tokens[last].is("not") && s.tokens[last-1].endsOperand():
		s.tokens[last].text = "not " + lower
		s.pos += len(word)
	default:
		s.add(tokenOperator, lower, nil, len(word))
	}
}

func (s *scanner) number(rest string) error {
	n := 1
	for n < len(rest) && (isDigit(rest[n]) || strings.IndexByte(".eE", rest[n]) >= 0 ||
		(rest[n] == '-' || rest[n] == '+') && (rest[n-1] == 'e' || rest[n-1] == 'E')) {
		n++
	}
	number, ok := value.ParseNumber(rest[:n])
	if after, _ := utf8.DecodeRuneInString(rest[n:]); !ok || isNameRune(after) {
		word := rest[:len(rest)-len(strings.TrimLeftFunc(rest[n:], isNameRune))]
		return s.fail(s.pos, "put a text in quotes", "%s is not a number", word)
	}
	s.add(tokenValue, rest[:n], number.Value(), n)
	return nil
}

func (s *scanner) text() error {
	text, n, ok := scanText(s.src[s.pos:])
	if !ok {
		return s.fail(s.pos, "", "the text that starts here has no closing quote")
	}
	s.add(tokenValue, s.src[s.pos:s.pos+n], text, n)
	return nil
}

// scanText reads a quoted text at the front of src and gives its value and its length in src.
// \\ \' \" \n \t \r are escapes; any other backslash stays, so that '\d+' is a regular expression.
func scanText(src string) (text string, n int, ok bool) {
	const escapes, meanings = `\'"ntr`, "\\'\"\n\t\r"
	var b strings.Builder
	for i := 1; i < len(src); i++ {
		switch {
		case src[i] == src[0]:
			return b.String(), i + 1, true
		case src[i] == '\\' && i+1 < len(src):
			i++
			if meaning := strings.IndexByte(escapes, src[i]); meaning >= 0 {
				b.WriteByte(meanings[meaning])
				continue
			}
			b.WriteByte('\\')
		}
		b.WriteByte(src[i])
	}
	return "", 0, false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// nameLength is the length in bytes of the name at the front of s; names do not start with a digit.
func nameLength(s string) int {
	first, _ := utf8.DecodeRuneInString(s)
	if unicode.IsDigit(first) {
		return 0
	}
	return len(s) - len(strings.TrimLeftFunc(s, isNameRune))
}
