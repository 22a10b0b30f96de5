package project

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/run"
	"sluice/engine/tool"
	"sluice/render"
)

// StatusCard shows where a run stands: title, progress, a task per node.
func (p *Projector) StatusCard(ctx context.Context, id string) (card.Card, error) {
	v, err := p.Engine.View(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Title: v.Run.Title, Text: statusLine(v), Tasks: tasks(v)}
	if v.Held(run.HoldRun) {
		c.Buttons = append(c.Buttons, card.Button{Action: "run.resume", Label: "Resume", Value: v.Run.ID, Style: card.Primary})
	}
	if v.Held(run.HoldKey) {
		c.Buttons = append(c.Buttons, card.Button{
			Action: "run.ahead", Label: "Run anyway", Value: v.Run.ID, Style: card.Danger,
			Confirm: &card.Confirm{Title: "Do not wait?", Text: "An earlier run for the same thing is not over. Both would go on side by side. Your name is recorded.", Yes: "Run anyway", No: "Let it wait"},
		})
	}
	if !run.Status(v.Run.Status).Final() {
		c.Buttons = append(c.Buttons, card.Button{
			Action: "run.cancel", Label: "Cancel", Value: v.Run.ID, Style: card.Danger,
			Confirm: &card.Confirm{Title: "Cancel this run?", Text: "Steps that have finished stay as they are.", Yes: "Cancel the run", No: "Let it go on"},
		})
	}
	c.Buttons = append(c.Buttons, card.Button{Action: "run.show", Label: "Flowchart", Value: v.Run.Name})
	c.Context = []string{fmt.Sprintf("%s · %s revision %d · asked for by %s, %s%s", card.Escape(v.Run.Name), card.Escape(v.Run.Flow), v.Run.Revision, requester(v), card.Date(v.Run.Started), cost(v))}
	if from, ok := forkedFrom(v); ok {
		c.Context = append(c.Context, from)
	}
	if v.Resumed > 0 {
		c.Context = append(c.Context, fmt.Sprintf("Resumed at step %d after an interruption; no finished step was repeated.", v.Resumed))
	}
	return c, nil
}

// forkedFrom says of a run that it was forked, and from which.
func forkedFrom(v *engine.View) (string, bool) {
	for _, f := range slices.Backward(v.Facts) {
		if forked, ok := f.Body.(*run.RunForked); ok {
			return fmt.Sprintf("Goes on from %s, whose finished steps it keeps.", card.Escape(forked.From)), true
		}
	}
	return "", false
}

func requester(v *engine.View) string { return Person(v.Run.By) }

// Person calls a user by id, and says so when it was nobody: a schedule has asked, or a flow.
func Person(user string) string {
	if user == "" {
		return "nobody"
	}
	return "<@" + user + ">"
}

func cost(v *engine.View) string {
	if v.Usage.InputTokens+v.Usage.OutputTokens == 0 {
		return ""
	}
	s := fmt.Sprintf(" · %d tokens", v.Usage.InputTokens+v.Usage.OutputTokens)
	if v.Usage.USD > 0 {
		s += fmt.Sprintf(" ($%.2f)", v.Usage.USD)
	}
	return s
}

// statusLine says where the run stands, in one line.
func statusLine(v *engine.View) string {
	done := 0
	for _, n := range v.Nodes {
		if n.State == run.StateComplete {
			done++
		}
	}
	progress := fmt.Sprintf("%d of %d steps", done, len(v.Flow.Nodes))
	switch run.Status(v.Run.Status) {
	case run.Succeeded:
		return fmt.Sprintf(":white_check_mark: *Done* in %s.", duration(v.Run.Ended.Sub(v.Run.Started)))
	case run.Cancelled:
		line := ":no_entry_sign: *Cancelled*"
		if a := lastActor(v); a.User != "" {
			line += " by <@" + a.User + ">"
		}
		if v.Ended != nil && v.Ended.Reason != "" {
			line += ": " + card.Escape(v.Ended.Reason)
		}
		return line + "."
	case run.Failed:
		return ":x: *Stopped*: a step failed and asks what to do. " + progress + "."
	case run.Paused:
		if h := v.Holds(); len(h) == 1 && h[0].Scope == run.HoldKey {
			return ":hourglass: *Queued* behind " + card.Escape(h[0].Reason) + ", which is for the same thing."
		}
		return ":double_vertical_bar: *Paused* " + HeldBy(v.Holds()) + ". " + progress + " done."
	case run.Waiting:
		return ":raised_hand: *Waiting* " + waitsFor(v) + ". " + progress + " done."
	}
	return ":hourglass_flowing_sand: *Running*. " + progress + "."
}

