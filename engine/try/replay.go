package try

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/tool"
)

// Verdict says how a run compares with what it would have been under another revision.
type Verdict string

// The verdicts.
const (
	Same     Verdict = "same"
	Differs  Verdict = "differs"
	NotKnown Verdict = "unknown" // from a node on that has no recorded output
)

// Replayed is what another revision would have made of a run.
type Replayed struct {
	Run     string   `json:"run"`
	Verdict Verdict  `json:"verdict"`
	Node    string   `json:"node,omitempty"`  // where it differs, or is not known any more
	Words   string   `json:"words,omitempty"` // "would now need @finance"
	Other   []string `json:"other,omitempty"` // nodes on the same way that would get other parameters
}

// Surroundings are what a replay needs besides the two flows.
type Surroundings struct {
	Tools tool.Catalogue // for their effects; none is called. nil = nothing is known
	Due   func(from time.Time, d flow.Duration) time.Time
	Zone  *time.Location
}

// Replay feeds what a run got from outside (inputs, outputs, answers, the times of all of them) to another revision of its flow, in
// the order in which it came. Nothing is called. An error is a fault of the machine or of the facts.
func Replay(p *compile.Program, h History, s Surroundings) (Replayed, error) {
	r, err := newRecord(h.Facts)
	if errors.Is(err, errLong) {
		return Replayed{Run: h.Name, Verdict: NotKnown, Words: fmt.Sprintf("is too long to be replayed: it takes more than %d MiB", recordMost>>20)}, nil
	}
	if err != nil {
		return Replayed{}, fmt.Errorf("replay %s: %w", h.Name, err)
	}
	c := run.Context{RunID: h.ID, HasModel: r.model || !r.people, People: r.asked, Due: s.Due, Zone: s.Zone, Effects: func(name string) flow.Effects {
		if s.Tools == nil {
			return ""
		}
		t, _ := s.Tools.Lookup(name)
		return t.Effects
	}}
	re := &replay{
		stage: newStage(p, c, r.began.At), record: r, then: h.Flow, ledger: newLedger(), used: map[string]int{},
		result: Replayed{Run: h.Name, Verdict: Same},
	}
	re.url = h.URL
	if err := re.run(); err != nil {
		return Replayed{}, fmt.Errorf("replay %s: %w", h.Name, err)
	}
	return re.result, nil
}

// replay is a run of the candidate in the making.
type replay struct {
	stage
	record  *record
	then    *flow.Flow // the flow as it was
	ledger  *ledger
	used    map[string]int // how many events were used up, by list and visit
	result  Replayed
	over    bool  // the verdict is known
	latest  int64 // the last fact of the record that has been repeated
	reached int64 // the fact of the record that the latest input repeats
}

// movesMost bounds a replay: a candidate may turn in circles of its own.
const movesMost = 100_000

func (r *replay) run() error {
	var in run.Input = run.Start{At: r.record.began.At, Actor: r.record.began.Actor, Run: *r.record.start, Behind: r.record.behind, Held: r.record.paused, Remembered: r.record.remembered}
	for range movesMost {
		if err := r.feed(in); err != nil || r.over {
			return err
		}
		if r.state.Status.Final() {
			r.compare()
			return nil
		}
		if in = r.next(); in == nil && !r.over {
			in = r.rest()
		}
		if in == nil {
			return nil
		}
	}
	r.say(Differs, "", "would not come to an end")
	return nil
}

// say settles the verdict.
func (r *replay) say(v Verdict, node, words string) {
	r.result.Verdict, r.result.Node, r.result.Words, r.over = v, node, words, true
}

// feed lets something happen. An answer that does not fit the candidate's question is a difference.
func (r *replay) feed(in run.Input) error {
	d, err := r.repeat(in)
	if a, ok := in.(run.Answer); ok && errAnswer(err) {
		node := r.state.Gate(a.Gate).Node
		words := fmt.Sprintf("“%s” is not an answer at %s any more", a.Choice, node)
		var form *run.FormError
		if errors.As(err, &form) {
			words = fmt.Sprintf("the recorded answer is not enough at %s: %v", node, form)
		}
		r.say(Differs, node, words)
		return nil
	}
	if errHeld(err) || errors.Is(err, run.ErrNoListener) {
		return nil
	}
	if errors.Is(err, run.ErrNoWaiter) {
		r.say(NotKnown, "", "is unknown: it hears of other runs in another order")
		return nil
	}
	if err != nil {
		return err
	}
	if d, err = r.cut(d); err != nil {
		return err
	}
	r.latest = max(r.latest+int64(r.repeated(d.Facts)), r.reached)
	r.take(d)
	claimed, _ := in.(run.Claimed)
	for _, f := range d.Facts {
		if err := r.follow(f, claimed.Token); err != nil {
			return err
		}
	}
	return nil
}

