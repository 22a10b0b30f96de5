package change

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

const (
	triage  = "ask @carla to choose critical or high\n- critical: ask @bob to patch it today\n- high: tell @carla \"later\""
	twoAsks = "ask @ana to approve, then ask @bob to approve, then tell #ops \"done\""
	filing  = "ask @bob to approve the budget. if rejected tell @ana \"no\", then ask @carla to file it"
	granted = "ask @bob to approve. if he says yes, ask @carla to grant access"
)

// TestOutcome puts steps behind the answer that a condition at their end names, and nothing behind a run that has ended.
func TestOutcome(t *testing.T) {
	t.Parallel()
	const cannot = "cannot"
	for _, c := range []struct {
		draft, words, has, hasNot string
		confirms                  int
	}{
		{granted, "also tell #support if it's rejected", "on reject tell #support", "decide", 0},
		{granted, "tell #support if bob says no", "on reject tell #support", "decide", 0},
		{granted, "add: tell #support if he declines", "on reject tell #support", "decide", 0},
		{granted, "also tell #support \"ask me if unsure\"", "tell #support ask me if unsure", "", 0},
		{granted, "also ask @ana if it is ok", "2 ask @ana", "", 0},
		{granted, "add after 1: tell #support if it's rejected", cannot, "", 0},
		{granted, "tell #support if it's rejected before 1", cannot, "", 0},
		{triage, "also tell #ops \"x\" if it's critical", "1b tell #ops x; 1c tell", "decide", 0},
		{triage, "tell #ops \"x\" when the answer is high", "tell @carla later; 1c tell #ops x", "decide", 1},
		{triage, "also tell #ops if it's medium", "2 decide [it's medium]", "", 0},
		{twoAsks, "also tell #x if it's rejected", cannot, "", 0},
		{twoAsks, "tell #x if ana says no", "ask @ana on reject tell #x", "decide", 0},
		{twoAsks, "if bob says no tell #x", "ask @bob on reject tell #x", "decide", 0},
		{twoAsks, "in step 1 tell #x if it's rejected", "ask @ana on reject tell #x", "decide", 0},
		{twoAsks, "tell #x if it's rejected in step 2", "ask @bob on reject tell #x", "decide", 0},
		{filing, "carla only files it when approved", "on approve do", "2 do", 0},
		{filing, "if approved, ask carla to file it", "on approve do", "2 do", 1},
		{filing, "don't file it before bob approves", "on approve do", "2 do", 0},
		{filing, "if approved, ask carla to file it again", "1c do @carla file it again", "", 0},
		{filing, "add: ask carla to file it", "2 do @carla file it", "", 1},
		{"ask @bob to approve, then deploy it", "if nobody answers, deploy it", "on timeout do", "", 1},
		{filing, "only tell ana when rejected", cannot, "", 0},
		{filing, "only file it if it's medium", cannot, "", 0},
		{"ask @bob to approve, deploy it, then tell #ops \"done\"", "only tell #ops when approved", cannot, "", 0},
		{"ask @bob to approve, deploy it, then tell #ops \"done\"", "only tell #ops when rejected", "on reject tell #ops; 1a tell #ops done; 2 do", "3 tell", 1},
		{"ask @bob to approve, deploy it, then tell #ops \"done\"", "deploy it when approved", "on approve do", "", 1},
	} {
		base, ok := outline.Read(c.draft, "U1", "ana", "bob", "carla")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		next, said, err := Apply(base, c.words, "U1", "ana", "bob", "carla")
		var why *Error
		if c.has == cannot {
			if !errors.As(err, &why) {
				t.Errorf("%q: %v, %s", c.words, err, said)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.words, err)
			continue
		}
		if got := sketch(next); !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) || len(next.Objections) != c.confirms {
			t.Errorf("%q gives %s (%s, %v)", c.words, got, said, next.Objections)
		}
	}
}

