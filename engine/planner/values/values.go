package values

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// Source is a text of the tree. Its methods read what means the same wherever it stands: values, conditions, times, lists.
type Source struct {
	Text int    // its number
	Src  string // its words
}

// Words are the words of tokens as they stand in the text.
func (r Source) Words(toks []phrase.Token) string {
	if len(toks) == 0 {
		return ""
	}
	return r.Src[toks[0].From:toks[len(toks)-1].To]
}

// Plain is words without quotes around them.
func (r Source) Plain(toks []phrase.Token) string {
	if len(toks) == 1 && toks[0].Kind == phrase.Quoted {
		return toks[0].Text
	}
	return r.Words(toks)
}

func (r Source) Quote(toks []phrase.Token) tree.Quote {
	if len(toks) == 0 {
		return tree.Quote{}
	}
	return tree.Quote{Text: r.Text, From: toks[0].From, To: toks[len(toks)-1].To}
}

// Quotes is quote as a list without signs at the ends; nil for no words.
func (r Source) Quotes(toks []phrase.Token) []tree.Quote {
	if q := r.Quote(phrase.Trim(toks)); !q.Empty() {
		return []tree.Quote{q}
	}
	return nil
}

// Object notes that words can be read in another way, too.
func (r Source) Object(t *tree.Tree, toks []phrase.Token, how string) {
	t.Objections = append(t.Objections, tree.Objection{ID: "if." + strconv.Itoa(toks[0].From), Quote: r.Quote(toks), Text: english.Quote(r.Words(toks)) + " " + how})
}

// Choices reads answers: "approve, ask for changes or reject".
func (r Source) Choices(toks []phrase.Token) (out []string) {
	for _, part := range phrase.Alternatives(toks, true) {
		out = append(out, r.Plain(part))
	}
	return out
}

// Acts reads answers that are verbs: "approves, asks for a change or rejects the request". What the last one is about is the text.
func (r Source) Acts(s *tree.Step, toks []phrase.Token) (out []string) {
	parts := phrase.Alternatives(toks, true)
	last := parts[len(parts)-1]
	if i := slices.IndexFunc(last, func(t phrase.Token) bool { return phrase.Determiners[t.Low] }); i == 1 {
		s.Text, s.Said = r.Words(last[i:]), r.Quote(last[i:])
		parts[len(parts)-1] = last[:i]
	}
	for _, p := range parts {
		verb, rest := p[0].Low, r.Words(p[1:])
		if base := strings.TrimSuffix(verb, "s"); phrase.Verbs[base] || phrase.Answers[base] != "" {
			verb = base
		}
		verb = cmp.Or(phrase.Base(verb), verb)
		if phrase.Answers[verb] != "" && english.Pronouns[strings.ToLower(rest)] { // "rejects it"
			rest = ""
		}
		out = append(out, strings.TrimSpace(verb+" "+rest))
	}
	return out
}

// Fields reads the fields of a form: "the date and a reason".
func (r Source) Fields(toks []phrase.Token) (out []tree.Field) {
	all, parts, _ := r.Inputs(toks)
	for i, in := range all {
		if in.Type == "file" {
			in.Type = ""
		}
		if in.Name != "" {
			out = append(out, tree.Field{Name: in.Name, Type: in.Type, Required: !in.Optional, Enum: in.Enum, At: r.Quote(parts[i])})
		}
	}
	return out
}

// Inputs reads a list of inputs, with the words of each. ok is false where one of them is something else; its name is all of its words then.
func (r Source) Inputs(toks []phrase.Token) (all []tree.Input, parts [][]phrase.Token, ok bool) {
	if name, options := phrase.CutOptions(toks); options != nil {
		in, fits := r.Input(name)
		in.At = r.Quotes(toks)
		return []tree.Input{in}, [][]phrase.Token{toks}, fits && r.aside(&in, options)
	}
	parts = phrase.Alternatives(phrase.Trim(toks), false)
	ok = len(parts) > 0
	shared := "" // the noun behind the last of several: "start and end date"
	for i := range slices.Backward(parts) {
		in, fits := r.Input(parts[i])
		if !fits {
			in, ok = tree.Input{Name: english.Snake(r.Words(parts[i]))}, false
		}
		if last := in.Name[strings.LastIndex(in.Name, "_")+1:]; last != in.Name {
			shared = last
		} else if shared != "" && sides[last] {
			in.Name, in.About, in.Type = in.Name+"_"+shared, in.About+" "+shared, cmp.Or(in.Type, typed[shared])
		}
		all = append(all, in)
	}
	slices.Reverse(all)
	return all, parts, ok
}

