package change

import (
	"strings"
	"testing"

	"sluice/engine/planner/outline"
)

// TestStandInBehindTheWhole: steps in the place of words behind a parallel step, or behind a loop whose sentence had ended, are no part of it.
// Where the words stood behind one of several cases, a person is asked.
func TestStandInBehindTheWhole(t *testing.T) {
	t.Parallel()
	parallel, loop := "in parallel: @bob prepares the laptop, @fin sets up the payroll", "for each guest ask @bob to check the name"
	const (
		gate  = "ask @ana to approve. if she says no tell #ops"
		cases = "get the order. if the amount is over 100 ask @ana to approve, and if it is over 500 ask @fin to approve"
	)
	for _, c := range []struct{ words, at, places string }{
		{parallel + " forever and a day", "2", ""},
		{parallel + ". forever and a day", "2", ""},
		{loop + ". forever and a day", "2", ""},
		{loop + " forever and a day", "1b", ""},
		{gate + " forever and a day", "1b", ""},
		{gate + ". forever and a day", "2", "Behind step 1; In step 1 after “reject”, behind step 1a"},
		{gate + ". forever and a day. pay it out", "2", "Behind step 1; In step 1 after “reject”, behind step 1a; At the end"},
		{gate + " and stop. forever and a day", "2", ""},
		{cases + ". forever and a day", "3", "Behind step 2; In step 2b when “it is over 500”, behind step 2b1; In step 2 when “the amount is over 100”, behind step 2b"},
	} {
		base, _ := outline.Read(c.words, "U1")
		gap, ok := base.Find(0, 0, "forever and a day")
		next, err := StandIn(base, "tell #team it is done", "U1", gap)
		if err != nil || !ok {
			t.Fatal(err)
		}
		var places []string
		for _, o := range next.Objections {
			for _, p := range Places(next, o) {
				places = append(places, p.Label)
			}
		}
		if got, asked := sketch(next), strings.Join(places, "; "); !strings.Contains(got, "; "+c.at+" tell #team") || asked != c.places {
			t.Errorf("%q: %s (%s)", c.words, got, asked)
		}
	}
}

// TestStandInAmongStepsSaidAnew: the answer stands where the words stood, also when the steps around them were said anew, and so does an answer to a part
// of an answer. What another text has put below a step does not go in silence when that one is said anew.
func TestStandInAmongStepsSaidAnew(t *testing.T) {
	t.Parallel()
	base, _ := outline.Read("ask @bob for the cost. if it is over 500 ask @fin to approve. forever and a day. pay it out", "U1")
	gap, _ := base.Find(0, 0, "forever and a day")
	next := base
	for _, words := range []string{"1. ask @bob for the items and the cost", "2. if the cost is over 500 ask @fin to approve", "3. ask @ana to pay it out"} {
		var err error
		if next, _, err = Apply(next, words, "U1"); err != nil {
			t.Fatal(err)
		}
	}
	next, err := StandIn(next, "never and none. Then tell #team \"on\"", "U1", gap)
	if err != nil {
		t.Fatal(err)
	}
	inner, _ := next.Find(len(next.Texts)-1, 0, "never and none")
	if next, err = StandIn(next, "ask @ana to order it", "U1", inner); err != nil {
		t.Fatal(err)
	}
	if got, want := sketch(next), "3 do @ana order it; 4 tell #team on; 5 do @ana pay it out"; !strings.Contains(got, want) {
		t.Errorf("%s, not %s", got, want)
	}
	o := next.Objections[len(next.Objections)-1]
	places := Places(next, o)
	if len(places) != 3 || places[1].Label != "In step 2 when “the cost is over 500”, behind step 2a" {
		t.Fatalf("places: %+v", places)
	}
	Put(next, o, places[1].Behind)
	if got, want := sketch(next), "2b do @ana order it; 2c tell #team on; 3 do @ana pay it out"; !strings.Contains(got, want) {
		t.Errorf("%s, not %s", got, want)
	}
	if next, _, err = Apply(next, "2. if the cost is over 600 ask @fin to approve", "U1"); err != nil || !strings.Contains(next.Objections[len(next.Objections)-1].Text, " gone") {
		t.Errorf("nothing is asked about the steps that went: %+v (%v)", next, err)
	}
}

