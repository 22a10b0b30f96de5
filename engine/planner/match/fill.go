package match

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// Filling gives the parameters of one call their values, and records which words of the step they explain.
type Filling struct {
	Entry   *Entry
	step    *tree.Step
	Words   []english.Word
	scope   Scope
	used    []bool
	Wanted  map[string]bool // optional parameters that the words name without a value
	Values  []tree.Param
	sources []*Thing // whose values are passed on
	object  bool     // a value that the words name was passed
	Passed  bool     // it is a value of the run: what "it" means
}

// Fill takes each parameter from the words of the step, else from the value of an earlier step that is called like it. checked are the values
// that a condition has looked at: they are passed on, too.
func Fill(e *Entry, s *tree.Step, words []english.Word, k Scope, checked []tree.Ref) *Filling {
	f := &Filling{Entry: e, step: s, Words: words, scope: k, used: make([]bool, len(words)), Wanted: map[string]bool{}, Values: slices.Clone(s.Params)}
	f.given()
	for i, w := range words {
		f.used[i] = f.used[i] || e.codes[w.Low]
	}
	f.byName()
	f.labels()
	f.enums()
	f.rest(english.InputWord, func(env.Param) bool { return true })
	f.rest(english.URLWord, func(p env.Param) bool { return slices.Contains(p.Stems, "url") }, env.PlainText)
	f.numbers()
	f.rest(english.NameWord, env.Param.Person)
	f.rest(english.QuotedWord, func(p env.Param) bool { return env.PlainText(p) && !p.Key() && !p.Person() })
	f.rest(english.PlainWord, func(p env.Param) bool { return env.PlainText(p) && p.Key() }, func(p env.Param) bool { return env.PlainText(p) && p.Required })
	f.references()
	f.topic()
	f.message()
	for _, p := range e.Params {
		if f.Has(p.Name) {
			continue
		}
		if c, ok := k.like(p, e.Object); ok && (p.Required || f.Wanted[p.Name] || slices.Contains(checked, c.Ref)) {
			f.refer(p, c, "")
		}
	}
	f.explain()
	return f
}

// given marks the words that are values already.
func (f *Filling) given() {
	for _, p := range f.Values {
		v := p.Value
		passed := v.Ref != (tree.Ref{})
		f.Passed = f.Passed || passed || v.Literal != nil && v.At.Empty()
		for i, w := range f.Words {
			quoted := !v.At.Empty() && v.At.Text == f.step.Said.Text && w.From >= v.At.From && w.To <= v.At.To
			f.used[i] = f.used[i] || quoted || w.Literal() && v.Literal != nil && strings.EqualFold(fmt.Sprint(v.Literal), w.Text)
		}
		if n := len(strings.Fields(v.Words)); passed && n > 0 { // "the customer" is that value, and no other one
			for i := 0; i+n <= len(f.Words); i++ {
				if f.Span(i, i+n) == v.Words {
					f.mark(i, i+n)
				}
			}
		}
	}
}

// Has reports whether a parameter has a value.
func (f *Filling) Has(name string) bool {
	return slices.ContainsFunc(f.Values, func(v tree.Param) bool { return v.Name == name && !v.Value.Open() })
}

// refer gives a parameter a value of the run.
func (f *Filling) refer(p env.Param, c Candidate, words string) {
	f.Values = tree.SetParam(f.Values, p.Name, tree.Value{Words: words, Ref: c.Ref})
	f.sources = append(f.sources, c.from)
	f.object, f.Passed = true, true
}

// connectors stand between a name and its value; those of loose only before a number, a text in quotes and the like: "translate the text
// to German" gives no text.
var (
	connectors = english.WordSet("is = : as")
	loose      = english.WordSet("to of")
)

// Prepositions begin the words behind the object.
var Prepositions = english.WordSet("in on for with from to at by about into as under via using per within during because so after before until since regarding")

// Joining are words and signs that join something else to the words before.
var Joining = english.WordSet("and or then but also plus & , / + ; :")

