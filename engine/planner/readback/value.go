package readback

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
)

// params describes the parameters of a call, those of the same origin together.
func (r *reader) params(params map[string]any) string {
	byOrigin := map[string][]string{}
	var origins []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		words, origin := r.param(name, params[name])
		if !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
		byOrigin[origin] = append(byOrigin[origin], words)
	}
	slices.SortStableFunc(origins, func(a, b string) int { return cmp.Compare(b, a) }) // values that are written out come last
	var parts []string
	for _, o := range origins {
		part := english.Join(byOrigin[o], "and")
		if o != "" {
			part += " from " + o
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + english.Join(parts, "and")
}

// param describes one parameter: its name, and its value or the origin of it.
func (r *reader) param(name string, value any) (words, origin string) {
	name = strings.ReplaceAll(name, "_", " ")
	text, isText := value.(string)
	if !isText {
		return name + " " + expr.Text(value), ""
	}
	m := idiom.Single.FindStringSubmatch(text)
	if m == nil {
		return name + " " + english.Quoted(r.text(text)), ""
	}
	field, from := r.origin(m[1])
	if field = strings.ReplaceAll(field, "_", " "); field != "" && field != name {
		name += " (" + field + ")"
	}
	return name, from
}

// origin describes a path: the field's name and the origin of its value.
func (r *reader) origin(path string) (field, from string) {
	names := strings.Split(path, ".")
	last := idiom.EndOf(path)
	switch {
	case (names[0] == "inputs" || names[0] == "input") && len(names) == 2:
		return last, "the run's inputs"
	case path == "run.started_by":
		return "", "the requester"
	case names[0] == "approvals" && len(names) > 1 && r.f.Node(names[1]) != nil:
		if len(names) == 2 {
			last = ""
		}
		return last, "the answer in " + r.place(names[1])
	case r.f.Node(names[0]) != nil:
		if len(names) == 2 && (last == "result" || last == "output") {
			last = ""
		}
		return last, "the result of " + r.place(names[0])
	case slices.ContainsFunc(r.f.Nodes, func(n flow.Node) bool { e, ok := n.Spec.(*flow.ForeachSpec); return ok && e.As == names[0] }):
		if len(names) == 1 {
			last = ""
		}
		return last, "the " + strings.ReplaceAll(names[0], "_", " ")
	case names[0] == "vars":
		return last, "what was set before"
	case path == "event.payload.message":
		return "", "the message that started it"
	case names[0] == "event":
		return last, "what started it"
	}
	return last, strings.ReplaceAll(path, "_", " ")
}

// said is a message in the middle of a sentence.
func (r *reader) said(message string) string { return strings.TrimSuffix(r.text(message), ".") }

// text shows a template as people read it: what is filled in stands in brackets.
func (r *reader) text(template string) string {
	out := idiom.TemplatePart.ReplaceAllStringFunc(template, func(s string) string {
		inner := strings.TrimSpace(idiom.TemplatePart.FindStringSubmatch(s)[1])
		if text, ok := expr.Literal(inner); ok {
			return expr.Text(text)
		}
		path, _, _ := strings.Cut(inner, "|")
		path = strings.TrimSpace(path)
		if text, ok := strings.CutPrefix(path, "str("); ok {
			path = strings.TrimSuffix(text, ")")
		}
		if !idiom.PathOnly.MatchString(path) {
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
	return english.Shorten(strings.TrimSpace(out), 300)
}

var operatorWords = map[string]string{
	">": "is over", "<": "is under", ">=": "is at least", "<=": "is at most", "==": "is", "!=": "is not", "contains": "contains",
}

// conditionWords writes an expression in words, as far as it is made of plain comparisons; the rest is quoted.
func conditionWords(src string) string {
	src = strings.TrimSpace(src)
	if words := ownWords(src); words != "" {
		return words
	}
	for _, sep := range []string{" or ", " and "} {
		parts := idiom.CutOutside(src, sep)
		if len(parts) < 2 {
			continue
		}
		parts = idiom.WithoutGuards(parts)
		for i := range parts {
			words := conditionWords(parts[i])
			if strings.HasPrefix(strings.TrimSpace(parts[i]), "(") {
				words = "(" + words + ")"
			}
			parts[i] = words
		}
		return strings.Join(parts, sep)
	}
	if strings.HasPrefix(src, "(") && strings.HasSuffix(src, ")") {
		return conditionWords(src[1 : len(src)-1])
	}
	if m := idiom.AnswerPattern.FindStringSubmatch(src); m != nil {
		return "the answer is " + idiom.UnescapeLiteral(m[2])
	}
	if m := idiom.NegatedForm.FindStringSubmatch(src); m != nil {
		return strings.Replace(conditionWords(m[1]), " contains ", " does not contain ", 1)
	}
	m := idiom.ComparisonForm.FindStringSubmatch(src)
	if m == nil {
		return english.Quoted(src)
	}
	name := idiom.Spoken(m[1])
	if strings.HasPrefix(m[1], "approvals.") && strings.Count(m[1], ".") == 1 {
		name = "the answer"
	}
	if idiom.PathOnly.MatchString(m[3]) && m[3] != "null" && m[3] != "true" && m[3] != "false" {
		return fmt.Sprintf("%s %s the %s", name, operatorWords[m[2]], idiom.Spoken(m[3]))
	}
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
	return fmt.Sprintf("%s %s %s", name, operatorWords[m[2]], idiom.UnescapeLiteral(strings.Trim(m[3], "'")))
}

// ownWords writes the conditions that only a flow made of steps has.
func ownWords(src string) string {
	if m := idiom.RoundsForm.FindStringSubmatch(src); m != nil {
		return "it was done " + m[1] + " times"
	}
	if m := idiom.LengthForm.FindStringSubmatch(src); m != nil {
		return map[string]string{"== 0": "there are no ", "> 0": "there are "}[m[2]] + idiom.Spoken(m[1])
	}
	if strings.HasSuffix(src, ".result == "+idiom.Literal(idiom.Late)) {
		return "the time is over"
	}
	if idiom.StoppedForm.MatchString(src) {
		return "one of them ended early"
	}
	return ""
}

// negates reports whether one condition is the opposite of another, for values that are there.
func negates(a, b string) bool {
	a, b = idiom.Unbracket(a), idiom.Unbracket(b)
	for join, opposite := range map[string]string{" or ": " and ", " and ": " or "} {
		as, bs := idiom.WithoutGuards(idiom.CutOutside(a, join)), idiom.WithoutGuards(idiom.CutOutside(b, opposite))
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
	a, b = idiom.WithoutGuard(a), idiom.WithoutGuard(b)
	if m := idiom.NegatedForm.FindStringSubmatch(b); m != nil {
		return m[1] == a
	}
	if m := idiom.NegatedForm.FindStringSubmatch(a); m != nil {
		return m[1] == b
	}
	x, y := idiom.ComparisonForm.FindStringSubmatch(a), idiom.ComparisonForm.FindStringSubmatch(b)
	if x == nil || y == nil || x[1] != y[1] {
		return false
	}
	flags := x[2] == "==" && y[2] == "==" && (x[3] == "true" && y[3] == "false" || x[3] == "false" && y[3] == "true")
	return flags || x[3] == y[3] && idiom.Inverse[x[2]] == y[2]
}

func withArticle(name string) string {
	if name != "" && strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
