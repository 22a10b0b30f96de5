package change

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

const (
	packing = `ask @bob to approve within 24 hours, then ask @carla to pack it, wait 2 days, tell #a "done"`
	timed   = `if the amount is over 200 ask @bob to approve, then wait 30 minutes, tell #a "done"`
	build   = `run the import, build the image, ask @bob to approve, tell #a "done"`
)

// TestTerms changes durations, names, the first and the last step, and how often a step is tried, in a few words.
func TestTerms(t *testing.T) {
	t.Parallel()
	const cannot, none = "cannot", "none"
	for _, c := range []struct{ draft, words, has, hasNot string }{
		{packing, "12h not 24h", "ask @bob after 12h", ""},
		{packing, "3 days, not 2 days", "3 wait", ""},
		{packing, "12h not 36h", cannot, ""},
		{packing + ", wait 2 days", "3 days, not 2 days", cannot, ""},
		{packing, "if bob says no, ask @carla", "on reject ask; 1a ask @carla", ""},
		{packing, "if carla can't, @bob approves", "2a ask @bob", ""},
		{packing, "bob is ill, @dan approves it", "ask @dan", "@bob"},
		{packing, "carla is ill, @dan approves it", none, ""},
		{packing, "carla is ill, @dan does it", "do @dan", "@carla"},
		{packing, "not bob, @dan", "ask @dan", "@bob"},
		{packing, "@dan approves, not bob", "ask @dan", "@bob"},
		{packing, "can @dan approve instead?", "ask @dan", "@bob"},
		{packing, "can @dan see it?", none, ""},
		{packing, "can you remove step 1?", "do @carla", "@bob"},
		{packing, "no need to ask bob", "do @carla", "@bob"},
		{packing, "never mind the packing", "ask @bob", "@carla"},
		{packing, "and afterwards tell #end", "tell #end", ""},
		{packing, "good not bad", none, ""},
		{packing, "#b not #a", "tell #b done", "#a"},
		{packing, "no not bob, carla", none, ""},
		{packing, "dont post it in #a, use #b", none, ""},
		{packing, "the deadline for carla is 2 days", none, ""},
		{packing, "step 1 has a deadline of 4 hours", "ask @bob after 4h", ""},
		{packing, "step 1 must be done within 4 hours", "ask @bob after 4h", ""},
		{packing, "bob needs to answer in an hour", "ask @bob after 1h", ""},
		{packing, "@bob has 4 hours for step 1", "ask @bob after 4h", ""},
		{packing, "step 4 has a deadline of 4 hours", cannot, ""},
		{packing, "drop the slack message at the end", none, ""},
		{packing, "add a 10 min wait after the packing", none, ""},
		{packing, "remind everyone after 2h", none, ""},
		{packing, "the done message should also go to #b", none, ""},
		{packing, "drop the last message", "3 wait", "tell"},
		{build, "retry the import 3 times", none, ""},
		{build, "in step 1, retry it 3 times", "1 do tries 4 run the import", ""},
		{timed, "the wait is 45 minutes", "2 wait for 45m", ""},
		{packing, "@carla and @bob swap", "1 ask @carla", ""},
		{packing, "the packing comes first", "1 do @carla", ""},
		{packing, "the packing is done by @dan", "2 do @dan", "@carla"},
		{packing, "i want @dan to pack it", "2 do @dan", "@carla"},
		{packing, "change the message to \"all done\"", "tell #a all done", ""},
		{packing, "say \"all done\" instead", "tell #a all done", ""},
		{packing, "in #b instead", "tell #b", "#a"},
		{timed, "raise the limit to 300", "over 300", "over 200"},
		{timed, "the limit should be 300 now", "over 300", "over 200"},
		{timed, "make the wait 45 minutes", "2 wait for 45m", ""},
		{timed, "wait longer, 45 min", "2 wait for 45m", ""},
		{timed, "change the limit to 300 and wait 45 min instead of 30", "over 300", "30m"},
		{timed, "300 not 200, and 45 minutes instead of 30", "over 300", "30m"},
		{packing, "two hours are enough for bob", "ask @bob after 2h", ""},
		{packing, "@dan approves instead of @bob", "ask @dan", "@bob"},
		{timed, "yes goes to 3", none, ""},
		{packing, "give each of them 3 days", cannot, ""},
		{packing, "30 min is enough", cannot, ""},
		{packing, "swap bob with carla pls", "ask @carla after 24h; 2 do @bob", ""},
		{packing, "swap the packing and the wait", "2 wait for 2d; 3 do @carla", ""},
		{packing, "drop step 4 and give them 3 days", cannot, ""},
		{"ask @bob and @carla to approve, tell #a \"done\"", "only one of them has to approve", "ask @bob @carla; 2 tell", ""},
		{build, "also tell #b once it's imported", cannot, ""},
		{packing, "bob should do the packing, not carla", "2 do @bob", "do @carla"},
		{packing, "carla does not need to pack it any more", "2 wait", "do @carla"},
		{packing, "dave doesn't need to pack it", none, ""},
		{packing, "also tell #b we stop for now", "5 tell #b we stop for now", ""},
		{packing, "also tell #b thanks", "5 tell #b thanks", ""},
		{packing, "also tell #b hello, thanks", "5 tell #b hello", "thanks"},
		{build, "if the import fails stop and tell #b", "1a tell #b; 1b stop", ""},
		{timed, "wait 45 minutes instead of 30", "2 wait for 45m", ""},
		{timed, "the wait is 45 minutes, then bananas", none, ""},
		{timed, "step 1 is 45 minutes", cannot, ""},
		{timed, "step 2 is 45 minutes", "2 wait for 45m", ""},
		{timed, "cut the limit to 50 and the wait to 5 minutes", "over 50", "30m"},
		{timed, "let's do 250 instead", "over 250", "over 200"},
		{timed, "wait 20 minutes instead, and a limit of 250", "over 250", "30m"},
		{timed, "wait 20 minutes", none, ""},
		{timed, "raise the limit by 50", none, ""},
		{timed, "is a limit of 50 enough", none, ""},
		{packing, "drop the 24 hours for bob", none, ""},
		{timed, "the limit should be 50 or 60", none, ""},
		{timed, "add 3 days", none, ""},
		{timed, "buy 3 apples", none, ""},
		{packing, "give bob 5 days, carla 2 days", "2 do @carla after 2d", "24h"},
		{packing, "5 days for bob", "ask @bob after 5d", ""},
		{packing, "order 5 days of food", none, ""},
		{packing, "bob is on leave, so ask @dan instead", "ask @dan", "@bob"},
		{packing, "bob left the company, use @dan", "ask @dan", "@bob"},
		{packing, "drop the wait, it takes too long", "3 tell #a", "wait"},
		{packing, "the wait comes before the packing", "2 wait for 2d; 3 do @carla", ""},
		{packing, "3 before 2", "2 wait for 2d; 3 do @carla", ""},
		{packing, "between 2 and 3: ask @dan to approve", "3 ask @dan", ""},
		{packing, "between 1 and 3 tell #b \"x\"", cannot, ""},
		{packing, "both bob and @dan must approve", "ask @bob @dan", ""},
		{packing, "change the text to \"sent\" and send it to #b", "tell #b sent", "done"},
		{`ask @bob whether it is urgent. if yes tell #a "x", if no tell #b "y"`, "ask @carla as well", cannot, ""},
		{`every monday at 9 tell #a "done"`, "at 8 and at 15", none, ""},
		{`when a message in #a contains "x", tell #b "done"`, "it starts when a message in #c contains \"y\"", "tell #b", ""},
		{packing, "remove 1, and 3 hours instead of 2 days", "2 wait for 3h", "ask @bob"},
		{packing, "half a day instead of 2 days", cannot, ""},
		{packing, "3-4 hours instead of 2 days", cannot, ""},
		{packing, "less than an hour instead of 2 days", cannot, ""},
		{packing, "change done to \"all done\" and wait 3 hours", cannot, ""},
		{packing, "step 4 should say \"sent\", and 3 is 3 hours", none, ""},
		{packing, "bob has 5 hours, otherwise ask @dan", "1 ask @bob after 5h else @dan", ""},
		{packing, "give bob 5 hours, if not tell #late", "1 ask @bob after 5h on timeout tell #late", ""},
		{packing, "if rejected do nothing", cannot, ""},
		{packing, "tell #b too, they asked for it", "4 tell #a #b done", "asked"},
		{packing, "tell #b too, @dan asks the customer", none, ""}, // the last clause is a step
		{packing, "use #b instead of #a, bob wants it so", "tell #b", "#a"},
		{"asks for the item. ask @bob to approve", "also ask for the colour at the start", "ask @bob", "colour"},
		{timed, "the approval goes to @carla", "ask @carla", "@bob"},
		{timed, "the message goes to #b", "tell #b", "#a"},
		{timed, "step 3 only if approved", "1a ask @bob on approve tell #a; 1a1 tell #a done; 2 wait", ""},
		{timed, "don't do step 3 before @bob approves", "1a ask @bob on approve tell #a; 1a1 tell #a done; 2 wait", ""},
	} {
		base, ok := outline.Read(c.draft, "U1", "bob", "carla")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		next, said, err := Apply(base, c.words, "U1", "bob", "carla")
		var why *Error
		if c.has == cannot && errors.As(err, &why) || c.has == none && errors.Is(err, ErrNone) {
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.words, err)
			continue
		}
		if got := sketch(next); !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) {
			t.Errorf("%q gives %s (%s)", c.words, got, said)
		}
	}
}

