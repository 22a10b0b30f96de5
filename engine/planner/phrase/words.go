package phrase

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"sluice/engine/planner/english"
)

// The words by which sentences are cut into steps. They decide where a step begins, never which tool does it.
var (
	// Verbs begin a step.
	Verbs = Set(`accept acknowledge activate add adjust advance aggregate alert analyse analyze announce apologise apologize apply approve archive arrange ask assemble assess
		assign attach auto-approve back back-order begin book brainstorm bring build buy calculate call cancel capture categorize celebrate charge chase check classify clean
		close collect combine compare compile compute conduct configure confirm congratulate contact convert coordinate copy correct count crawl create cut deactivate decline
		delete deliver deploy deposit describe detect determine disable discuss dismiss dispatch dm document download draft edit email enable encrypt end enrich enrol enroll
		ensure enter escalate estimate evaluate examine execute explain export express extend extract fetch file fill filter find finish fix flag follow format forward gather
		generate get give go grant greet group handle have hold identify illustrate import inform insert inspect install integrate interview investigate invite invoice issue
		keep kill launch let link list load lock log look lookup mail make mark merge message migrate mirror moderate monitor move negotiate notarize note notify obtain offer
		onboard open order organise organize pack page parse patch pause pay perform personalise personalize phone pick ping plan poll post prepare present print prioritize
		process produce promote proofread propose provide provision publish pull push put qualify query rank reactivate read rebook reboot receive recognize reconcile record
		redact redeploy refresh refund register reimburse reject release remember remind remove rename render renew rent reorder repair repeat rephrase replace reply report
		request require rerun reschedule reserve reset resolve restart restock restore resume retrieve retry return revert review revoke rewrite ring roll rollback rotate route
		run save say scan schedule score scrape search select send set settle share ship show sign skip sort start stop store submit subscribe sum summarise summarize supply
		suspend swap switch sync tag take tell terminate test text thank track transcribe transfer transform translate trigger trim try unassign undertake uninstall unlock
		unpack update upgrade upload use validate verify view wait warn wash watch weigh welcome withdraw write`)
	// Repeating are verbs of steps that have an interval of their own.
	Repeating = Set(`remind reminder reminders reminds reminded nudge nudged chased wait retry repeat try escalate`)
	// NounVerbs are verbs that are nouns just as often: they begin a step only before something that is done.
	NounVerbs = Set(`alert back have count list cut book charge check copy document draft email end export file filter group invoice issue link load log mark message offer order page
		pick plan post process query record refund release repeat reply report request reset review route run schedule score search set share ship show sign sort start stop store sum swap
		tag test track transfer trigger update upload use view wait call test hold text note phone ring fix repair patch switch mail poll watch scan push monitor supply estimate interview deposit mirror file thank`)
	// objects begin what is done.
	objects = Set(`the a an it its this that these those them him her me us all each every any my our your their his to for up back out down off in on new both with via again until no ai more half another two three four five six seven eight nine ten`)
	// Guards stand before a verb that begins no step.
	Guards = Set(`the a an to not what how where this that these those my our your their his her its each every any no of for on by with is are was were be been will would shall
		can could may might must should cannot can't couldn't don't doesn't didn't won't never or without in at from as into about than
		both all already also still ever yet been being have has had which who either`)
	// passive reports in what form something is done to what stands before.
	modals      = Set(`must should will can shall may`)
	Auxiliaries = Set(`is are was were gets be must should will can has have shall may`)
	// Leads join steps and say nothing else.
	Leads = slices.Concat(english.Phrases(`i|we need|want|would_like it|you|sluice|the_bot to
		i'd|we'd like it|you|sluice|the_bot to
		i|we want|would_like that it|you|sluice|the_bot
		make|be sure|certain to
		the|this workflow|flow|process|system|bot|task should|must|needs_to|has_to|will|is_to
		the|this|our task|goal|aim|workflow|flow|process|job requires|involves|includes|consists_of|is|first_requires`), Phrases(`and_then and_only_then and_only_after_that only_then only_after_that then next first firstly second secondly third thirdly finally lastly afterwards afterward after_that after_this subsequently also and it_needs_to
		eventually thereafter as_a_next_step in_the_next_step in_a_next_step in_the_first_step in_a_first_step as_a_first_step do_the_following follow_these_steps the_following_happens these_steps_follow in_the_end at_last at_the_end to_begin_with to_start once_done once_that_is_done when_done please pls plz kindly just simply always immediately automatically whereas in_addition additionally coordinate_everything_from handle_everything_from everything_from now , ; & + . : - -- ! ? -> →`), Anyhow, Remembering)
	// Remembering are those of Leads that deny nothing, though they look so.
	Remembering = Phrases(`don't_forget_to don’t_forget_to dont_forget_to do_not_forget_to`)
	// Anyhow are those of Leads that say that a step follows all of the cases before it, and AtLast those that say it when each case has steps.
	Anyhow  = Phrases(`but_in_any_case but_either_way but_in_both_cases in_any_case in_either_case in_both_cases in_each_case either_way both_ways in_all_cases whatever_the_answer_is`)
	AtLast  = Phrases(`at_the_end in_the_end at_last finally lastly afterwards afterward after_that`)
	Denials = Phrases(`do_not don't don’t never without not no must_not should_not mustn't shouldn't cannot can't won't avoid neither nobody nothing`)
	// Merely have no meaning of their own between "if not" and what is done then.
	Merely = Phrases("just simply please then")
	// Elses begin what happens when a condition does not hold.
	Elses = Phrases(`otherwise or_else else if_it_is_not if_it_isn't if_this_is_not_the_case if_that_is_not_the_case if_not if_no in_the_other_case in_all_other_cases in_any_other_case`)
	Ifs   = Phrases(`if_and_only_if only_if only_when in_case_that in_the_case_that in_the_case_of in_case_of in_case in_the_event_that in_the_event even_if as_long_as provided_that provided if when whenever each_time every_time once should`)
	// within are those of ifs that may follow a step without a comma.
	Trailing = Phrases(`whenever each_time every_time only_if only_when in_case_that in_the_event_that in_case as_long_as provided_that provided if unless but_only_if when except_if except_when except_where`)
)

