package phrase

import (
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// part is one part of a pattern.
type part struct {
	slot     string     // of a {slot}; "" = words
	words    [][]string // the alternatives, each of one or more words
	optional bool
}

// compiled are the patterns that were read, by their text.
var compiled sync.Map

// compile reads a pattern: words with alternatives "post|write_to", optional ones in brackets "[please]", slots "{who}", "{text?}".
func compile(pattern string) []part {
	if kept, ok := compiled.Load(pattern); ok {
		return kept.([]part)
	}
	var out []part
	for f := range strings.FieldsSeq(pattern) {
		var p part
		if in, ok := strings.CutPrefix(f, "{"); ok {
			p.slot, p.optional = strings.CutSuffix(strings.TrimSuffix(in, "}"), "?")
		} else {
			in, ok := strings.CutPrefix(f, "[")
			if p.optional = ok; strings.Contains(in, "{") {
				panic("phrase: a slot is no alternative of words: " + f)
			}
			for alt := range strings.SplitSeq(strings.TrimSuffix(in, "]"), "|") {
				p.words = append(p.words, strings.Split(alt, "_"))
			}
			slices.SortStableFunc(p.words, func(a, b []string) int { return len(b) - len(a) })
		}
		out = append(out, p)
	}
	compiled.Store(pattern, out)
	return out
}

// Match is how a pattern fits tokens: the tokens of its words, and those of its slots.
type Match struct {
	Words [][]Token
	Slots map[string][]Token
	Names []Who
	Term  string // the duration of {dur}
	Count int    // the number of {n}
	End   int    // how many tokens it takes
}

// Fit matches a pattern with the beginning of toks. A {text} reaches to the next words of the pattern, or to the end. Nothing is tried
// twice: the time grows with the number of tokens.
func Fit(pattern string, toks []Token) (*Match, bool) {
	m := Match{Slots: map[string][]Token{}}
	parts := compile(pattern)
	for i := range parts {
		p := &parts[i]
		rest := toks[m.End:]
		n := p.literal(rest)
		if p.slot != "" {
			n = m.fill(p.slot, parts[i+1:], rest)
		}
		switch {
		case n == 0 && !p.optional:
			return nil, false
		case n > 0 && p.slot != "":
			m.Slots[p.slot] = rest[:n]
		case n > 0:
			m.Words = append(m.Words, rest[:n])
		}
		m.End += n
	}
	return &m, true
}

// Whole matches a pattern with all of toks.
func Whole(pattern string, toks []Token) (*Match, bool) {
	m, ok := Fit(pattern, toks)
	return m, ok && m.End == len(toks)
}

// SaidLast takes the last of several names into the text behind it, if that text says something of it: "notify @bob and the order is shipped".
func (m *Match) SaidLast(toks []Token) {
	n, text := len(m.Names)-1, m.Slots["text"]
	if n < 1 || m.Names[n].Certain || len(text) == 0 || !Auxiliaries[text[0].Low] {
		return
	}
	name := m.Names[n].Toks
	if begin := len(toks) - len(text) - len(name); begin > 0 && toks[begin].From == name[0].From {
		m.Names, m.Slots["text"] = m.Names[:n], toks[begin:]
	}
}

// literal gives how many tokens the first of the alternatives takes that fits.
func (p *part) literal(toks []Token) int {
	for _, alt := range p.words {
		if Begins(toks, alt...) {
			return len(alt)
		}
	}
	return 0
}

// notInThings are words that stand in no name of a thing.
var notInThings = Set(`i we you before after until when while once not no never needn't doesn't don't isn't aren't can't cannot won't mustn't shouldn't longer`)

// MostItem is how many words name what a list is of.
const MostItem = 12

// fill finds how many tokens a slot takes, and keeps what it read of them; 0 = it does not fit.
func (m *Match) fill(slot string, rest []part, toks []Token) (n int) {
	switch slot {
	case "who", "addr", "role":
		m.Names, n = ReadWho(toks)
		if n == 0 || slot == "who" || m.Names[0].Certain || slot == "role" && RoleOf(toks[:n]) {
			return n
		}
		return 0
	case "dur":
		m.Term, n = ReadTerm(toks)
	case "due", "sharp": // the end of a day is not before that day
		if m.Term, n = Due(toks); n > 0 {
			m.Term = tree.Until + m.Term
		}
		if _, part, days := momentDay(toks); slot == "sharp" && n == days && part == 0 {
			return 0
		}
	case "span":
		m.Term, n = ReadSpan(toks)
	case "n":
		m.Count, n = readCount(toks)
	case "place":
		return takePlace(toks)
	case "matter": // nobody is named in it
		n = upTo(rest, toks)
		if slices.ContainsFunc(toks[:n], func(t Token) bool { return t.Kind == Name && t.Low[0] == '@' }) {
			return 0
		}
	case "thing": // "before each release I" is none
		n = upTo(rest, toks)
		if HasAny(toks[:n], notInThings) {
			return 0
		}
	default:
		if take, known := slots[slot]; known {
			return take(toks)
		}
		return upTo(rest, toks)
	}
	return n
}

// slots say how many tokens those slots take of which a match keeps nothing but the tokens.
var slots = map[string]func(toks []Token) (n int){
	"date":   func(toks []Token) int { _, n := ReadDate(toks, time.Now()); return n },
	"clock":  func(toks []Token) int { _, _, n := ReadClock(toks); return n },
	"moment": func(toks []Token) int { _, n := Moment(toks); return n },
	"days":   takeDays,
	"plural": func(toks []Token) int {
		return when(len(toks) > 0 && strings.HasSuffix(toks[0].Low, "s"), takeDays(toks))
	},
	"nths":     func(toks []Token) int { return takeSeries(toks, func(t Token) bool { return NthOf(t) > 0 }) },
	"emoji":    one(func(t Token) bool { return t.Kind == emoji }),
	"channel":  one(func(t Token) bool { return t.Kind == Name && t.Low[0] == '#' }),
	"quoted":   takeQuoted,
	"last":     one(func(t Token) bool { return Small(t) > 0 }),
	"path":     one(func(t Token) bool { return t.Kind == Word || t.Kind == Quoted }),
	"accord":   one(func(t Token) bool { return accords[t.Low] }),
	"answer":   one(func(t Token) bool { return Answers[t.Low] != "" }),
	"acts":     func(toks []Token) int { return when(listOf(toks, true), len(toks)) },
	"choices":  func(toks []Token) int { return when(listOf(toks, false), len(toks)) },
	"picks":    func(toks []Token) int { return when(listOf(toks, false) && short(toks), len(toks)) },
	"brief":    func(toks []Token) int { return when(ListOf(toks), len(toks)) },
	"fields":   func(toks []Token) int { return when(listOfFields(toks), len(toks)) },
	"question": all(func(t Token) bool { return t.Kind == Quoted || questions[t.Low] }),
	"deed":     all(func(t Token) bool { return Verbs[t.Low] || Third(t.Low) || Gerund(t) != "" }),
	"task": func(toks []Token) int { // of which the verb need not be known: "water the plants"
		return when(len(toks) > 1 && toks[0].Kind == Word && !Prepositions[toks[0].Low] && !Auxiliaries[toks[0].Low] && Determiners[toks[1].Low] && !slices.ContainsFunc(toks, func(t Token) bool { return t.Kind == Name }), len(toks))
	},
	"flow":   all(func(t Token) bool { return t.Kind == Word || t.Kind == Quoted }),
	"period": func(toks []Token) int { return when(IsPeriod(toks), len(toks)) },
	"nounit": func(toks []Token) int { return when(len(toks) > 1 && toks[0].Kind == Number && nearUnit(toks[1]), 2) },
	"event":  takeEvent,
	"item":   takeItem,
	"said":   takeSaid,
}

// when gives n if a slot fits.
func when(fits bool, n int) int {
	if !fits {
		return 0
	}
	return n
}

// one takes a single token that fits.
func one(fits func(t Token) bool) func(toks []Token) int {
	return func(toks []Token) int { return when(len(toks) > 0 && fits(toks[0]), 1) }
}

// all takes every token when the first one fits.
func all(fits func(t Token) bool) func(toks []Token) int {
	return func(toks []Token) int { return when(len(toks) > 0 && fits(toks[0]), len(toks)) }
}

var places = []string{"to|on|under a|any|some|the [new] message|post", "in|on|from [the] {channel} [channel]", "in_this_channel|here"}

var accords = Set(`acceptance approval consent confirmation permission sign-off`)

// takePlace takes the words for the message that somebody reacts to, and for its channel: "to a message in #bugs", "in this channel".
func takePlace(toks []Token) (n int) {
	for _, p := range places {
		if m, ok := Fit(p, toks[n:]); ok {
			n += m.End
		}
	}
	return n
}

// takeDays takes weekdays: "Monday", "Mon and Thu", "Mondays, Tuesdays and Fridays", "Monday to Friday".
func takeDays(toks []Token) int {
	return takeSeries(toks, func(t Token) bool { return DayOf(t.Low) >= 0 })
}

// takeSeries takes tokens that fit, with what joins them.
func takeSeries(toks []Token, fits func(t Token) bool) (n int) {
	for at := 0; at < len(toks) && fits(toks[at]); {
		at++
		for n = at; at < len(toks) && joins[toks[at].Low]; {
			at++
		}
		if at == n {
			break
		}
	}
	return n
}

var joins = Set(`, and & to - through the every each`)

// takeSaid takes a quoted text, or the words up to one that ends them.
func takeSaid(toks []Token) (n int) {
	if len(toks) == 0 || Unsaid[toks[0].Low] {
		return 0
	}
	if n := takeQuoted(toks); n > 0 {
		return n
	}
	for n < len(toks) && Starting(toks[n:], Ends) == 0 && (n == 0 || !StartsStep(toks[n:])) {
		n++
	}
	return n
}

// takeQuoted takes texts in quotes of which one is meant: "urgent" or "help".
func takeQuoted(toks []Token) (n int) {
	for at := 0; at < len(toks) && toks[at].Kind == Quoted; {
		at++
		for n = at; at < len(toks) && toks[at].Is("or", ","); {
			at++
		}
	}
	return n
}

// Unsaid begin words that describe a message and do not stand in it: "says something about refunds".
var Unsaid = Set(`that something anything stuff what how why who about a an so`)

// takeEvent takes what happens, up to words that end it or begin a step.
func takeEvent(toks []Token) (n int) {
	for inside := 0; n < len(toks) && (inside > n || !(n > 1 && PleaseWords[toks[n].Low]) && Starting(toks[n:], Ends) == 0 && !actsHere(toks, n) && !(n > 1 && Persons[toks[n].Low] && !quoting[toks[n-1].Low] && Told(toks[:n]) && TellsAuthor(toks[n:])) && (n < 2 || guarding(toks[:n]) || endsThing(toks, n) || !StartsStep(toks[n:]))); {
		if toks[n].Low == "(" { // "is created (by a form, an import)"
			inside = n + 1 + Find(toks[n:], ")")
		}
		n++
	}
	if n > 1 && n < len(toks) && toks[n-1].Is("i", "we") { // who does the step
		n--
	}
	return when(n > 1, n)
}

// takeItem takes the words that name what a list is of.
func takeItem(toks []Token) (n int) {
	for n < len(toks) && n < MostItem && toks[n].Kind != Sign && !StartsStep(toks[n:]) {
		n++
	}
	return n
}

// upTo takes the tokens before the next words that the pattern asks for; all of them when it asks for none.
func upTo(rest []part, toks []Token) int {
	next := slices.IndexFunc(rest, func(p part) bool { return p.slot == "" && !p.optional })
	if next < 0 {
		return len(toks)
	}
	for n := 1; n < len(toks); n++ {
		if rest[next].literal(toks[n:]) > 0 {
			return n
		}
	}
	return 0
}

// questions are the words that questions begin with.
var questions = Set(`what which when how why where who whom whose is are do does did can could should will would`)

// listOf reports whether toks are answers joined by "or"; of verbs, each of them begins with one.
func listOf(toks []Token, acts bool) bool {
	const longest = 10 // words of an answer
	or := false
	for _, t := range toks {
		or = or || t.Is("or", "/") || t.Low == "and" && !acts
	}
	parts := Alternatives(toks, true)
	for _, p := range parts {
		if len(p) > longest || limits[p[0].Low] || HasAny(p[1:], limits) || acts && !Verbs[p[0].Low] && Base(p[0].Low) == "" && Answers[p[0].Low] == "" || questions[p[0].Low] { // "what they need and what it costs"
			return false
		}
	}
	return or && len(parts) > 1
}

// ListOf reports whether toks are answers that "or" joins, of a few words each.
func ListOf(toks []Token) bool {
	return listOf(toks, false) && !slices.ContainsFunc(Alternatives(toks, true), func(p []Token) bool { return len(p) > 3 })
}

// Brief reports whether toks are several answers of a few words each, as they stand in parentheses: "ok / not ok", "yes, no".
func Brief(toks []Token) bool {
	answer := func(p []Token) bool { return Answers[p[len(p)-1].Low] != "" }
	parts := Alternatives(toks, true)
	return ListOf(toks) || len(parts) > 1 && !slices.ContainsFunc(parts, func(p []Token) bool { return len(p) > 2 || !answer(p) })
}

// limits stand before the time by which people answer: "yes or no by 20 May". That is no part of an answer.
var limits = Set(`by within until till`)

// short reports whether each of the answers in toks has a word or two, and is nothing that is done.
func short(toks []Token) bool {
	return !slices.ContainsFunc(Alternatives(toks, true), func(p []Token) bool {
		return len(p) > 2 || StartsStep(p) || RoleEnds[p[0].Low] || p[0].Kind == Name || p[0].Kind == Number
	})
}

// listOfFields reports whether toks are names of fields: "the date and a reason". Words that say when or whether something is given are none.
func listOfFields(toks []Token) bool {
	const longest = 6 // words of a field
	if len(toks) == 0 {
		return false
	}
	name, _ := CutOptions(toks)
	for _, part := range Alternatives(name, false) {
		if len(part) > longest+1 || !FieldName(part) {
			return false
		}
	}
	return !pronouns[Lows(toks)] && !HasAny(toks, limiting)
}

// FieldName reports whether toks may be the name of a field: no word says that it is another one, or how it is asked for.
func FieldName(toks []Token) bool {
	if paren := Find(toks, "("); paren > 0 {
		toks = toks[:paren]
	}
	first, last := toks[0].Low, toks[len(toks)-1].Low
	return !Has(toks, "or", "either", "nothing") && first != "no" && first != "not" && !(len(toks) > 1 && (behindFields[last] || Begins(toks[len(toks)-2:], "each", "time")))
}

// behindFields are words behind a list of fields that say how they are asked for.
var behindFields = Set(`again twice first too together instead only once`)

// CutOptions cuts the answers of a single field off its name: "the severity: low, medium or high".
func CutOptions(toks []Token) (name, options []Token) {
	const longest = 4 // words of the name
	if at := Find(toks, ":"); at > 0 && at <= longest && !Has(toks[:at], ",", "and", "(", "of") && !slices.ContainsFunc(toks[:at], func(t Token) bool { return Third(t.Low) }) && Has(toks[at:], "or") {
		return toks[:at], toks[at+1:]
	}
	return toks, nil
}

// limiting are words that say when, how often or on what condition something is done.
var limiting = Set(`every until till if when whenever unless once before after within daily weekly monthly hourly because except tomorrow then between hers theirs wins`)

// Begins reports whether the tokens begin with these words.
func Begins(toks []Token, words ...string) bool {
	if len(toks) < len(words) {
		return false
	}
	for i, w := range words {
		if toks[i].Low != w {
			return false
		}
	}
	return true
}

// Find gives the place of the first token that is one of these words; -1 = none is.
func Find(toks []Token, words ...string) int {
	return slices.IndexFunc(toks, func(t Token) bool { return t.Is(words...) })
}

// Has reports whether one of the tokens is one of these words.
func Has(toks []Token, words ...string) bool { return Find(toks, words...) >= 0 }

// HasAny reports whether one of the tokens is a word of a list.
func HasAny(toks []Token, list map[string]bool) bool {
	return slices.ContainsFunc(toks, func(t Token) bool { return list[t.Low] })
}

// Set is a closed list of words, as a table writes it.
func Set(list string) map[string]bool { return english.WordSet(list) }
