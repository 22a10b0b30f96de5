package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// modal is a modal as a person has it open.
type modal struct {
	ID     string    `json:"id"`
	Title  labelText `json:"title"`
	Blocks []struct {
		ID       string     `json:"block_id"`
		Type     string     `json:"type"`
		Text     *shownText `json:"text"`
		Label    labelText  `json:"label"`
		Hint     labelText  `json:"hint"`
		Optional bool       `json:"optional"`
		Element  struct {
			Initial string `json:"initial_value"`
		} `json:"element"`
	} `json:"blocks"`
}

// field is what stands in a text field at first.
func (m modal) field(name string) string {
	for _, b := range m.Blocks {
		if b.ID == name {
			return b.Element.Initial
		}
	}
	return ""
}

// hint is what stands below a field.
func (m modal) hint(name string) string {
	for _, b := range m.Blocks {
		if b.ID == name {
			return string(b.Hint)
		}
	}
	return ""
}

// shown is what a person sees of a modal, line by line; a star marks a field that must be filled in.
func (m modal) shown() string {
	lines := []string{string(m.Title)}
	for _, b := range m.Blocks {
		switch {
		case b.Text != nil:
			lines = append(lines, b.Text.Text)
		case b.Optional:
			lines = append(lines, string(b.Label))
		default:
			lines = append(lines, string(b.Label)+"*")
		}
	}
	return strings.Join(lines, "\n")
}

// opens presses a button and gives the modal that opens.
func opens(w *world, person string, m message, label string) modal {
	w.Helper()
	return opened(w, person, m.Channel, func() int64 { return w.click(person, m, label).Seq })
}

// opened gives the modal that somebody opens. One that could not be made is closed and opened again; one that could not be shown in time has a
// button in the channel, or in a direct message when nothing of a channel opens it.
func opened(w *world, person, channel string, open func() int64) modal {
	w.Helper()
	before := len(w.get("views?user=" + person).Views)
	seq := open()
	return poll(w, "a modal of "+person, func() (modal, bool) {
		if views := w.get("views?user=" + person).Views; len(views) > before {
			top := views[len(views)-1]
			if top.Title == "Something broke" {
				w.post("close_view", fields{"user": person, "view_id": top.ID})
				seq = open()
			}
			return top, top.Title != "Something broke" && top.Title != "One moment"
		}
		late, ok := first(w.state(cmp.Or(channel, "@"+person)), func(one message) bool {
			return (one.EphemeralTo == w.id(person) || channel == "") && one.Seq > seq && has(one, "Open the form…")
		})
		if ok {
			seq = w.click(person, late, "Open the form…").Seq
		}
		return modal{}, false
	})
}

// fills sends a modal with values by the names of its fields, and says what Slack does: "close" it, or show problems.
func fills(w *world, person string, m modal, values fields) answer {
	w.Helper()
	all := fields{}
	for name, v := range values {
		all[name] = fields{"value": v}
	}
	a := w.sends("submit", fields{"user": person, "view_id": m.ID, "values": all})
	if !a.OK && a.ResponseAction != "errors" {
		w.Fatalf("the modal is not sent: %s %s", a.Error, a.Detail)
	}
	return a
}

const vacationFlow = `
name: vacation
description: Asks somebody for days off
run: {title: "Vacation from {{input.from}}"}
inputs:
  from: {type: string, required: true, description: First day}
  days: {type: integer, default: 5}
  kind: {type: string, enum: [paid, unpaid]}
  deputies: {type: array}
flow:
  entry: gate
  nodes:
    - id: gate
      type: approval
      message: "{{input.days}} {{input.kind}} days from {{input.from}}?"
      choices: [approve, reject]
      who: {users: ["@bob"]}
      form: {reason: {description: Why not, required_for: [reject]}}
      routes: [{when: "approvals.gate == 'approve'", to: ask}, {when: "approvals.gate == 'reject'", to: no}]
    - {id: ask, type: ask, message: "How was it?", who: {users: ["@bob"]}, routes: [{to: yes}]}
    - {id: yes, type: say, message: "Enjoy. {{ask.output}}", routes: [{to: end}]}
    - {id: no, type: say, message: "No: {{approvals.gate.reason}}", routes: [{to: end}]}
`

