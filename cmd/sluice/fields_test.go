package main

import (
	"slices"
	"strings"
	"testing"
)

const movingFlow = `
name: moving
description: Plans who moves where
inputs:
  day: {type: date, required: true, description: Moving day}
  begins: {type: datetime}
  helper: {type: person, required: true}
  room: {type: channel, default: "#support"}
  plan: {type: file}
  boxes: {type: integer}
  heavy: {type: boolean}
  van: {type: string, enum: [small, medium, large, huge, none, any]}
  notes: {type: string}
flow:
  entry: ask
  nodes:
    - id: ask
      type: ask
      message: "{{inputs.helper}} moves on {{inputs.day}}, at {{inputs.begins}}, {{inputs.room}}, {{inputs.plan.name}}, {{inputs.boxes}} boxes, heavy {{inputs.heavy}}, van {{inputs.van}}. {{inputs.notes}}"
      who: {users: ["@bob"]}
      form:
        back: {type: date, required: true, description: When is it over}
        with: {type: person}
        tell: {type: channel}
        bill: {type: file}
        paid: {type: boolean}
      routes: [{to: said}]
    - {id: said, type: say, message: "Back on {{ask.back}} with {{ask.with}}, told in {{ask.tell}}, {{ask.bill.name}}, paid {{ask.paid}}.", routes: [{to: end}]}
`

// TestEveryTypeOfField enters each type of field in a modal: an input of a run, and an answer.
func TestEveryTypeOfField(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := approved(w, "ana", w.put("ana", "", "moving.yaml", movingFlow), 1)
	m := opens(w, "ana", card, "Run now…")
	file := []any{fields{"name": "plan.txt", "content": "first the sofa"}}
	all := fields{
		"day": "2026-12-01", "begins": "1796112000", "helper": "bob", "room": "general", "plan": file, "boxes": "12", "heavy": "yes", "van": "huge", "notes": "Mind the cat, please",
	}
	if a := fills(w, "ana", m, fields{"day": "2026-12-01"}); a.ResponseAction != "errors" || a.Errors["helper"] == "" {
		t.Fatalf("a form without its person is answered %+v", a)
	}
	if a := fills(w, "ana", m, all); a.ResponseAction != "close" {
		t.Fatalf("the form is answered %+v", a)
	}
	status := theStatus(w)
	ask := w.untilMessage("#support", "the question", func(m message) bool { return m.Thread == status.TS && slices.Contains(m.buttons(), "Answer…") })
	const said = "@bob moves on 2026-12-01, at 2026-12-01T"
	if got := ask.shown(); !strings.Contains(got, said) || !strings.Contains(got, ", #general, plan.txt, 12 boxes, heavy true, van huge. Mind the cat, please") {
		t.Errorf("the question says\n%s", got)
	}
	m = opens(w, "bob", ask, "Answer…")
	if a := fills(w, "bob", m, fields{"back": "2026-12-02", "with": "ana", "tell": "support", "bill": []any{fields{"name": "bill.pdf", "content": "%PDF-1.4"}}, "paid": "no"}); a.ResponseAction != "close" {
		t.Fatalf("the answer is answered %+v", a)
	}
	w.untilShown(ask, "bill: *bill.pdf*")
	w.untilMessage("#support", "the values of the answer", func(m message) bool {
		return strings.Contains(m.Text, "Back on 2026-12-02 with @ana, told in #support, bill.pdf, paid false.")
	})
}

// TestEveryTypeOfFieldTyped: the same values in words: days and people as people write them, and a file that is sent along.
func TestEveryTypeOfFieldTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	approved(w, "ana", w.put("ana", "", "moving.yaml", movingFlow), 1)
	line := w.ask("ana", "#support", "run moving day=31 February helper=@bobb")
	for _, part := range []string{"Day: ", "31 February", "no day that I can read", "Helper: Nobody here is called @bobb. Did you mean @bob?"} {
		if !strings.Contains(line.shown(), part) {
			t.Errorf("what cannot be read is answered without %q\n%s", part, line.shown())
		}
	}
	if line = w.ask("ana", "#support", "run moving day=1.12.2026 helper=@bob bxoes=3"); !strings.Contains(line.shown(), "There is nothing called bxoes (did you mean boxes?)") {
		t.Errorf("a mistyped name is answered\n%s", line.shown())
	}
	w.flow("ana", "#support", "run moving day=1 December 2026 helper=bob heavy=nope boxes=1,200 notes=Mind the cat, please")
	status := theStatus(w)
	ask := w.untilMessage("#support", "the question", func(m message) bool { return m.Thread == status.TS && slices.Contains(m.buttons(), "Answer…") })
	if got := ask.shown(); !strings.Contains(got, "@bob moves on 2026-12-01, at , #support, , 1200 boxes, heavy false, van . Mind the cat, please") {
		t.Errorf("the question says\n%s", got)
	}
	if line := replied(w, "bob", status.TS, "back=2 December 2026, with=me paid=yes tell=#nowhere"); !strings.Contains(line, "There is no channel that we both see called #nowhere") {
		t.Errorf("what is wrong with the answer is answered\n%s", line)
	}
	w.drop("bob", "#support", status.TS, "back=2 December 2026, with=me paid=yes tell=#general", "bill.pdf", "%PDF-1.4")
	w.untilMessage("#support", "the values of the answer", func(m message) bool {
		return strings.Contains(m.Text, "Back on 2026-12-02 with @bob, told in #general, bill.pdf, paid true.")
	})
}
