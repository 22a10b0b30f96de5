package planner_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/change"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/tree"
)

// replied makes changes of a tree.
func replied(t *testing.T, tr *tree.Tree, replies ...string) *tree.Tree {
	t.Helper()
	for _, r := range replies {
		next, _, err := change.Apply(tr, r, "U1")
		if err != nil {
			t.Fatalf("%q: %v", r, err)
		}
		tr = next
	}
	return tr
}

// TestLeftOutWithLaterSteps: the button that leaves a step out names the steps below it, and a person confirms that those go that came later.
func TestLeftOutWithLaterSteps(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	tr, _ := outline.Read(`if the moon is full tell #shop "a". Then tell #ops "b"`, "U1")
	tr = replied(t, tr, `add after 1a: tell #support "c"`)
	p := planner.Plan(tr, w)
	q := p.Questions[0]
	if got := q.Options[len(q.Options)-1].Label; got != "Leave it out, with the steps 1a and 1b" {
		t.Errorf("the button says %q", got)
	}
	next, err := planner.Answer(p.Tree, w, q.ID, "leave", "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	p = planner.Plan(next, w)
	if len(p.Questions) != 1 || !strings.Contains(p.Questions[0].Text, "step 1b is gone, too, which came later: “tell #support \"c\"”") {
		t.Errorf("asks %+v", p.Questions)
	}
}

// TestLeaveACondition: where a condition has another side, the steps of that can stay, and are then always done.
func TestLeaveACondition(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, label, numbers, left string }{
		{`if the moon is full tell #shop "a", otherwise tell #ops "b". Then tell #team "c"`, "Leave it out and always do step 1b, without step 1a", "1 b; 2 c", `if the moon is full tell #shop "a", otherwise`},
		{"1. tell #team \"c\"\n2. if the moon is full tell #shop \"a {x}\", otherwise tell #ops \"b\" and tell #ops \"d\"\n3. tell #team \"e\"", "Leave it out and always do the steps 2b and 2c, without step 2a", "1 c; 2 b; 3 d; 4 e", `2. if the moon is full tell #shop "a {x}", otherwise`},
		{`if the moon is full tell #shop "a". Then tell #ops "b"`, "", "1a a; 2 b", ""},
		{`if the moon is full tell #shop "a", otherwise if the sun shines tell #ops "b", otherwise tell #team "c"`, "", "1a a; 1b b; 1c c", ""},
	} {
		tr, _ := outline.Read(c.words, "U1")
		p := planner.Plan(tr, w)
		label := ""
		for _, o := range p.Questions[0].Options {
			if o.ID == "leave.then" {
				label = o.Label
			}
		}
		if next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "leave.then", "", "U1"); err == nil {
			p = planner.Plan(next, w)
		}
		var numbers, left []string
		for s := range p.Tree.Walk {
			if s.Kind == tree.Tell {
				numbers = append(numbers, p.Numbers[s.ID]+" "+s.Text)
			}
		}
		for _, l := range p.Tree.LeftTogether() {
			left = append(left, p.Tree.Words(l.Quote))
		}
		if got := strings.Join(numbers, "; "); label != c.label || got != c.numbers || strings.Join(left, " | ") != c.left || label != "" && len(p.Tree.Inputs) > 0 {
			t.Errorf("%q: %q, steps %s, left out %q, inputs %v", c.words, label, got, left, p.Tree.Inputs)
		}
	}
}

