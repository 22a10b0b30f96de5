// Package reply finds out which answer of a question words mean: "if approved", "if she says no", "refund -> ...", "if nobody answers".
// It knows nothing of what follows an answer: that is read by engine/planner/outline.
package reply

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

var (
	former = phrase.Phrases(`in_the_former_case in_the_first_case in_which_case`)
	latter = phrase.Phrases(`in_the_latter_case in_the_second_case`)
)

// opposite are the answers of the other side.
var opposite = map[string]string{"approve": "reject", "reject": "approve"}

// OrSilence reads an answer of a question, or that there is none in time, with the time.
func OrSilence(ask *tree.Step, toks []phrase.Token) (choice, term string, n int) {
	term, who, n := phrase.SilenceOf(toks)
	if n == 0 {
		choice, n = Of(ask, toks)
		return choice, "", n
	}
	if !IsAsked(ask, who) { // "if the customer does not react" behind what @ana does
		return "", "", 0
	}
	for _, w := range []string{"within", "in", "after", "for", "by"} {
		if phrase.Begins(toks[n:], w) {
			t, size := phrase.ReadTerm(toks[n+1:])
			if term = t; size == 0 {
				return "", "", 0
			}
			n += 1 + size
		}
	}
	return "timeout", term, n
}

// IsAsked reports whether those who have not answered may be those whom a step asks: a name of another person is none of them.
func IsAsked(ask *tree.Step, who []phrase.Who) bool {
	return !slices.ContainsFunc(who, func(w phrase.Who) bool {
		words := phrase.Lows(w.Toks)
		return !phrase.Persons[words] && !english.Pronouns[words] && words != "i" && words != "we" && (w.Certain || phrase.RoleOf(w.Toks)) && !slices.ContainsFunc(ask.Who, func(n tree.Name) bool {
			return strings.EqualFold(n.Words, words) || strings.HasSuffix(strings.ToLower(n.Words), " "+phrase.RoleName(w.Toks)) || phrase.RoleName(w.Toks) == strings.TrimPrefix(strings.ToLower(n.Words), "@")
		})
	})
}

