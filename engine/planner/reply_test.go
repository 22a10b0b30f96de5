package planner_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner"
	"sluice/engine/planner/change"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// TestTypedAnswer answers the only question of a draft with typed words. They stand where the words stood that were not understood.
func TestTypedAnswer(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, answer, want string }{
		{`tell #ops "a". and so on forever and a day`, "ask @ana to approve within 2 days", "Ask @ana within 2 days"},
		{`tell #ops "a". ask @ana to approve. and so on forever and a day`, "remind her after 4 hours", "with a reminder after 4 hours"},
		{`tell #ops "a". ask @ana to approve. and so on forever and a day`, "if nobody answers within 2 days, ask @cfo", "@cfo too after 2 days"},
		{`tell #ops "a". and so on forever and a day`, "every Monday at 9", "every Monday at 09:00"},
		{`ask @ana to approve, if nobody answers tell @cfo "late"`, "2 working days", "within 2 working days"},
	} {
		tr, ok := outline.Read(c.words, "U1")
		if !ok {
			t.Fatalf("%q is not read", c.words)
		}
		p := planner.Plan(tr, w)
		if len(p.Questions) != 1 {
			t.Fatalf("%q: %v", c.words, p.Questions)
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "", c.answer, "U1")
		if err != nil {
			t.Errorf("%q, %q: %v", c.words, c.answer, err)
			continue
		}
		p = planner.Plan(next, w)
		var lines []string
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			lines = append(lines, l.Number+" "+l.Text)
		}
		if got := strings.Join(lines, "\n"); !strings.Contains(got, c.want) || slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return q.ID != compared }) {
			t.Errorf("%q, %q gives\n%s\n%v", c.words, c.answer, got, p.Questions)
		}
	}
}

// TestStepsAsTheAnswer takes steps wherever a question asks what is done, and puts them where they belong.
func TestStepsAsTheAnswer(t *testing.T) {
	t.Parallel()
	w := plannertest.World(tool.Tool{Name: "shop.refund", Description: "Refund an order", Words: []string{"refund the order"}, Effects: flow.EffectsOnce, Params: map[string]any{
		"type": "object", "properties": map[string]any{},
	}})
	event := `ask 2 of @ana, @bob and @cfo to approve the event. tell #shop "on". if 2 said no, tell #ops "stop it"`
	over := `ask @ana what we need. If it is over 500 ask @cfo to approve. forever and a day. never and none`
	for _, c := range []struct{ words, kind, option, answer, want string }{
		{event, "behind", "", `tell #general "it is cancelled"`, "1a Tell #general: it is cancelled, then the run ends."},
		{event, "behind", "", `tell #general "off" and tell @ana "off"`, "1b Tell @ana: off, then the run ends."},
		{"ask @ana to approve the refund", "then", "", `refund the order, then tell #ops "done"`, "3 Tell #ops: done."},
		{"paint the box. tell #ops \"a\"", "doer", "person", "ask @ana and @bob to approve the box. Both must agree", "approve: ask @bob (approve, reject): approve the box?"},
		{"paint the box. tell #ops \"a\"", "doer", "person", "the moon", "the moon” is no name and no step"},
		{over, "clause", "", "otherwise ask @bob to approve", "2b Ask @bob: approve or reject?"},
		{over, "clause", "", "ask @bob to approve", "3 Ask @bob: approve or reject?"},
		{`get the bill. forever and a day. tell #ops "a"`, "clause", "", `otherwise tell @ana "no"`, "I cannot tell what “otherwise tell @ana \"no\"” is the other side of"},
		{"ask @ana to approve. ask @bob to approve. tell #ops \"a\". forever and a day", "clause", "", "if nobody answers within 2 hours, tell #ops \"late\"", "say which one is meant, such as “in step 1, if nobody answers within 2 hours, tell #ops \"late\"”."},
	} {
		p := readPlan(t, c.words, w)
		i := slices.IndexFunc(p.Questions, func(q planner.Question) bool { return q.Kind == c.kind })
		if i < 0 {
			t.Errorf("%q asks %+v", c.words, p.Questions)
			continue
		}
		got := ""
		next, err := planner.Answer(p.Tree, w, p.Questions[i].ID, c.option, c.answer, "U1")
		if err != nil {
			got = err.Error()
		} else {
			p = planner.Plan(next, w)
			for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
				got += l.Number + " " + l.Text + "\n"
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q, %q gives\n%s", c.words, c.answer, got)
		}
	}
}

