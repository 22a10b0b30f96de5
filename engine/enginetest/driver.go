package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// Epoch is when every driver's clock begins.
var Epoch = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// Driver runs one flow by feeding inputs to the machine. It is not safe for concurrent use.
type Driver struct {
	Flow    *flow.Flow
	Program *compile.Program
	Context *run.Context
	State   *history.State
	Facts   []history.Fact
	Now     time.Time
	Past    []history.Past // the revisions that the run has left
	// Turn is after how many steps a worker lets others have their turn; 0 = never.
	Turn int
	// Leases holds, by token, what was dispatched or is being performed.
	Leases map[int]Lease
	// Revoked are acts whose token was ended by something else; their outcomes may still be reported.
	Revoked []run.Perform
	// Acts counts, by idempotency key, how often the outside was asked to act.
	Acts map[string]int
	// Children are runs that were asked for and are waited for, by id; Cancelled are those that were told to end.
	Children  map[string]run.StartChild
	Cancelled []string
	// Messages are those that wait to be delivered, by id; Withdrawn are those that nobody waits for any more and of which nobody has
	// said what became of them.
	Messages  map[string]run.PostMessage
	Withdrawn []run.PostMessage
	// Told is what the run has said to its parent.
	Told []run.TellParent
	// Inputs are all inputs that moved something, in order, with the number of facts that each gave.
	Inputs []Fed

	mirror  *history.State // folded from the stored form of the facts
	gates   gateRows
	resumed bool // leases from before are not known
}

// Fed is an input and the facts it gave.
type Fed struct {
	Input run.Input
	Facts int
}

// Lease is a token that a worker may claim, or the step that a worker performs.
type Lease struct {
	Epoch   int
	Perform *run.Perform // nil = unclaimed
}

// NewDriver compiles a flow for a run with the id "run".
func NewDriver(f *flow.Flow) (*Driver, error) {
	p, err := compile.Flow(f)
	if err != nil {
		return nil, err
	}
	return &Driver{
		Flow: f, Program: p, Context: &run.Context{RunID: "run", Policy: policy}, State: &history.State{}, Now: Epoch,
		Leases: map[int]Lease{}, Acts: map[string]int{}, Children: map[string]run.StartChild{}, Messages: map[string]run.PostMessage{}, mirror: &history.State{},
	}, nil
}

// policy asks before each call of a tool in the module ask.
func policy(tool string) flow.ToolPolicy {
	if strings.HasPrefix(tool, "ask.") {
		return flow.ToolAsk
	}
	return flow.ToolAllow
}

// Start starts the run.
func (d *Driver) Start(inputs map[string]any) error { return d.start(inputs, "") }

func (d *Driver) start(inputs map[string]any, behind string, held ...run.Pause) error {
	_, err := d.Feed(run.Start{At: d.Now, Actor: history.Actor{User: "U1", Via: history.ViaCLI}, Behind: behind, Held: held, Run: history.RunStarted{
		Flow: d.Flow.Name, Revision: 1, Name: d.Flow.Name + "-1", Inputs: inputs, By: "U1",
	}})
	return err
}