// TestForms: a run's inputs, a rejection with its reason, and a free answer are entered in modals.
func TestForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := approved(w, "ana", w.put("ana", "", "vacation.yaml", vacationFlow), 1)

	m := opens(w, "ana", card, "Run now…")
	if got := m.shown(); got != "Vacation\nAsks somebody for days off\nFrom*\nDays\nKind\nDeputies" {
		t.Fatalf("the form of the inputs shows\n%s", got)
	}
	if a := fills(w, "ana", m, fields{"days": "3"}); a.ResponseAction != "errors" || a.Errors["from"] == "" {
		t.Errorf("a form without its first day: %+v", a)
	}
	a := fills(w, "ana", m, fields{"from": "1 December, a Tuesday", "days": "3", "kind": "paid", "deputies": "[bob"})
	if a.ResponseAction != "errors" || !strings.Contains(a.Errors["deputies"], "begins as a JSON list does and is none") || len(a.Errors) != 1 {
		t.Errorf("a deputy that is no list: %+v", a)
	}
	if a = fills(w, "ana", m, fields{"from": "1 December, a Tuesday", "days": "3", "kind": "paid", "deputies": `["bob"]`}); a.ResponseAction != "close" {
		t.Fatalf("the form is answered %+v", a)
	}
	status := theStatus(w)
	gate := w.untilMessage("#support", "the question", func(m message) bool { return m.Thread == status.TS && slices.Contains(m.buttons(), "Reject…") })
	if !strings.Contains(gate.shown(), "3 paid days from 1 December, a Tuesday?") {
		t.Errorf("the question is\n%s", gate.shown())
	}

	if got := opens(w, "ana", gate, "Reject…").shown(); !strings.Contains(got, "This cannot be done") || strings.Contains(got, "Reason") {
		t.Errorf("somebody who may not answer sees\n%s", got)
	}
	m = opens(w, "bob", gate, "Reject…")
	if got := m.shown(); !strings.Contains(got, "Reason*") {
		t.Errorf("the form of a rejection shows\n%s", got)
	}
	fills(w, "bob", m, fields{"reason": "too late, sorry: \"we\" are closed"})
	gate = w.untilShown(gate, "*Reject* by <@"+w.id("bob"))
	if len(gate.buttons()) != 0 || !strings.Contains(gate.shown(), `reason: *too late, sorry: "we" are closed*`) {
		t.Errorf("the decided question is\n%s", gate.shown())
	}
	w.untilMessage("#support", "the reason", func(m message) bool { return strings.Contains(m.Text, `No: too late, sorry: "we" are closed`) })
}

// TestAFreeAnswerInAForm, and what becomes of a form that Slack does not open, or that is sent when the question is over.
func TestAFreeAnswerInAForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	approved(w, "ana", w.put("ana", "", "vacation.yaml", vacationFlow), 1)
	line := w.ask("ana", "#support", "run vacation")
	if !strings.Contains(line.shown(), "from is missing") || !slices.Contains(line.buttons(), "Fill in a form…") {
		t.Fatalf("a run without its inputs is answered\n%s", line.shown())
	}
	w.fault(fields{"target": "api", "kind": "refuse", "method": "views.open", "error": "expired_trigger_id", "times": 1})
	pressed := w.click("ana", line, "Fill in a form…")
	again := w.private("ana", "#support", pressed.Seq)
	if !strings.Contains(again.shown(), "too little time to open the form") {
		t.Fatalf("a form that did not open is answered\n%s", again.shown())
	}
	fills(w, "ana", opens(w, "ana", again, "Open the form…"), fields{"from": "Friday"})
	status := theStatus(w)
	gate := w.untilMessage("#support", "the question", func(m message) bool { return m.Thread == status.TS && slices.Contains(m.buttons(), "Approve") })
	w.click("bob", gate, "Approve")
	ask := w.untilMessage("#support", "the second question", func(m message) bool { return m.Thread == status.TS && slices.Contains(m.buttons(), "Answer…") })
	m := opens(w, "bob", ask, "Answer…")
	w.write("bob", "#support", status.TS, "Good, thank you")
	w.untilMessage("#support", "the answer", func(m message) bool { return strings.HasPrefix(m.Text, "Enjoy. Good, thank you") })
	fills(w, "bob", m, fields{".text": "Bad"})
	w.untilMessage("#support", "what became of an answer that came too late", func(m message) bool {
		return m.EphemeralTo == w.id("bob") && strings.Contains(m.shown(), "This was decided already")
	})
	if n := len(filter(w.state("#support"), func(m message) bool { return strings.HasPrefix(m.Text, "Enjoy.") })); n != 1 {
		t.Errorf("the flow went on %d times", n)
	}
}