// Phrases is a closed list of phrases, the longest first.
func Phrases(list string) [][]string {
	if kept, ok := phrases.Load(list); ok {
		return kept.([][]string)
	}
	var out [][]string
	for f := range strings.FieldsSeq(list) {
		out = append(out, strings.Split(f, "_"))
	}
	out = slices.Clip(out)
	phrases.Store(list, out)
	return out
}

// phrases are the lists that were read, by their text: the same ones are needed for every clause.
var phrases sync.Map

// Starting gives how many tokens the first phrase of a list takes at the beginning of toks.
func Starting(toks []Token, list [][]string) int {
	for _, p := range list {
		if Begins(toks, p...) && toks[0].Kind != Number {
			return len(p)
		}
	}
	return 0
}

// StartsStep reports whether a step may begin with these tokens.
func StartsStep(toks []Token) bool {
	if len(toks) == 0 {
		return false
	}
	t := toks[0]
	if t.Kind == Name {
		return Starting(toks[1+Starting(toks[1:], duties):], approving) > 0
	}
	if Starting(toks, [][]string{{"do", "not"}, {"don't"}, {"never"}}) > 0 {
		return true
	}
	if t.Kind != Word || !Verbs[t.Low] || len(toks) > 1 && (Auxiliaries[toks[1].Low] && !toks[1].Is("get", "gets") || does[toks[1].Low]) { // "a new contact is created"
		return false
	}
	if len(toks) > 3 && toks[1].Kind == Word && !objects[toks[1].Low] && Auxiliaries[toks[2].Low] && PassiveWord(toks[3]) { // "a pull request is opened"
		return false
	}
	if !NounVerbs[t.Low] || len(toks) == 1 {
		return !NounVerbs[t.Low] || t.Is("stop", "end")
	}
	next := toks[1]
	if Base(strings.ToLower(t.Text)) == t.Low { // it was one in the third person: "posts it and schedules calls"
		return true
	}
	switch t.Low {
	case "wait":
		return objects[next.Low] || next.Kind != Sign && next.Kind != Word || TermLength(toks[1:]) > 0
	case "start":
		return objects[next.Low] || next.Is("over", "again", "from")
	case "stop", "end":
		return objects[next.Low] || next.Kind != Word || Starting(toks[1:], Elses) > 0 || next.Is("and", "here")
	}
	return next.Kind != Word && next.Kind != Sign || objects[next.Low] || next.Is("order", "-", "message") || next.Low == "and" && len(toks) > 2 && (Verbs[toks[2].Low] || toks[2].Is("then"))
}

