package idiom

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/planner/english"
)

// Identifier is a name that expressions read without brackets.
var Identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Literal writes a text into an expression.
func Literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + "'"
}

// InputName makes a name of an input that expressions can read.
func InputName(name string) string {
	if Identifier.MatchString(name) {
		return name
	}
	if low := english.Snake(name); Identifier.MatchString(low) {
		return low
	}
	return "input_" + english.Snake(name)
}

var inputRead = regexp.MustCompile(`\binputs?\.([A-Za-z_][A-Za-z0-9_]*)`)

// InputsRead lists the inputs that a template reads.
func InputsRead(template string) []string {
	var out []string
	for _, m := range inputRead.FindAllStringSubmatch(template, -1) {
		out = append(out, m[1])
	}
	return out
}

// IsLiteral reports whether the when of a route is compared as it stands.
func IsLiteral(when string) bool {
	_, ok := expr.Literal(when)
	return ok
}

var (
	pathForm = `[A-Za-z_]\w*(?:\.\w+|\['(?:[^'\\]|\\.)*'\])*`
	// PathOnly is a path and nothing else.
	PathOnly = regexp.MustCompile(`^` + pathForm + `$`)
	// Single is a template of one path.
	Single = regexp.MustCompile(`^\{\{\s*(` + pathForm + `)\s*\}\}$`)
)

// TemplatePart finds what a template fills in.
var TemplatePart = regexp.MustCompile(`\{\{((?:[^'"}]|'[^']*'|"[^"]*")*)\}\}`)

// AnswerPattern is a comparison of an answer: the gate and the choice.
var AnswerPattern = regexp.MustCompile(`^approvals\.([A-Za-z0-9_-]+) == '((?:[^'\\]|\\.)*)'$`)

// ComparisonForm is a comparison of a path: path, operator, literal or path.
var ComparisonForm = regexp.MustCompile(`^(` + pathForm + `) (>=|<=|==|!=|>|<|contains) ('(?:[^'\\]|\\.)*'|-?[0-9.]+|true|false|null|` + pathForm + `)$`)

// NegatedForm is the opposite of a condition.
var NegatedForm = regexp.MustCompile(`^not \((.*)\)$`)

var (
	// RoundsForm asks whether a repeat was done so many times.
	RoundsForm = regexp.MustCompile(`^len\(vars\.\w+\) >= ([0-9]+)$`)
	// LengthForm asks whether a list has items.
	LengthForm = regexp.MustCompile(`^len\((` + pathForm + `)\) (== 0|> 0)$`)
	// StoppedForm asks whether a branch has ended early.
	StoppedForm = regexp.MustCompile(`^(?:\w+\.result == '` + Stopped + `'(?: or |$))+$`)
)

// Inverse gives the operator that holds when another one does not.
var Inverse = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

// UnescapeLiteral gives the text between the quotes of a literal.
func UnescapeLiteral(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(s)
}

// Spoken is the last name of a path as words.
func Spoken(path string) string {
	name := strings.ReplaceAll(EndOf(path), "_", " ")
	return strings.TrimPrefix(strings.TrimPrefix(name, "is "), "has ")
}

// EndOf is the last name of a path, written in either way.
func EndOf(path string) string {
	if i := strings.LastIndex(path, "['"); i >= 0 && strings.HasSuffix(path, "']") {
		return UnescapeLiteral(path[i+2 : len(path)-2])
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}

// CutOutside cuts at a separator outside of quotes and brackets.
func CutOutside(s, sep string) []string {
	var out []string
	depth, from := 0, 0
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '\'':
			quoted = !quoted
		case quoted:
		case depth == 0 && strings.HasPrefix(s[i:], sep):
			out = append(out, s[from:i])
			from = i + len(sep)
			i = from - 1
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		}
	}
	return append(out, s[from:])
}

// WithoutGuards leaves out "there is an X" beside another comparison of X.
func WithoutGuards(parts []string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool {
		path, ok := strings.CutSuffix(p, " != null")
		return ok && slices.ContainsFunc(parts, func(q string) bool { return q != p && strings.Contains(q, path+" ") })
	})
}

// WithoutGuard leaves out "there is an X" before a comparison of X.
func WithoutGuard(s string) string {
	if parts := WithoutGuards(CutOutside(s, " and ")); len(parts) == 1 {
		return parts[0]
	}
	return s
}

// Unbracket takes brackets away that stand around the whole of a condition.
func Unbracket(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && len(CutOutside(s, " or ")) == 1 && len(CutOutside(s, " and ")) == 1 {
		return s[1 : len(s)-1]
	}
	return s
}
