package prose

import (
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
)

// A plain sentence with a condition has so many words, without names and quoted texts, and one that says how many must agree fewer.
const (
	mostOfPlain = 18
	mostOfVote  = 6
)

// plain reports whether a sentence has a form that leaves nothing to guess.
func plain(s []phrase.Token) bool {
	words := 0
	for _, t := range s {
		if t.Kind == phrase.Word || t.Kind == phrase.Number {
			words++
		}
	}
	if phrase.Voting(s) { // "both must agree"
		return words < mostOfVote
	}
	var r reading
	for rest := behindLeads(s); len(rest) > 0; rest = behindLeads(s) {
		r.then, r.and = phrase.Has(s[:len(s)-len(rest)], "then"), phrase.Has(s[:len(s)-len(rest)], "and")
		s = rest
		n, ok := r.condition(s, words)
		if n == 0 {
			n = r.otherwise(s)
		}
		if n == 0 && ok {
			n, ok = r.clause(s)
		}
		if !ok || n == 0 {
			return false
		}
		s = s[n:]
	}
	return !r.open
}

// reading is what has been read of a sentence.
type reading struct {
	compared bool // it has a condition that is no answer
	amount   bool // that compares with a number
	acting   bool // people do something: nobody knows whether others do something else beside them, behind them or in their place
	asks     bool // people are asked
	asking   bool // the clause before asks people: a reminder is for them
	whether  bool // that has a yes and a no
	told     bool // people are told something: is somebody else told, too, or does it?
	other    bool // it is about what is done otherwise
	open     bool // a condition has no steps yet
	then     bool // the next words come behind "then"
	and      bool // ... or behind "and": does a condition there belong to what stands before it?
}

// otherwise takes the words that lead to the other side of a condition, and gives how many they are. When people are asked on one side, the
// words do not say what is done behind their answer.
func (r *reading) otherwise(s []phrase.Token) int {
	n := phrase.Starting(s, phrase.Elses)
	r.other = r.other || n > 0
	return n
}

// condition takes a condition, and reports whether it is plain.
func (r *reading) condition(s []phrase.Token, words int) (n int, ok bool) {
	if n = phrase.Starting(s, conditions); n == 0 {
		return 0, true
	}
	ends := phrase.CondEnd(s[n:]) == conditionEnd(s[n:]) // the grammar may take the words behind it for a part of it
	n += conditionEnd(s[n:])
	if answers(s[:n]) {
		r.open = true
		return n, true
	}
	ok = ends && !r.and && !r.compared && !r.asks && words <= mostOfPlain && !phrase.HasAny(s[:n], joining) && !phrase.HasAny(s[:n], persons) // one comparison, an answer or a failure
	r.compared, r.open = true, true
	r.amount = hasNumber(s[:n])
	return n, ok
}

// clause takes a command, and reports whether it is plain behind what stands before it.
func (r *reading) clause(s []phrase.Token) (n int, ok bool) {
	n = clauseEnd(s)
	named := s[0].Kind == phrase.Name
	asks := s[0].Low == "ask"
	unanswered := r.whether && !r.open                                     // is it done after a no, too?
	otherSide := r.other && (r.asks || asks || !phrase.Messages[s[0].Low]) // on which side is it approved, and what is done then?
	behind := r.compared && r.asks && !(r.amount && r.then)                // is it done also where the condition does not hold?
	late := reminds(s[:n]) && r.asks && !r.asking                          // who is reminded of what?
	ok = plainClause(s[:n]) && !((r.acting || r.told && phrase.Has(s[:n], "to")) && named) && !unanswered && !otherSide && !behind && !late
	r.acting, r.asks, r.open, r.asking = r.acting || named, r.asks || named || asks, false, named || asks
	r.whether, r.told = asksWhether(s[:n]), phrase.Messages[s[0].Low] && !asks
	return n, ok
}

var (
	leads      = phrase.Phrases(`and_then then and next first finally also please just , : ; . -> -`)
	conditions = phrase.Phrases(`if when`)
	blocks     = phrase.Phrases(`in_parallel`)
)

// behindLeads leaves out the words that only join steps.
func behindLeads(s []phrase.Token) []phrase.Token {
	for n := phrase.Starting(s, leads); n > 0; n = phrase.Starting(s, leads) {
		s = s[n:]
	}
	return s
}

// conditionEnd is where the steps behind a condition begin.
func conditionEnd(s []phrase.Token) int {
	for i := 0; i < len(s); i++ {
		low := s[i].Low
		if low == "," || low == ":" || low == "->" || low == "then" || i > 0 && begins(s[i:]) && !phrase.Guards[s[i-1].Low] {
			return i
		}
		i = behindNames(s, i)
	}
	return len(s)
}

