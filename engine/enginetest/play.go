package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// Player plays a driver with random moves until the run rests for good. What a step gives depends on the player's seed, the
// node and the number of its visit alone, so that two players of the same seed differ in the order of things only.
type Player struct {
	D       *Driver
	R       *rand.Rand // decides the order of moves
	Seed    uint64     // decides outcomes
	Errors  int        // percent of attempts that fail
	Crashes int        // percent of moves that lose a worker
	Noise   int        // percent of moves that repeat an old input; it must be refused
	Retries int        // how often a failed run is retried before it is aborted
	Pauses  int        // percent of moves before which the run is paused, or goes on
	Changes int        // percent of moves before which the run goes over to an identical revision
	Patient bool       // no deadline and no join timeout passes
	Same    bool       // a node gives the same at every visit, see Gives
	Queued  bool       // the run begins behind another one with its key

	Model func(s *run.Perform) history.Output // what steps give; nil = Gives

	visits map[int]string // step -> number of the visit to its node in its branch
}

// Moves is how many moves a player makes at most.
const Moves = 20_000

// ErrEndless means that the run did not come to rest although the flow's limits are far below so many moves.
var ErrEndless = errors.New("the run does not come to rest")

// Play starts the run if it has not started, and plays it to its end: succeeded or cancelled.
func (p *Player) Play() error {
	if p.D.State.Seq == 0 {
		behind := ""
		if p.Queued {
			behind = "another-1"
		}
		var held []run.Pause
		if p.Pauses > 0 && p.R.IntN(100) < p.Pauses {
			held = append(held, run.Pause{Actor: history.Actor{User: "U9"}, Scope: history.HoldFlow}, run.Pause{Actor: history.Actor{User: "U8"}, Scope: history.HoldAll})[p.R.IntN(2):]
		}
		if err := p.D.start(map[string]any{"n": float64(p.Seed % 10), "s": "secret word"}, behind, held...); err != nil {
			return err
		}
	}
	for range Moves {
		if p.D.State.Status.Final() {
			return nil
		}
		if err := p.Move(); err != nil {
			return err
		}
	}
	return ErrEndless
}

// Move makes one random move.
func (p *Player) Move() error {
	if err := p.disturb(); err != nil {
		return err
	}
	d := p.D
	moves := append(p.workers(), p.outside()...)
	if timers := p.timers(len(moves) == 0); len(timers) > 0 {
		moves = append(moves, func() error { return p.fire(timers[p.R.IntN(len(timers))]) })
	}
	moves = append(moves, p.late()...)
	if len(moves) == 0 && len(d.State.Holds) > 0 {
		_, err := d.Feed(run.Resume{At: d.Now, Actor: history.Actor{User: "U9"}, Scope: d.State.Holds[0].Scope})
		return err
	}
	if len(moves) == 0 {
		return fmt.Errorf("the run is %s and nothing can be done", d.State.Status)
	}
	return moves[p.R.IntN(len(moves))]()
}

// disturb repeats an old input, pauses the run or moves it to another revision, each now and then.
func (p *Player) disturb() error {
	if p.R.IntN(100) < p.Noise {
		if err := p.noise(); err != nil {
			return err
		}
	}
	if p.Pauses > 0 && p.R.IntN(100) < p.Pauses {
		if err := p.toggle(); err != nil {
			return err
		}
	}
	if p.Changes > 0 && p.R.IntN(100) < p.Changes {
		return p.D.Move(p.D.Flow)
	}
	return nil
}

// workers lists what workers can do. Now and then one of them is lost instead.
func (p *Player) workers() (moves []func() error) {
	d := p.D
	for _, id := range d.Dispatched() {
		moves = append(moves, func() error { return d.Claim(id) })
	}
	for _, id := range d.Performing() {
		moves = append(moves, func() error { return p.finish(id) })
	}
	if p.R.IntN(100) < p.Crashes && len(d.Leases) > 0 {
		ids := append(d.Dispatched(), d.Performing()...)
		id := ids[p.R.IntN(len(ids))]
		moves = []func() error{func() error { return d.Lose(id, "") }}
	}
	return moves
}

// outside lists what other runs and people can do.
func (p *Player) outside() (moves []func() error) {
	for _, t := range p.D.Waiting() {
		moves = append(moves, func() error { return p.others(t) })
	}
	for _, g := range p.D.State.Gates {
		moves = append(moves, func() error { return p.answer(g) })
	}
	return moves
}

