package surface

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/history"
	"sluice/engine/importer/draftchart"
	"sluice/engine/planner/readback"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/render"
)

// StatusCard shows where a run stands: title, progress, a task per node.
func (cs *Cards) StatusCard(ctx context.Context, id string) (card.Card, error) {
	v, err := cs.Engine.View(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Title: v.Run.Title, Text: statusLine(v), Tasks: tasks(v)}
	if v.Held(history.HoldRun) {
		c.Buttons = append(c.Buttons, card.Button{Action: "run.resume", Label: "Resume", Value: v.Run.ID, Style: card.Primary})
	}
	if v.Held(history.HoldKey) {
		c.Buttons = append(c.Buttons, card.Button{
			Action: "run.ahead", Label: "Run anyway", Value: v.Run.ID, Style: card.Danger,
			Confirm: &card.Confirm{Title: "Do not wait?", Text: "An earlier run for the same thing is not over. Both would go on side by side. Your name is recorded.", Yes: "Run anyway", No: "Let it wait"},
		})
	}
	if !history.Status(v.Run.Status).Final() {
		c.Buttons = append(c.Buttons, card.Button{
			Action: "run.cancel", Label: "Cancel", Value: v.Run.ID, Style: card.Danger,
			Confirm: &card.Confirm{Title: "Cancel this run?", Text: "Steps that have finished stay as they are.", Yes: "Cancel the run", No: "Let it go on"},
		})
	}
	c.Buttons = append(c.Buttons, card.Button{Action: "run.show", Label: "Flowchart", Value: v.Run.Name})
	c.Context = []card.Text{card.Textf("%s · %s version %d · asked for by %s, %s%s", v.Run.Name, v.Run.Flow, v.Run.Revision, requester(v), card.Date(v.Run.Started), cost(v))}
	if from, ok := forkedFrom(v); ok {
		c.Context = append(c.Context, from)
	}
	if v.Resumed > 0 {
		c.Context = append(c.Context, card.Textf("Resumed at step %d after an interruption; no finished step was repeated.", v.Resumed))
	}
	return c, nil
}

// forkedFrom says of a run that it was forked, and from which.
func forkedFrom(v *view.View) (card.Text, bool) {
	for _, f := range slices.Backward(v.Facts) {
		if forked, ok := f.Body.(*history.RunForked); ok {
			return card.Textf("Goes on from %s, whose finished steps it keeps.", forked.From), true
		}
	}
	return card.Text{}, false
}

func requester(v *view.View) card.Text { return Person(v.Run.By) }

// Person calls a user by id. Without one a schedule or a flow has asked, and that is said.
func Person(user string) card.Text {
	if user == "" {
		return card.Textf("nobody")
	}
	return card.User(user)
}

// statusLine says where the run stands, in one line.
func statusLine(v *view.View) card.Text {
	done := 0
	for _, n := range v.Nodes {
		if n.State == history.StateComplete || n.State == history.StateRefused || n.State == history.StateTimedOut || n.State == history.StateByHand {
			done++
		}
	}
	progress := fmt.Sprintf("%d of %d steps", done, len(v.Flow.Nodes))
	switch history.Status(v.Run.Status) {
	case history.Succeeded:
		return endLine(v)
	case history.Cancelled:
		return endLine(v)
	case history.Failed:
		return card.Textf("%s It asks what to do. %s.", endLine(v), progress)
	case history.Paused:
		if h := v.Holds(); len(h) == 1 && h[0].Scope == history.HoldKey {
			return card.Textf(":hourglass: *Queued* behind %s, which is for the same thing.", h[0].Reason)
		}
		return card.Textf(":double_vertical_bar: *Paused* %s. %s done.", HeldBy(v.Holds()), progress)
	case history.Waiting:
		return card.Textf(":raised_hand: *Waiting* %s. %s done.", waitsFor(v), progress)
	}
	return card.Textf(":hourglass_flowing_sand: *Running*. %s.", progress)
}

