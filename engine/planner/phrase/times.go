package phrase

// SentAt is how many tokens of a text say when it is sent, in front of what it says: "on Monday that we are closed", "tomorrow at 9 to close the
// tickets", "every Friday before I leave to send the report".
func SentAt(text []Token) int {
	n := TimeAt(text)
	denied := n > 0 && Begins(text[n:], "not", "to") // "every Friday not to send it"
	if to := Find(text, "to"); n > 0 && to > n && to <= n+mostOfNarrowing && narrowing[text[n].Low] && !denied {
		n = to
	}
	if n == 0 || timeArticles[text[0].Low] {
		return 0
	}
	if n == len(text) {
		return n
	}
	next := text[n]
	whom := next.Low == "to" && n+1 < len(text) && (Determiners[text[n+1].Low] || text[n+1].Kind == Name) // "on 13 May to the parents"
	said := next.Is("to", "that", "about", ":", "with") || next.Kind == Quoted || text[0].Is("on", "at") && Determiners[next.Low]
	return when((said || denied) && !whom, n)
}

// TimeAt is how many tokens say a time; 0 = none do.
func TimeAt(text []Token) int {
	const longest = 12 // words of a time
	n, some := 0, false
	for n < min(len(text), longest) && timeWord(text[n], n == 0) {
		some = some || !timeLeads[text[n].Low] && !timeArticles[text[n].Low]
		n++
	}
	for some && n > 0 && timeArticles[text[n-1].Low] { // they begin what is said
		n--
	}
	return when(some, n)
}

// timeWord reports whether a word may be one of a time. A number, and the name of a month, does not begin one.
func timeWord(t Token, begins bool) bool {
	if t.Kind == Number || numeral(t.Low) > 0 || monthOf(t.Low) > 0 {
		return !begins
	}
	return timeLeads[t.Low] || timeArticles[t.Low] || timeNouns[t.Low] || DayOf(t.Low) >= 0 || len(t.Low) > 1 && units[t.Low] != ""
}

// timeLeads stand in front of a time and within one, and so do timeArticles, which begin also the name of a time: "the first of May".
var (
	timeLeads    = Set(`on at every each in by next`)
	timeArticles = Set(`the a an this last first of and past`)
	timeNouns    = Set(`daily weekly monthly hourly today tomorrow tonight morning mornings afternoon evening evenings noon midday midnight night month months
		year quarter yearly annually nightly biweekly fortnightly quarterly half weekday weekdays weekend weekends am pm o'clock`)
)

// Recurs reports whether a time begins with toks that comes again and again.
func Recurs(toks []Token) bool { return HasAny(toks[:TimeAt(toks)], recurring) }

// OnceAt is how many tokens say a day or a time of day that does not come again: "at 9:00", "tomorrow at noon", "on Friday at 9".
func OnceAt(toks []Token) int {
	n := TimeAt(toks)
	if n == 0 || !toks[0].Is("at", "on", "today", "tomorrow", "tonight") || HasAny(toks[:n], recurring) {
		return 0
	}
	for i := range toks[:n] {
		if _, _, clock := ReadClock(toks[i:]); clock > 0 && i > 0 && toks[i-1].Low == "at" {
			return n
		}
	}
	return 0
}

var recurring = Set(`yearly annually nightly biweekly fortnightly quarterly every each daily weekly monthly hourly weekdays weekends mondays tuesdays wednesdays thursdays fridays saturdays sundays`)

// Narrowed is how many tokens say a time that comes again and again, and more of it, in front of a step: "every Friday before I leave remind me".
func Narrowed(toks []Token) int {
	n := TimeAt(toks)
	if n == 0 || n == len(toks) || !toks[n].Is("before", "after", "while") || !Recurs(toks) {
		return 0
	}
	for i := n + 1; i < min(len(toks), n+mostOfNarrowing); i++ {
		if (OpensStep(toks[i:]) || toks[i].Kind == Name && OpensClause(toks[i:])) && !pronouns[toks[i-1].Low] && !guarding(toks[:i]) {
			return i
		}
	}
	return 0
}

// mostOfNarrowing is how many words say more of a time, and narrowing are words that begin them.
const mostOfNarrowing = 10

var narrowing = Set(`before after when while until till unless except but not ( as once if`)

// Dated reports whether a day of a month begins with toks: "1st of March", "March 1st", "Dec 3".
func Dated(toks []Token) bool {
	n := 1
	if len(toks) > 2 && toks[1].Low == "of" {
		n = 2
	}
	return len(toks) > n && (monthOf(toks[0].Low) > 0 && NthOf(toks[1]) > 0 || NthOf(toks[0]) > 0 && monthOf(toks[n].Low) > 0)
}
