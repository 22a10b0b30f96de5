package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sluice/engine"
	"sluice/engine/run"
	"sluice/engine/tool"
	"sluice/storage"
)

// terminal shows a run's progress line by line, asks its questions at the prompt, and prints what would be posted.
type terminal struct {
	std     stdio
	in      *bufio.Reader
	quiet   bool
	engine  *engine.Engine
	answers map[string]any
	moved   chan struct{}
	shown   int64 // facts shown so far
	lines   chan typed
}

type typed struct {
	text string
	err  error
}

// Transition implements engine.Projection: the terminal keeps no surfaces.
func (t *terminal) Transition(storage.Run, []run.Fact) (made []storage.Surface, stale []string) {
	return nil, nil
}

// Wake implements engine.Projection.
func (t *terminal) Wake() {
	select {
	case t.moved <- struct{}{}:
	default:
	}
}

// Post implements tool.Messenger: a message is a line.
func (t *terminal) Post(_ context.Context, m tool.Message) (tool.Posted, error) {
	where := m.Channel
	if where == "" {
		where = "message"
	}
	t.say("  %s: %s", where, m.Text)
	return tool.Posted{Channel: m.Channel, TS: m.Key}, nil
}

func (t *terminal) say(format string, args ...any) {
	if !t.quiet {
		fmt.Fprintf(t.std.out, format+"\n", args...)
	}
}

// watch shows what happens until the run is over. Ctrl-C cancels the run first.
func (t *terminal) watch(ctx context.Context, id string) error {
	bg := context.WithoutCancel(ctx)
	for {
		v, err := t.engine.View(bg, id)
		if err != nil {
			return err
		}
		t.progress(v)
		if run.Status(v.Run.Status).Final() {
			return nil
		}
		open, err := t.engine.Store().Gates(bg, storage.GateQuery{Run: id, Open: true})
		if err != nil {
			return err
		}
		if len(open) > 0 {
			if err := t.ask(ctx, id, open[len(open)-1]); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			if err := t.cancel(bg, id); err != nil {
				return err
			}
		case <-t.moved:
		}
	}
}

func (t *terminal) cancel(ctx context.Context, id string) error {
	err := t.engine.Cancel(ctx, id, run.Actor{Name: "you", Via: run.ViaCLI}, "interrupted in the terminal")
	var ue *engine.UserError
	if errors.As(err, &ue) {
		return nil // it ended at the same moment
	}
	return err
}

// progress prints the facts that were not printed yet.
func (t *terminal) progress(v *engine.View) {
	for _, f := range v.Facts {
		if f.Seq <= t.shown {
			continue
		}
		t.shown = f.Seq
		switch b := f.Body.(type) {
		case *run.RunStarted:
			t.say("%s started", b.Title)
		case *run.StepStarted:
			t.say("  … %s", f.Node)
		case *run.StepFinished:
			if !b.Aside && b.From == 0 {
				t.say("  ✓ %s%s", f.Node, brief(b.Output.Text))
			}
		case *run.StepFailed:
			t.say("  ✗ %s: %s (%s)", f.Node, b.Error.Error(), b.Next)
		case *run.RouteTaken:
			if b.Why != "" && b.Why != "default" {
				t.say("  → %s because %s", b.To, b.Why)
			}
		case *run.LimitReached:
			t.say("  ! the limit %s was reached: %s", b.Limit, b.Action)
		case *run.RunEnded:
			t.say("%s %s", v.Run.Title, b.Status)
		}
	}
}

func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if r := []rune(text); len(r) > 100 {
		text = string(r[:99]) + "…"
	}
	return ": " + text
}

var errNoAnswer = errors.New("no answer")

// ask puts one question: answered by --answer, else at the prompt. Without any answer the run is cancelled.
func (t *terminal) ask(ctx context.Context, id string, g storage.Gate) error {
	b, err := engine.DecodeGate(g)
	if err != nil {
		return err
	}
	given, preset := t.answers[g.Node]
	if preset {
		delete(t.answers, g.Node) // a later visit of the node is asked again
	} else {
		if given, err = t.prompt(ctx, b.Opened); err != nil {
			if err := t.cancel(context.WithoutCancel(ctx), id); err != nil {
				return err
			}
			if ctx.Err() == nil {
				fmt.Fprintf(t.std.err, "sluice: nobody answers %s (%s); give --answer %s=…\n", g.Node, strings.Join(b.Opened.Choices, ", "), g.Node)
			}
			return nil
		}
	}
	a, err := t.answer(g, b.Opened, fmt.Sprint(given))
	if err == nil {
		_, err = t.engine.Answer(context.WithoutCancel(ctx), a)
	}
	var ue *engine.UserError
	if errors.As(err, &ue) && !preset {
		fmt.Fprintln(t.std.err, ue.Error())
		return nil // asked again
	}
	var late *engine.DecidedError
	if errors.As(err, &late) {
		return nil
	}
	return err
}