// duties stand before the verbs of people who are asked to approve.
var (
	duties    = Phrases("must should has_to have_to needs_to need_to can will")
	approving = Phrases("approve approves sign_off signs_off sign_it_off signs_it_off accepts reviews confirms agrees decides")
)

// Alternatives cuts tokens at commas, "and", and "or", outside parentheses.
func Alternatives(toks []Token, or bool) (out [][]Token) {
	start, depth := 0, 0
	for i := 0; i <= len(toks); i++ {
		if i < len(toks) {
			depth = max(0, depth+parenthesis[toks[i].Low])
		}
		if i < len(toks) && (depth > 0 || !toks[i].Is(",", "and", "&", "+") && (!or || !toks[i].Is("or", "/"))) {
			continue
		}
		if part := Trim(toks[start:i]); len(part) > 0 {
			out = append(out, part)
		}
		start = i + 1
	}
	return out
}

// parenthesis says how much deeper a token leads.
var parenthesis = map[string]int{"(": 1, ")": -1}

// Answers are the words for the answer to a question, and what they say of it.
var Answers = map[string]string{
	"approved": "approve", "approves": "approve", "approve": "approve", "accepted": "approve", "accepts": "approve", "accept": "approve", "agreed": "approve", "agrees": "approve",
	"confirmed": "approve", "confirms": "approve", "ok": "approve", "okay": "approve", "yes": "approve", "granted": "approve", "approval": "approve", "acceptance": "approve",
	"agree": "approve", "confirm": "approve", "signed": "approve", "signs": "approve",
	"rejected": "reject", "rejects": "reject", "reject": "reject", "rejection": "reject", "declined": "reject", "declines": "reject", "decline": "reject", "denied": "reject", "denies": "reject",
	"deny": "reject", "refused": "reject", "refuses": "reject", "refuse": "reject", "no": "reject", "disapproved": "reject", "disagree": "reject", "objects": "reject", "vetoes": "reject", "disagrees": "reject",
}

// CondEnd is how many tokens the condition at the beginning of toks has.
func CondEnd(toks []Token) int {
	subject := SubjectEnd(toks)
	for i, t := range toks {
		switch {
		case i < subject:
		case t.Low == "then" && (i == 0 || !toks[i-1].Is("by", "until")), t.Low == ":", t.Low == "->", t.Low == ";", t.Low == "." && !t.Glued:
			return i
		case t.Low == "," && endsCond(toks[i+1:]), i > 0 && PleaseWords[t.Low]:
			return i
		case i > 0 && elseHere(toks, i) && t.Low != "if", actsHere(toks, i):
			return i
		case i > 1 && (owned[t.Low] || pronouns[t.Low]) && !Guards[toks[i-1].Low] && !namesMore[toks[i-1].Low] && !quoting[toks[i-1].Low] && (toks[i-1].Kind == Number || Told(toks[:i])) && ActorOf(toks[i:]).N > 0: // "it is over 140 the doctor must see it"
			return i
		case t.Low == "and" && i > 1 && StartsStep(toks[i+1:]) && !(toks[i-1].Kind == Name && toks[i+1].Kind == Name):
			return i
		case i > 1 && t.Kind == Name && toks[i-1].Kind == Number: // "it is over 200 @kim approves it"
			return i
		case i > 0 && subjectOf(toks[:i]):
		case i > 0 && !guarding(toks[:i]) && !endsThing(toks, i) && !toks[i-1].Is(",", "or", "and") && StartsStep(toks[i:]) && !(pronouns[toks[i-1].Low] && (Starting(toks[i:], Denials) > 0 || toks[i-1].Low != "it")) && !(Answers[t.Low] != "" && toks[i-1].Kind == Name) && !(NounVerbs[t.Low] && t.Low != "stop" && i+1 < len(toks) && toks[i+1].Low == "and"):
			return i
		}
	}
	return len(toks)
}

