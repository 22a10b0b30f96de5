package phrase

import (
	"cmp"
	"slices"
)

// Items begin what is done for each item of a list.
const Items = "repeat_for_each repeat_for_every for_each_of for_each for_every for_all_of iterate_over_each_of iterate_over loop_over_each_of loop_over loop_through_each_of loop_through"

var (
	// Loops begin loops and parallel steps.
	Loops = Phrases(Items + ` do_the_following_in_parallel in_parallel at_the_same_time simultaneously in_any_order meanwhile in_the_meantime
		repeat_the_following_until repeat_until until repeat`)
	// Beyonds lead to what is above the ranges before, or below them: ", above that ask @cfo".
	Beyonds = Phrases(`anything_more_expensive everything_more_expensive anything_bigger anything_larger anything_above_that anything_over_that everything_above_that above_that over_that beyond_that more_than_that if_it_is_more if_it's_more if_more if_it_costs_more if_it_is_higher if_it's_higher if_it_is_above if_it's_above if_it_is_less if_it's_less if_less if_it_is_below if_it's_below above_this over_this everything_above anything_above anything_bigger anything_larger anything_higher anything_more everything_bigger everything_larger everything_higher everything_more everything_over anything_over everything_beyond anything_beyond everything_below anything_below below_that under_that less_than_that below_this under_this`)
	// Comparatives compare with what was said before: "if it is more".
	Comparatives = Set(`more less higher lower larger smaller bigger above below over under beyond greater`)
	// AnswerLeads begin what follows an answer.
	AnswerLeads = Phrases(`if when once in_case_of in_the_case_of in_case upon on after as_soon_as for_a for_an for_the for`)
)

// The patterns of how many of those who are asked must agree.
const (
	SomeAgree = "[at_least|any] {n} [of|out_of] [them|us|those|these|the_two|the_three|" + yeses + "] [must|has_to|have_to|needs_to|need_to|should|can|is|are|will_be] agree|approve|accept|confirm|sign|say_yes|enough|sufficient|needed|required|suffice|suffices|counts|decides [it|this]"
	AllAgree  = "both|all|everyone|everybody|each [of] [them|us|the_two|the_three] must|has_to|have_to|needs_to|need_to|should agree|approve|accept|confirm|sign|say_yes [it|this]"
	OneAgrees = "either|anyone|any|any_one|whoever [of] [them|us|the_two|the_three|" + yeses + "] [must|can|may|is|has_to] agree|approve|accept|decide|enough|sufficient|suffices [it|this]"
	// firstAgrees and firstCounts say that the answer of one is enough: "the person who says yes first", "the first yes decides".
	firstAgrees = "[and|but] [the] first|whoever [one|person|of_them] who_says_yes|who_agrees|who_approves|who_answers|who_replies|to_say_yes|to_agree|to_approve|to_answer|to_reply|says_yes|agrees|approves|answers|replies|responds|is_first [first] [" + prevails + "]"
	firstCounts = "[and|but] [the] first [one|" + yeses + "] " + prevails
	prevails    = "is_enough|is_sufficient|suffices|wins|decides|counts"
	yeses       = "yes|approval|ok|okay|vote|answer|approvals|votes"
)

var votes = []string{SomeAgree, AllAgree, OneAgrees, firstAgrees, firstCounts}

// clause is what its first words say about where a clause may end.
type clause struct {
	toks    []Token
	asks    bool // somebody is asked, so that a list may be choices
	whether bool // "if" may say what is asked or checked
	saying  bool // a message, whose text may hold whole sentences
	excepts bool // "..., but not on Fridays" is no part of it
	acting  bool // it says who does something
	upon    bool // it says after what something is done
	verb    int  // where the verb of what is done stands
}