// byName finds "amount 20", "with reason damaged", "status: shipped", "with high priority", and names without a value.
func (f *Filling) byName() {
	for _, p := range f.Entry.Params {
		for i := 0; i+len(p.Stems) <= len(f.Words) && !f.Has(p.Name); i++ {
			if !f.standsAt(p.Stems, i) {
				continue
			}
			v := i + len(p.Stems)
			for v < len(f.Words)-1 && (connectors[f.Words[v].Low] || f.Words[v].Kind == english.SignWord && f.Words[v].Text != "(") {
				v++
			}
			if v+1 < len(f.Words) && loose[f.Words[v].Low] && f.Words[v+1].Literal() {
				v++
			}
			switch {
			case v < len(f.Words) && f.take(p, v, v > i+len(p.Stems)), i > 1 && !Prepositions[f.Words[i].Low] && f.takeBefore(p, i-1):
				f.mark(i, i+len(p.Stems))
			case i > 1 && (f.Words[i-1].Low == "with" || Determiners[f.Words[i-1].Low] && slices.ContainsFunc(f.Words[:i], func(w english.Word) bool { return w.Low == "with" })):
				f.Wanted[p.Name] = true
			}
		}
	}
}

// Determiners stand before a name and do not describe it.
var Determiners = english.WordSet("the a an its their his her this that these those my our")

func (f *Filling) standsAt(stems []string, i int) bool {
	for j, s := range stems {
		if f.Words[i+j].Kind != english.PlainWord || f.Words[i+j].Stem != s || f.used[i+j] {
			return false
		}
	}
	return len(stems) > 0
}

func (f *Filling) mark(from, to int) {
	for i := from; i < to; i++ {
		f.used[i] = true
	}
}

// take gives a parameter the value that stands at a place, behind its name.
func (f *Filling) take(p env.Param, i int, linked bool) bool {
	w, to := f.Words[i], i+1
	if w.Kind == english.PlainWord && !w.Literal() && len(p.Enum) == 0 && p.Typ != "boolean" {
		if !w.Content() || Prepositions[w.Low] || !linked && (f.Entry.knows(w.Stem) || p.Typ != "string" || !names(w)) {
			return false
		}
		for to < len(f.Words) && capital(w) && capital(f.Words[to]) {
			to++
		}
	}
	return f.set(p, i, to)
}

// takeBefore gives a parameter the one word between a preposition or an article and its name: "with high priority", "in the IT project".
func (f *Filling) takeBefore(p env.Param, i int) bool {
	w := f.Words[i]
	lead := f.Words[i-1].Low
	if w.Kind != english.PlainWord || !w.Content() || f.used[i] || f.Entry.knows(w.Stem) || !Prepositions[lead] && !Determiners[lead] || len(p.Enum) == 0 && !names(w) {
		return false
	}
	return f.set(p, i, i+1)
}

// grades are what people call a priority or a severity.
var grades = english.WordSet("highest high medium normal low lowest urgent critical major minor")

// names reports whether a word beside the name of a parameter is its value: "project IT", "high priority". Others only describe it: "the
// message text", "appropriate priority".
func names(w english.Word) bool { return capital(w) || w.Literal() || grades[w.Low] }

// set gives a parameter the value of the words [from, to).
func (f *Filling) set(p env.Param, from, to int) bool {
	v := tree.Value{Words: f.Span(from, to), At: f.Quote(from, to)}
	w := f.Words[from]
	if to > from+1 {
		w.Text = f.Span(from, to)
	}
	if w.Kind == english.InputWord {
		v.Ref = tree.Ref{Input: idiom.InputName(w.Text)}
	} else {
		literal, ok := LiteralOf(p, w)
		if !ok {
			return false
		}
		v.Literal = literal
	}
	f.Values = tree.SetParam(f.Values, p.Name, v)
	f.mark(from, to)
	if to < len(f.Words) && w.Kind == english.NumberWord && english.Units[f.Words[to].Low] {
		f.used[to] = true
	}
	f.object = true
	return true
}

