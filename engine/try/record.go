package try

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/run"
)

// ledger follows a run fact by fact, and names its visits so that two runs of different revisions can be compared.
type ledger struct {
	state *run.State
	keys  map[int]string // step -> name of the visit
	count map[string]int
}

func newLedger() *ledger {
	return &ledger{state: &run.State{}, keys: map[int]string{}, count: map[string]int{}}
}

// add takes a fact into account, and gives the visits that it began.
func (l *ledger) add(f run.Fact) ([]run.Token, error) {
	first := max(l.state.NextStep, 1)
	if err := run.Apply(l.state, f); err != nil {
		return nil, fmt.Errorf("follow a run: %w", err)
	}
	var began []run.Token
	for step := first; step < l.state.NextStep; step++ {
		for _, t := range l.state.Tokens {
			if t.Step == step {
				at := t.Node + " " + place(l.state, t)
				l.keys[step] = at + " #" + strconv.Itoa(l.count[at])
				l.count[at]++
				began = append(began, t)
			}
		}
	}
	return began, nil
}

// place says where in the graph a token moves: the branches and items that it is inside of, from the outermost on.
func place(s *run.State, t run.Token) string {
	var inside []string
	for t.Frame != 0 {
		i := slices.IndexFunc(s.Frames, func(f run.Frame) bool { return f.ID == t.Frame })
		if i < 0 || t.Branch >= len(s.Frames[i].Branches) {
			break
		}
		fr := s.Frames[i]
		br := fr.Branches[t.Branch]
		name := br.Head
		if fr.Each != nil {
			name = strconv.Itoa(br.Index)
		}
		inside = append(inside, fr.Node+"/"+name)
		parent := s.Token(fr.Token)
		if parent == nil {
			break
		}
		t = *parent
	}
	slices.Reverse(inside)
	return strings.Join(inside, " ")
}

// event is something that came from outside: how a step ended, an answer, a time that had come.
type event struct {
	seq    int64
	at     time.Time
	output run.Output     // of a step
	err    *run.NodeError // of a step that failed
	lost   bool           // nobody knew how the step ended
	answer run.Answer     // of a question
	late   bool           // its deadline passed, or its time to wait for another run or an event
	turn   bool           // it was taken up, and told to wait its turn
	child  *run.ChildEnded
	heard  *run.EventReceived
}

// visit is what is recorded of one visit to a node, each list in the order in which it came.
type visit struct {
	node    string
	params  []string      // of its act, every attempt
	starts  []event       // somebody took it up: its act began, or it had to wait its turn
	ends    []event       // how its act ended, every attempt
	answers []event       // at its own question
	stopped bool          // the machine asked about an error or an act that nobody knew the outcome of
	rescues []event       // what was said to that
	passed  []event       // times that it waited for
	judged  []run.Verdict // what was thought of its outcome
	judging []event       // when that was said
	others  []event       // what it heard of other runs: the end of its child, or an event
	lefts   []event       // its token went on
	joins   []event       // timeouts of its join
}

// record is what a run got from outside, by visit.
type record struct {
	start  *run.RunStarted
	began  run.Fact
	ended  run.Fact
	status run.Status
	visits map[string]*visit
	order  []string
	people bool // people judged outcomes, in the place of a model

	gates  map[int]run.GateKind
	timers map[int]run.TimerKind
}

// newRecord reads a run's facts.
func newRecord(facts []run.Fact) (*record, error) {
	r := &record{visits: map[string]*visit{}, gates: map[int]run.GateKind{}, timers: map[int]run.TimerKind{}}
	l := newLedger()
	for _, f := range facts {
		acting := false
		if t := l.state.Token(f.Token); t != nil {
			acting = t.Phase == run.PhaseStarted
		}
		began, err := l.add(f)
		if err != nil {
			return nil, err
		}
		for _, t := range began {
			key := l.keys[t.Step]
			r.visits[key] = &visit{node: t.Node}
			r.order = append(r.order, key)
		}
		switch b := f.Body.(type) {
		case *run.RunStarted:
			r.start, r.began = b, f
		case *run.RunEnded:
			r.ended = f
		case *run.GateOpened:
			r.gates[b.Gate] = b.Kind
			r.people = r.people || b.Kind == run.GateJudge
		case *run.TimerSet:
			r.timers[b.Timer.ID] = b.Timer.Kind
		}
		if v := r.visits[l.keys[f.Step]]; v != nil {
			r.note(v, f, acting)
		}
	}
	if r.start == nil {
		return nil, fmt.Errorf("the run has no beginning")
	}
	r.status = l.state.Status
	return r, nil
}