// TestExchangeValues finds what the steps and the schedule hold by what the old words mean, and asks where several hold it.
func TestExchangeValues(t *testing.T) {
	t.Parallel()
	const (
		gift   = `tell @bob "please give 5 euro for the present, 50 guests pay $7"`
		order  = "1. ask @ana to approve within 30 minutes\n2. if the amount is over 5000 ask @fin to approve within 2 hours\n3. wait 10 minutes\n4. tell #support \"done\""
		team   = `every Friday at 16:00 tell #team "fill in your hours by friday"`
		rent   = `on the 1st of every month at 9: tell #team "rent"`
		both   = `every monday and friday at 9: tell #team "rent"`
		twice  = "1. ask @ana to approve within 2 hours\n2. ask @bob to approve within 2 hours\n3. tell #ops \"over 50\"\n4. if the amount is over 50 ask @fin to approve"
		cannot = "cannot"
	)
	for _, c := range []struct{ draft, words, has string }{
		{gift, "make it 10 euro instead of 5", "give 10 euro for the present"},
		{gift, "make it 10 instead of 5 euro", "give 10 euro for the present"},
		{gift, "make it 10 dollars instead of 5", "give 10 dollars for the present"},
		{gift, "60 guests instead of 50", ", 60 guests pay"},
		{gift, "make it 60 instead of 50 guests", ", 60 guests pay"},
		{gift, "make it 8 instead of 7", "pay $8"},
		{gift, "make it 8 instead of 0", cannot},
		{order, "make it 6,000 instead of 5,000", "over 6,000"},
		{order, "make it 6000 instead of 5k", "over 6000"},
		{order, "raise the limit from 5,000 to 6,000", "over 6,000"},
		{order, "limit is now 75 not 50", cannot},
		{order, "the limit is 7500 and no longer 5.000", "over 7500"},
		{order, "make it 45 min instead of 30 min", "@ana after 45m"},
		{order, "make it an hour instead of 30 min", "@ana after 1h"},
		{order, "give fin 4h instead of 2", "@fin after 4h"},
		{order, "give ana 4h instead of 2", cannot},
		{order, "wait 25 min instead of 10", "wait for 25m"},
		{order, "wait 25 instead of 10 min", "wait for 25m"},
		{order, "the note goes to #general not #support", "tell #general"},
		{team, "every thursday instead of friday", "by friday; when 0 16 * * 4"},
		{team, "on mondays instead of fridays", "when 0 16 * * 1"},
		{team, "do it on tuesday, not on friday", "when 0 16 * * 2"},
		{team, "5pm instead of 4pm", "when 0 17 * * 5"},
		{team, "run it from friday to monday", cannot},
		{rent, "every 15th of the month instead of the 1st", "when 0 9 15 * *"},
		{rent, "on the 15th instead of the 1st", "when 0 9 15 * *"},
		{rent, "move it from the 1st to the 10th", "when 0 9 10 * *"},
		{both, "every thursday instead of friday", "when 0 9 * * 1,4"},
		{both, "every 15th of the month instead of friday", cannot},
		{twice, "make it 4h instead of 2h", cannot},
		{twice, "give bob 4h not 2", "2 ask @bob after 4h"},
		{twice, "in step 1 make it 4 hours instead of 2", "1 ask @ana after 4h"},
		{twice, "make it 60 instead of 50", cannot},
		{twice, "raise the limit from 50 to 60", "[the amount is over 60]"},
		{twice, "in step 4, 60 instead of 50", "over 60"},
		{twice, "in step 1, 60 instead of 50", cannot},
	} {
		base, ok := outline.Read(c.draft, "U1", "bob", "ana", "fin")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		next, said, err := Apply(base, c.words, "U1", "bob", "ana", "fin")
		switch {
		case err != nil:
			if c.has != cannot {
				t.Errorf("%q: %v", c.words, err)
			}
		case c.has == cannot || !strings.Contains(sketch(next), c.has) || len(next.Objections) > 0:
			t.Errorf("%q gives %s (%s)", c.words, sketch(next), said)
		}
	}
}

