package try

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// History is a run that is over.
type History struct {
	ID, Name string
	URL      string     // its address
	Flow     *flow.Flow // of its revision
	Facts    iter.Seq2[history.Fact, error]
}

// ledger follows a run fact by fact, and names its visits so that two runs of different revisions can be compared.
type ledger struct {
	state *history.State
	keys  map[int]string // step -> name of the visit
	count map[string]int
	under *ledger // what this one only looks ahead of
}

func newLedger() *ledger {
	return &ledger{state: &history.State{}, keys: map[int]string{}, count: map[string]int{}}
}

// ahead gives the names of the visits that facts belong to which may follow. They are not taken into account.
func (l *ledger) ahead(facts []history.Fact) []string {
	preview := newLedger()
	preview.state, preview.under = l.state.Clone(), l
	names := make([]string, len(facts))
	for i, f := range facts {
		if _, err := preview.add(f); err != nil {
			return names
		}
		names[i] = preview.key(f.Step)
	}
	return names
}

func (l *ledger) key(step int) string {
	if key, known := l.keys[step]; known || l.under == nil {
		return key
	}
	return l.under.key(step)
}

func (l *ledger) counted(at string) int {
	if n, known := l.count[at]; known || l.under == nil {
		return n
	}
	return l.under.counted(at)
}

// add takes a fact into account, and gives the visits that it began.
func (l *ledger) add(f history.Fact) ([]history.Token, error) {
	first := max(l.state.NextStep, 1)
	if err := history.Apply(l.state, f); err != nil {
		return nil, fmt.Errorf("follow a run: %w", err)
	}
	var began []history.Token
	for step := first; step < l.state.NextStep; step++ {
		for _, t := range l.state.Tokens {
			if t.Step == step {
				at := t.Node + " " + place(l.state, t)
				n := l.counted(at)
				l.keys[step], l.count[at] = at+" #"+strconv.Itoa(n), n+1
				began = append(began, t)
			}
		}
	}
	return began, nil
}

