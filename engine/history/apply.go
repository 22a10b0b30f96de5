package history

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine/flow"
)

// Apply changes s by one fact. It evaluates no expression and never looks at the flow, and it can apply every fact that any
// release ever wrote (see kinds). Facts come in order without gaps, from 1 on a zero State. After an error s is of no use.
// Apply may keep parts of the fact's body in s; neither side changes them afterwards.
func Apply(s *State, f Fact) error {
	if f.Body == nil {
		return fmt.Errorf("fact %d has no body", f.Seq)
	}
	if f.Seq != s.Seq+1 {
		return fmt.Errorf("fact %d cannot follow fact %d", f.Seq, s.Seq)
	}
	active := s.Status == Running || s.Status == Paused && s.busy()
	if _, forked := f.Body.(*RunForked); forked {
		active = false // the time up to here is that of the run that this one is a copy of
	}
	if passed := f.At.Sub(s.Latest); active && passed > 0 && !s.Latest.IsZero() {
		s.Active += passed
	}
	s.Latest = f.At
	s.Seq = f.Seq
	if err := f.Body.apply(s, f); err != nil {
		return fmt.Errorf("apply fact %d (%s): %w", f.Seq, f.Kind, err)
	}
	if len(s.Holds) > 0 {
		s.hold()
	}
	if s.Status == Running || s.Status == Waiting || s.Status == Paused {
		s.Status = s.liveStatus()
	}
	return nil
}

// liveStatus is the status of a live run: running, waiting or paused.
func (s *State) liveStatus() Status {
	if len(s.Holds) > 0 {
		return Paused
	}
	for i := range s.Tokens {
		if s.Tokens[i].Runnable() {
			return Running
		}
	}
	return Waiting
}

var ErrNotStarted = errors.New("the run has not started")

func (b *RunStarted) apply(s *State, f Fact) error {
	if f.Seq != 1 {
		return errors.New("a run starts once")
	}
	s.Format, s.Status, s.Started, s.Revision = stateFormat, Running, f.At, b.Revision
	s.Frames = []Frame{{}}
	s.NextToken, s.NextStep, s.NextGate, s.NextTimer, s.NextFrame = 1, 1, 1, 1, 1
	return nil
}

func (b *TokenMade) apply(s *State, _ Fact) error {
	if len(s.Frames) == 0 {
		return ErrNotStarted
	}
	if b.ID < s.NextToken {
		return fmt.Errorf("token %d was made before", b.ID)
	}
	if b.Frame != 0 {
		if _, err := s.branch(b.Frame, b.Branch); err != nil {
			return err
		}
	}
	t := Token{ID: b.ID, Frame: b.Frame, Branch: b.Branch, Prev: b.Prev, Epoch: 1}
	s.arrive(&t, b.Edge, b.At)
	s.insert(t)
	return nil
}

// arrive counts a visit of a token to a node and puts it before it.
func (s *State) arrive(t *Token, edge, node string) {
	t.Restart(node)
	t.place(edge, node, s.NextStep)
	t.Gen = s.Generation
	s.NextStep++
	s.Steps++
	if s.Visits == nil {
		s.Visits = map[string]int{}
	}
	s.Visits[node]++
	if visits, _ := s.Counted(t); visits != nil {
		*visits++
		s.Inside++
	}
}

// place puts a token before a node.
func (t *Token) place(edge, node string, step int) {
	t.Node, t.Edge, t.Phase, t.Step = node, edge, PhaseReady, step
	t.Attempt, t.Gen, t.Calls, t.Effects, t.Done, t.Resume = 0, 0, nil, "", 0, false
	t.Started, t.Failed, t.Handle, t.Verdicts = time.Time{}, false, "", nil
	t.Child, t.Event, t.Message, t.Permit, t.Edited = "", "", "", nil, nil
	t.Granted, t.ByHand = 0, false
}

func (b *StepStarted) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.proceed(b.GoesOn)
	t.Phase, t.Attempt, t.Gen, t.Effects, t.Resume = PhaseStarted, b.Attempt, b.Gen, b.Effects, false
	if t.Started.IsZero() {
		t.Started = f.At
	}
	return nil
}

func (b *CallIntended) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.proceed(b.GoesOn)
	call := Call{Number: b.Number, Intent: f.Seq, What: b.What, Effects: b.Effects}
	if i := t.Call(b.Number); i >= 0 {
		t.Calls[i] = call
		return nil
	}
	t.Calls = append(t.Calls, call)
	return nil
}

func (b *CallFinished) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	i := t.Call(b.Number)
	if i < 0 {
		return fmt.Errorf("no act %d in step %d", b.Number, f.Step)
	}
	t.Calls[i].Done = f.Seq
	return nil
}

