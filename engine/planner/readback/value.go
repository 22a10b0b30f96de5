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
	"sluice/engine/planner/tree"
)

// params describes the parameters of a call, those of the same origin together.
func (r *reader) params(params map[string]any) string {
	var by groups
	for _, name := range slices.Sorted(maps.Keys(params)) {
		words, origin := r.param(name, params[name])
		by.add(origin, words)
	}
	slices.SortFunc(by.keys, func(a, b string) int { return cmp.Compare(b, a) }) // values that are written out come last
	var parts []string
	for _, o := range by.keys {
		part := english.Join(by.of[o], "and")
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
	if object, ok := value.(map[string]any); ok && len(object) > 0 {
		return name + " (" + strings.TrimPrefix(r.params(object), " with ") + ")", ""
	}
	text, isText := value.(string)
	if !isText {
		return name + " " + expr.Text(value), ""
	}
	m := idiom.Single.FindStringSubmatch(text)
	if m == nil {
		return name + " " + english.Quoted(r.text(text)), ""
	}
	field, from := r.origin(m[1])
	if field != "" && field != name {
		name += " (" + field + ")"
	}
	return name, from
}

// origin describes a path: the field's name, "" = the whole, and the origin of its value.
func (r *reader) origin(path string) (field, from string) {
	names := strings.Split(path, ".")
	behind := func(n int) string { // the last name, when it is a field of what the first ones name
		if len(names) <= n {
			return ""
		}
		return strings.ReplaceAll(idiom.EndOf(path), "_", " ")
	}
	switch root := names[0]; {
	case (root == "inputs" || root == "input") && len(names) == 2:
		return behind(1), "the run's inputs"
	case path == "run.started_by":
		return "", "the requester"
	case root == "approvals" && len(names) > 1 && r.f.Node(names[1]) != nil:
		return behind(2), "the answer in " + r.named(names[1])
	case r.f.Node(root) != nil && len(names) == 2 && r.f.Node(root).Kind == flow.KindAsk:
		return "", "the answer in " + r.named(root)
	case r.f.Node(root) != nil && len(names) == 2 && (names[1] == "result" || names[1] == "output"):
		return "", "the result of " + r.named(root)
	case r.f.Node(root) != nil:
		return behind(0), "the result of " + r.named(root)
	case slices.ContainsFunc(r.f.Nodes, func(n flow.Node) bool { e, ok := n.Spec.(*flow.ForeachSpec); return ok && e.As == root }):
		return behind(1), "the " + strings.ReplaceAll(root, "_", " ")
	case root == "vars":
		return behind(0), "what was set before"
	case path == "event.payload.message":
		return "", "the message that started it"
	case root == "event":
		return behind(0), "what started it"
	}
	return behind(0), strings.ReplaceAll(path, "_", " ")
}

// whole describes a path in a sentence.
func (r *reader) whole(path string) string {
	field, from := r.origin(path)
	if field == "" {
		return from
	}
	return field + " from " + from
}

// said is a message in the middle of a sentence.
func (r *reader) said(message string) string { return strings.TrimSuffix(r.text(message), ".") }

// runName stands for what a run is called.
const runName = "[name of the run]"

// text shows a template as people read it: what is filled in stands in brackets, with where it comes from where two values are called the same.
func (r *reader) text(template string) string {
	called := map[string]string{} // the value of a name; "" = there are several
	idiom.Filled(template, func(inner string) string {
		field, _ := r.origin(inner)
		if first, again := called[field]; again && first != inner {
			inner = ""
		}
		called[field] = inner
		return ""
	})
	out := idiom.Filled(template, func(inner string) string {
		if inner == "run.title" {
			return runName
		} else if !idiom.PathOnly.MatchString(inner) {
			return "[" + inner + "]"
		}
		field, from := r.origin(inner)
		switch {
		case strings.HasPrefix(inner, "approvals.") && field == "note":
			return "[the note with the answer, if any]"
		case field != "" && called[field] == "":
			return "[" + r.whole(inner) + "]"
		}
		return "[" + cmp.Or(field, from) + "]"
	})
	return english.Shorten(strings.TrimSpace(out), 300)
}

var operatorWords = map[string]string{
	">": "is over", "<": "is under", ">=": "is at least", "<=": "is at most", "==": "is", "!=": "is not", "contains": "contains",
}

// conditionWords writes an expression in words, as far as it is made of plain comparisons; the rest is quoted.
func (r *reader) conditionWords(src string) string { return r.inWords(idiom.ReadCondition(src)) }

func (r *reader) inWords(c idiom.Condition) string {
	name := idiom.Spoken(c.Path)
	if strings.HasPrefix(c.Path, "approvals.") && strings.Count(c.Path, ".") == 1 {
		_, name = r.origin(c.Path)
	}
	words, value, written := c.Other()
	own := ownWords(c.Src)
	switch {
	case own != "":
		return own
	case c.Op == "not":
		return r.opposite(c.Parts[0])
	case len(c.Parts) > 0:
		return r.joined(c)
	case c.Op == "empty":
		return "there are no " + name
	case c.Op == "":
		return english.Quoted(c.Src)
	case !written:
		return name + " " + operatorWords[c.Op] + " the " + words
	case value == nil && c.Op == "==":
		return "there is no " + name
	case value == nil && c.Op == "!=":
		return "there is " + withArticle(name)
	case value == true || value == false:
		return fmt.Sprint(name, " is ", (c.Op == "==") == (value == true))
	}
	if first, _, _ := strings.Cut(words, " "); first == "not" || first == "no" { // "is not “not urgent”"
		words = english.Quoted(words)
	}
	return name + " " + operatorWords[c.Op] + " " + words
}

// opposite writes the opposite of a condition in words.
func (r *reader) opposite(c idiom.Condition) string {
	words := r.inWords(c)
	switch {
	case c.Op == "empty":
		return "there are " + idiom.Spoken(c.Path)
	case len(c.Parts) == 0 && strings.Contains(words, " contains "):
		return strings.Replace(words, " contains ", " does not contain ", 1)
	}
	return "it is not so that " + words
}

// joined writes the parts of a condition, with brackets around those that have parts themselves. What they say twice, and what cannot be beside
// the others, is left out.
func (r *reader) joined(c idiom.Condition) string {
	if path, conds, ok := rangesOf([]idiom.Condition{c}); ok {
		if amounts, some := common(*conds[0], *conds[0]); some {
			return idiom.Spoken(path) + " " + rangeWords(amounts)
		}
	}
	var parts []string
	for i, part := range c.Parts {
		if c.Op == tree.OpAnd && part.Op == tree.OpOr {
			part.Parts = possible(part.Parts, c.Parts)
		}
		words := r.inWords(part)
		if len(part.Parts) > 1 {
			words = "(" + words + ")"
		}
		if amounts, ok := narrowed(c, i); ok {
			words = amounts
		}
		if words != "" && !slices.Contains(parts, words) {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, " "+c.Op+" ")
}

// possible leaves out the alternatives that cannot hold beside other conditions, unless none would be left.
func possible(alternatives, others []idiom.Condition) []idiom.Condition {
	left := slices.DeleteFunc(slices.Clone(alternatives), func(one idiom.Condition) bool {
		return slices.ContainsFunc(others, func(o idiom.Condition) bool { return excludes(one, o) })
	})
	if len(left) == 0 {
		return alternatives
	}
	return left
}

// narrowed writes all that a condition says of an amount where it says the first of it: "is at least 50 and at most 100". Else it is "".
func narrowed(c idiom.Condition, at int) (words string, ok bool) {
	path, _, ranged := rangeOf(c.Parts[at])
	if c.Op != tree.OpAnd || !ranged {
		return "", false
	}
	var of []idiom.Condition
	for i, part := range c.Parts {
		if other, _, ranged := rangeOf(part); ranged && other == path {
			if i < at {
				return "", true
			}
			of = append(of, part)
		}
	}
	all := idiom.Condition{Op: tree.OpAnd, Parts: of}
	_, conds, _ := rangesOf([]idiom.Condition{all})
	amounts, some := common(*conds[0], *conds[0])
	return idiom.Spoken(path) + " " + rangeWords(amounts), some && len(of) > 1
}

// ownWords writes the conditions that only a flow made of steps has.
func ownWords(src string) string {
	if m := idiom.RoundsForm.FindStringSubmatch(src); m != nil {
		if m[2] != "" {
			return "it was done as often as the input " + english.PlainName(m[2]) + " says"
		}
		return "it was done " + m[1] + " times"
	}
	if strings.HasSuffix(src, ".result == "+idiom.Literal(idiom.Late)) {
		return "the time is over"
	}
	if idiom.StoppedForm.MatchString(src) {
		return "one of them ended early"
	}
	return ""
}

func withArticle(name string) string {
	if name != "" && strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
