package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
)

// TestInputOfWordsLeftOut leaves words out that name an input: the input goes with them, and one that is used or declared stays.
func TestInputOfWordsLeftOut(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]string{
		`tell #ops "a". and so on forever with <colour>`:                               "",
		`tell #ops "a <colour>". and so on forever with <colour>`:                      "colour",
		`inputs: colour. tell #ops "a". and so on forever with <size>`:                 "colour",
		`inputs: colour. tell #ops "a". and so on forever and a day with <colour> ink`: "colour",
	} {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatalf("%q is not read", words)
		}
		p := planner.Plan(tr, w)
		for len(p.Questions) > 0 {
			next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "leave", "", "U1")
			if err != nil {
				t.Fatalf("%q, %s: %v", words, p.Questions[0].Text, err)
			}
			p = planner.Plan(next, w)
		}
		var got []string
		for _, in := range p.Tree.Inputs {
			got = append(got, in.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has the inputs %q, not %q", words, got, want)
		}
	}
}

// TestWhatIsEnteredAtTheStart reads the fields in the words about the start: when somebody starts it they are the inputs, and they go with
// those words.
func TestWhatIsEnteredAtTheStart(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]string{
		"Falls: a nurse reports a fall with the ward, what happened and how severe it is (low or high). ask @bob to check it": "ward what_happened how_severe_it_is",
		"an author submits a paper with title and link. ask @bob to check it":                                                 "title link",
		"New server: somebody says which team, how many CPUs and why. ask @bob to check it":                                   "which_team how_many_cpus why",
		"when somebody fills in the form with name and email, ask @bob to check it":                                           "name email",
		"whenever a request is submitted with an amount, ask @bob to check it":                                                "amount",
		"when a customer reports a problem with the printer and the scanner, ask @bob to check it":                            "",
		"when somebody requests a meeting with the customer and the manager, ask @bob to check it":                            "",
		"a patient asks for an appointment (name, birthday). ask @bob to check it":                                            "name birthday",
		"a patient asks for an appointment (birthday). ask @bob to check it":                                                  "birthday",
		"when a guest comes in with a dog and a suitcase, ask @bob to check it":                                               "",
		"when a tenant files a complaint with the manager, ask @bob to check it":                                              "",
	} {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatalf("%q is not read", words)
		}
		for option, want := range map[string]string{"start": want, "leave": ""} {
			next, err := planner.Answer(planner.Plan(tr, w).Tree, w, "trigger.0", option, "", "U1")
			if err != nil {
				t.Fatalf("%q: %v", words, err)
			}
			var got []string
			for _, in := range planner.Plan(next, w).Flow.Inputs {
				got = append(got, in.Name)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q, answered %s, has the inputs %q, not %q", words, option, got, want)
			}
		}
	}
}
