package planner

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/readback"
	"sluice/engine/tool"
)

const readingTools = `
actions:
  - {name: shop.get_order, description: Get an order, words: [get order], method: GET, url: "https://shop.example/o/{{order_id}}", effects: read,
     params: {type: object, properties: {order_id: {type: string}}, required: [order_id]},
     result: {type: object, properties: {order_id: {type: string}, amount: {type: number}, customer: {type: string}, status: {type: string}}}}
  - {name: shop.refund, description: Refund an order, words: [refund order], method: POST, url: "https://shop.example/r", effects: once,
     params: {type: object, properties: {order_id: {type: string}, reason: {type: string}}, required: [order_id, reason]},
     result: {type: object, properties: {fee: {type: number}}}}
  - {name: ci.smoke_tests, description: Run the smoke tests, words: [run smoke tests], method: GET, url: "https://ci.example/s", effects: read,
     params: {type: object, properties: {}}, result: {type: object, properties: {passed: {type: boolean}}}}
`

// readingWorld has the tools of readingTools alone.
func readingWorld(t *testing.T) env.World {
	t.Helper()
	tools, err := tool.LoadActions("tools.yaml", []byte(readingTools), tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := worldOf()
	w.Tools = tools
	return w
}

// TestOffered answers questions with what they offer beside people and lists: a tool that looks up what the words name, a tool that does the
// step, and the people who probably know.
func TestOffered(t *testing.T) {
	t.Parallel()
	w := readingWorld(t)
	w.Tools = append(w.Tools, tool.PostMessage(nil))
	for _, c := range []struct{ words, question, option, want string }{
		{"if the order is over 200, tell @ann hi", "when.0", "look_up.shop.get_order", "1 Get an order with order id from the run's inputs. 2 If amount is over 200 → 2a. If amount is at most 200: the run ends."},
		{"if the order isn't paid, tell @ann hi", "when.0", "look_up.shop.get_order", "2 If status is not paid → 2a. If status is paid: the run ends."},
		{"tell #orders hi. if the smoke tests fail, tell @ann hi", "when.0", "look_up.ci.smoke_tests", "2 Run the smoke tests. 3 If passed is false → 3a."},
		{"repeat until the smoke tests pass: have @bob mend the site, wait 1 hour", "until", "look_up.ci.smoke_tests", "1c Run the smoke tests, then → the end of the round"},
		{"tell @ann the status", "text", "look_up.shop.get_order", "1 Get an order with order id from the run's inputs. 2 Tell @ann: [status]."},
		{"if @bob likes the order, tell @ann hi", "when.0", "person.bob", "1 Ask @bob (yes, no): @bob likes the order?"},
		{"have @bob look at it. if he finds a mistake, tell @ann hi", "when.0", "person.bob", "2 Ask @bob (yes, no): He finds a mistake?"},
		{"refund it, then tell #orders hi", "doer", "tool.shop.refund", "1 Refund it with order id and reason from the run's inputs."},
		{"get the order, tell the customer it is paid", "name.the_customer", "value", "2 Tell the customer from the result of 1: it is paid."},
		{"refund the order, tell them it is on its way", "name.them", "input", "2 Tell the recipient from the run's inputs: it is on its way."},
		{"tell @leads the site is down, then tell #orders hi", "name.@leads", "seen", "1 Ask @leads (Seen, I can't): the site is down? Seen → 2; I can't: the run ends"},
	} {
		tr, ok := outline.Read(c.words, "U1")
		if !ok {
			t.Errorf("%q: no steps", c.words)
			continue
		}
		questions := Plan(tr, w).Questions
		i := slices.IndexFunc(questions, func(q Question) bool { return strings.HasSuffix(q.ID, c.question) })
		if i < 0 {
			t.Errorf("%q asks no question %q: %v", c.words, c.question, questions)
			continue
		}
		next, err := Answer(tr, w, questions[i].ID, c.option, "", "U1")
		if err != nil {
			t.Errorf("%q: %v in %v", c.words, err, questions[i].Options)
			continue
		}
		p := Plan(next, w)
		var said []string
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			said = append(said, l.Number+" "+l.Text)
		}
		if got := strings.Join(said, " "); !strings.Contains(got, c.want) {
			t.Errorf("%q became\n%s\nwant\n%s", c.words, got, c.want)
		}
	}
}

// TestAPersonGivesIt asks somebody for what a run needs that nobody starts by hand: once for all that a step needs.
func TestAPersonGivesIt(t *testing.T) {
	t.Parallel()
	w := readingWorld(t)
	tr, _ := outline.Read("every day at 9: refund the order", "U1")
	for _, name := range []string{"order_id", "reason"} {
		var err error
		if tr, err = Answer(tr, w, "s1.param."+name, "giver", "@bob", "U1"); err != nil {
			t.Fatal(err)
		}
	}
	p := Plan(tr, w)
	if len(p.Questions) > 0 || p.Flow == nil {
		t.Fatalf("it asks %v", p.Questions)
	}
	lines := readback.Lines(p.Flow, w.Tools, p.NodeNumbers())
	if got, want := lines[0].Text+" "+lines[1].Text, "Ask @bob: Please give: order id and reason. Refund the order with order id and reason from the answer in 1."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// TestNotOffered states what a question does not offer in one press: it would mean something else than the words.
func TestNotOffered(t *testing.T) {
	t.Parallel()
	w := readingWorld(t)
	for words, option := range map[string]string{
		"if the order is over 30 days old, ask @bob to check it": "look_up.shop.get_order",
		"if the fee is over 30, ask @bob to check it":            "look_up.shop.refund", // it does more than read
		"if it is over 30, ask @bob to check it":                 "look_up.shop.get_order",
		"refund half of the order":                               "tool.shop.refund",
		"tell @ann the first 3 orders":                           "look_up.shop.get_order",
	} {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Errorf("%q: no steps", words)
			continue
		}
		for _, q := range Plan(tr, w).Questions {
			if slices.ContainsFunc(q.Options, func(o Option) bool { return o.ID == option }) {
				t.Errorf("%q: %q offers %s", words, q.Text, option)
			}
		}
	}
}
