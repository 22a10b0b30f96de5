package history

import (
	"fmt"
	"slices"
	"time"

	"sluice/engine/flow"
)

// NodeState is where a node, or one visit to it, stands.
type NodeState string

// Where a node stands. A run that is over leaves nothing pending: what was not reached is skipped.
const (
	StatePending   NodeState = "pending"
	StateRunning   NodeState = "running" // its act, or the branches of its fork, are under way
	StateWaiting   NodeState = "waiting" // for people, a timer, another run, an event or the delivery of a message
	StateComplete  NodeState = "complete"
	StateRefused   NodeState = "rejected"  // a gate whose decision rejected the run
	StateTimedOut  NodeState = "timed_out" // a gate that expired without an answer
	StateByHand    NodeState = "skipped_by_hand"
	StateError     NodeState = "error"
	StateSkipped   NodeState = "skipped"
	StateCancelled NodeState = "cancelled"
)

// View is the state of a run for people, made from its facts alone: the results of every node, the edges taken and the reasons.
// Pictures, cards and terminals show it. It is not safe for concurrent use.
type View struct {
	Nodes  map[string]NodeView // one for every node of the flow
	Edges  map[string]EdgeView // by the id of the plan's edge; only edges that were taken
	Visits []Visit             // in order of their steps; of a long run not all of them (Trim)
	Ended  *RunEnded           // nil while the run is live
	Usage  Usage               // of all model calls, without the model's name
	// Resumed is the latest step that was taken up after a crash; 0 = none was.
	Resumed int

	flow     *flow.Flow
	steps    int                 // visits that there have been
	trimmed  map[string]NodeView // totals of the trimmed visits to a node
	before   Visit               // usage and latest resumed step of the trimmed visits
	state    *State
	revision int                     // of flow
	past     map[int]*flow.Flow      // revisions that it was on before
	others   map[int]map[string]bool // edges of a revision whose ids mean other edges in flow
}

// NodeView sums up all visits to a node.
type NodeView struct {
	State   NodeState
	Visits  int
	Elapsed time.Duration // from arrival to leaving, over all visits that have ended
	Latest  int           // step of the latest visit; 0 = none
	Items   ItemCount     // of a foreach, over all visits
	// Verdicts are the judgements of the latest visit, by criterion or by the edge of a route.
	Verdicts []Verdict
}

// ItemCount is how far a foreach, a loop or a sequence has come.
type ItemCount struct {
	Total, Started, Ended int
	Failed                int // of Ended, the ones whose error was kept
}

// Visit is one token's visit to a node.
type Visit struct {
	Step, Token int
	Node        string
	State       NodeState
	Edge        string // it came by
	Arrived     time.Time
	Started     time.Time // when its act first started; zero for nodes that do not act
	Ended       time.Time // zero while it goes on
	Attempts    int
	Resumed     int // how often it was taken up after a crash
	Gate        int // its latest gate
	GateKind    GateKind
	Child       string     // id of the latest run that it started
	Queued      time.Time  // since when its message waits to be delivered; zero = none does
	Choice      string     // the decision at the gate
	Ends        Outcome    // the outcome of the run that the decision means
	Firm        bool       // it does whatever is done after it
	By          Actor      // the person who decided
	Error       *NodeError // its latest error
	Retry       time.Time  // when its next attempt is due; zero = it does not wait for one
	Usage       Usage      // of all model calls, without the model's name
	Items       ItemCount  // of a foreach
	Verdicts    []Verdict  // in order of the questions
}

// EdgeView is how often an edge was taken, and why the last time.
type EdgeView struct {
	Count int
	Why   string
	Seen  map[string]any
}