// TestTwice asks about a new step beside one that does the same, and not where the reply says both, nor where no run does both.
func TestTwice(t *testing.T) {
	t.Parallel()
	const under = "get the order. If the amount is under 50 pay it out"
	for _, c := range []struct {
		draft, words string
		confirms     int
	}{
		{under, "2. if the amount is under 50 pay it out, otherwise ask @bob to approve and then pay it out", 0},
		{under, "otherwise ask @bob to approve and then pay it out", 0},
		{under + ", otherwise ask @bob to approve it", "if approved, pay it out", 0},
		{"get the order and pay it out, then ask @bob to approve", "if approved, pay it out", 1},
		{under, "add: pay it out", 1},
		{"ask 2 of @ana, @bob and @fin to approve the event. tell #ops \"on\"", "add after 1: ask @ana to choose rollback or retry", 0},
		{"ask 2 of @ana, @bob and @fin to approve the event. tell #ops \"on\"", "add: ask @bob to approve the event", 0},
		{"ask @bob to approve the event. tell #ops \"on\"", "add: ask @bob to approve the event", 1},
		{"ask @ana to approve. if she says no tell #ops \"over\". pay it out", "add: tell #ops \"over\"", 0},
		{"ask @ana to approve. if she says yes tell #ops \"over\". pay it out", "add: tell #ops \"over\"", 1},
		{"ask @ana to pick red or blue. if red tell #ops \"over\". pay it out", "in step 1, if blue tell #ops \"over\"", 0},
		{"ask @ana to pick red or blue. if red tell #ops \"over\". pay it out", "add: tell #ops \"over\"", 1},
		{"ask @ana to pick red or blue. if red tell #ops \"over\" and stop. pay it out", "add: tell #ops \"over\"", 0},
		{"pay it out. if it fails tell #ops \"over\". tell #support \"x\"", "add: tell #ops \"over\"", 0},
	} {
		base, _ := outline.Read(c.draft, "U1")
		next, _, err := Apply(base, c.words, "U1")
		if err != nil {
			t.Fatal(err)
		}
		if len(next.Objections) != c.confirms {
			t.Errorf("%q, %q: asks %+v", c.draft, c.words, next.Objections)
		}
	}
}

// TestAnswerOfAStep reads the number of a question in a condition, and goes on behind an answer with the step that comes next.
func TestAnswerOfAStep(t *testing.T) {
	t.Parallel()
	const draft = "1. ask @ana to approve within 1 day\n2. if the amount is over 5 ask @fin to approve within 1 day\n3. wait 1 hour\n4. tell #ops \"done\""
	base, _ := outline.Read(draft, "U1")
	for words, want := range map[string]string{
		"if 2a is rejected tell #finance the invoice is disputed and stop": "2a ask @fin after 1d on reject tell #finance; 2a1 tell #finance the invoice is disputed; 2a2 stop; 3",
		"if step 2a is approved tell #finance \"yes\"":                     "2a ask @fin after 1d on approve tell #finance",
		"when 2a is answered no tell #finance \"no\"":                      "2a ask @fin after 1d on reject tell #finance",
		"if 2 is rejected tell #finance \"no\"":                            "2a ask @fin after 1d on reject tell #finance",
		"tell #finance \"no\" if step 1 is rejected":                       "1 ask @ana after 1d on reject tell #finance",
		"step 1: when it is rejected stop":                                 "on reject stop; 1a stop",
		"if 3 is rejected tell #finance \"no\"":                            "Nobody answers in step 3.",
		"if step 9 is rejected tell #finance \"no\"":                       "There is no step 9.",
		"in step 1, if 2a is rejected tell #finance":                       "Say one of them.",
		"step 2: if no go on with step 3":                                  "After the answer “reject” in step 2a the flow goes on with step 3.",
		"in step 2a, if no, continue with 3":                               "After the answer “reject” in step 2a the flow goes on with step 3.",
		"if 1 is rejected go on with the next step":                        "After the answer “reject” in step 1 the flow goes on with step 2.",
		"in step 1, if rejected, go on anyway":                             "After the answer “reject” in step 1 the flow goes on with step 2.",
		"in step 1, if no, continue with 4":                                "1b wait for 1h; 4 tell #ops doneAfter the answer “reject” in step 1 the flow goes on with step 4. The steps between them are done only after",
		"in step 2a, if no, continue with 1":                               "the run goes back to step 1",
		"in step 1, if no, continue with 2a":                               "and not with step 2a",
		"if nobody answers step 2a within 4 hours, tell #ops \"late\"":     "2a ask @fin after 4h on timeout tell #ops",
		"if nobody answers in step 2a within 4 hours, ask @cfo to approve": "In step 2a: “if nobody answers within 4 hours, ask @cfo to approve”.",
		"if @fin doesn't answer step 2 in 4 hours tell #ops \"late\"":      "2a ask @fin after 4h on timeout tell #ops",
		"if there is no answer to question 1 after 1 day, stop":            "1 ask @ana after 1d on timeout stop",
		"tell #ops \"late\" if nobody approves step 1 within 4 hours":      "1 ask @ana after 4h on timeout tell #ops",
		"if @ana rejects step 2a tell #ops \"no\"":                         "these words change nothing",
		"if nobody answers within 4 hours go back to step 1":               "This can be said of the steps 1, 2a",
		"if it is rejected go on":                                          "This can be said of the steps 1, 2a",
	} {
		next, said, err := Apply(base, words, "U1")
		got := ""
		if err == nil {
			got = sketchAnswers(next) + strings.Join(said, " ")
		} else {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s", words, got)
		}
	}
}

