package phrase

import (
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// Who is a person, group or channel in tokens.
type Who struct {
	Toks    []Token
	Certain bool // a name with @ or #, or a word such as "me"
	Is      string
	All     bool // on the first of several: each of them is meant
	Quorum  int  // on the first of several: so many of them
	Every   bool // on the first one: each member is meant, which a question cannot ask
}

var (
	// addresses are words that name somebody without a name.
	addresses = map[string]string{
		"me": "", "us": "", "them": "", "him": "", "her": "", "everyone": "", "everybody": "",
		"requester": tree.NameRequester, "requestor": tree.NameRequester, "the requester": tree.NameRequester, "the requestor": tree.NameRequester,
		"the thread": tree.NameThread, "this thread": tree.NameThread, "in the thread": tree.NameThread,
		"slack": tree.NameThread, "our slack": tree.NameThread, "slack channel": tree.NameThread, "the slack channel": tree.NameThread, // where the flow lives
	}
	Determiners = Set(`the my our your their his her its a an this that these those each every any all some`)
	// RoleEnds are words behind which the name of a role ends.
	RoleEnds = Set(`okays asking showing gives provides grants makes takes how what where why to for that whether if about when with within by via in on at as from and or not again after before until unless once which who am is are was were
		can must should will has have had does did doesn't don't didn't hasn't haven't isn't aren't won't , : ; . ( ) - -> approve approves approved sign signs signed review reviews confirm confirms accept accepts know choose decide pick picks select selects
		chooses decides decide get receive agrees agree rejects reject declines gets receives says say answers otherwise else then does do what the a an it's that's he's she's they're i'm we're it'll they'll he'll she'll we'll you'll you're who's i've we've they've either approval approvals sign-off signoff permission confirmation consent acceptance`)
)

// MostRole is how many words the name of a role has at most.
const MostRole = 6

// ReadWho reads names at the beginning of toks and how many tokens they take; none = there are none.
func ReadWho(toks []Token) (names []Who, n int) {
	quorum, all, n := readQuorum(toks)
	every := n == 0 && len(toks) > 2 && everyone[toks[0].Low] && toks[1].Is("in", "from", "on") && toks[2].Kind == Name
	if every {
		n = 2
	}
	for {
		w, size := oneWho(toks[n:], len(names) > 0)
		if size == 0 {
			break
		}
		names, n = append(names, w), n+size
		sep := 0
		for sep < 2 && n+sep < len(toks) && toks[n+sep].Is(",", "and", "or", "&", "+", "/") {
			all = all || toks[n+sep].Is("and", "&", "+")
			sep++
		}
		if owns(toks[n+sep:]) {
			return nil, 0
		}
		if _, more := oneWho(toks[n+sep:], true); sep == 0 && !(person(toks[:n]) && person(toks[:min(n+1, len(toks))])) || more == 0 {
			break
		}
		n += sep
	}
	if len(names) == 0 {
		return nil, 0
	}
	names[0].Every = every
	names[0].Quorum, names[0].All = quorum, quorum == 0 && all && len(names) > 1
	return names, n
}

// nameless are words with which no name begins: they begin a condition or a time.
var nameless = Set(`only just both either neither excluding minus barring bar kindly but below above over under beyond if when whenever once unless before after until within between during except otherwise`)

var everyone = Set(`everyone everybody people all`)

// NamesAt is how many tokens name those who act, at the beginning of a clause: "@ana and @ben", "two of @ana, @ben and @fin".
func NamesAt(toks []Token) int {
	if _, _, n := readQuorum(toks); n == 0 && (len(toks) == 0 || toks[0].Kind != Name) {
		return 0
	}
	_, n := ReadWho(toks)
	return n
}

// person reports whether toks end with the @name of somebody.
func person(toks []Token) bool {
	n := len(toks)
	return n > 0 && toks[n-1].Kind == Name && toks[n-1].Low[0] == '@'
}

// readQuorum reads "two of", "both", "someone in" before names.
func readQuorum(toks []Token) (quorum int, all bool, n int) {
	if n = Starting(toks, allOf); n > 0 {
		return 0, true, n
	}
	if n = Starting(toks, anyOf); n > 0 && (n+1 < len(toks) || n < len(toks) && toks[n].Kind == Name) {
		return 0, false, n
	}
	n = Starting(toks, Phrases("at_least"))
	if c, size := readCount(toks[n:]); size > 0 && Begins(toks[n+size:], "of") {
		return c, false, n + size + 1
	}
	return 0, false, 0
}

var (
	allOf = Phrases("both_of both all_of each_of")
	anyOf = Phrases("any_of one_of either_of either somebody_in someone_in somebody_from someone_from anybody_in anyone_in a_member_of any_member_of")
)

// oneWho reads one name. Behind another name, a word that begins a step is none.
func oneWho(toks []Token, more bool) (Who, int) {
	for n := min(3, len(toks)); n > 0; n-- {
		if is, ok := addresses[Lows(toks[:n])]; ok && !(n < len(toks) && is == tree.NameThread && strings.HasPrefix(toks[n].Low, "#")) && (n == len(toks) || toks[n].Low != "'s") {
			return Who{Toks: toks[:n], Certain: true, Is: is}, n
		}
	}
	lead := Starting(toks, toChannel)
	if lead == 0 && Begins(toks, "the") {
		lead = 1
	}
	if owns(toks[min(lead, len(toks)):]) {
		return Who{}, 0
	}
	if len(toks) > lead && toks[lead].Kind == Name || len(toks) > 0 && toks[0].Kind == Slot {
		return Who{Toks: toks[lead : lead+1], Certain: true}, lead + 1 + Starting(toks[lead+1:], Phrases("slack_channel channel team group"))
	}
	if more && StartsStep(toks) || len(toks) > 0 && (nameless[toks[0].Low] || strings.HasPrefix(toks[0].Low, "wh") && strings.HasSuffix(toks[0].Low, "ever")) || len(toks) > 1 && toks[1].Low == "time" {
		return Who{}, 0
	}
	n := 0
	for n < len(toks) && n < MostRole && !(n > 0 && states(toks[n:])) && (toks[n].Kind == Word || toks[n].Kind == Name) && (n == 0 && Determiners[toks[n].Low] && len(toks) > 1 || !RoleEnds[toks[n].Low]) {
		if n > 0 && toks[n].Kind == Name {
			break
		}
		n++
		if n < len(toks) && toks[n].Low == "of" && n+1 < len(toks) && toks[n+1].Kind == Word && n < MostRole-1 {
			n += 2
		}
	}
	if n == 0 || n == 1 && Determiners[toks[0].Low] || n > len(toks) {
		return Who{}, 0
	}
	if n < len(toks) && toks[n].Kind == Name && Roles[toks[n-1].Low] { // "their manager @dana"
		return Who{Toks: toks[n : n+1], Certain: true}, n + 1
	}
	if len(toks) > n+2 && Roles[toks[n-1].Low] && toks[n].Low == "(" && toks[n+1].Kind == Name && toks[n+2].Low == ")" { // "the boss (@marek)"
		return Who{Toks: toks[n+1 : n+2], Certain: true}, n + 3
	}
	return Who{Toks: toks[:n]}, n
}

// owns reports whether a name stands in front of something that this person has, so that somebody else is meant: "@tom's crew".
func owns(toks []Token) bool {
	return len(toks) > 2 && toks[0].Kind == Name && toks[1].Low == "'s" && toks[2].Kind == Word && !given[toks[2].Low]
}

// given are words behind "@cfo's" that name what this person gives, or go on without it: "@cfo's approval", "get @ana's, then @cfo's".
var given = Set(`approval approvals yes sign-off signoff sign permission confirmation authorization authorisation consent ok okay go-ahead go green thumbs blessing decision answer reply feedback review then and`)

// toChannel are words that lead to the name of a channel: "the Slack channel #growth".
var toChannel = Phrases(`the_slack_channel slack_channel the_channel channel slack`)

// Lows joins the tokens in small letters.
func Lows(toks []Token) string {
	var b strings.Builder
	for i := range toks {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(toks[i].Low)
	}
	return b.String()
}

// states reports whether a message begins that says something of what was said before: "tell the customer it is refunded".
func states(toks []Token) bool {
	return len(toks) > 1 && pronouns[toks[0].Low] && toks[0].Text == toks[0].Low && (Auxiliaries[toks[1].Low] || strings.HasSuffix(toks[1].Low, "n't"))
}

// readCount reads a small whole number.
func readCount(toks []Token) (count, n int) {
	if len(toks) == 0 {
		return 0, 0
	}
	if count = numeral(toks[0].Low); count > 0 {
		if digits := strconv.Itoa(count); Begins(toks[1:], "(", digits, ")") { // "fourteen (14) days"
			return count, 4
		}
		return count, 1
	}
	if c, err := strconv.Atoi(toks[0].Low); err == nil && toks[0].Kind == Number && c > 0 && c < 100_000 {
		return c, 1
	}
	return 0, 0
}

// numeral is the number that a word says: "two", "twenty-one"; 0 = none.
func numeral(low string) int {
	if low == "one" || low == "once" {
		return 1
	}
	tens, ones, compound := strings.Cut(low, "-")
	n, more := int(english.Numerals[tens]), int(english.Numerals[ones])
	if ones == "one" {
		more = 1
	}
	switch {
	case low == "both":
		return 0
	case !compound:
		return n
	case n >= 20 && more > 0 && more < 10:
		return n + more
	}
	return 0
}

// units are the units of durations and how the flow format writes them.
var units = map[string]string{
	"second": "s", "seconds": "s", "sec": "s", "secs": "s", "s": "s", "minute": "m", "minutes": "m", "min": "m", "mins": "m", "m": "m",
	"hour": "h", "hours": "h", "h": "h", "hr": "h", "hrs": "h", "day": "d", "days": "d", "d": "d", "week": "w", "weeks": "w",
}

// TermLength is how many tokens a duration at the beginning of toks has.
func TermLength(toks []Token) int {
	_, n := ReadTerm(toks)
	return n
}

// ReadTerm reads a duration: "3 days", "2h", "an hour", "two working days", "half an hour", "another week".
func ReadTerm(toks []Token) (term string, n int) {
	if lead := Starting(toks, Phrases("another a_further further")); lead > 0 && lead < len(toks) {
		if term, n = ReadTerm(toks[lead:]); n == 0 && units[toks[lead].Low] != "" {
			term, n = "1"+units[toks[lead].Low], 1
		}
		return term, min(n, 1)*lead + n
	}
	if Begins(toks, "half", "an", "hour") {
		return "30m", 3
	}
	if len(toks) > 0 && toks[0].Kind == Number {
		if at := strings.IndexFunc(toks[0].Low, func(r rune) bool { return r < '0' || r > '9' }); at > 0 {
			if unit, ok := units[toks[0].Low[at:]]; ok {
				return toks[0].Low[:at] + unit, 1
			}
			return "", 0
		}
	}
	count, n := readCount(toks)
	if n == 0 && (Begins(toks, "a") || Begins(toks, "an")) {
		count, n = 1, 1
	}
	if n == 0 || len(toks) <= n || toks[0].Is("once", "twice") {
		return "", 0
	}
	if toks[n].Is("working", "business") && len(toks) > n+1 && strings.HasPrefix(toks[n+1].Low, "day") {
		return strconv.Itoa(count) + " working days", n + 2
	}
	if n+1 < len(toks) && toks[n].Is("more", "further") {
		n++
	}
	unit, ok := units[toks[n].Low]
	if !ok {
		return "", 0
	}
	return strconv.Itoa(count) + unit, n + 1
}

// periods end the name of a length of time. "The end of the month" is none.
var periods, notPeriods = Set("period while time window moment bit interval timeframe month months year years"), Set("end beginning start next this first last before after until by every")

// IsPeriod reports whether tokens name a length of time that they do not say: "a certain period", "a while", "the SLA window", "one month".
func IsPeriod(toks []Token) bool {
	n := len(toks)
	return n > 0 && n <= MostRole && (periods[toks[n-1].Low] || HasUnit(toks[n-1:])) && !HasAny(toks, notPeriods)
}

// InDays is about how many days a number of months or years is that toks name; 0 = they name something else.
func InDays(toks []Token) int {
	count, n := readCount(toks)
	if n == 0 && (Begins(toks, "a") || Begins(toks, "one")) {
		count, n = 1, 1
	}
	if n == 0 || n+1 != len(toks) {
		return 0
	}
	return count * map[string]int{"month": 30, "months": 30, "year": 365, "years": 365}[toks[n].Low]
}

// HasUnit reports whether one of the tokens is the unit of a duration: "a few days".
func HasUnit(toks []Token) bool {
	return slices.ContainsFunc(toks, func(t Token) bool { return len(t.Low) > 1 && units[t.Low] != "" })
}

// ReadSpan reads a duration whose number a run is given, as its unit: "<days> days" is "1d".
func ReadSpan(toks []Token) (term string, n int) {
	if len(toks) > 1 && toks[0].Kind == Slot && units[toks[1].Low] != "" {
		return "1" + units[toks[1].Low], 2
	}
	return "", 0
}

// Amount gives the number that a token writes: 1,000.50, 1.000,50, $500, 5k.
func Amount(t Token) (float64, bool) {
	if t.Kind != Number {
		return 0, false
	}
	return english.ParseNumber(t.Low)
}

// ReadClock reads a time of day at the beginning of toks: "8am", "8:30", "17h", "2:30 pm", "noon".
func ReadClock(toks []Token) (hour, minute, n int) {
	switch {
	case Begins(toks, "noon"), Begins(toks, "midday"):
		return 12, 0, 1
	case Begins(toks, "midnight"):
		return 0, 0, 1
	case len(toks) > 2 && fractions[toks[0].Low] > 0 && toks[1].Low == "past": // "half past eight"
		if hour, n = readCount(toks[2:]); n == 0 || hour > 23 {
			return 0, 0, 0
		}
		minute, n = fractions[toks[0].Low], 2+n
		if size := Starting(toks[n:], inPart); size > 0 {
			hour, n = InPart(hour, DayParts[toks[n+size-1].Low]), n+size
		}
		return hour, minute, n
	case len(toks) == 0 || toks[0].Kind != Number:
		return 0, 0, 0
	}
	low, half := toks[0].Low, ""
	n = 1
	for _, h := range []string{"am", "pm"} {
		if before, ok := strings.CutSuffix(low, h); ok {
			low, half = before, h
		}
	}
	if half == "" && len(toks) > 1 && toks[1].Is("am", "pm") {
		half, n = toks[1].Low, 2
	}
	hours, minutes, split := strings.Cut(strings.TrimSuffix(strings.Replace(low, ".", ":", 1), "h"), ":")
	hour, err := strconv.Atoi(hours)
	if split && err == nil {
		minute, err = strconv.Atoi(minutes)
		split = len(minutes) == 2
	}
	if err != nil || minute > 59 || minute < 0 || hour > 23 || hour < 0 || half != "" && (hour < 1 || hour > 12) || minutes != "" && !split {
		return 0, 0, 0
	}
	if Begins(toks[n:], "o'clock") {
		n++
	}
	if half != "" {
		hour %= 12
	}
	if half == "pm" {
		hour += 12
	}
	if size := Starting(toks[n:], inPart); size > 0 && half == "" {
		hour, n = InPart(hour, DayParts[toks[n+size-1].Low]), n+size
	}
	return hour, minute, n
}

var inPart = Phrases("in_the_morning in_the_afternoon in_the_evening at_night")

// fractions are parts of an hour, in minutes.
var fractions = map[string]int{"half": 30, "quarter": 15}

// dayNames are the days of a week, as cron counts them.
var dayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