// NewView makes the view of a run of f. Facts come in order, from the first on; more of them can be added later. past are the other revisions
// that the run was on: an edge that it took under one of them counts if f has the very same edge. Without facts the last of past is the
// revision of f.
func NewView(f *flow.Flow, facts []Fact, past ...Past) (*View, error) {
	v := &View{
		Nodes: map[string]NodeView{}, Edges: map[string]EdgeView{}, flow: f, state: &State{}, past: map[int]*flow.Flow{}, others: map[int]map[string]bool{},
	}
	for _, p := range past {
		v.past[p.Revision] = p.Flow
	}
	if all := Revisions(facts); len(all) > 0 {
		v.revision = all[len(all)-1]
	} else if len(past) > 0 {
		v.revision = past[len(past)-1].Revision
	}
	if err := v.Add(facts...); err != nil {
		return nil, err
	}
	return v, nil
}

// Add takes more facts into account.
func (v *View) Add(facts ...Fact) error {
	for _, f := range facts {
		parked := v.parked(f)
		if err := Apply(v.state, f); err != nil {
			return fmt.Errorf("look at a run: %w", err)
		}
		v.arrivals(f)
		v.look(f)
		for _, step := range parked {
			v.visit(step).leave(StateCancelled, f.At)
		}
	}
	v.sum()
	return nil
}

// Holds are the holds on the run, in the order in which they came.
func (v *View) Holds() []Hold { return v.state.Holds }

// Held reports whether the run is paused in a scope.
func (v *View) Held(scope HoldScope) bool { return v.state.Hold(scope) != nil }

func (v *View) visit(step int) *Visit {
	if i, ok := v.place(step); ok {
		return &v.Visits[i]
	}
	return &Visit{} // a fact of the run itself
}

// arrivals records the visits that a fact began: steps are numbered in the order of arrival.
func (v *View) arrivals(f Fact) {
	for step := v.steps + 1; step < v.state.NextStep; step++ {
		for _, t := range v.state.Tokens {
			if t.Step == step {
				v.Visits = append(v.Visits, Visit{
					Step: step, Token: t.ID, Node: t.Node, State: StatePending, Edge: t.Edge, Arrived: f.At,
				})
				v.steps = step
			}
		}
	}
}

// parked lists the steps of tokens that a fact stops or ends although they did not fail themselves.
func (v *View) parked(f Fact) []int {
	var steps []int
	inside := func(frame, branch int) {
		for _, t := range v.state.Tokens {
			if t.Phase != PhaseFailed && v.state.Within(t, frame, branch) {
				steps = append(steps, t.Step)
			}
			if v.state.Within(t, frame, branch) {
				steps = append(steps, t.blocks("")...)
			}
		}
	}
	switch b := f.Body.(type) {
	case *BranchFailed:
		inside(b.Frame, b.Branch)
	case *ItemEnded:
		if fr := v.state.Frame(b.Frame); fr != nil {
			for i, br := range fr.Branches {
				if br.Item != 0 && br.Index == b.Index {
					inside(b.Frame, i)
				}
			}
		}
	case *Joined:
		if fr := v.state.Frame(b.Frame); fr != nil {
			for i := range fr.Branches {
				inside(b.Frame, i)
			}
		}
	default:
		if t := v.state.Token(f.Token); t != nil {
			steps = t.leftBlocks(f)
		}
	}
	return steps
}

// leave ends a visit.
func (x *Visit) leave(state NodeState, at time.Time) {
	x.State, x.Ended, x.Retry = state, at, time.Time{}
}