// late lists what comes back of steps and messages that were ended meanwhile.
func (p *Player) late() (moves []func() error) {
	d := p.D
	for i, s := range d.Revoked {
		moves = append(moves, func() error {
			d.Revoked = slices.Delete(slices.Clone(d.Revoked), i, i+1)
			_, err := d.Feed(run.Finished{At: d.Now, Token: s.Token, Step: s.Step, Epoch: s.Epoch, Output: history.Output{Text: "late"}})
			if errors.Is(err, run.ErrFenced) {
				return nil // its worker was lost as well
			}
			return err
		})
	}
	for _, msg := range d.Withdrawn {
		moves = append(moves, func() error {
			err := d.Deliver(msg, []*history.NodeError{nil, {Type: history.ErrorWithdrawn, Message: "taken back"}}[p.R.IntN(2)])
			if errors.Is(err, run.ErrNoWaiter) {
				return nil // a later try of the step was ended, too, and has said what became of it
			}
			return err
		})
	}
	return moves
}

// toggle pauses the run in one of the ways there are, or takes that hold away.
func (p *Player) toggle() error {
	scope := []history.HoldScope{history.HoldRun, history.HoldFlow, history.HoldAll}[p.R.IntN(3)]
	var in run.Input = run.Pause{At: p.D.Now, Actor: history.Actor{User: "U9"}, Scope: scope}
	if p.D.State.Hold(scope) != nil {
		in = run.Resume{At: p.D.Now, Actor: history.Actor{User: "U9"}, Scope: scope}
	}
	_, err := p.D.Feed(in)
	return err
}

// fire fires a timer. To the question who may answer a gate one of ten answers is that nobody may.
func (p *Player) fire(id int) error {
	nobody := ""
	if p.D.State.Timer(id).Kind == history.TimerPeople && !p.Patient && p.R.IntN(10) == 0 {
		nobody = "everybody has left"
	}
	return p.D.fire(id, nobody)
}

// timers lists the timers that may fire now. Reminders only fire when nothing else can happen: there is no end to them.
func (p *Player) timers(idle bool) []int {
	var ids []int
	for _, tm := range p.D.State.Timers {
		if tm.Kept {
			continue
		}
		switch tm.Kind {
		case history.TimerWait, history.TimerRetry, history.TimerPeople:
			ids = append(ids, tm.ID)
		case history.TimerRemind:
			if idle {
				ids = append(ids, tm.ID)
			}
		default:
			if !p.Patient {
				ids = append(ids, tm.ID)
			}
		}
	}
	return ids
}

// finish reports what the outside gave for a step.
func (p *Player) finish(token int) error {
	s := p.D.Leases[token].Perform
	t := p.D.State.Token(token)
	if len(s.Questions) > 0 {
		return p.judge(s)
	}
	h := p.chance(s.Node.ID, p.visit(*t), fmt.Sprint(s.Attempt))
	if h%100 < uint64(p.Errors) {
		kind := []string{"SoftError", "HTTPError", "TimeoutError"}[h%3]
		return p.D.Finish(token, history.Output{}, &history.NodeError{Type: kind, Message: "it broke", Permanent: h%7 == 0, Unknown: h%5 == 0})
	}
	if out, ok := made(s); ok {
		if s.Node.Kind == flow.KindSay && p.chance(s.Node.ID, p.visit(*t), "queued")%3 > 0 {
			return p.D.Queue(token, out.Text)
		}
		return p.D.Finish(token, out, nil)
	}
	if p.Model != nil {
		return p.D.Finish(token, p.Model(s), nil)
	}
	visit := p.visit(*t)
	if p.Same {
		visit = ""
	}
	if spec, ok := s.Node.Spec.(*flow.AgentSpec); ok && spec.ToolMode == flow.ToolsExternal {
		if w := wishes(p.chance(s.Node.ID, visit, "wishes")); len(w) > 0 {
			return p.D.Finish(token, history.Output{Text: "a moment", Calls: w, Pending: true, Tool: w[0].Name}, nil)
		}
	}
	return p.D.Finish(token, p.Gives(s.Node, visit), nil)
}

