package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/flow"
)

// filling gives the parameters of one call their values.
type filling struct {
	*builder
	text   string
	words  []word
	used   []bool // words that are explained
	params []param
	values map[string]any
}

// fill takes each parameter from the words of the step, else from the like-named field of the nearest earlier result, else from
// the words of an earlier step, else makes it an input of the run. Words that nothing explains are quoted back.
func (b *builder) fill(e *entry, s *statement, words []word, k known, id string) (map[string]any, []given) {
	f := &filling{builder: b, text: s.act, words: words, used: make([]bool, len(words)), params: paramsOf(e.tool.Params), values: map[string]any{}}
	f.byName()
	f.enums()
	f.rest(func(w word) bool { return w.kind == numberWord }, func(p param) bool { return p.typ == "number" || p.typ == "integer" })
	f.rest(func(w word) bool { return w.kind == quotedWord }, plainText)
	f.rest(func(w word) bool { return w.kind == nameWord }, param.addressed)
	f.rest(func(w word) bool { return w.kind == nameWord || isCode(w) }, plainText)
	said := f.given()
	for _, p := range f.params {
		if _, done := f.values[p.name]; done || !p.required && !f.wanted(p) && !f.wasChecked(p, k) {
			continue
		}
		if e.message != nil && p.name == e.message.text {
			f.values[p.name] = b.defaultText(k)
			continue
		}
		if ref, ok := k.like(p); ok {
			f.values[p.name] = "{{" + ref.path + "}}"
			continue
		}
		if v, ok := k.said(p); ok {
			f.values[p.name] = v
			continue
		}
		p.required = true
		f.values[p.name] = "{{inputs." + b.input(p, id) + "}}"
	}
	f.explain(e, k)
	f.leftover(e, s.line)
	return f.values, said
}

// given lists the values that were found in the words.
func (f *filling) given() []given {
	var out []given
	for _, p := range f.params {
		if v, ok := f.values[p.name]; ok {
			out = append(out, given{p, v})
		}
	}
	return out
}

func plainText(p param) bool { return p.typ == "string" && len(p.enum) == 0 }

// isCode reports words such as A-1001, addresses and links, which name one thing.
func isCode(w word) bool {
	return w.kind == plainWord && strings.ContainsAny(w.text, "0123456789@:")
}

// isName reports words that begin with a capital.
func isName(w word) bool {
	first, _ := utf8.DecodeRuneInString(w.text)
	return w.kind == plainWord && unicode.IsUpper(first)
}

var connectors = wordSet("is = : as to of")

// byName finds "amount 20", "with reason damaged" and "status: shipped".
func (f *filling) byName() {
	for _, p := range f.params {
		for i := 0; i+len(p.stems) < len(f.words); i++ {
			if !f.standsAt(p.stems, i) {
				continue
			}
			v := i + len(p.stems)
			linked := i > 0 && (f.words[i-1].low == "with" || f.words[i-1].low == "and" || f.words[i-1].low == ",")
			linked = linked || i > 0 && prepositions[f.words[i-1].low] && isName(f.words[v])
			for v < len(f.words)-1 && connectors[f.words[v].low] {
				v, linked = v+1, true
			}
			w := f.words[v]
			plain := w.kind == plainWord && !isCode(w) && !(p.typ == "boolean" || len(p.enum) > 0)
			if plain && (!linked || !w.content()) {
				continue
			}
			if value, ok := f.value(p, w); ok && f.set(p, value) {
				for j := i; j <= v; j++ {
					f.used[j] = true
				}
				f.unit(v)
				break
			}
		}
	}
}

func (f *filling) standsAt(stems []string, i int) bool {
	for j, s := range stems {
		if f.words[i+j].kind != plainWord || f.words[i+j].stem != s || f.used[i+j] {
			return false
		}
	}
	return len(stems) > 0
}

func (f *filling) set(p param, value any) bool {
	if _, done := f.values[p.name]; done {
		return false
	}
	f.values[p.name] = value
	return true
}

// value reads a word as a value of the parameter's type.
func (f *filling) value(p param, w word) (any, bool) {
	if w.kind == signWord {
		return nil, false
	}
	if len(p.enum) > 0 {
		for _, e := range p.enum {
			if strings.EqualFold(fmt.Sprint(e), w.text) {
				return e, true
			}
		}
		return nil, false
	}
	switch p.typ {
	case "string":
		return escape(w.text), true
	case "number", "integer":
		n, ok := parseNumber(w.text)
		ok = ok && w.kind == numberWord && fits(p.typ, n)
		return n, ok
	case "boolean":
		switch w.low {
		case "true", "yes", "on":
			return true, true
		case "false", "no", "off":
			return false, true
		}
	}
	return nil, false
}

