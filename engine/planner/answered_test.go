package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestWhatPeopleDid reads conditions about what people did in an earlier step. press is the button that answers the first question, typed what
// answers it in words.
func TestWhatPeopleDid(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	w.Kind = func(name string) string {
		return map[string]string{"@ana": "user", "@bob": "user", "@fin": "user", "@finance": "group", "#ops": "channel", "#team": "channel"}[name]
	}
	for _, c := range []struct{ words, press, typed, want, asks string }{
		// an answer word is that of the question that has it, or of the nearest one
		{words: `1. ask @ana if it arrived (yes / no) 2. no -> ask @finance to approve a refund 3. ok -> tell #team "go"`, want: "Approve → 1a1"},
		{words: `1. ask @ana if it arrived 2. no -> ask @finance to approve a refund 3. yes -> tell #team "go"`, want: "Yes → 1b; no → 1a"},
		{words: `ask @ana whether we have stock. yes -> ask @finance to approve it. declined -> tell #ops "no"`, want: "reject → 1a1"},
		{words: `ask @ana to approve. rejected -> ask @fin to approve. approved -> tell #team "go"`, asks: "step 1 is approve|The answer of step 1a is approve"},
		{words: `ask @ana to approve. rejected -> ask @fin to approve. approved -> tell #team "go"`, press: "1a is approve", want: "Approve → 1a1"},
		{words: `1. ask @ana whether it arrived 2. not -> tell #ops "lost"`, want: "no → 1a"},
		// what fails
		{words: `@bob deploys it. If the deployment fails, tell #ops "x"`, want: "I can't → 1a"},
		{words: `@bob tests the login. If the test fails, tell #ops "x"`, asks: "What is meant"},
		// the end of a step, and of approvals
		{words: `@bob reviews the contract. When the review is finished, tell @ana "done"`, want: "2 Tell @ana: done."},
		{words: `@ana packs, @bob writes and @fin pays in parallel. when all three are done, tell #team "go"`, want: "2 Tell #team: go."},
		{words: `@bob fills in the form. If the form is complete, tell #team "x"`, asks: "Who decides"},
		{words: `inputs: amount. up to 9 ask @ana to approve, over 9 ask @fin to approve. If it is rejected, tell #ops "no"`, want: "1b1 Tell #ops: no"},
		{words: `inputs: amount. over 9 ask @ana to approve, over 99 ask @fin to approve. If approved, tell #team "go"`, asks: "The answer of step 1a or 1b is approve"},
		{words: `inputs: amount. over 9 ask @ana to approve, over 99 ask @fin to approve. If approved, tell #team "go"`, press: "1a or 1b", want: "1b1 Tell #team: go"},
		// a time limit
		{words: `ask @bob to approve within 2 days; if he does not answer in time, the decision is escalated to @fin`, want: "@fin too after 2 days"},
		{words: `@bob calls the owner within 1 day. If he doesn't, tell #ops "late"`, want: "no answer in time → 1a; I can't → 1b"},
		{words: `@bob calls the owner within 1 day. If he hasn't called in time, tell #ops "late"`, want: "no answer in time → 1a; I can't: the run ends"},
		{words: `ask @bob to acknowledge it within 1 hour, and tell #ops "late" when he does not acknowledge it`, want: "no answer in time → 1a"},
		{words: `@bob checks the form within 2 hours. If the form is not complete, tell #ops "x"`, asks: "Who decides"},
		{words: `ask @bob to approve within 2 days. if he doesn't, tell #ops "late"`, asks: "No answer in step 1 in time|The answer of step 1 is reject"},
		{words: `@bob calls within 1 day. If he doesn't, tell #ops "late". Then tell #team "go"`, press: "as when it is done", want: "late, then → 2"},
		// a reminder
		{words: "ask @bob to approve it. if bob doesnt react in 2 days remind him pls", want: "1 Ask @bob, with a reminder after 2 days (approve"},
		{words: "ask @bob to approve it, max 2 days, else remind him", want: "1 Ask @bob, with a reminder after 2 days (approve"},
		{words: "ask @bob to approve it within 2 days, remind him after 2 days", asks: "A reminder after 2 days; the question stays open"},
		// values, and answers in words
		{words: `when somebody writes "incident <level>" in #ops: if the level is 1, tell #team "x"`, want: "If level is 1 →"},
		{words: `inputs: amount. ask @ana to approve. if it is strange, tell #ops "x"`, typed: "the amount is over 500", want: "If amount is over 500"},
		{words: `ask @ana to approve within 2 days. if it is strange, tell #ops "x"`, typed: "no answer in step 1", want: "no answer in time → 1a"},
		{words: `ask @ana to approve within 2 days. if it is strange, tell #ops "x"`, typed: "the answer of step 1 is reject", want: "reject → 1a"},
		{words: `ask @ana to approve. if it is strange, tell #ops "x"`, typed: "@fin", want: "Ask @fin (yes, no)"},
		{words: `if <n> is over 3: ask @fin for the cost. if the cost is over 9 tell #ops "x"`, press: "A value", want: "If cost is over 9 → 2a"},
	} {
		p := readPlan(t, c.words, w)
		if c.press+c.typed != "" {
			option, value := "", c.typed
			for _, o := range p.Questions[0].Options {
				if c.press != "" && strings.Contains(o.Label, c.press) {
					option = o.ID
				}
				if option == o.ID && len(o.Values) > 0 {
					value = o.Values[0].Value
				}
			}
			next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, option, value, "U1")
			if err != nil {
				t.Errorf("%q, %q: %v in %+v", c.words, c.press+c.typed, err, p.Questions)
				continue
			}
			p = planner.Plan(next, w)
		}
		var lines, asked []string
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			lines = append(lines, l.Number+" "+l.Text)
		}
		for _, q := range p.Questions {
			if asked = append(asked, q.Text); q.ID != compared {
				for _, o := range q.Options {
					asked = append(asked, o.Label)
				}
			}
		}
		got, questions := strings.Join(lines, "\n"), strings.Join(asked, "|")
		found := true
		for part := range strings.SplitSeq(c.asks, "|") {
			found = found && strings.Contains(questions, part)
		}
		if !strings.Contains(got, c.want) || !found || c.asks == "" && asks(p, "What is meant") {
			t.Errorf("%q, %q gives\n%s\n%s", c.words, c.press+c.typed, got, questions)
		}
	}
}