// sketchAnswers is sketch of a tree with answers behind which nothing is done.
func sketchAnswers(t *tree.Tree) string {
	t = t.Clone()
	for s := range t.Walk {
		s.Branches = slices.DeleteFunc(s.Branches, func(b tree.Branch) bool { return b.Choice != "" && len(b.Steps) == 0 })
	}
	return sketch(t)
}

// TestGiven adds what a run is given by the person who starts it.
func TestGiven(t *testing.T) {
	t.Parallel()
	base, _ := outline.Read("ask @ana to approve. tell #ops \"x\"", "U1")
	for words, want := range map[string]string{
		"inputs: employee": "employee", "input: the start date and <employee>": "start_date employee",
		"whoever starts it must give the name of the employee": "name_of_the_employee", "the person who starts it gives <employee>": "employee",
		"somebody starts the flow and enters the city": "city", "the user who runs it provides the start date and a reason": "start_date reason",
	} {
		next, _, err := Apply(base, words, "U1")
		var names []string
		if err == nil {
			for _, in := range next.Inputs {
				names = append(names, in.Name)
			}
		}
		if strings.Join(names, " ") != want {
			t.Errorf("%q: %v, %v", words, names, err)
		}
	}
}

// TestARewrittenStepKeepsWhatOtherSentencesSay: what another sentence has put below a step does not go in silence when the step is written anew.
func TestARewrittenStepKeepsWhatOtherSentencesSay(t *testing.T) {
	t.Parallel()
	words := "1. get the order 2. if the amount is over 100 ask @ana to approve 3. if she says no tell #ops \"no repair\", and stop 4. tell #ops \"ready\""
	base, ok := outline.Read(words, "U1")
	if !ok {
		t.Fatal("the words are not read")
	}
	next, _, err := Apply(base, "2. if the amount is over 200 ask @ana to approve", "U1")
	if err != nil || len(next.Objections) != 1 || next.Objections[0].Text != "step 2a1 (the message to #ops “no repair”) is gone" {
		t.Errorf("nothing is asked about the step that went: %v, %s, %+v", err, sketch(next), next.Objections)
	}
}

