package run

import (
	"fmt"
)

// Types of the errors that the machine itself makes. Error routes match them like any other.
const (
	ErrorExpression = "ExpressionError"  // a broken or too costly expression
	ErrorJoin       = "JoinError"        // branches failed, or too few reached their end
	ErrorGate       = "GateTimeout"      // nobody answered in time
	ErrorPeople     = "GateUnanswerable" // nobody may answer
	ErrorLimit      = "LimitError"       // a limit was reached and its action is fail
	ErrorUnknown    = "UnknownOutcome"   // a worker was lost during an act that must not be repeated
	ErrorBranch     = "BranchTimeout"    // a branch did not end within the join's timeout
	ErrorItem       = "ItemError"        // items of a foreach failed
	ErrorSubflow    = "SubflowError"     // the run of a subflow node was cancelled, or could not be started
	ErrorTimeout    = "TimeoutError"     // the node took longer than its timeout
)

// take decides about one input. It leaves the tokens that can go on in m.todo.
func (m *machine) take(in Input) error {
	m.idle = m.c.AtHand
	switch in := in.(type) {
	case Start:
		m.at(in.At, in.Actor)
		return m.begin(in)
	case Claimed:
		m.at(in.At, Actor{Via: ViaWorker})
		return m.claimed(in)
	case Finished:
		m.at(in.At, Actor{Via: ViaWorker})
		return m.finished(in)
	case Called:
		m.at(in.At, Actor{Via: ViaWorker})
		m.idle = false // the worker goes on with its step
		return m.called(in)
	case Lost:
		m.at(in.At, Actor{Via: ViaWorker})
		return m.lost(in)
	case Answer:
		m.at(in.At, in.Actor)
		return m.answer(in)
	case Fired:
		m.at(in.At, Actor{Via: ViaTimer})
		return m.fired(in)
	case ChildOver:
		m.at(in.At, Actor{Via: ViaRun})
		return m.childOver(in)
	case Happened:
		m.at(in.At, Actor{Via: ViaRun})
		return m.happened(in)
	case Cancel:
		m.at(in.At, in.Actor)
		if m.s.Seq == 0 {
			return errNotStarted
		}
		if m.s.Status.Final() {
			return ErrOver
		}
		m.cancel(in.Reason)
		return nil
	case Pause:
		m.at(in.At, in.Actor)
		return m.pause(in)
	case Move:
		m.at(in.At, in.Actor)
		return m.move(in)
	case Fork:
		m.at(in.At, in.Actor)
		return m.forkRun(in)
	case Reopen:
		m.at(in.At, in.Actor)
		return m.reopen(in)
	case Resume:
		m.at(in.At, in.Actor)
		return m.resume(in)
	}
	return fmt.Errorf("unknown input %T", in)
}

func (m *machine) begin(in Start) error {
	if m.s.Seq != 0 {
		return fmt.Errorf("the run has started already")
	}
	start := in.Run
	start.Inputs, start.Event = normalMap(start.Inputs), normalMap(start.Event)
	entry, err := m.p.begins(start.Entry)
	if err != nil {
		return err
	}
	m.reads = &Reads{Start: &start, Outputs: m.reads.Outputs}
	m.emit(Token{}, &start)
	if in.Behind != "" {
		m.emit(Token{}, &RunPaused{Scope: HoldKey, Reason: in.Behind})
	}
	for _, p := range in.Held {
		m.at(in.At, p.Actor)
		m.emit(Token{}, &RunPaused{Scope: p.Scope, Reason: p.Reason})
	}
	m.at(in.At, in.Actor)
	id := m.s.NextToken
	m.made[id] = true
	m.emit(Token{ID: id, Node: entry, Step: m.s.NextStep}, &TokenMade{ID: id, At: entry})
	if len(m.s.Holds) == 0 {
		m.todo = append(m.todo, id)
	}
	return nil
}

// held finds the token that a worker says it holds.
func (m *machine) held(token, epoch int) (Token, error) {
	t := m.s.Token(token)
	if t == nil || t.Epoch != epoch {
		return Token{}, ErrFenced
	}
	return *t, nil
}