// follow takes a fact of the candidate into account. claimed is the token that somebody has just taken up.
func (r *replay) follow(f history.Fact, claimed int) error {
	r.missed(f)
	if _, err := r.ledger.add(f); err != nil {
		return err
	}
	switch b := f.Body.(type) {
	case *history.StepStarted:
		r.parameters(f, b)
	case *history.TokenDeferred:
		if claimed != f.Token {
			r.turn(f)
		}
	case *history.ChildStarted:
		r.compareParams(f, string(b.Inputs))
	}
	return nil
}

// turn uses up that a token was told to wait its turn, when it was told so on its arrival.
func (r *replay) turn(f history.Fact) {
	key := "start " + r.ledger.keys[f.Step]
	if v := r.visit(f.Step); v != nil && r.used[key] < len(v.starts) && v.starts[r.used[key]].turn {
		r.used[key]++
	}
}

// missed uses up what a fact of the candidate settles before it is taken into account: an act that could not begin, a time that is not
// waited for any more.
func (r *replay) missed(f history.Fact) {
	switch b := f.Body.(type) {
	case *history.StepFailed:
		if t := r.ledger.state.Token(f.Token); t != nil && t.Phase == history.PhaseReady && t.Done == 0 {
			r.begun(f)
		}
	case *history.TimerGone:
		tm, v, key := r.ledger.state.Timer(b.ID), r.visit(f.Step), "pass "+r.ledger.keys[f.Step]
		if n := r.used[key]; tm != nil && passes(tm.Kind) && !b.Fired && v != nil && n < len(v.passed) && v.passed[n].gone {
			r.used[key]++
		}
	}
}

// begun uses up that somebody took a token up to begin an act, or tried to: a worker may do so without taking the token anew.
func (r *replay) begun(f history.Fact) {
	if key := "start " + r.ledger.keys[f.Step]; r.used[key] == 0 {
		r.used[key] = 1
	}
}

// parameters notes acts that would get something else than they got.
func (r *replay) parameters(f history.Fact, b *history.StepStarted) {
	r.begun(f)
	r.compareParams(f, string(b.Params))
}

func (r *replay) compareParams(f history.Fact, params string) {
	if v := r.visit(f.Step); v != nil && len(v.params) > 0 && !v.given(params, r.url) && !slices.Contains(r.result.Other, f.Node) {
		r.result.Other = append(r.result.Other, f.Node)
	}
}

// given reports whether an attempt got these parameters. The address of the run is none of them: it may not have been known then.
func (v *visit) given(params, url string) bool {
	bare := func(text string) string { return text }
	if url != "" {
		bare = strings.NewReplacer(url, "", strings.ReplaceAll(url, "&", `\u0026`), "").Replace // as it is said, and as it is stored
	}
	return slices.ContainsFunc(v.params, func(p string) bool { return bare(p) == bare(params) })
}

// visit is what is recorded of a visit of the candidate; nil = nothing.
func (r *replay) visit(step int) *visit { return r.record.visits[r.ledger.keys[step]] }

// move is something that the record says, or that needs no record (seq 0).
type move struct {
	seq int64
	at  time.Time
	in  func(at time.Time) run.Input
}

// event gives the next event of one of the lists of a visit, and what uses it up.
func (r *replay) event(list string, step int, all []event) (e event, use func(), ok bool) {
	key := list + " " + r.ledger.keys[step]
	n := r.used[key]
	if n >= len(all) {
		return event{}, func() {}, false
	}
	return all[n], func() { r.used[key]++ }, true
}

