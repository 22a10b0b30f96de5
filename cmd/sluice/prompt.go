package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/gates"
	"sluice/engine"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// typed is a line from the keyboard.
type typed struct {
	text string
	err  error
}

var errNoAnswer = errors.New("no answer")

// ask puts one question: answered by --answer, else at the prompt. Without any answer the run is cancelled.
func (t *terminal) ask(ctx context.Context, g storage.Gate) error {
	b, err := gate.Decode(g)
	if err != nil {
		return err
	}
	if err := t.showQuestion(ctx, g, b); err != nil {
		return err
	}
	line, preset := t.preset(g.Node)
	if preset {
		fmt.Fprintf(t.std.err, " > %s\n", card.OneLine(line))
	} else {
		if line, err = t.prompt(ctx); err != nil {
			fmt.Fprintln(t.std.err)
			t.unattended = ctx.Err() == nil
			if err := t.cancel(context.WithoutCancel(ctx)); err != nil {
				return err
			}
			if ctx.Err() == nil {
				fmt.Fprintf(t.std.err, "sluice: nobody answers %s; give --answer %s=%q\n", g.Node, g.Node, example(b.Opened))
			}
			return nil
		}
	}
	var a engine.GateAnswer
	changed, err := t.change(ctx, g, b, line)
	if !changed {
		a, err = t.decide(ctx, g, b, line, preset)
	}
	var ue *usererror.Error
	var late *engine.DecidedError
	switch {
	case errors.As(err, &late):
		return nil
	case errors.As(err, &ue) && preset:
		return &exitError{exitBadFile, fmt.Sprintf("--answer %s=%s: %s\nGive it as --answer %s=%q", g.Node, line, ue.Text, g.Node, exampleFor(b.Opened, a.Choice))}
	case errors.As(err, &ue):
		fmt.Fprintln(t.std.err, refusal(ue))
		return nil // asked again
	}
	return err
}

// decide answers a question by a line.
func (t *terminal) decide(ctx context.Context, g storage.Gate, b gate.Body, line string, preset bool) (engine.GateAnswer, error) {
	a, whole, err := t.answer(g, b, line)
	if err == nil && !whole && !preset {
		a, err = t.complete(ctx, g, b, a)
	}
	if err == nil {
		_, err = t.engine.Answer(context.WithoutCancel(ctx), a)
	}
	return a, err
}

// preset takes the next --answer for a gate.
func (t *terminal) preset(gate string) (string, bool) {
	given := t.answers[gate]
	if len(given) == 0 {
		return "", false
	}
	t.answers[gate] = given[1:]
	return given[0], true
}

// answer turns a typed line into an answer: a choice with a note or value after a space, a form, or text; whole says that the line had all of
// it. The person at a terminal is everybody who is asked: where several people must agree, each answer is another person's.
func (t *terminal) answer(g storage.Gate, b gate.Body, line string) (a engine.GateAnswer, whole bool, err error) {
	o := b.Opened
	a = engine.GateAnswer{Gate: g.ID, Actor: history.Actor{Name: "you", Via: history.ViaCLI}, Shown: o.Shown()}
	if o.Needed() > 1 {
		a.Actor.User = fmt.Sprintf("person %d", len(b.Votes)+1)
	}
	if len(o.Choices) > 0 {
		choice, rest, ok := choiceIn(o.Choices, strings.TrimSpace(line))
		if !ok {
			return a, true, &usererror.Error{Code: "bad_choice", Text: fmt.Sprintf("%q is not one of the answers.", line), Hint: "Choose one of: " + strings.Join(o.Choices, ", ") + "."}
		}
		if rest != "" {
			a.Note = rest
			a.Value = asJSON(a.Note)
			if name, _, named := strings.Cut(a.Note, "="); named && slices.Contains(flow.InOrder(o.Form), name) {
				a.Form, _, err = t.readForm(a.Note, g.ID, b)
				a.Choice, a.Note, a.Value = choice, "", nil
				return a, true, err
			}
		}
		a.Choice = choice
		return a, false, nil
	}
	if len(o.Form) == 0 {
		a.Text = line
		return a, true, nil
	}
	a.Form, whole, err = t.readForm(line, g.ID, b)
	return a, whole, err
}

