package planner_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/tree"
)

// compared is the id of the question to compare the description with the draft.
const compared = "confirm.long.0"

// TestProseIsCompared answers what prose leaves open, and never gets a draft that can be approved before somebody has compared the two. Each of
// these descriptions was once read otherwise than it was meant, without a question at that place.
func TestProseIsCompared(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/prose.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := everydayWorld(t)
	for words := range strings.SplitSeq(string(src), "\n\n") {
		isCompared(t, w, words)
	}
}

// isCompared answers what words leave open, until the comparison alone is left. A plain no and a draft that stays open are fine, too.
func isCompared(t *testing.T, w env.World, words string) {
	t.Helper()
	tr, ok := outline.Read(words, "U1")
	for n := 0; ok; n++ {
		p := planner.Plan(tr, w)
		if n > 200 {
			t.Fatalf("still open after %d answers: %+v\n%s", n, p.Questions[0], words)
		}
		if len(p.Questions) == 1 && p.Questions[0].ID == compared {
			return
		}
		if len(p.Questions) == 0 && !p.Blocked() {
			t.Errorf("nobody has compared:\n%s", words)
		}
		next := anyAnswer(tr, p, w)
		if next == nil {
			return
		}
		tr = next
	}
}

// anyAnswer answers a question of a draft in any way that it takes.
func anyAnswer(t *tree.Tree, p *planner.Proposal, w env.World) *tree.Tree {
	for _, q := range p.Questions {
		for _, o := range q.Options {
			for _, value := range []string{"", "@bob", "#team", "some words"} {
				if next, err := planner.Answer(t, w, q.ID, o.ID, value, "U1"); err == nil {
					return next
				}
			}
		}
	}
	return nil
}

func TestWhatIsCompared(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	plan := func(words string) *planner.Proposal {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatalf("%q is not read", words)
		}
		return planner.Plan(tr, w)
	}
	for name, c := range map[string]struct {
		words string
		want  []string // parts of the question; none = there is none
	}{
		"prose with conditions": {
			`ask @bob to approve the offer for the new office. if he approves it tell #team that we move into the new office and tell #ops to order the vans. otherwise tell #team that we stay for another year in the old office.`,
			[]string{"“otherwise tell #team", "\n    1c. Tell #team: we stay for another year in the old office", "mind “otherwise” and “another”"},
		},
		"a short one": {`ask @bob to approve the offer. if he approves it tell #team "we move"`, nil},
		"a list of short steps": {"1. ask @bob to approve the offer\n2. tell #team \"we move\"\n3. wait 2 days\n4. ask @ana to approve the plan of the rooms\n5. tell #ops \"go\"\n" +
			"6. wait 1 day\n7. ask @cfo to approve the bill\n8. tell #team \"it is paid\"", nil},
		"a long item of a list": {
			"1. ask @bob to approve the offer\n2. if he does not answer within 2 days then tell #team \"we stay\" and also tell #ops \"nobody has answered\"",
			[]string{"“if he does not answer within 2 days"},
		},
		"a long message": {`tell #team "if you have not handed in your hours by noon on friday, please do it before you go home, otherwise nobody can be paid on time this month, as you know"`, nil},
	} {
		p := plan(c.words)
		if c.want == nil && len(p.Questions) > 0 || c.want != nil && (len(p.Questions) != 1 || p.Questions[0].ID != compared || !p.Blocked()) {
			t.Errorf("%s: %+v", name, p.Questions)
			continue
		}
		for _, part := range c.want {
			if lines := strings.Join(p.Questions[0].Lines, "\n"); !strings.Contains(lines, part) {
				t.Errorf("%s: the question does not have %q:\n%s", name, part, lines)
			}
		}
		if c.want == nil {
			continue
		}
		next, err := planner.Answer(p.Tree, w, compared, "right", "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		if p := planner.Plan(next, w); p.Blocked() || !slices.Contains(next.Settled, compared) {
			t.Errorf("%s: still open: %+v", name, p.Questions)
		}
	}
}