// sides are words that need the noun of the next one.
var sides = phrase.Set("start begin beginning from first last end arrival departure old new current")

// typed are nouns that say what type a value has.
var typed = map[string]string{
	"date": "date", "day": "date", "dates": "date", "amount": "number", "number": "", "price": "number", "total": "number", "quantity": "number", "count": "integer",
	"days": "number", "weeks": "number", "months": "number", "years": "number", "hours": "number", "people": "number", "guests": "number", "nights": "number",
	"%": "number", "percent": "number", "percentage": "number", "cost": "number", "budget": "number", "sum": "number",
	"file": "file", "document": "file", "image": "file", "photo": "file", "picture": "file", "pdf": "file", "screenshot": "file", "attachment": "file",
}

// NumberOf is the type of a value that is called like a number: "price", "repair_cost"; "" = it is not.
func NumberOf(name string) string {
	last := name[strings.LastIndexAny(name, "_ ")+1:]
	if typ := typed[strings.ToLower(last)]; typ == "number" || typ == "integer" {
		return typ
	}
	return ""
}

// aside reads what stands in parentheses behind an input: "(optional)", "(a number)", "(small, medium or large)".
func (r Source) aside(in *tree.Input, toks []phrase.Token) bool {
	for len(toks) > 1 && phrase.Determiners[toks[0].Low] {
		toks = toks[1:]
	}
	if len(toks) == 2 && toks[0].Low == "variable" {
		in.Name = english.Snake(toks[1].Text)
		return true
	}
	if len(toks) == 1 {
		typ, known := asideTypes[toks[0].Low]
		in.Type, in.Optional = typ, toks[0].Low == "optional"
		return known
	}
	options := phrase.Alternatives(toks, true)
	const longest = 4 // words of an option
	for _, o := range options {
		if len(o) > longest || slices.ContainsFunc(o, func(t phrase.Token) bool {
			return t.Kind != phrase.Word && t.Kind != phrase.Quoted && t.Kind != phrase.Number
		}) {
			return false
		}
		in.Enum = append(in.Enum, strings.TrimSpace(r.Plain(o)))
	}
	return len(in.Enum) > 1
}

// asideTypes are the words that may stand alone in parentheses behind an input, with the type that they say.
var asideTypes = map[string]string{
	"number": "number", "text": "string", "date": "date", "day": "date", "time": "datetime", "file": "file", "person": "person", "channel": "channel",
	"optional": "", "required": "", "mandatory": "",
}

// Input reads one of them: "a start date", "the paper file (variable paper)", "optionally a reason".
func (r Source) Input(toks []phrase.Token) (tree.Input, bool) {
	in := tree.Input{At: r.Quotes(toks)}
	toks = phrase.Trim(toks)
	for len(toks) > 0 && (phrase.Determiners[toks[0].Low] || toks[0].Low == "optionally" || toks[0].Low == "optional" || toks[0].Low == "and") {
		in.Optional = in.Optional || strings.HasPrefix(toks[0].Low, "optional")
		toks = toks[1:]
	}
	named := toks
	article := len(in.At) > 0 && len(toks) > 0 && toks[0].From > in.At[0].From // "the open tickets" is no step
	for i := range toks {
		if toks[i].Low != "(" {
			continue
		}
		if toks[len(toks)-1].Low != ")" || !r.aside(&in, toks[i+1:len(toks)-1]) {
			return in, false
		}
		named = toks[:i]
		break
	}
	const longest = 12 // words of a name
	if len(named) == 0 || len(named) > longest || !phrase.FieldName(named) {
		return in, false
	}
	for _, t := range named {
		if t.Kind != phrase.Word && t.Kind != phrase.Slot && t.Kind != phrase.Quoted && t.Low != "'" && t.Low != "%" && (t.Low != "/" || !t.Glued) || phrase.StartsStep(named) && !article && in.Name == "" {
			return in, false
		}
		if typ, ok := typed[t.Low]; ok && in.Type == "" && in.Enum == nil {
			in.Type = typ
		}
	}
	in.About = r.Words(named)
	in.Name = cmp.Or(in.Name, english.Snake(r.Plain(named)))
	return in, in.Name != ""
}

