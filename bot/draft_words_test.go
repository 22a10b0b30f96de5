package bot

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/tool"
)

// Without an actions file a step that no tool does is asked about, and the draft says why.
func TestNothingIsDeclared(t *testing.T) {
	t.Parallel()
	for _, declared := range []bool{false, true} {
		w := newWorld(t, func(c *Config) {
			if declared {
				return
			}
			all, err := tool.HTTP(tool.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Tools, err = tool.New(all...); err != nil {
				t.Fatal(err)
			}
		})
		_, d := w.draft("ana", "new parcels: 1. weigh the parcel 2. ask @finance to approve")
		body, _, err := draft.Decode(d)
		if err != nil || len(body.Questions) == 0 {
			t.Fatalf("questions: %+v, %v", body.Questions, err)
		}
		if got := strings.Contains(fmt.Sprint(body.Notes), "No actions are loaded"); got == declared {
			t.Errorf("with actions %t it is said: %v", declared, body.Notes)
		}
	}
}

// A reply that is no change answers the only question that is open, and a person confirms it where it may be about something else. Words that speak of
// the draft are never the answer, nor a new step.
func TestAReplyThatMayMeanSomethingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, _ := w.draft("ana", "new parcels: 1. announce the winner in #team 2. and so on forever and a day")
	for _, c := range []struct{ reply, asks string }{
		{"not on fridays", ""},
		{"delete the winner thing", ""},
		{"if the winner is known, weigh it again", ""},
		{"the winner gets a cake", ""},
		{"question 3: @bob", ""},
		{"question 2: @bob", ""},
		{"question 4: leave it out", ""},
		{"the winner gets a cake", "it answers the question about “the winner”"},
	} {
		before := w.newest(thread)
		got := said(w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: c.reply}))
		now := w.newest(thread)
		body, _, err := draft.Decode(now)
		if err != nil {
			t.Fatal(err)
		}
		refused := strings.Contains(got, "nothing changed")
		if changes := c.asks != "" || strings.HasPrefix(c.reply, "question"); refused == changes || refused != (now.ID == before.ID) || !strings.Contains(fmt.Sprint(body.Questions), c.asks) {
			t.Errorf("%q is answered %q, and the draft asks %+v", c.reply, got, body.Questions)
		}
	}
}

// A reply that may be about something else, while several questions are open, answers none of them until it names one by its number.
func TestAReplyNamesItsQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ reply, says, step string }{
		{"@bob gives the name, start date and laptop", "2. What is “the code” in this message?\n3. Who or what does “note it in #eve”?\nTo answer one in words, reply “question 2: ...”.", ""},
		{"@bob and @fin must both agree in 3c", "There is no step 3c", ""},
		{"ana must see it", "I cannot tell whether this answers one of them", ""},
		{"question 1: the mail", "“the mail” is no name", ""},
		{"question 1: @bob", "", "Tell “@bob”"},
		{"question 8: the mail", "No question of that number is open", ""},
		{"Your money is on its way", "reply “question 2: ...”", ""},
		{"question 2: Your money is on its way", "", "Your money is on its way"},
		{"@bob", "1. Who is meant by “the customer”?\n3. Who or what does “note it in #eve”?\nTo answer one in words, reply “question 1: @bob”.", ""},
		{"question 3: ask @ana to note it, then tell @bob it is done", "", "@ana does this: Note it"},
		{"inputs are: colour, size. these are given by the person who starts it", "", "colour and size"},
		{"add at the end: ask @ana to place the order", "", "@ana does this: Place the order"},
		{"question 2: ana must see it", "", "ana must see it"},
		{"the message to the customer should say \"Your refund is on its way\"", "", ": Your refund is on its way."},
		{"tell @bob it is done", "", "it is done"},
	} {
		w := newWorld(t, nil)
		thread, first := w.draft("ana", "new parcels: get the order. let the customer know the code. note it in #eve")
		got := said(w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: c.reply}))
		now := w.newest(thread)
		if !strings.Contains(got, c.says) || (got == "") != (c.says == "") || (now.ID == first.ID) != (c.step == "") || !strings.Contains(fmt.Sprint(w.body(now).Steps), c.step) {
			t.Errorf("%q is answered %q, and the steps are %+v", c.reply, got, w.body(now).Steps)
		}
	}
}

// A reply that two questions take answers none of them.
func TestAReplyToTwoQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, first := w.draft("ana", "new parcels: get the order. let @bob know the code. announce the winner in #eve")
	got := said(w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "Well done"}))
	if free := w.body(first).Questions; len(free) < 2 || !free[0].Free || !free[1].Free || !strings.Contains(got, "reply “question 1: ...”") || w.newest(thread).ID != first.ID {
		t.Errorf("it is answered %q, the questions are %+v", got, free)
	}
	if got := said(w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "thanks"})); !strings.Contains(got, "The draft has not changed") {
		t.Errorf("a courtesy is answered %q", got)
	}
}

// "new <name>:" names a flow also where the name could be what is done.
func TestNewWithANameOfSeveralWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, d := w.draft("ana", "new supply order: 1. get the order 2. ask @finance to approve")
	if body, _, err := draft.Decode(d); err != nil || d.Flow != "supply-order" || len(body.Questions) > 0 {
		t.Errorf("it is called %s and asks %+v (%v)", d.Flow, body.Questions, err)
	}
}
