package plan

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/expr"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func bareLiteral(when string) bool {
	_, ok := expr.Literal(when)
	return ok
}

var (
	pathForm = `[A-Za-z_]\w*(?:\.\w+|\['(?:[^'\\]|\\.)*'\])*`
	pathOnly = regexp.MustCompile(`^` + pathForm + `$`)
	single   = regexp.MustCompile(`^\{\{\s*(` + pathForm + `)\s*\}\}$`)
)

// params says where the parameters of a call come from, those of the same origin together.
func (r *reader) params(params map[string]any) string {
	byOrigin := map[string][]string{}
	var origins []string
	for _, name := range sortedKeys(params) {
		words, origin := r.param(name, params[name])
		if !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
		byOrigin[origin] = append(byOrigin[origin], words)
	}
	slices.SortStableFunc(origins, func(a, b string) int { return cmp.Compare(b, a) }) // values that are written out come last
	var parts []string
	for _, o := range origins {
		part := list(byOrigin[o], "and")
		if o != "" {
			part += " from " + o
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + list(parts, "and")
}

// param says one parameter: its name, and its value or where that comes from.
func (r *reader) param(name string, value any) (words, origin string) {
	text, isText := value.(string)
	if !isText {
		return name + " " + expr.Text(value), ""
	}
	m := single.FindStringSubmatch(text)
	if m == nil {
		return name + " " + quote(r.text(text)), ""
	}
	field, from := r.origin(m[1])
	if field != "" && field != name {
		name += " (" + field + ")"
	}
	return name, from
}

// origin says what a path reads: the field's name, and where it comes from.
func (r *reader) origin(path string) (field, from string) {
	names := strings.Split(path, ".")
	last := lastName(path)
	switch {
	case names[0] == "inputs" && len(names) == 2:
		return last, "the run's inputs"
	case path == "run.started_by":
		return "", "the requester"
	case names[0] == "approvals" && len(names) > 1 && r.number[names[1]] != 0:
		return last, "the answer in " + strconv.Itoa(r.number[names[1]])
	case r.number[names[0]] != 0:
		if len(names) == 2 && last == "result" {
			last = ""
		}
		return last, "the result of " + strconv.Itoa(r.number[names[0]])
	}
	return last, path
}

var templatePart = regexp.MustCompile(`\{\{((?:[^'"}]|'[^']*'|"[^"]*")*)\}\}`)

// said is a message in the middle of a sentence.
func (r *reader) said(message string) string { return strings.TrimSuffix(r.text(message), ".") }

// text shows a template as people read it: what is filled in stands in brackets.
func (r *reader) text(template string) string {
	out := templatePart.ReplaceAllStringFunc(template, func(s string) string {
		inner := strings.TrimSpace(templatePart.FindStringSubmatch(s)[1])
		if inner == `"{{"` {
			return "{{"
		}
		path, _, _ := strings.Cut(inner, "|")
		path = strings.TrimSpace(path)
		if !pathOnly.MatchString(path) {
			return "[" + inner + "]"
		}
		field, from := r.origin(path)
		switch {
		case path == "run.title":
			return "[title]"
		case field == "":
			return "[" + from + "]"
		}
		return "[" + strings.ReplaceAll(field, "_", " ") + "]"
	})
	return shorten(strings.TrimSpace(out), 300)
}

var (
	comparisonForm = regexp.MustCompile(`^(` + pathForm + `) (>=|<=|==|!=|>|<|contains) ('(?:[^'\\]|\\.)*'|-?[0-9.]+|true|false|null)$`)
	negatedForm    = regexp.MustCompile(`^not \((.*)\)$`)
	operatorWords  = map[string]string{
		">": "is over", "<": "is under", ">=": "is at least", "<=": "is at most", "==": "is", "!=": "is not", "contains": "contains",
	}
)

// conditionWords says an expression in words, as far as it is made of plain comparisons; the rest is quoted.
func conditionWords(src string) string {
	src = strings.TrimSpace(src)
	for _, join := range []string{" or ", " and "} {
		parts := cutOutside(src, join)
		if len(parts) < 2 {
			continue
		}
		parts = withoutGuards(parts)
		for i := range parts {
			words := conditionWords(parts[i])
			if strings.HasPrefix(strings.TrimSpace(parts[i]), "(") {
				words = "(" + words + ")"
			}
			parts[i] = words
		}
		return strings.Join(parts, join)
	}
	if strings.HasPrefix(src, "(") && strings.HasSuffix(src, ")") {
		return conditionWords(src[1 : len(src)-1])
	}
	if m := answerPattern.FindStringSubmatch(src); m != nil {
		return "the answer of " + m[1] + " is " + unescapeLiteral(m[2])
	}
	if m := negatedForm.FindStringSubmatch(src); m != nil {
		return strings.Replace(conditionWords(m[1]), " contains ", " does not contain ", 1)
	}
	m := comparisonForm.FindStringSubmatch(src)
	if m == nil {
		return quote(src)
	}
	name := spoken(m[1])
	switch {
	case m[3] == "null" && m[2] == "==":
		return "there is no " + name
	case m[3] == "null" && m[2] == "!=":
		return "there is " + withArticle(name)
	case (m[3] == "true" || m[3] == "false") && (m[2] == "==") == (m[3] == "true"):
		return name + " is true"
	case m[3] == "true" || m[3] == "false":
		return name + " is false"
	}
	return fmt.Sprintf("%s %s %s", name, operatorWords[m[2]], unescapeLiteral(strings.Trim(m[3], "'")))
}

// withoutGuards leaves out "there is an X" beside another comparison of X.
func withoutGuards(parts []string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool {
		path, ok := strings.CutSuffix(p, " != null")
		return ok && slices.ContainsFunc(parts, func(q string) bool { return q != p && strings.Contains(q, path+" ") })
	})
}

// negates reports whether one condition is the opposite of another, for values that are there.
func negates(a, b string) bool {
	a, b = unbracket(a), unbracket(b)
	for join, opposite := range map[string]string{" or ": " and ", " and ": " or "} {
		as, bs := withoutGuards(cutOutside(a, join)), withoutGuards(cutOutside(b, opposite))
		if len(as) != len(bs) || len(as) < 2 {
			continue
		}
		for i := range as {
			if !negates(as[i], bs[i]) {
				return false
			}
		}
		return true
	}
	a, b = withoutGuard(a), withoutGuard(b)
	if m := negatedForm.FindStringSubmatch(b); m != nil {
		return m[1] == a
	}
	if m := negatedForm.FindStringSubmatch(a); m != nil {
		return m[1] == b
	}
	x, y := comparisonForm.FindStringSubmatch(a), comparisonForm.FindStringSubmatch(b)
	if x == nil || y == nil || x[1] != y[1] {
		return false
	}
	flags := x[2] == "==" && y[2] == "==" && (x[3] == "true" && y[3] == "false" || x[3] == "false" && y[3] == "true")
	return flags || x[3] == y[3] && inverse[operator(x[2])] == operator(y[2])
}

func unbracket(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && len(cutOutside(s, " or ")) == 1 && len(cutOutside(s, " and ")) == 1 {
		return s[1 : len(s)-1]
	}
	return s
}

// withoutGuard leaves out "there is an X" before a comparison of X.
func withoutGuard(s string) string {
	if parts := withoutGuards(cutOutside(s, " and ")); len(parts) == 1 {
		return parts[0]
	}
	return s
}

func unescapeLiteral(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(s)
}

// spoken is the last name of a path as words.
func spoken(path string) string {
	name := strings.ReplaceAll(lastName(path), "_", " ")
	return strings.TrimPrefix(strings.TrimPrefix(name, "is "), "has ")
}

func lastName(path string) string {
	if i := strings.LastIndex(path, "['"); i >= 0 && strings.HasSuffix(path, "']") {
		return unescapeLiteral(path[i+2 : len(path)-2])
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}

func withArticle(name string) string {
	if name != "" && strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// cutOutside cuts at a separator outside of quotes and brackets.
func cutOutside(s, sep string) []string {
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
