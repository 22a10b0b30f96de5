package bot

import (
	"slices"
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine"
)

// homeOf is a person's Home as text: the titles of its parts, what it says, and the labels of its buttons.
func (p *doors) homeOf(user string) string {
	p.Helper()
	c, err := p.bot.Home(p.Context(), user)
	if err != nil {
		p.Fatal(err)
	}
	return pageText(c)
}

func pageText(c card.Card) string {
	var b strings.Builder
	for _, part := range c.Page {
		b.WriteString("# " + part.Title + "\n")
		for _, item := range part.Items {
			b.WriteString(item.Text.String())
			for _, s := range item.Sections {
				b.WriteString("\n" + s.Title + " " + s.Text.String())
			}
			for _, button := range item.Buttons {
				b.WriteString(" [" + button.Label + "]")
			}
			for _, small := range item.Context {
				b.WriteString("\n" + small.String())
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestAHomeShowsWhatOneMaySee makes the Home of every sort of person.
func TestAHomeShowsWhatOneMaySee(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	isOneOf := func(user string, all ...[]string) bool { return slices.Contains(slices.Concat(all...), user) }
	for user, person := range sorts {
		got := p.homeOf(user)
		if person.Foreign || person.Bot || !person.Active {
			if !strings.Contains(got, "Only people of this workspace") || strings.Contains(got, "ask-1") || strings.Contains(got, "[") {
				t.Errorf("%s, who is not of this workspace, sees\n%s", user, got)
			}
			continue
		}
		for what, want := range map[string]bool{
			"[Approve]":     isOneOf(user, deciders),
			"Go?":           isOneOf(user, deciders),
			"[Retry]":       isOneOf(user, []string{"asker", "owner", "admin"}),
			"# Your runs":   user == "asker",
			"# Your flows":  isOneOf(user, readers),
			"[Run now]":     isOneOf(user, readers),
			"# Welcome":     isOneOf(user, ours) && !isOneOf(user, readers, deciders, []string{"asker"}),
			"# New":         isOneOf(user, ours),
			"Nothing waits": !isOneOf(user, deciders),
		} {
			if strings.Contains(got, what) != want {
				t.Errorf("%s: %q is shown: %v, want %v\n%s", user, what, !want, want, got)
			}
		}
	}
	r, err := p.store.RunByName(t.Context(), "ask-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.bot.Engine.Cancel(t.Context(), r.ID, request.Incoming{User: "owner"}.Actor(), "", 0); err != nil {
		t.Fatal(err)
	}
	if got := p.homeOf("decider"); strings.Contains(got, "Go?") {
		t.Errorf("a question that is not asked any more is shown\n%s", got)
	}
}

// TestAHomeCountsWhatItLeavesOut: a person with many questions, runs and flows gets a Home of a bounded size that says how many more
// there are.
func TestAHomeCountsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	for range 30 {
		if _, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "ask", Actor: request.Incoming{User: "decider"}.Actor(), Channel: "C1"}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		p.save(strings.ReplaceAll(failFlow, "name: fails", "name: other-"+string(rune('a'+i))), "owner")
	}
	text := ""
	for {
		if text = p.homeOf("decider"); strings.Contains(text, "_and 23 more questions_") { // of 31, when all are asked
			break
		}
		if t.Context().Err() != nil {
			t.Fatal(text)
		}
	}
	for _, want := range []string{"_and 24 more runs_ [Show all]", "_and 16 more flows_ [Show all]"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "Go?"); n != 8 {
		t.Errorf("%d questions are shown", n)
	}
}

// TestAHomeShowsTheLastThatEnded: four of a person's runs that have ended, and a button for the others.
func TestAHomeShowsTheLastThatEnded(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	for n := range 5 {
		run, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "ask", Actor: request.Incoming{User: "member"}.Actor(), Channel: "C1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.bot.Engine.Cancel(t.Context(), run.Run.ID, request.Incoming{User: "owner"}.Actor(), "", 0); err != nil {
			t.Fatal(err)
		}
		text := p.homeOf("member")
		if shown, others := strings.Count(text, "Stopped, "), strings.Contains(text, "_and others that have ended_ [Show all]"); shown != min(n+1, 4) || others != (n == 4) {
			t.Errorf("%d runs have ended: %d are shown, others: %v\n%s", n+1, shown, others, text)
		}
	}
}