// Quote is where words of the step stand in its text.
func (f *Filling) Quote(from, to int) tree.Quote {
	if f.step.Said.Empty() {
		return tree.Quote{}
	}
	return tree.Quote{Text: f.step.Said.Text, From: f.Words[from].From, To: f.Words[to-1].To}
}

// Spoken is a run of words without what leads to it: "for the broken printer" is "broken printer".
func (f *Filling) Spoken(r [2]int) [2]int {
	for r[0] < r[1]-1 && f.Words[r[0]].Stop() {
		r[0]++
	}
	return r
}

// Span is a run of words as written.
func (f *Filling) Span(from, to int) string {
	var out []string
	for _, w := range f.Words[from:to] {
		out = append(out, w.Text)
	}
	return strings.Join(out, " ")
}

func capital(w english.Word) bool {
	first, _ := utf8.DecodeRuneInString(w.Text)
	return w.Kind == english.PlainWord && unicode.IsUpper(first)
}

// LiteralOf reads a word as a value of the parameter's type.
func LiteralOf(p env.Param, w english.Word) (any, bool) {
	if w.Kind == english.SignWord || w.Kind == english.NumberWord && strings.HasSuffix(w.Text, "%") && !slices.ContainsFunc(p.Stems, func(s string) bool { return env.Rates[s] }) { // 20 % of what?
		return nil, false
	}
	for _, e := range p.Enum {
		if strings.EqualFold(fmt.Sprint(e), w.Text) {
			return e, true
		}
	}
	if len(p.Enum) > 0 {
		return nil, false
	}
	switch p.Typ {
	case "string":
		return w.Text, strings.TrimSpace(w.Text) != ""
	case "number", "integer":
		n, ok := english.ParseNumber(w.Text)
		return n, ok && env.Fits(p.Typ, n)
	case "boolean":
		switch w.Low {
		case "true", "yes", "on":
			return true, true
		case "false", "no", "off":
			return false, true
		}
	}
	return nil, false
}

// enums takes words that are one of the values that a parameter allows.
func (f *Filling) enums() {
	for _, p := range f.Entry.Params {
		for i := 1; i < len(f.Words) && len(p.Enum) > 0 && !f.Has(p.Name); i++ {
			if !f.used[i] {
				f.set(p, i, i+1)
			}
		}
	}
}

// labels takes the words in brackets for the labels that a tool tells texts apart by: "categorize it (billing, technical, general)".
func (f *Filling) labels() {
	from := slices.IndexFunc(f.Words, func(w english.Word) bool { return w.Text == "(" }) + 1
	at := slices.IndexFunc(f.Entry.Params, func(p env.Param) bool { return labelled[p.Name] && !f.Has(p.Name) })
	to := from + slices.IndexFunc(f.Words[from:], func(w english.Word) bool { return strings.HasPrefix(w.Text, ")") })
	if from < 2 || at < 0 || to <= from {
		return
	}
	v := tree.Value{Words: f.Span(from, to), At: f.Quote(from, to)}
	var list []string
	var all []any
	for name := range strings.FieldsFuncSeq(strings.ReplaceAll(v.Words, " or ", ","), func(r rune) bool { return strings.ContainsRune(",/;|", r) }) {
		list, all = append(list, strings.TrimSpace(name)), append(all, strings.TrimSpace(name))
	}
	if v.Literal = strings.Join(list, ", "); f.Entry.Params[at].Typ == "array" {
		v.Literal = all
	}
	if len(list) > 1 {
		f.Values = tree.SetParam(f.Values, f.Entry.Params[at].Name, v)
		f.mark(from, to)
	}
}

var labelled = english.WordSet("labels categories classes options tags choices kinds types")

// bounds stand before a number that is no value: "up to 500", "more than 500".
var bounds = english.WordSet("than over under above below most least max maximum minimum about around nearly almost")