// judge answers what is asked about a step, or gives no usable answer.
func (p *Player) judge(s *run.Perform) error {
	visit := p.visit(*p.D.State.Token(s.Token))
	if p.chance("judge", s.Node.ID, visit)%100 < uint64(p.Errors) {
		return p.D.Judge(s.Token, nil, &history.NodeError{Type: "ModelError", Message: "it broke"})
	}
	var verdicts []history.Verdict
	for _, q := range s.Questions {
		verdicts = append(verdicts, history.Verdict{ID: q.ID, Met: p.chance("judge", s.Node.ID, visit, q.ID)%2 == 0, Reason: "so it seems"})
	}
	return p.D.Judge(s.Token, verdicts, nil)
}

// made is what the flow itself makes: the words of a message, the payload of an event.
func made(s *run.Perform) (out history.Output, ok bool) {
	switch s.Node.Kind {
	case flow.KindSay:
		out.Text, ok = s.Params["message"].(string)
	case flow.KindEmit:
		ok = true
		if payload := s.Params["payload"]; payload != nil {
			out = history.Output{Text: expr.Text(payload), Data: json.RawMessage(expr.JSON(payload))}
		}
	}
	return out, ok
}

// Gives is what a step gives at a visit to its node; the empty visit is every one of a player with Same.
func (p *Player) Gives(n *flow.Node, visit string) history.Output {
	h := p.chance(n.ID, visit)
	out := said(h)
	if n.Kind == flow.KindAgent && h%3 == 0 {
		out.Text = fmt.Sprintf("words %d", h%100)
		return out
	}
	out.Text = fmt.Sprintf("%s gave %d", n.ID, h%10)
	out.Data = fmt.Appendf(nil, `{"n":%d,"tag":"tag%d","text":"from %s"}`, h%10, h%5, n.ID)
	return out
}

// said is what an outcome says for the routes of other formats.
func said(h uint64) history.Output {
	if h%3 != 0 {
		return history.Output{}
	}
	words := []string{"", "left", "right", "t.act"}
	return history.Output{Failed: h%2 == 0, Handle: words[h/3%4], Next: words[h/5%4], Tool: words[h/7%4]}
}

// others lets happen what a token waits for: the end of its child, the delivery of its message, or its event. Every event of a name is the
// same to the run, since who receives it is a matter of order.
func (p *Player) others(t history.Token) error {
	if t.Phase == history.PhaseEvent {
		h := p.chance("event", t.Event)
		p.D.Now = p.D.Now.Add(time.Millisecond) // a run tells only so many events of the same moment apart
		payload := fmt.Appendf(nil, `{"n":%d,"tag":"tag%d"}`, h%10, h%5)
		if h%4 == 0 {
			payload = nil
		}
		return p.D.Tell(fmt.Sprintf("event%d", p.D.State.Generation+len(p.D.Inputs)), t.Event, p.D.Now, payload)
	}
	if t.Phase == history.PhaseMessage {
		var nerr *history.NodeError
		if h := p.chance("deliver", t.Node, p.visit(t), fmt.Sprint(t.Attempt)); h%100 < uint64(p.Errors/4) {
			nerr = &history.NodeError{Type: "SlackError", Message: "msg_too_long", Permanent: true}
		}
		return p.D.Deliver(p.D.Messages[t.Message], nerr)
	}
	h := p.chance("child", t.Node, p.visit(t), fmt.Sprint(t.Attempt))
	over := run.ChildOver{Name: "other-1", Status: history.Succeeded}
	switch {
	case h%100 < uint64(p.Errors):
		over.Status, over.Reason = history.Cancelled, "aborted"
	case h%100 < uint64(p.Errors+p.Errors/4):
		over.Status, over.Error = history.Cancelled, &history.NodeError{Type: "SubflowError", Message: "no such flow", Permanent: true}
	default:
		over.Output = history.Output{Text: fmt.Sprintf("child %d", h%10), Data: fmt.Appendf(nil, `{"n":%d}`, h%10)}
	}
	return p.D.EndChild(t.ID, over)
}

// visit counts the visits of a step's branch to its node, and names the item of a foreach: what other branches do must not
// change what this one gets.
func (p *Player) visit(t history.Token) string {
	if p.visits == nil {
		p.visits = map[int]string{}
	}
	if v, known := p.visits[t.Step]; known {
		return v
	}
	n := 0
	for _, f := range p.D.Facts {
		if first(f) && f.Token == t.ID && f.Node == t.Node && f.Step < t.Step {
			n++
		}
	}
	v := fmt.Sprint(n)
	if item := p.D.Item(t); item != "" {
		v += " of item " + item
	}
	p.visits[t.Step] = v
	return v
}

