package planner

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
)

// TestBehind asks whether a step behind an approval under a condition needs the condition, and does what is answered. Amounts decide only
// about the approval.
func TestBehind(t *testing.T) {
	t.Parallel()
	w := env.World{Author: "@ann", Channel: "#team"}
	const judged = "@ann runs the tests -> if they are green ask @bob to approve -> @ann deploys"
	const given = "asks for a state. if the state is green ask @bob to approve -> @ann deploys"
	for _, c := range []struct {
		words, option string
		top, low      int // steps of the flow, and of the branch
	}{
		{judged, optOnlyThen, 3, 2},
		{judged, optEitherWay, 4, 1},
		{given, optOnlyThen, 1, 2},
		{given, optEitherWay, 2, 1},
		{"1. @ann runs the tests\n2. if the amount is over 100 ask @bob to approve\n3. @ann deploys", "", 3, 1},
	} {
		tr, ok := outline.Read(c.words, "U1")
		if !ok {
			t.Fatal("not read")
		}
		next, asked := tr, false
		for p := Plan(tr, w); len(p.Questions) > 0; p = Plan(next, w) {
			q := p.Questions[0]
			option, value := q.Default, ""
			switch q.Kind {
			case "behind":
				option, asked = c.option, true
			case "condition":
				option, value = optInput, ""
				if c.words == judged {
					option, value = optPerson, "@ann"
				}
			}
			var err error
			if next, err = Answer(p.Tree, w, q.ID, option, value, "U1"); err != nil {
				t.Fatalf("%q: %s %v: %v", c.words, q.Text, q.Options, err)
			}
		}
		if asked != (c.option != "") {
			t.Errorf("%q, %s: asked %v", c.words, c.option, asked)
		}
		decision := slices.IndexFunc(next.Steps, func(s tree.Step) bool { return len(s.Branches) > 0 })
		if len(next.Steps) != c.top || len(next.Steps[decision].Branches[0].Steps) != c.low {
			t.Errorf("%q, %s: %d steps, %d below the condition", c.words, c.option, len(next.Steps), len(next.Steps[decision].Branches[0].Steps))
		}
	}
}

// TestWithin asks when a step is done that stands behind an approval within a condition, and puts it behind the condition where that is meant.
func TestWithin(t *testing.T) {
	t.Parallel()
	w := env.World{Author: "@ann", Channel: "#team"}
	for option, top := range map[string]int{optOnlyThen: 1, optEitherWay: 3} {
		p := oneAnswer(t, w, "asks for an amount. if the amount is over 100 ask @bob to approve, @ann pays it, tell #team \"paid\"", "behind", option)
		if len(p.Questions) > 0 || len(p.Tree.Steps) != top {
			t.Errorf("%s: %d steps, %+v", option, len(p.Tree.Steps), p.Questions)
		}
	}
}

// TestAfterWork asks whether a run goes on behind what is done about a no or a lateness, and does what is answered.
func TestAfterWork(t *testing.T) {
	t.Parallel()
	w := env.World{Author: "@ann", Channel: "#team"}
	endings := [2]string{"Done: the run ends", "it is late, then the run ends"}
	for _, words := range []string{
		`ask @bob whether the host is healthy. If not, @ann restarts it. Then tell #team "done"`,
		`@bob restarts it within 30 minutes, otherwise tell @ann "it is late". Then tell #team "done"`,
	} {
		for option, goesOn := range map[string]bool{optOnlyThen: false, optEitherWay: true} {
			p := oneAnswer(t, w, words, "behind", option)
			all := readBack(p.Flow, w)
			if ends := strings.Contains(all, endings[0]) || strings.Contains(all, endings[1]); len(p.Questions) > 0 || ends == goesOn {
				t.Errorf("%q, %s: %+v\n%s", words, option, p.Questions, all)
			}
		}
	}
}