// TestOutsider notes each person who is asked and is not in the channel of the flow.
func TestOutsider(t *testing.T) {
	t.Parallel()
	w := env.World{
		Tools: []tool.Tool{tool.PostMessage(nil)}, Author: "@ann", Channel: "#team",
		Kind:   func(string) string { return "user" },
		Member: func(name string) bool { return name == "@ana" },
	}
	tr, _ := outline.Read("1. ask @ana to approve, escalate to @cfo after 1 day\n2. @bob packs the parcel\n3. ask @bob to approve\n4. @bob sends the parcel", "U1")
	var got []string
	for _, n := range planner.Plan(tr, w).Notes {
		if n.Code == "outsider" {
			got = append(got, n.Text)
		}
	}
	if all := strings.Join(got, "\n"); len(got) != 2 || !strings.Contains(all, "Step 1 asks @cfo, who is not in #team") || !strings.Contains(all, "Steps 2, 3 and 4 ask @bob, who is not in #team: the questions") {
		t.Errorf("%q", got)
	}
}

// TestMoreAnswersThanPeople: words that want two to agree where one is asked are not lowered to one without a note.
func TestMoreAnswersThanPeople(t *testing.T) {
	t.Parallel()
	w := env.World{Tools: []tool.Tool{tool.PostMessage(nil)}, Author: "@ann", Channel: "#team", Kind: func(name string) string {
		return map[string]string{"@ana": "user", "@bob": "user", "@finance": "group"}[name]
	}}
	for words, noted := range map[string]bool{
		"ask @ana to approve. Two of them must agree":                true,
		"ask @ana and @bob to approve. Two of them must agree":       false,
		"ask @finance to approve. Two of them must agree":            false,
		"ask @ana and @finance to approve. Three of them must agree": false,
	} {
		tr, _ := outline.Read(words, "U1")
		got := slices.ContainsFunc(planner.Plan(tr, w).Notes, func(n tree.Note) bool { return n.Code == "too_few" })
		if got != noted {
			t.Errorf("%q: noted is %v", words, got)
		}
	}
}

// TestNumbersOfNodes numbers each node once, also the one that is a question and the decision about its answer.
func TestNumbersOfNodes(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	tr, _ := outline.Read(`ask @ana and @bob to approve, if both agree tell #team "yes", otherwise tell #team "no"`, "U1")
	p := planner.Plan(tr, w)
	for range 20 { // the order of a map is another one each time
		for _, id := range p.Nodes[p.Tree.Steps[0].ID] {
			if n := p.NodeNumbers()[id]; n != "1" {
				t.Fatalf("node %s of step 1 has the number %s", id, n)
			}
		}
	}
}

// TestMayAskLater: who is asked when nobody has answered is among those whom a flow asks.
func TestMayAskLater(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	tr, _ := outline.Read("ask @ana to approve, escalate to @cfo after 1 day", "U1")
	if got := readback.May(planner.Plan(tr, w).Flow, w.Tools); !slices.Contains(got, "Asks @ana and @cfo.") {
		t.Errorf("%q", got)
	}
}

// TestUnreadReply asks about the words of a reply that became nothing, wherever they stand among those that were read.
func TestUnreadReply(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for reply, unread := range map[string]string{
		`add: tell #a "x", then us`:                             "then us",
		`also tell #a "x" and bananas`:                          "and bananas",
		`after the approval tell #a "x", then whatever`:         "then whatever",
		`if rejected tell #a "x" and us`:                        "and us",
		`tell #a "x" and us if rejected`:                        "and us",
		`if nobody answers within 2 hours tell #a "x", then us`: "then us",
		`please also tell #a "x", thanks`:                       "",
		`tell #a "x" at the end, please`:                        "",
		`remind her after 4 hours please`:                       "",
		`add after 1: tell #a "x"`:                              "",
		`tell #a "x" when it is rejected`:                       "",
	} {
		base, _ := outline.Read(`ask @ana to approve, tell #ops "done"`, "U1")
		next, _, err := change.Apply(base, reply, "U1")
		if err != nil {
			t.Errorf("%q: %v", reply, err)
			continue
		}
		var asked []string
		for _, q := range planner.Plan(next, w).Questions {
			asked = append(asked, q.Text)
		}
		if all := strings.Join(asked, "\n"); unread == "" && all != "" || unread != "" && !strings.Contains(all, "“"+unread+"”") {
			t.Errorf("%q asks %q", reply, asked)
		}
	}
}
