// Package reply finds out which answer of a question words mean: "if approved", "if she says no", "refund -> ...", "if nobody answers".
// It knows nothing of what follows an answer: that is read by engine/planner/outline.
package reply

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// opposite are the answers of the other side.
var opposite = map[string]string{"approve": "reject", "reject": "approve"}

// OrSilence reads an answer of a question, or that there is none in time, with the time.
func OrSilence(ask *tree.Step, toks []phrase.Token) (choice, term string, n int) {
	term, who, n := phrase.Silence(toks)
	if n == 0 {
		if n = overdue(ask, toks); n > 0 {
			return "timeout", "", n
		}
		choice, n = Of(ask, toks)
		return choice, "", n
	}
	if !IsAsked(ask, who) { // "if the customer does not react" behind what @ana does
		return "", "", 0
	}
	if size := phrase.Starting(toks[n:], phrase.Phrases("in_time by_then until_then till_then")); size > 0 {
		n += size
	} else if size := phrase.Starting(toks[n:], phrase.Phrases("within in after for by")); size > 0 {
		t, length := phrase.ReadTerm(toks[n+size:])
		if length == 0 {
			return "", "", 0
		}
		term, n = t, n+size+length
	}
	return "timeout", term, n
}

// IsAsked reports whether those who have not answered may be those whom a step asks: a name of another person is none of them.
func IsAsked(ask *tree.Step, who []phrase.Who) bool {
	return !slices.ContainsFunc(who, func(w phrase.Who) bool {
		words, role := phrase.Lows(w.Toks), phrase.RoleName(w.Toks)
		if phrase.Persons[words] || english.Pronouns[words] && words != "i" || !w.Certain && !phrase.RoleOf(w.Toks) {
			return false
		}
		return !slices.ContainsFunc(ask.Who, func(n tree.Name) bool {
			name := strings.ToLower(n.Words)
			return name == words || words == "i" && name == "me" || strings.TrimPrefix(name, "@") == role || strings.HasSuffix(name, " "+role)
		})
	})
}

// Of reads words as an answer of a question.
func Of(ask *tree.Step, toks []phrase.Token) (choice string, n int) {
	whether := slices.Equal(ask.Choices, []string{"yes", "no"})
	if whether && phrase.Starting(toks, phrase.AnswerLeads) > 0 && apart(ask, toks) {
		return "", 0
	}
	if yes, no := phrase.Starting(toks, phrase.Affirmed), phrase.Starting(toks, phrase.Refuted); whether && max(yes, no) > 0 && phrase.CondEndsAt(toks, max(yes, no)) {
		if no > yes {
			return "no", no
		}
		return "yes", yes
	}
	if n = phrase.Starting(toks, phrase.AnswerLeads); n == 0 {
		return bareAnswer(ask, toks)
	}
	if n < len(toks) && partly[toks[n].Low] { // how many of them?
		return "", 0
	}
	if choice, size := Verdict(ask, toks); choice != "" {
		return choice, size
	}
	if choice, size := said(ask, toks, elided); choice != "" && ask.ID != "" && ask.Approves() && ask.Deadline == nil { // with one "if she doesn't" may be about that
		return choice, size
	}
	n += phrase.AnswererEnd(toks[n:])
	n += phrase.Starting(toks[n:], answering)
	if m, ok := phrase.Fit(phrase.Unable, toks[n:]); ok && ask.Doer == tree.DoerPerson {
		return cannotDo(ask, toks, n+m.End)
	}
	return named(ask, toks, n)
}

// cannotDo reads that somebody cannot do a step, which the first n tokens say: "if she can't reach them, ...".
func cannotDo(ask *tree.Step, toks []phrase.Token, n int) (choice string, end int) {
	if !phrase.CondEndsAt(toks, n) {
		if verb := toks[n]; !manages[verb.Low] && !phrase.MentionsWords(ask.Text, verb.Low) { // "if he can't find any mistakes"
			return "", 0
		}
		n += phrase.CondEnd(toks[n:])
	}
	return tree.PersonChoices()[1], n
}