// answer turns a typed line into an answer: a choice with an optional value after a space, a form as name=value words, or text.
func (t *terminal) answer(g storage.Gate, o run.GateOpened, line string) (engine.GateAnswer, error) {
	a := engine.GateAnswer{Gate: g.ID, Actor: run.Actor{Name: "you", Via: run.ViaCLI}, Shown: o.Hash}
	if len(o.Choices) > 0 {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		choice, ok := choiceOf(o.Choices, line)
		if !ok {
			if choice, ok = choiceOf(o.Choices, word); !ok {
				return a, &engine.UserError{Code: "bad_choice", Text: fmt.Sprintf("%q is not one of the answers.", line), Hint: "Choose one of: " + strings.Join(o.Choices, ", ") + "."}
			}
			a.Note = rest
			a.Value = asJSON(rest)
		}
		a.Choice = choice
		return a, nil
	}
	if len(o.Form) == 0 {
		a.Text = line
		return a, nil
	}
	form, err := pairs("answer", strings.Fields(line))
	if err != nil {
		return a, &engine.UserError{Code: "bad_answer", Text: err.Error()}
	}
	a.Form = form
	return a, nil
}

func asJSON(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	b, _ := json.Marshal(s)
	return b
}

func (t *terminal) prompt(ctx context.Context, o run.GateOpened) (any, error) {
	fmt.Fprintf(t.std.err, "\n? %s\n", o.Message)
	for _, s := range o.Show {
		v, _ := json.Marshal(s.Value)
		fmt.Fprintf(t.std.err, "  %s: %s\n", s.Name, v)
	}
	if o.Error != nil {
		fmt.Fprintf(t.std.err, "  %s\n", o.Error.Error())
	}
	hint := "answer"
	if len(o.Choices) > 0 {
		hint = strings.Join(o.Choices, " / ")
	} else if len(o.Form) > 0 {
		hint = "name=value ..."
	}
	fmt.Fprintf(t.std.err, "  %s > ", hint)
	select {
	case <-ctx.Done():
		return nil, errNoAnswer
	case l := <-t.read():
		if l.err != nil {
			return nil, l.err
		}
		return strings.TrimSpace(l.text), nil
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

// verdict prints the outcome and turns it into an exit code.
func (t *terminal) verdict(id string, asJSON bool) error {
	v, err := t.engine.View(context.Background(), id)
	if err != nil {
		return err
	}
	status := run.Status(v.Run.Status)
	if asJSON {
		if err := t.printJSON(v); err != nil {
			return err
		}
	}
	switch {
	case status == run.Succeeded:
		return nil
	case status == run.Cancelled && aborted(v):
		return &exitError{code: exitFailed}
	case status == run.Cancelled:
		return &exitError{code: exitCancelled}
	}
	return &exitError{code: exitFailed}
}

// aborted tells a run that a person gave up after a failure from one that was cancelled.
func aborted(v *engine.View) bool {
	for _, x := range v.Visits {
		if x.Error != nil {
			return true
		}
	}
	return false
}

func (t *terminal) printJSON(v *engine.View) error {
	nodes := map[string]any{}
	for id, n := range v.Nodes {
		row := map[string]any{"state": n.State, "visits": n.Visits}
		if x := v.Latest(id); x.Choice != "" {
			row["choice"] = x.Choice
		} else if x.Error != nil {
			row["error"] = x.Error
		}
		nodes[id] = row
	}
	edges := map[string]int{}
	for id, e := range v.Edges {
		edges[id] = e.Count
	}
	e := json.NewEncoder(t.std.out)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"run": v.Run.Name, "title": v.Run.Title, "status": v.Run.Status, "steps": v.Run.Steps, "output": v.Result, "nodes": nodes, "edges": edges,
	})
}
