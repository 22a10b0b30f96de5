package surface

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/history"
	"sluice/engine/naming"
	"sluice/engine/planner/idiom"
	"sluice/engine/view"
	"sluice/storage"
)

// progress is the list of a run's steps in their order, with the numbers that the read-back gives them.
type progress struct {
	*view.View
	numbers map[string]string            // of the steps, by node
	decided map[int]*history.GateDecided // the answers, by gate
	votes   map[int][]history.Vote       // those that did not decide yet, by gate
	ahead   map[string]bool              // nodes to which the run can still come
}

func (cs *Cards) progress(ctx context.Context, id string) (*progress, error) {
	v, err := cs.Engine.View(ctx, id)
	if err != nil {
		return nil, err
	}
	numbers, err := cs.Numbers(ctx, v.Flow, v.Run.Revision)
	if err != nil {
		return nil, err
	}
	p := &progress{View: v, numbers: numbers, decided: map[int]*history.GateDecided{}, votes: map[int][]history.Vote{}}
	for _, f := range v.Facts {
		switch b := f.Body.(type) {
		case *history.GateDecided:
			p.decided[b.Gate] = b
		case *history.Voted:
			p.votes[b.Gate] = b.Counted(p.votes[b.Gate], f)
		}
	}
	p.lookAhead()
	return p, nil
}

// questionLinks leads to the open questions of a run: where one is open to it, where several are to each by its step.
func (cs *Cards) questionLinks(ctx context.Context, v *view.View) (card.Text, error) {
	if cs.URL == nil || history.Status(v.Run.Status).Final() {
		return card.Text{}, nil
	}
	open, err := cs.Engine.Store().Gates(ctx, storage.GateQuery{Run: v.Run.ID, Open: true, Limit: linksMost})
	if err != nil {
		return card.Text{}, err
	}
	var links []card.Text
	for _, g := range open {
		s, err := cs.Engine.Store().Surface(ctx, gateSurface(g.ID))
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		if err != nil {
			return card.Text{}, err
		}
		address := cs.URL(s.Channel, s.TS, s.Thread)
		switch {
		case s.TS == "" || address == "":
		case len(open) == 1:
			links = append(links, card.Link(address, "Go to the question"))
		default:
			links = append(links, card.Textf("%s: %s", stepName(v, g.Node), card.Link(address, "go to the question")))
		}
	}
	return card.Join(" · ", links...), nil
}

// linksMost is how many open questions a status message links to.
const linksMost = 5