// rest gives literals of a kind that no name claims to the one parameter that can take them, required ones first; with several candidates
// they stay unexplained.
func (f *Filling) rest(kind english.WordKind, takes ...func(env.Param) bool) {
	for i, w := range f.Words {
		if w.Kind == kind && (kind != english.PlainWord || w.Literal()) {
			f.claim(i, takes...)
		}
	}
}

// numbers gives numbers to the parameters that take an amount, and to those that say which thing is meant: "order 1234" is never an amount.
func (f *Filling) numbers() {
	amounts := func(p env.Param) bool { return IsNumber(p.Typ) }
	for i, w := range f.Words {
		switch {
		case w.Kind != english.NumberWord || i > 0 && (bounds[f.Words[i-1].Low] || i > 1 && f.Words[i-2].Low == "up"):
		case f.numbered(i): // of what the tool is about: "level 1" is no order
			f.claim(i, func(p env.Param) bool {
				of := f.Words[i-1].Stem
				return p.Key() && (f.Entry.knows(of) || slices.Contains(p.Stems, of))
			})
		default:
			f.claim(i, amounts, env.Param.Key)
		}
	}
}

// claim gives a word to the one parameter that can take it, by the first of the conditions that one meets.
func (f *Filling) claim(i int, takes ...func(env.Param) bool) {
	for _, take := range takes {
		if f.used[i] {
			return
		}
		if p, ok := f.only(take, f.Words[i]); ok {
			f.set(p, i, i+1)
		}
	}
}

// numbered reports whether a number says which thing is meant, and not how much: "order 1234", "the ticket 77".
func (f *Filling) numbered(i int) bool {
	if i < 2 {
		return false
	}
	before := f.Words[i-1]
	return before.Kind == english.PlainWord && !before.Stop() && !Prepositions[before.Low] && !strings.HasSuffix(before.Low, "ly") && !english.Units[before.Low]
}

// only finds the one parameter without a value that takes a word.
func (f *Filling) only(take func(env.Param) bool, w english.Word) (env.Param, bool) {
	var needed, free []env.Param
	for _, p := range f.Entry.Params {
		if f.Has(p.Name) || !take(p) {
			continue
		}
		if w.Kind == english.InputWord && slices.Equal(english.NameStems(w.Text), p.Stems) {
			return p, true
		}
		free = append(free, p)
		if p.Required {
			needed = append(needed, p)
		}
	}
	if len(needed) > 0 {
		free = needed
	}
	if len(free) != 1 {
		return env.Param{}, false
	}
	return free[0], true
}

// references finds values of the run in the remaining words: "summarize the report" passes the report on.
func (f *Filling) references() {
	says := len(f.Words) > 0 && f.Entry.knows(f.Words[0].Stem) // "thank the customer" does not say what the message is
	for from := 1; from < len(f.Words); from++ {
		if !f.open(from) {
			continue
		}
		to := from + 1
		for to < len(f.Words) && to < from+6 && (f.open(to) || to+1 < len(f.Words) && (Determiners[f.Words[to].Low] || f.Words[to].Low == "of")) {
			to++
		}
		for ; to > from; to-- {
			all := f.scope.Named(f.Words[from:to], AnyType)
			if len(all) != 1 {
				continue
			}
			if p, ok := f.only(func(p env.Param) bool {
				return len(p.Enum) == 0 && Compatible(all[0].Typ, p.Typ) && (says || !contents[p.Name]) && keyed(p, all[0])
			}, f.Words[from]); ok {
				f.refer(p, all[0], f.Span(from, to))
				f.mark(from, to)
				from = to - 1
				break
			}
		}
	}
}

// keyed reports whether a value may say which thing is meant, where a parameter takes that: "refund 50 to the customer" does not refund the order
// that is called like the customer.
func keyed(p env.Param, c Candidate) bool {
	name := c.Stems
	if c.Path == nil { // the whole of it
		name = c.from.Name
	}
	_, key := env.CutKey(name)
	return !p.Key() || key || Shares(name, p.Stems)
}

