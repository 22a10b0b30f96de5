package phrase

import (
	"slices"
	"strings"
	"time"
)

// Part is one part of a pattern.
type Part struct {
	slot     string     // of a {slot}; "" = words
	words    [][]string // the alternatives, each of one or more words
	optional bool
}

// Compile reads a pattern: words with alternatives "post|write_to", optional ones in brackets "[please]", slots "{who}", "{text?}".
func Compile(pattern string) []Part {
	var out []Part
	for f := range strings.FieldsSeq(pattern) {
		var p Part
		if in, ok := strings.CutPrefix(f, "{"); ok {
			p.slot = strings.TrimSuffix(in, "}")
			p.slot, p.optional = strings.CutSuffix(p.slot, "?")
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
	return out
}

// Table lets compile each form of a table.
func Table[F any](forms []F, compile func(f *F)) []F {
	for i := range forms {
		compile(&forms[i])
	}
	return forms
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
func Fit(pattern []Part, toks []Token) (*Match, bool) {
	m := Match{Slots: map[string][]Token{}}
	for i := range pattern {
		p := &pattern[i]
		n, ok := 0, false
		if p.slot == "" {
			n, ok = p.literal(toks[m.End:])
			if ok {
				m.Words = append(m.Words, toks[m.End:m.End+n])
			}
		} else if n, ok = m.fill(p, pattern[i+1:], toks[m.End:]); ok {
			m.Slots[p.slot] = toks[m.End : m.End+n]
		}
		if !ok && !p.optional {
			return nil, false
		}
		m.End += n
	}
	return &m, true
}

// Whole matches a pattern with all of toks.
func Whole(pattern []Part, toks []Token) (*Match, bool) {
	m, ok := Fit(pattern, toks)
	return m, ok && m.End == len(toks)
}

// literal matches one of the alternatives, the first that fits.
func (p *Part) literal(toks []Token) (int, bool) {
	for _, alt := range p.words {
		if Begins(toks, alt...) {
			return len(alt), true
		}
	}
	return 0, false
}

// MostItem is how many words name what a list is of.
const MostItem = 12

// fill finds how many tokens a slot takes, and keeps what it read of them.
func (m *Match) fill(p *Part, rest []Part, toks []Token) (n int, ok bool) {
	switch p.slot {
	case "who":
		m.Names, n = ReadWho(toks)
		return n, n > 0
	case "addr":
		m.Names, n = ReadWho(toks)
		return n, n > 0 && m.Names[0].Certain
	case "role":
		m.Names, n = ReadWho(toks)
		return n, n > 0 && (m.Names[0].Certain || RoleOf(toks[:n]))
	case "dur":
		m.Term, n = ReadTerm(toks)
		return n, n > 0
	case "span":
		m.Term, n = ReadSpan(toks)
		return n, n > 0
	case "n":
		m.Count, n = readCount(toks)
		return n, n > 0
	case "event":
		return TakeEvent(toks)
	case "item":
		return takeItem(toks)
	case "said":
		return takeSaid(toks)
	case "place":
		return takePlace(toks)
	case "matter": // nobody is named in it
		if n, ok = upTo(rest, toks); !ok || slices.ContainsFunc(toks[:n], func(t Token) bool { return t.Kind == Name && t.Low[0] == '@' }) {
			return 0, false
		}
		return n, true
	}
	if p.slot == "picks" {
		return len(toks), listOf(toks, false) && short(toks)
	}
	if p.slot == "verdicts" {
		n, ok = upTo(rest, toks)
		return n, ok && listOf(toks[:n], false)
	}
	if take, known := slots[p.slot]; known {
		return take(toks)
	}
	return upTo(rest, toks)
}

// slots say how many tokens those slots take of which a match keeps nothing but the tokens.
var slots = map[string]func(toks []Token) (n int, ok bool){
	"date": func(toks []Token) (int, bool) { _, n := ReadDate(toks, time.Now()); return n, n > 0 },
	"days": takeDays,
	"plural": func(toks []Token) (int, bool) {
		n, ok := takeDays(toks)
		return n, ok && strings.HasSuffix(toks[0].Low, "s")
	},
	"nths":     takeNths,
	"emoji":    one(func(t Token) bool { return t.Kind == emoji }),
	"channel":  one(func(t Token) bool { return t.Kind == Name && t.Low[0] == '#' }),
	"quoted":   one(func(t Token) bool { return t.Kind == Quoted }),
	"last":     one(func(t Token) bool { return Small(t) > 0 }),
	"path":     one(func(t Token) bool { return t.Kind == Word || t.Kind == Quoted }),
	"acts":     func(toks []Token) (int, bool) { return len(toks), listOf(toks, true) },
	"choices":  func(toks []Token) (int, bool) { return len(toks), listOf(toks, false) },
	"question": all(func(t Token) bool { return t.Kind == Quoted || Questions[t.Low] }),
	"accord":   one(func(t Token) bool { return accords[t.Low] }),
	"answer":   one(func(t Token) bool { return Answers[t.Low] != "" }),
	"fields":   func(toks []Token) (int, bool) { return len(toks), listOfFields(toks) },
	"deed":     all(func(t Token) bool { return Verbs[t.Low] || Third(t.Low) || Gerund(t) != "" }),
	"flow":     all(func(t Token) bool { return t.Kind == Word || t.Kind == Quoted }),
	"clock":    func(toks []Token) (int, bool) { _, _, n := ReadClock(toks); return n, n > 0 },
	"moment":   takeMoment,
}

var places = CompileAll("to|on|under a|any|some|the [new] message|post", "in|on|from [the] {channel} [channel]", "in_this_channel|here")

var accords = Set(`acceptance approval consent confirmation permission sign-off`)

// takePlace takes the words for the message that somebody reacts to, and for its channel: "to a message in #bugs", "in this channel".
func takePlace(toks []Token) (n int, ok bool) {
	for _, p := range places {
		if m, ok := Fit(p, toks[n:]); ok {
			n += m.End
		}
	}
	return n, n > 0
}

// takeNths takes numbers of days: "15th", "1st and 15th", "first, second and third".
func takeNths(toks []Token) (n int, ok bool) {
	n = takeSeries(toks, func(t Token) bool { return NthOf(t) > 0 })
	return n, n > 0
}

// takeDays takes weekdays: "Monday", "Mon and Thu", "Mondays, Tuesdays and Fridays", "Monday to Friday".
func takeDays(toks []Token) (n int, ok bool) {
	n = takeSeries(toks, func(t Token) bool { return DayOf(t.Low) >= 0 })
	return n, n > 0
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

// one takes a single token that fits.
func one(fits func(t Token) bool) func(toks []Token) (int, bool) {
	return func(toks []Token) (int, bool) { return 1, len(toks) > 0 && fits(toks[0]) }
}

// all takes every token when the first one fits.
func all(fits func(t Token) bool) func(toks []Token) (int, bool) {
	return func(toks []Token) (int, bool) { return len(toks), len(toks) > 0 && fits(toks[0]) }
}

// takeMoment takes a time of day, also of tomorrow, or a date with or without one.
func takeMoment(toks []Token) (n int, ok bool) {
	_, n = Moment(toks)
	return n, n > 0
}

// takeSaid takes a quoted text, or the words up to one that ends them.
func takeSaid(toks []Token) (n int, ok bool) {
	if len(toks) > 0 && toks[0].Kind == Quoted {
		return 1, true
	}
	for n < len(toks) && Starting(toks[n:], Ends) == 0 && (n == 0 || !StartsStep(toks[n:])) {
		n++
	}
	return n, n > 0 && !unsaid[toks[0].Low]
}

// unsaid begin words that describe a message and do not stand in it: "says something about refunds".
var unsaid = Set(`that something anything stuff what how why who about a an so`)

// TakeEvent takes what happens, up to words that end it or begin a step.
func TakeEvent(toks []Token) (n int, ok bool) {
	for inside := 0; n < len(toks) && (inside > n || Starting(toks[n:], Ends) == 0 && !actsHere(toks, n) && (n < 2 || guarding(toks[:n]) || !StartsStep(toks[n:]))); {
		if toks[n].Low == "(" { // "is created (by a form, an import)"
			inside = n + 1 + slices.IndexFunc(toks[n:], func(t Token) bool { return t.Low == ")" })
		}
		n++
	}
	return n, n > 1
}

// takeItem takes the words that name what a list is of.
func takeItem(toks []Token) (n int, ok bool) {
	for n < len(toks) && n < MostItem && toks[n].Kind != Sign && !StartsStep(toks[n:]) {
		n++
	}
	return n, n > 0
}

// upTo takes the tokens before the next words that the pattern asks for; all of them when it asks for none.
func upTo(rest []Part, toks []Token) (n int, ok bool) {
	stop := -1
	for i := range rest {
		if rest[i].slot == "" && !rest[i].optional {
			stop = i
			break
		}
	}
	if stop < 0 {
		return len(toks), len(toks) > 0
	}
	for n := range toks {
		if _, ok := rest[stop].literal(toks[n:]); ok && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// Questions are the words that questions begin with.
var Questions = Set(`what which when how why where who whom whose is are do does did can could should will would`)

// listOf reports whether toks are answers joined by "or"; of verbs, each of them begins with one.
func listOf(toks []Token, acts bool) bool {
	const longest = 10 // words of an answer
	or := false
	for _, t := range toks {
		or = or || t.Low == "or" || t.Low == "/" || t.Low == "and" && !acts
	}
	parts := Alternatives(toks, true)
	for _, p := range parts {
		if len(p) > longest || limits[p[0].Low] || slices.ContainsFunc(p[1:], func(t Token) bool { return limits[t.Low] }) || acts && !Verbs[p[0].Low] && Base(p[0].Low) == "" && Answers[p[0].Low] == "" || Questions[p[0].Low] { // "what they need and what it costs"
			return false
		}
	}
	return or && len(parts) > 1
}

// ListOf reports whether toks are answers that "or" joins, of a few words each.
func ListOf(toks []Token) bool {
	return listOf(toks, false) && !slices.ContainsFunc(Alternatives(toks, true), func(p []Token) bool { return len(p) > 3 })
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
	for _, part := range Alternatives(toks, false) {
		if len(part) > longest+1 {
			return false
		}
	}
	return !pronouns[Lows(toks)] && !slices.ContainsFunc(toks, func(t Token) bool { return limiting[t.Low] })
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

// Set is a closed list of words, as a table writes it.
func Set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[strings.ReplaceAll(w, "_", " ")] = true
	}
	return out
}
