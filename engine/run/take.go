package run

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// Decide says what an input means for a run: the facts to store and the effects to perform once they are stored. It does
// not change s; the state after the facts comes with the decision. The zero State is a run that has not started.
//
// A *Need asks for outputs: load them into reads and call again with the same input. ErrFenced, ErrOver, ErrNoGate, ErrChoice,
// ErrShown, history.ErrVoted, ErrNoSuchTimer and *FormError say that nothing moves. Any other error is a fault of the machine or of its caller,
// and nothing moves either.
//
// Decide is safe for concurrent use as long as s, reads and c do not change meanwhile.
func Decide(p *compile.Program, s *history.State, in Input, reads *scope.Reads, c *Context) (Decision, error) {
	return decide(nodeKinds, p, s, in, reads, c)
}

func decide(kinds map[flow.Kind]nodeKind, p *compile.Program, s *history.State, in Input, reads *scope.Reads, c *Context) (d Decision, err error) {
	if s == nil {
		s = &history.State{}
	}
	if reads == nil {
		reads = &scope.Reads{}
	}
	if c == nil {
		c = &Context{}
	}
	m := &machine{Reader: scope.New(p, s.Clone(), reads), c: c, kinds: kinds, made: map[int]bool{}}
	m.RunID, m.AnyToken, m.Trial = c.RunID, c.Follow, c.Trial
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(scope.Halt)
			if !ok {
				panic(r)
			}
			d, err = Decision{}, b.Err
		}
	}()
	if err := takeInput(m, in); err != nil {
		return Decision{}, err
	}
	m.drain()
	m.settle()
	m.unlease(s)
	m.dropEnded()
	return Decision{Facts: m.facts, Effects: m.effects, State: m.State, Unknown: m.UnknownFacts}, nil
}

// takeInput decides about one input. It adds the tokens that can move to m.Queue.
func takeInput(m *machine, in Input) error {
	m.idle = m.c.AtHand
	switch in := in.(type) {
	case Start:
		m.at(in.At, in.Actor)
		return takeStart(m, in)
	case Claimed, Finished, Called, Lost, Delivered:
		return takeFromWorker(m, in)
	case Fired:
		m.at(in.At, history.Actor{Via: history.ViaTimer})
		return takeFired(m, in)
	case ChildOver:
		m.at(in.At, history.Actor{Via: history.ViaRun})
		return takeChildOver(m, in)
	case Happened:
		m.at(in.At, history.Actor{Via: history.ViaRun})
		return takeHappened(m, in)
	}
	return takeFromPerson(m, in)
}

// takeFromWorker decides about an input from a worker.
func takeFromWorker(m *machine, in Input) error {
	worker := history.Actor{Via: history.ViaWorker}
	switch in := in.(type) {
	case Claimed:
		m.at(in.At, worker)
		return takeClaimed(m, in)
	case Finished:
		m.at(in.At, worker)
		return takeFinished(m, in)
	case Called:
		m.at(in.At, worker)
		m.idle = false // the worker goes on with its step
		return takeCalled(m, in)
	case Lost:
		m.at(in.At, worker)
		return takeLost(m, in)
	case Delivered:
		m.at(in.At, worker)
		return takeDelivered(m, in)
	}
	return fmt.Errorf("unknown input %T", in)
}

// takeFromPerson decides about an input from a person.
func takeFromPerson(m *machine, in Input) error {
	switch in := in.(type) {
	case Answer:
		m.at(in.At, in.Actor)
		return takeAnswer(m, in)
	case Said:
		m.at(in.At, in.Actor)
		return takeSaid(m, in)
	case Cancel:
		m.at(in.At, in.Actor)
		if m.State.Seq == 0 {
			return history.ErrNotStarted
		}
		if m.State.Status.Final() {
			return ErrOver
		}
		m.cancel(in.Reason)
		return nil
	case Pause:
		m.at(in.At, in.Actor)
		return takePause(m, in)
	case Move:
		m.at(in.At, in.Actor)
		return takeMove(m, in)
	case Fork:
		m.at(in.At, in.Actor)
		return takeFork(m, in)
	case Edit:
		m.at(in.At, in.Actor)
		return takeEdit(m, in)
	case AskByName:
		m.at(in.At, in.Actor)
		return takeAskByName(m, in)
	case Reopen:
		m.at(in.At, in.Actor)
		return takeReopen(m, in)
	case Resume:
		m.at(in.At, in.Actor)
		return takeResume(m, in)
	}
	return fmt.Errorf("unknown input %T", in)
}