// named reads an answer by its word, behind n tokens that lead to it: "is not approved", "signs it off".
func named(ask *tree.Step, toks []phrase.Token, n int) (choice string, end int) {
	not := false
	for n < len(toks) && (phrase.Auxiliaries[toks[n].Low] || between[toks[n].Low]) {
		not = not || toks[n].Low == "not" || strings.HasSuffix(toks[n].Low, "n't")
		n++
	}
	if n >= len(toks) {
		return "", 0
	}
	word, own := toks[n].Low, ""
	if not {
		own, word = For(ask, "not "+word), opposite[phrase.Answers[word]]
	}
	n++
	if choice = cmp.Or(own, For(ask, word)); choice == "" {
		return "", 0
	}
	if own != "" {
		return own, n
	}
	for _, w := range append(strings.Fields(strings.ToLower(choice))[1:], "off", "it") { // "asked for a change", "signs it off"
		if phrase.Begins(toks[n:], w) {
			n++
		}
	}
	comma := phrase.Find(toks[n:min(n+phrase.MostRole, len(toks))], ",")
	if comma > 1 && phrase.Answers[word] != "" && phrase.Determiners[toks[n].Low] && phrase.Mentions(ask.Text, toks[n+comma-1:n+comma]) { // "if she rejects the plan, ..."
		n += comma
	}
	if phrase.Answers[word] == "" && !phrase.CondEndsAt(toks, n) {
		return "", 0
	}
	return choice, n
}

// manages are verbs of getting on with what somebody does, whatever it is.
var manages = phrase.Set(`reach get manage access open start finish complete fix solve resolve continue help`)

// between are words, besides auxiliaries, that stand before the answer: "does not approve".
var between = phrase.Set(`not doesn't does do don't finally`)

// Answerer gives who has answered, where the words name them: "if the manager approves ...".
func Answerer(toks []phrase.Token) []phrase.Who {
	n := phrase.Starting(toks, phrase.AnswerLeads)
	size := phrase.AnswererEnd(toks[n:])
	who, _ := phrase.ReadWho(toks[n : n+size])
	return slices.DeleteFunc(who, func(w phrase.Who) bool {
		return !w.Certain && !phrase.RoleOf(w.Toks) || english.Pronouns[phrase.Lows(w.Toks)]
	})
}

// partly are words for some of those who are asked.
var partly = phrase.Set(`only most half some few`)

var answering = phrase.Phrases("says say said answers answered chooses choose chose picks pick picked selects select selected decides_on decided_on wants wanted")

// bareAnswer reads an answer without "if": "yes -> ...", "rejected: ...", "write off -> ...".
func bareAnswer(ask *tree.Step, toks []phrase.Token) (choice string, n int) {
	const longest = 10 // words of an answer
	at := slices.IndexFunc(toks[:min(longest, len(toks))], func(t phrase.Token) bool { return Arrows[t.Low] })
	if at > 0 && at+1 < len(toks) {
		said := phrase.Lows(toks[:at])
		if choice = For(ask, map[bool]string{true: "no", false: said}[said == "not"]); choice != "" {
			return choice, at + 1
		}
	}
	return "", 0
}

// Arrows lead from an answer to what follows it.
var Arrows = phrase.Set(`-> → => : =`)

// For finds the choice of a question that a word names.
func For(ask *tree.Step, word string) string {
	if len(ask.Fields) > 0 || ask.Free {
		return ""
	}
	choices := ask.Choices
	if len(choices) == 0 {
		choices = []string{"approve", "reject"}
		if ask.Kind == tree.Do {
			choices = nil
		}
	}
	meaning := phrase.Answers[word]
	for _, c := range choices {
		low := strings.ToLower(c)
		first, _, _ := strings.Cut(low, " ")
		if low == word || english.Stem(first) == english.Stem(word) || meaning != "" && (phrase.Answers[first] == meaning || phrase.Answers[first+"d"] == meaning) {
			return c
		}
	}
	return ""
}