// next gives what happened next according to the record, or nil. What the record does not know settles the verdict.
func (r *replay) next() run.Input {
	best := move{seq: math.MaxInt64}
	consider := func(m move, ok bool) {
		if ok && m.seq < best.seq {
			best = m
		}
	}
	for _, t := range r.state.Tokens {
		m, ok := r.move(t)
		if r.over {
			return nil
		}
		consider(m, ok)
	}
	consider(r.held())
	for _, tm := range r.state.Timers {
		t := r.state.Token(tm.Token)
		if t == nil || tm.Kept || t.Phase != history.PhaseJoin {
			continue
		}
		if v := r.visit(t.Step); v != nil && tm.Kind == history.TimerJoin {
			consider(r.timed("join", *t, v.joins, tm.ID))
		} else if v != nil && tm.Kind == history.TimerTimeout {
			consider(r.timed("other", *t, v.others, tm.ID))
		}
	}
	if best.in == nil {
		return nil
	}
	r.reached, r.latest = best.seq, max(r.latest, best.seq-1) // the fact itself comes of the input
	return best.in(r.until(best.at))
}

// timed is a timer that fires when it did.
func (r *replay) timed(list string, t history.Token, all []event, timer int) (move, bool) {
	e, use, ok := r.event(list, t.Step, all)
	return move{e.seq, e.at, func(at time.Time) run.Input {
		use()
		return run.Fired{At: at, ID: timer}
	}}, ok && !e.gone
}

// move finds what a token of the candidate can do next.
func (r *replay) move(t history.Token) (move, bool) {
	v := r.visit(t.Step)
	switch t.Phase {
	case history.PhaseReady:
		return r.claim(t, v)
	case history.PhaseStarted:
		return r.outcome(t, v)
	case history.PhaseTimer:
		tm := r.state.Timer(t.Timer)
		if tm.Kept {
			return move{}, false
		}
		if v != nil && (tm.Kind == history.TimerWait || r.used["pass "+r.ledger.keys[t.Step]] < len(v.passed)) {
			return r.timed("pass", t, v.passed, tm.ID)
		}
		return move{at: tm.Due, in: func(at time.Time) run.Input { return run.Fired{At: at, ID: tm.ID} }}, true
	case history.PhaseChild, history.PhaseEvent:
		return r.hear(t, v)
	case history.PhaseGate, history.PhaseFailed:
		if g := r.state.Gate(t.Gate); g != nil {
			return r.answer(t, v, *g)
		}
	}
	return move{}, false
}

// claim lets a worker take a token when one took it; what nobody took then stays where it is. A crash is not repeated, so that of the
// times when it was taken up again those that have passed do not count.
func (r *replay) claim(t history.Token, v *visit) (move, bool) {
	m := move{at: r.now, in: func(at time.Time) run.Input { return run.Claimed{At: at, Token: t.ID, Epoch: t.Epoch} }}
	n := r.program.Flow().Node(t.Node)
	if v == nil || n == nil {
		return m, true
	}
	if run.Giver(n) == "" || t.Done != 0 { // of an act, what is left is to judge its outcome and to choose a route
		return r.goOn(m, v)
	}
	key := "start " + r.ledger.keys[t.Step]
	first := r.used[key]
	for i := first; i < len(v.starts); i++ {
		if v.starts[i].seq > r.latest || first == 0 && i == len(v.starts)-1 {
			m.seq, m.at = v.starts[i].seq, v.starts[i].at
			in := m.in
			m.in = func(at time.Time) run.Input {
				r.used[key] = i + 1
				return in(at)
			}
			return m, true
		}
	}
	return m, false
}

// goOn lets a token go on that has nothing to wait for, when it did; if that is past, at once.
func (r *replay) goOn(m move, v *visit) (move, bool) {
	for _, e := range v.moved {
		if m.seq = e.seq; e.seq > r.latest {
			m.at = e.at
			return m, true
		}
	}
	return m, v.left
}

// outcome is how an act ended.
func (r *replay) outcome(t history.Token, v *visit) (move, bool) {
	p, ok := r.acts[t.ID]
	if !ok {
		return move{}, false
	}
	before := r.then.Node(t.Node)
	text, says := p.Params["message"].(string)
	says = says && p.Node.Kind == flow.KindSay
	switch {
	case v == nil && before != nil && run.Giver(before) == run.Giver(p.Node):
		r.say(Differs, t.Node, "would now come to "+t.Node)
	case v == nil && says:
		r.say(Differs, t.Node, "would now post "+t.Node)
	case v == nil || before == nil || run.Giver(before) != run.Giver(p.Node):
		r.say(NotKnown, t.Node, "is unknown from "+t.Node+" on")
	}
	if r.over {
		return move{}, false
	}
	if len(p.Questions) > 0 {
		return r.thought(t, v, p)
	}
	e, use, ok := r.event("end", t.Step, v.ends)
	return move{e.seq, e.at, func(at time.Time) run.Input {
		use()
		if e.lost {
			return run.Lost{At: at, Token: t.ID, Epoch: t.Epoch, Reason: "crash"}
		}
		if says && e.err == nil && !v.said(text) {
			e.output = history.Output{Text: text}
		}
		return run.Finished{At: at, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Output: e.output, Error: e.err}
	}}, ok
}

