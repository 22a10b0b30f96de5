package try

import (
	"encoding/json"
	"time"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// hear is what a token of the candidate hears of other runs: the end of its child, its event, or nothing in time.
func (r *replay) hear(t history.Token, v *visit) (move, bool) {
	before, now := r.then.Node(t.Node), r.program.Flow().Node(t.Node)
	known := before != nil && now != nil && others(before) == others(now)
	switch {
	case v == nil && known:
		r.say(Differs, t.Node, "would now come to "+t.Node)
	case !known:
		r.say(NotKnown, t.Node, "is unknown from "+t.Node+" on")
	}
	if r.over {
		return move{}, false
	}
	e, use, ok := r.event("other", t.Step, v.others)
	if ok && e.late && t.Timer == 0 {
		r.say(Differs, t.Node, "would still wait at "+t.Node)
		return move{}, false
	}
	return move{e.seq, e.at, func(at time.Time) run.Input {
		use()
		switch {
		case e.late:
			return run.Fired{At: at, ID: t.Timer}
		case e.child != nil:
			return run.ChildOver{
				At: at, Child: t.Child, Name: e.child.Name, Status: e.child.Status, Reason: e.child.Reason, Ending: e.child.Ending, Output: e.output, Error: e.err,
			}
		}
		return run.Happened{At: at, Events: []run.Event{{ID: e.heard.ID, Name: t.Event, At: e.heard.At, Payload: payloadOf(e.output)}}}
	}}, ok
}

// others names what a node waits for of other runs.
func others(n *flow.Node) string {
	switch s := n.Spec.(type) {
	case *flow.SubflowSpec:
		return "flow " + s.Flow
	case *flow.WaitSpec:
		return "event " + s.Event
	}
	return ""
}

// payloadOf is the payload of an event that gave an output.
func payloadOf(out history.Output) json.RawMessage {
	if len(out.Data) == 0 && out.Text != "" {
		return json.RawMessage(expr.JSON(out.Text))
	}
	return out.Data
}
