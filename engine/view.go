package engine

import (
	"context"
	"fmt"
	"time"

	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/storage"
)

// View is a run as people look at it: what every node did, the edges really taken, and how it ended. It is made from the facts
// alone.
type View struct {
	Run    storage.Run
	Flow   *flow.Flow
	Start  *run.RunStarted
	Nodes  map[string]NodeView // by node id; a missing node was not reached
	Taken  map[string]Taken    // by edge id
	Result run.Output
	Ended  *run.RunEnded // nil while live
	Usage  run.Usage     // of all model calls
	Facts  []run.Fact
	// Resumed says at which step the run was last taken up after a crash; 0 = never.
	Resumed int
}

// NodeState is where a node stands.
type NodeState string

// Where a node stands.
const (
	NodeRunning   NodeState = "running"
	NodeWaiting   NodeState = "waiting"
	NodeComplete  NodeState = "complete"
	NodeError     NodeState = "error"
	NodeCancelled NodeState = "cancelled"
	NodeSkipped   NodeState = "skipped"
)

// NodeView is what a node did, over all its visits.
type NodeView struct {
	State   NodeState
	Visits  int
	Started time.Time // of the latest visit
	Ended   time.Time
	Error   *run.NodeError
	Gate    int    // the latest gate
	Choice  string // its answer
	By      string // who gave it
}

// Taken is how often an edge was taken and why the last time.
type Taken struct {
	Count int
	Why   string
	Seen  map[string]any
}

// View loads a run and looks at its facts.
func (e *Engine) View(ctx context.Context, id string) (*View, error) {
	row, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	plan, err := e.compiled(ctx, row.Flow, row.Revision)
	if err != nil {
		return nil, err
	}
	stored, err := e.cfg.Store.Facts(ctx, id, 0)
	if err != nil {
		return nil, fmt.Errorf("read the facts of %s: %w", row.Name, err)
	}
	v := &View{Run: row, Flow: plan.flow, Nodes: map[string]NodeView{}, Taken: map[string]Taken{}}
	for _, sf := range stored {
		f, err := decodeFact(sf)
		if err != nil {
			return nil, err
		}
		v.Facts = append(v.Facts, f)
		v.add(f)
	}
	v.finish()
	return v, nil
}

// StartOf gives the first fact of a run: its inputs and who asked for it.
func (e *Engine) StartOf(ctx context.Context, id string) (*run.RunStarted, error) {
	stored, err := e.cfg.Store.FactsBySeq(ctx, id, []int64{1})
	if err != nil {
		return nil, err
	}
	for _, sf := range stored {
		f, err := decodeFact(sf)
		if err != nil {
			return nil, err
		}
		if s, ok := f.Body.(*run.RunStarted); ok {
			return s, nil
		}
	}
	return nil, fmt.Errorf("run %s has no first fact", id)
}

func (v *View) take(edge, why string, seen map[string]any) {
	if edge == "" {
		return
	}
	t := v.Taken[edge]
	v.Taken[edge] = Taken{Count: t.Count + 1, Why: why, Seen: seen}
}

func (v *View) set(f run.Fact, state NodeState, change func(*NodeView)) {
	if f.Node == "" {
		return
	}
	n := v.Nodes[f.Node]
	if n.State == "" || n.State == NodeComplete && state != NodeComplete {
		n.Visits, n.Started, n.Ended = n.Visits+1, f.At, time.Time{}
	}
	n.State = state
	if state == NodeComplete || state == NodeError || state == NodeCancelled {
		n.Ended = f.At
	}
	if change != nil {
		change(&n)
	}
	v.Nodes[f.Node] = n
}

// add takes one fact into account.
func (v *View) add(f run.Fact) {
	switch b := f.Body.(type) {
	case *run.RunStarted:
		v.Start = b
	case *run.TokenMade:
		if b.Frame == 0 && len(v.Taken) == 0 {
			v.take(flow.PlanStartEdge, "", nil)
		}
	case *run.StepStarted:
		v.set(f, NodeRunning, nil)
		if b.Resumed {
			v.Resumed = f.Step
		}
	case *run.CallFinished:
		v.use(b.Usage)
	case *run.StepFinished:
		v.set(f, NodeComplete, func(n *NodeView) { n.Error = nil })
		if b.From == 0 && !b.Aside {
			v.Result = b.Output
		}
	case *run.StepFailed:
		v.set(f, NodeError, func(n *NodeView) { n.Error = &b.Error })
	case *run.RouteTaken:
		v.take(b.Edge, b.Why, b.Seen)
	case *run.PathEnded:
		if b.Reason == run.EndNoRoute || b.Reason == run.EndTerminal {
			v.take(flow.EndEdge(f.Node), "", nil)
		}
	case *run.TokenForked:
		v.set(f, NodeRunning, nil)
		for _, edge := range b.Edges {
			v.take(edge, "", nil)
		}
	case *run.Joined:
		v.set(f, NodeComplete, nil)
	case *run.VarsSet:
		v.set(f, NodeComplete, nil)
	case *run.TimerSet:
		if b.Timer.Kind == run.TimerWait || b.Timer.Kind == run.TimerRetry {
			v.set(f, NodeWaiting, nil)
		}
	case *run.GateOpened:
		if b.Kind == run.GateFailure {
			v.set(f, NodeError, func(n *NodeView) { n.Gate, n.Error = b.Gate, b.Error })
		} else {
			v.set(f, NodeWaiting, func(n *NodeView) { n.Gate = b.Gate })
		}
	case *run.GateDecided:
		v.decided(f, b)
	case *run.RunEnded:
		v.Ended = b
	case *run.RunReopened:
		v.Ended = nil
	}
}

func (v *View) decided(f run.Fact, b *run.GateDecided) {
	state := NodeComplete
	if b.Choice == run.ChoiceCancelled || b.Choice == run.ChoiceSuperseded {
		state = NodeCancelled
	}
	v.set(f, state, func(n *NodeView) { n.Choice, n.By = b.Choice, f.Actor.User })
}

func (v *View) use(u *run.Usage) {
	if u == nil {
		return
	}
	v.Usage.InputTokens += u.InputTokens
	v.Usage.OutputTokens += u.OutputTokens
	v.Usage.USD += u.USD
}

// finish says what became of nodes that were not done when the run ended.
func (v *View) finish() {
	if v.Ended == nil {
		return
	}
	for _, n := range v.Flow.Nodes {
		switch s := v.Nodes[n.ID]; {
		case s.State == "" && v.Ended.Status.Final():
			v.Nodes[n.ID] = NodeView{State: NodeSkipped}
		case (s.State == NodeRunning || s.State == NodeWaiting) && v.Ended.Status.Final():
			s.State = NodeCancelled
			v.Nodes[n.ID] = s
		}
	}
}
