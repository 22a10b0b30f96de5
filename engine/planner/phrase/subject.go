package phrase

import "strings"

var (
	// systems are actors that are no persons. Naming one does not change what a step does.
	systems = Set(`system bot workflow flow process app application software platform tool program website server automation sluice timer you it`)
	// Persons are pronouns for people who were named before.
	Persons = Set(`he she they who which`)
	adverbs = Set(`then also now first next again still just always usually manually automatically immediately directly subsequently afterwards finally together jointly either simultaneously
		eventually once carefully promptly quickly must_to`)
	Prepositions = Set(`from of for in on at by with to than as`)
)

// Actor is who does something, as a clause says it.
type Actor struct {
	N      int  // tokens of the name; 0 = the clause names nobody
	Verb   int  // where the verb stands
	Person bool // a person or group, not a thing
	System bool // the flow itself
	Modal  bool // "must", "can" or "will" stands before the verb
}

// namesEnd is how many tokens name people by @name at the beginning of toks: "@bob and @ana".
func namesEnd(toks []Token) int {
	n := 1
	for n+1 < len(toks) && toks[n].Is("and", "or", "&", ",") {
		if !person(toks[:n+2]) {
			break
		}
		n += 2
	}
	return n
}

// isVerb reports whether a word behind a name is a verb in the third person, or one that something is done by, or the verb of several people:
// "the team prepare a contract".
func isVerb(toks []Token, i int) bool {
	low := toks[i].Low
	return Verbs[low] && (groups[toks[i-1].Low] || Roles[toks[i-1].Low] && plural(toks[i-1].Low)) && i+1 < len(toks) && Determiners[toks[i+1].Low] || Third(low) && !Roles[low] && !Determiners[toks[i-1].Low] || Roles[toks[i-1].Low] && looksThird(low)
}

// groups are nouns for several people.
var groups = Set(`team department dept group committee board office unit squad staff crew personnel management accounting hr`)

// VerbOnly reports whether a part of a condition begins with a verb, for what was named before: "lacks a receipt" in "is late or lacks a receipt".
func VerbOnly(toks []Token) bool {
	return len(toks) > 1 && (Auxiliaries[toks[0].Low] || looksThird(toks[0].Low) && Base(toks[0].Low) == "")
}

// looksThird reports whether a word behind the name of a person is a verb that no table has: "stamps".
func looksThird(low string) bool {
	return len(low) > 3 && strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss") && !strings.HasSuffix(low, "'s") && !abroad[low] && !Auxiliaries[low] && !Roles[low]
}

// RoleOf reports whether words name people: "the customer service team", "a member of the sales department".
func RoleOf(toks []Token) bool {
	for i, t := range toks {
		if beyond[t.Low] {
			return i > 0 && RoleOf(toks[:i])
		}
	}
	if n := len(toks); n > 1 && toks[n-1].Text == "it" { // what is done, and not the department
		return false
	}
	return len(toks) > 0 && (Roles[toks[len(toks)-1].Low] || toks[len(toks)-1].Kind == Name && toks[len(toks)-1].Low[0] == '@')
}

// beyond are words behind which more is said of a role: "the clerk at the depot".
var beyond = Set(`of from who requesting ( at in on`)

// Relative reports whether a clause about what stands before begins with toks: "which is then shipped", "who investigates the issue".
func Relative(toks []Token) bool {
	if len(toks) < 3 || !toks[0].Is("which", "who") {
		return false
	}
	low := toks[1].Low
	if toks[0].Low == "which" && modals[low] { // "which must be short" is no step
		return false
	}
	return low == "," || modals[low] || Auxiliaries[low] || adverbs[low] || Third(low) || looksThird(low) && (toks[0].Low == "who" || objects[toks[2].Low] || Prepositions[toks[2].Low])
}

// goesOnActing reports whether toks say what else somebody does: "and gathers the documents".
func goesOnActing(toks []Token) bool {
	for len(toks) > 0 && adverbs[toks[0].Low] {
		toks = toks[1:]
	}
	if len(toks) < 2 || !Third(toks[0].Low) && !toks[0].Is("decides", "judges") || toks[1].Kind == Sign || toks[1].Is("and", "or") {
		return false
	}
	return !Prepositions[toks[1].Low]
}

// Messages are verbs whose text is a sentence of its own.
var Messages = Set(`tell page inform notify alert remind warn message dm say announce write ask post let send`)

// opensActing reports whether toks, behind "and", say what somebody else does: "@bob packs it", "the clerk packs it", "facilities prepares a desk".
func opensActing(toks []Token) bool {
	a := ActorOf(toks)
	if a.N == 0 && !OpensClause(toks) {
		return false
	}
	return toks[0].Kind == Name || Determiners[toks[0].Low] || pronouns[toks[0].Low] || a.Person && a.Verb+1 < len(toks) && Base(toks[a.Verb].Low) != "" && (objects[toks[a.Verb+1].Low] || toks[a.Verb+1].Kind == Name)
}