// first tells the first attempt of a step, also of one whose outcome is taken over from an earlier run.
func first(f history.Fact) bool {
	switch b := f.Body.(type) {
	case *history.StepFinished:
		return b.Reused != 0
	case *history.StepStarted:
		return b.Attempt == 1
	case *history.ChildStarted:
		return b.Attempt == 1
	}
	return false
}

// chance is a number that depends on the seed and the words alone.
func (p *Player) chance(words ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", p.Seed, strings.Join(words, " "))
	return h.Sum64() >> 3
}

// answer decides a gate as people might.
func (p *Player) answer(g history.Gate) error {
	d := p.D
	t := d.State.Token(g.Token)
	h := p.chance("gate", g.Node, p.asked(g, *t))
	in := run.Answer{At: d.Now, Actor: history.Actor{User: fmt.Sprintf("U%d", len(g.Votes)+1), Via: history.ViaButton}, Gate: g.ID, Shown: g.Shown}
	switch g.Kind {
	case history.GateFailure:
		if p.Retries > 0 && p.R.IntN(2) == 0 {
			if _, err := d.Feed(run.Reopen{At: d.Now, Actor: in.Actor, Step: g.Step}); !errors.Is(err, run.ErrNotExpired) {
				p.Retries--
				return err
			}
		}
		in.Choice = history.ChoiceAbort
		if p.Retries > 0 {
			p.Retries--
			in.Choice = history.ChoiceRetry
			if slices.Contains(g.Choices, history.ChoiceContinue) {
				in.Choice = g.Choices[h%2]
			}
			if slices.Contains(g.Choices, history.ChoiceSkip) && t.Attempt > 3 {
				in.Choice, in.Value = history.ChoiceSkip, json.RawMessage(`{"n":1}`)
			}
		}
	case history.GateUnknown:
		h := p.chance("unknown", g.Node, p.visit(*t), fmt.Sprint(t.Attempt))
		in.Choice = []string{history.ChoiceAgain, history.ChoiceDone}[h%2]
		in.Value = json.RawMessage(`{"n":2}`)
	case history.GateAsk, history.GateAgent, history.GateTurn:
		in.Text = fmt.Sprintf("answer %d", h%10)
	default:
		in.Choice = g.Choices[h%uint64(len(g.Choices))]
	}
	_, err := d.Feed(in)
	return err
}

// asked tells the times that a gate asks from each other: by the visits to its node, or inside a foreach by the item.
func (p *Player) asked(g history.Gate, t history.Token) string {
	item := p.D.Item(t)
	if item == "" {
		return fmt.Sprint(p.D.State.Visits[g.Node])
	}
	n := 0
	for _, f := range p.D.Facts {
		if _, ok := f.Body.(*history.GateOpened); ok && f.Token == t.ID && f.Node == g.Node {
			n++
		}
	}
	return fmt.Sprintf("%d of item %s", n, item)
}

// noise repeats an input that moved something before. Nothing may move by it, except that a timer, a vote or a cancel is new.
func (p *Player) noise() error {
	if len(p.D.Inputs) == 0 {
		return nil
	}
	in := p.D.Inputs[p.R.IntN(len(p.D.Inputs))].Input
	switch x := in.(type) {
	case run.Claimed, run.Finished, run.Lost, run.Fired, run.ChildOver, run.Happened, run.Delivered:
		if l, ok := in.(run.Lost); ok && p.D.Leases[l.Token].Epoch == l.Epoch {
			return nil // true again
		}
		if f, ok := in.(run.Fired); ok && p.D.State.Timer(f.ID) != nil {
			return nil // it fired during a pause, and is due again
		}
	case run.Answer:
		if p.D.State.Gate(x.Gate) != nil {
			return nil // a vote
		}
	default:
		return nil
	}
	d, err := p.D.Feed(in)
	if len(d.Facts) == 1 && d.Facts[0].Kind == history.KindOf((*history.LateResult)(nil)) {
		return nil // a step that was tried again and ended again: its first outcome is still worth keeping
	}
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			return nil
		}
	}
	return fmt.Errorf("%T was taken a second time: %w", in, err)
}