// HeldBy says who holds a run, and why.
func HeldBy(holds []run.Hold) string {
	var words []string
	for _, h := range holds {
		if h.Scope == run.HoldKey {
			words = append(words, "behind "+card.Escape(h.Reason))
			continue
		}
		what := map[run.HoldScope]string{run.HoldFlow: "with its flow ", run.HoldAll: "with everything "}[h.Scope]
		by := "by Sluice"
		if h.By.User != "" {
			by = "by <@" + h.By.User + ">"
		}
		if h.Reason != "" {
			by += ": " + card.Escape(h.Reason)
		}
		words = append(words, what+by)
	}
	return strings.Join(words, "; ")
}

func lastActor(v *engine.View) run.Actor {
	for _, f := range slices.Backward(v.Facts) {
		if _, ok := f.Body.(*run.RunEnded); ok {
			return f.Actor
		}
	}
	return run.Actor{}
}

// waitsFor names the nodes that wait.
func waitsFor(v *engine.View) string {
	var names []string
	for i := range v.Flow.Nodes {
		if n := &v.Flow.Nodes[i]; v.Nodes[n.ID].State == run.StateWaiting {
			names = append(names, card.Escape(nodeName(n)))
		}
	}
	if len(names) == 0 {
		return "for a time"
	}
	return "at " + strings.Join(names, ", ")
}

func nodeName(n *flow.Node) string {
	if n.Name != "" {
		return n.Name
	}
	return flow.Words(n.ID)
}

var taskStatus = map[run.NodeState]card.TaskStatus{
	run.StatePending: card.TaskPending, run.StateRunning: card.TaskRunning, run.StateWaiting: card.TaskWaiting, run.StateComplete: card.TaskComplete,
	run.StateError: card.TaskError, run.StateCancelled: card.TaskSkipped, run.StateSkipped: card.TaskSkipped,
}

// tasks lists every node with its progress, in the order of reading.
func tasks(v *engine.View) []card.Task {
	var out []card.Task
	for _, n := range reading(v.Flow) {
		out = append(out, card.Task{ID: n.ID, Title: nodeName(n), Status: taskStatus[v.Nodes[n.ID].State], Note: note(v, n.ID)})
	}
	return out
}

