package phrase

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
)

// Finished are words that only state the end of the step before. Steps follow each other anyway.
var Finished = Phrases(`it_is_done it's_done it_is_finished it's_finished it_is_complete it_is_completed that_is_done that's_done that_is_finished this_is_done
	this_is_finished they_are_done they're_done everything_is_done all_is_done all_of_this_is_done all_of_that_is_done finished`)

// Arrived are words for input that was received.
var Arrived = Set(`received registered submitted recorded created arrived filed placed entered sent`)

// Begun are verbs of what starts a flow, in a first clause that no other word marks as such: "an order arrives", "new lead comes in".
var Begun = slices.Concat(english.Phrases(`is|are|has_been|have_been|can_be|may_be created|received|submitted|uploaded|added|opened|won|closed|posted|filed|reported|registered|placed|raised|requested
	can|may submit|request|report|file|send|raise|place|apply|claim`), Phrases(`arrives arrive comes_in come_in comes come joins join reacts signs_up appears occurs happens submits submit files reports requests sends
	raises places fills_in fills_out wants needs would_like asks_for applies_for`))

// Intransitive are those of Begun that need no object.
var Intransitive = Set(`arrives arrive comes come joins join reacts appears occurs happens`)

// AllDone states the end of several steps, and AllAgreed that people have agreed: without that the run ends.
const (
	AllDone   = "both|all|all_of_them|both_of_them|both_of_these|all_of_these|both_steps|all_steps|everyone|everybody|he|she|he's|she's|they've|they_both|they_all|they|all_of_that|this|that|it [are|is|have|has|have_been|has_been|is_all] [all] done|finished|complete|completed|answered|replied|responded"
	AllAgreed = "both|all|all_of_them|both_of_them|everyone|everybody|they_both|they_all|they|all_three|the_two [of] [them|us] [have|has] [all|both] approve|approved|agree|agreed|accepted|confirmed|signed|signed_off|say_yes|said_yes|say_ok|okayed|given_their_ok"
)

// Giving are the sentences that name the inputs of a run.
var Giving = []string{
	"inputs|input|given : {list}",
	"[the] user|users|requester|employee|person|somebody|someone|people will|must|can|should|then provide|provides|enter|enters|give|gives|submit|submits {list} as input|inputs",
	"[the] person|user|employee|one who|that starts|opens|requests|asks [it|this|that|the_flow|the_run|the_workflow|the_request] [must|has_to|needs_to|should|will|then] gives|give|provides|provide|enters|enter|fills_in|fill_in|types_in|specifies|states {list}",
	"whoever_starts|whoever_opens|whoever_requests [it|this|that|the_flow|the_run|the_workflow] [must|has_to|needs_to|should|will|then] gives|give|provides|provide|enters|enter|fills_in|fill_in|types_in|specifies|states {list}",
	"[it|the_flow|the_workflow|the_form|the_run] asks|asking [the_requester|the_user|them|whoever_starts_it|for_input] for {list}",
	"ask for {list}",
	"[first] ask [the] requester|requestor|submitter|starter|person_who_starts_it|one_who_starts_it|whoever_starts_it|person_who_asks|person_who_requests_it|person_asking for {list}",
	"[first] collect|collects|gather|gathers|ask_for|asks_for|get|gets|capture|captures {list} from the|an|each [new] requester|requestor|employee|user|applicant|submitter|person|person_who_asks|person_who_starts_it|form",
	"[start|starts|begin|begins|open|opens|show|shows] [with|by] [a|the] form asking|that_asks|which_asks|to_ask|asks|with|for [for] {list}",
	"[it|the_flow|the_workflow] takes {list}",
}

// Outputs names what a run gives.
const Outputs = "[the|a|an] workflow|flow|process needs_to|must|should|has_to|will [also|additionally] output|return [the_final] {list}"

// AnswererEnd is how many tokens name who or what has answered: "the answer is", "he", "@bob says".
func AnswererEnd(toks []Token) int {
	if size := Starting(toks, answerers); size > 0 {
		return size
	}
	names, size := ReadWho(toks)
	if size == 0 || size >= len(toks) || len(names) != 1 {
		return 0
	}
	next := toks[size].Low
	if _, known := Answers[toks[0].Low]; !known && (Answers[next] != "" || Auxiliaries[next] || Starting(toks[size:], cannot) > 0 || next == "says" || next == "say" || next == "said") {
		return size
	}
	return 0
}