// ClauseEnd is how many tokens the clause at the beginning of toks has.
func ClauseEnd(toks []Token) int {
	if len(toks) == 0 {
		return 0
	}
	first, actor := toks[0].Low, ActorOf(toks)
	c := clause{
		toks: toks, asks: first == "ask" || first == "have" || first == "get" || !StartsStep(toks), saying: Messages[first],
		acting: actor.N > 0 || Third(first) || Relative(toks), upon: first == "upon" || first == "after",
		verb: actor.Verb,
	}
	verb := cmp.Or(Base(toks[actor.Verb].Low), toks[actor.Verb].Low)
	c.whether, c.excepts = verb == "ask" || verb == "find" || verb == "check", !c.saying || first == "send"
	names := NamesAt(toks)
	if acting := NamesAt(toks[1:]); acting > 0 && (toks[0].Is("have", "let", "get", "make") || Begins(toks[1+acting:], "to")) { // "have @ana and @bob approve it"
		names = 1 + acting
	}
	named := false          // more than names stands before
	inside, open := 0, true // parentheses, of which nothing is a step of its own
	for i := max(1, names, actor.Verb); i < len(toks); i++ {
		if open && toks[i].Low == "(" && i >= inside && Starting(toks[i+1:], Trailing) == 0 {
			if closing := Find(toks[i:], ")"); closing > 0 {
				inside = i + closing
			} else {
				open = false
			}
		}
		if i < inside {
			continue
		}
		named = named || i > names && !toks[i-1].Is(",", "and")
		if c.endsAt(i, named) {
			return i
		}
		if toks[i].Is("if", "whether") {
			inside = max(inside, i+1+SubjectEnd(toks[i+1:]))
		}
	}
	return len(toks)
}

var (
	afterComma = Phrases("then next finally afterwards afterward after_that only_then only_after_that")
	afterAnd   = Phrases("nothing_else nothing_more nothing_further that's_it that's_all that_is_it that_is_all then finally afterwards only_then only_after_that the_process_ends the_process_stops the_process_completes the_process_is_finished the_workflow_ends the_run_ends ends_the_process")
)

// endsAt reports whether the clause ends before token i. named says that more than names stands before it.
func (c *clause) endsAt(i int, named bool) bool {
	toks, low := c.toks, c.toks[i].Low
	switch {
	case dividers[low] && !toks[i].Glued && i+2 < len(toks) && (OpensStep(toks[i+1:]) || OpensClause(toks[i+1:])), i+3 < len(toks) && len(low) == 1 && toks[i+1].Low == ")" && toks[i+1].Glued && (OpensStep(toks[i+2:]) || OpensClause(toks[i+2:])):
		return true
	case NeedsApproval(toks[i:]), Starting(toks[i:], awaiting) > 0 && toks[i-1].Kind != Sign: // "upon payment"
		return true
	case low == ";", low == "then" && toks[i-1].Low != "only" && !Auxiliaries[toks[i-1].Low] && !Guards[toks[i-1].Low], low == "->", low != "if" && elseHere(toks, i):
		return true
	case low == ",":
		return c.endsAtComma(i)
	case low == "who" && !c.saying && Relative(toks[i:]) && Roles[toks[i-1].Low]:
		return true
	case low == "and" || low == "but" || low == "&" || low == "+":
		return c.endsAtAnd(i, named)
	case low == "when" && c.saying && Has(toks[i+1:min(i+4, len(toks))], "will"): // "let @bob know when it will arrive"
		return false
	case CondLead(toks[i:], Trailing) > 0:
		from := i
		if toks[i-1].Low == "only" {
			from--
		}
		if m, ok := Fit(ApprovedBy, toks[from:]); ok && from+m.End == len(toks) { // "refund it only if @finance approves"
			return false
		}
		if low == "if" && (embeds[toks[i-1].Low] || (c.whether || deciding[toks[i-1].Low]) && !guarded(toks[:i])) {
			c.whether = false
			return false
		}
		return true
	}
	return false
}