// HeldBy says who holds a run, and why.
func HeldBy(holds []history.Hold) card.Text {
	var words []card.Text
	for _, h := range holds {
		if h.Scope == history.HoldKey {
			words = append(words, card.Textf("behind %s", h.Reason))
			continue
		}
		what := map[history.HoldScope]string{history.HoldFlow: "with its flow ", history.HoldAll: "with everything "}[h.Scope]
		by := card.Textf("by Sluice")
		if h.By.User != "" {
			by = card.Textf("by %s", card.User(h.By.User))
		}
		if h.Reason != "" {
			by = card.Textf("%s: %s", by, h.Reason)
		}
		words = append(words, card.Textf("%s%s", what, by))
	}
	return card.Join("; ", words...)
}

// waitsFor names the nodes that wait; when all of them wait for Slack, it says so.
func waitsFor(v *view.View) card.Text {
	var names []string
	var since time.Time
	var service history.Visit // that is tried again
	others := false
	for i := range v.Flow.Nodes {
		n := &v.Flow.Nodes[i]
		if v.Nodes[n.ID].State != history.StateWaiting {
			continue
		}
		names = append(names, nodeName(n))
		if x := v.Latest(n.ID); away(x) {
			service = x
		}
		at, slack := waitsForSlack(v.Latest(n.ID))
		if others = others || !slack; since.IsZero() || at.Before(since) {
			since = at
		}
	}
	switch {
	case len(names) == 0:
		return card.Textf("for a time")
	case !others:
		return card.Textf("for Slack since %s, to post the message of %s", card.Date(since), strings.Join(names, ", "))
	}
	if service.Error != nil {
		return card.Textf("at %s: %s. The next try is %s", strings.Join(names, ", "), strings.TrimRight(service.Error.Message, "."), card.Date(service.Retry))
	}
	return card.Textf("at %s", strings.Join(names, ", "))
}

// away tells a visit that waits for a service to come back.
func away(x history.Visit) bool { return x.Error != nil && x.Error.Away && !x.Retry.IsZero() }

func nodeName(n *flow.Node) string {
	if n.Name != "" {
		return n.Name
	}
	return flow.Words(n.ID)
}

var taskStatus = map[history.NodeState]card.TaskStatus{
	history.StatePending: card.TaskPending, history.StateRunning: card.TaskRunning, history.StateWaiting: card.TaskWaiting, history.StateComplete: card.TaskComplete,
	history.StateError: card.TaskError, history.StateRefused: card.TaskRefused, history.StateTimedOut: card.TaskError, history.StateByHand: card.TaskByHand, history.StateCancelled: card.TaskSkipped, history.StateSkipped: card.TaskSkipped,
}

// tasks lists every node with its progress, in the order of reading.
func tasks(v *view.View) []card.Task {
	var out []card.Task
	for _, n := range reading(v.Flow) {
		out = append(out, card.Task{ID: n.ID, Title: nodeName(n), Status: taskStatus[v.Nodes[n.ID].State], Note: note(v, n.ID)})
	}
	return out
}