func (b *StepFinished) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	seq := f.Seq
	if b.From != 0 {
		seq = b.From
	}
	if err := s.setOutput(t, f.Node, seq); err != nil {
		return err
	}
	if b.Reused != 0 {
		if err := s.reused(f.Node, b.Reused); err != nil {
			return err
		}
	}
	t.Done, t.Calls = seq, nil
	t.said(f.Node, seq, b)
	t.Failed, t.Handle, t.Verdicts = b.Output.Failed, b.Output.Handle, nil
	t.close(f.Step)
	if !b.Aside {
		t.Prev, t.PrevNode = seq, f.Node
		t.Next, t.Tool = b.Output.Next, b.Output.Tool
	}
	if b.JSON {
		t.LastJSON = seq
	}
	return nil
}

func (b *StepFailed) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Attempt = b.Attempt
	switch b.Next {
	case NextRoute:
		t.Error = &b.Error
		s.LastError = &b.Error
	case NextBranch:
		t.Phase = PhaseFailed
	case NextStop:
		t.Phase = PhaseFailed
		s.LastError = &b.Error
	}
	return nil
}

func (b *RouteTaken) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.close(f.Step)
	if b.To == flow.End {
		t.Edge = b.Edge
		return nil
	}
	s.arrive(t, b.Edge, b.To)
	return nil
}

func (b *FrameOpened) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if len(b.Heads) != len(b.Tokens) || len(b.Edges) != len(b.Tokens) {
		return errors.New("tokens, heads and edges of a split differ in number")
	}
	if b.Frame < s.NextFrame {
		return fmt.Errorf("frame %d was opened before", b.Frame)
	}
	t.Phase = PhaseJoin
	parent := *t
	branches := make([]Branch, len(b.Tokens))
	s.Frames = append(s.Frames, Frame{
		ID: b.Frame, Parent: parent.Frame, Token: parent.ID, Node: parent.Node, Branches: branches, Spread: b.Spread, Meet: b.Meet,
	})
	if b.Met {
		s.Frame(b.Frame).note(b.Meet)
	}
	s.NextFrame = max(s.NextFrame, b.Frame+1)
	for i, id := range b.Tokens {
		branches[i] = Branch{Head: b.Heads[i], Edge: b.Edges[i], Done: id == 0}
		if id == 0 {
			branches[i].Ending = parent.Ending
		}
		if id != 0 && id < s.NextToken {
			return fmt.Errorf("token %d was made before", id)
		}
		if id != 0 {
			branches[i].Live = 1
			s.insertChild(parent, Token{ID: id, Frame: b.Frame, Branch: i, Prev: parent.Prev, PrevNode: parent.PrevNode}, b.Edges[i], b.Heads[i])
		}
	}
	return nil
}

// insertChild puts a token before the head of a branch. It begins with what the token that was split has seen.
func (s *State) insertChild(parent, t Token, edge, head string) {
	t.Epoch, t.LastJSON, t.Error, t.Next, t.Tool = 1, parent.LastJSON, parent.Error, parent.Next, parent.Tool
	t.Ending = parent.Ending
	s.arrive(&t, edge, head)
	s.insert(t)
}

func (b *PathEnded) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	gone := *t
	s.end(gone, b.Reason == EndCancelled)
	if b.Reason == EndCancelled {
		return nil
	}
	if gone.Frame == 0 {
		gone.ends(b, f, &s.Ending)
		return nil
	}
	br, err := s.branch(gone.Frame, gone.Branch)
	if err != nil {
		return err
	}
	gone.ends(b, f, &br.Ending)
	s.Frame(gone.Frame).note(b.Met)
	parent, err := s.need(s.Frame(gone.Frame).Token)
	if err != nil {
		return err
	}
	if br.Live--; br.Live > 0 {
		return nil
	}
	br.Done = true
	if gone.Prev != cmp.Or(br.Item, parent.Prev) {
		br.Last = gone.Prev
	}
	if gone.LastJSON != parent.LastJSON {
		br.LastJSON = gone.LastJSON
	}
	return nil
}

func (b *BranchFailed) apply(s *State, _ Fact) error {
	br, err := s.branch(b.Frame, b.Branch)
	if err != nil {
		return err
	}
	br.Failed, br.Error = true, &b.Error
	s.park(b.Frame, b.Branch)
	return nil
}

// park stops the tokens of a branch at their nodes, so that the branch can be tried again from there without repeating finished steps. A
// worker's result for a parked step is late.
func (s *State) park(frame, branch int) {
	for i := range s.Tokens {
		t := &s.Tokens[i]
		if t.Frame != frame || t.Branch != branch {
			continue
		}
		if t.Phase == PhaseJoin {
			inner := s.FrameOf(t.ID)
			for j := range inner.Branches {
				s.park(inner.ID, j)
			}
			continue
		}
		if t.Phase == PhaseStarted && t.Done == 0 {
			s.unsettle(*t)
			t.Resume = true
		}
		s.undefer(t.ID)
		t.Phase = PhaseFailed
	}
}

func (b *BranchRetried) apply(s *State, f Fact) error {
	if _, err := s.branch(b.Frame, b.Branch); err != nil {
		return err
	}
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Phase = PhaseJoin
	s.unpark(b.Frame, b.Branch)
	return nil
}