// Of reads words as an answer of a question.
func Of(ask *tree.Step, toks []phrase.Token) (choice string, n int) {
	if n = phrase.Starting(toks, former); n > 0 && len(ask.Choices) > 1 {
		return ask.Choices[0], n
	}
	if n = phrase.Starting(toks, latter); n > 0 && len(ask.Choices) > 1 {
		return ask.Choices[1], n
	}
	if yes, no := phrase.Starting(toks, phrase.Affirmed), phrase.Starting(toks, phrase.Refuted); slices.Equal(ask.Choices, []string{"yes", "no"}) && max(yes, no) > 0 && phrase.CondEndsAt(toks, max(yes, no)) {
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
	n += phrase.AnswererEnd(toks[n:])
	n += phrase.Starting(toks[n:], answering)
	if m, ok := phrase.Fit(phrase.Unable, toks[n:]); ok && ask.Doer == tree.DoerPerson {
		return tree.PersonChoices()[1], n + m.End
	}
	not := false
	for n < len(toks) && (phrase.Auxiliaries[toks[n].Low] || toks[n].Low == "not" || toks[n].Low == "doesn't" || toks[n].Low == "does" || toks[n].Low == "do" || toks[n].Low == "don't" || toks[n].Low == "finally") {
		not = not || toks[n].Low == "not" || strings.HasSuffix(toks[n].Low, "n't")
		n++
	}
	if n >= len(toks) {
		return "", 0
	}
	word := toks[n].Low
	if phrase.Begins(toks[n:], "turned", "down") {
		word, n = "rejected", n+1
	}
	if not {
		word = opposite[phrase.Answers[word]]
	}
	n++
	if choice = For(ask, word); choice == "" {
		return "", 0
	}
	for _, w := range strings.Fields(strings.ToLower(choice))[1:] { // "asked for a change"
		if phrase.Begins(toks[n:], w) {
			n++
		}
	}
	if phrase.Begins(toks[n:], "off") {
		n++
	}
	if n < len(toks) && phrase.Begins(toks[n:], "it") {
		n++
	} else if size := objectEnd(toks[n:]); size > 0 && phrase.Answers[word] != "" && (ask.Text == "" || english.Pronouns[strings.ToLower(ask.Text)] || phrase.Mentions(ask.Text, toks[n+size-1:n+size])) {
		n += size
	}
	if n < len(toks) && phrase.Starting(toks[n:], phrase.Ends) == 0 && !phrase.StartsStep(toks[n:]) && phrase.Starting(toks[n:], leadingAnswer) == 0 && phrase.Answers[word] == "" {
		return "", 0
	}
	return choice, n
}

// objectEnd is how many tokens name what is answered, up to a comma: "if she rejects the request, ..."; 0 = nothing is named so.
func objectEnd(toks []phrase.Token) int {
	for i, t := range toks {
		switch {
		case i == 0 && !known[t.Low], i > phrase.MostRole:
			return 0
		case t.Low == "," || t.Low == ":" || t.Low == "then":
			return i
		case t.Kind != phrase.Word || i > 0 && phrase.Auxiliaries[t.Low]:
			return 0
		}
	}
	return 0
}

// known begin the name of something that was named before.
var known = phrase.Set(`the this that his her their`)

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

var answering = phrase.Phrases("says say said answers answered chooses chose")

var leadingAnswer = phrase.Phrases(`then go stop end continue the it a we`)

// bareAnswer reads an answer without "if": "yes -> ...", "rejected: ...", "write off -> ...".
func bareAnswer(ask *tree.Step, toks []phrase.Token) (choice string, n int) {
	for _, c := range ask.Choices {
		if words := strings.Fields(strings.ToLower(c)); len(words) > 1 && len(words)+1 < len(toks) && phrase.Begins(toks, words...) && Arrows[toks[len(words)].Low] {
			return c, len(words) + 1
		}
	}
	if len(toks) > 2 && Arrows[toks[1].Low] {
		if choice = For(ask, toks[0].Low); choice != "" {
			return choice, 2
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
	n := len(ask.Branches)
	if n == 0 {
		return slices.DeleteFunc([]string{For(ask, "rejected")}, func(choice string) bool { return choice == "" })
	}
	said := func(choice string) bool {
		return slices.ContainsFunc(ask.Branches, func(b tree.Branch) bool { return b.Choice == choice })
	}
	if other := For(ask, opposite[phrase.Answers[strings.ToLower(ask.Branches[n-1].Choice)]]); other != "" && !said(other) {
		return []string{other}
	}
	left := slices.DeleteFunc(All(ask), said)
	if len(left) > 1 && ask.Deadline != nil {
		return nil
	}
	return left
}

// All are the answers that people can give to a question, and no answer in time when it has a deadline.
func All(ask *tree.Step) []string {
	out := slices.Clone(ask.Choices)
	if len(out) == 0 {
		out = []string{For(ask, "approved"), For(ask, "rejected")}
	}
	if ask.Deadline != nil {
		out = append(out, "timeout")
	}
	return slices.DeleteFunc(out, func(choice string) bool { return choice == "" })
}

// Agreeing sets how many have to agree where words about an answer say that: "as soon as one of them says yes". It reports whether they can be
// true of the question.
func Agreeing(ask *tree.Step, choice string, toks []phrase.Token) bool {
	if strings.Contains(phrase.Lows(toks), " of them ") && len(ask.Who) < 2 { // of those who are asked in several steps
		return false
	}
	n := counted(toks)
	if n == 0 || ask.Quorum <= 1 {
		return true
	}
	if choice != All(ask)[0] {
		return ask.Quorum >= len(ask.Who)
	}
	if len(ask.Branches) > 0 {
		return false
	}
	ask.Quorum = n
	return true
}

// counted is how many of those who are asked have given an answer, where the words say so; 0 = they do not.
func counted(toks []phrase.Token) int {
	toks = toks[phrase.Starting(toks, phrase.AnswerLeads):]
	toks = toks[phrase.Starting(toks, phrase.Phrases("at_least the")):]
	if anybody[toks[0].Low] {
		return 1
	}
	return int(english.Numerals[toks[0].Low])
}

var anybody = phrase.Set(`one 1 first either any anyone anybody someone somebody`)

// YesNo gives a question with a free answer the choices yes and no, when the words behind it are such an answer.
func YesNo(ask *tree.Step, toks []phrase.Token) {
	first, _, _ := strings.Cut(strings.ToLower(ask.Text), " ")
	at := phrase.Starting(toks, phrase.Phrases("if when"))
	if names, n := phrase.ReadWho(toks[at:]); at > 0 && len(names) == 1 && n < len(toks)-at-1 && saying[toks[at+n].Low] { // "if he says no"
		at += n + 1
	}
	if at > 0 {
		at += phrase.Starting(toks[at:], phrase.Phrases("the_answer_is the_answer_was"))
	}
	if _, late := phrase.Silence(toks); late > 0 || at == 0 && (len(toks) < 2 || toks[1].Kind != phrase.Sign) { // "no waiting"
		return
	}
	if ask.Free && at < len(toks) && (toks[at].Low == "yes" || toks[at].Low == "no") && !strings.HasPrefix(first, "wh") && first != "how" {
		ask.Free, ask.Choices = false, []string{"yes", "no"}
	}
}

// saying are verbs of people who answer.
var saying = phrase.Set(`says say said answers answer answered replies reply replied`)

// Undecided gives a question for yes or no a third answer when the words behind it are one: "if unsure ...".
func Undecided(ask *tree.Step, toks []phrase.Token) {
	if len(toks) > 1 && toks[0].Low == "if" && Unsure[toks[1].Low] && len(ask.Choices) > 1 && ask.Choices[0] == "yes" && !slices.Contains(ask.Choices, toks[1].Low) {
		ask.Choices = append(slices.Clip(ask.Choices), toks[1].Low)
	}
}

// Unsure are words of somebody who has not decided.
var Unsure = phrase.Set(`unsure unclear maybe undecided`)
