package planner

import (
	"strings"
	"testing"

	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

// Nothing sends the event that words describe: a person says when it has happened, or somebody confirms that a flow does.
func TestWhoSaysThatSomethingHasHappened(t *testing.T) {
	t.Parallel()
	read, ok := outline.Read("1. ask @lee to approve\n2. wait until the parcel arrives\n3. tell @lee \"It is here.\"", "")
	if !ok {
		t.Fatal("the words cannot be read")
	}
	p := Plan(read, env.World{})
	i := -1
	for n, q := range p.Questions {
		if q.Kind == "event" {
			i = n
		}
	}
	if i < 0 || !p.Blocked() {
		t.Fatalf("the questions are %+v", p.Questions)
	}
	byPerson, err := Answer(read, env.World{}, p.Questions[i].ID, "person", "@kim", "U1")
	if err != nil {
		t.Fatal(err)
	}
	if s := byPerson.Steps[1]; s.Doer != tree.DoerPerson || s.Who[0].Is != "@kim" || !strings.Contains(s.Text, "the parcel arrives") {
		t.Errorf("the step is %+v", s)
	}
	byFlow, err := Answer(read, env.World{}, p.Questions[i].ID, "now", "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []*tree.Tree{byPerson, byFlow} {
		for _, q := range Plan(next, env.World{}).Questions {
			if q.Kind == "event" {
				t.Errorf("it is asked again: %+v", q)
			}
		}
	}
}

// TestStartByAMessage: a start that names a channel has a button for the messages there, and no answer leaves its words to be asked about again.
func TestStartByAMessage(t *testing.T) {
	t.Parallel()
	w := env.World{
		Kind:  func(name string) string { return map[byte]string{'#': "channel", '@': "user"}[name[0]] },
		Names: func(string) []string { return []string{"@bob", "#orders", "#support"} },
	}
	read, _ := outline.Read("when somebody posts in #support that a parcel is broken, ask @bob to approve", "")
	asked := Plan(read, w).Questions
	if len(asked) != 1 || asked[0].Options[0].Label != "Any message in #support" {
		t.Fatalf("it asks %+v", asked)
	}
	for _, o := range asked[0].Options {
		value := ""
		if o.Needs != "" {
			value = o.Values[0].Value
		}
		next, err := Answer(read, w, asked[0].ID, o.ID, value, "U1")
		if err != nil {
			t.Fatalf("%s: %v", o.Label, err)
		}
		want := map[string]string{"Any message in #support": "#support", "Any message in a channel...": "#orders"}[o.Label]
		var got strings.Builder
		for _, g := range next.Triggers {
			got.WriteString(g.Channel)
		}
		if more := Plan(next, w).Questions; len(more) > 0 || got.String() != want {
			t.Errorf("%s: it listens to %q and asks %+v", o.Label, got.String(), more)
		}
	}
}

// TestStartByAReaction: where the words name an emoji, a reaction with it is offered, and no message. Words that are typed say what starts it, too.
func TestStartByAReaction(t *testing.T) {
	t.Parallel()
	w := env.World{
		Kind: func(name string) string {
			return map[string]string{"#orders": "channel", "#support": "channel", "@bob": "user"}[name]
		},
		Names: func(string) []string { return []string{"@bob", "#orders", "#support"} },
	}
	for _, c := range []struct{ words, option, value, emoji, channel, cron string }{
		{"when a cook reacts with :fire: in #support, ask @bob to approve", "channel.#support", "", "fire", "#support", ""},
		{"when somebody marks a message with the fire emoji, ask @bob to approve", "channel", "#orders", "fire", "#orders", ""},
		{"when a bell rings, ask @bob to approve", "channel", "#orders", "", "#orders", ""},
		{"when a bell rings, ask @bob to approve", "", "#orders", "", "#orders", ""},
		{"when a bell rings, ask @bob to approve", "", "every hour", "", "", "0 * * * *"},
		{"when a bell rings, ask @bob to approve", "", "when somebody reacts with :eyes: in #orders", "eyes", "#orders", ""},
	} {
		read, _ := outline.Read(c.words, "")
		next, err := Answer(read, w, Plan(read, w).Questions[0].ID, c.option, c.value, "U1")
		if err != nil {
			t.Errorf("%s: %v", c.words, err)
			continue
		}
		if g := next.Triggers[0]; len(next.Triggers) != 1 || g.Emoji != c.emoji || g.Channel != c.channel || g.Cron != c.cron || (g.Match != "") != (c.emoji+c.cron == "") {
			t.Errorf("%s, %q: it is started by %+v", c.words, c.value, next.Triggers)
		}
	}
}

// TestTypedStart: words in the place of the first ones may say what starts the flow and what is done then; further behind "when" is a condition.
func TestTypedStart(t *testing.T) {
	t.Parallel()
	for words, starts := range map[string]int{
		"The sprocket lingers beyond. Tell #ops hello.":                   1,
		"Tell #ops hello. The sprocket lingers beyond. Tell #team hello.": 0,
	} {
		read, _ := outline.Read(words, "")
		next, err := Answer(read, env.World{}, Plan(read, env.World{}).Questions[0].ID, "", "when a bell rings, tell @ana hi", "U1")
		if err != nil || len(next.Triggers) != starts {
			t.Errorf("%s: %v, it is started by %+v", words, err, next)
		}
	}
}