// look takes one fact into account.
func (v *View) look(f Fact) {
	x := v.visit(f.Step)
	switch b := f.Body.(type) {
	case *TokenMade:
		v.take(v.flow.StartEdge(f.Node), "", nil)
	case *StepStarted:
		x.start(b, f.At)
	case *CallFinished:
		x.use(b.Usage)
	case *StepFinished:
		x.use(b.Usage)
		x.Verdicts = nil
		x.Error = nil
	case *StepFailed:
		x.failed(b, f.At)
	case *TimerSet:
		if b.Timer.Kind == TimerWait || b.Timer.Kind == TimerRetry {
			x.State = StateWaiting
		}
		if b.Timer.Kind == TimerRetry {
			x.Retry = b.Timer.Due
		}
	case *TokenHanded:
		x.State = StatePending
	case *TokenSplit:
		for _, w := range b.Ways {
			v.take(w.Edge, w.Why, b.Seen)
		}
		x.leave(StateComplete, f.At)
	case *FrameOpened:
		x.State, x.Ended = StateRunning, time.Time{}
		for i, edge := range b.Edges {
			if b.Tokens[i] != 0 {
				v.take(edge, "", b.Seen)
			}
		}
	case *BranchRetried:
		for _, t := range v.state.Tokens {
			if t.Phase != PhaseFailed && v.state.Within(t, b.Frame, b.Branch) {
				v.visit(t.Step).again(t)
				for _, step := range t.blocks("") {
					v.visit(step).again(Token{Phase: PhaseJoin})
				}
			}
		}
	default:
		v.lookOn(x, f)
	}
}

func (v *View) lookOn(x *Visit, f Fact) {
	switch b := f.Body.(type) {
	case *JudgingStarted:
		x.State, x.Ended = StateRunning, time.Time{}
	case *LateResult:
		x.use(b.Usage)
	case *Judged:
		x.use(b.Usage)
		x.judged(b.Verdicts)
	case *ChildStarted:
		x.State, x.Ended, x.Attempts, x.Child = StateWaiting, time.Time{}, b.Attempt, b.Child
	case *EventWaited:
		x.State, x.Ended = StateWaiting, time.Time{}
	case *MessageQueued:
		x.State, x.Queued = StateWaiting, f.At
	case *MessageOver, *MessageWithdrawn:
		x.State, x.Queued = StateRunning, time.Time{}
	case *GateOpened:
		x.Gate, x.GateKind = b.Gate, b.Kind
		if b.Kind != GateFailure || x.State != StateError { // the gate is about a limit, and the step did not fail
			x.State = StateWaiting
		}
	case *GateDecided:
		x.Choice, x.By, x.Ends, x.Firm = b.Choice, f.Actor, b.Ends, b.Firm
		if x.State == StateError && (b.Choice == ChoiceRetry || b.Choice == ChoiceSkip) {
			x.again(Token{}) // it failed beside others that went on
		}
	default:
		v.lookOnParts(x, f)
		v.lookOnWay(x, f)
	}
}

// lookOnParts takes a fact about the items of a foreach, or the rounds of a loop, into account.
func (v *View) lookOnParts(x *Visit, f Fact) {
	switch b := f.Body.(type) {
	case *ItemsOpened:
		x.State, x.Items = StateRunning, ItemCount{Total: b.Total}
	case *ItemStarted:
		x.State, x.Ended = StateRunning, time.Time{}
		x.Items.Started++
		v.take(b.Edge, "", nil)
	case *ItemEnded:
		x.Items.Ended++
		if b.Error != nil {
			x.Items.Failed++
		}
	case *BlockOpened:
		x.State, x.Items = StateRunning, ItemCount{Total: b.Total}
	case *RoundStarted:
		x.State, x.Ended = StateRunning, time.Time{}
		x.Items.Started++
		v.take(b.Edge, "", nil)
	case *RoundEnded:
		v.ended(x, f, &PathEnded{Reason: b.Reason})
		v.visit(b.Step).Items.Ended++
	}
}

// lookOnWay takes a fact about the next node or the end of a path into account.
func (v *View) lookOnWay(x *Visit, f Fact) {
	switch b := f.Body.(type) {
	case *RouteTaken:
		v.take(b.Edge, b.Why, b.Seen)
		if b.Edge == flow.LimitEdge(f.Node) {
			v.take(flow.HandoffEdge, b.Why, nil)
		}
		if x.Ended.IsZero() {
			x.leave(StateComplete, f.At)
		}
	case *PathEnded:
		v.ended(x, f, b)
	case *RunEnded:
		v.Ended = b
	case *RunReopened:
		v.Ended = nil
		x.again(Token{})
	}
}

