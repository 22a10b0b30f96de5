package reply

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// Asked lists the steps of people with which a step can end, in order: itself, and those at the ends of its branches.
func Asked(s *tree.Step) (out []*tree.Step) {
	if s.Kind == tree.Ask || s.Doer == tree.DoerPerson {
		out = append(out, s)
	}
	for _, b := range s.Branches {
		if n := len(b.Steps); n > 0 && s.Kind != tree.Each && s.Kind != tree.Repeat {
			out = append(out, Asked(&b.Steps[n-1])...)
		}
	}
	return out
}

// Means lists what words may say of a step of people that nothing was said of before: an answer, that it is done, that they cannot do it, that
// they have done nothing in time. None: the words say something else, or have others besides.
func Means(s *tree.Step, words []english.Word) (out []string) {
	if Opines(s, words) {
		return nil
	}
	w := claimOf(s, words)
	done := tree.PersonChoices()
	switch {
	case w.other || !w.slow && !w.denied && !w.does && !w.answers && !w.fails && w.choice == "":
		return nil
	case w.slow:
	case w.denied && w.answers:
	case s.Kind == tree.Ask && w.denied:
		out = []string{For(s, opposite[cmp.Or(phrase.Answers[strings.ToLower(w.choice)], "approve")])}
	case s.Kind == tree.Ask:
		out = []string{w.choice}
	case w.fails != w.denied:
		out = done[1:]
	case !w.fails:
		out = done[:1]
	}
	if s.Deadline != nil && s.Deadline.After != "" && (w.slow || w.denied) {
		out = append([]string{"timeout"}, out...)
	}
	return slices.DeleteFunc(slices.Clone(out), func(c string) bool {
		return c == "" || slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == c })
	})
}

// Answer is what people answer or do in a step.
type Answer struct {
	Step   *tree.Step
	Choice string
}

// Label says it for a button.
func (a Answer) Label(number string) string {
	if a.Choice == "timeout" {
		return "No answer in step " + number + " in time"
	}
	return "The answer of step " + number + " is " + a.Choice
}

// Said lists what words may say of the steps of people with which a step ends; nil has none.
func Said(s *tree.Step, words []english.Word) (out []Answer) {
	if s == nil {
		return nil
	}
	for _, ask := range Asked(s) {
		for _, choice := range Means(ask, words) {
			out = append(out, Answer{ask, choice})
		}
	}
	return out
}

// SaidOf is Said of words that may name one of the steps by its number: "no answer in step 2".
func SaidOf(s *tree.Step, numbers map[string]string, words string) []Answer {
	m := stepNamed.FindStringSubmatch(words)
	if m == nil {
		return Said(s, english.Scan(words))
	}
	out := Said(s, english.Scan(strings.Replace(words, m[0], "", 1)))
	return slices.DeleteFunc(out, func(a Answer) bool { return !strings.EqualFold(numbers[a.Step.ID], m[1]) })
}

var stepNamed = regexp.MustCompile(`(?i)\b(?:(?:in|of|to|by|from) )?step (\w+)`)

// OfAnother reports whether words for an answer may be about a question behind another answer of the same question.
func OfAnother(ask *tree.Step, choice string, words []english.Word) bool {
	return slices.ContainsFunc(Asked(ask), func(s *tree.Step) bool {
		all := Means(s, words)
		return s != ask && len(all) > 0 && (!Literally(choice, words) || Literally(all[0], words))
	})
}

// overdue gives how many tokens deny that people have done in time what they do in a step: "if he has not finished it in time".
func overdue(ask *tree.Step, toks []phrase.Token) int {
	n := phrase.Starting(toks, phrase.AnswerLeads)
	if n == 0 || !IsAsked(ask, Answerer(toks)) {
		return 0
	}
	end := n + phrase.CondEnd(toks[n:])
	said := english.Scan(phrase.Lows(toks[n:end]))
	if all := Means(ask, said); len(all) == 0 || all[0] != "timeout" || ask.Kind == tree.Ask && len(all) > 1 {
		return 0
	}
	if claimed := claimOf(ask, said); !claimed.denied || claimed.vague {
		return 0
	}
	return end
}

// Unable reports whether words that deny what people do in a step also mean that they cannot do it: "if he doesn't".
func Unable(ask *tree.Step, toks []phrase.Token) bool {
	all := Means(ask, english.Scan(phrase.Lows(toks[phrase.Starting(toks, phrase.AnswerLeads):])))
	return ask.Kind == tree.Do && len(all) > 1 && all[0] == "timeout"
}

// Literally reports whether words have an answer as it stands, such as “approved” for approve.
func Literally(choice string, words []english.Word) bool {
	first, _, _ := strings.Cut(strings.ToLower(choice), " ")
	return slices.ContainsFunc(words, func(w english.Word) bool { return w.Stem == english.Stem(first) })
}

// claim is what words say of a step of people.
type claim struct {
	choice                                    string
	denied, slow, answers, does, fails, other bool
	vague                                     bool // it says that something is finished, and not who or what
}

func claimOf(s *tree.Step, words []english.Word) (c claim) {
	own, about, ends := english.Stems(english.Scan(s.Text)), false, false
	for i, w := range words {
		choice := ""
		none := w.Low == "no" && i+1 < len(words) && acting[words[i+1].Stem]
		if s.Kind == tree.Ask && !none {
			choice = For(s, w.Low)
		}
		verb := s.Kind == tree.Do && len(own) > 0 && (w.Stem == own[0] || len(own[0]) > 3 && strings.HasPrefix(w.Low, own[0])) // "deploy", "the deployment"
		switch {
		case choice != "":
			c.other = c.other || c.choice != "" && c.choice != choice
			c.choice = choice
		case unable[w.Low] || s.Kind == tree.Do && w.Stem == "fail":
			c.fails = true
		case english.Denials[w.Low] && !w.Is("stop", "skip", "without") || strings.HasSuffix(w.Low, "n't"):
			c.denied = true
		case late[w.Stem], w.Low == "then" && i > 0 && words[i-1].Is("by", "until", "till"):
			c.slow = true
		case acting[w.Stem]:
			c.answers = true
		case verb:
			c.does = true
		case s.Kind == tree.Do && finished[w.Stem]:
			ends = true
		case w.Kind == english.NameWord:
			c.other = c.other || len(s.Who) > 0 && !slices.ContainsFunc(s.Who, func(n tree.Name) bool { return strings.EqualFold(n.Words, w.Text) })
		case w.Kind != english.SignWord && !counted[w.Low] && !around[w.Stem] && (w.Content() || w.Matters()):
			about = true
			c.other = c.other || !slices.Contains(own, w.Stem)
		}
	}
	thing := slices.ContainsFunc(words, func(w english.Word) bool { return w.Is("it", "this", "that") })
	c.vague = ends && !c.does && thing && !c.slow
	c.other = c.other || ends && !c.does && about // “the form is complete”
	c.does = c.does || ends
	return c
}

var (
	unable   = phrase.Set(`can't cannot couldn't unable`)
	late     = english.StemSet("time late deadline")
	acting   = english.StemSet("answer reply respond response reaction react acknowledge")
	finished = english.StemSet("done finish finished complete completed ready over manage make")
	counted  = phrase.Set(`there's both all everyone everybody each they two three four of`)
	around   = english.StemSet("answer request decision choice step task work job")
)