// Feed gives one input to the machine and takes over what it decides. The errors of run.Decide that say that nothing moves
// are returned as they are. Any other error means that something is broken that must always hold:
//   - the machine does not change the state it was given;
//   - folding the stored form of the facts gives the state that came with the decision, byte by byte, and that state comes
//     back from storage as it was;
//   - all outputs that one decision needs are asked for at once;
//   - the rows of gates are as the gates of the state;
//   - every token that can go on has exactly one lease, and no other token has one;
//   - gates, timers and frames belong to live tokens; a run at rest is final, or waits for somebody.
func (d *Driver) Feed(in run.Input) (run.Decision, error) {
	before, err := history.EncodeState(d.State)
	if err != nil {
		return run.Decision{}, err
	}
	dec, err := d.decide(in)
	if after, _ := history.EncodeState(d.State); !bytes.Equal(before, after) {
		return dec, fmt.Errorf("%T changed the state it was given", in)
	}
	if err != nil {
		return dec, err
	}
	if err := d.fold(dec); err != nil {
		return dec, fmt.Errorf("%T: %w", in, err)
	}
	d.State = dec.State
	if m, ok := in.(run.Move); ok {
		before := history.Revisions(d.Facts)
		d.Past = append(d.Past, history.Past{Revision: before[len(before)-1], Flow: d.Flow})
		d.Program, d.Flow = m.To, m.To.Flow()
	}
	d.Facts = append(d.Facts, dec.Facts...)
	d.Inputs = append(d.Inputs, Fed{in, len(dec.Facts)})
	for _, e := range dec.Effects {
		if err := d.effect(e); err != nil {
			return dec, fmt.Errorf("%T: %w", in, err)
		}
	}
	if err := d.check(); err != nil {
		return dec, fmt.Errorf("after %T: %w", in, err)
	}
	return dec, nil
}

// rounds is how often one decision may be asked: once, and once more with the outputs that it needs. Of a forked run outputs that were
// kept are taken one after the other, and what is behind each of them may read more.
func (d *Driver) rounds() int { return 2 + len(d.State.Reuse) }

func (d *Driver) decide(in run.Input) (run.Decision, error) {
	url := "https://example.com/" + d.Context.RunID
	reads := &scope.Reads{URL: &url, Outputs: map[int64]history.Output{}}
	if len(d.Facts) > 0 {
		reads.Start = d.Facts[0].Body.(*history.RunStarted)
	}
	var last error
	for range d.rounds() {
		dec, err := run.Decide(d.Program, d.State, in, reads, d.Context)
		var need *scope.Need
		if !errors.As(err, &need) {
			return dec, err
		}
		last = need
		for _, seq := range need.Facts {
			if err := d.read(reads, seq); err != nil {
				return dec, err
			}
		}
	}
	return run.Decision{}, fmt.Errorf("%T still needs outputs after %d rounds: %v", in, d.rounds(), last)
}

func (d *Driver) read(reads *scope.Reads, seq int64) error {
	if seq < 1 || seq > int64(len(d.Facts)) {
		return fmt.Errorf("the machine needs fact %d of %d", seq, len(d.Facts))
	}
	f := d.Facts[seq-1]
	out, ok := d.output(seq)
	if !ok {
		return fmt.Errorf("the machine needs fact %d, a %s without an output", seq, f.Kind)
	}
	if _, again := reads.Outputs[seq]; again {
		return fmt.Errorf("the machine asks twice for fact %d", seq)
	}
	reads.Outputs[seq] = out
	return nil
}

// output gives what a fact holds, gathering it if it is that of a foreach.
func (d *Driver) output(seq int64) (history.Output, bool) {
	f := d.Facts[seq-1]
	items, ok := history.ItemsOf(f)
	if !ok {
		return history.ReadOf(f)
	}
	ended := d.Facts[items.After:]
	outputs := map[int64]history.Output{}
	for _, need := range items.Needs(ended) {
		outputs[need], _ = d.output(need)
	}
	return items.Gather(ended, outputs), true
}

// fold applies the facts as they come back from storage, and compares.
func (d *Driver) fold(dec run.Decision) error {
	for i, f := range dec.Facts {
		stored, err := Restored(f)
		if err != nil {
			return err
		}
		dec.Facts[i] = stored
		d.gates.keep(d.mirror, stored)
		if err := history.Apply(d.mirror, stored); err != nil {
			return err
		}
	}
	folded, err := history.EncodeState(d.mirror)
	if err != nil {
		return err
	}
	given, err := history.EncodeState(dec.State)
	if err != nil {
		return err
	}
	if !bytes.Equal(folded, given) {
		return fmt.Errorf("folding the facts gives another state:\n%s\n%s", folded, given)
	}
	decoded, err := history.DecodeState(given)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(dec.Facts, bringsValues) {
		if diff := cmp.Diff(decoded, dec.State, cmpopts.EquateEmpty()); diff != "" {
			return fmt.Errorf("the state differs from what comes back from storage: %s", diff)
		}
	}
	d.mirror = decoded
	return d.gates.write(context.Background(), d.Context.RunID, d.mirror, dec.Facts)
}