// endsAtComma reports whether the clause ends before the comma at i.
func (c *clause) endsAtComma(i int) bool {
	rest := c.toks[i+1:]
	if Begins(c.toks, "after") && 1+TermLength(c.toks[1:]) == i { // "after 3 days, remind them"
		return false
	}
	if Starting(rest, afterComma) > 0 || Begins(rest, "but") && c.excepts && Starting(rest[1:], Denials) > 0 {
		return true
	}
	if Begins(rest, "and") {
		rest = rest[1:]
	}
	if forSome(rest) || laterActs(rest) || BesideSomebody(rest) {
		return true
	}
	if Begins(rest, "after") && TermLength(rest[1:]) > 0 || Later(rest) > 0 || c.othersAct(i) || c.getsMessage(i) {
		return true
	}
	if (c.acting || c.toks[0].Low == "ask") && len(rest) > 1 && rest[0].Kind == Name && rest[0].Low[0] == '@' && c.toks[i-1].Kind != Name { // "@bob approves the first 100, @ana everything above"
		return true
	}
	return c.upon && len(rest) > 1 && Passive(rest[:2]) || OpensStep(rest) && !(c.asks && OneOf(rest)) || !c.saying && (OpensClause(rest) || Relative(rest) || opensPassive(rest)) || c.acting && goesOnActing(rest) && !OneOf(rest)
}

// endsAtAnd reports whether the clause ends before the "and" or "but" at i.
func (c *clause) endsAtAnd(i int, named bool) bool {
	low, rest := c.toks[i].Low, c.toks[i+1:]
	if i > 1 && len(rest) > 1 && person(c.toks[:i]) && Prepositions[c.toks[i-2].Low] && rest[0].Kind == Name && rest[1].Is(",", "then") { // "from @ana and @ben, @fin checks them"
		return false
	}
	with := Trim(c.toks[i-1:])
	if _, ok := Buttons(with); ok && buttonNouns[with[len(with)-1].Low] {
		return false
	}
	if c.sharesObject(i) {
		return false
	}
	if laterActs(rest) || c.saying && len(rest) > 2 && person(rest[:1]) && rest[1].Low == "to" && StartsStep(rest[2:]) && c.toks[i-1].Kind != Name { // "ask @ana to pay it and @bob to file it"
		return true
	}
	return c.othersAct(i) || c.getsMessage(i) || c.acting && Starting(rest, duties) > 0 || low == "but" && c.excepts && Starting(rest, Denials) > 0 || named && OpensStep(rest) && !(c.asks && OneOf(rest)) || named && !c.saying && opensActing(rest) || c.acting && goesOnActing(rest) && !OneOf(rest) || Starting(rest, afterAnd) > 0
}

// sharesObject reports whether the "and" at i joins two verbs that have one object, so that they are one step: "generate and send an order",
// "must fill out and submit the form". An approval is a step of its own.
func (c *clause) sharesObject(i int) bool {
	first, rest := c.toks[c.verb:i], c.toks[i+1:]
	if len(first) == 0 || len(first) > 2 || len(first) == 2 && !particles[first[1].Low] || len(rest) < 2 {
		return false
	}
	act := func(t Token) bool { return Verbs[t.Low] || Base(t.Low) != "" }
	second := 1
	if particles[rest[1].Low] && len(rest) > 2 {
		second = 2
	}
	return act(first[0]) && act(rest[0]) && (Determiners[rest[second].Low] || rest[second].Is("it", "them")) && (c.verb == 0 || Answers[rest[0].Low] == "" || rest[0].Is("sign", "signs"))
}

// particles belong to the verb before them.
var particles = Set(`out in up off down over back on through`)

// othersAct reports whether the words of a message, or what somebody is asked to do, end before the comma or "and" at i, because somebody who is
// named does something: "tell #fin it is here, @fin pays it", "ask @bob to pack it and I ship it".
func (c *clause) othersAct(i int) bool {
	rest := c.toks[i+1:]
	asks, a := c.toks[0].Low == "ask", ActorOf(rest)
	if !c.saying || a.N == 0 || asks && !Has(c.toks[:i], "to") || HasAny(c.toks[1:i], Within) || Has(c.toks[:i], ":") || c.toks[i-1].Kind == Name {
		return false
	}
	return person(rest[:1]) || asks && (rest[0].Low == "i" || a.Person && Base(rest[a.Verb].Low) != "" && a.Verb+1 < len(rest) && objects[rest[a.Verb+1].Low])
}