// TestSaidAgain: words that were left out and that a later reply says, too, are not left out any more.
func TestSaidAgain(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, question, reply, left string }{
		{"1. tell #ops \"b\"\n2. dance a dance", "s2.doer", "add after 1: Dance a dance", ""},
		{"1. tell #ops \"b\"\n2. dance a dance", "s2.doer", "add after 1: dance a waltz", "2 dance a dance"},
		{`tell #ops "b", and then dance a dance`, "s2.doer", `add after 1: if the moon is full, dance a dance`, ""},
		{`tell #ops "b". If the moon is full tell #shop "a"`, "s2.when.0", `add: tell #shop "a"`, "If the moon is full"},
		{`tell #ops "b". If the moon is full tell #shop "a"`, "s2.when.0", `add after 1: if the moon is full tell #shop "a"`, ""},
		{`tell #ops "b". Dance a dance`, "s2.doer", `add: tell #ops "dance a dance"`, "Dance a dance"},
	} {
		tr, _ := outline.Read(c.words, "U1")
		tr, err := planner.Answer(tr, w, c.question, "leave", "", "U1")
		if err != nil {
			t.Fatalf("%q: %v", c.words, err)
		}
		next, _, err := change.Apply(tr, c.reply, "U1")
		if errors.Is(err, change.ErrNone) {
			next, _, err = change.AtEnd(tr, c.reply, "U1")
		}
		if err != nil {
			t.Fatalf("%q: %v", c.reply, err)
		}
		p := planner.Plan(next, w)
		var left []string
		for _, l := range p.Tree.LeftTogether() {
			left = append(left, p.Tree.Words(l.Quote))
		}
		if got := strings.ReplaceAll(strings.Join(left, " | "), ". ", " "); got != c.left {
			t.Errorf("%q, then %q: left out is %q, not %q", c.words, c.reply, got, c.left)
		}
		for _, a := range p.Account {
			if a.State == "not_understood" {
				t.Errorf("%q, then %q: %q is not understood", c.words, c.reply, p.Tree.Words(a.Quote))
			}
		}
	}
}

// TestObjectionToAStepThatIsGone: a difference of a change asks nothing once a step that it is about is gone, and has the numbers of now.
func TestObjectionToAStepThatIsGone(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	tr, _ := outline.Read("ask @ana to approve. Tell #shop \"a\". Tell #ops \"b\"", "U1")
	tr = replied(t, tr, `add after 3: tell #ops "b"`)
	asked := func(tr *tree.Tree) string {
		var all []string
		for _, q := range planner.Plan(tr, w).Questions {
			all = append(all, q.Text)
		}
		return strings.Join(all, "\n")
	}
	if got := asked(tr); !strings.Contains(got, "step 4 does the same as step 3, which stays") {
		t.Errorf("asks %q", got)
	}
	if got := asked(replied(t, tr, "remove 2")); !strings.Contains(got, "step 3 does the same as step 2, which stays") {
		t.Errorf("asks %q when step 2 is gone", got)
	}
	if got := asked(replied(t, tr, "remove 4")); got != "" {
		t.Errorf("asks %q when the step is gone", got)
	}
}

// TestSaidInOtherWords: words in whose place a person typed others are replaced, and nobody has left them out.
func TestSaidInOtherWords(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, answer := range map[string]string{
		`tell #team "a". Day before they start remind me of the laptop`: "tell #ops the laptop is ready",
		"post the weekly numbers to #support":                           "Numbers are late",
	} {
		tr, _ := outline.Read(words, "U1")
		p := planner.Plan(tr, w)
		i := slices.IndexFunc(p.Questions, func(q planner.Question) bool { return q.Free })
		next, err := planner.Answer(p.Tree, w, p.Questions[max(i, 0)].ID, "", answer, "U1")
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		if p = planner.Plan(next, w); len(p.Tree.Left) > 0 || len(p.Tree.Replaced) == 0 {
			t.Errorf("%q: left out %v, replaced %v", words, p.Tree.Left, p.Tree.Replaced)
		}
	}
}

// TestWordsThatALaterTextSays settles words that are not understood by a later text that has all of them, and no others.
func TestWordsThatALaterTextSays(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct {
		words, reply string
		asks         bool
	}{
		{`@ana checks the invoice. tell #team "x". She has 3 working days.`, "1 has 3 working days", false},
		{`ask @ana to approve. tell #team "x". She has three working days for it.`, "1 has 3 working days", false},
		{`ask @ana to approve. tell #team "x". 30 working days it may be`, "1 has 3 working days", true},
		{`ask @ana to approve. such long days`, "1 has 3 working days", true},
		{`ask @ana to approve. working days, three, not four`, "1 has 3 working days", true},
		{`tell #team "x". an e-mail for @cfo, too, and 3 days`, "add: wait 3 days", true},
	} {
		p := planner.Plan(replied(t, readPlan(t, c.words, w).Tree, c.reply), w)
		if asks(p, "I did not understand") != c.asks || len(p.Tree.Left) > 0 {
			t.Errorf("%q, %q asks %+v", c.words, c.reply, p.Questions)
		}
	}
}