// TestStandInBeforeAndBeside: an answer stands where its words stood: in front of a whole condition, loop or parallel step of later words, outside of
// what another answer says, and on the other side of a condition where it says so.
func TestStandInBeforeAndBeside(t *testing.T) {
	t.Parallel()
	const gap, gap2 = "forever and a day", "never and none"
	for _, c := range []struct{ words, first, second, want string }{
		{gap + ". If the boss does not like it, @lee files it", "ask @bob to sign", "", "1 ask @bob; 2 decide [the boss does not like it]; 2a do @lee files it"},
		{gap + ". For each guest ask @bob to check the name", "ask @ana to open the list", "", "1 do @ana open the list; 2 each; 2a do @bob check the name"},
		{gap + ". In parallel: @bob packs, @fin pays", "ask @ana to begin", "", "1 do @ana begin; 2 parallel; 2a do @bob packs; 2b do @fin pays"},
		{gap + ". If it rains, @lee looks and if it snows, @tom looks", "tell #team \"hello\"", "", "1 tell #team hello; 2 decide [it rains]; 2a do @lee looks; 3 decide [it snows]; 3a do @tom looks"},
		{
			"@ana counts; " + gap + "; " + gap2 + ". @lee files it", "if it is over 100, ask @bob to sign", "if it is over 500, ask @cfo to sign",
			"1 do @ana counts; 2 decide [it is over 100]; 2a ask @bob; 3 decide [it is over 500]; 3a ask @cfo; 4 do @lee files it",
		},
		{
			"@ana counts; " + gap + ", " + gap2 + ". @lee files it", "if it is over 100, ask @bob to sign", "ask @kim to pay",
			"1 do @ana counts; 2 decide [it is over 100]; 2a ask @bob; 3 do @kim pay; 4 do @lee files it",
		},
		{"If the fee has been sent, it is counted " + gap, "if not, tell @tom to call", "", "1 decide [the fee has been sent]; 1a do it is counted forever and a day; 1b tell @tom to call"},
	} {
		next, _ := outline.Read(c.words, "U1")
		for _, answer := range [][2]string{{gap, c.first}, {gap2, c.second}} {
			at, ok := next.Find(0, 0, answer[0])
			if !ok {
				continue
			}
			var err error
			if next, err = StandIn(next, answer[1], "U1", at); err != nil {
				t.Fatal(c.words, err)
			}
		}
		if got := sketch(next); got != c.want {
			t.Errorf("%q: %s, not %s", c.words, got, c.want)
		}
	}
}

func TestThePersonWhoStartsItGivesValues(t *testing.T) {
	t.Parallel()
	base, ok := outline.Read("1. arrange the visit somehow\n2. @bob prints a badge", "U1")
	if !ok {
		t.Fatal("the words cannot be read")
	}
	for _, words := range []string{"the person who starts it gives name and time", "the requester gives the name and the time", "whoever starts it enters name and time"} {
		next, err := Reread(base, words, "U1", base.Steps[0].ID)
		if err != nil || len(next.Steps) != 1 || next.Input("name") == nil || next.Input("time") == nil {
			t.Errorf("%q in the place of a step gives %+v, %v", words, next, err)
		}
		next, _, err = Apply(base, words, "U1")
		if err != nil || len(next.Steps) != 2 || next.Input("name") == nil || next.Input("time") == nil {
			t.Errorf("the reply %q gives %+v, %v", words, next, err)
		}
	}
	if next, _, err := Apply(base, "ask the requester for the name", "U1"); err != nil || next.Input("name") == nil {
		t.Errorf("the requester is asked for %+v, %v", next, err)
	}
}
