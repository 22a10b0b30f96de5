package try

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/scope"
)

// walk is one way through the flow, as far as it has come.
type walk struct {
	stage
	uncertain map[int64]bool  // facts with a value that is not known
	vars      map[string]bool // variables likewise
	bare      bool            // an agent gave a value that is not known
	taken     map[string]int  // how often a way was picked among several
	votes     map[int]run.Answer
	inputs    int
}

func (w *walk) clone() *walk {
	c := *w
	c.stage = w.stage.clone()
	c.uncertain, c.vars, c.taken, c.votes = maps.Clone(w.uncertain), maps.Clone(w.vars), maps.Clone(w.taken), maps.Clone(w.votes)
	return &c
}

// branch is a way that has not been walked yet: what happens next to a walk, and which ways to pick then.
type branch struct {
	from   *walk
	input  run.Input
	script []int
	way    string // names it, so that ways nobody has been on come first
}

// trial is what the machine asks about in one decision of a walk.
type trial struct {
	x      *explorer
	w      *walk
	script []int
	picked []pick
}

// pick is one question of the machine: the ways that were open, those that a walk may still branch into, and the answer.
type pick struct {
	node  string
	ways  []scope.Way
	names []string
	free  bool // other answers are worth a walk of their own
	way   int
}

func (t *trial) restart() { t.picked = nil }

// Unknown looks up whether a value is unknown.
func (t *trial) Unknown(r scope.Read) bool {
	x, w := t.x, t.w
	switch r.What {
	case scope.ReadOutput:
		return r.Seq != 0 && w.uncertain[r.Seq] || x.races[r.Name]
	case scope.ReadBare:
		return w.bare || len(x.races) > 0
	case scope.ReadAnswer:
		return x.races[r.Name]
	case scope.ReadDetail, scope.ReadURL:
		return true
	case scope.ReadVariable:
		if r.Name == "" {
			return len(w.vars)+len(x.raceVars) > 0
		}
		return w.vars[r.Name] || x.raceVars[r.Name]
	case scope.ReadInput:
		if r.Name == "" {
			return len(x.uncertainInputs) > 0
		}
		return x.uncertainInputs[r.Name]
	}
	return !x.eventKnown
}

// Choose picks a way: as the script says, then the first that this walk may branch into. A way that was picked often enough is
// not branched into any more, so that loops end: then the way that was picked least is taken.
func (t *trial) Choose(token history.Token, ways []scope.Way) int {
	p := pick{node: token.Node, ways: ways, free: true}
	for _, way := range ways {
		name := token.Node + " " + way.Edge
		if way.Edge == "" { // what is left out is another way each time
			name = token.Node + " not " + ways[0].Edge
		}
		p.names = append(p.names, name)
		p.free = p.free && t.times(name) < again
	}
	switch i := len(t.picked); {
	case i < len(t.script):
		p.way = t.script[i]
	case !p.free:
		for i, name := range p.names {
			if t.times(name) < t.times(p.names[p.way]) {
				p.way = i
			}
		}
	}
	t.picked = append(t.picked, p)
	return p.way
}

func (t *trial) times(name string) int {
	n := t.w.taken[name]
	for _, p := range t.picked {
		if p.names[p.way] == name {
			n++
		}
	}
	return n
}

// Items bounds the items of a foreach that are walked.
func (t *trial) Items(token history.Token, items int) int {
	if items <= itemsMost {
		return items
	}
	t.x.bound(BoundItems)
	if n := t.x.flow.Node(token.Node); n != nil {
		t.x.marks.spread(Possible, heads(n)...)
	}
	return itemsMost
}

// feed lets something happen to a walk. Ways that are open besides the one taken wait to be walked. An error says that nothing moved.
func (x *explorer) feed(w *walk, in run.Input, script []int) error {
	before := w.clone()
	if f, ok := in.(run.Finished); ok && f.Unknown && x.speaks(before, f.Token) {
		w.bare, before.bare = true, true
	}
	if a, ok := in.(run.Answer); ok {
		w.votes[a.Gate] = a
	}
	t := &trial{x: x, w: w, script: script}
	d, err := w.decide(in, t)
	if err != nil {
		return err
	}
	for i, p := range t.picked {
		if i >= len(script) {
			if err := x.open(before, in, t.picked[:i], p); err != nil {
				return err
			}
		}
		w.taken[p.names[p.way]]++
	}
	w.take(d)
	w.inputs++
	x.inputs++
	w.learn(d)
	x.see(d.Facts)
	return nil
}

// speaks reports whether the fields of a token's output may be read by their bare names.
func (x *explorer) speaks(w *walk, token int) bool {
	t := w.state.Token(token)
	n := x.flow.Node(t.Node)
	return n != nil && n.Kind != flow.KindTool && n.Kind != flow.KindSay
}

// open puts the other answers to a question aside, to be walked later.
func (x *explorer) open(before *walk, in run.Input, earlier []pick, p pick) error {
	var script []int
	for _, e := range earlier {
		script = append(script, e.way)
	}
	for i, way := range p.ways {
		switch {
		case i == p.way:
		case !p.free && way.Edge == "":
			x.marks.onward(Possible, p.node) // a default, perhaps
		case !p.free:
			x.marks.edge(way.Edge, Possible)
			x.marks.spread(Possible, way.To)
		default:
			x.later(branch{before, in, append(slices.Clone(script), i), p.names[i]})
		}
	}
	if !p.free {
		return x.remember(before)
	}
	return nil
}

