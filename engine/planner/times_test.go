package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestTimes: a length of time in the words of a step is its deadline, its wait or its repetition, or it is asked about. The answer to the first
// question is the id of an option with what it needs, or "typed" with a text; "" = nothing is asked but whether the draft is meant.
func TestTimes(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, asked, answer, line string }{
		{"@ana notes the meter reading in the book within 2 hours, with the date", "What does “within 2 hours” say in step 1?", "deadline", "@ana does this within 2 hours"},
		{"@ana notes the meter reading in the book within 2 hours, with the date", "What does “within 2 hours” say in step 1?", "typed within 5 hours", "@ana does this within 5 hours"},
		{"@ana and @bob note the meter reading in the book within 2 hours, with the date", "What does “within 2 hours” say in step 2?", "deadline", "@ana does this within 2 hours"},
		{"@ana writes, no later than two working days after the visit, a letter", "What does “no later than two working days” say", "note", "@ana does this: Writes, no later than"},
		{"ask @ana to look by 17:00 whether the gate is shut", "What does “by 17:00” say", "note", "Look by 17:00"},
		{"ask @ana to call the tenant after a week", "What does “after a week” say", "note", "Call the tenant after a week"},
		{"ask @ana to count the visits of the last 30 days", "", "", "Count the visits of the last 30 days"},
		{"ask @ana to list the invoices that are 5 days overdue", "", "", "that are 5 days overdue"},
		{"The request will be answered within 5 working days", "Who or what does", "person @ana", "@ana does this within 5 working days"},
		{"1. open the gate\n2. cleaning of the yard within 48h", "Who or what does", "all @ana", "@ana does this within 2 days: Cleaning of the yard"},
		{"the yard is cleaned", "Who or what does", "person ask @ana to clean the yard, then ask @bob to look at it within 3 days", "@bob does this within 3 days"},
		{"ask @ana to clean the yard. Within two days.", "", "", "@ana does this within 2 days"},
		{`tell @ana "a". Wait one month. Tell @bob "b"`, "How long should the run wait: “one month”?", "typed 30 days", "Wait 30 days."},
		{`@ana signs it. After 3 months @bob decides whether they stay`, "How long should the run wait: “3 months”?", "days", "Wait 90 days."},
		{`tell @ana "a". After a while, tell @bob "b"`, "How long should the run wait: “a while”?", "term.1d", "Wait 1 day."},
		{`tell @ana "a". Wait for the cooling-off period. Tell @bob "b"`, "How long should the run wait: “the cooling-off period”?", "typed two weeks", "Wait 14 days."},
		{`ask @ana to send the bill. After a certain period, @bob looks at the account`, "How long should the run wait: “a certain period”?", "typed 10 days", "Wait 10 days."},
		{`tell @ana "a". Wait out the objection period. Tell @bob "b"`, "How long should the run wait: “the objection period”?", "typed 10 days", "Wait 10 days."},
		{`@bob orders the part. If it is not delivered within a month, tell @ana "late"`, "or how long does @bob have", "typed 30 days", "@bob does this within 30 days"},
		{`tell @ana "a". A timer waits for the quiet window. Tell @bob "b"`, "How long should the run wait", "term.1h", "Wait 1 hour."},
		{`tell @ana "a". Wait until the end of the month. Tell @bob "b"`, "Who says when this has happened", "typed 3 days", "Wait 3 days."},
		{`@bob orders the part. If it is not delivered within 60 days, tell @ana "late"`, "or how long does @bob have", "late", "@bob does this within 60 days"},
		{`@bob orders the part. If it is not delivered within 60 days, tell @ana "late"`, "or how long does @bob have", "typed 2 weeks", "@bob does this within 14 days"},
		{`@bob orders the part. If it is not delivered within 60 days, tell @ana "late"`, "or how long does @bob have", "person @kim", "Wait 60 days."},
		{`ask @bob to hand in the form. If the period expired, tell @ana "late"`, "or how long does @bob have", "typed 2 days", "@bob does this within 2 days"},
		{"@ana waters the plants every 30 minutes until the soil is wet", "Who decides whether “the soil is wet”", "person @ana", "Wait 30 minutes."},
		{`tell @ana "a". Tell @bob "b" every 2 hours till the shop is closed`, "Who decides whether “the shop is closed”", "person @ana", "Wait 2 hours."},
	} {
		tr, _ := outline.Read(c.words, "U1")
		p := planner.Plan(tr, w)
		if q := p.Questions[0]; c.answer != "" {
			option, value, _ := strings.Cut(c.answer, " ")
			if option == "typed" {
				option = ""
			}
			answered, err := planner.Answer(p.Tree, w, q.ID, option, value, "U1")
			if err != nil {
				t.Errorf("%q: %q refuses %q: %v", c.words, q.Text, c.answer, err)
				continue
			}
			p = planner.Plan(answered, w)
			if !strings.Contains(q.Text, c.asked) {
				t.Errorf("%q asks %q", c.words, q.Text)
			}
		} else if q.Kind != "confirm" {
			t.Errorf("%q asks %q", c.words, q.Text)
		}
		var said []string
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			said = append(said, l.Text)
		}
		if all := strings.Join(said, "\n"); !strings.Contains(all, c.line) {
			t.Errorf("%q, %q: %s", c.words, c.answer, all)
		}
	}
}

// TestToolHasNoDeadline: how long a tool has is asked about, also where it is chosen in an answer.
func TestToolHasNoDeadline(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	tr, _ := outline.Read(`the order is cleared within an hour, then tell #ops "x"`, "U1")
	p := planner.Plan(tr, w)
	answered, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "tool", w.Tools[0].Name, "U1")
	if err != nil {
		t.Fatal(err)
	}
	var asked strings.Builder
	for _, q := range planner.Plan(answered, w).Questions {
		asked.WriteString(q.Text)
	}
	if !strings.Contains(asked.String(), "“within an hour”") {
		t.Errorf("nothing is asked about the deadline of a tool: %s", asked.String())
	}
}
