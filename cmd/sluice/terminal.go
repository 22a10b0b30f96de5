package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sluice/engine"
	"sluice/engine/expr"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/engine/view"
	"sluice/storage"
)

// terminal shows a run's progress line by line, asks its questions at the prompt, and prints what would be posted.
type terminal struct {
	std        stdio
	in         *bufio.Reader
	quiet      bool
	engine     *engine.Engine
	tools      tool.Catalogue
	unattended bool                // no person can answer a question here
	run        string              // id, known before its first step
	answers    map[string][]string // by gate; used up one visit or vote at a time
	moved      chan struct{}
	lines      chan typed

	looking sync.Mutex            // guards views
	views   map[string]*view.View // of the runs, as far as their facts were printed

	mu       sync.Mutex // guards what follows, and keeps printed lines whole
	children []string   // ids of the runs that the run has started, and that they have
	indent   string     // of a run that another one has started
}

// Transition implements runner.Projection: the terminal keeps no surfaces, and learns here of runs that the run starts.
func (t *terminal) Transition(r storage.Run, facts []history.Fact) (made []storage.Surface, stale []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Parent != "" && len(facts) > 0 && facts[0].Seq == 1 && !slices.Contains(t.children, r.ID) {
		t.children = append(t.children, r.ID)
	}
	return nil, nil
}

// runs lists the run and those that it has started.
func (t *terminal) runs() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string{t.run}, t.children...)
}

// Wake implements runner.Projection.
func (t *terminal) Wake() {
	select {
	case t.moved <- struct{}{}:
	default:
	}
}

// Post implements tool.Messenger: a message is a line, below what led to it.
func (t *terminal) Post(ctx context.Context, m tool.Message) (tool.Posted, error) {
	if _, err := t.progress(ctx); err != nil {
		return tool.Posted{}, err
	}
	start, err := t.engine.StartOf(ctx, cmp.Or(m.Run, t.run))
	if err != nil {
		return tool.Posted{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.indent = strings.Repeat("  ", start.Depth)
	where := m.Channel
	if where == "" {
		where = "message"
	}
	t.say("  %s: %s", where, strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n    "))
	return tool.Posted{Channel: m.Channel, TS: m.Key}, nil
}

func (t *terminal) say(format string, args ...any) {
	if !t.quiet {
		fmt.Fprintf(t.std.out, t.indent+format+"\n", args...)
	}
}

// watch shows what happens until the run is over. Ctrl-C cancels the run first.
func (t *terminal) watch(ctx context.Context) error {
	bg := context.WithoutCancel(ctx)
	for {
		over, err := t.progress(bg)
		if err != nil || over {
			return err
		}
		open, err := t.open(bg)
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
	err := t.engine.Cancel(ctx, t.run, history.Actor{Name: "you", Via: history.ViaCLI}, "interrupted in the terminal")
	var ue *usererror.Error
	if errors.As(err, &ue) {
		return nil // it ended at the same moment
	}
	return err
}

// open lists the questions of the run and of those that it has started.
func (t *terminal) open(ctx context.Context) (all []storage.Gate, err error) {
	for _, id := range t.runs() {
		open, err := t.engine.Store().Gates(ctx, storage.GateQuery{Run: id, Open: true})
		if err != nil {
			return nil, err
		}
		all = append(open, all...)
	}
	return all, nil
}

// progress prints the facts of all runs that were not printed yet, in the order in which they happened, and says whether the run is over.
func (t *terminal) progress(ctx context.Context) (over bool, err error) {
	type line struct {
		view *view.View
		fact history.Fact
	}
	t.looking.Lock()
	defer t.looking.Unlock()
	if t.views == nil {
		t.views = map[string]*view.View{}
	}
	var lines []line
	for i, id := range t.runs() {
		var facts []history.Fact
		v, err := t.engine.Follow(ctx, id, t.views[id], func(f history.Fact) { facts = append(facts, f) })
		if errors.Is(err, storage.ErrNotFound) && i > 0 {
			continue // it is about to be stored
		}
		if err != nil {
			delete(t.views, id)
			return false, err
		}
		t.views[id] = v
		over = over || i == 0 && history.Status(v.Run.Status).Final()
		for _, f := range facts {
			lines = append(lines, line{v, f})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.fact.At.Compare(b.fact.At) })
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range lines {
		t.indent = strings.Repeat("  ", l.view.Start.Depth)
		t.show(l.view, l.fact)
	}
	return over, nil
}

func (t *terminal) show(v *view.View, f history.Fact) {
	switch b := f.Body.(type) {
	case *history.RunStarted:
		t.say("%s started", called(v))
	case *history.EventWaited:
		t.say("  … %s waits for the event %s", f.Node, b.Name)
	case *history.StepStarted:
		t.say("  … %s", f.Node)
	case *history.StepFinished:
		if !b.Aside && b.From == 0 {
			t.say("  ✓ %s%s", f.Node, brief(b.Output.Text))
		}
	case *history.StepFailed:
		t.say("  ✗ %s: %s (%s)", f.Node, b.Error.Error(), b.Next)
	case *history.RouteTaken:
		if b.Why != "" && b.Why != "default" {
			t.say("  → %s because %s", b.To, why(b))
		}
	case *history.TimerSet:
		if b.Timer.Kind == history.TimerWait {
			t.say("  … %s waits until %s", f.Node, b.Timer.Due.Format("2006-01-02 15:04 MST"))
		}
		if x := v.Visit(f.Step); b.Timer.Kind == history.TimerRetry && x.Error != nil && x.Error.Away {
			t.say("  … %s is tried again at %s", f.Node, b.Timer.Due.Format("15:04:05 MST"))
		}
	case *history.Voted:
		t.say("  · %s: %s, and more votes are needed", f.Node, b.Choice)
	case *history.LimitReached:
		t.say("  ! the limit %s was reached: %s", b.Limit, b.Action)
	case *history.RunEnded:
		t.say("%s %s", called(v), endWords(b, f.Actor, v.Flow))
	}
}

// called is how a run is announced: one that another run has started has that one's title.
func called(v *view.View) string {
	if v.Run.Parent != "" {
		return v.Run.Name
	}
	return v.Run.Title
}

// why is the reason for a route: the values that its condition read, else the condition itself.
func why(b *history.RouteTaken) string {
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
