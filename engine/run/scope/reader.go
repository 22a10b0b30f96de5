package scope

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine/expr"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// Reader gives the values that one decision reads. It records missing values, and Demand asks for all of them at once.
type Reader struct {
	Program *compile.Program
	State   *history.State
	Reads   *Reads
	RunID   string

	stored   int64 // facts before this decision
	Now      time.Time
	Queue    []int                    // tokens that are ready to move in this decision
	Fresh    map[int64]history.Output // outputs of this decision
	Decoded  map[int64]any            // data of outputs that were looked at
	Missing  map[int64]bool           // outputs that an expression wanted and that were not given
	AnyToken bool                     // a worker goes on with other tokens than its own

	Trial        Trial
	Unknown      bool            // the decision so far depends on an unknown value, see Trial
	UnknownFacts []int64         // facts of this decision that depend on one
	unknownVars  map[string]bool // variables that this decision has set to something unknown; "" when there are any

	pullFailed error // the error of a value that was made while an expression read it
	pulledSeq  int64 // key of the latest such value in Decoded, below 0
}

// New gives a Reader for one decision. The state is the scratch copy that the decision changes.
func New(p *compile.Program, s *history.State, reads *Reads) *Reader {
	return &Reader{Program: p, State: s, Reads: reads, stored: s.Seq, Fresh: map[int64]history.Output{}, Missing: map[int64]bool{}}
}

// Halt is the panic that ends a decision early: outputs must be read first, or the machine is at fault. Decide recovers it.
type Halt struct{ Err error }

func (rd *Reader) fault(format string, args ...any) { panic(Halt{fmt.Errorf(format, args...)}) }

// Token gives a live token's present value.
func (rd *Reader) Token(id int) history.Token {
	t := rd.State.Token(id)
	if t == nil {
		rd.fault("the machine is at fault: token %d is gone", id)
	}
	return *t
}

// Node gives the compiled node of a token; nil when the flow has none of this id.
func (rd *Reader) Node(t history.Token) *compile.Node { return rd.Program.Nodes[t.Node] }

// Start gives the run's inputs and event.
func (rd *Reader) Start() *history.RunStarted {
	if rd.Reads.Start == nil {
		rd.Missing[1] = true
		rd.Demand()
	}
	return rd.Reads.Start
}

// url gives the address of the run.
func (rd *Reader) url() string {
	rd.Note(Read{What: ReadURL})
	if rd.Reads.URL == nil {
		panic(Halt{&Need{URL: true}})
	}
	return *rd.Reads.URL
}

// Load gives an output, and notes it as missing when it was not given.
func (rd *Reader) Load(seq int64) (history.Output, bool) {
	rd.Note(Read{What: ReadOutput, Seq: seq})
	return rd.fetch(seq)
}

// fetch is load for outputs that are known.
func (rd *Reader) fetch(seq int64) (history.Output, bool) {
	if o, ok := rd.Fresh[seq]; ok {
		return o, true
	}
	o, ok := rd.Reads.Outputs[seq]
	if !ok {
		rd.Missing[seq] = true
	}
	return o, ok
}

// Demand ends the decision early if outputs are missing, and asks for all that tokens may read in the same transition.
func (rd *Reader) Demand() {
	if len(rd.Missing) == 0 {
		return
	}
	rd.wantKept()
	for _, id := range slices.Concat(rd.Queue, rd.State.Deferred) { // this decision may release deferred ones
		t := rd.State.Token(id)
		if t == nil || rd.Node(*t) == nil {
			continue
		}
		n := rd.Node(*t)
		p := n.AheadOnEntry
		if t.Done != 0 {
			p = n.Ahead
		}
		rd.wantAhead(*t, p)
	}
	panic(Halt{&Need{Facts: slices.Sorted(maps.Keys(rd.Missing))}})
}

// Foresee declares what the transition may read from here on, as token t sees it. It is loaded only if something is missing.
func (rd *Reader) Foresee(t history.Token, p compile.Paths) {
	if len(rd.Missing) == 0 {
		return
	}
	rd.wantAhead(t, p)
	rd.Demand()
}

// wantAhead records what may be read as a token sees it, and as the loops and frames around it see it.
func (rd *Reader) wantAhead(t history.Token, p compile.Paths) {
	rd.wantPaths(t, p)
	rd.wantRounds(t)
	rd.WantConversations(t)
	rd.WantAtJoin(t.Frame)
}

