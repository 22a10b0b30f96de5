package chaos_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"sluice/engine/enginetest"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// expectation is what a run must come to.
type expectation struct {
	outcome
	visits int
	acts   map[place]int // number of visits that perform an act at a place; reads are not counted
	once   map[place]bool
	result history.Output
	runs   int // the run and its subflows
}

// place is the node and the item that an act belongs to.
type place struct{ Node, Item string }

// oracle plays flows in memory, without faults.
type oracle struct {
	host      string
	tools     tool.Catalogue
	testFlows map[string]testFlow // by name
}

// tries is how many random orders a flow is played in. A flow with different outcomes cannot be compared.
const tries = 4

var errOrderMatters = errors.New("the flow comes to different ends")

// expect plays a run of a flow with these inputs.
func (o *oracle) expect(p testFlow, inputs map[string]any) (*expectation, error) {
	var first *expectation
	for try := range uint64(tries) {
		g := &game{oracle: o, key: fmt.Sprint(inputs["key"]), r: rand.New(rand.NewPCG(try, 5)), acts: map[place]int{}, once: map[place]bool{}, seen: map[act]bool{}, told: map[string]json.RawMessage{}, runs: 1}
		c, err := g.play(p, inputs)
		switch {
		case err != nil:
			return nil, err
		case first == nil:
			first = c
		case p.loose:
		case first.outcome.differs(c.outcome) != "":
			return nil, errOrderMatters
		}
	}
	return first, nil
}

// game plays one run.
type game struct {
	*oracle
	*enginetest.Driver
	key  string
	r    *rand.Rand
	acts map[place]int
	once map[place]bool
	seen map[act]bool
	told map[string]json.RawMessage // events
	runs int
}

// act is one visit's act at a place; another attempt is the same act.
type act struct {
	place
	step int
}

func (g *game) play(p testFlow, inputs map[string]any) (c *expectation, err error) {
	if g.Driver, err = enginetest.NewDriver(p.Flow); err != nil {
		return nil, err
	}
	g.Context.HasModel = true
	g.Context.Effects = g.effects
	if err := g.Start(inputs); err != nil {
		return nil, err
	}
	for range enginetest.Moves {
		if g.State.Status.Final() {
			c := &expectation{outcome: outcomeOf(p.loose, g.State, g.Facts), visits: g.State.Steps, acts: g.acts, once: g.once, runs: g.runs}
			if g.State.Output != 0 {
				c.result, _ = outputOf(g.Facts, g.State.Output)
			}
			return c, nil
		}
		if err := g.move(); err != nil {
			return nil, err
		}
	}
	return nil, enginetest.ErrEndless
}

func (g *game) effects(name string) flow.Effects {
	t, _ := g.tools.Lookup(name)
	return t.Effects
}

// move makes one move. Only a gate that no person answers reaches its deadline; reminders never fire.
func (g *game) move() error {
	var moves []func() error
	for _, id := range g.Dispatched() {
		moves = append(moves, func() error { return g.Claim(id) })
	}
	for _, id := range g.Performing() {
		moves = append(moves, func() error { return g.perform(id) })
	}
	for _, q := range g.State.Gates {
		if !unanswered(q.Node) {
			moves = append(moves, func() error { return g.answer(q) })
		}
	}
	for _, tm := range g.State.Timers {
		switch tm.Kind {
		case history.TimerWait, history.TimerRetry, history.TimerDeadline:
			moves = append(moves, func() error { return g.Fire(tm.ID) })
		}
	}
	for _, t := range g.State.Tokens {
		payload, happened := g.told[t.Event]
		switch {
		case t.Phase == history.PhaseChild:
			moves = append(moves, func() error { return g.child(t) })
		case t.Phase == history.PhaseEvent && happened:
			moves = append(moves, func() error { return g.Tell("event/"+t.Event, t.Event, g.Now, payload) })
		}
	}
	if len(moves) == 0 {
		return fmt.Errorf("nothing can be done at %s", g.State.Status)
	}
	return moves[g.r.IntN(len(moves))]()
}

func (g *game) perform(token int) error {
	s := g.Leases[token].Perform
	switch spec := s.Node.Spec.(type) {
	case *flow.SaySpec:
		return g.Finish(token, history.Output{Text: expr.Text(s.Params["message"])}, nil)
	case *flow.EmitSpec:
		payload, holds := s.Params["payload"]
		if !holds {
			g.told[expr.Text(s.Params["event"])] = nil
			return g.Finish(token, history.Output{}, nil)
		}
		raw, err := json.Marshal(payload)
		if err != nil {
			return err
		}
		g.told[expr.Text(s.Params["event"])] = raw
		return g.Finish(token, history.Output{Text: expr.Text(payload), Data: raw}, nil)
	case *flow.AgentSpec:
		q := askedBy(fmt.Sprint(s.Params["task"]))
		if a := g.Flow.AgentByID(spec.Agent); len(a.Tools) > 0 {
			for i := range calls {
				g.count(s.Step, place{fmt.Sprint(q.Node, ".", i+1), q.Item}, flow.Effects([]string{"idempotent", "once"}[i]))
			}
		}
		return g.Finish(token, history.Output{Text: q.says()}, nil)
	case *flow.ToolSpec:
		return g.call(token, s, spec)
	}
	return fmt.Errorf("no performer for a %s", s.Node.Kind)
}

// child plays a subflow.
func (g *game) child(t history.Token) error {
	asked := g.Children[t.Child]
	c, err := g.expect(g.testFlows[asked.Flow], asked.Inputs)
	if err != nil {
		return err
	}
	g.runs += c.runs
	return g.EndChild(t.ID, run.ChildOver{Name: asked.Flow, Status: c.Status, Output: c.result})
}

func (g *game) call(token int, s *run.Perform, spec *flow.ToolSpec) error {
	q := questionOf(s.Params)
	if effects := g.effects(spec.Tool); effects != flow.EffectsRead {
		g.count(s.Step, place{q.Node, q.Item}, effects)
	}
	status, body := q.answer()
	if status != 200 {
		return g.Finish(token, history.Output{}, &history.NodeError{
			Type: "HTTPError", Permanent: true, Message: fmt.Sprintf("422 Unprocessable Entity from %s: %s", g.host, refusal),
		})
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	var data any
	if err := json.Unmarshal(raw, &data); err != nil {
		return err
	}
	return g.Finish(token, history.Output{Text: expr.Text(data), Data: raw}, nil)
}

func (g *game) count(step int, at place, effects flow.Effects) {
	if g.seen[act{at, step}] {
		return
	}
	g.seen[act{at, step}] = true
	g.acts[at]++
	g.once[at] = effects == flow.EffectsOnce
}

func (g *game) answer(q history.Gate) error {
	choice, text, value := chooseAnswer(g.key, q.Node, q.Kind, q.Choices, failures(g.Facts, q.Step))
	_, err := g.Feed(run.Answer{
		At: g.Now, Actor: history.Actor{User: user(len(q.Votes))}, Gate: q.ID, Shown: q.Shown, Choice: choice, Text: text, Value: value,
	})
	return err
}
