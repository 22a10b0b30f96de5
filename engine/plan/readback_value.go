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

var single = regexp.MustCompile(`^\{\{\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*\}\}$`)

// params says where the parameters of a call come from, those of the same origin together.
func (r *reader) params(params map[string]any) string {
	byOrigin := map[string][]string{}
	var origins []string
	for _, name := range sortedKeys(params) {
		words, origin := name, ""
		text, isText := params[name].(string)
		m := single.FindStringSubmatch(text)
		switch {
		case isText && m != nil:
			field, from := r.origin(m[1])
			origin = from
			if field != "" && field != name {
				words = name + " (" + field + ")"
			}
		case isText:
			words = name + " " + r.text(text)
		default:
			words = name + " " + expr.Text(params[name])
		}
		if !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
		byOrigin[origin] = append(byOrigin[origin], words)
	}
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

// origin says what a path reads: the field's name, and where it comes from.
func (r *reader) origin(path string) (field, from string) {
	names := strings.Split(path, ".")
	last := names[len(names)-1]
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

// text shows a template as people read it: what is filled in stands in brackets.
func (r *reader) text(template string) string {
	out := templatePart.ReplaceAllStringFunc(template, func(s string) string {
		inner := strings.TrimSpace(templatePart.FindStringSubmatch(s)[1])
		if inner == `"{{"` {
			return "{{"
		}
		inner, _, _ = strings.Cut(inner, "|")
		inner = strings.TrimSpace(inner)
		if path := inner; pathOnly.MatchString(path) {
			field, from := r.origin(path)
			switch {
			case path == "run.title":
				return "[title]"
			case field == "":
				return "[" + from + "]"
			}
			return "[" + strings.ReplaceAll(field, "_", " ") + "]"
		}
		return "[" + inner + "]"
	})
	return quote(strings.TrimSpace(out))
}

var pathOnly = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*$`)

var (
	comparisonWords = regexp.MustCompile(`^([A-Za-z_][\w]*(?:\.[\w]+|\['(?:[^'\\]|\\.)*'\])*) (>=|<=|==|!=|>|<|contains) ('(?:[^'\\]|\\.)*'|-?[0-9.]+|true|false|null)$`)
	operatorWords   = map[string]string{
		">": "is over", "<": "is under", ">=": "is at least", "<=": "is at most", "==": "is", "!=": "is not", "contains": "contains",
	}
)

// conditionWords says an expression in words, as far as it is made of plain comparisons; the rest is quoted.
func conditionWords(src string) string {
	for _, join := range []string{" or ", " and "} {
		if parts := cutOutside(src, join); len(parts) > 1 {
			for i := range parts {
				parts[i] = conditionWords(strings.TrimSpace(parts[i]))
			}
			parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
			return strings.Join(parts, join)
		}
	}
	if inner, ok := strings.CutPrefix(src, "("); ok && strings.HasSuffix(inner, ")") && len(cutOutside(inner[:len(inner)-1], ")")) == 1 {
		return conditionWords(inner[:len(inner)-1])
	}
	if m := answerPattern.FindStringSubmatch(src); m != nil {
		return "the answer of " + m[1] + " is " + m[2]
	}
	m := comparisonWords.FindStringSubmatch(src)
	if m == nil {
		return quote(src)
	}
	name := strings.ReplaceAll(lastName(m[1]), "_", " ")
	value := strings.Trim(m[3], "'")
	switch {
	case m[3] == "null" && m[2] == "==":
		return "there is no " + name
	case m[3] == "null":
		return "there is " + withArticle(name)
	case m[3] == "true" && m[2] == "==":
		return name + " is true"
	case m[3] == "false" && m[2] == "==":
		return name + " is false"
	}
	return fmt.Sprintf("%s %s %s", name, operatorWords[m[2]], strings.ReplaceAll(value, `\'`, "'"))
}

func lastName(path string) string {
	if i := strings.LastIndex(path, "['"); i >= 0 && strings.HasSuffix(path, "']") {
		return path[i+2 : len(path)-2]
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

func bareLiteral(when string) bool {
	_, ok := expr.Literal(when)
	return ok
}
