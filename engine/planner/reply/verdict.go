package reply

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// saysOf is what people say of what they were shown, and the word for that answer.
type saysOf struct{ pattern, answer string }

const (
	shown   = " [with|about|of|to|for] [it|this|that|them|everything]"
	content = "ok|okay|fine|happy|cool|good|satisfied|pleased"
)

// verdicts are a yes and a no in other words, and elided those that leave out the verb of the question.
var (
	verdicts = []saysOf{
		{"[is|are] [all] " + content + shown, "approved"},
		{"likes|like|liked it|this|that|them", "approved"},
		{"gives|give|gave [it|us|me|you] [a|the|their|his|her|an] go-ahead|go_ahead|green_light|ok|okay|thumbs_up|blessing|nod" + shown, "approved"},
		{"has|have no objections|objection|concerns|complaints" + shown, "approved"},
		{"[is|are] not|isn't|aren't " + content + shown, "rejected"},
		{"does_not|doesn't|do_not|don't|didn't like it|this|that|them", "rejected"},
		{"has|have [any|some] objections|concerns|complaints" + shown, "rejected"},
		{"turns|turn|turned|sends|send|sent it|this|that|them down|back", "rejected"},
	}
	elided = []saysOf{{"do|does|did", "approved"}, {"doesn't|don't|didn't|does_not|do_not|did_not", "rejected"}}
)

// Verdict reads what those who are asked say of what they were shown: "if they are ok with it", "if she sends it back". n 0 = it says something else.
func Verdict(ask *tree.Step, toks []phrase.Token) (choice string, n int) {
	return said(ask, toks, verdicts)
}

// apart reports whether it is not clear which answer to a question of yes and no a condition means: it says what somebody thinks, and the question is
// about something else, or about a no. "Whether anything is missing. If she is ok with it ...".
func apart(ask *tree.Step, toks []phrase.Token) bool {
	const far = 6 // words of an opinion
	said := toks[:min(len(toks), far)]
	if end := phrase.Find(said, ","); end > 0 {
		said = said[:end]
	}
	text := phrase.Scan(ask.Text, 0, len(ask.Text))
	refuses := phrase.Denied(text) || slices.ContainsFunc(text, func(t phrase.Token) bool { return phrase.Answers[t.Low] == "reject" })
	return phrase.HasAny(said, opinions) && !phrase.HasAny(text, opinions) || refuses && !phrase.Has(said, "yes", "no")
}

// Opines reports whether words about a question of yes and no say what somebody thinks, and the question is about something else: "it's ok" behind
// "whether the server is down".
func Opines(s *tree.Step, words []english.Word) bool {
	opined := func(w english.Word) bool { return opinions[w.Low] }
	return s != nil && len(words) > 1 && slices.Equal(s.Choices, []string{"yes", "no"}) && slices.ContainsFunc(words, opined) && !slices.ContainsFunc(english.Scan(s.Text), opined)
}

var opinions = phrase.Set(strings.ReplaceAll(content, "|", " ") + " well likes like objections concerns")

// said reads an answer of people in one of several wordings.
func said(ask *tree.Step, toks []phrase.Token, all []saysOf) (choice string, n int) {
	lead := phrase.Starting(toks, phrase.Phrases("if when once as_soon_as"))
	size := phrase.Starting(toks[lead:], phrase.Phrases("he she they it he's she's they're it's everything"))
	if who, named := phrase.ReadWho(toks[lead:]); size == 0 && len(who) == 1 && (who[0].Certain || phrase.RoleOf(who[0].Toks)) && IsAsked(ask, who) {
		size = named
	}
	if lead == 0 || size == 0 {
		return "", 0
	}
	for _, v := range all {
		m, ok := phrase.Fit(v.pattern, toks[lead+size:])
		if n := lead + size; ok && phrase.CondEndsAt(toks, n+m.End) && (n+m.End == len(toks) || phrase.Answers[toks[n+m.End].Low] == "") { // "if he did not approve"
			return For(ask, v.answer), n + m.End
		}
	}
	return "", 0
}