// note is a few words about what a node did.
func note(v *view.View, id string) string {
	n, x := v.Nodes[id], v.Latest(id)
	switch n.State {
	case history.StateWaiting:
		if since, slack := waitsForSlack(x); slack {
			return "waits for Slack since " + since.UTC().Format("2006-01-02 15:04 UTC")
		}
		if away(x) {
			return "the service is away; next try " + x.Retry.UTC().Format("15:04 UTC")
		}
		return "waiting"
	case history.StateSkipped:
		return "not needed"
	case history.StateCancelled:
		return "cancelled"
	case history.StateError:
		switch {
		case x.Error == nil:
		case x.Error.Type == history.ErrorGate:
			return notInTime
		default:
			return x.Error.Type
		}
	case history.StateComplete, history.StateRefused, history.StateTimedOut, history.StateByHand:
		var parts []string
		if x.Choice != "" {
			parts = append(parts, choiceBy(x))
		} else if n.Elapsed >= time.Millisecond {
			parts = append(parts, duration(n.Elapsed))
		}
		if x.Usage.USD > 0 {
			parts = append(parts, amount(x.Usage.USD))
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
func choiceBy(x history.Visit) string {
	choice := x.Choice
	switch choice {
	case history.ChoiceTimeout:
		choice = notInTime
	case history.ChoiceSkip:
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

// picture is the run's flowchart with what has really happened.
func (cs *Cards) picture(ctx context.Context, v *view.View) (*card.Picture, error) {
	numbers, err := cs.Numbers(ctx, v.Flow, v.Run.Revision)
	if err != nil {
		return nil, err
	}
	drawn, own := draftchart.Chart(v.Flow)
	if !own {
		drawn = readback.Chart(v.Flow, numbers)
	}
	o := &render.Overlay{Nodes: map[string]render.NodeStatus{}, Taken: takenEdges(drawn, v.Edges), Header: header(v)}
	for id, nv := range v.Nodes {
		for _, shape := range drawn.Map[id] {
			o.Nodes[shape] = render.NodeStatus{State: renderState[nv.State], Note: note(v, id)}
		}
	}
	lightEnds(drawn, o, render.Complete)
	if end := endState[outcomeOf(v.Run)]; end != "" && end != render.Complete {
		markEnds(drawn, o, end)
	}
	return &card.Picture{Chart: drawn, Overlay: o, Title: v.Run.Title, Key: fmt.Sprintf("run:%s:%d", v.Run.ID, v.Run.Version)}, nil
}

// takenEdges are the edges of a chart that a run took. One edge of an author's own chart may stand for several of the run.
func takenEdges(drawn chart.Chart, edges map[string]history.EdgeView) map[string]render.Taken {
	all := map[string]render.Taken{}
	for _, edge := range slices.Sorted(maps.Keys(edges)) {
		for _, id := range drawn.Taken(edge) {
			all[id] = render.Taken{Count: all[id].Count + edges[edge].Count, Why: why(edges[edge])}
		}
	}
	return all
}

// why explains a taken edge with the values that decided.
func why(t history.EdgeView) string {
	if len(t.Seen) == 0 {
		return t.Why
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t.Seen)) {
		parts = append(parts, fmt.Sprintf("%s = %v", name, t.Seen[name]))
	}
	return t.Why + " (" + strings.Join(parts, ", ") + ")"
}

var renderState = map[history.NodeState]render.State{
	history.StateRunning: render.Running, history.StateWaiting: render.Waiting, history.StateComplete: render.Complete,
	history.StateError: render.Error, history.StateRefused: render.Rejected, history.StateTimedOut: render.TimedOut, history.StateByHand: render.ByHand, history.StateCancelled: render.Cancelled, history.StateSkipped: render.Skipped,
}

var headers = map[history.Status]render.State{history.Running: render.Running, history.Waiting: render.Waiting, history.Paused: render.Waiting}

var endState = map[history.Outcome]render.State{
	history.OutcomeDone: render.Complete, history.OutcomeRejected: render.Rejected, history.OutcomeFailed: render.Error, history.OutcomeStopped: render.Cancelled,
	history.OutcomeTimedOut: render.TimedOut,
}

// header is the state of a run as its picture says it.
func header(v *view.View) render.State {
	return cmp.Or(headers[history.Status(v.Run.Status)], endState[outcomeOf(v.Run)])
}

// markEnds gives the end that a run has reached its outcome: the way to it is not the one that was hoped for.
func markEnds(p chart.Chart, o *render.Overlay, as render.State) {
	leaves := map[string]bool{}
	for _, e := range p.Edges {
		leaves[e.From] = true
	}
	for _, n := range p.Nodes {
		if s, lit := o.Nodes[n.ID]; lit && !leaves[n.ID] && s.State == render.Complete {
			o.Nodes[n.ID] = render.NodeStatus{State: as, Note: s.Note}
		}
	}
}

// resultMost is how much of a run's result a card shows.
const resultMost = 1500

// pictured is a run with its picture.
func (cs *Cards) pictured(ctx context.Context, id string) (*view.View, *card.Picture, error) {
	v, err := cs.Engine.View(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	pic, err := cs.picture(ctx, v)
	return v, pic, err
}

// EndCard closes a run: how it ended, its result, and the picture with the edges really taken.
func (cs *Cards) EndCard(ctx context.Context, id string) (card.Card, error) {
	v, pic, err := cs.pictured(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Text: card.Textf("*%s*: %s", v.Run.Title, statusLine(v)), Picture: pic}
	if words := spent(v); words != "" {
		c.Context = append(c.Context, card.Textf("%s: %s", v.Run.Name, words))
	}
	if text := strings.TrimSpace(v.Result.Text); text != "" && history.Status(v.Run.Status) == history.Succeeded && outcomeOf(v.Run) == history.OutcomeDone && !endsInMessage(v) {
		if r := []rune(text); len(r) > resultMost {
			text = string(r[:resultMost]) + "…"
		}
		c.Sections = append(c.Sections, card.Section{Title: "Result", Text: card.Plain(text)})
	}
	return c, nil
}

// endsInMessage reports whether the last thing that a run did was to tell somebody: its result then only says that it did.
func endsInMessage(v *view.View) bool {
	for _, x := range slices.Backward(v.Visits) {
		n := v.Flow.Node(x.Node)
		if n == nil || x.State != history.StateComplete {
			continue
		}
		t, ok := n.Spec.(*flow.ToolSpec)
		return n.Kind == flow.KindSay || ok && t.Tool == tool.PostMessageName
	}
	return false
}

// ShowCard is a run as its readers see it on request: status, picture and open questions.
func (cs *Cards) ShowCard(ctx context.Context, id string) (card.Card, error) {
	v, pic, err := cs.pictured(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Title: v.Run.Title, Text: statusLine(v), Picture: pic}
	var fields []card.Field
	for _, in := range v.Flow.Inputs {
		if value, ok := v.Start.Inputs[in.Name]; ok {
			shown := fmt.Sprint(value)
			if in.Sensitive {
				shown = "••••••"
			}
			fields = append(fields, card.Field{Name: in.Name, Value: shown})
		}
	}
	if len(fields) > 0 {
		c.Sections = append(c.Sections, card.Section{Title: "Inputs", Fields: fields})
	}
	c.Context = []card.Text{card.Textf("%s · version %d · asked for by %s, %s%s", v.Run.Name, v.Run.Revision, requester(v), card.Date(v.Run.Started), cost(v))}
	return c, nil
}

// FlowCard is a flow's newest revision as its readers see it on request, with what it does in words.
func (cs *Cards) FlowCard(ctx context.Context, name string, number int, said card.Text) (card.Card, error) {
	rev, err := cs.Engine.Store().Revision(ctx, name, number)
	if err != nil {
		return card.Card{}, err
	}
	f, err := flow.FromJSON(rev.Body)
	if err != nil {
		return card.Card{}, err
	}
	numbers, err := cs.Numbers(ctx, f, number)
	if err != nil {
		return card.Card{}, err
	}
	return card.Card{
		Title:    fmt.Sprintf("%s, version %d", flow.Words(name), rev.Number),
		Text:     card.Textf("Approved by %s, %s.", card.User(rev.By), card.Date(rev.At)),
		Picture:  &card.Picture{Chart: readback.Chart(f, numbers), Title: flow.Words(name), Key: "revision:" + rev.LockHash},
		Sections: []card.Section{{Title: "What it does", Text: said}},
		Buttons:  []card.Button{runButton(f)},
		Context:  []card.Text{cs.startLine(f), card.Textf("hash `%s`", rev.LockHash[:min(12, len(rev.LockHash))])},
	}, nil
}