// TestTheQuestionsOfADraftInAForm: a draft asks more than its card can show, and a form asks all of it.
func TestTheQuestionsOfADraftInAForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	said := w.write("ana", "#support", "", "@Sluice new parcels: 1. weigh the parcel 2. paint the box 3. sing a song 4. dance a dance 5. tell #support it is done")
	card := w.cardAfter(said.TS, said.TS)
	m := opens(w, "ana", card, "Answer…")
	answers := fields{}
	for i, b := range m.Blocks {
		if strings.Contains(string(b.Label), "?") {
			answers[b.ID] = "A person does it: @bob"
		}
		if i > 0 && strings.Contains(string(b.Label), "dance") {
			answers[b.ID] = "Leave it out"
		}
	}
	if len(answers) != 4 {
		t.Fatalf("the form asks\n%s", m.shown())
	}
	if a := fills(w, "ana", m, answers); a.ResponseAction != "close" {
		t.Fatalf("the form is answered %+v", a)
	}
	card = w.untilMessage("#support", "the draft without questions", func(m message) bool {
		return m.TS == card.TS && slices.Contains(m.buttons(), "Approve")
	})
	if got := card.shown(); !strings.Contains(got, "3. @bob does this: Sing a song.") || !strings.Contains(got, "*Left out of the words*\n• “4. dance a dance”") || slices.Contains(card.buttons(), "Answer…") {
		t.Errorf("the draft says\n%s", got)
	}
}

const guestsFlow = `
name: guests
inputs:
  names: {type: array, required: true, description: Who comes}
  amounts: {type: array, example: [1.5, 2]}
  day: {type: string}
flow:
  entry: each
  max_iterations: 100
  nodes:
    - {id: each, type: foreach, items: inputs.names, as: who, body: hello, routes: [{to: ask}]}
    - {id: hello, type: say, message: "Hello, {{who}}!", routes: [{to: end}]}
    - id: ask
      type: ask
      message: "What is brought?"
      who: {users: ["@bob"]}
      form:
        name: {required: true}
        start_date: {type: date}
        dishes: {type: array, required: true}
        reason: {}
      routes: [{to: said}]
    - {id: said, type: say, message: "{{ask.name}} brings {{join(ask.dishes, ' and ')}}, {{len(ask.dishes)}} in all", routes: [{to: end}]}
`

// TestListsAndTheOrderOfFields: the fields of a form come as they were declared. The values of a list are written in lines or between commas, in a
// modal and in words, and each person is told which values were read.
func TestListsAndTheOrderOfFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := approved(w, "ana", w.put("ana", "", "guests.yaml", guestsFlow), 1)
	m := opens(w, "ana", card, "Run now…")
	if got := m.shown(); got != "Guests\nNames*\nAmounts\nDay" || m.hint("names") != "Who comes. One value a line, or separated by commas." {
		t.Errorf("the form of the inputs shows, with the hint %q\n%s", m.hint("names"), got)
	}
	if a := fills(w, "ana", m, fields{"names": "Bob", "amounts": "1, two"}); a.ResponseAction != "errors" || a.Errors["amounts"] != `This has "two", which is no number.` {
		t.Errorf("a word in a list of numbers is answered %+v", a)
	}
	sent := w.get("clock").Seq
	if a := fills(w, "ana", m, fields{"names": "Smith, John\nDoe, Jane", "amounts": "1, 2"}); a.ResponseAction != "close" {
		t.Fatalf("the form is answered %+v", a)
	}
	if told := w.private("ana", "#support", sent).shown(); !strings.Contains(told, "Names: 2 values: Smith, John; Doe, Jane") || !strings.Contains(told, "Amounts: 2 values: 1; 2") {
		t.Errorf("what was read is told as\n%s", told)
	}
	status := theStatus(w)
	for _, who := range []string{"Smith, John", "Doe, Jane"} {
		w.untilMessage("#support", "the greeting of "+who, func(m message) bool { return m.Text == "Hello, "+who+"!" })
	}
	ask := asked(w, status, "Answer…")
	if got := ask.shown(); !strings.Contains(got, "answer name=… dishes=…, … start_date=… reason=…") {
		t.Errorf("how to answer is told as\n%s", got)
	}
	m = opens(w, "bob", ask, "Answer…")
	if got := m.shown(); !strings.HasSuffix(got, "Name*\nStart date\nDishes*\nReason") {
		t.Errorf("the form of the question shows\n%s", got)
	}
	said := w.write("bob", "#support", status.TS, "dishes=soup, salad reason=late, sorry name=Bob")
	if told := w.private("bob", "#support", said.Seq).shown(); !strings.Contains(told, "name: Bob, dishes: 2 values: soup; salad, reason: late, sorry") {
		t.Errorf("the answer is confirmed by\n%s", told)
	}
	w.untilShown(ask, "name: *Bob*\n>dishes: *2 values: soup; salad*\n>reason: *late, sorry*")
	w.untilMessage("#support", "the values of the answer", func(m message) bool { return m.Text == "Bob brings soup and salad, 2 in all" })

	told := w.ask("ana", "#support", "run guests names=Smith, John day=Friday")
	if got := told.shown(); !strings.Contains(got, "Names: 2 values: Smith; John") {
		t.Errorf("typed names are told as\n%s", got)
	}
	tried := w.ask("ana", "#support", "try guests names=Ana, Bob")
	if got := tried.shown(); !strings.Contains(got, "2 values: Ana; Bob") {
		t.Errorf("a trial is told as\n%s", got)
	}
}