var answerers = slices.Concat(Anybody, Phrases(`the_answer_is the_request_is the_description_is it_is it's it_was it_gets they're they_are he_is she_is the_answer_was they he she it everyone one`))

// Anybody are words for any of those who are asked.
var Anybody = Phrases(`anybody anyone somebody someone one_of_them any_of_them either_of_them one_of_the_two either any_approver any_of_the_approvers any_of_the_reviewers`)

var cannot = Phrases(`can't cannot couldn't won't`)

// IsThing reports whether a text behind "give" or "send" is a thing that somebody gets, and no message: "give @bob the keys". Nor is
// "say yes"; and "send them to @bob" means things.
func IsThing(toks, text []Token) bool {
	const far = 4                                                                                 // words in which the noun stands: "a short summary"
	if len(text) > 0 && toks[0].Low == "send" && mails[text[0].Low] && Determiners[toks[1].Low] { // "send a reminder email"
		return true
	}
	if len(text) > 1 && toks[0].Low != "tell" && toks[1].Low == "them" && text[0].Is("to", "in") {
		return true
	}
	return toks[0].Low == "give" && !slices.ContainsFunc(text[:min(far, len(text))], func(t Token) bool {
		return sayable[t.Low] || t.Kind == Quoted
	})
}

// SaidIn cuts the channel off the end of a text that somebody says: "hi to the new colleague in #general".
func SaidIn(text []Token) (where []Who, rest []Token) {
	at := len(text) - 2
	if at < 1 || !text[at].Is("in", "to", "on", "into") || text[at+1].Kind != Name || text[at+1].Low[0] != '#' {
		return nil, text
	}
	where, _ = ReadWho(text[at+1:])
	return where, text[:at]
}

// Often reports whether a text only says how often something is: "every 3 days".
func Often(text []Token) bool {
	return len(text) > 1 && text[0].Low == "every" && TermLength(text[1:]) == len(text)-1
}

var mails = Set(`email e-mail mail letter sms`)

// sayable are nouns for what can be said in a message.
var sayable = Set(`message note reminder notification heads-up headsup update updates notice summary info information feedback news hint report link list status details result results answer warning
	overview number numbers name names`)

// Affirmed and Refuted are the ways to say that it is so, and that it is not.
var (
	Affirmed = Phrases(`if_so if_yes if_it_is if_it_does if_it_has if_he_can if_she_can if_they_can if_they_are if_they_do if_he_does if_she_does if_they_have if_he_did if_she_did if_they_did if_it_did if_he_has if_she_has if_that's_the_case if_that_is_the_case if_ok if_okay if_fine if_good if_all_good if_all_is_good if_all_is_well
		if_it_is_ok if_it's_ok if_it_is_fine if_it's_fine if_it_is_good if_it's_good if_everything_is_ok if_everything_is_fine if_everything_is_good if_everything's_ok if_everything's_fine if_all_ok if_all_is_ok if_all_is_fine`)
	Refuted = Phrases(`if_not if_no if_it_is_not if_it_isn't if_it_doesn't if_it_does_not if_it_hasn't if_it_has_not if_he_can't if_she_can't if_they_can't if_they_are_not if_they_aren't if_they_don't if_he_doesn't if_she_doesn't if_they_haven't if_he_didn't if_she_didn't if_they_didn't if_it_didn't if_he_hasn't if_she_hasn't
		if_it_is_not_ok if_it's_not_ok if_something_is_wrong if_something's_wrong if_anything_is_wrong if_not_ok`)
)

// CondEndsAt reports whether a condition of n tokens is over there. In "if she can't find it, tell @ana" it is not over behind "can't".
func CondEndsAt(toks []Token, n int) bool {
	if n > 0 && n < len(toks) && toks[n].Kind == Word && (Auxiliaries[toks[n-1].Low] || strings.HasSuffix(toks[n-1].Low, "n't")) {
		for _, t := range toks[n:] {
			if t.Is(",", ".") {
				return t.Low == "." // "if they don't ask @bob."
			}
		}
	}
	return n >= len(toks) || Starting(toks[n:], Ends) > 0 || StartsStep(toks[n:]) || opensActing(toks[n:])
}

// Unable is what people say of a step that they cannot do.
const Unable = "can't|cannot|can_not|couldn't|could_not|is_unable_to|is_not_able_to|isn't_able_to|won't [do|make|manage|come|help] [it|that|this]"