// bringsValues tells facts that put free values into the state.
func bringsValues(f history.Fact) bool {
	switch f.Body.(type) {
	case *history.VarsSet, *history.GateDecided:
		return true
	}
	return false
}

// Restored sends a fact through its stored form.
func Restored(f history.Fact) (history.Fact, error) {
	actor, body, err := history.Encode(f)
	if err != nil {
		return f, err
	}
	return history.DecodeFact(history.Fact{
		Seq: f.Seq, Kind: f.Kind, Version: f.Version, At: f.At, Token: f.Token, Node: f.Node, Step: f.Step,
	}, actor, body)
}

func (d *Driver) effect(e run.Effect) error {
	switch e := e.(type) {
	case run.Dispatch:
		if l, ok := d.Leases[e.Token]; ok && l.Epoch >= e.Epoch && !d.resumed {
			return fmt.Errorf("token %d is dispatched again in epoch %d", e.Token, e.Epoch)
		}
		d.Leases[e.Token] = Lease{Epoch: e.Epoch}
	case run.Unlease:
		delete(d.Leases, e.Token)
	case run.Revoke:
		if l := d.Leases[e.Token]; l.Perform != nil {
			d.Revoked = append(d.Revoked, *l.Perform)
		}
		delete(d.Leases, e.Token)
	case run.Perform:
		d.Leases[e.Token] = Lease{Epoch: e.Epoch, Perform: &e}
		if e.Key != "" {
			d.Acts[e.Key]++
		}
	default:
		return d.signal(e)
	}
	return nil
}

// Tokens gives the live tokens at a node, by id. NODE#2 names those of the item with the index 2 of a foreach.
func (d *Driver) Tokens(node string) []history.Token {
	id, item, _ := strings.Cut(node, "#")
	return slices.DeleteFunc(slices.Clone(d.State.Tokens), func(t history.Token) bool {
		return t.Node != id || item != "" && item != d.Item(t)
	})
}

// gate gives the latest open gate at a node, or nil.
func (d *Driver) gate(node string) *history.Gate {
	for _, t := range slices.Backward(d.Tokens(node)) {
		if t.Gate != 0 {
			return d.State.Gate(t.Gate)
		}
	}
	return nil
}

// Item tells which items of foreach nodes a token belongs to: their indexes from the outermost on, with dots between.
func (d *Driver) Item(t history.Token) string {
	var items []string
	for t.Frame != 0 {
		i := slices.IndexFunc(d.State.Frames, func(f history.Frame) bool { return f.ID == t.Frame })
		fr := d.State.Frames[i]
		if fr.Each != nil {
			items = append([]string{strconv.Itoa(fr.Branches[t.Branch].Index)}, items...)
		}
		t = *d.State.Token(fr.Token)
	}
	return strings.Join(items, ".")
}

// Claim lets a worker take a dispatched token.
func (d *Driver) Claim(token int) error {
	l, ok := d.Leases[token]
	if !ok || l.Perform != nil {
		return fmt.Errorf("token %d cannot be claimed", token)
	}
	_, err := d.Feed(run.Claimed{At: d.Now, Token: token, Epoch: l.Epoch})
	return err
}

// Finish reports the outcome of the step that a worker performs with a token.
func (d *Driver) Finish(token int, out history.Output, nerr *history.NodeError) error {
	p := d.Leases[token].Perform
	if p == nil {
		return fmt.Errorf("nobody performs token %d", token)
	}
	_, err := d.Feed(run.Finished{At: d.Now, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Output: out, Error: nerr, Leave: d.leaves(p.Step)})
	return err
}