// PleaseWords begin what is asked for.
var PleaseWords = Set(`please pls plz`)

// subjectOf reports whether words without a verb end with people, so that the next verb says what they do: "the interviewers say yes", "the
// candidate accept it".
func subjectOf(toks []Token) bool {
	last := toks[len(toks)-1].Low
	return (plural(last) || Determiners[toks[0].Low]) && Roles[last] && (len(toks) < 2 || !Told(toks[:len(toks)-1]))
}

// owned begin the name of somebody or something that does something.
var owned = Set(`the my our your his her their`)

// quoting are verbs behind which a condition goes on with what somebody says or wants.
var quoting = Set(`say says said think thinks confirm confirms agree agrees decide decides know knows want wants mean means report reports state states tell tells find finds`)

// Told reports whether words have a verb, so that they can be a whole condition.
func Told(toks []Token) bool {
	const far = 24 // words before the end that are looked at
	return slices.ContainsFunc(toks[max(1, len(toks)-far):], func(t Token) bool {
		return t.Kind == Word && (Auxiliaries[t.Low] || strings.HasSuffix(t.Low, "n't") || Third(t.Low) || looksThird(t.Low)) && !Roles[t.Low]
	}) || strings.HasSuffix(toks[0].Low, "'s")
}

// guarding reports whether no step begins behind words: "in tell" is none, but behind "a review comes in" there may be one.
func guarding(toks []Token) bool {
	n := len(toks)
	if strings.HasSuffix(toks[n-1].Low, "'s") && toks[n-1].Low != "it's" { // "the day's plan"
		return true
	}
	return Guards[toks[n-1].Low] && !(n > 1 && toks[n-1].Low == "in" && enters[toks[n-2].Low])
}

// endsThing reports whether a word that may be a verb ends the name of a thing: "request" in "somebody posts a purchase request in #buying".
func endsThing(toks []Token, i int) bool {
	if i+1 == len(toks) || !NounVerbs[toks[i].Low] || !Prepositions[toks[i+1].Low] {
		return false
	}
	for at := i - 1; at > 0 && at > i-MostRole && toks[at].Kind == Word && !Auxiliaries[toks[at].Low] && !Third(toks[at].Low); at-- {
		if Determiners[toks[at-1].Low] {
			return true
		}
	}
	return false
}

var enters = Set(`come comes came coming log logs logged check checks checked sign signs signed move moves moved`)

// actsHere reports whether somebody who is named at a place does something: "it rains @bob brings the umbrella". What stands before is over
// then.
func actsHere(toks []Token, i int) bool {
	return i > 1 && toks[i].Kind == Name && toks[i].Low[0] == '@' && !Guards[toks[i-1].Low] && !namesMore[toks[i-1].Low] && !Auxiliaries[toks[i-1].Low] && ActorOf(toks[i:]).N > 0
}

// namesMore stand between the names of people.
var namesMore = Set(`, and or nor & both either neither if when once unless`)

// Ends are words behind which what is said ends.
var Ends = Phrases(`, : ; then -> . -`)

// Third reports whether a word is a verb in the third person.
func Third(low string) bool { return does[low] || Base(low) != "" }

// Base gives the verb of a word in the third person: "notifies" is "notify"; "" = it is none.
func Base(low string) string {
	base, ok := strings.CutSuffix(low, "s")
	if !ok || abroad[low] {
		return ""
	}
	for _, verb := range []string{base, strings.TrimSuffix(base, "e"), strings.TrimSuffix(base, "ie") + "y"} {
		if Verbs[verb] {
			return verb
		}
	}
	return ""
}

// NthOf reads "15th" or "first"; 0 = it is none.
func NthOf(t Token) int {
	if n, ok := ordinals[t.Low]; ok {
		return n
	}
	digits := strings.TrimRight(t.Low, "stndrh")
	if n, err := strconv.Atoi(digits); err == nil && t.Kind == Number && n > 0 && n < 32 {
		return n
	}
	return 0
}