// getsMessage reports whether the words behind the comma or "and" at i say that the author or a role gets a message: "and I get told".
func (c *clause) getsMessage(i int) bool {
	rest := c.toks[i+1:]
	_, ok := Fit(authorTold, rest)
	if _, fits := Fit(roleTold, rest); fits && c.verb < i && (c.verb > 0 || !RoleOf(c.toks[:i])) && !HasAny(c.toks[1:i], Within) { // "tell the customer and IT is told to close the account"
		ok = true
	}
	return ok && !Has(c.toks[:i], "if", "whether")
}

// Later is how many tokens of "2 days later" stand at the beginning of toks.
func Later(toks []Token) int {
	if n := TermLength(toks); n > 0 && Begins(toks[n:], "later") {
		return n + 1
	}
	return 0
}

// Within begin a clause inside of another one, which may go on behind "and".
var Within = Set(`whether that if until till once when after before because sure so how saying says say confirms confirm ensures ensure notes reports states`)

// ApprovedBy is the pattern of whose approval the step before needs: "only if @finance approves".
const ApprovedBy = "[,] [but] only_if|only_after|only_once|only_when|once|after|when|as_soon_as|provided_that|provided {addr} " +
	"approves|approve|agrees|agree|confirms|confirm|signs_off|signs|accepts|says_yes|says_ok|gives_the_ok|gives_their_ok|gives_the_go-ahead [it|this|that|them]"

// embeds are verbs behind which "if" never begins a condition: "calls the customer to see if the lift works".
var embeds = Set(`see sees determine determines know knows verify verifies`)

// deciding are verbs behind which "if" says what is decided.
var deciding = Set(`decides decide checks check says say looks look`)

// guarded reports whether an "if" behind these words is a condition: "ask @x to approve if", but not "ask @x if".
func guarded(toks []Token) bool {
	return slices.ContainsFunc(toks, func(t Token) bool {
		return t.Is("to", "for", ":") || t.Kind == Quoted
	})
}

// OpensStep reports whether a step, a condition or a loop begins with toks.
func OpensStep(toks []Token) bool {
	for n := Starting(toks, Leads); n > 0 && toks[0].Kind == Word; n = Starting(toks, Leads) {
		toks = toks[n:]
		if len(toks) > 0 && Gerund(toks[0]) != "" { // "everything from creating the ticket to ..."
			return true
		}
	}
	return StartsStep(toks) || Voting(toks) || Starting(toks, Beyonds) > 0 || CondLead(toks, Ifs) > 0 && len(toks) > 2 || Begins(toks, "unless") || Starting(toks, Loops) > 0 || Starting(toks, Elses) > 0 || forRange(toks) || len(toks) > 1 && (Starting(toks, AnswerLeads) > 0 && Answers[toks[1].Low] != "" || Answers[toks[0].Low] != "" && toks[1].Low == ":")
}

// dividers are signs between steps.
var dividers = Set(`- – — > >> | => \\`)

// NeedsApproval reports whether toks say whose approval something needs: "with @cfo's approval", "upon sign-off by @ana".
func NeedsApproval(toks []Token) bool {
	n := Starting(toks, needing)
	if n == 0 {
		return false
	}
	at := slices.IndexFunc(toks[:min(len(toks), n+MostItem)], func(t Token) bool { return approvals[t.Low] })
	return at >= n && slices.ContainsFunc(toks[n:min(len(toks), at+4)], func(t Token) bool { return t.Kind == Name && t.Low[0] == '@' || Roles[t.Low] })
}

var (
	awaiting  = Phrases("pending upon subject_to on_receipt_of")
	needing   = Phrases("with upon on pending given subject_to following under")
	approvals = Set(`approval confirmation light okay ok consent permission sign-off signoff go-ahead blessing agreement`)
)

// forSome reports whether toks say for what somebody who is named does something: "for production @raj has to approve".
func forSome(toks []Token) bool {
	if len(toks) < 4 || toks[0].Low != "for" {
		return false
	}
	at := slices.IndexFunc(toks[:min(len(toks), MostItem)], func(t Token) bool { return t.Kind == Name && t.Low[0] == '@' })
	return at > 1 && !toks[at-1].Is("and", "or", ",") && ActorOf(toks[at:]).N > 0
}