// wantPaths records what may be read as a token sees it.
func (rd *Reader) wantPaths(t history.Token, p compile.Paths) {
	for _, id := range p.Nodes {
		rd.want(outputSeen(rd.State, &t, id))
		if t.Done != 0 && t.Node == id { // later it sees the output that another token of its scope has made there since
			beyond := t
			beyond.Done = 0
			rd.want(outputSeen(rd.State, &beyond, id))
		}
	}
	if p.Every {
		eachLayer(rd.State, &t, func(b *history.Branch) bool {
			outputs := rd.State.Frames[0].Outputs
			if b != nil {
				outputs = b.Outputs
			}
			for _, seq := range outputs {
				rd.want(seq)
			}
			return false
		})
	}
	rd.wantVars(t, p)
	if p.Done {
		rd.want(t.Done)
	}
	if p.Previous || t.Frame != 0 { // a branch's last output is read by its join
		rd.want(t.Prev)
	}
	if p.Bare {
		rd.want(t.LastJSON)
	}
	if p.Item {
		eachRepeat(rd.State, &t, func(_ *history.Token, b *history.Block, _ *history.Frame, br *history.Branch) bool {
			if b != nil {
				rd.want(b.Item)
			} else {
				rd.want(br.Item)
			}
			return false
		})
	}
}

// WantAtJoin adds what is read when the last branch of a frame ends and the token that opened it goes on.
func (rd *Reader) WantAtJoin(frame int) {
	fr := rd.State.Frame(frame)
	if fr == nil || fr.ID == 0 {
		return
	}
	parent := rd.Token(fr.Token)
	n := rd.Node(parent)
	if n == nil {
		return
	}
	ahead := rd.behind(fr)
	if fr.Each != nil {
		rd.foreseeItems(fr, n, ahead)
	}
	for _, br := range fr.Branches {
		if fr.Each == nil {
			rd.want(br.Last)
		}
		if ahead.Bare {
			rd.want(br.LastJSON)
		}
		for _, id := range ahead.Nodes {
			rd.want(br.Outputs[id])
		}
		rd.wantLarge(br.Large, ahead)
	}
	rd.wantAhead(parent, ahead)
}

// behind is what is read behind a frame and behind all those around it: one may be closed in the transition that closes another.
func (rd *Reader) behind(fr *history.Frame) compile.Paths {
	if fr == nil || fr.ID == 0 {
		return compile.Paths{}
	}
	parent := rd.Token(fr.Token)
	all := rd.behind(rd.State.Frame(parent.Frame))
	if n := rd.Node(parent); n != nil {
		all.Add(rd.beyond(parent, n.Ahead))
	}
	if met := rd.Program.Nodes[fr.Meet]; fr.Spread && met != nil {
		all.Add(met.AheadOnEntry)
	}
	return all
}

// want records an output as missing if it was not given. An output of this decision is there already, or can be read only once it is stored:
// a token that needs it moves in another transition.
func (rd *Reader) want(seq int64) {
	if seq != 0 && seq <= rd.stored {
		rd.Load(seq)
	}
}

// Evaluate runs an expression for a token. The decision ends early if it needs outputs; p is what else may be needed.
func (rd *Reader) Evaluate(t history.Token, p compile.Paths, run func() (any, error)) (any, *history.NodeError) {
	rd.pullFailed = nil
	v, err := run()
	rd.Foresee(t, p)
	if err == nil {
		err = rd.pullFailed
	}
	if err != nil && !rd.Unknown {
		return nil, ExpressionError(t, err)
	}
	return v, nil
}

// ExpressionError is the error of a node whose expression failed.
func ExpressionError(t history.Token, err error) *history.NodeError {
	var syntax *expr.SyntaxError
	message := err.Error()
	if errors.As(err, &syntax) {
		message = fmt.Sprintf("%v\n%s", err, syntax.Caret())
	}
	return &history.NodeError{Node: t.Node, Type: history.ErrorExpression, Message: message, Permanent: true}
}

// Options gives the time of an expression: that of the step's first start, so that a repeat renders the same.
func (rd *Reader) Options(t history.Token) expr.Options {
	if !t.Started.IsZero() {
		return expr.Options{Now: t.Started}
	}
	return expr.Options{Now: rd.Now}
}

// Need is returned by Decide when it must read outputs that were not given: load them and call again.
type Need struct {
	URL   bool    // the address of the run
	Facts []int64 // sequence numbers of facts that hold outputs, items of a foreach, parts of its list or large variables (or of run_started)
}

// Error lists the facts.
func (n *Need) Error() string {
	if n.URL {
		return "needs the address of the run"
	}
	return fmt.Sprintf("needs the outputs of facts %v", n.Facts)
}

// Reads are the outputs that Decide may look at, by the sequence number of the fact that holds them.
// The engine fills it from the facts by ReadOf, or by Items.Gather for the output of a foreach (see ItemsOf); fact 1 (inputs
// and event) is always there.
type Reads struct {
	Start   *history.RunStarted
	URL     *string // run.url: where people follow the run, "" = there is no such place (yet); nil = it was not looked up
	Outputs map[int64]history.Output
}

// WantConversations records what the conversations of a token hold.
func (rd *Reader) WantConversations(t history.Token) {
	for _, k := range append(slices.Clip(t.Talks), t.Conversation) {
		rd.want(k.Prev)
		for _, seq := range k.Turns {
			rd.want(seq)
		}
	}
}

// wantKept records the kept outputs that this decision may use.
func (rd *Reader) wantKept() {
	for _, kept := range rd.State.Reuse {
		for _, seq := range kept[:min(len(kept), FoldMost)] {
			rd.want(seq)
		}
	}
}
