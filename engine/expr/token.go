package expr

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// scanner reads S3's words. It works on a window of src, so that a template can have one of its
// expressions read and errors still point into the template.
type scanner struct {
	src      string
	pos, end int
	ids      []string // longest first
	tokens   []token
}

var wordOperators = []string{"and", "or", "not", "in", "contains", "matches"}

// unknownOperators are operators of other languages, with what to write here instead.
var unknownOperators = []struct{ text, hint string }{
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
	{";", "one expression is all there is room for"},
	{"‘", "use straight quotes"},
	{"’", "use straight quotes"},
	{"“", "use straight quotes"},
	{"”", "use straight quotes"},
	{"„", "use straight quotes"},
	{"`", "use straight quotes: ' or \""},
}

const arithmeticHint = "expressions compare values, they do not calculate"

func (s *scanner) fail(offset int, hint, format string, args ...any) error {
	return newSyntaxError(s.src, offset, fmt.Sprintf(format, args...), hint)
}

func (s *scanner) scan() error {
	for {
		rest := strings.TrimLeftFunc(s.src[s.pos:s.end], unicode.IsSpace)
		s.pos = s.end - len(rest)
		if rest == "" {
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

func (s *scanner) next(rest string) error {
	c := rest[0]
	switch {
	case c == '\'' || c == '"':
		return s.text()
	case s.afterDot():
		return s.member(rest)
	case s.id(rest):
		return nil
	case '0' <= c && c <= '9', c == '-' && len(rest) > 1 && '0' <= rest[1] && rest[1] <= '9' && !s.afterOperand():
		return s.number(rest)
	case nameLength(rest) > 0:
		s.word(rest[:nameLength(rest)])
		return nil
	}
	if strings.HasPrefix(rest, "?.") { // a path never fails, so ?. is the same as .
		s.add(tokenPunct, ".", nil, 2)
		return nil
	}
	for _, operator := range []string{"==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "?", ":"} {
		if strings.HasPrefix(rest, operator) && !startsUnknown(rest) {
			s.add(tokenOperator, normalOperator(operator), nil, len(operator))
			return nil
		}
	}
	if strings.ContainsRune("()[],.", rune(c)) && !strings.HasPrefix(rest, "..") {
		s.add(tokenPunct, rest[:1], nil, 1)
		return nil
	}
	return s.stranger(rest)
}

// startsUnknown tells ===, !== and <> from the operators that they begin with.
func startsUnknown(rest string) bool {
	return strings.HasPrefix(rest, "===") || strings.HasPrefix(rest, "!==") ||
		strings.HasPrefix(rest, "<>") || strings.HasPrefix(rest, "??")
}

func (s *scanner) stranger(rest string) error {
	for _, unknown := range unknownOperators {
		if !strings.HasPrefix(rest, unknown.text) {
			continue
		}
		hint := unknown.hint
		if unknown.text == "-" && s.afterOperand() && len(rest) > 1 && nameLength(rest[1:]) > 0 {
			hint = s.dashHint()
		}
		return s.fail(s.pos, hint, "%s cannot be used here", unknown.text)
	}
	r, _ := utf8.DecodeRuneInString(rest)
	if r == utf8.RuneError {
		return s.fail(s.pos, "", "the text is not valid UTF-8")
	}
	return s.fail(s.pos, "", "%q cannot be used in an expression", r)
}

// dashHint is for a - after a name: most likely the id of a node is mistyped.
func (s *scanner) dashHint() string {
	start := s.last().start
	rest := s.src[start:s.end]
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool { return r == '-' || isNameRune(r) }))]
	if near := nearest(word, s.ids); near != "" {
		return "did you mean " + near + "?"
	}
	return `a name may hold - only if it is the id of a node; otherwise write ["..."]`
}

func normalOperator(operator string) string {
	switch operator {
	case "&&":
		return "and"
	case "||":
		return "or"
	case "!":
		return "not"
	}
	return operator
}

func (s *scanner) last() token {
	if len(s.tokens) == 0 {
		return token{kind: tokenOperator}
	}
	return s.tokens[len(s.tokens)-1]
}

func (s *scanner) afterDot() bool {
	last := s.last()
	return last.kind == tokenPunct && last.text == "."
}