// TestOpenOrdersAreCompared: words that do not say on which ways something is done are never approved unread.
func TestOpenOrdersAreCompared(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, words := range []string{
		"@ann runs the tests -> if they are green ask @bob to approve -> @ann deploys",
		"asks for an amount. if the amount is over 100 ask @bob to approve, @ann pays it, tell #team \"paid\"",
		"asks for an amount. if the amount is below 50 tell @ana \"pay it\", otherwise ask @cfo to approve",
		"asks for a state. if the state is green ask @bob to approve, then tell #ops \"go\"",
		"ask @bob whether the host is healthy. If not, @ann restarts it. Then tell #team \"done\"",
		"ask @bob if the build is ok and tell #team \"go\"",
		"ask @ana or @bob whether it is safe. Then tell #team \"go\"",
		"@bob restarts it within 30 minutes, otherwise tell @ann \"late\". Then tell #team \"done\"",
		"@bob must confirm within 30 minutes. If not, tell @ann \"late\"",
		"ask @bob for feedback. If there is no answer after a week, tell @ann \"late\". Then tell #team \"over\"",
		"@ann drafts the post. @bob accepts it or sends it back to @ann. Then @cleo publishes it",
		"ask @bob whether the door is open. If yes, escalate to @cfo",
		"over 50 ask @bob to sign off first",
		"tell @bob to water the plants, but not on holidays",
		"tell #ops every 30 minutes that we are on it",
		"@bob handles small claims and @carla handles large claims",
		"@ana packs the parcel and @bob to print the label",
		"ask @ana to publish the notes once @bob has read them",
		"@ana opens the gate, at 2 @bob closes it",
		"#team does the numbers of last week, monday morning 8am",
		`if it is not ok wake up @bob then tell @ana "x"`,
		`get the state and if it is not ok wake up @bob, then tell @ana "x"`,
		`@bob checks the fridge and if the milk is empty, tell @ana "x"`,
	} {
		isCompared(t, w, words)
	}
}

// TestConditionWithoutSteps: a condition behind "and" with no step that is read behind it is asked about, because its steps are in it. It never
// takes the step before it for its own.
func TestConditionWithoutSteps(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, words := range []string{
		"ask @bob to check the lights and if they are broken wake up @ana",
		"get the order and if it is not ok wake up @bob",
		"@bob checks the fridge and if the milk is empty buys some",
		"look at the invoice and if the total is wrong dispute it with the vendor",
	} {
		tr, _ := outline.Read(words, "U1")
		first, _ := outline.Read(`tell #ops "a"`, "U1")
		for _, tr := range []*tree.Tree{tr, replied(t, first, "add after 1: "+words)} {
			p := planner.Plan(tr, w)
			for s := range p.Tree.Walk {
				if s.Kind == tree.Decide {
					t.Errorf("%q is read as a condition in front of %q", words, s.Branches[0].Steps[0].Text)
				}
			}
			if !slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return q.Kind == "clause" && strings.HasPrefix(q.Quote, "and if ") }) {
				t.Errorf("%q: nobody is asked about its condition: %v", words, p.Questions)
			}
		}
	}
	first, _ := outline.Read(`tell #ops "a"`, "U1")
	tr := replied(t, first, `add after 1: if they are broken wake up @ana, then tell @ana "x"`)
	for range 2 {
		if p := planner.Plan(tr, w); len(p.Questions) == 1 && p.Questions[0].ID == "confirm.long.1" {
			return
		} else if tr = anyAnswer(tr, p, w); tr == nil {
			break
		}
	}
	t.Error("the words of a reply are not compared when somebody decides its condition")
}

// TestEverySentenceIsCompared: a long text is compared in several questions, and what was added later together with it.
func TestEverySentenceIsCompared(t *testing.T) {
	t.Parallel()
	w := everydayWorld(t)
	var words strings.Builder
	for i := range 11 {
		fmt.Fprintf(&words, "The paint of wall %d also needs approval from @bob. ", i)
	}
	tr, ok := outline.Read(words.String(), "U1")
	if !ok {
		t.Fatal("not read")
	}
	tr = replied(t, tr, `add at the end: the roof also needs approval from @ana`)
	var shown []string
	for range 20 {
		p := planner.Plan(tr, w)
		if len(p.Questions) == 0 {
			break
		}
		if strings.HasPrefix(p.Questions[0].ID, "confirm.long.") {
			shown = append(shown, strings.Join(p.Questions[0].Lines, "\n"))
		}
		if tr = anyAnswer(tr, p, w); tr == nil {
			t.Fatalf("no answer is taken: %+v", p.Questions)
		}
	}
	all := strings.Join(shown, "\n")
	for i := range 11 {
		if n := strings.Count(all, fmt.Sprintf("“The paint of wall %d also", i)); n != 1 {
			t.Errorf("sentence %d is shown %d times", i, n)
		}
	}
	if len(shown) != 2 || !strings.Contains(shown[1], "“the roof also") {
		t.Errorf("%d questions: %s", len(shown), all)
	}
}