// Judge reports the answers to the questions that a worker was asked about a token's step, or why there are none.
func (d *Driver) Judge(token int, verdicts []history.Verdict, nerr *history.NodeError) error {
	p := d.Leases[token].Perform
	if p == nil || len(p.Questions) == 0 {
		return fmt.Errorf("nobody judges token %d", token)
	}
	_, err := d.Feed(run.Finished{
		At: d.Now, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Questions: p.Questions, Verdicts: verdicts, Error: nerr, Leave: d.leaves(p.Step),
	})
	return err
}

// leaves says that a worker's turn is over with a step.
func (d *Driver) leaves(step int) bool { return d.Turn > 0 && step%d.Turn == 0 }

// Lose reports that the worker of a token is gone.
func (d *Driver) Lose(token int, reason string) error {
	_, err := d.Feed(run.Lost{At: d.Now, Token: token, Epoch: d.Leases[token].Epoch, Reason: reason})
	return err
}

// Fire moves the clock to a timer's time and fires it.
func (d *Driver) Fire(id int) error { return d.fire(id, "") }

func (d *Driver) fire(id int, nobody string) error {
	if tm := d.State.Timer(id); tm != nil && tm.Due.After(d.Now) {
		d.Now = tm.Due
	}
	_, err := d.Feed(run.Fired{At: d.Now, ID: id, Unanswerable: nobody})
	return err
}

// Move puts the run on another revision of its flow.
func (d *Driver) Move(f *flow.Flow) error {
	p, err := compile.Flow(f)
	if err != nil {
		return err
	}
	asked := map[int]*history.GateOpened{}
	for _, g := range d.State.Gates {
		asked[g.ID] = d.Facts[g.Opened-1].Body.(*history.GateOpened)
	}
	_, err = d.Feed(run.Move{At: d.Now, Actor: history.Actor{User: "U1"}, To: p, Revision: d.State.Revision + 1, Asked: asked})
	return err
}

// Dispatched lists tokens that nobody has claimed yet; Performing those that a worker performs.
func (d *Driver) Dispatched() []int { return d.leased(false) }

// Performing lists the tokens that a worker performs.
func (d *Driver) Performing() []int { return d.leased(true) }

func (d *Driver) leased(performing bool) []int {
	var ids []int
	for _, id := range slices.Sorted(maps.Keys(d.Leases)) {
		if (d.Leases[id].Perform != nil) == performing {
			ids = append(ids, id)
		}
	}
	return ids
}

// Output gives the latest output of a node as the run itself sees it.
func (d *Driver) Output(node string) (history.Output, bool) {
	seq, ok := d.State.Frames[0].Outputs[node]
	if !ok {
		return history.Output{}, false
	}
	return d.output(seq)
}

// Resume gives a driver that stands where d stood after its first inputs: its state is folded from the facts.
func Resume(d *Driver, inputs int) (*Driver, error) {
	r := &Driver{
		Flow: d.Flow, Program: d.Program, Context: d.Context, State: &history.State{}, Now: d.Now,
		Leases: map[int]Lease{}, Acts: map[string]int{}, Children: map[string]run.StartChild{}, Messages: map[string]run.PostMessage{}, mirror: &history.State{}, resumed: true,
	}
	for _, fed := range d.Inputs[:inputs] {
		for _, f := range d.Facts[len(r.Facts) : len(r.Facts)+fed.Facts] {
			r.Facts = append(r.Facts, f)
			r.gates.keep(r.State, f)
			if err := errors.Join(history.Apply(r.State, f), history.Apply(r.mirror, f)); err != nil {
				return nil, err
			}
		}
		if err := r.gates.write(context.Background(), r.Context.RunID, r.State, r.Facts[len(r.Facts)-fed.Facts:]); err != nil {
			return nil, err
		}
	}
	r.Inputs = append(r.Inputs, d.Inputs[:inputs]...)
	return r, nil
}