// BesideSomebody reports whether toks name something to do, with who does it beside it: "final approval (@cfo)", "sign-off by @cfo", "testing (@qa)".
func BesideSomebody(toks []Token) bool {
	for i := 1; i+1 < len(toks) && i <= MostRole && (toks[i-1].Kind == Word || toks[i-1].Kind == Number); i++ {
		beside, said := toks[i], toks[i-1]
		deed := approvals[said.Low] || Gerund(said) != "" || NounVerbs[said.Low]
		if deed && (beside.Is("(", "-", "–", "—") || approvals[said.Low] && beside.Is("by", "from", "of")) && (toks[i+1].Kind == Name || RoleOf(toks[i+1:i+2])) {
			return true
		}
	}
	return false
}

// laterActs reports whether toks say what somebody who is named does at another time: "on Monday @lee ships it", "at 9:30 have @lee ship it".
func laterActs(toks []Token) bool {
	_, n := Moment(toks)
	rest := Trim(toks[n:])
	return n > 0 && toks[0].Is("on", "at", "tomorrow", "the") && len(rest) > 1 && (rest[0].Kind == Name && ActorOf(rest).N > 0 || rest[0].Is("have", "ask") && StartsStep(rest))
}

// forRange reports whether toks say for which amounts something is done: "for more than 7 days their lead has to agree".
func forRange(toks []Token) bool {
	if len(toks) < 4 || toks[0].Low != "for" || !Comparatives[toks[1].Low] && !Begins(toks[1:], "at", "least") && !Begins(toks[1:], "up", "to") {
		return false
	}
	return slices.ContainsFunc(toks[2:4], func(t Token) bool { return t.Kind == Number || numeral(t.Low) > 0 })
}

// elseHere reports whether words at a place lead to the other side of a condition: not "else" in "nothing else", "somebody else".
func elseHere(toks []Token, i int) bool {
	return Starting(toks[i:], Elses) > 0 && !(toks[i].Low == "else" && i > 0 && others[toks[i-1].Low])
}

var others = Set(`nothing anything something nobody anybody somebody anyone someone who what where`)

// CondLead gives how many tokens lead to a condition, as a list of phrases has them; 0 = none do, or no words are behind them: "who is off and
// when".
func CondLead(toks []Token, leads [][]string) int {
	n := Starting(toks, leads)
	if n == len(toks) || Starting(toks[n:], Ends) > 0 {
		return 0
	}
	return n
}

// Voting reports whether toks say how many of those who are asked must agree: ", two of them must approve".
func Voting(toks []Token) bool {
	return slices.ContainsFunc(votes, func(p string) bool { _, ok := Fit(p, toks); return ok })
}

// ElseAt is where the other side of a condition begins; len = there is none, or it belongs to another condition before it.
func ElseAt(toks []Token) int {
	depth := 0
	for i := range toks {
		if depth = max(0, depth+parenthesis[toks[i].Low]); depth > 0 && Has(toks[i:], ")") {
			continue
		}
		if elseHere(toks, i) && (toks[i].Low != "if" || i > 0 && (toks[i-1].Kind == Sign || toks[i-1].Is("and", "but") && !HasAny(toks[:i], asking))) {
			return i
		}
		if i > 0 && toks[i].Is("if", "unless") && !indirect(toks[:i]) {
			break
		}
	}
	return len(toks)
}

// asking are words of a question, whose answer "and if not" may be.
var asking = Set(`ask asks whether if approve approves confirm confirms decide decides`)

// indirect reports whether an "if" behind these words says what is asked, as in "ask @fin if we should pay": it is no condition.
func indirect(before []Token) bool {
	start := 0
	for i, t := range before {
		if t.Kind == Sign || t.Is("and", "then") {
			start = i + 1
		}
	}
	return start < len(before) && before[start].Low == "ask"
}