// TestLost: what a rewritten step takes along is named, and stands again below the same answer or condition when a person keeps it.
func TestLost(t *testing.T) {
	t.Parallel()
	const tiers = "1. tell #ops \"new\"\n2. if the cost is under 50 tell #team \"ok\", 50-500 ask @ana to approve, over 500 ask @finance to approve"
	const over = "1. get the order\n2. if the amount is over 500 ask @finance to approve\n3. refund the order"
	for _, c := range []struct {
		draft       string
		replies     []string
		gone, again string // "" = nothing is asked
	}{
		{
			tiers,
			[]string{"in step 2b, if rejected, tell #support \"no\"", "in step 2c, if rejected, tell #support \"nono\"", "2. if the cost is under 50 tell #team \"ok\", 50-600 ask @ana to approve, over 600 ask @finance to approve"},
			"step 2b1 (the message to #support “no”) and step 2c1 (the message to #support “nono”) are gone", "2b ask @ana on reject tell #support; 2b1 tell #support no; 2c ask @finance on reject tell #support; 2c1 tell #support nono",
		},
		{
			tiers,
			[]string{"2a. tell #support: it is ordered", "2. if the cost is under 60 tell #team \"ok\", 60-500 ask @ana to approve, over 500 ask @finance to approve"},
			"step 2a (the message to #support “it is ordered”) is gone", "2a tell #support it is ordered; 2b tell #team ok; 2c ask @ana",
		},
		{
			over,
			[]string{"in step 2a, if nobody answers within 2 days, tell #ops \"late\"", "2. if the amount is over 600 ask @cfo to approve"},
			"the deadline of step 2a and step 2a1 (the message to #ops “late”) are gone", "2a ask @cfo after 2d on timeout tell #ops; 2a1 tell #ops late",
		},
		{
			over,
			[]string{"add before 2a: tell #ops \"big\"", "2. if the amount is over 600 ask @finance to approve"},
			"step 2a (the message to #ops “big”) is gone", "2 decide [the amount is over 600]; 2a tell #ops big; 2b ask @finance",
		},
		{
			over,
			[]string{"in step 2, if rejected, tell #support \"no\"", "2. ask @finance to approve"},
			"step 2a1 (the message to #support “no”) is gone", "2 ask @finance on reject tell #support; 2a tell #support no",
		},
		{over, []string{"in step 2, if rejected, tell #support \"no\"", "2. tell #ops \"hi\""}, "step 2a (the question to @finance) with all below it is gone", ""},
		{over, []string{"in step 2, if rejected, tell #support \"no\"", "2. if the amount is over 300 ask @ana to approve, if rejected tell #support \"no\""}, "", ""},
		{over, []string{"2. if the amount is over 300 ask @ana to approve"}, "", ""},
	} {
		next, ok := outline.Read(c.draft, "U1")
		for _, words := range c.replies {
			if !ok {
				t.Fatalf("%q is not read", c.draft)
			}
			made, _, err := Apply(next, words, "U1")
			if err != nil {
				t.Fatalf("%q: %v", words, err)
			}
			next = made
		}
		if c.gone == "" && len(next.Objections) == 0 {
			continue
		}
		if len(next.Objections) != 1 || next.Objections[0].Text != c.gone {
			t.Errorf("%q: %+v, %s", c.replies, next.Objections, sketch(next))
			continue
		}
		for _, l := range next.Objections[0].Lost {
			if kept := next.Restore(l); kept != (c.again != "") {
				t.Errorf("%q: kept %v", c.replies, kept)
			}
		}
		if got := sketch(next); !strings.Contains(got, c.again) {
			t.Errorf("%q: %s", c.replies, got)
		}
	}
}

// reads is what a change has made, and what is asked about it.
func reads(next *tree.Tree, said []string, err error) string {
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	out.WriteString(sketchAnswers(next))
	for _, o := range next.Objections {
		out.WriteString(" ? " + o.Text)
	}
	return out.String()
}