// said reports whether an attempt had these words; a later one may have had others, and its outcome is what counts.
func (v *visit) said(text string) bool {
	return slices.ContainsFunc(v.params, func(params string) bool {
		var p struct{ Message *string }
		return json.Unmarshal([]byte(params), &p) == nil && p.Message != nil && *p.Message == text
	})
}

// answeredWord is what the machine stores as the choice of a question that has none.
const answeredWord = "answered"

// answer is what people said at a question, or its deadline.
func (r *replay) answer(t history.Token, v *visit, g history.Gate) (move, bool) {
	own := asksPeople(g.Kind)
	if v == nil || r.then.Node(g.Node) == nil {
		words := "would now need " + r.people(g)
		if !own {
			words = "would now stop at " + g.Node
		}
		r.say(Differs, g.Node, words)
		return move{}, false
	}
	if g.Kind == history.GateJudge {
		return r.judge(t, v, g)
	}
	list, all := "answer", v.answers
	if !own {
		list, all = "rescue", v.rescues
	}
	e, use, ok := r.event(list, t.Step, all)
	if lost, asked, known := r.event("end", t.Step, v.ends); ok && known && lost.lost && lost.seq < e.seq { // the machine asked by itself
		asked()
	}
	switch {
	case !ok && !own && !v.stopped:
		r.say(Differs, g.Node, "would now stop at "+g.Node)
		return move{}, false
	case !ok && own && len(g.Votes) > 0:
		r.say(Differs, g.Node, "would now need more answers from "+r.people(g))
		return move{}, false
	case ok && (e.late && g.Deadline == 0 || e.nobody != "" && g.People == 0):
		r.say(Differs, g.Node, "would still wait at "+g.Node)
		return move{}, false
	}
	return move{e.seq, e.at, func(at time.Time) run.Input {
		use()
		return e.atGate(at, t, g)
	}}, ok
}

// atGate is what happened at a question.
func (e event) atGate(at time.Time, t history.Token, g history.Gate) run.Input {
	switch {
	case e.late:
		return run.Fired{At: at, ID: g.Deadline}
	case e.nobody != "":
		return run.Fired{At: at, ID: g.People, Unanswerable: e.nobody}
	case e.answer.Choice == history.ChoiceReopen:
		return run.Reopen{At: at, Actor: e.answer.Actor, Step: t.Step}
	}
	in := e.answer
	in.At, in.Gate, in.Shown = at, g.ID, g.Shown
	if len(g.Choices) == 0 && in.Choice == answeredWord {
		in.Choice = ""
	}
	return in
}

// people names who would be asked.
func (r *replay) people(g history.Gate) string {
	for _, f := range r.facts {
		if b, ok := f.Body.(*history.GateOpened); ok && b.Gate == g.ID {
			return People(b.Who)
		}
	}
	return g.Node
}

// rest goes on where the record has nothing more: a run that was cancelled ends here too, anything else is not known.
func (r *replay) rest() run.Input {
	for _, t := range r.state.Tokens {
		if t.Phase == history.PhaseJoin {
			continue
		}
		if r.record.status != history.Cancelled || r.visit(t.Step) == nil {
			r.say(NotKnown, t.Node, "is unknown from "+t.Node+" on")
			return nil
		}
	}
	return run.Cancel{At: r.until(r.record.ended.At), Actor: r.record.ended.Actor}
}

// compare looks for what a candidate that has come to its end has left out.
func (r *replay) compare() {
	reached := map[string]bool{}
	for _, key := range r.ledger.keys {
		reached[key] = true
	}
	for _, key := range r.record.order {
		v := r.record.visits[key]
		if n := r.program.Flow().Node(v.node); n != nil && !reached[key] && len(v.starts)+len(v.answers)+len(v.others) > 0 {
			r.say(Differs, v.node, "would not come to "+v.node+" any more")
			return
		}
	}
	if r.state.Status != r.record.status {
		r.say(Differs, "", fmt.Sprintf("would end %s instead of %s", r.state.Status, r.record.status))
	}
}