func (s *scanner) afterOperand() bool {
	last := s.last()
	return last.kind == tokenName || last.kind == tokenValue || last.kind == tokenPunct && (last.text == ")" || last.text == "]")
}

// id takes the id of a node where a plain name would end too early, as in send-refund.
func (s *scanner) id(rest string) bool {
	for _, id := range s.ids {
		if !strings.HasPrefix(rest, id) || len(id) <= nameLength(rest) || looksNumeric(id) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(rest[len(id):]); isNameRune(after) {
			continue
		}
		s.add(tokenName, id, nil, len(id))
		return true
	}
	return false
}

func looksNumeric(id string) bool {
	_, ok := looksLikeNumber(id)
	return ok
}

// member takes a name after a dot: a word of any kind, even one that is an operator elsewhere or made
// of digits.
func (s *scanner) member(rest string) error {
	if s.id(rest) {
		return nil
	}
	n := len(rest) - len(strings.TrimLeftFunc(rest, isNameRune))
	if n == 0 {
		return s.fail(s.pos, `names with other characters are written ["..."]`, "a name is missing after the dot")
	}
	s.add(tokenName, rest[:n], nil, n)
	return nil
}

// word takes a name or one of the words that are operators or values, in capitals too.
func (s *scanner) word(word string) {
	lower := strings.ToLower(word)
	switch {
	case lower == "true" || lower == "false":
		s.add(tokenValue, word, lower == "true", len(word))
	case word == "nil" || word == "null":
		s.add(tokenValue, word, nil, len(word))
	case slices.Contains(wordOperators, lower):
		last := len(s.tokens) - 1
		negatable := lower == "in" || lower == "contains" || lower == "matches"
		if negatable && last > 0 && s.tokens[last].kind == tokenOperator && s.tokens[last].text == "not" && s.operandBefore(last) {
			s.tokens[last].text = "not " + lower
			s.pos += len(word)
			return
		}
		s.add(tokenOperator, lower, nil, len(word))
	default:
		s.add(tokenName, word, nil, len(word))
	}
}

func (s *scanner) operandBefore(i int) bool {
	before := scanner{tokens: s.tokens[:i]}
	return before.afterOperand()
}

func (s *scanner) number(rest string) error {
	n := 1
	for n < len(rest) && (strings.IndexByte("0123456789.eE", rest[n]) >= 0 ||
		(rest[n] == '-' || rest[n] == '+') && (rest[n-1] == 'e' || rest[n-1] == 'E')) {
		n++
	}
	number, ok := parseNumber(rest[:n])
	if after, _ := utf8.DecodeRuneInString(rest[n:]); !ok || isNameRune(after) {
		word := rest[:len(rest)-len(strings.TrimLeftFunc(rest[n:], isNameRune))]
		return s.fail(s.pos, "put a text in quotes", "%s is not a number", word)
	}
	s.add(tokenValue, rest[:n], number.value(), n)
	return nil
}

func (s *scanner) text() error {
	value, n, ok := scanText(s.src[s.pos:s.end])
	if !ok {
		return s.fail(s.pos, "", "the text that starts here has no closing quote")
	}
	s.add(tokenValue, s.src[s.pos:s.pos+n], value, n)
	return nil
}

// scanText reads a quoted text at the front of src and gives its value and its length in src.
// \\ \' \" \n \t \r are escapes; any other backslash stays, so that '\d+' is a regular expression.
func scanText(src string) (value string, n int, ok bool) {
	var b strings.Builder
	quote := src[0]
	for i := 1; i < len(src); i++ {
		c := src[i]
		if c == quote {
			return b.String(), i + 1, true
		}
		if c != '\\' || i+1 == len(src) {
			b.WriteByte(c)
			continue
		}
		i++
		switch src[i] {
		case '\\', '\'', '"':
			b.WriteByte(src[i])
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		default:
			b.WriteByte('\\')
			b.WriteByte(src[i])
		}
	}
	return "", 0, false
}

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

// longestFirst orders ids so that the first that fits is the longest.
func longestFirst(ids []string) []string {
	sorted := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
	slices.SortFunc(sorted, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return sorted
}