// unpark puts the parked tokens of a branch before their nodes again.
func (s *State) unpark(frame, branch int) {
	br := &s.Frame(frame).Branches[branch]
	br.Failed, br.Error = false, nil
	for i := range s.Tokens {
		t := &s.Tokens[i]
		if t.Frame != frame || t.Branch != branch {
			continue
		}
		inner := s.FrameOf(t.ID)
		if inner == nil {
			t.Phase = PhaseReady
			continue
		}
		t.Phase = PhaseJoin
		for j := range inner.Branches {
			s.unpark(inner.ID, j)
		}
	}
}

func (b *Joined) apply(s *State, f Fact) error {
	fr := s.Frame(b.Frame)
	if fr == nil || fr.ID == 0 {
		return fmt.Errorf("no open frame %d", b.Frame)
	}
	for i := range fr.Branches {
		s.endBranch(b.Frame, i)
	}
	fr = s.Frame(b.Frame)
	t, err := s.need(fr.Token)
	if err != nil {
		return err
	}
	branches := fr.Branches
	if fr.Each != nil {
		branches = fr.Each.leaves(branches)
	}
	if err := s.merge(t, branches); err != nil {
		return err
	}
	t.mergeEndings(branches)
	s.Frames = slices.DeleteFunc(s.Frames, func(o Frame) bool { return o.ID == b.Frame })
	if t.Phase == PhaseJoin {
		t.Phase = PhaseReady
	}
	if b.Output != nil {
		t.Prev, t.PrevNode = f.Seq, ""
	}
	return nil
}

// merge copies the values of branches into the scope around their frame, in declared order: the outputs and answers of every branch, and the
// variables of branches that have reached their end. A branch that stopped halfway would leave half of its variables.
func (s *State) merge(t *Token, branches []Branch) error {
	for i := range branches {
		br := &branches[i]
		for node, seq := range br.Outputs {
			if err := s.setOutput(t, node, seq); err != nil {
				return err
			}
		}
		for node, a := range br.Approvals {
			if err := s.setApproval(t, node, a); err != nil {
				return err
			}
		}
		if !br.Done {
			continue
		}
		if err := s.setVars(t, ScopeVars{br.Vars, br.Large}); err != nil {
			return err
		}
		if br.LastJSON != 0 {
			t.LastJSON = br.LastJSON
		}
	}
	return nil
}

func (b *LimitReached) apply(s *State, _ Fact) error {
	if b.Action == flow.LimitHandoff {
		s.lift(b.Limit)
	}
	return nil
}

func (b *LimitLifted) apply(s *State, f Fact) error {
	if b.Limit != LimitAgent && b.Limit != LimitTurns {
		s.lift(b.Limit)
		return nil
	}
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Talks = slices.Clone(t.Talks)
	if k := t.Talk(t.Node); b.Limit == LimitTurns && k != nil {
		k.Granted++
		return nil
	}
	t.Granted++
	return nil
}

func (s *State) lift(limit string) {
	if s.Lifted == nil {
		s.Lifted = map[string]int{}
	}
	s.Lifted[limit]++
}

func (b *LateResult) apply(s *State, f Fact) error {
	if b.Call == 0 {
		s.Unsettled = slices.DeleteFunc(s.Unsettled, func(u Unsettled) bool { return u.Token == f.Token && u.Step == f.Step })
	}
	return nil
}

// Clone gives a copy that Apply can change without touching s. Values inside variables, answers and errors are shared: nobody
// changes them.
func (s *State) Clone() *State {
	c := *s
	c.Visits, c.Vars, c.Approvals, c.Lifted = maps.Clone(s.Visits), maps.Clone(s.Vars), maps.Clone(s.Approvals), maps.Clone(s.Lifted)
	c.Large = maps.Clone(s.Large)
	c.Timers, c.Unsettled, c.Holds = slices.Clone(s.Timers), slices.Clone(s.Unsettled), slices.Clone(s.Holds)
	c.Reuse = maps.Clone(s.Reuse)
	c.Heard = s.Heard.clone()
	c.Tokens, c.Deferred = slices.Clone(s.Tokens), slices.Clone(s.Deferred)
	for i := range c.Tokens {
		c.Tokens[i].Calls = slices.Clone(c.Tokens[i].Calls)
		c.Tokens[i].Blocks = slices.Clone(c.Tokens[i].Blocks)
		c.Tokens[i].Talks = slices.Clone(c.Tokens[i].Talks)
	}
	c.Gates = slices.Clone(s.Gates)
	for i := range c.Gates {
		c.Gates[i].Votes = slices.Clone(c.Gates[i].Votes)
		c.Gates[i].Escalated = slices.Clone(c.Gates[i].Escalated)
	}
	c.Frames = slices.Clone(s.Frames)
	for i := range c.Frames {
		fr := &c.Frames[i]
		fr.Outputs, fr.Branches, fr.Each = maps.Clone(fr.Outputs), slices.Clone(fr.Branches), fr.Each.clone()
		for j := range fr.Branches {
			br := &fr.Branches[j]
			br.Outputs, br.Vars, br.Approvals = maps.Clone(br.Outputs), maps.Clone(br.Vars), maps.Clone(br.Approvals)
			br.Large = maps.Clone(br.Large)
		}
	}
	return &c
}
