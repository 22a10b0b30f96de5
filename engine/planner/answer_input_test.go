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

// TestInputThatNothingUses changes or removes the step for which an answer or a <name> has added an input: the input goes with it.
func TestInputThatNothingUses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, option, reply, want string }{
		{`tell #team who is coming from which country`, "input", "", "who_is_coming_from_which"},
		{`tell #team who is coming from which country`, "input", `1. tell #team "hello"`, ""},
		{`tell #team "order <number>". tell #ops "a"`, "", "remove 1", ""},
		{`if the stay is over 3 ask @ana to approve. tell #ops "a"`, "input", "remove 1", ""},
		{`on "/ship <version>" in #team tell #ops "a"`, "channel.#team", "", "version"},
		{`inputs: colour. tell #ops "a <size>"`, "", `1. tell #ops "b"`, "colour"},
	} {
		p := readPlan(t, c.words, plannertest.World())
		if c.option != "" {
			next, err := planner.Answer(p.Tree, plannertest.World(), p.Questions[0].ID, c.option, "", "U1")
			if err != nil {
				t.Errorf("%q: %v in %+v", c.words, err, p.Questions)
				continue
			}
			p = planner.Plan(next, plannertest.World())
		}
		if c.reply != "" {
			p = planner.Plan(replied(t, p.Tree, c.reply), plannertest.World())
		}
		var got []string
		for _, in := range p.Tree.Inputs {
			got = append(got, in.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q, %q has the inputs %q, not %q", c.words, c.reply, got, c.want)
		}
	}
}

// TestInputThatIsThere takes an option or a <name> in a condition as the input of this name, also when its type was not known before.
func TestInputThatIsThere(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, option, reply, want string }{
		{`tell #team "order <delay> late". if the delay is over 3 tell #ops "x"`, "", "", "delay number"},
		{`tell #team "order <days> late". if the days are over 3 tell #ops "x"`, "", "", "days number"},
		{`tell #team "order <days> late". if <days> is over 3 tell #ops "x"`, "", "", "days number"},
		{`tell #team "a". if it is over 3 tell #ops "x"`, "", "2. if <days> is over 3 ask @ana to approve", "days number"},
		{`tell #team "<colour>". if <colour> is red tell #ops "x"`, "", "", "colour "},
		{`if <n> is under 3 tell #ops "<n>"`, "", "", "n number"},
	} {
		p := readPlan(t, c.words, w)
		if c.reply != "" {
			p = planner.Plan(replied(t, p.Tree, c.reply), w)
		}
		if c.option != "" {
			next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, c.option, "", "U1")
			if err != nil {
				t.Errorf("%q: %v in %+v", c.words, err, p.Questions)
				continue
			}
			p = planner.Plan(next, w)
		}
		var got []string
		for _, in := range p.Tree.Inputs {
			got = append(got, in.Name+" "+in.Type)
		}
		if strings.Join(got, ", ") != c.want || asks(p, "Who decides") {
			t.Errorf("%q, %q has the inputs %q, not %q, and asks %+v", c.words, c.reply, got, c.want, p.Questions)
		}
	}
	if p := readPlan(t, `inputs: date. if <date> is over 3 tell #team "x"`, w); !asks(p, "Who decides") {
		t.Errorf("a date is compared with a number: %+v", p.Questions)
	}
}
