package bot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/storage"
)

// schedule is a new schedule of the flow ask, by its owner.
func (p *doors) schedule() string {
	p.Helper()
	p.hear(request.Incoming{Kind: request.KindCommand, User: "owner", Text: `schedule ask "@daily"`})
	rows, err := p.store.Schedules(p.Context(), "ask")
	if err != nil || len(rows) == 0 {
		p.Fatalf("no schedule: %v", err)
	}
	return rows[len(rows)-1].ID
}

// onSchedule is a command about a new schedule.
func onSchedule(text string) func(*doors, string) request.Incoming {
	return func(p *doors, user string) request.Incoming {
		id := p.schedule()
		return typed(fmt.Sprintf(text, id[len(id)-6:]))(p, user)
	}
}

// pressProposed presses the button under a schedule that the owner of the flow has asked for.
func pressProposed(p *doors, _ string) request.Incoming {
	asked := p.hear(request.Incoming{Kind: request.KindCommand, User: "owner", Text: "schedule ask every second friday at 9"})
	return request.Incoming{Kind: request.KindClick, Action: "schedule.add", Value: asked[0].Buttons[0].Value}
}

// scheduled are the schedules of the flow refund.
func (w *world) scheduled() []storage.Schedule {
	w.Helper()
	rows, err := w.store.Schedules(w.Context(), "refund")
	if err != nil {
		w.Fatal(err)
	}
	return rows
}

// TestAScheduleInWordsIsShownBeforeItCounts: words become a schedule by a press, once; what cannot be read becomes none.
func TestAScheduleInWordsIsShownBeforeItCounts(t *testing.T) {
	t.Parallel()
	w := operated(t)
	for text, want := range map[string]string{
		"schedule refund": "Name the flow and when it starts",
		"schedule refund every friday unless it rains order_id=A-1":   "I cannot read “every friday unless it rains” as a schedule. For example: `",
		"schedule refund every second friday at 9":                    "order_id is missing",
		"schedule refund order_id=A-1 every second friday at 9":       "Name the flow and when it starts, before the inputs",
		"schedule nothing every second friday at 9 order_id=A-1":      "no such flow",
		"schedule refund every 15 minutes between 9 and 5 order_id=A": "I cannot read",
	} {
		got := w.command("bob", text)
		if want, hint, _ := strings.Cut(want, " For example"); !strings.Contains(got, want) || !strings.Contains(got, hint) {
			t.Errorf("%q is answered %q", text, got)
		}
	}
	asked := w.hear(request.Incoming{Kind: request.KindCommand, User: "bob", Text: "schedule refund every 15 minutes between 9 and 17 on weekdays in Europe/Berlin order_id=two words, and more"})
	if got := said(asked); !strings.Contains(got, "every 15 minutes between 09:00 and 17:00 on weekdays (Europe/Berlin)") || len(asked[0].Buttons) != 1 {
		t.Fatalf("it is shown as %q with %+v", got, asked[0].Buttons)
	}
	if shown := asked[0].Sections[0].Text.String(); strings.Count(shown, "<!date^") != 5 {
		t.Errorf("the next times are %q", shown)
	}
	if rows := w.scheduled(); len(rows) > 0 {
		t.Fatalf("it was stored before anybody said yes: %+v", rows)
	}
	press := func(user string) string { return w.click(user, "schedule.add", asked[0].Buttons[0].Value) }
	if got := press("ana"); !strings.Contains(got, "no such") {
		t.Errorf("a click of another person is answered %q", got)
	}
	if got := press("bob"); !strings.Contains(got, "*refund* starts by itself: every 15 minutes between 09:00 and 17:00 on weekdays") {
		t.Errorf("the press is answered %q", got)
	}
	if got := press("bob"); !strings.Contains(got, "done already") {
		t.Errorf("the second press is answered %q", got)
	}
	rows := w.scheduled()
	if len(rows) != 1 || rows[0].Cron != "*/15 9-16 * * 1-5" || rows[0].Zone != "Europe/Berlin" || rows[0].Owner != "bob" || !strings.Contains(string(rows[0].Inputs), `"two words, and more"`) || !rows[0].Next.After(time.Now()) {
		t.Errorf("stored is %+v", rows)
	}
}

// TestStartsAreLeftOut: the next start, or all until a date, and taken back.
func TestStartsAreLeftOut(t *testing.T) {
	t.Parallel()
	w := operated(t)
	w.command("bob", `schedule refund "0 9 * * *" UTC order_id=A-1`)
	first := w.scheduled()[0]
	id := first.ID[len(first.ID)-6:]
	next := func() time.Time { return w.scheduled()[0].Next }
	hear := func(user, text string) card.Card {
		return w.hear(request.Incoming{Kind: request.KindCommand, User: user, Text: text})[0]
	}
	if got := w.command("ana", "skip next refund"); !strings.Contains(got, "Only the schedule's owner") || !next().Equal(first.Next) {
		t.Errorf("ana is told %q", got)
	}
	left := hear("bob", "skip next refund")
	if got := left.Text.String(); !strings.Contains(got, "leaves out its start on") || !next().Equal(first.Next.AddDate(0, 0, 1)) {
		t.Errorf("bob is told %q, next %s", got, next())
	}
	if got := w.command("bob", "schedules"); !strings.Contains(got, "every day at 09:00") || !strings.Contains(got, "without those from") {
		t.Errorf("it is listed as %q", got)
	}
	w.click("bob", left.Buttons[0].Action, left.Buttons[0].Value)
	if !next().Equal(first.Next) {
		t.Errorf("taken back, the next start is %s", next())
	}
	for text, days := range map[string]int{"pause " + id + " for two weeks": 14, "pause refund schedule for 3 days": 3} {
		rest := hear("bob", text)
		if got := rest.Text.String(); !strings.Contains(got, "is paused until") || next().Before(time.Now().AddDate(0, 0, days)) || next().After(time.Now().AddDate(0, 0, days+1)) {
			t.Errorf("%q is answered %q, next %s", text, got, next())
		}
		if got := w.command("bob", "resume "+id); !strings.Contains(got, "goes on") || !next().Equal(first.Next) {
			t.Errorf("resumed, the next start is %s: %s", next(), got)
		}
	}
	hear("bob", "pause refund schedule for two weeks")
	if got := hear("bob", "pause refund schedule for 3 days").Text.String(); !strings.Contains(got, "which was left out until now") || !strings.Contains(got, "skip "+id) {
		t.Errorf("a shorter pause is answered %q", got)
	}
	w.command("bob", "resume "+id)
	for text, want := range map[string]string{
		"pause " + id + " until pigs fly":   "I cannot read “until pigs fly” as a time to come",
		"pause refund until tomorrow":       "Only schedules can be paused until a date",
		"pause refund-1 until tomorrow":     "Only schedules can be paused until a date",
		"skip next nothing":                 "no such run, flow or schedule",
		"skip next":                         "Which schedule?",
		"skip refund-1":                     "No step of refund-1 has failed",
		"pause " + id + " for the holidays": "is paused",
		"skip " + id:                        "there is no next start to leave out",
	} {
		user := "bob"
		if text == "pause refund until tomorrow" {
			user = "ana" // its owner
		}
		if strings.HasPrefix(text, "skip "+id) {
			w.command("bob", "pause "+id)
		}
		if got := w.command(user, text); !strings.Contains(got, want) {
			t.Errorf("%q is answered %q", text, got)
		}
	}
	if w.status("refund-1") == "paused" {
		t.Error("a run was paused without an end")
	}
}
