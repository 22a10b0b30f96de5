package bot

import (
	"strings"
	"testing"

	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
)

const twoFlow = `
name: two
flow:
  entry: g
  nodes:
    - {id: g, type: approval, name: Buy it, message: "Buy it?", who: {users: ["decider", "member", "owner"], quorum: 2}, routes: [{to: end}]}
`

// TestASecondPressIsNoSecondVote: who answers the same again is told so, with who has answered and who is still asked, and nothing is stored;
// another note is a change.
func TestASecondPressIsNoSecondVote(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	p.save(twoFlow, "owner")
	run, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "two", Actor: request.Incoming{User: "owner"}.Actor(), Channel: "C1", Thread: "50.0"})
	if err != nil {
		t.Fatal(err)
	}
	id := gate.ID(run.Run.ID, 1)
	p.posted(id)
	vote := func(user, word string) string {
		g, err := p.store.Gate(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		body, err := gate.Decode(g)
		if err != nil {
			t.Fatal(err)
		}
		if word == "" {
			return said(p.hear(request.Incoming{Kind: request.KindClick, User: user, Action: "gate.choose:0", Value: surface.GateValue(id, 0, body.Opened.Hash)}))
		}
		return said(p.hear(request.Incoming{Kind: request.KindMention, User: user, Thread: "50.0", Text: word}))
	}
	if c, err := p.bot.Cards.GateCard(t.Context(), id); err != nil || !strings.Contains(c.Context[0].String(), "<@decider> or <@member> or <@owner>, 2 must agree") {
		t.Errorf("the card says %+v (%v)", c.Context, err)
	}
	const so = "Now 1 of 2 answers: <@decider> Approve. Still asked: <@member> or <@owner>."
	for _, step := range []struct{ user, word, says string }{
		{"decider", "", "Your answer *Approve* is counted. " + so},
		{"decider", "", "You have answered *Approve* already, and it counts once. " + so},
		{"decider", "answer approve", "You have answered *Approve* already"},
		{"decider", "answer approve as agreed", "Your answer *Approve* is counted. " + so},
		{"decider", "", "You have answered *Approve* already"},
		{"member", "answer approve", "Answered: *approve*."},
	} {
		if got := vote(step.user, step.word); !strings.Contains(got, step.says) {
			t.Errorf("%s says %q and is told %q, not %q", step.user, step.word, got, step.says)
		}
	}
	v, err := p.bot.Engine.View(t.Context(), run.Run.ID)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.bot.Cards.GateCard(t.Context(), id)
	if err != nil || len(c.Sections) != 1 {
		t.Fatalf("the decided card is %+v (%v)", c, err)
	}
	if got := c.Sections[0].Text.String(); !strings.Contains(got, "*Approve* by <@decider> and <@member>, ") || !strings.Contains(got, "\n<@decider>: Approve\n>as agreed") {
		t.Errorf("the decided card says %s", got)
	}
	status, err := p.bot.Cards.StatusCard(t.Context(), run.Run.ID)
	if err != nil || len(status.Tasks) != 1 || !strings.Contains(status.Tasks[0].Note, "approve by decider and member") {
		t.Errorf("the steps are %+v (%v)", status.Tasks, err)
	}
	votes := 0
	for _, f := range v.Facts {
		if _, ok := f.Body.(*history.Voted); ok {
			votes++
		}
	}
	if votes != 2 {
		t.Errorf("%d votes are stored, and two of the presses changed something", votes)
	}
	trail := p.command("owner", "audit two-1")
	for _, part := range []string{"<@decider>: voted in *two-1* at “Buy it”: *Approve*, with a button", "<@member>: decided in *two-1* at “Buy it”: *Approve*, in a message"} {
		if !strings.Contains(trail, part) {
			t.Errorf("the audit does not say %q:\n%s", part, trail)
		}
	}
}

// TestWhoAllHaveToAnswer: the card joins by "and" those who all have to agree, and by "or" those of whom one is enough.
func TestWhoAllHaveToAnswer(t *testing.T) {
	t.Parallel()
	for who, want := range map[string]string{
		`{users: ["decider", "member"], quorum: 2}`: "<@decider> and <@member>, both must agree",
		`{users: ["decider", "member"]}`:            "<@decider> or <@member>",
	} {
		p := newDoors(t)
		p.save(strings.Replace(twoFlow, `{users: ["decider", "member", "owner"], quorum: 2}`, who, 1), "owner")
		run, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "two", Actor: request.Incoming{User: "owner"}.Actor(), Channel: "C1"})
		if err != nil {
			t.Fatal(err)
		}
		if c, err := p.bot.Cards.GateCard(t.Context(), gate.ID(run.Run.ID, 1)); err != nil || !strings.Contains(c.Context[0].String(), want) {
			t.Errorf("%s: the card says %+v (%v)", who, c.Context, err)
		}
	}
}