// Departments are nouns for those who work together, and Roles those for all people: what they do is a person's step.
var (
	Departments = Set(departments)
	Roles       = Set(departments + ` manager managers supervisor supervisors director directors coordinator coordinators officer officers clerk clerks assistant assistants secretary employee employees worker workers
		boss lead leader head chief ceo cfo cto coo vp president chair owner owners member members colleague colleagues person people someone somebody everyone everybody anyone rep reps
		representative representatives agent agents specialist specialists analyst analysts engineer engineers developer developers dev devs designer expert experts technician technicians
		mechanic mechanics operator operators administrator admin admins accountant accountants auditor auditors lawyer lawyers attorney reviewer reviewers approver approvers requester
		requestor applicant applicants candidate candidates customer customers client clients patient patients doctor doctors nurse nurses teacher teachers student students user users
		supplier suppliers vendor vendors buyer seller sender recipient author editor editors publisher intern mentor buddy guest adjuster adjusters handler handlers inspector inspectors
		planner planners cashier cashiers claimant claimants initiator superior superiors storekeeper bookkeeper salesperson recruiter recruiters interviewer interviewers judge judges
		controller controllers treasurer trainee dispatcher broker brokers underwriter underwriters lecturer dean registrar librarian pharmacist physician surgeon tenant tenants landlord
		referee tester testers caller callers instructor driver drivers courier cook chef waiter receptionist professor trainer consultant consultants contractor contractors dba sre i he
		she we they`)
)

const departments = `team teams department departments dept group committee board office unit squad staff crew personnel hr it qa finance legal accounting facilities security procurement purchasing
	marketing sales support logistics compliance payroll engineering operations ops storehouse warehouse reception helpdesk management headquarters bank insurer insurance hospital
	court secretariat company firm agency authority garage kitchen laboratory lab pharmacy hotel oncall on-call desk`

// endsCond reports whether a condition ends at the comma before toks: what follows is neither another value of a list nor another part.
func endsCond(toks []Token) bool {
	if VerbOnly(toks) && Has(toks, "or") { // "is incomplete, lacks a receipt, or is late"
		return false
	}
	if StartsStep(toks) || len(toks) == 0 || toks[0].Kind == Name && len(toks) > 1 && Third(toks[1].Low) && ActorOf(toks).N > 0 {
		return true
	}
	if Begins(toks, "and") || Begins(toks, "or") {
		return StartsStep(toks[1:])
	}
	const longest = 3 // words of a value in a list
	for i := 1; i <= longest && i < len(toks); i++ {
		if toks[i].Is(",", "or") {
			return toks[i].Low == "," && (StartsStep(toks[i+1:]) || Starting(toks[i+1:], Elses) > 0)
		}
		if StartsStep(toks[i:]) || Auxiliaries[toks[i].Low] {
			return true
		}
	}
	return true
}

// abroad are nouns that end as verbs of the third person do.
var abroad = Set(`thanks supplies sales news series status process business address access is was has this its`)

// ActorOf finds who does something at the beginning of a clause: "the storehouse ships the order", "my manager must check it", "IT closes
// the accounts", "accounting check the invoice", "one of the clerks files it".
func ActorOf(toks []Token) (a Actor) {
	if of, all, n := readQuorum(toks); n > 0 && n < len(toks) && of < 2 && !all {
		if a = actor(toks[n:]); a.Person && (toks[n].Kind != Name || a.N == 1) { // of several names, one step for each would be made
			a.N, a.Verb = a.N+n, a.Verb+n
			return a
		}
	}
	return actor(toks)
}