// OpensClause reports whether a clause begins with toks that says who does something, or what is done to something.
func OpensClause(toks []Token) bool {
	for n := Starting(toks, Leads); n > 0 && toks[0].Kind == Word; n = Starting(toks, Leads) {
		toks = toks[n:]
	}
	return ActorOf(toks).N > 0
}

// opensPassive reports whether a clause begins with toks that says what is done to something: "the parts are counted".
func opensPassive(toks []Token) bool {
	if len(toks) == 0 || !Determiners[toks[0].Low] {
		return false
	}
	for i := 1; i+1 < len(toks) && i <= MostRole && toks[i].Kind == Word; i++ {
		if Auxiliaries[toks[i].Low] {
			return Passive(toks[i-1 : min(len(toks), i+4)])
		}
	}
	return false
}

// RoleName is the name of a role without its article.
func RoleName(toks []Token) string {
	for len(toks) > 1 && Determiners[toks[0].Low] {
		toks = toks[1:]
	}
	return Lows(toks)
}

// Indefinite are words for a person or thing that was not named before.
var Indefinite = Set(`a an any some someone somebody anyone anybody`)

// outsiders are roles of people who are not asked to do something in a first clause: it says what starts the flow.
var outsiders = Set(`customer client user guest visitor parent student patient applicant candidate tenant buyer lead someone somebody anyone anybody`)

// ComesFrom reports whether the verb at a place says that a person from outside does something: "a student asks for a certificate". "Someone
// approves it" is a step.
func ComesFrom(toks []Token, at int) bool {
	verb := toks[at].Low
	first := at == 1 || at == 2 && toks[0].Is("a", "an")
	return first && outsiders[toks[at-1].Low] && Third(verb) && Answers[verb] == "" && !judges[verb]
}

var judges = Set(`reviews checks signs decides`)

// SubjectEnd is how many tokens the list of things has with which a statement begins: "laptop, phone and key card are back"; 0 = it begins with no
// list.
func SubjectEnd(toks []Token) int {
	const longest = 4 // words of a thing
	some, words := false, 0
	for i, t := range toks {
		switch {
		case t.Is(",", "and", "or", "&"):
			if words == 0 && toks[max(0, i-1)].Low != "," {
				return 0
			}
			some, words = true, 0
		case some && words > 0 && Auxiliaries[t.Low]:
			return i
		case t.Kind != Word || words == longest || Auxiliaries[t.Low] || pronouns[t.Low] || Starting(toks[i:], Ifs) > 0:
			return 0
		default:
			words++
		}
	}
	return 0
}

// OnEvent is how many tokens say on what something is done: "on breach it ...", "upon failure, ...".
func OnEvent(toks []Token) int {
	if len(toks) < 4 || !toks[0].Is("on", "upon") || toks[1].Kind != Word || toks[1].Text != toks[1].Low || Determiners[toks[1].Low] || DayOf(toks[1].Low) >= 0 || toks[2].Low != "," && !OpensClause(toks[2:]) {
		return 0
	}
	return 2
}

// Restricts is how many tokens at the beginning of a clause name things of which it may be done for some only: "non-critical alerts are ...",
// "rejected invoices go to ...", "requests for restricted systems need ..."; 0 = none do.
func Restricts(toks []Token) int {
	first := toks[0]
	first.Low = strings.ToLower(first.Text) // it may have been read as a verb
	many := strings.HasSuffix(first.Low, "s") && !Roles[first.Low] && (Base(first.Low) == "" || NounVerbs[Base(first.Low)])
	some := strings.HasSuffix(first.Low, "ed") && len(first.Low) > 4 && !Verbs[first.Low] || strings.HasPrefix(first.Low, "non-")
	if bare, un := strings.CutPrefix(first.Low, "un"); un {
		some = some || PassiveWord(Token{Kind: Word, Low: bare})
	}
	for i := 1; i+1 < len(toks) && i <= MostItem && toks[i].Kind == Word && (some || many); i++ {
		low, before := toks[i].Low, toks[i-1].Low
		switch {
		case Auxiliaries[low], adverbs[low], Verbs[low] && strings.HasSuffix(before, "s") && objects[toks[i+1].Low]:
			if some && i > 1 && (strings.HasSuffix(before, "s") || restricting[toks[1].Low]) {
				return i
			}
			return 0
		case Determiners[low] && !some, low == "by":
			return 0
		}
		some = some || i == 1 && restricting[low] && !Determiners[toks[2].Low] // "tests for the release" are all of them
	}
	return 0
}

// restricting stand between several things and those of them that are meant.
var restricting = Set(`for with without over under above below whose`)