// Term reads words as a duration of the flow format: "2 working days".
func Term(words string) (string, bool) {
	toks := phrase.Scan(words, 0, len(words))
	term, n := phrase.ReadTerm(toks)
	return term, n > 0 && n == len(toks)
}

// HoldsTerm reports whether words name a duration somewhere.
func HoldsTerm(words string) bool {
	toks := phrase.Scan(words, 0, len(words))
	for i := range toks {
		if n := phrase.TermLength(toks[i:]); n > 0 {
			return true
		}
	}
	return false
}

// InTime are the words, as a pattern, in front of the time that something may take.
const InTime = "within|no_later_than|not_later_than|max|max.|maximum|at_most|up_to|not_more_than|no_more_than"

// Time is a length of time or a time of day in words, with the words that lead to it: "within 4 hours", "by 17:00".
type Time struct {
	From, To int
	Term     string // a length of time
	Within   bool   // it says by when something is done
}

var within, leads = phrase.Phrases("in " + strings.ReplaceAll(InTime, "|", " ")), phrase.Phrases("after for every at by before until till each per over during around about")

// compared stand before a time, and aged behind one, that only says which things are meant: "the last 30 days", "older than a week", "5 days late".
var compared, aged = phrase.Set("last past previous than first"), phrase.Set("old ago overdue late")

// Times finds the times in words.
func Times(words string) (out []Time) {
	toks := phrase.Scan(words, 0, len(words))
	for i := 0; i < len(toks); i++ {
		limits := phrase.Starting(toks[i:], within)
		lead := max(limits, phrase.Starting(toks[i:], leads))
		term, n := phrase.ReadTerm(toks[i+lead:])
		if rest := toks[i+lead:]; n == 0 {
			if _, _, n = phrase.ReadClock(rest); n > 0 && rest[n-1].Kind == phrase.Number && !strings.ContainsAny(rest[n-1].Low, ":m") { // "4" alone
				n = 0
			}
			if n == 0 && lead > 0 && toks[i].Is("by", "before", "until", "till") {
				_, n = phrase.Moment(rest)
			}
			if n == 0 && toks[i].Is("on", "every", "each") && phrase.Recurs(toks[i:]) {
				lead, n = 0, phrase.TimeAt(toks[i:])
			}
		}
		last := i + lead + n - 1
		if n == 0 || lead == 0 && (toks[i].Is("a", "an") || i > 0 && compared[toks[i-1].Low]) || last+1 < len(toks) && aged[toks[last+1].Low] {
			continue
		}
		out = append(out, Time{toks[i].From, toks[last].To, term, limits > 0})
		i = last
	}
	return out
}

// Amount reads words as an amount, with or without a currency.
func Amount(words string) (float64, bool) {
	r := Source{Src: words}
	f, ok := r.Number(phrase.Trim(phrase.Scan(words, 0, len(words)))).Literal.(float64)
	return f, ok
}

// Clock reads words as a time of day.
func Clock(words string) (hour, minute int, ok bool) {
	toks := phrase.Trim(phrase.Scan(words, 0, len(words)))
	hour, minute, n := phrase.ReadClock(toks)
	return hour, minute, n > 0 && n == len(toks)
}

// Dates gives the dates that a run is given, as people name them: "first day".
func Dates(t *tree.Tree) (out []string) {
	for _, in := range t.Inputs {
		if in.Type == "date" {
			out = append(out, english.PlainName(in.Name))
		}
	}
	return out
}