// open reports whether a word is not explained yet.
func (f *Filling) open(i int) bool {
	w := f.Words[i]
	return !f.used[i] && w.Content() && !w.Literal() && !f.Entry.knows(w.Stem)
}

// plain are words that change nothing of what a tool does, kinds those that only say what the word before them is: "PDF format".
var (
	plain = english.WordSet("api corresponding complete completely entire entirely full fully whole right")
	kinds = english.WordSet("format file files version")
)

// explain marks the words that the tool, its parameters or the values that are passed on account for.
func (f *Filling) explain() {
	for i, w := range f.Words {
		if f.used[i] || w.Kind != english.PlainWord || english.Quantities[w.Low] && !(english.Wholes[w.Low] && f.Entry.lists()) || english.Denials[w.Low] || w.Literal() {
			continue
		}
		ok := introducing[w.Low] && i+1 < len(f.Words) && f.used[i+1] && f.Words[i+1].Kind == english.QuotedWord || f.Entry.knows(w.Stem) || english.Wholes[w.Low] || plain[w.Low] || kinds[w.Low] && i > 0 && f.used[i-1]
		for _, p := range f.Entry.Params {
			ok = ok || slices.Contains(p.Stems, w.Stem) && (p.Required || f.Wanted[p.Name] || f.Has(p.Name))
		}
		for _, s := range f.sources {
			ok = ok || slices.Contains(s.About, w.Stem) || slices.Contains(s.Name, w.Stem)
		}
		f.used[i] = ok
	}
}

// Unexplained lists the runs of words that nothing explains, as ranges of words.
func (f *Filling) Unexplained() [][2]int {
	var out [][2]int
	for i, w := range f.Words {
		if f.used[i] || w.Kind == english.SignWord || f.empty(w) {
			continue
		}
		from := i
		for from > 0 && !f.used[from-1] && f.Words[from-1].Stop() {
			from--
		}
		if n := len(out); n > 0 && from <= out[n-1][1] {
			out[n-1][1] = i + 1
			continue
		}
		out = append(out, [2]int{from, i + 1})
	}
	return out
}

// empty reports whether a word has no meaning by itself here. "It" does, unless a value of the run is passed on.
func (f *Filling) empty(w english.Word) bool {
	return w.Stop() && !english.Denials[w.Low] && !english.Quantities[w.Low] && (f.Passed || w.Low != "it" && w.Low != "them" && w.Low != "these" && w.Low != "those")
}

// takesObject reports whether what the words name was passed to the tool: "refund it", "restart web-1".
func (f *Filling) takesObject() bool {
	return f.object && slices.ContainsFunc(f.Words[min(1, len(f.Words)):], func(w english.Word) bool { return w.Literal() || w.Content() || english.Pronouns[w.Low] })
}

// knowsObject reports whether the steps before give what the tool needs, so that a verb alone can mean it: "get the order, refund, ...".
func (f *Filling) knowsObject() bool {
	return f.object && !slices.ContainsFunc(f.Entry.Params, func(p env.Param) bool { return p.Required && !f.Has(p.Name) })
}

// acceptable reports whether the tool may be chosen without a question. No unexplained word changes how much is done, and all unexplained
// words stand behind a preposition, after a whole phrase of the tool. The draft asks about those words separately.
func (f *Filling) acceptable(whole bool) bool {
	tail := slices.IndexFunc(f.Words, func(w english.Word) bool {
		return w.From > f.Words[0].From && w.Kind == english.PlainWord && Prepositions[w.Low]
	})
	for i, w := range f.Words {
		_, numeral := english.Numerals[w.Low]
		switch {
		case f.used[i] || w.Kind == english.SignWord:
		case w.Kind == english.PlainWord && (english.Quantities[w.Low] || numeral):
			return false
		case f.empty(w):
		case !whole || tail < 0 || i < tail:
			return false
		}
	}
	return true
}