// answers reports whether a condition says no more than what somebody answered: "if it is rejected", "when @bob approves".
func answers(s []phrase.Token) bool {
	const longest = 4 // words of such a condition
	if last := len(s) - 1; s[last].Low == "it" {
		s = s[:last]
	}
	if len(s) == 2 && shortAnswers[s[1].Low] {
		return true
	}
	return len(s) <= longest && phrase.Answers[s[len(s)-1].Low] != "" && !phrase.HasAny(s, denials)
}

// clauseEnd is where the next command of a sentence begins.
func clauseEnd(s []phrase.Token) int {
	for i := 1; i < len(s); i++ {
		low := s[i].Low
		if low == ";" || low == "->" || low == "then" || phrase.Starting(s[i:], phrase.Elses) > 0 {
			return i
		}
		if low == "," || low == "and" || low == ":" {
			next := behindLeads(s[i:])
			listed := s[i-1].Kind == phrase.Name && phrase.Begins(next[phrase.NamesAt(next):], "to") // "remind @tom and @bob to send it"
			if begins(next) && !listed {
				return i
			}
			if phrase.NamesAt(next) > 0 {
				i = behindNames(s, len(s)-len(next))
			}
		}
	}
	return len(s)
}

// lastClause is the last command of a sentence.
func lastClause(s []phrase.Token) []phrase.Token {
	for rest := s; len(rest) > 0; rest = behindLeads(rest[clauseEnd(rest):]) {
		s = rest
	}
	return s
}

// behindNames steps over a list of names with which no command begins, to the last of them. No command begins within such a list, and looking
// at each of its names would take quadratic time.
func behindNames(s []phrase.Token, at int) int { return at + max(0, phrase.NamesAt(s[at:])-1) }

// begins reports whether a command begins here: a verb, or people with what they do.
func begins(s []phrase.Token) bool {
	if len(s) == 0 {
		return false
	}
	if s[0].Low == "i" && len(s) > 1 && phrase.Verbs[s[1].Low] {
		return true
	}
	if n := phrase.NamesAt(s); n > 0 && n < len(s) {
		return phrase.Third(s[n].Low) || phrase.Verbs[s[n].Low] || duties[s[n].Low]
	}
	return phrase.StartsStep(s) || len(s) == 1 && phrase.Verbs[s[0].Low] || phrase.UnknownVerb(s) || phrase.Starting(s, blocks) > 0 || phrase.Starting(s, conditions) > 0
}

// plainClause reports whether a clause is a command in which no word says when, for whom or how often it is done, but for a time limit behind a
// question.
func plainClause(s []phrase.Token) bool {
	if !begins(s) || handing[s[0].Low] {
		return false
	}
	if phrase.Starting(s, blocks) > 0 || waits(s) || reminds(s) {
		return true
	}
	asks := s[0].Low == "ask" || s[0].Kind == phrase.Name
	for i := 1; i < len(s); i++ {
		low := s[i].Low
		switch {
		case low == "within" && asks && i+1 < len(s) && i+1+phrase.TermLength(s[i+1:]) == len(s), (low == "if" || low == "when") && answers(s[i:]):
			return true
		case (low == "if" && asks || low == "whether") && s[i-1].Kind == phrase.Name: // what is asked
			return !phrase.HasAny(s[i+1:], joining)
		case !plainWord(s, i):
			return false
		}
	}
	return true
}

// plainWord reports whether a word of a clause leaves nothing to guess.
func plainWord(s []phrase.Token, i int) bool {
	t, before := s[i], s[i-1]
	switch {
	case t.Kind == phrase.Number:
		if phrase.Dated(s[i:]) { // "the 1st of March"
			return false
		}
		return !timing[before.Low] && before.Low != "," && phrase.TermLength(s[i:]) == 0
	case t.Kind == phrase.Sign:
		return !joiners[t.Low]
	case t.Low == "i": // "and I get told"
		return false
	case t.Kind == phrase.Name: // "@ana packs the parcel and @bob the box", "tell #sales the deal, @cfo the money"
		return t.Low[0] != '@' || !before.Is("and", ",") || s[0].Kind != phrase.Name && (i < 2 || s[i-2].Kind == phrase.Name)
	case t.Kind != phrase.Word, t.Low == "me", t.Text == strings.ToUpper(t.Text): // "ask IT"
		return true
	case t.Low == "that": // "tell #team nxt wensday that we are closed"
		return before.Kind == phrase.Name || i == 1
	case phrase.Auxiliaries[t.Low] && phrase.Messages[s[0].Low] && phrase.Has(s[:i], "and") && !phrase.Has(s[:i], "that", ":"): // "notify @bob and the order is shipped"
		return false
	case t.Low == "of": // "and one of the clerks files it"
		return i == 1 || before.Low != "one" && english.Numerals[before.Low] == 0
	case t.Is("someone", "somebody"):
		return !before.Is("and", ",")
	case t.Low == "or":
		return chooses(s, i)
	case t.Low == "and" && s[0].Is("ask", "let", "get", "have"): // "pick red and blue": one of them, or both?
		return before.Kind != phrase.Quoted && (!phrase.Has(s[:i], "pick", "choose", "select", ":") || phrase.NamesAt(s[i+1:]) > 0)
	case t.Low == "it" && before.Kind == phrase.Name: // "tell #ops it is done"
		return i+1 < len(s) && phrase.Auxiliaries[s[i+1].Low]
	case t.Low == "it", t.Low == "them":
		return (phrase.Verbs[before.Low] || phrase.Third(before.Low)) && (t.Low == "it" || !phrase.Messages[before.Low])
	case bounds[t.Low]: // "take over"
		return i+1 == len(s) || s[i+1].Kind != phrase.Number
	case spans[t.Low] && (phrase.Determiners[before.Low] || before.Low == "first"): // "a day off", "the first week"
		return true
	}
	return !tells(t) && phrase.DayOf(t.Low) < 0 && !phrase.Dated(s[i:])
}