// enums takes words that are one of the values that a parameter allows.
func (f *filling) enums() {
	for _, p := range f.params {
		if len(p.enum) == 0 {
			continue
		}
		for i, w := range f.words {
			if f.used[i] || w.kind == signWord || i == 0 {
				continue
			}
			if v, ok := f.value(p, w); ok && f.set(p, v) {
				f.used[i] = true
			}
		}
	}
}

// rest gives literals that no name claims to the one parameter that can take them; with several candidates they stay unused.
func (f *filling) rest(literal func(word) bool, takes func(param) bool) {
	for i, w := range f.words {
		if f.used[i] || !literal(w) {
			continue
		}
		var needed, free []param
		for _, p := range f.params {
			if _, done := f.values[p.name]; done || !takes(p) {
				continue
			}
			if p.required {
				needed = append(needed, p)
			}
			free = append(free, p)
		}
		if len(needed) > 0 {
			free = needed
		}
		if len(free) != 1 {
			continue
		}
		if v, ok := f.value(free[0], w); ok && f.set(free[0], v) {
			f.used[i] = true
			f.unit(i)
		}
	}
}

// unit marks the word behind a number that says what it counts.
func (f *filling) unit(i int) {
	if i+1 < len(f.words) && isUnit(f.words, i+1) {
		f.used[i+1] = true
	}
}

// wanted reports whether the step names an optional parameter.
func (f *filling) wanted(p param) bool {
	for i := range f.words {
		if i+len(p.stems) <= len(f.words) && i > 0 && f.standsAt(p.stems, i) && (f.words[i-1].low == "with" || f.words[i-1].low == "the") && indexOf(f.words[:i], 0, "with") >= 0 {
			return true
		}
	}
	return false
}

// wasChecked reports whether a condition has looked at the value that an optional parameter would take: what was checked is then
// what is passed on.
func (f *filling) wasChecked(p param, k known) bool {
	ref, ok := k.like(p)
	return ok && slices.ContainsFunc(f.checked, func(c reference) bool { return c.path == ref.path })
}

// explain marks the words that the tool, its parameters or earlier results account for.
func (f *filling) explain(e *entry, k known) {
	for i, w := range f.words {
		if f.used[i] || w.kind != plainWord {
			continue
		}
		named := slices.ContainsFunc(f.params, func(p param) bool { return slices.Contains(p.stems, w.stem) })
		for _, s := range k {
			named = named || slices.Contains(s.about, w.stem)
			named = named || slices.ContainsFunc(s.fields, func(f field) bool { return slices.Contains(f.stems, w.stem) })
		}
		f.used[i] = named || !w.content() || e.knows(w.stem)
	}
}

// leftover quotes back what is left. Where it could change how much or how often something is done, approval waits.
func (f *filling) leftover(e *entry, line int) {
	blocks := false
	from, to := -1, -1
	for i, w := range f.words {
		if f.used[i] || w.kind == signWord {
			continue
		}
		blocks = blocks || e.tool.Effects != flow.EffectsRead && (w.kind != plainWord || limitWords[w.low])
		if from < 0 {
			from = i
		}
		to = i + 1
	}
	if from < 0 {
		return
	}
	f.note(Note{
		Line: line, Code: "not_understood", Blocks: blocks,
		Text: fmt.Sprintf("Step %d: %s says nothing to %s and is left out.", line, quote(span(f.text, f.words[from:to])), e.tool.Name),
	})
}

var notName = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// input declares an input of the run, or finds the one of the same name and type. Two parameters of the same name and
// different types become two inputs.
func (b *builder) input(p param, node string) string {
	name := strings.Trim(notName.ReplaceAllString(fold(p.name), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = strings.TrimRight("value_"+name, "_")
	}
	for n := 2; ; n++ {
		i := slices.IndexFunc(b.inputs, func(in flow.Input) bool { return in.Name == name })
		if i < 0 {
			break
		}
		if b.inputs[i].Type == p.typ {
			b.inputs[i].Required = b.inputs[i].Required || p.required
			return name
		}
		if node != "" {
			name, node = node+"_"+name, ""
		} else {
			name = fmt.Sprintf("%s_%d", strings.TrimSuffix(name, fmt.Sprintf("_%d", n-1)), n)
		}
	}
	in := flow.Input{Name: name, Type: p.typ, Required: p.required, Description: p.description, Example: p.example, Enum: p.enum}
	b.inputs = append(b.inputs, in)
	return name
}