func (m *machine) claimed(in Claimed) error {
	t, err := m.held(in.Token, in.Epoch)
	if err != nil {
		return err
	}
	if t.Phase != PhaseReady {
		return ErrFenced
	}
	m.worker, m.idle = t.ID, true
	m.todo = append(m.todo, t.ID)
	return nil
}

// started finds the token whose step a worker is performing. ended is true when something else ended the token meanwhile.
func (m *machine) started(token, step, epoch int) (t Token, ended bool, err error) {
	for _, u := range m.s.Unsettled {
		if u.Token == token && u.Step == step && u.Epoch == epoch {
			return Token{ID: u.Token, Node: u.Node, Step: u.Step}, true, nil
		}
	}
	t, err = m.held(token, epoch)
	if err == nil && (t.Step != step || t.Phase != PhaseStarted) {
		err = ErrFenced
	}
	return t, false, err
}

func (m *machine) finished(in Finished) error {
	t, ended, err := m.started(in.Token, in.Step, in.Epoch)
	if err != nil {
		return err
	}
	if ended {
		late := &LateResult{Error: in.Error}
		if in.Error == nil {
			late.Output = &in.Output
		}
		m.emit(t, late)
		return nil
	}
	if t.Done != 0 {
		return m.judged(t, in)
	}
	m.worker, m.idle = t.ID, !in.Leave
	switch {
	case in.Offer != nil:
		m.openOffer(t, *in.Offer)
	case in.Error != nil:
		e := *in.Error
		e.Node = t.Node
		m.fail(t.ID, e)
	default:
		m.doubt = in.Doubtful
		m.finish(t.ID, in.Output, in.Usage, false)
	}
	return nil
}

// finish stores a step's output and chooses the route.
func (m *machine) finish(id int, out Output, usage *Usage, given bool) {
	t := m.tok(id)
	isJSON, aside := false, false
	if n := m.node(t); n != nil && n.Spec != nil {
		aside = n.Aside
		out, isJSON = reply(n, out)
		out = n.named(out)
	}
	m.keep(t, &StepFinished{Output: out, JSON: isJSON, Usage: usage, Given: given, Aside: aside, Answers: m.answers(t)})
	m.leave(id)
}

func (m *machine) called(in Called) error {
	t, ended, err := m.started(in.Token, in.Step, in.Epoch)
	switch {
	case err != nil:
		return err
	case ended && in.Intent != nil, t.Done != 0:
		return ErrFenced
	case ended:
		m.emit(t, &LateResult{Call: in.Outcome.Number, Output: &Output{Data: in.Outcome.Result}, Error: in.Outcome.Error})
		return nil
	case in.Intent != nil:
		if i := t.call(in.Intent.Number); i >= 0 && t.Calls[i].Done != 0 {
			return fmt.Errorf("act %d of step %d has its outcome already", in.Intent.Number, t.Step)
		}
		m.emit(t, in.Intent)
	case in.Outcome != nil:
		if i := t.call(in.Outcome.Number); i < 0 || t.Calls[i].Done != 0 {
			return fmt.Errorf("act %d of step %d has no open intent", in.Outcome.Number, t.Step)
		}
		m.emit(t, in.Outcome)
	}
	return nil
}

// settle says what has become of the run as a whole, once nothing moves any more in this decision.
func (m *machine) settle() {
	if m.s.Status.Final() || m.s.Status == Failed {
		return
	}
	if len(m.s.Tokens) == 0 {
		m.emit(Token{}, &RunEnded{Status: Succeeded, Output: m.result, Reason: m.reason})
		m.tellParent(Succeeded, "")
		return
	}
	m.holdJoins()
	var failed Token
	for _, t := range m.s.Tokens {
		switch t.Phase {
		case PhaseReady, PhaseHeld, PhaseStarted, PhaseGate, PhaseTimer, PhaseChild, PhaseEvent:
			return
		case PhaseFailed:
			if t.Frame == 0 {
				failed = t
			}
		}
	}
	m.emit(failed, &RunEnded{Status: Failed, Error: m.s.LastError})
}