// actor is ActorOf for a name that does not say how many of those it names act.
func actor(toks []Token) (a Actor) {
	if len(toks) < 2 || toks[0].Kind != Word && toks[0].Kind != Name || Gerund(toks[0]) != "" {
		return a
	}
	low := toks[0].Low
	if toks[0].Text == "IT" { // the department
		low = "hr"
	}
	pronoun := Persons[low] || pronouns[low] && low != "it"
	determined := Determiners[low] && low != "it" && low != "this" && low != "each" && low != "every" && low != "all" || low == "any"
	if !pronoun && toks[0].Kind == Word && !determined && (Verbs[low] && low != "support" && low != "finance" || Starting(toks, Ifs) > 0 || Starting(toks, Leads) > 0 && low != "system" || RoleEnds[low] || Starting(toks, Denials) > 0 || nameless[low]) || toks[1].Low == "time" {
		return a
	}
	n := 1
	if !pronoun {
		n = nameEnd(toks)
	}
	last := toks[n-1]
	v := n
	modal := person(toks[:n]) && v+1 < len(toks) && toks[v].Low == "to" && toks[v+1].Kind == Word && (Verbs[toks[v+1].Low] || !RoleEnds[toks[v+1].Low] && !Determiners[toks[v+1].Low]) // "@tom to check the keys"
	for v < len(toks) && v-n < 5 && (modals[toks[v].Low] || adverbs[toks[v].Low] || strings.HasSuffix(toks[v].Low, "ly") || Begins(toks[v:], "has", "to") || Begins(toks[v:], "have", "to") || Begins(toks[v:], "needs", "to") || modal && toks[v].Low == "to") {
		modal = modal || modals[toks[v].Low] || toks[v].Is("has", "have", "needs")
		v++
		if toks[v-1].Is("has", "have", "needs") {
			v++
		}
	}
	if v >= len(toks) || n > 1 && pronouns[last.Low] || n > 1 && RoleEnds[last.Low] && last.Kind != Name {
		return a
	}
	a = Actor{N: n, Verb: v, Person: last.Kind == Name || pronoun || RoleOf(toks[:n]), System: systems[last.Low] && last.Text != "IT", Modal: modal}
	switch vl := toks[v].Low; {
	case toks[v].Kind != Word:
		return Actor{}
	case modal:
		if !Verbs[vl] && (!a.Person || Auxiliaries[vl] || objects[vl]) {
			return Actor{}
		}
	case Third(vl) && (determined || pronoun || a.Person || a.System):
	case a.Person && looksThird(vl) && (determined || last.Kind == Name || n == 1):
	case (a.Person || a.System) && toks[0].Text != "it" && Verbs[vl] && !Verbs[low] && (len(toks) == v+1 || objects[toks[v+1].Low] || toks[v+1].Kind != Word): // "accounting check the invoice"
	case (low == "i" || low == "we") && vl != "to" && !Guards[vl] && !Auxiliaries[vl] && !RoleEnds[vl] && !stating[vl] && v+1 < len(toks) && (Determiners[toks[v+1].Low] || toks[v+1].Is("it", "them")): // "I place the order"
	default:
		return Actor{}
	}
	return a
}

// stating are verbs of what somebody thinks or has, and does not do.
var stating = Set(`need want like love hate hope think know believe mean guess wish prefer own see feel expect assume understand had got`)

// nameEnd is how many tokens name who does something, at the beginning of toks.
func nameEnd(toks []Token) int {
	n, longest := 1, MostRole
	if toks[0].Kind == Name {
		n = namesEnd(toks)
	}
	for toks[0].Kind != Name && n < len(toks) && n <= longest && (toks[n].Kind == Word || NthOf(toks[n]) > 0) && !isVerb(toks, n) && !adverbs[toks[n].Low] && !strings.HasSuffix(toks[n].Low, "ly") && !modals[toks[n].Low] && !Auxiliaries[toks[n].Low] {
		if Roles[toks[n].Low] && n < MostRole { // "the supervisor of the employee who asks"
			longest = 2 * MostRole
		}
		n++
	}
	return n
}

// DayOf gives the number of a weekday, 0 = Sunday; -1 = it is none.
func DayOf(low string) int {
	low = strings.TrimSuffix(strings.TrimSuffix(low, "."), "s")
	return slices.IndexFunc(dayNames, func(d string) bool { return low == d || low == d[:3] || low == "thur" && d == "thursday" })
}

// does are verbs in the third person that are written in their own way.
var does = Set(`does goes has fails crashes breaks`)

var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "tenth": 10, "fifteenth": 15, "twentieth": 20}

var pronouns = Set(`i he she we they it`)
