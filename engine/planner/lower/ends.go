package lower

import (
	"cmp"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// stop ends the way. Inside a branch of a parallel step the run ends when the branches meet.
func (b *lowering) stop(s *tree.Step, in exits, c context) {
	spec := &flow.TerminalSpec{}
	for word := range strings.FieldsSeq(strings.ToLower(english.Plain(s.Text))) {
		spec.Outcome = cmp.Or(spec.Outcome, outcomeWords[word])
	}
	if len(c.named) > 0 && !c.item {
		spec.Output = c.named
	}
	node := b.titled(s)
	node.Spec = spec
	b.terminal(b.ids[s.ID], node, in, c)
}

var outcomeWords = map[string]string{
	"rejected": "rejected", "reject": "rejected", "refused": "rejected", "declined": "rejected", "denied": "rejected",
	"failed": "failed", "fail": "failed", "failure": "failed", "error": "failed", "done": "done", "success": "done", "successfully": "done",
}

// terminal adds a node that ends the way, and marks it when a branch of a parallel step ends there.
func (b *lowering) terminal(id string, n flow.Node, in exits, c context) {
	if c.stops != nil {
		n.Spec.(*flow.TerminalSpec).Output = idiom.Stopped
		c.stops.ids = append(c.stops.ids, id)
	}
	b.add(id, n, in)
}

// end ends a way early without more words.
func (b *lowering) end(in exits, c context) {
	switch {
	case len(in) == 0:
	case c.stops == nil:
		in.connect(flow.End)
	case c.stops.marker == "":
		c.stops.marker = b.unique("stops_here")
		b.terminal(c.stops.marker, flow.Node{Name: idiom.EndOfWay, Spec: &flow.TerminalSpec{}}, in, c)
	default:
		in.connect(c.stops.marker)
	}
}

// farewell adds the message that ends a way, in the run's thread, where the requester reads it.
func (b *lowering) farewell(id, why string, in exits, c context) {
	if len(in) > 0 {
		ends, stops := idiom.RunEnds, "{{run.title}} stops here: "
		if c.stops != nil {
			ends, stops = idiom.WayEnds, "One part of {{run.title}} stops here (what runs beside it goes on): "
		}
		b.end(b.lastWords(id, stops+why, ends, in), c)
	}
}

// lastWords adds a message to the requester, behind which the way ends.
func (b *lowering) lastWords(id, message, ends string, in exits) exits {
	return b.then(b.unique(id), flow.Node{Name: "Tell the requester", Description: ends, Spec: &flow.SaySpec{Message: message}}, in)
}

// extras adds to the main node of a step how often it is tried and what happens when it fails.
func (b *lowering) extras(s *tree.Step, k known, c context) {
	if s.Retry == 0 && len(s.OnError) == 0 {
		return
	}
	n := b.flow.Node(b.ids[s.ID])
	if n == nil || !mayFail[n.Kind] {
		report := b.note
		if len(s.OnError) > 0 {
			report = b.lost
		}
		report("cannot", english.Quoted(b.about(s))+" cannot fail, so nothing can be tried again or done instead.")
		return
	}
	if s.Retry > 0 {
		n.Retry = &flow.Retry{MaxAttempts: min(s.Retry, maxRetry)}
		if pause := int(duration(s.Pause).Clock.Milliseconds()); pause > 0 {
			n.Retry.BackoffMS, n.Retry.Multiplier, n.Retry.MaxBackoffMS = pause, 1, pause
		}
	}
	if len(s.OnError) == 0 {
		return
	}
	n.OnError = []flow.ErrorRoute{{Default: true}}
	defer func(outer string) { b.failed = outer }(b.failed)
	b.failed = n.Name
	out, _ := b.list(s.OnError, exits{&n.OnError[0].To}, k, context{stops: c.stops, item: c.item})
	switch {
	case c.item:
		out.connect(flow.End)
	case len(out) > 0:
		b.terminal(b.unique(b.ids[s.ID]+"_failed"), flow.Node{Name: "Failed", Spec: &flow.TerminalSpec{Outcome: "failed"}}, out, c)
	}
}

const maxRetry = 100

// mayFail are the kinds of nodes that can end in an error.
var mayFail = map[flow.Kind]bool{
	flow.KindTool: true, flow.KindAgent: true, flow.KindSubflow: true, flow.KindSay: true, flow.KindForeach: true, flow.KindParallel: true,
	flow.KindApproval: true, flow.KindAsk: true,
}
