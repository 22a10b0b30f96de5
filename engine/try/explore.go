package try

import (
	"fmt"
	"maps"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// How much is walked. What lies behind a bound counts as possible, and the result names the bound.
const (
	walksMost   = 200    // walks, from the start to an end
	waitingMost = 2_000  // ways that wait to be walked
	inputsMost  = 1_000  // of one walk
	inputsInAll = 10_000 // of all walks
	again       = 2      // how often one walk branches into the same way
	itemsMost   = 20     // items of one foreach
)

// Bound is a bound that a trial hit.
type Bound string

// The bounds.
const (
	BoundWalks Bound = "walks" // more ways are open than are walked
	BoundSteps Bound = "steps" // a way is longer than is walked
	BoundItems Bound = "items" // a list has more items than are walked
)

// explorer walks every way that is open.
type explorer struct {
	flow            *flow.Flow
	values          *values
	marks           *marks
	races           map[string]bool // nodes inside branches of racing forks
	raceVars        map[string]bool // variables that they set
	uncertainInputs map[string]bool
	eventKnown      bool

	waiting []branch
	seen    map[string]bool // ways and edges that a walk was on
	inputs  int
	walks   int
	common  map[string]bool // what all walks have in common, see nodeKey and edgeKey
	musts   musts
	result  *Result
}

func (x *explorer) bound(b Bound) {
	if !slices.Contains(x.result.Bounds, b) {
		x.result.Bounds = append(x.result.Bounds, b)
	}
}

// later puts a way aside.
func (x *explorer) later(b branch) {
	if len(x.waiting) >= waitingMost {
		x.bound(BoundWalks)
		x.cut(b.from)
		return
	}
	x.waiting = append(x.waiting, b)
}

// explore walks from the start until nothing is left, ways that nobody has been on first.
func (x *explorer) explore(first *walk, start run.Input) error {
	x.later(branch{from: first, input: start})
	for len(x.waiting) > 0 {
		if x.walks >= walksMost || x.inputs >= inputsInAll {
			x.bound(BoundWalks)
			for _, b := range x.waiting {
				x.cut(b.from)
				if err := x.remember(b.from); err != nil {
					return err
				}
			}
			return nil
		}
		i := max(slices.IndexFunc(x.waiting, func(b branch) bool { return !x.seen[b.way] }), 0)
		b := x.waiting[i]
		x.waiting = slices.Delete(x.waiting, i, i+1)
		x.seen[b.way] = true
		if err := x.walk(b); err != nil {
			return err
		}
	}
	return nil
}

// walk goes one way to its end.
func (x *explorer) walk(b branch) error {
	w := b.from.clone()
	for in, script := b.input, b.script; in != nil; script = nil {
		err := x.feed(w, in, script)
		if errAnswer(err) {
			g := w.state.Gate(in.(run.Answer).Gate)
			x.problem(Problem{Node: g.Node, Text: fmt.Sprintf("the sample does not answer the question: %v", err)})
			x.marks.onward(Possible, g.Node)
			break
		}
		if err != nil {
			return err
		}
		if w.inputs >= inputsMost || x.inputs >= inputsInAll {
			x.bound(BoundSteps)
			x.cut(w)
			break
		}
		var rest []branch
		in, rest = x.next(w)
		for _, r := range rest {
			x.later(branch{from: w.clone(), input: r.input, way: r.way})
		}
	}
	return x.over(w)
}

// see notes the edges that somebody was on.
func (x *explorer) see(facts []history.Fact) {
	for _, f := range facts {
		if b, ok := f.Body.(*history.RouteTaken); ok {
			x.seen[f.Node+" "+b.Edge] = true
		}
	}
}

// cut ends a walk where it stands: all that may follow is possible.
func (x *explorer) cut(w *walk) {
	for _, t := range w.state.Tokens {
		x.marks.onward(Possible, t.Node)
	}
	if len(w.facts) == 0 {
		x.marks.spread(Possible, x.flow.Entry)
	}
}

// over takes a walk that has come to its end into account.
func (x *explorer) over(w *walk) error {
	x.walks++
	if err := x.remember(w); err != nil {
		return err
	}
	for _, t := range w.state.Tokens {
		switch {
		case stopped(w.state, t): // a person may let it go on
			x.marks.onward(Exceptional, t.Node)
		case t.Phase != history.PhaseJoin: // it waits for something that a trial has no answer for
			x.cut(w)
		}
	}
	x.collect(w)
	return nil
}

// stopped reports whether a token stands still because something went wrong.
func stopped(s *history.State, t history.Token) bool {
	g := s.Gate(t.Gate)
	return t.Phase == history.PhaseFailed || g != nil && g.Kind != history.GateApproval && g.Kind != history.GateAsk
}

// remember lights the way of a walk, and keeps what it has in common with all others. Of a walk that stands somewhere on the way
// it is known what its tokens cannot miss.
func (x *explorer) remember(w *walk) error {
	v, err := history.NewView(x.flow, w.facts)
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, visit := range v.Visits {
		here[nodeKey(visit.Node)] = true
		x.marks.node(visit.Node, Possible)
	}
	for id := range v.Edges {
		here[edgeKey(id)] = true
		x.marks.edge(id, Possible)
	}
	if len(w.facts) == 0 {
		here[edgeKey(flow.EntryEdge)] = true
		maps.Copy(here, x.musts.from(x.flow.Entry))
	}
	for _, t := range w.state.Tokens {
		if !stopped(w.state, t) {
			maps.Copy(here, x.musts.from(t.Node))
		}
	}
	if x.common == nil {
		x.common = here
		return nil
	}
	maps.DeleteFunc(x.common, func(key string, _ bool) bool { return !here[key] })
	return nil
}

func nodeKey(id string) string { return "node " + id }
func edgeKey(id string) string { return "edge " + id }

// settle says what is certain, and what only a fault leads to.
func (x *explorer) settle() {
	k := x.marks
	for i := range k.flow.Nodes {
		if n := &k.flow.Nodes[i]; racing(n) && k.nodes[n.ID] >= Possible {
			k.spread(Possible, heads(n)...)
		}
	}
	for i := range k.flow.Nodes {
		n := &k.flow.Nodes[i]
		if x.races[n.ID] {
			continue
		}
		if x.common[nodeKey(n.ID)] {
			k.node(n.ID, Certain)
		}
		for _, id := range append(edgeIDs(n), flow.EndEdge(n.ID), flow.LimitEdge(n.ID)) {
			if x.common[edgeKey(id)] {
				k.edge(id, Certain)
			}
		}
	}
	for _, id := range []string{flow.EntryEdge, flow.HandoffEdge} {
		if x.common[edgeKey(id)] {
			k.edge(id, Certain)
		}
	}
	k.exceptions()
}

func edgeIDs(n *flow.Node) []string {
	var ids []string
	for _, e := range n.Edges() {
		ids = append(ids, e.ID)
	}
	return ids
}

// clip shortens a text for people.
func clip(v any, most int) string {
	r := []rune(expr.Text(v))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