// TestFollow: behind every answer of a question steps, the end of the run, an earlier or a later step can follow.
func TestFollow(t *testing.T) {
	t.Parallel()
	const picks = "1. get the order\n2. ask @ana to approve\n3. ask @bob to pick: accept, decline or recount\n4. refund the order\n5. tell #ops \"done\""
	const angry = "1. get the order\n2. ask @bob \"is the customer angry?\", if yes, refund the order, if no, tell #ops \"calm\"\n3. tell #ops \"x\"\n4. tell #ops \"done\""
	const over = "1. get the order\n2. if the amount is over 100 ask @ana to approve\n3. refund the order"
	const task = "1. get the order\n2. @bob checks the order. If he can't, tell #ops \"oh\"\n3. tell #ops \"x\""
	for _, c := range []struct{ draft, words, want string }{
		{picks, "in step 2, if rejected go back to 1", "1 repeat; 1a do get the order; 1b ask @ana; 4 ask @bob"},
		{picks, "if @ana says no, go back to the start", "1 repeat; 1a do get the order; 1b ask @ana; 4 ask @bob"},
		{picks, "in step 3, if recount, continue with 2", "2 repeat; 2a ask @ana; 2b ask @bob"},
		{picks, "in step 3, if recount, tell #ops \"again\" and go back to 2", "2 repeat; 2a ask @ana; 2b ask @bob on recount tell #ops"},
		{picks, "in step 3, if recount, finish", "3 ask @bob on recount stop; 3a stop; 4"},
		{picks, "in step 2, if rejected, continue with step 4", "2 ask @ana on approve ask; 2a ask @bob; 4 do refund"},
		{picks, "in step 2, if nobody answers go back to 1", "not when there is none"},
		{picks, "in step 3, if declined go on to 5", "and not with step 5"},
		{over, "in step 2a, if rejected go back to 1", "1 repeat; 1a do get the order; 1b decide [the amount is over 100]; 1b1 ask @ana; 4 do"},
		{over, "in step 2a, if approved, tell #ops \"y\" and tell #team \"z\"", "2a ask @ana on approve tell #ops; 2a1 tell #ops y; 2a2 tell #team z"},
		{angry, "in step 2, if yes, stop", "2a do refund the order; 2b stop; 2c tell #ops calm; 3 tell #ops x; 4 tell #ops done ? step {step s3} (“refund the order”) is done after that answer, too, and first"},
		{angry, "if bob says no then finish", "2b tell #ops calm; 2c stop; 3 tell #ops x; 4 tell #ops done ? step {step s4} (the message to #ops “calm”) is done after that answer, too, and first"},
		{angry, "in step 2, if no also tell #team \"hi\"", "2b tell #ops calm; 2c tell #team hi; 3 tell #ops x; 4 tell #ops done"},
		{angry, "if no, go on to step 4", "2a do refund the order; 2b tell #ops x; 2c tell #ops calm; 5 tell #ops done ? step {step s4} (the message"},
		{task, "in step 2, if he can't do it, go back to 1", "1 repeat; 1a do get the order; 1b do @bob on I can't tell #ops checks the order; 1b1 tell #ops oh; 4"},
		{task, "in step 2, if done, stop", "2b stop; 3 tell"},
		{task, "when @bob is done, tell #team \"ok\"", "2b tell #team ok; 3 tell"},
	} {
		base, ok := outline.Read(c.draft, "U1")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		if got := reads(Apply(base, c.words, "U1", "bob")); !strings.Contains(got, c.want) {
			t.Errorf("%q: %s", c.words, got)
		}
	}
}

// TestRest: steps that came from the same words as a rewritten one are asked about.
func TestRest(t *testing.T) {
	t.Parallel()
	const line = "1. get the order, then tell #ops \"hi\"\n2. @bob hands over keys and packs the safety vest\n3. tell #team \"x\""
	const plain = "@bob hands over keys, prints the badge and sets up the phone. tell #ops \"done\""
	for _, c := range []struct{ draft, words, want string }{
		{line, "step 2: @bob hands over keys and packs the safety vest and the fuel card", "(“packs the safety vest”) is still there, from the same words as step 2 before"},
		{line, "1. get the order", "(the message to #ops “hi”) is still there, from the same words as step 1 before"},
		{line, "3. tell #team \"y\"", ""},
		{plain, "1. @ana hands over keys and sets up the phone", "(“sets up the phone”) is still there"},
		{plain, "1. @ana hands over the fuel card", ""},
		{plain, "4. tell #ops \"over\"", ""},
	} {
		base, _ := outline.Read(c.draft, "U1")
		got := reads(Apply(base, c.words, "U1"))
		if _, asked, _ := strings.Cut(got, " ? "); !strings.Contains(asked, c.want) || (asked == "") != (c.want == "") {
			t.Errorf("%q: %s", c.words, got)
		}
	}
}
