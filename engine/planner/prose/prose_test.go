package prose

import (
	"strings"
	"testing"

	"sluice/engine/growth"
	"sluice/engine/planner/tree"
)

// flagged gives the sentences of words that are not plain, when words are all of a description.
func flagged(words string) string {
	var out []string
	for _, s := range Sentences(&tree.Tree{Texts: []tree.Text{{Words: words}}}, 0) {
		out = append(out, s.Text)
	}
	return strings.Join(out, " | ")
}

// TestPlainSentences: commands, people with what they do, one condition in front, answers and time limits leave nothing to guess.
func TestPlainSentences(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"get the order, if the amount is over 100 ask @finance to approve, then refund it",
		"1. get the order\n2. ask @ana to approve within 2 days\n3. refund\n4. tell #ops it is done",
		"ask @ana or @bob to approve. If approved tell #team yes, if rejected tell #team \"no\"",
		"ask @ana whether the hall is free. If not, tell #team \"no match\"",
		"have @bob check the logs, then @raj restart the server",
		"ask @ana and @bob to approve. Both must agree. Wait 2 days. Tell #team \"go\"",
		"ask IT to plan the first week of <name>, remind them after 1 day",
		"in parallel: ask @ana to approve, ask @bob to approve",
		"tell #team that the office is closed, wait until 18:00, ask me to lock up",
		"wait <days> days, then tell #team \"go\"",
		"remind @ana and @bob to send it",
		"ask @ana to bring the keys and @bob to lock up",
		"@ana checks the text. Tell #team \"every monday, unless it rains, we meet\"",
	} {
		if got := flagged(words); got != "" {
			t.Errorf("%q: %s", words, got)
		}
	}
}

// TestSentencesThatAreNotPlain: whatever another sentence, a time or a person named elsewhere may change is compared.
func TestSentencesThatAreNotPlain(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"get the order. refund it unless the amount is over 100":                                              "refund it unless the amount is over 100",
		"tell #ops every 30 minutes that we are on it":                                                        "tell #ops every 30 minutes that we are on it",
		"@ana packs the parcel and @bob writes the label":                                                     "@ana packs the parcel and @bob writes the label",
		"@bob handles small claims and @carla handles large claims":                                           "@bob handles small claims and @carla handles large claims",
		"@ana opens the gate, at 2 @bob closes it":                                                            "@ana opens the gate, at 2 @bob closes it",
		"ask @ana to ack within 15 minutes or escalate to @bob":                                               "ask @ana to ack within 15 minutes or escalate to @bob",
		"if the state is green ask @bob to approve, then tell #ops \"go\"":                                    "if the state is green ask @bob to approve, then tell #ops \"go\"",
		"ask @ana if we go. Then tell #team \"go\"":                                                           "ask @ana if we go",
		"ask @bob to approve within 2 days. If not, tell @ana \"late\"":                                       "If not, tell @ana \"late\"",
		"get the numbers. if orders are under 100 ask @ana why. post it to #ops":                              "post it to #ops",
		"#team does the numbers of last week, monday morning 8am":                                             "#team does the numbers of last week, monday morning 8am",
		"1. get it 2. weigh it 3. refund the order 5. tell #ops \"paid\"":                                     "refund the order 5",
		"for each order in the list: refund the order":                                                        "for each order in the list: refund the order",
		"tell @bob the number, bob has 2h to call the customer":                                               "tell @bob the number, bob has 2h to call the customer",
		"tell #ops + ask @ana to approve":                                                                     "tell #ops + ask @ana to approve",
		"@bob washes it. When it is dry tell #ops \"ready\"":                                                  "When it is dry tell #ops \"ready\"",
		"@bob writes down the rest and I get told":                                                            "@bob writes down the rest and I get told",
		"- refund → refund the order\n- tell #ops \"done\"":                                                   "refund | refund the order",
		"let @bob pick red and blue":                                                                          "let @bob pick red and blue",
		"let @bob pick red or blue for @ana":                                                                  "let @bob pick red or blue for @ana",
		"check with @ana whether it is free and how many fit":                                                 "check with @ana whether it is free and how many fit",
		"ask @bob to approve the plan. tell #team. remind him after 2 days":                                   "remind him after 2 days",
		"remind @bob to send it, then @ana to check it":                                                       "remind @bob to send it, then @ana to check it",
		"ask @bob to check it. If the amount exceeds 50, @ana must approve. If she rejects, tell #ops \"no\"": "If she rejects, tell #ops \"no\"",
	} {
		if got := flagged(words); got != want {
			t.Errorf("%q: %q", words, got)
		}
	}
}

// TestJoining finds the words that join several steps, and none in quotation marks.
func TestJoining(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"refund the order once @ana approves it or not": "“once” “or”",
		"send \"if and only if\" to @bob":               "",
		"if it rains":                                   "",
	} {
		if got := strings.Join(Joining(words), " "); got != want {
			t.Errorf("%q: %s", words, got)
		}
	}
}

func TestSentencesGrowWithTheText(t *testing.T) {
	growth.Texts(t, 1<<13, func(text string) { flagged(text) })
	for _, part := range []string{"@a, ", "if @a, @b, ", "get it and ", "ask @a if ", "otherwise "} {
		growth.Linear(t, 1<<12, func(size int) func() {
			text := "ask " + strings.Repeat(part, size)
			return func() { flagged(text) }
		})
	}
}
