package phrase

import (
	"regexp"
)

// silences are the ways to say that no person has answered.
var silences = []string{
	"[within|after] {dur?} [,] if|when|in_case|should nobody|no_one|noone|none_of_them|neither|neither_of_them [has|have] answers|answer|answered|responds|respond|responded|replies|reply|replied|reacts|react|reacted|acks|ack|acknowledges|acknowledge|approves|approved|decides|decided|signs|signed|confirms|confirmed [off] [yet]",
	"[within|after] {dur?} [,] if|when|in_case {who} does_not|doesn't|do_not|don't|did_not|didn't|has_not|hasn't|have_not|haven't approve|approved|sign|signed|sign_off|signed_off|confirm|confirmed|do|done|pick|picked [it|this|that|off|up] within|in|by|after {dur}",
	"[within|after] {dur?} [,] if|when|in_case {who} did_not|didn't|has_not|hasn't|have_not|haven't [yet|done_so|done_it] within|in|by|after {dur}",
	"[within|after] {dur?} [,] if|when|in_case {who} does_not|doesn't|do_not|don't|did_not|didn't|has_not|hasn't|have_not|haven't|is_not|isn't answer|answered|respond|responded|reply|replied|react|reacted|ack|acknowledge|decide|decided|get_back|come_back|responding|answering [to_it|to_this|to_me|to_us|yet|it]",
	"[within|after] {dur?} [,] if|when|in_case there_is_no|there's_no|no answer|response|reply|reaction",
	"without [an|a|any] answer|response|reply",
	"on_timeout",
	"if_unanswered|if_not_answered",
}

// Silence reads "if nobody answers" and "within 10 minutes, if she doesn't answer". n is how many tokens it takes; who has not answered: none =
// nobody has.
func Silence(toks []Token) (term string, who []Who, n int) {
	for _, p := range silences {
		if m, ok := Fit(p, toks); ok && m.End > 0 {
			return m.Term, m.Names, m.End
		}
	}
	return "", nil, 0
}

// outcomes are the ways to say what a missing answer counts as.
var outcomes = []string{
	"[then] [it|this|that|they] [then|automatically] is|are|gets|will_be|counts_as|count_as|counts|means|is_considered|is_taken_as|is_treated_as|is_seen_as [automatically|as] [a|an|as] {answer} [automatically]",
	"[then] {answer} [it|this|that|them] [automatically]",
	"[then] auto-approve|auto_approve|automatically_approve|approve_automatically [it|this|that|them]",
	"[then] [we|it|the_flow|the_run|just] go_on|goes_on|continue|continues|carry_on|proceed|proceeds|move_on [anyway|without_it|without_them|with_the_next_step]",
}

// OutcomeOf reads what a missing answer counts as, at the beginning of toks: "it counts as a yes", "reject it". said is the word for the
// answer, "" where the run goes on without one.
func OutcomeOf(toks []Token) (said string, n int) {
	for i, p := range outcomes {
		m, ok := Fit(p, toks)
		if !ok {
			continue
		}
		switch word := m.Slots["answer"]; {
		case word != nil:
			said = word[0].Low
		case i < len(outcomes)-1:
			said = "approve"
		}
		rest := Trim(toks[m.End:])
		if len(rest) == 0 || Answers[said] != "reject" && (rest[0].Low == "then" || Begins(rest, "and", "then")) { // that comes after a yes, too
			return said, m.End
		}
	}
	return "", 0
}

// Anyway reports whether the clause at the beginning of toks says that something is done whatever has been answered: "pay it anyway".
func Anyway(toks []Token) bool {
	said := Trim(toks[:ClauseEnd(toks)])
	return len(said) > 1 && said[len(said)-1].Is("anyway", "regardless", "anyhow")
}

// repeated are words of a reminder that comes again and again.
var repeated = regexp.MustCompile(`(?i)\b(?:every|each|daily|hourly|weekly|keep|until|till|repeatedly)\b`)

// Once reports whether words about a reminder say a single one: "remind them after 4 hours", and not "every 4 hours".
func Once(words string) bool { return !repeated.MatchString(words) }

// Reminds are the words for asking somebody once more.
var Reminds = Set(`remind nudge chase ping`)

// OnlyReminds gives how many tokens of a clause say who is reminded, if the others only say when, so that it is about a question before it: "remind
// him every 2 days", "nudge them until they answer".
func OnlyReminds(toks []Token) (n int) {
	if !Reminds[toks[0].Low] {
		return 0
	}
	n = 1
	if names, size := ReadWho(toks[n:]); size > 0 && (names[0].Certain || RoleOf(toks[n:n+size]) || spans[toks[size].Low]) {
		for n += size; n > 1 && spans[toks[n-1].Low]; { // "the team daily"
			n--
		}
	}
	rest := toks[n+Starting(toks[n:], Phrases("again once")):]
	for i, t := range rest {
		switch {
		case t.Is("until", "till"): // "until he has paid"
			return n
		case i > 0 && i+1 == len(rest) && rest[i-1].Kind == Number: // "after 1 dya"
		case t.Kind != Number && units[t.Low] == "" && !spans[t.Low] && DayOf(t.Low) < 0:
			return 0
		}
	}
	return min(n, n*len(rest))
}

// spans are words of a time, besides its unit.
var spans = Set(`after in every each daily hourly weekly monthly a an the other second working business at on again once more later tomorrow morning evening noon month months and within by`)