// TestExchangeWithoutWords changes what steps hold that come from a flow, and that no words say.
func TestExchangeWithoutWords(t *testing.T) {
	t.Parallel()
	base := &tree.Tree{Last: 4, Triggers: []tree.Trigger{{Cron: "0 9 * * 5"}}, Steps: []tree.Step{
		{ID: "s1", Kind: tree.Ask, Who: []tree.Name{{Words: "@ana", Is: "@ana"}}, Deadline: &tree.Deadline{After: "2 working days", Remind: "1d"}},
		{ID: "s2", Kind: tree.Decide, Branches: []tree.Branch{{When: &tree.Cond{Op: ">", Words: "the amount is over 50", Right: tree.Value{Literal: 50.0}}, Steps: []tree.Step{{ID: "s3", Kind: tree.Tell, To: []tree.Name{{Words: "#ops", Is: "#ops"}}, Text: "5,000 is too much"}}}}},
		{ID: "s4", Kind: tree.Do, Doer: tree.DoerTool, Tool: "shop.pay", Retry: 3, Params: []tree.Param{{Name: "amount", Value: tree.Value{Literal: 20.0}}}},
	}}
	for words, is := range map[string]func(n *tree.Tree) bool{
		"3 working days instead of 2":       func(n *tree.Tree) bool { return n.Steps[0].Deadline.After == "3 working days" },
		"make it 2 days instead of 1 day":   func(n *tree.Tree) bool { return n.Steps[0].Deadline.Remind == "2d" },
		"make it 75 instead of 50":          func(n *tree.Tree) bool { return n.Steps[1].Branches[0].When.Right.Literal == 75.0 },
		"make it 6k instead of 5k":          func(n *tree.Tree) bool { return n.Step("s3").Text == "6k is too much" },
		"make it 25 instead of 20":          func(n *tree.Tree) bool { return n.Step("s4").Params[0].Value.Literal == 25.0 },
		"5 times instead of 3":              func(n *tree.Tree) bool { return n.Step("s4").Retry == 5 },
		"every thursday instead of fridays": func(n *tree.Tree) bool { return n.Triggers[0].Cron == "0 9 * * 4" },
	} {
		if next, _, err := Apply(base, words, "U1"); err != nil || !is(next) {
			t.Errorf("%q: %v, %+v", words, err, next)
		}
	}
}