// place says where in the graph a token moves: the branches and items that it is inside of, from the outermost on.
func place(s *history.State, t history.Token) string {
	var inside []string
	for t.Frame != 0 {
		i := slices.IndexFunc(s.Frames, func(f history.Frame) bool { return f.ID == t.Frame })
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
	output history.Output     // of a step
	err    *history.NodeError // of a step that failed
	lost   bool               // nobody knew how the step ended, or a model had no answer
	gone   bool               // the time was not waited for any more
	nobody string             // why nobody may answer a question
	answer run.Answer         // of a question
	late   bool               // its deadline passed, or its time to wait for another run or an event
	turn   bool               // it was taken up, and told to wait its turn
	judged []history.Verdict  // of an outcome
	child  *history.ChildEnded
	heard  *history.EventReceived
}

// visit is what is recorded of one visit to a node, each list in the order in which it came.
type visit struct {
	node    string
	params  []string // of its act, every attempt
	starts  []event  // somebody took it up: its act began, or could not, or it had to wait its turn
	moved   []event  // its token went on without anything that it had to wait for
	left    bool     // its token came to the end of it
	ends    []event  // how its act ended, every attempt
	answers []event  // at its own question
	stopped bool     // the machine asked about an error or an act that nobody knew the outcome of
	reasks  bool     // and asks that again
	rescues []event  // what was said to that
	passed  []event  // times that it waited for, each until it had come or was not waited for any more
	judged  []event  // what was thought of its outcome
	others  []event  // what it heard of other runs: the end of its child, or an event
	joins   []event  // timeouts of its join
}

// record is what a run got from outside, by visit.
type record struct {
	start  *history.RunStarted
	began  history.Fact
	ended  history.Fact
	status history.Status
	visits map[string]*visit
	order  []string
	people bool // people judged outcomes
	model  bool // a model was asked to
	asked  bool // somebody could tell who may answer a question
	// What held it when it began, and the last fact of that.
	behind     string         // why it was queued
	remembered map[string]any // what it began with of earlier runs
	paused     []run.Pause
	opening    int64
	holds      []hold
	facts      []recorded

	gates  map[int]history.GateKind
	timers map[int]history.TimerKind
}

// recorded is a fact without what it says.
type recorded struct {
	kind  history.FactKind
	visit string
	at    time.Time
}

// What a record may take. A replay makes the facts of a run once more, so that it takes about twice as much.
const (
	recordMost = 64 << 20
	factCost   = 1 << 10 // of a fact besides what it says
)

// errLong means that a run is too long for a record.
var errLong = errors.New("the run is too long")

// newRecord reads a run's facts, one after the other. Of most it keeps nothing.
func newRecord(facts iter.Seq2[history.Fact, error]) (*record, error) {
	r := &record{visits: map[string]*visit{}, gates: map[int]history.GateKind{}, timers: map[int]history.TimerKind{}}
	l := newLedger()
	size := 0
	for f, err := range facts {
		if err != nil {
			return nil, err
		}
		if size += factCost + weight(f); size > recordMost {
			return nil, errLong
		}
		r.hold(f)
		var before history.Token
		if t := l.state.Token(f.Token); t != nil {
			before = *t
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
		case *history.RunStarted:
			r.start, r.began, r.opening = b, f, f.Seq
		case *history.RunEnded:
			r.ended = f
		case *history.VarsSet:
			if noted, ok := b.Vars[flow.Remembered].(map[string]any); ok {
				r.remembered = noted
			}
		case *history.GateOpened:
			r.gates[b.Gate] = b.Kind
			r.people = r.people || b.Kind == history.GateJudge
		case *history.JudgingStarted:
			r.model = true
		case *history.TimerSet:
			r.timers[b.Timer.ID] = b.Timer.Kind
			r.asked = r.asked || b.Timer.Kind == history.TimerPeople
		}
		if v := r.visits[l.keys[f.Step]]; v != nil {
			r.note(v, f, before)
		}
		r.facts = append(r.facts, recorded{f.Kind, l.keys[f.Step], f.At})
	}
	if r.start == nil {
		return nil, fmt.Errorf("the run has no beginning")
	}
	r.status = l.state.Status
	return r, nil
}

// weight is about what a record keeps of a fact.
func weight(f history.Fact) int {
	switch b := f.Body.(type) {
	case *history.StepStarted:
		return len(b.Params)
	case *history.ChildStarted:
		return len(b.Inputs)
	}
	if out, ok := history.ReadOf(f); ok {
		return len(out.Text) + len(out.Data)
	}
	return 0
}

// wentOn notes where a token went on, or failed to, that stood ready.
func (v *visit) wentOn(f history.Fact, e event, before history.Token) {
	switch b := f.Body.(type) {
	case *history.TokenHanded:
		return
	case *history.PathEnded:
		if b.Reason == history.EndCancelled {
			return
		}
	case *history.StepFailed:
		if before.Done == 0 {
			v.starts = append(v.starts, e)
		}
	}
	v.moved = append(v.moved, e)
}

// leaves reports whether a fact is how a token comes to the end of a visit.
func leaves(f history.Fact) bool {
	switch b := f.Body.(type) {
	case *history.RouteTaken, *history.TokenSplit, *history.RoundEnded:
		return true
	case *history.PathEnded:
		return b.Reason != history.EndCancelled
	}
	return false
}

// note takes a fact of a visit into account; before is its token as it was.
func (r *record) note(v *visit, f history.Fact, before history.Token) {
	e := event{seq: f.Seq, at: f.At}
	acting := before.Phase == history.PhaseStarted && before.Done == 0
	if before.Phase == history.PhaseReady {
		v.wentOn(f, e, before)
	}
	v.left = v.left || leaves(f)
	if r.hear(v, f, e) {
		return
	}
	switch b := f.Body.(type) {
	case *history.StepStarted:
		v.starts = append(v.starts, e)
		v.params = append(v.params, string(b.Params))
	case *history.TokenDeferred:
		e.turn = true
		v.starts = append(v.starts, e)
	case *history.StepFinished:
		v.finished(b, e, acting)
	case *history.StepFailed:
		if e.err = &b.Error; acting {
			v.ends = append(v.ends, e)
		}
	case *history.GateOpened:
		v.opened(b, e, before)
	case *history.Judged:
		if e.judged = b.Verdicts; len(b.Verdicts) > 0 {
			v.judged = append(v.judged, e)
		}
	case *history.Voted:
		e.answer = run.Answer{Actor: f.Actor, Gate: b.Gate, Choice: b.Choice, Note: b.Note}
		v.answers = append(slices.DeleteFunc(v.answers, func(o event) bool { return o.answer.Gate == b.Gate && o.answer.Actor.Same(f.Actor) }), e) // one person has one vote
	case *history.GateDecided:
		e.answer = run.Answer{Actor: f.Actor, Choice: b.Choice, Note: b.Note, Text: b.Text, Form: b.Form}
		if b.Choice == history.ChoiceSuperseded { // asked anew: nobody counts its votes
			v.answers = slices.DeleteFunc(v.answers, func(e event) bool { return e.answer.Gate == b.Gate })
		}
		r.decided(v, e, r.gates[b.Gate])
	case *history.TimerGone:
		v.timer(b, e, r.timers[b.ID])
	}
}

// finished takes the outcome of a step into account.
func (v *visit) finished(b *history.StepFinished, e event, acting bool) {
	e.output = b.Output
	switch n := len(v.rescues); {
	case b.Reused != 0: // taken over instead of done: nobody began it
		v.starts, v.ends = append(v.starts, e), append(v.ends, e)
		e.child = &history.ChildEnded{Status: history.Succeeded}
		v.others = append(v.others, e)
	case b.Given && n > 0:
		v.rescues[n-1].answer.Text, v.rescues[n-1].answer.Value = b.Output.Text, b.Output.Data
	case acting || b.Given:
		v.ends = append(v.ends, e)
	}
}

// timer takes it into account that a timer is gone.
func (v *visit) timer(b *history.TimerGone, e event, kind history.TimerKind) {
	switch {
	case passes(kind):
		e.gone = !b.Fired
		v.passed = append(v.passed, e)
	case kind == history.TimerJoin && b.Fired:
		v.joins = append(v.joins, e)
	}
}

// opened takes a question into account that the machine asks by itself.
func (v *visit) opened(b *history.GateOpened, e event, before history.Token) {
	underWay := before.Phase == history.PhaseStarted
	e.lost = true
	switch b.Kind {
	case history.GateFailure:
		v.stopped = true
	case history.GateUnknown:
		v.stopped = true
		if underWay { // the worker itself said that it does not know
			e.lost, e.err = false, notKnown(b)
		}
		if !v.reasks {
			v.ends = append(v.ends, e)
		}
		v.reasks = false
	case history.GateJudge:
		if underWay {
			e.err = b.Error
			v.judged = append(v.judged, e)
		}
	}
}

// passes tells the timers that a token itself waits for.
func passes(kind history.TimerKind) bool {
	return kind == history.TimerWait || kind == history.TimerRetry
}

// notKnown is the error of an act that may have taken effect all the same.
func notKnown(b *history.GateOpened) *history.NodeError {
	e := history.NodeError{Type: history.ErrorUnknown, Message: b.Message}
	if b.Cause != nil {
		e = *b.Cause
	}
	e.Unknown = true
	return &e
}

// hear takes a fact of a visit into account that waits for another run or an event. What it gave is in the fact that follows.
func (r *record) hear(v *visit, f history.Fact, e event) bool {
	switch b := f.Body.(type) {
	case *history.ChildStarted:
		v.params = append(v.params, string(b.Inputs))
		return true
	case *history.ChildEnded:
		e.child = b
	case *history.EventReceived:
		e.heard = b
	case *history.TimerGone:
		e.late = b.Fired && r.timers[b.ID] == history.TimerTimeout
		if !e.late {
			return false
		}
	case *history.StepFinished, *history.StepFailed:
		n := len(v.others)
		if n == 0 || v.others[n-1].seq != f.Seq-1 || v.others[n-1].late {
			return false
		}
		if done, ok := b.(*history.StepFinished); ok {
			v.others[n-1].output = done.Output
		} else {
			v.others[n-1].err = &b.(*history.StepFailed).Error
		}
		return true
	default:
		return false
	}
	v.others = append(v.others, e)
	return true
}

// asksPeople tells the questions of a flow and its agents from those that the machine asks about what went wrong.
func asksPeople(kind history.GateKind) bool {
	return kind == history.GateApproval || kind == history.GateAsk || kind == history.GateTurn
}

// decided files the end of a question.
func (r *record) decided(v *visit, e event, kind history.GateKind) {
	switch choice := e.answer.Choice; {
	case choice == history.ChoiceSuperseded && kind == history.GateUnknown:
		v.reasks = true
	case choice == history.ChoiceCancelled && e.answer.Note != "":
		e.nobody = e.answer.Note
		v.answers = append(v.answers, e)
	case choice == history.ChoiceSuperseded || choice == history.ChoiceCancelled:
	case kind == history.GateFailure || kind == history.GateUnknown:
		v.rescues = append(v.rescues, e)
	case asksPeople(kind):
		e.late = choice == history.ChoiceTimeout
		v.answers = append(v.answers, e)
	}
}