// tells reports whether a word says when, for whom or how often something is done.
func tells(t phrase.Token) bool { return telling[t.Low] || general(t.Low) }

// chooses reports whether an "or" stands between people or answers, and not between two things to do.
func chooses(s []phrase.Token, i int) bool {
	asks := s[0].Is("ask", "let", "get")
	if s[0].Low == "let" && (phrase.HasAny(s[i+1:], placing) || phrase.Has(s[:i], "of")) { // "pick red or blue for @bob", "two of red or blue"
		return false
	}
	return asks && i+1 < len(s) && (phrase.Answers[s[i+1].Low] != "" || !phrase.StartsStep(s[i+1:])) && !phrase.Has(s[:i], "whether", "within", "to")
}

// placing are words that lead from the last answer to something else about the question.
var placing = phrase.Set(`for in with to from at on about by`)

// waits reports whether a clause is a wait for some time, until a time of the day, or until a time that is counted from a date.
func waits(s []phrase.Token) bool {
	if s[0].Low != "wait" || len(s) < 2 {
		return false
	}
	if s[1].Low == "until" {
		_, _, n := phrase.ReadClock(s[2:])
		at, counted := phrase.ReadCounted(s[2:])
		return n > 0 && 2+n == len(s) || at.Certain() && 2+counted == len(s)
	}
	_, n := phrase.ReadSpan(s[1:])
	return 1+max(n, phrase.TermLength(s[1:])) == len(s)
}

// reminds reports whether a clause is a reminder of the question before it: "remind them after 2 days".
func reminds(s []phrase.Token) bool {
	return len(s) > 3 && s[0].Low == "remind" && (phrase.Begins(s[2:], "after") || phrase.Begins(s[2:], "every")) && 3+phrase.TermLength(s[3:]) == len(s)
}

// joiners are signs that may join two commands, or stand for a word.
var joiners = phrase.Set(`+ & / =`)

// timing stand before the number of a time or a date.
var timing = phrase.Set(`at on by until till from before after`)

var (
	shortAnswers = phrase.Set(`so not yes no`) // "if so"
	denials      = phrase.Set(`not no never neither`)
)

// handing are verbs that give something to somebody, who may decide it or only be told.
var handing = phrase.Set(`escalate hand decide`)

// separating words stand between what would be several steps, or between a step and when it is done.
var separating = phrase.Set(`or but if when once unless until before after while within only otherwise else except`)

// general reports whether a word means nobody and no time in particular: "whenever", "whichever".
func general(low string) bool {
	return strings.HasSuffix(low, "ever") && (strings.HasPrefix(low, "wh") || low == "however")
}

// duties stand between people and what they do.
var duties = phrase.Set(`must should will can has have needs need gets to`)

// joining are words that make more than one comparison of a condition, or move it, and persons are those whom a condition may mean.
var (
	joining = phrase.Set(`and or but either neither both unless until before after while only still except without never any each every else otherwise which
		again first too also well`)
	persons = phrase.Set(`he she they we him her them`)
)

// bounds compare with the number behind them.
var bounds = phrase.Set(`over under above below`)

// spans are words for times that may be a thing: "the first day".
var spans = phrase.Set(`first day week month morning evening hour`)

// telling are words that say when, for whom or how often something is done, or that mean somebody or something named elsewhere.
var telling = phrase.Set(`if unless otherwise don't doesn't didn't isn't hasn't haven't won't can't wasn't cannot else when once twice over under above below more less while
	until till before after meanwhile first again back instead only except already still same next following besides but though although
	any either neither both each every anyone anything anybody everyone everybody everything all who which whose whom or not no
	never nobody none noone nothing without rather also too other another others rest remaining late later earlier by within max maximum most least than he she
	they it him her me us them his their this that's those these per between parallel together separately respectively regardless anyway vote votes poll
	daily weekly monthly hourly nightly yearly annually biweekly fortnightly quarterly excluding minus barring bar today tomorrow tonight soon during so because since as
	minute minutes min mins hour hours day days week weeks month months morning noon evening weekdays weekends half enough`)
