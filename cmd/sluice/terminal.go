package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sluice/engine"
	"sluice/engine/expr"
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
	run     string              // id, known before its first step
	answers map[string][]string // by gate; used up one visit or vote at a time
	moved   chan struct{}
	lines   chan typed

	mu    sync.Mutex // guards what follows, and keeps printed lines whole
	shown int64      // facts shown so far
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

// Post implements tool.Messenger: a message is a line, below what led to it.
func (t *terminal) Post(ctx context.Context, m tool.Message) (tool.Posted, error) {
	v, err := t.engine.View(ctx, t.run)
	if err != nil {
		return tool.Posted{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress(v)
	where := m.Channel
	if where == "" {
		where = "message"
	}
	t.say("  %s: %s", where, strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n    "))
	return tool.Posted{Channel: m.Channel, TS: m.Key}, nil
}

func (t *terminal) say(format string, args ...any) {
	if !t.quiet {
		fmt.Fprintf(t.std.out, format+"\n", args...)
	}
}

// watch shows what happens until the run is over. Ctrl-C cancels the run first.
func (t *terminal) watch(ctx context.Context) error {
	bg := context.WithoutCancel(ctx)
	for {
		v, err := t.engine.View(bg, t.run)
		if err != nil {
			return err
		}
		t.mu.Lock()
		t.progress(v)
		t.mu.Unlock()
		if run.Status(v.Run.Status).Final() {
			return nil
		}
		open, err := t.engine.Store().Gates(bg, storage.GateQuery{Run: t.run, Open: true})
		if err != nil {
			return err
		}
		if len(open) > 0 {
			if err := t.ask(ctx, open[len(open)-1]); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			if err := t.cancel(bg); err != nil {
				return err
			}
		case <-t.moved:
		}
	}
}

func (t *terminal) cancel(ctx context.Context) error {
	err := t.engine.Cancel(ctx, t.run, run.Actor{Name: "you", Via: run.ViaCLI}, "interrupted in the terminal")
	var ue *engine.UserError
	if errors.As(err, &ue) {
		return nil // it ended at the same moment
	}
	return err
}

// progress prints the facts that were not printed yet. t.mu is held.
func (t *terminal) progress(v *engine.View) {
	for _, f := range v.Facts {
		if f.Seq <= t.shown {
			continue
		}
		t.shown = f.Seq
		t.show(v, f)
	}
}

func (t *terminal) show(v *engine.View, f run.Fact) {
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
			t.say("  → %s because %s", b.To, why(b))
		}
	case *run.TimerSet:
		if b.Timer.Kind == run.TimerWait {
			t.say("  … %s waits until %s", f.Node, b.Timer.Due.Format("2006-01-02 15:04 MST"))
		}
	case *run.Voted:
		t.say("  · %s: %s, and more votes are needed", f.Node, b.Choice)
	case *run.LimitReached:
		t.say("  ! the limit %s was reached: %s", b.Limit, b.Action)
	case *run.RunEnded:
		t.say("%s %s", v.Run.Title, b.Status)
	}
}

// why says what a route was chosen for: the values that its condition saw, else the condition itself.
func why(b *run.RouteTaken) string {
	var seen []string
	for _, name := range slices.Sorted(maps.Keys(b.Seen)) {
		if len(b.Seen) > 1 && strings.Contains(name, " ") {
			continue // the whole expression, beside its parts
		}
		value := expr.Text(b.Seen[name])
		if value == "" {
			value = "missing"
		}
		seen = append(seen, name+" is "+value)
	}
	if len(seen) == 0 {
		return b.Why
	}
	return strings.Join(seen, ", ")
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