// line states the state or the outcome of the run, in one line.
func (p *progress) line() card.Text {
	v := p.View
	progress := p.counted()
	switch history.Status(v.Run.Status) {
	case history.Succeeded:
		return p.endLine()
	case history.Cancelled:
		return p.endLine()
	case history.Failed:
		return card.Textf("%s It asks what to do. %s done.", p.endLine(), progress)
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

// counted says how many steps are done. Several nodes can be one step, which is done when none of them is at work or waits.
func (p *progress) counted() string {
	var done, busy []string
	for id, n := range p.Nodes {
		switch n.State {
		case history.StateComplete, history.StateRefused, history.StateTimedOut, history.StateByHand:
			done = append(done, id)
		case history.StateRunning, history.StateWaiting, history.StateError:
			busy = append(busy, id)
		}
	}
	finished := stepsOf(done, p.numbers)
	for step := range stepsOf(busy, p.numbers) {
		delete(finished, step)
	}
	return fmt.Sprintf("%d of %d steps", len(finished), len(stepsOf(idsOf(p.Flow), p.numbers)))
}

// stepsOf are the steps of nodes, by their numbers as people know them. Without numbers each node is a step.
func stepsOf(nodes []string, numbers map[string]string) map[string]bool {
	steps := map[string]bool{}
	for _, id := range nodes {
		switch number := numbers[id]; {
		case number != "":
			steps[number] = true
		case len(numbers) == 0:
			steps[id] = true
		}
	}
	return steps
}

func idsOf(f *flow.Flow) []string {
	ids := make([]string, len(f.Nodes))
	for i := range f.Nodes {
		ids[i] = f.Nodes[i].ID
	}
	return ids
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
		names = append(names, n.DisplayName())
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

// away reports whether a visit waits for a service that does not answer.
func away(x history.Visit) bool { return x.Error != nil && x.Error.Away && !x.Retry.IsZero() }

var taskStatus = map[history.NodeState]card.TaskStatus{
	history.StatePending: card.TaskPending, history.StateRunning: card.TaskRunning, history.StateWaiting: card.TaskWaiting, history.StateComplete: card.TaskComplete,
	history.StateError: card.TaskError, history.StateRefused: card.TaskRefused, history.StateTimedOut: card.TaskError, history.StateByHand: card.TaskByHand, history.StateCancelled: card.TaskSkipped, history.StateSkipped: card.TaskSkipped,
}

// tasks lists the steps in the order of their numbers: those that the run took, and those to which it can still come. What only tells that
// the run ends is listed once it did.
func (p *progress) tasks() []card.Task {
	var out []card.Task
	numbered := map[string]bool{}
	for _, n := range p.inOrder() {
		if p.untaken(n.ID) || endNote(n) && p.Nodes[n.ID].State == history.StatePending || n.Kind == flow.KindDecision && n.Name == idiom.EndsEarly {
			continue
		}
		title, number := n.DisplayName(), p.numbers[n.ID]
		if number != "" && !numbered[number] { // several nodes can be one step
			title = number + ". " + title
		}
		numbered[number] = true
		out = append(out, card.Task{ID: n.ID, Title: title, Status: taskStatus[p.Nodes[n.ID].State], Note: p.detail(n)})
	}
	return out
}

// inOrder gives the nodes by the numbers of their steps; one without a number stands behind the one that is read before it.
func (p *progress) inOrder() []*flow.Node {
	nodes, at, last := reading(p.Flow), map[string]string{}, ""
	for _, n := range nodes {
		last = cmp.Or(p.numbers[n.ID], last)
		at[n.ID] = last
	}
	slices.SortStableFunc(nodes, func(a, b *flow.Node) int { return byNumber(at[a.ID], at[b.ID]) })
	return nodes
}

// byNumber compares numbers of steps: 2 is before 2a, and 2b before 10.
func byNumber(a, b string) int {
	digits := func(s string) (int, string) {
		rest := strings.TrimLeft(s, "0123456789")
		n, _ := strconv.Atoi(s[:len(s)-len(rest)])
		return n, rest
	}
	m, x := digits(a)
	n, y := digits(b)
	return cmp.Or(cmp.Compare(m, n), cmp.Compare(x, y))
}

// place is how a sentence names a step: by its number and its name.
func (p *progress) place(id string) string {
	if number := p.numbers[id]; number != "" {
		return "step " + number + ", " + stepName(p.View, id)
	}
	return stepName(p.View, id)
}

// untaken reports whether the run has not reached a step and cannot reach it any more.
func (p *progress) untaken(id string) bool {
	state := p.Nodes[id].State
	return state == history.StateSkipped || state == history.StatePending && !p.ahead[id]
}

// lookAhead finds the steps to which a live run can still come. Before its first step these are all.
func (p *progress) lookAhead() {
	p.ahead = map[string]bool{}
	var look func(id string)
	look = func(id string) {
		if n := p.Flow.Node(id); n != nil && !p.ahead[id] {
			p.ahead[id] = true
			for _, e := range n.Edges() {
				look(e.To)
			}
		}
	}
	for id, n := range p.Nodes {
		if live(n.State) {
			look(id)
		}
	}
	if len(p.ahead) == 0 { // it is between two steps
		for i := range p.Flow.Nodes {
			p.ahead[p.Flow.Nodes[i].ID] = true
		}
	}
}

func live(s history.NodeState) bool {
	return s == history.StateRunning || s == history.StateWaiting || s == history.StateError || s == history.StateTimedOut
}

// notTaken names the steps to which the run does not come, as short as their numbers allow. It is empty when there are none.
func (p *progress) notTaken() card.Text {
	var names []string
	for _, n := range p.inOrder() {
		if !p.untaken(n.ID) || endNote(n) {
			continue
		}
		name := cmp.Or(p.numbers[n.ID], n.DisplayName())
		if p.numberTaken(name) {
			name = n.DisplayName()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return card.Text{}
	}
	return card.Textf("Not taken: %s", strings.Join(ranges(names), ", "))
}

// numberTaken says whether the run came to another node with the same number.
func (p *progress) numberTaken(number string) bool {
	return slices.ContainsFunc(p.Flow.Nodes, func(n flow.Node) bool { return p.numbers[n.ID] == number && !p.untaken(n.ID) })
}

// ranges writes numbers in a row as "4-6". Other names stay as they are.
func ranges(names []string) (out []string) {
	for i := 0; i < len(names); {
		first, err := strconv.Atoi(names[i])
		last, next := first, i+1
		for err == nil && next < len(names) && names[next] == strconv.Itoa(last+1) {
			last, next = last+1, next+1
		}
		if last > first {
			out = append(out, fmt.Sprintf("%d-%d", first, last))
		} else {
			out = append(out, names[i])
		}
		i = next
	}
	return out
}

// detail is what a step did, with the values that decided there.
func (p *progress) detail(n *flow.Node) string {
	note, x := p.note(n.ID), p.Latest(n.ID)
	if d := p.decided[x.Gate]; x.Gate > 0 && d != nil && d.Choice == x.Choice {
		return strings.Join(append([]string{note}, given(n, d)...), ", ")
	}
	for _, e := range n.Edges() {
		if taken, ok := p.Edges[e.ID]; ok && len(telling(taken.Seen)) > 0 && x.Choice == "" {
			return card.OneLine(card.Shorten(cmp.Or(label(n, e), taken.Why)+": "+seen(taken.Seen), detailMost))
		}
	}
	return note
}

// label is how the author calls a route.
func label(n *flow.Node, e flow.Edge) string {
	if e.Kind == flow.EdgeRoute && e.Index < len(n.Routes) {
		return n.Routes[e.Index].Label
	}
	return ""
}

// telling gives the paths of those values that tell people something: no missing ones, and no comparison beside the values that it compares.
func telling(values map[string]any) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(path string) bool { return values[path] == nil || strings.ContainsAny(path, "=<>!") })
}

// seen gives values short names: the last part of their paths where these differ.
func seen(values map[string]any) string {
	short := map[string]int{}
	last := func(path string) string { return path[strings.LastIndex(path, ".")+1:] }
	paths := telling(values)
	for _, path := range paths {
		short[last(path)]++
	}
	var parts []string
	for _, path := range paths {
		name := last(path)
		if short[name] > 1 {
			name = path
		}
		parts = append(parts, fmt.Sprintf("%s = %v", strings.ReplaceAll(name, "_", " "), values[path]))
	}
	return strings.Join(parts, ", ")
}

// detailMost is how much of the values of a decision is shown beside its step.
const detailMost = 150

// given are the words and values of a person's answer at a node.
func given(n *flow.Node, d *history.GateDecided) (out []string) {
	var fields map[string]flow.FormField
	if q := n.Question(); q != nil {
		fields = q.Form
	}
	for _, words := range []string{d.Note, d.Text} {
		if words != "" {
			out = append(out, "“"+card.OneLine(card.Shorten(words, detailMost))+"”")
		}
	}
	for _, a := range Entered(fields, d.Form) {
		if a.Name != "note" || d.Note == "" {
			out = append(out, fmt.Sprintf("%s: %s", strings.ReplaceAll(a.Name, "_", " "), card.OneLine(card.Shorten(listing.Sample(a.Value), detailMost))))
		}
	}
	return out
}

// note is a few words about the result of a node.
func (p *progress) note(id string) string {
	v := p.View
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
			return errorWords(x.Error.Type)
		}
	case history.StateComplete, history.StateRefused, history.StateTimedOut, history.StateByHand:
		var parts []string
		if x.Choice != "" {
			parts = append(parts, choiceBy(x, p.votes[x.Gate]))
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

var inType = regexp.MustCompile(`[A-Z]+[a-z]*`)

// errorWords is the type of an error as people write it: connection error, HTTP error.
func errorWords(errorType string) string {
	var words []string
	for _, w := range inType.FindAllString(strings.TrimSuffix(errorType, "Error"), -1) {
		if strings.ToUpper(w) != w {
			w = strings.ToLower(w)
		}
		words = append(words, w)
	}
	if strings.HasSuffix(errorType, "Error") || len(words) == 0 {
		words = append(words, "error")
	}
	return strings.Join(words, " ")
}

// notInTime is the sentence for a question that has expired.
const notInTime = "not answered in time"

// choiceBy is an answer and everybody who gave it, as a picture can show it.
func choiceBy(x history.Visit, votes []history.Vote) string {
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
	var names []string
	for _, v := range history.OtherVotes(votes, x.By) {
		if v.Choice == x.Choice && v.By.Name != "" {
			names = append(names, v.By.Name)
		}
	}
	return choice + " by " + naming.List(append(names, x.By.Name), "and")
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