// choiceIn finds the choice that a line begins with, in full or shortened, and what stands behind it.
func choiceIn(choices []string, line string) (choice, rest string, ok bool) {
	if choice, ok = choiceOf(choices, line); ok {
		return choice, "", true
	}
	if choice, rest, ok = gates.Chosen(choices, line); ok {
		return choice, rest, true
	}
	word, rest, _ := strings.Cut(line, " ")
	choice, ok = choiceOf(choices, word)
	return choice, strings.TrimSpace(rest), ok
}

// exampleFor shows how a choice is written with the values that it needs.
func exampleFor(o history.GateOpened, choice string) string {
	var needs []string
	for _, name := range flow.InOrder(o.Form) {
		if f := o.Form[name]; f.Required || slices.Contains(f.RequiredFor, choice) {
			needs = append(needs, name)
		}
	}
	switch {
	case choice == "" || len(needs) == 0:
		return example(o)
	case len(needs) == 1 && needs[0] == "note":
		return choice + " <your note>"
	}
	for i, name := range needs {
		needs[i] = name + "=" + listing.Placeholder(o.Form[name].Type)
	}
	return choice + " " + strings.Join(needs, " ")
}

// example shows how an answer is written.
func example(o history.GateOpened) string {
	switch {
	case len(o.Choices) > 0:
		return strings.Join(o.Choices, "|")
	case len(o.Form) == 0:
		return "…"
	}
	var parts []string
	for _, name := range flow.InOrder(o.Form) {
		f := o.Form[name]
		value := listing.Placeholder(f.Type)
		if len(f.Enum) > 0 {
			var words []string
			for _, e := range f.Enum {
				words = append(words, expr.Text(e))
			}
			value = strings.Join(words, "|")
		}
		parts = append(parts, name+"="+value)
	}
	return strings.Join(parts, " ")
}

func asJSON(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	b, _ := json.Marshal(s)
	return b
}

// showQuestion prints all of a question before it is answered, also when the answer was given on the command line.
func (t *terminal) showQuestion(ctx context.Context, g storage.Gate, b gate.Body) error {
	o := b.Opened
	message := o.Message
	if o.Error != nil {
		message = g.Node + ": " + o.Error.Error()
	}
	if needed := o.Needed(); needed > 1 {
		message += fmt.Sprintf(" (vote %d, %d must agree)", len(b.Votes)+1, needed)
	}
	fmt.Fprintf(t.std.err, "\n? %s\n", indented(message))
	for _, s := range o.Show {
		v, _ := json.Marshal(s.Value)
		fmt.Fprintf(t.std.err, "  %s: %s\n", card.OneLine(s.Name), indented(string(v)))
	}
	if o.Error != nil {
		v, err := t.engine.View(ctx, g.Run)
		if err != nil {
			return err
		}
		if given := v.Given(g.Num, b.Step); given != "" {
			fmt.Fprintf(t.std.err, "  it was given: %s\n", indented(given))
		}
	}
	if _, noted := o.Form["note"]; noted && len(o.Choices) > 0 {
		fmt.Fprintf(t.std.err, "  (a note goes after the answer: “%s your note”)\n", o.Choices[len(o.Choices)-1])
	}
	t.showChange(b)
	fmt.Fprintf(t.std.err, "  %s", strings.ReplaceAll(card.OneLine(example(o)), "|", " / "))
	return nil
}

// indented makes invisible characters of a text visible, and indents its further lines.
func indented(s string) string { return strings.ReplaceAll(card.Visible(s), "\n", "\n  | ") }

// prompt asks at the keyboard.
func (t *terminal) prompt(ctx context.Context) (string, error) {
	fmt.Fprint(t.std.err, " > ")
	select {
	case <-ctx.Done():
		return "", errNoAnswer
	case l := <-t.read():
		return strings.TrimSpace(l.text), l.err
	}
}

// read gives the next typed line. Reading cannot be interrupted, so it happens beside.
func (t *terminal) read() <-chan typed {
	if t.lines == nil {
		t.lines = make(chan typed)
		go func() {
			for {
				s, err := t.in.ReadString('\n')
				if err == io.EOF && s != "" {
					err = nil
				}
				t.lines <- typed{s, err}
				if err != nil {
					return
				}
			}
		}()
	}
	return t.lines
}