// note takes a fact of a visit into account; acting says that its act was under way.
func (r *record) note(v *visit, f run.Fact, acting bool) {
	e := event{seq: f.Seq, at: f.At}
	if r.hear(v, f, e) {
		return
	}
	switch b := f.Body.(type) {
	case *run.StepStarted:
		v.starts = append(v.starts, e)
		v.params = append(v.params, string(b.Params))
	case *run.TokenDeferred:
		e.turn = true
		v.starts = append(v.starts, e)
	case *run.StepFinished:
		e.output = b.Output
		switch n := len(v.rescues); {
		case b.Given && n > 0:
			v.rescues[n-1].answer.Text, v.rescues[n-1].answer.Value = b.Output.Text, b.Output.Data
		case acting || b.Given:
			v.ends = append(v.ends, e)
		}
	case *run.StepFailed:
		if e.err = &b.Error; acting {
			v.ends = append(v.ends, e)
		}
	case *run.GateOpened:
		e.lost = b.Kind == run.GateUnknown
		v.stopped = v.stopped || e.lost || b.Kind == run.GateFailure
		if e.lost {
			v.ends = append(v.ends, e)
		}
	case *run.Judged:
		if len(b.Verdicts) > 0 {
			v.judged, v.judging = append(v.judged, b.Verdicts...), append(v.judging, e)
		}
	case *run.RouteTaken, *run.TokenSplit, *run.RoundEnded, *run.PathEnded:
		v.lefts = append(v.lefts, e)
	case *run.Voted:
		e.answer = run.Answer{Actor: f.Actor, Gate: b.Gate, Choice: b.Choice, Note: b.Note}
		v.answers = append(v.answers, e)
	case *run.GateDecided:
		e.answer = run.Answer{Actor: f.Actor, Choice: b.Choice, Note: b.Note, Text: b.Text, Form: b.Form}
		if b.Choice == run.ChoiceSuperseded { // asked anew: nobody counts its votes
			v.answers = slices.DeleteFunc(v.answers, func(e event) bool { return e.answer.Gate == b.Gate })
		}
		r.decided(v, e, r.gates[b.Gate])
	case *run.TimerGone:
		switch kind := r.timers[b.ID]; {
		case !b.Fired:
		case kind == run.TimerJoin:
			v.joins = append(v.joins, e)
		case kind == run.TimerWait || kind == run.TimerRetry:
			v.passed = append(v.passed, e)
		}
	}
}

// hear takes a fact of a visit into account that waits for another run or an event. What it gave is in the fact that follows.
func (r *record) hear(v *visit, f run.Fact, e event) bool {
	switch b := f.Body.(type) {
	case *run.ChildStarted:
		v.params = append(v.params, string(b.Inputs))
		return true
	case *run.ChildEnded:
		e.child = b
	case *run.EventReceived:
		e.heard = b
	case *run.TimerGone:
		e.late = b.Fired && r.timers[b.ID] == run.TimerTimeout
		if !e.late {
			return false
		}
	case *run.StepFinished, *run.StepFailed:
		n := len(v.others)
		if n == 0 || v.others[n-1].seq != f.Seq-1 || v.others[n-1].late {
			return false
		}
		if done, ok := b.(*run.StepFinished); ok {
			v.others[n-1].output = done.Output
		} else {
			v.others[n-1].err = &b.(*run.StepFailed).Error
		}
		return true
	default:
		return false
	}
	v.others = append(v.others, e)
	return true
}

// decided files the end of a question.
func (r *record) decided(v *visit, e event, kind run.GateKind) {
	switch choice := e.answer.Choice; {
	case choice == run.ChoiceSuperseded || choice == run.ChoiceCancelled:
	case kind == run.GateFailure || kind == run.GateUnknown:
		v.rescues = append(v.rescues, e)
	case kind == run.GateApproval || kind == run.GateAsk:
		e.late = choice == run.ChoiceTimeout
		v.answers = append(v.answers, e)
	}
}