// note is a few words about what a node did.
func note(v *engine.View, id string) string {
	n, x := v.Nodes[id], v.Latest(id)
	switch n.State {
	case run.StateWaiting:
		return "waiting"
	case run.StateSkipped:
		return "not needed"
	case run.StateCancelled:
		return "cancelled"
	case run.StateError:
		switch {
		case x.Error == nil:
		case x.Error.Type == run.ErrorGate:
			return notInTime
		default:
			return x.Error.Type
		}
	case run.StateComplete:
		var parts []string
		if x.Choice != "" {
			parts = append(parts, choiceBy(x))
		} else if n.Elapsed >= time.Millisecond {
			parts = append(parts, duration(n.Elapsed))
		}
		if x.Usage.USD > 0 {
			parts = append(parts, fmt.Sprintf("$%.2f", x.Usage.USD))
		}
		if n.Visits > 1 {
			parts = append(parts, fmt.Sprintf("%d times", n.Visits))
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// notInTime is what is said of a question that has expired.
const notInTime = "not answered in time"

// choiceBy is an answer and who gave it, as a picture can show it.
func choiceBy(x run.Visit) string {
	choice := x.Choice
	switch choice {
	case run.ChoiceTimeout:
		choice = notInTime
	case run.ChoiceSkip:
		choice = "skipped"
	}
	if x.By.Name == "" {
		return choice
	}
	return choice + " by " + x.By.Name
}

// duration shows a length of time the way people say it.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Picture is the run's flowchart with what has really happened.
func Picture(v *engine.View) *card.Picture {
	drawn := plan.Number(v.Flow.Plan(), plan.Lines(v.Flow))
	o := &render.Overlay{Nodes: map[string]render.NodeStatus{}, Taken: map[string]render.Taken{}, Header: headers[run.Status(v.Run.Status)]}
	for id, nv := range v.Nodes {
		for _, shape := range drawn.Map[id] {
			o.Nodes[shape] = render.NodeStatus{State: renderState[nv.State], Note: note(v, id)}
		}
	}
	for edge, t := range v.Edges {
		o.Taken[edge] = render.Taken{Count: t.Count, Why: why(t)}
	}
	lightEnds(drawn, o, render.Complete)
	return &card.Picture{Plan: drawn, Overlay: o, Title: v.Run.Title, Key: fmt.Sprintf("run:%s:%d", v.Run.ID, v.Run.Version)}
}

// why explains a taken edge with the values that decided.
func why(t run.EdgeView) string {
	if len(t.Seen) == 0 {
		return t.Why
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t.Seen)) {
		parts = append(parts, fmt.Sprintf("%s = %v", name, t.Seen[name]))
	}
	return t.Why + " (" + strings.Join(parts, ", ") + ")"
}

var renderState = map[run.NodeState]render.State{
	run.StateRunning: render.Running, run.StateWaiting: render.Waiting, run.StateComplete: render.Complete,
	run.StateError: render.Error, run.StateCancelled: render.Cancelled, run.StateSkipped: render.Skipped,
}

var headers = map[run.Status]render.State{
	run.Running: render.Running, run.Waiting: render.Waiting, run.Paused: render.Waiting, run.Succeeded: render.Complete, run.Failed: render.Error, run.Cancelled: render.Cancelled,
}

// resultMost is how much of a run's result a card shows.
const resultMost = 1500

// endCard closes a run: how it ended, its result, and the picture with the edges really taken.
func (p *Projector) endCard(ctx context.Context, id string) (card.Card, error) {
	v, err := p.Engine.View(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Text: fmt.Sprintf("*%s*: %s", card.Escape(v.Run.Title), statusLine(v)), Picture: Picture(v)}
	if text := strings.TrimSpace(v.Result.Text); text != "" && run.Status(v.Run.Status) == run.Succeeded && !endsInMessage(v) {
		if r := []rune(text); len(r) > resultMost {
			text = string(r[:resultMost]) + "…"
		}
		c.Sections = append(c.Sections, card.Section{Title: "Result", Text: card.Escape(text)})
	}
	return c, nil
}

// endsInMessage reports whether the last thing that a run did was to tell somebody: its result then only says that it did.
func endsInMessage(v *engine.View) bool {
	for _, x := range slices.Backward(v.Visits) {
		n := v.Flow.Node(x.Node)
		if n == nil || x.State != run.StateComplete {
			continue
		}
		t, ok := n.Spec.(*flow.ToolSpec)
		return n.Kind == flow.KindSay || ok && t.Tool == tool.PostMessageName
	}
	return false
}

// ShowCard is a run as its readers see it on request: status, picture and open questions.
func (p *Projector) ShowCard(ctx context.Context, id string) (card.Card, error) {
	v, err := p.Engine.View(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Title: v.Run.Title, Text: statusLine(v), Picture: Picture(v)}
	var fields []card.Field
	for _, in := range v.Flow.Inputs {
		if value, ok := v.Start.Inputs[in.Name]; ok {
			shown := fmt.Sprint(value)
			if in.Sensitive {
				shown = "••••••"
			}
			fields = append(fields, card.Field{Name: in.Name, Value: card.Escape(shown)})
		}
	}
	if len(fields) > 0 {
		c.Sections = append(c.Sections, card.Section{Title: "Inputs", Fields: fields})
	}
	c.Context = []string{fmt.Sprintf("%s · revision %d · asked for by %s, %s%s", card.Escape(v.Run.Name), v.Run.Revision, requester(v), card.Date(v.Run.Started), cost(v))}
	return c, nil
}

// FlowCard is a flow's newest revision as its readers see it on request.
func (p *Projector) FlowCard(ctx context.Context, name string, number int, said []string) (card.Card, error) {
	rev, err := p.Engine.Store().Revision(ctx, name, number)
	if err != nil {
		return card.Card{}, err
	}
	f, err := flow.FromJSON(rev.Body)
	if err != nil {
		return card.Card{}, err
	}
	return card.Card{
		Title:    fmt.Sprintf("%s, revision %d", name, rev.Number),
		Text:     fmt.Sprintf("Approved by <@%s>, %s.", rev.By, card.Date(rev.At)),
		Picture:  &card.Picture{Plan: plan.Number(f.Plan(), plan.Lines(f)), Title: name, Key: "revision:" + rev.LockHash},
		Sections: []card.Section{{Title: "What it does", Text: readBack(said)}},
		Context:  []string{"Start it: `" + p.Command + " run " + startWords(f) + "`", "Revision hash `" + rev.LockHash[:min(12, len(rev.LockHash))] + "`"},
	}, nil
}