// Failures say that the step before has failed.
var Failures = Phrases(`if_it_fails if_it_still_fails if_that_still_fails if_this_fails if_that_fails if_that_does_not_work if_this_does_not_work if_it_does_not_work if_it_doesn't_work on_error on_failure on_errors in_case_of_an_error
		in_case_of_error in_case_of_failure in_case_of_a_failure if_there_is_an_error if_an_error_occurs if_something_goes_wrong when_it_fails should_it_fail if_anything_fails if_it_errors`)

// Requests are words for what people ask others for; they are no values of a run.
var Requests = Set(`approval approvals permission confirmation consent sign-off signoff feedback review help advice opinions opinion`)

// Products are words for the flow itself.
var Products = Set(`workflow flow process automation workflows something sth`)

// Programs are words for it where it is said what it does: "a bot that tells ...".
var Programs = Set(`system bot pipeline agent assistant app application tool program script integration solution service`)

// SentSo takes the words off a message that only say that it is sent without delay, as it is anyway: "right away".
func SentSo(text []Token) []Token {
	n := Starting(text, atOnce)
	if n > 0 && (n == len(text) || text[n].Low == "that") {
		return text[n+Starting(text[n:], Phrases("that")):]
	}
	return text
}

// Elsewhere reports whether a text names a way to reach somebody that is no chat: "by mail that it is sent", "why in a mail".
func Elsewhere(text []Token) bool {
	if len(text) > 0 && text[0].Is("why", "what", "how", "when", "where", "who") {
		_, ok := Whole(medium, text[1:])
		return ok
	}
	_, ok := Fit(medium, text)
	return ok
}

// IsLetter reports whether what is sent is no message in chat: "a welcome email".
func IsLetter(text []Token) bool {
	n := Find(text, ":")
	if n < 0 {
		n = len(text)
	}
	return n > 1 && Determiners[text[0].Low] && text[n-1].Is("mail", "e-mail", "email", "letter", "sms", "fax")
}

// SentElsewhere reports whether what is sent is sent to a place, or ends with a way to reach somebody that is no chat: "send @bob to the customer",
// "hello via email".
func SentElsewhere(toks, text []Token) bool {
	n := len(text)
	if n > 1 && text[0].Low == "to" {
		return toks[0].Is("send", "sends") && !Verbs[text[1].Low]
	}
	for i := max(1, n-3); i < n && !Has(toks, "that", ":"); i++ { // what is told may end so
		if _, ok := Whole(medium, text[i:]); ok && text[i].Is("via", "per", "by") {
			return true
		}
	}
	return false
}

// SignsUp reports whether somebody signs in or up, which is no approval.
func SignsUp(toks []Token) bool {
	at := slices.IndexFunc(toks, func(t Token) bool { return t.Is("sign", "signs", "signed") })
	return at > 0 && at+1 < len(toks) && toks[at+1].Is("in", "up", "out", "on", "for")
}

const medium = "by|via|per|in|on|over|with|through [a|an|the] [short|private] mail|e-mail|email|phone|telephone|letter|post|sms|text_message|fax|person|phone_call|call|mails|emails|video_call"

// exceptOn lead to days on which a message is not sent: "to log my time, but not on weekends".
var exceptOn = Phrases("but_not_on but_not_at not_on not_at except_on except_for except just_not_on only_on but_only_on")

// TextEnd is how many tokens of a text are said or asked: behind them others do something, or parentheses say how long people have, what is
// done otherwise, or how many of them decide. that reports whether a word such as "that" leads to the text, so that it may name others.
func TextEnd(text []Token, that bool) int {
	for i := 1; i < len(text); i++ {
		if n := Starting(text[i:], exceptOn); n > 0 && !that && TimeAt(text[i+n:]) > 0 {
			if i > 1 && text[i-1].Kind == Sign {
				i--
			}
			return i
		}
		rest := text[i+1:]
		switch text[i].Low {
		case ",", "and":
			if len(rest) > 2 && person(rest[:1]) && (rest[1].Is("that", ":") || !that && (rest[1].Is("to", "about", "of") || pronouns[rest[1].Low] || Determiners[rest[1].Low])) { // somebody else is told something else
				return i
			}
			if a := ActorOf(rest); text[i].Low == "," && a.N > 0 && a.Person && !pronouns[rest[0].Low] && (person(rest[:1]) || !that) {
				return i
			}
		case "(":
			if inside := rest[:max(0, Find(rest, ")"))]; slices.ContainsFunc(inside, func(t Token) bool { return limiting[t.Low] || t.Is("else", "otherwise", "max") }) || TermLength(inside) > 0 || len(inside) == 1 && (sides[inside[0].Low] || person(inside)) {
				return i
			}
		}
	}
	return len(text)
}