// Left are the answers that "otherwise" means behind a question: the other one, or all that are left. None: no answer in time may be meant, too.
func Left(ask *tree.Step) []string {
	if len(ask.Branches) == 0 {
		return slices.DeleteFunc([]string{For(ask, "rejected")}, func(choice string) bool { return choice == "" })
	}
	left := slices.DeleteFunc(All(ask), func(choice string) bool {
		return slices.ContainsFunc(ask.Branches, func(b tree.Branch) bool { return b.Choice == choice })
	})
	last := ask.Branches[len(ask.Branches)-1].Choice
	if other := For(ask, opposite[phrase.Answers[strings.ToLower(last)]]); slices.Contains(left, other) {
		return []string{other}
	}
	if len(left) > 1 && ask.Deadline != nil {
		return nil
	}
	return left
}

// Choices are the answers that people can give to a question.
func Choices(ask *tree.Step) []string {
	out := slices.Clone(ask.Choices)
	switch {
	case ask.Kind == tree.Do:
		out = tree.PersonChoices()
	case len(out) == 0:
		out = []string{For(ask, "approved"), For(ask, "rejected")}
	}
	return slices.DeleteFunc(out, func(choice string) bool { return choice == "" })
}

// All are those, and no answer in time when the question has a deadline.
func All(ask *tree.Step) []string {
	out := Choices(ask)
	if ask.Deadline != nil {
		out = append(out, "timeout")
	}
	return out
}

// Agreeing sets how many have to agree where words about an answer say that: "as soon as one of them says yes". It reports whether they can be
// true of the question.
func Agreeing(ask *tree.Step, choice string, toks []phrase.Token) bool {
	if strings.Contains(phrase.Lows(toks), " of them ") && len(ask.Who) < 2 || namesSome(ask, toks) { // of those who are asked in several steps
		return false
	}
	toks = toks[phrase.Starting(toks, phrase.AnswerLeads):]
	if choice != "timeout" && len(toks) > 0 && Untrue(ask, toks[0].Low) {
		return false
	}
	toks = toks[phrase.Starting(toks, phrase.Phrases("at_least the")):]
	n := 0
	if len(toks) > 0 && anybody[toks[0].Low] {
		n = 1
	} else if len(toks) > 0 {
		n = int(english.Numerals[toks[0].Low])
	}
	switch {
	case n == 0 || ask.Quorum <= 1:
		return true
	case choice != All(ask)[0]:
		return ask.Quorum >= len(ask.Who)
	}
	ask.Quorum = n
	return true
}

// namesSome reports whether words about an answer name some of several people who are asked, and not all.
func namesSome(ask *tree.Step, toks []phrase.Token) bool {
	named := slices.DeleteFunc(Answerer(toks), func(w phrase.Who) bool { return !w.Certain })
	return len(named) > 0 && len(named) < len(ask.Who)
}

// Untrue reports whether a word in front of an answer says that more people give it than the question asks for, or that nobody does.
func Untrue(ask *tree.Step, low string) bool {
	return len(ask.Who) > 1 && (none[low] || together[low] && ask.Quorum < len(ask.Who))
}

// together are words for all of those who are asked, and none for nobody of them.
var (
	together = phrase.Set(`both all everybody everyone`)
	none     = phrase.Set(`neither none nobody`)
)

var anybody = phrase.Set(`one 1 first either any anyone anybody someone somebody`)

// YesNo gives a question with a free answer the choices yes and no, when the words behind it are such an answer: "if he says no ...", "yes -> ...".
func YesNo(ask *tree.Step, toks []phrase.Token) {
	first, _, _ := strings.Cut(strings.ToLower(ask.Text), " ")
	if !ask.Free || strings.HasPrefix(first, "wh") || first == "how" {
		return
	}
	at := phrase.Starting(toks, phrase.Phrases("if when"))
	if names, n := phrase.ReadWho(toks[at:]); at > 0 && len(names) == 1 && at+n < len(toks) && saying[toks[at+n].Low] {
		at += n + 1
	}
	at += phrase.Starting(toks[at:], phrase.Phrases("the_answer_is the_answer_was"))
	if at+1 < len(toks) && toks[at].Is("yes", "no") && (at > 0 || toks[1].Kind == phrase.Sign) {
		ask.Free, ask.Choices = false, []string{"yes", "no"}
	}
}

// saying are verbs of people who answer.
var saying = phrase.Set(`says say said answers answer answered replies reply replied`)