// TestUntil refuses a time of day as a deadline, offers a duration, and reads what follows when nobody answers by then.
func TestUntil(t *testing.T) {
	t.Parallel()
	base, _ := outline.Read("1. ask @ana to approve\n2. if the amount is over 5 ask @fin to approve\n3. wait 1 hour", "U1")
	for words, want := range map[string]string{
		"they have until noon the next day":                                   "step 1 has 2 days to answer",
		"@ana has until tomorrow 18:00":                                       "“@ana has 2 days to answer”",
		"@fin has until Friday 12:00":                                         "“@fin has 2 days to answer”",
		"@ana must answer by 5pm":                                             "“@ana has 2 days to answer”",
		"set the deadline to friday noon":                                     "A deadline is how long",
		"give fin until monday":                                               "A deadline is how long",
		"@ana has 3 hours for step 2a":                                        "@ana does not answer in step 2a",
		"@fin has 3 hours for step 2a":                                        "2a ask @fin after 3h",
		"the deadline is no problem for ana":                                  ErrNone.Error(),
		"@fin has 2 hours for step 2a, if he doesnt answer by then tell @bob": "2a ask @fin after 2h on timeout tell @bob",
	} {
		next, _, err := Apply(base, words, "U1", "ana", "fin")
		if got := fmt.Sprint(err); err == nil && !strings.Contains(sketch(next), want) || err != nil && !strings.Contains(got, want) {
			t.Errorf("%q: %s, %v", words, got, next)
		}
	}
}