func takeStart(m *machine, in Start) error {
	if m.State.Seq != 0 {
		return fmt.Errorf("the run has started already")
	}
	start := in.Run
	start.Inputs, start.Event = history.NormalMap(start.Inputs), history.NormalMap(start.Event)
	entry, err := m.Program.EntryOf(start.Entry)
	if err != nil {
		return err
	}
	m.Reads = &scope.Reads{Start: &start, Outputs: m.Reads.Outputs}
	m.emit(history.Token{}, &start)
	if in.Behind != "" {
		m.emit(history.Token{}, &history.RunPaused{Scope: history.HoldKey, Reason: in.Behind})
	}
	for _, p := range in.Held {
		m.at(in.At, p.Actor)
		m.emit(history.Token{}, &history.RunPaused{Scope: p.Scope, Reason: p.Reason})
	}
	m.at(in.At, in.Actor)
	id := m.State.NextToken
	m.made[id] = true
	m.emit(history.Token{ID: id, Node: entry, Step: m.State.NextStep}, &history.TokenMade{ID: id, At: entry})
	kept := len(in.Remembered) == 0 || m.writeVars(m.Token(id), map[string]any{flow.Remembered: history.Normal(in.Remembered)})
	if kept && len(m.State.Holds) == 0 {
		m.Queue = append(m.Queue, id)
	}
	return nil
}

func takeClaimed(m *machine, in Claimed) error {
	t, err := m.held(in.Token, in.Epoch)
	if err != nil {
		return err
	}
	if t.Phase != history.PhaseReady {
		return ErrFenced
	}
	m.worker, m.idle = t.ID, true
	m.Queue = append(m.Queue, t.ID)
	return nil
}

func takeFinished(m *machine, in Finished) error {
	t, ended, err := m.started(in.Token, in.Step, in.Epoch)
	if err != nil {
		return err
	}
	if ended {
		if in.Message != nil {
			in.Error = &history.NodeError{Node: t.Node, Type: history.ErrorWithdrawn, Message: "the message was not posted: its step had been ended before"}
		}
		m.emit(t, late(in.Output, in.Error))
		return nil
	}
	if t.Done != 0 {
		return takeVerdicts(m, t, in)
	}
	m.worker, m.idle = t.ID, !in.Leave
	switch {
	case in.Offer != nil:
		openOffer(m, t, *in.Offer)
	case in.Asked != nil:
		c := *in.Asked
		c.Attempt, c.Gen = max(t.Attempt, 1), t.Gen
		openCall(m, t, &c)
	case in.Error != nil:
		e := *in.Error
		e.Node = t.Node
		m.fail(t.ID, e)
	case in.Message != nil:
		queueMessage(m, t, *in.Message)
	case failTooLarge(m, t, in.Output):
	default:
		m.Unknown = in.Unknown
		m.finish(t.ID, in.Output, in.Usage, false)
	}
	return nil
}

func takeCalled(m *machine, in Called) error {
	t, ended, err := m.started(in.Token, in.Step, in.Epoch)
	switch {
	case err != nil:
		return err
	case ended && in.Intent != nil, t.Done != 0:
		return ErrFenced
	case ended:
		m.emit(t, &history.LateResult{Call: in.Outcome.Number, Output: &history.Output{Data: in.Outcome.Result}, Error: in.Outcome.Error, Usage: in.Outcome.Usage})
		return nil
	case in.Intent != nil:
		if i := t.Call(in.Intent.Number); i >= 0 && t.Calls[i].Done != 0 {
			return fmt.Errorf("act %d of step %d has its outcome already", in.Intent.Number, t.Step)
		}
		intent := *in.Intent
		intent.GoesOn = dropsRefusal(&t, nil, intent.Effects) && intent.What != flow.PostMessage
		m.emit(t, &intent)
	case in.Outcome != nil:
		if i := t.Call(in.Outcome.Number); i < 0 || t.Calls[i].Done != 0 {
			return fmt.Errorf("act %d of step %d has no open intent", in.Outcome.Number, t.Step)
		}
		m.emit(t, in.Outcome)
	}
	return nil
}

// settle decides the status of the run, once no token moves any more in this decision.
func (m *machine) settle() {
	if m.State.Status.Final() || m.State.Status == history.Failed {
		return
	}
	if len(m.State.Tokens) == 0 {
		m.emit(history.Token{}, endFact(m))
		tellParent(m, history.Succeeded, "")
		return
	}
	holdJoins(m)
	var failed history.Token
	for _, t := range m.State.Tokens {
		switch t.Phase {
		case history.PhaseReady, history.PhaseHeld, history.PhaseStarted, history.PhaseGate, history.PhaseTimer, history.PhaseChild, history.PhaseEvent, history.PhaseMessage:
			return
		case history.PhaseFailed:
			if t.Frame == 0 {
				failed = t
			}
		}
	}
	m.emit(failed, &history.RunEnded{Status: history.Failed, Outcome: failureOutcome(m, failed), Error: m.State.LastError})
}