// learn notes which values of a walk's new facts are not known.
func (w *walk) learn(d run.Decision) {
	doubted := map[int64]bool{}
	for _, seq := range d.Unknown {
		doubted[seq] = true
	}
	for _, f := range d.Facts {
		uncertain := doubted[f.Seq]
		switch b := f.Body.(type) {
		case *history.StepFinished:
			switch {
			case b.From != 0:
				uncertain = w.uncertain[b.From]
			case b.Items != nil:
				uncertain = w.uncertain[b.Items.After] || slices.ContainsFunc(b.Items.Needs(w.facts[b.Items.After:]), func(seq int64) bool { return w.uncertain[seq] })
			}
		case *history.VarsSet:
			for name := range b.Vars {
				if uncertain {
					w.vars[name] = true
				}
			}
		}
		if uncertain {
			w.uncertain[f.Seq] = true
		}
	}
}

// next says what happens next to a walk, and what could happen instead: acts first, then tokens, answers and time.
func (x *explorer) next(w *walk) (run.Input, []branch) {
	if p, ok := w.act(); ok {
		v := x.give(w, p)
		return run.Finished{At: w.now, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Output: v.Output, Unknown: v.Source.uncertain()}, nil
	}
	if t, ok := w.ready(); ok {
		return run.Claimed{At: w.now, Token: t.ID, Epoch: t.Epoch}, nil
	}
	if in, ok := x.others(w); ok {
		return in, nil
	}
	for _, g := range w.state.Gates {
		if all := x.answers(w, g); len(all) > 0 {
			return all[0].input, all[1:]
		}
	}
	if tm, ok := w.timer(); ok {
		return run.Fired{At: w.until(tm.Due), ID: tm.ID}, nil
	}
	return nil, nil
}

// others lets happen what a token waits for: the end of another run, or an event.
func (x *explorer) others(w *walk) (run.Input, bool) {
	for _, t := range w.state.Tokens {
		n := x.flow.Node(t.Node)
		if n == nil {
			continue
		}
		switch t.Phase {
		case history.PhaseChild:
			v := x.values.of(n)
			return run.ChildOver{At: w.now, Child: t.Child, Status: history.Succeeded, Output: v.Output, Unknown: v.Source.uncertain()}, true
		case history.PhaseEvent:
			v := x.values.of(n)
			e := run.Event{ID: fmt.Sprint("event-", w.inputs), Name: t.Event, At: w.now, Payload: payloadOf(v.Output)}
			return run.Happened{At: w.now, Events: []run.Event{e}, Unknown: v.Source.uncertain()}, true
		}
	}
	return nil, false
}

// made is what a message says, or the payload of an event: the flow makes it itself.
func made(p run.Perform) (out history.Output, ok bool) {
	switch p.Node.Kind {
	case flow.KindSay:
		out.Text, ok = p.Params["message"].(string)
	case flow.KindEmit:
		ok = true
		if payload := p.Params["payload"]; payload != nil {
			out = history.Output{Text: expr.Text(payload), Data: json.RawMessage(expr.JSON(payload))}
		}
	}
	return out, ok
}

// give is what an act is taken to give.
func (x *explorer) give(w *walk, p run.Perform) Value {
	if out, ok := made(p); ok {
		v := Value{Source: FromFlow, Output: out}
		for _, f := range slices.Backward(w.facts) {
			if f.Kind == history.KindOf((*history.StepStarted)(nil)) && f.Token == p.Token {
				if w.uncertain[f.Seq] {
					v.Source = FromExample
				}
				break
			}
		}
		return v
	}
	return x.values.of(p.Node)
}

// answers lists how a question can end: as the sample says, else with each of its choices, or by its deadline. What the machine
// asks itself when something went wrong has no answer here: the walk ends.
func (x *explorer) answers(w *walk, g history.Gate) []branch {
	if g.Kind != history.GateApproval && g.Kind != history.GateAsk {
		return nil
	}
	if vote, ok := w.votes[g.ID]; ok { // the others agree
		vote.At, vote.Actor, vote.Shown = w.now, somebody(len(g.Votes)), g.Shown
		return []branch{{input: vote}}
	}
	n := x.flow.Node(g.Node)
	if sample, ok := x.values.samples[g.Node]; ok {
		return x.ask(w, g, n, []run.Answer{answerTo(g, sample)})
	}
	var all []run.Answer
	for _, choice := range g.Choices {
		all = append(all, run.Answer{Choice: choice})
	}
	if len(all) == 0 {
		all = []run.Answer{{Text: "(an answer)", Unknown: true}}
	}
	out := x.ask(w, g, n, all)
	if tm := w.state.Timer(g.Deadline); tm != nil {
		late := tm.Due
		if w.now.After(late) {
			late = w.now
		}
		out = append(out, branch{input: run.Fired{At: late, ID: tm.ID}, way: g.Node + " timeout"})
	}
	return out
}

func (x *explorer) ask(w *walk, g history.Gate, n *flow.Node, all []run.Answer) []branch {
	var out []branch
	for _, in := range all {
		in.At, in.Gate, in.Shown, in.Actor = w.now, g.ID, g.Shown, somebody(0)
		out = append(out, branch{input: fill(g, formOf(n), in), way: g.Node + " " + in.Choice})
	}
	return out
}

func formOf(n *flow.Node) map[string]flow.FormField {
	if n == nil {
		return nil
	}
	switch s := n.Spec.(type) {
	case *flow.ApprovalSpec:
		return s.Form
	case *flow.AskSpec:
		return s.Form
	}
	return nil
}

// somebody is a person who answers, each vote another one.
func somebody(n int) history.Actor {
	return history.Actor{User: "somebody-" + string(rune('a'+n%26)), Via: history.ViaButton}
}

// errAnswer tells that a sample does not answer its question.
func errAnswer(err error) bool {
	var form *run.FormError
	return errors.Is(err, run.ErrChoice) || errors.As(err, &form)
}