// TestBehindSilence lets a run go on when somebody has not answered, and end, as is answered.
func TestBehindSilence(t *testing.T) {
	t.Parallel()
	w := env.World{Author: "@ann", Channel: "#team"}
	for option, goesOn := range map[string]bool{optEitherWay: true, optOnlyThen: false} {
		p := oneAnswer(t, w, `ask @bob for feedback. If there is no answer after a week, tell @ann "late". Then tell #team "over"`, "behind", option)
		text := readBack(p.Flow, w)
		if ends := strings.Contains(text, "then the run ends"); len(p.Questions) > 0 || ends == goesOn {
			t.Errorf("%s: %+v\n%s", option, p.Questions, text)
		}
		raised, err := raise.Tree(p.Flow)
		if err != nil {
			t.Fatal(err)
		}
		if again := strings.Replace(readBack(Plan(raised, w).Flow, w), "feedback?", "feedback.", 1); again != text {
			t.Errorf("%s: raised and lowered again it is\n%s\nand not\n%s", option, again, text)
		}
	}
}

// oneAnswer plans words that one question of this kind is asked about, and gives the answer.
func oneAnswer(t *testing.T, w env.World, words, kind, option string) *Proposal {
	t.Helper()
	tr, ok := outline.Read(words, "U1")
	p := Plan(tr, w)
	if !ok || len(p.Questions) != 1 || p.Questions[0].Kind != kind {
		t.Fatalf("%q: the questions are %+v", words, p.Questions)
	}
	next, err := Answer(p.Tree, w, p.Questions[0].ID, option, "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	return compareAll(t, next, w)
}

// compareAll plans a tree and says of each sentence that is to be compared that it is right.
func compareAll(t *testing.T, tr *tree.Tree, w env.World) *Proposal {
	t.Helper()
	p := Plan(tr, w)
	if len(p.Questions) != 1 || p.Questions[0].Kind != "confirm" {
		return p
	}
	next, err := Answer(p.Tree, w, p.Questions[0].ID, "right", "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	return Plan(next, w)
}

func readBack(f *flow.Flow, w env.World) string {
	var out []string
	for _, line := range readback.Lines(f, w.Tools, nil) {
		out = append(out, line.Text)
	}
	return strings.Join(out, "\n")
}

// TestBack repeats the steps from the one that is sent back, or ends the run, as is answered.
func TestBack(t *testing.T) {
	t.Parallel()
	w := env.World{Author: "@ann", Channel: "#team"}
	for option, want := range map[string]string{
		"again": "Otherwise → 2.",
		"ends":  "Stop: the run ends.",
	} {
		p := oneAnswer(t, w, "@cleo packs it. @ann drafts the post. @bob accepts it or sends it back to @ann. Then @cleo publishes it", "back", option)
		if text := readBack(p.Flow, w); p.Flow == nil || !strings.Contains(text, want) || !strings.HasPrefix(text, "@cleo does this: Packs it.") {
			t.Errorf("%s: %+v\n%s", option, p.Questions, text)
		}
	}
}

// TestAfterNoStays keeps the question about a no open when the condition behind it becomes a question to a person.
func TestAfterNoStays(t *testing.T) {
	t.Parallel()
	w := env.World{Author: "@ann", Channel: "#team"}
	tr, _ := outline.Read(`ask @bob if somebody can cover. If the vacation is long ask @ann to approve. Tell #team "decided"`, "U1")
	p := Plan(tr, w)
	decides := slices.IndexFunc(p.Questions, func(q Question) bool { return q.Kind == "condition" })
	if decides < 0 {
		t.Fatalf("the questions are %+v", p.Questions)
	}
	next, err := Answer(p.Tree, w, p.Questions[decides].ID, optPerson, "@bob", "U1")
	if err != nil {
		t.Fatal(err)
	}
	if p = Plan(next, w); !slices.ContainsFunc(p.Questions, func(q Question) bool { return q.Kind == "behind" }) {
		t.Errorf("nobody is asked what follows a no: %+v\n%s", p.Questions, readBack(p.Flow, w))
	}
}