var sides = Set(`both all either any one together each`)

// Buttons reads a message that people approve or reject: "to approve or reject the refund", "the refund and Approve / Reject buttons". what is
// decided.
func Buttons(text []Token) (what []Token, ok bool) {
	answers := func(t Token) bool { return Verbs[t.Low] && Answers[t.Low] != "" }
	at := slices.IndexFunc(text, answers)
	if at < 0 || at+2 >= len(text) || !text[at+1].Is("or", "and", "/") || !answers(text[at+2]) || Answers[text[at].Low] == Answers[text[at+2].Low] {
		return nil, false
	}
	before, behind := text[:at], Trim(text[at+3:])
	for n := len(before) - 1; n >= 0 && (before[n].Is("and", "with", "to", "please", "two") || Determiners[before[n].Low]); n-- {
		before = before[:n]
	}
	switch {
	case len(behind) == 1 && buttonNouns[behind[0].Low]:
		return before, true
	case len(before) == 0:
		return behind, true
	}
	return nil, false
}

var buttonNouns = Set(`button buttons action actions option options`)

// Polite takes courtesy off the end of a clause: "remind him pls", "it is paid, thanks". "tell @bob thanks" is a message.
func Polite(toks []Token) []Token {
	for _, words := range [][]string{{"please"}, {"pls"}, {"plz"}, {"thanks"}, {"thx"}, {"thank", "you"}} {
		n := len(toks) - len(words)
		if n < 1 || !Begins(toks[n:], words...) {
			continue
		}
		if before := toks[n-1]; words[0][0] != 't' || before.Kind != Name && !before.Is("that", "say", "says", "saying", "with", "to", ":") {
			toks = Trim(toks[:n])
		}
	}
	return toks
}

// ToldElse reports whether words are no message, but say who is not told, or how: "but not the team", "directly, not in the channel".
func ToldElse(text []Token) bool {
	text = text[Starting(text, Phrases("but and")):]
	return Starting(text, atOnce) > 0 || len(text) > 1 && text[0].Low == "not" && (text[1].Kind == Name || Determiners[text[1].Low] || Prepositions[text[1].Low] && text[1].Low != "to")
}

var atOnce = Phrases(`immediately right_away straight_away at_once asap directly instantly right_now`)

// NoMatter reports whether words behind an approval say when it is, or who else does something, and not what it is of: "right before @bob sends it",
// "before lunch", "or @ana to fix it".
func NoMatter(t []Token) bool {
	at := Find(t, "before")
	if at > 0 && Starting(t, Phrases("it_before this_before that_before them_before")) == 0 || at >= 0 && slices.ContainsFunc(t[at:], func(t Token) bool { return person([]Token{t}) }) {
		return true
	}
	for i := range t {
		if joined := t[i].Is("and", "or"); joined && (i == 0 || i+2 < len(t) && person(t[:i+2]) && t[i+2].Is("to", "by")) || at >= 0 && DayOf(t[i].Low) >= 0 && len(t[i].Low) > 3 {
			return true
		}
	}
	return t[len(t)-1].Is("lunch", "meeting", "deadline", "weekend", "dinner", "holidays") || ActorOf(t).N > 0
}

// TellsAuthor reports whether somebody who has no name tells the author something, at the beginning of toks: "they tell me the date". That is no
// message of a flow.
func TellsAuthor(toks []Token) bool {
	a := ActorOf(toks)
	return a.N > 0 && (Persons[toks[0].Low] || outsiders[toks[a.N-1].Low]) && a.Verb+1 < len(toks) && toks[a.Verb+1].Is("me", "us") &&
		toks[a.Verb].Is("tell", "tells", "give", "gives", "send", "sends", "write", "writes", "dm", "dms", "message", "messages")
}

// roleTold is how the words say that a role gets a message.
const roleTold = "{role} is|are|gets|get [then|also] told|informed|notified|alerted"

// authorTold is how the author says that a message goes to them.
const authorTold = "i_am|i'm|i_get|i'll_be|i_will_be|i_should_be|i_must_be|we_are|we're|we_get|we'll_be|we_will_be|we_should_be|we_must_be [then|also] told|informed|notified|alerted"
