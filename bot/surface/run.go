package surface

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/listing"
	"sluice/engine/history"
	"sluice/engine/importer/draftchart"
	"sluice/engine/planner/readback"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/render"
)

// StatusCard shows the state or the outcome of a run, its picture, the steps that it took and those to come.
func (cs *Cards) StatusCard(ctx context.Context, id string) (card.Card, error) {
	p, err := cs.progress(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	v := p.View
	c := card.Card{Title: v.Run.Title, Text: p.line(), Tasks: p.tasks()}
	if history.Status(v.Run.Status).Final() {
		c.Title = p.outcome() + ": " + v.Run.Title
	}
	links, err := cs.questionLinks(ctx, v)
	if err != nil {
		return c, err
	}
	if !links.Empty() {
		c.Text = card.Textf("%s %s", c.Text, links)
	}
	if at := moment(v); at > 0 {
		c.Picture = p.picture()
		c.Picture.Key = fmt.Sprintf("run:%s:%d", v.Run.ID, at)
	}
	c.Buttons = statusButtons(v)
	if line := p.notTaken(); !line.Empty() {
		c.Context = append(c.Context, line)
	}
	c.Context = append(c.Context, card.Textf("%s · %s %s · asked for by %s, %s%s", v.Run.Name, v.Run.Flow, version(v.Run.Revision), Person(v.Run.By), card.Date(v.Run.Started), cost(v)))
	if from, ok := forkedFrom(v); ok {
		c.Context = append(c.Context, from)
	}
	if v.Resumed > 0 {
		c.Context = append(c.Context, card.Textf("Resumed at step %d after an interruption; no finished step was repeated.", v.Resumed))
	}
	return c, nil
}

// moment is the latest fact of a run that changes its picture: a question that was asked or decided, or the end. 0 = there was none.
func moment(v *view.View) int64 {
	for _, f := range slices.Backward(v.Facts) {
		switch f.Body.(type) {
		case *history.GateOpened, *history.GateDecided, *history.RunEnded:
			return f.Seq
		}
	}
	return 0
}

// statusButtons are the buttons of a run.
func statusButtons(v *view.View) (out []card.Button) {
	if v.Held(history.HoldRun) {
		out = append(out, card.Button{Action: "run.resume", Label: "Resume", Value: v.Run.ID, Style: card.Primary})
	}
	if v.Held(history.HoldKey) {
		out = append(out, AnywayButton(form.OfAhead, v.Run.ID))
	}
	if !history.Status(v.Run.Status).Final() {
		out = append(out, cancelButton("Cancel", v.Run.ID))
	}
	return append(out, card.Button{Action: "run.show", Label: "Flowchart", Value: v.Run.Name})
}

// cancelButton ends a run.
func cancelButton(label, run string) card.Button {
	return card.Button{
		Action: "run.cancel", Label: label, Value: run, Style: card.Danger,
		Confirm: &card.Confirm{Title: "Cancel this run?", Text: "Steps that have finished stay as they are.", Yes: "Cancel the run", No: "Let it go on"},
	}
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

// Person mentions a user by id. Without an id a schedule or a flow has asked, and the text says so.
func Person(user string) card.Text {
	if user == "" {
		return card.Textf("nobody")
	}
	return card.User(user)
}

// HeldBy names the people who pause a run, with their reasons.
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

// picture is the run's flowchart with the routes taken and the states of its nodes.
func (p *progress) picture() *card.Picture {
	v := p.View
	drawn, own := draftchart.Chart(v.Flow)
	if !own {
		drawn = readback.Chart(v.Flow, p.numbers)
	}
	o := &render.Overlay{Nodes: p.shown(drawn), Taken: takenEdges(drawn, v.Edges), Header: header(v)}
	lightEnds(drawn, o, render.Complete)
	if end := endState[outcomeOf(v.Run)]; end != "" && end != render.Complete {
		markEnds(drawn, o, end)
	}
	return &card.Picture{Chart: drawn, Overlay: o, Title: v.Run.Title, Key: fmt.Sprintf("run:%s:%d", v.Run.ID, v.Run.Version)}
}

// shown are the states of the shapes of a chart. Of several nodes with one shape it shows the one that the run has reached.
func (p *progress) shown(drawn chart.Chart) map[string]render.NodeStatus {
	out := map[string]render.NodeStatus{}
	for id, nv := range p.View.Nodes {
		for _, shape := range drawn.Map[id] {
			was, state := out[shape].State, renderState[nv.State]
			if was == "" || was == render.Skipped && state != "" {
				out[shape] = render.NodeStatus{State: state, Note: p.note(id)}
			}
		}
	}
	return out
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
	var parts []string
	for _, name := range telling(t.Seen) {
		parts = append(parts, fmt.Sprintf("%s = %v", name, t.Seen[name]))
	}
	if len(parts) == 0 {
		return t.Why
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

// markEnds marks the end that a run has reached with its outcome, so that a refusal does not look like a success.
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

// EndCard closes a run: how it ended, and its result.
func (cs *Cards) EndCard(ctx context.Context, id string) (card.Card, error) {
	p, err := cs.progress(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	v := p.View
	c := card.Card{Text: card.Textf("%s *%s*", p.line(), v.Run.Title)}
	if user := requesterOf(v); user != "" {
		c.Text = card.Textf("%s · %s", c.Text, card.User(user))
	}
	if words := spent(v); words != "" {
		c.Context = append(c.Context, card.Textf("%s: %s", v.Run.Name, words))
	}
	if text := strings.TrimSpace(v.Result.Text); text != "" && history.Status(v.Run.Status) == history.Succeeded && outcomeOf(v.Run) == history.OutcomeDone && !endsInMessage(v) {
		if r := []rune(text); len(r) > resultMost {
			text = string(r[:resultMost]) + "…"
		}
		said := card.Plain(text)
		if v.Result.Model {
			said = card.Markdown(text)
		}
		c.Sections = append(c.Sections, card.Section{Title: "Result", Text: said})
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
	p, err := cs.progress(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	v := p.View
	c := card.Card{Title: v.Run.Title, Text: p.line(), Picture: p.picture()}
	var fields []card.Field
	for _, in := range v.Flow.Inputs {
		if value, ok := v.Start.Inputs[in.Name]; ok {
			shown := listing.Shown(value)
			if in.Sensitive {
				shown = "••••••"
			}
			fields = append(fields, card.Field{Name: in.Name, Value: shown})
		}
	}
	if len(fields) > 0 {
		c.Sections = append(c.Sections, card.Section{Title: "Inputs", Fields: fields})
	}
	c.Context = []card.Text{card.Textf("%s · %s · asked for by %s, %s%s", v.Run.Name, version(v.Run.Revision), Person(v.Run.By), card.Date(v.Run.Started), cost(v))}
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
		Buttons:  flowButtons(f),
		Context:  []card.Text{cs.startLine(f), card.Textf("hash `%s`", rev.LockHash[:min(12, len(rev.LockHash))])},
	}, nil
}