func (x *Visit) start(b *StepStarted, at time.Time) {
	x.State, x.Attempts, x.Ended, x.Retry = StateRunning, b.Attempt, time.Time{}, time.Time{}
	if x.Started.IsZero() {
		x.Started = at
	}
	if b.Resumed {
		x.Resumed++
	}
}

func (x *Visit) failed(b *StepFailed, at time.Time) {
	x.Error = &b.Error
	if b.Next != NextRetry {
		x.leave(StateError, at)
	}
}

// judged records verdicts; a question that is asked again has its latest answer.
func (x *Visit) judged(verdicts []Verdict) {
	all := slices.Clone(x.Verdicts)
	for _, v := range verdicts {
		if i := slices.IndexFunc(all, func(o Verdict) bool { return o.ID == v.ID }); i >= 0 {
			all[i] = v
			continue
		}
		all = append(all, v)
	}
	x.Verdicts = all
}

func (x *Visit) again(t Token) {
	x.State, x.Ended = StatePending, time.Time{}
	if t.Phase == PhaseJoin {
		x.State = StateRunning
	}
}

func (x *Visit) use(u *Usage) {
	if u != nil {
		x.Usage.add(u)
	}
}

func (u *Usage) add(more *Usage) {
	u.InputTokens += more.InputTokens
	u.OutputTokens += more.OutputTokens
	u.USD += more.USD
	if u.Unpriced == "" {
		u.Unpriced = more.unpriced()
	}
}

// unpriced names a model whose cost is not known, of one call or of a sum.
func (u *Usage) unpriced() string {
	if u.Unpriced != "" || u.Priced || u.USD > 0 {
		return u.Unpriced
	}
	return u.Model
}

func (v *View) ended(x *Visit, f Fact, b *PathEnded) {
	switch {
	case b.Reason == EndCancelled && x.State != StateError:
		x.leave(StateCancelled, f.At)
	case x.Ended.IsZero():
		x.leave(StateComplete, f.At)
	}
	if b.Reason == EndNoRoute || b.Reason == EndTerminal {
		v.take(flow.EndEdge(f.Node), "", nil)
	}
}

func (v *View) take(edge, why string, seen map[string]any) {
	if edge != "" && v.means(edge) {
		v.Edges[edge] = EdgeView{Count: v.Edges[edge].Count + 1, Why: why, Seen: seen}
	}
}

// sum makes the states of the nodes from their visits.
func (v *View) sum() {
	v.sumOutcome()
	clear(v.Nodes)
	for _, n := range v.flow.Nodes {
		state := StatePending
		if v.state.Status.Final() {
			state = StateSkipped
		}
		node := v.trimmed[n.ID]
		node.State = state
		v.Nodes[n.ID] = node
	}
	v.Usage, v.Resumed = v.before.Usage, v.before.Resumed
	seen := map[string]bool{}
	for _, x := range v.Visits {
		n := v.Nodes[x.Node]
		if !seen[x.Node] || weight(x.State) >= weight(n.State) {
			n.State = x.State
		}
		seen[x.Node] = true
		n.Latest, n.Verdicts = x.Step, x.Verdicts
		n.count(x)
		v.Nodes[x.Node] = n
		v.Usage.add(&x.Usage)
		if x.Resumed > 0 {
			v.Resumed = x.Step
		}
	}
}

func (c *ItemCount) add(other ItemCount) {
	c.Total += other.Total
	c.Started += other.Started
	c.Ended += other.Ended
	c.Failed += other.Failed
}

// weight decides which of a node's visits counts: one that goes on, else the latest.
func weight(s NodeState) int {
	switch s {
	case StateWaiting:
		return 1
	case StatePending, StateRunning:
		return 2
	}
	return 0
}
