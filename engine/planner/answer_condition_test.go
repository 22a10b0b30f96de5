package planner_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestConditionOfTheAnswerBefore offers the answer to the question before a decision whose condition is not understood.
func TestConditionOfTheAnswerBefore(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, option, want string }{
		{`ask @bob whether we need boxes. If we do, tell #shop "order them"`, "answer.yes", "Yes → 1a; no: the run ends"},
		{`ask @bob whether we need boxes. If we don't, tell #shop "no boxes"`, "answer.no", "Yes: the run ends; no → 1a"},
		{`ask @bob whether we need boxes. If we do, tell #shop "order them". Otherwise tell #shop "no boxes"`, "answer.yes", "Yes → 1a; no → 1b"},
	} {
		tr, _ := outline.Read(c.words, "U1")
		p := planner.Plan(tr, w)
		if len(p.Questions) != 1 || p.Questions[0].Default != c.option {
			t.Errorf("%q asks %+v", c.words, p.Questions)
			continue
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, c.option, "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		p = planner.Plan(next, w)
		if got := readback.Lines(p.Flow, w.Tools, p.NodeNumbers())[0].Text; !strings.Contains(got, c.want) || slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return q.ID != compared }) {
			t.Errorf("%q gives %q\n%+v", c.words, got, p.Questions)
		}
	}
	tr, _ := outline.Read(`ask @bob whether we need boxes. If the moon is full tell #shop "order them"`, "U1")
	if p := planner.Plan(tr, w); p.Questions[len(p.Questions)-1].Default != "person" {
		t.Errorf("another condition asks %+v", p.Questions)
	}
}

// TestButtonsOfACondition offers the answers of the question in front of a condition, how long people have, or what the person who starts a run can
// say, in place of asking somebody the same again.
func TestButtonsOfACondition(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	w.Kind = func(name string) string {
		return map[string]string{"@ana": "user", "@bob": "user", "#ops": "channel"}[name]
	}
	for words, want := range map[string]string{
		`ask @bob whether the laptop and phone are all back. if all is back tell #ops "a"`:        "The answer of step 1 is yes|The answer of step 1 is no|A person decides...",
		`ask @bob: refund, voucher or nothing? if he wants money, tell #ops "a"`:                  "The answer of step 1 is refund|The answer of step 1 is voucher|The answer of step 1 is nothing|A person decides...",
		`ask @bob whether the server is ok. if everything works tell #ops "a"`:                    "A person decides...|@bob decides|The answer of step 1 is yes|The answer of step 1 is no",
		`@bob checks the laptop. if yes, tell #ops "a"`:                                           "Step 1 asks @bob for a yes or a no|A person decides...",
		`ask @ana to approve. ask @bob: bus or train? if ana is happy tell #ops "a"`:              "A person decides...|@ana decides|A value...",
		`if the bill is paid tell #ops "a"`:                                                       "A person decides...|The person who starts it says whether the bill is paid",
		`if one of them gives over 5 tell #ops "a"`:                                               "A person decides...|The person who starts it says whether one of them gives over 5",
		`if the price is over 5 tell #ops "a"`:                                                    "A person decides...|The person who starts it gives “the price”",
		`@bob restarts the server. If he doesnt do it in time tell #ops "a"`:                      "A person decides...|@bob decides|Leave it out",
		`ask @bob to approve. tell #ops "a". if he didn't approve tell #ops "b"`:                  "The next step, as after a yes|",
		`ask @bob: refund or voucher? if bob chose refund, tell #ops "refund it"`:                 "",
		`ask @bob: refund, voucher or nothing? if bob wants voucher or refund, tell #ops "so be"`: "The answer of step 1 is refund|The answer of step 1 is voucher",
	} {
		p := readPlan(t, words, w)
		var got []string
		for _, q := range p.Questions {
			for _, o := range q.Options {
				if q.ID != compared {
					got = append(got, o.Label)
				}
			}
		}
		if all := strings.Join(got, "|"); !strings.HasPrefix(all, want) || want == "" && all != "" {
			t.Errorf("%q offers %q, not %q", words, all, want)
		}
		if asks(p, "whether “yes”") {
			t.Errorf("%q asks who decides a yes", words)
		}
	}
}

// TestTypedAnswerOfACondition takes how long people have as the answer to a condition that says that they are late.
func TestTypedAnswerOfACondition(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]string{
		`@bob restarts the server. If he doesnt do it in time tell @ana "late"`:               "@bob does this within 2 hours: Restarts the server. Done: the run ends; no answer in time → 1a",
		`ask @bob to approve the refund. If he is too slow tell @ana "late". tell #ops "a"`:   "Ask @bob within 2 hours (approve, reject): approve the refund? Approve → 2; no answer in time → 1a",
		`@bob packs. If that takes too long, tell @ana "help him". tell #ops "a"`:             "no answer in time → 1a",
		`ask @bob for the price. if he doesn't respond for ages tell @ana "late"`:             "Ask @bob within 2 hours",
		`@bob packs the box. if he hasn't done it before the deadline tell @ana "he is late"`: "@bob does this within 2 hours",
	} {
		p := readPlan(t, words, w)
		if !asks(p, "how long does @bob have") {
			t.Errorf("%q asks %+v", words, p.Questions)
			continue
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "", "2 hours", "U1")
		if err != nil {
			t.Errorf("%q: %v", words, err)
			continue
		}
		p = planner.Plan(next, w)
		if got := readback.Lines(p.Flow, w.Tools, p.NodeNumbers())[0].Text; !strings.Contains(got, want) || asks(p, "Who decides") {
			t.Errorf("%q gives %q", words, got)
		}
	}
}

// TestAnswerOfSeveral takes one of several answers as what a condition means.
func TestAnswerOfSeveral(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	p := readPlan(t, `ask @bob: refund, voucher or nothing? if he wants money, tell #fin "refund it". tell #ops "a"`, w)
	next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "answer.refund", "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	p = planner.Plan(next, w)
	if got := readback.Lines(p.Flow, w.Tools, p.NodeNumbers())[0].Text; !strings.Contains(got, "Refund → 2a; any other answer → 3") || asks(p, "I did not understand") {
		t.Errorf("the answer gives %q and %+v", got, p.Questions)
	}
}

// TestAFirstConditionMayStartTheFlow: what stands behind it is then always done.
func TestAFirstConditionMayStartTheFlow(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	offers := func(words string) (*planner.Proposal, bool) {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatalf("%q is not read", words)
		}
		p := planner.Plan(tr, w)
		return p, slices.ContainsFunc(p.Questions[0].Options, func(o planner.Option) bool { return o.ID == "starts" })
	}
	p, ok := offers(`If an oven breaks down tell @ana "look at it". tell #ops "done"`)
	if !ok {
		t.Fatalf("nobody can say that it starts the flow: %+v", p.Questions)
	}
	next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "starts", "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	if p = planner.Plan(next, w); len(p.Tree.Steps) != 2 || len(p.Tree.Triggers) != 1 || !p.Tree.Triggers[0].By || len(p.Questions) > 0 {
		t.Errorf("it gives %+v and asks %+v", p.Tree, p.Questions)
	}
	for _, words := range []string{
		`If an oven breaks down tell @ana "look at it", otherwise tell #ops "done"`,
		`tell #ops "hello". if an oven breaks down tell @ana "look at it"`,
		`every Friday, if an oven breaks down tell @ana "look at it"`,
	} {
		if p, ok := offers(words); ok {
			t.Errorf("%q offers to start the flow: %+v", words, p.Questions)
		}
	}
}
