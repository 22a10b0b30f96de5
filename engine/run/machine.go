package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// Decide says what an input means for a run: the facts to store and the effects to carry out once they are stored. It does
// not change s; the state after the facts comes with the decision. The zero State is a run that has not started.
//
// A *Need asks for outputs: load them into reads and call again with the same input. ErrFenced, ErrOver, ErrNoGate, ErrChoice,
// ErrShown, ErrNoSuchTimer and *FormError say that nothing moves. Any other error is a fault of the machine or of its caller,
// and nothing moves either.
//
// Decide is safe for concurrent use as long as s, reads and c do not change meanwhile.
func Decide(p *Program, s *State, in Input, reads *Reads, c *Context) (d Decision, err error) {
	if s == nil {
		s = &State{}
	}
	if reads == nil {
		reads = &Reads{}
	}
	if c == nil {
		c = &Context{}
	}
	m := &machine{p: p, s: s.Clone(), stored: s.Seq, c: c, reads: reads, fresh: map[int64]Output{}, missing: map[int64]bool{}, made: map[int]bool{}}
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bailout)
			if !ok {
				panic(r)
			}
			d, err = Decision{}, b.err
		}
	}()
	if err := m.take(in); err != nil {
		return Decision{}, err
	}
	m.drain()
	m.settle()
	m.unlease(s)
	m.stillborn()
	return Decision{Facts: m.facts, Effects: m.effects, State: m.s, Doubted: m.doubted}, nil
}

// machine is one decision being made. Facts are applied to its scratch state as they are emitted, so that facts are the only
// way the state changes.
type machine struct {
	p     *Program
	s     *State
	c     *Context
	reads *Reads

	stored int64 // facts before this decision

	now   time.Time
	actor Actor

	facts   []Fact
	effects []Effect
	fresh   map[int64]Output // outputs of this decision
	decoded map[int64]any    // data of outputs that were looked at

	worker int          // token that the input's worker holds; 0 = no worker
	idle   bool         // the worker has no step to perform yet
	made   map[int]bool // tokens whose epoch this decision has made or raised: it is still nobody's
	todo   []int        // tokens that are ready and must be taken on
	folds  int
	result int64  // what the last path of the run to end brought along
	reason string // what else is to be said about the end of the run

	missing map[int64]bool // outputs that an expression wanted and that were not given

	doubt   bool    // what is being done rests on a doubtful value, see Trial
	doubted []int64 // facts of this decision that do

	pullFailed error // what was wrong with a value that an expression made on the way
	pulledSeq  int64 // key of the latest such value among the decoded ones, below 0
}

// bailout leaves a decision from deep inside: for outputs that must be read first, or because the machine is at fault.
type bailout struct{ err error }

func (m *machine) fault(format string, args ...any) { panic(bailout{fmt.Errorf(format, args...)}) }

// emit appends a fact and applies it.
func (m *machine) emit(t Token, b Body) int64 {
	k := b.FactKind()
	f := Fact{
		Seq: m.s.Seq + 1, Kind: k, Version: kinds[k].version(), At: m.now, Actor: m.actor,
		Token: t.ID, Node: t.Node, Step: t.Step, Body: b,
	}
	if err := Apply(m.s, f); err != nil {
		panic(bailout{fmt.Errorf("the machine is at fault: %w", err)})
	}
	m.facts = append(m.facts, f)
	if m.doubt {
		m.doubted = append(m.doubted, f.Seq)
	}
	return f.Seq
}

// unlease frees the tokens that somebody could hold before and that wait or have ended by themselves now.
func (m *machine) unlease(before *State) {
	for _, t := range before.Tokens {
		if !t.carried() {
			continue
		}
		now := m.s.Token(t.ID)
		revoked := slices.Contains(m.effects, Effect(Revoke{Token: t.ID, Epoch: t.Epoch}))
		if (now == nil || !now.carried()) && !revoked {
			m.effect(Unlease{Token: t.ID})
		}
	}
}

// stillborn takes back what was to be carried by tokens that the same decision has ended: it must not be begun any more.
func (m *machine) stillborn() {
	m.effects = slices.DeleteFunc(m.effects, func(e Effect) bool {
		id := 0
		switch e := e.(type) {
		case Dispatch:
			id = e.Token
		case Perform:
			id = e.Token
		}
		return id != 0 && m.s.Token(id) == nil
	})
}

// keep emits a step's output, which the rest of the decision may read.
func (m *machine) keep(t Token, b *StepFinished) { m.fresh[m.emit(t, b)] = b.Output }

func (m *machine) effect(e Effect) { m.effects = append(m.effects, e) }

// tok gives a live token's present value.
func (m *machine) tok(id int) Token {
	t := m.s.Token(id)
	if t == nil {
		m.fault("the machine is at fault: token %d is gone", id)
	}
	return *t
}

// node gives the compiled node of a token; nil when the flow has none of this id.
func (m *machine) node(t Token) *node { return m.p.nodes[t.Node] }

// at fixes the decision's time and actor. Times are stored with microseconds.
func (m *machine) at(t time.Time, a Actor) {
	m.now, m.actor = t.UTC().Truncate(time.Microsecond), a
}

// start gives the run's inputs and event.
func (m *machine) start() *RunStarted {
	if m.reads.Start == nil {
		m.missing[1] = true
		m.demand()
	}
	return m.reads.Start
}

// load gives an output, and notes it as missing when it was not given.
func (m *machine) load(seq int64) (Output, bool) {
	m.read(Read{What: ReadOutput, Seq: seq})
	return m.fetch(seq)
}

// fetch is load for what is not doubted as an output.
func (m *machine) fetch(seq int64) (Output, bool) {
	if o, ok := m.fresh[seq]; ok {
		return o, true
	}
	o, ok := m.reads.Outputs[seq]
	if !ok {
		m.missing[seq] = true
	}
	return o, ok
}

// demand leaves the decision if outputs are missing, and asks for what the tokens read that go on in the same transition.
func (m *machine) demand() {
	if len(m.missing) == 0 {
		return
	}
	m.wantKept()
	for _, id := range slices.Concat(m.todo, m.s.Deferred) { // whose turn may come in this decision
		t := m.s.Token(id)
		if t == nil || m.node(*t) == nil {
			continue
		}
		n := m.node(*t)
		p := n.ahead0
		if t.Done != 0 {
			p = n.ahead
		}
		m.wantAhead(*t, p)
	}
	panic(bailout{&Need{Facts: slices.Sorted(maps.Keys(m.missing))}})
}

// foresee says what the transition may read from here on, as token t sees it. It is asked for only if something is missing.
func (m *machine) foresee(t Token, p paths) {
	if len(m.missing) == 0 {
		return
	}
	m.wantAhead(t, p)
	m.demand()
}

// wantAhead notes what may be read as a token sees it, and as the loops and forks see it that it is inside of.
func (m *machine) wantAhead(t Token, p paths) {
	m.wantPaths(t, p)
	m.wantRounds(t)
	m.wantTalks(t)
	m.foreseeJoin(t.Frame)
}

// wantPaths notes what may be read as a token sees it.
func (m *machine) wantPaths(t Token, p paths) {
	for _, id := range p.nodes {
		m.want(m.s.output(&t, id))
		if t.Done != 0 && t.Node == id { // further on it sees what another token of its scope has given there since
			beyond := t
			beyond.Done = 0
			m.want(m.s.output(&beyond, id))
		}
	}
	if p.every {
		m.s.layers(&t, func(b *Branch) bool {
			outputs := m.s.Frames[0].Outputs
			if b != nil {
				outputs = b.Outputs
			}
			for _, seq := range outputs {
				m.want(seq)
			}
			return false
		})
	}
	m.wantVars(t, p)
	if p.done {
		m.want(t.Done)
	}
	if p.previous || t.Frame != 0 { // a branch's last output is read by its join
		m.want(t.Prev)
	}
	if p.bare {
		m.want(t.LastJSON)
	}
	if p.item {
		m.s.repeats(&t, func(_ *Token, b *Block, _ *Frame, br *Branch) bool {
			if b != nil {
				m.want(b.Item)
			} else {
				m.want(br.Item)
			}
			return false
		})
	}
}

// foreseeJoin adds what is read when the last branch of a frame comes to its end and its fork's token goes on.
func (m *machine) foreseeJoin(frame int) {
	fr := m.s.frame(frame)
	if fr == nil || fr.ID == 0 {
		return
	}
	parent := m.tok(fr.Token)
	n := m.node(parent)
	if n == nil {
		return
	}
	ahead := m.behind(fr)
	if fr.Each != nil {
		m.foreseeItems(fr, n, ahead)
	}
	for _, br := range fr.Branches {
		if fr.Each == nil {
			m.want(br.Last)
		}
		if ahead.bare {
			m.want(br.LastJSON)
		}
		for _, id := range ahead.nodes {
			m.want(br.Outputs[id])
		}
		m.wantLarge(br.Large, ahead)
	}
	m.wantAhead(parent, ahead)
}

// behind is what is read behind a frame and behind all those around it: one may be closed in the transition that closes another.
func (m *machine) behind(fr *Frame) paths {
	if fr == nil || fr.ID == 0 {
		return paths{}
	}
	parent := m.tok(fr.Token)
	all := m.behind(m.s.frame(parent.Frame))
	if n := m.node(parent); n != nil {
		all.add(m.beyond(parent, n.ahead))
	}
	if met := m.p.nodes[fr.Meet]; fr.Spread && met != nil {
		all.add(met.ahead0)
	}
	return all
}

// want notes an output as missing if it was not given. What this decision itself makes is at hand, or cannot be read before it is
// stored: who needs it goes on in another transition.
func (m *machine) want(seq int64) {
	if seq != 0 && seq <= m.stored {
		m.load(seq)
	}
}

// evaluate runs an expression for a token and leaves the decision if it needs outputs; p is what else may be needed.
func (m *machine) evaluate(t Token, p paths, run func() (any, error)) (any, *NodeError) {
	m.pullFailed = nil
	v, err := run()
	m.foresee(t, p)
	if err == nil {
		err = m.pullFailed
	}
	if err != nil && !m.doubt {
		return nil, expressionError(t, err)
	}
	return v, nil
}

func expressionError(t Token, err error) *NodeError {
	var syntax *expr.SyntaxError
	message := err.Error()
	if errors.As(err, &syntax) {
		message = fmt.Sprintf("%v\n%s", err, syntax.Caret())
	}
	return &NodeError{Node: t.Node, Type: ErrorExpression, Message: message, Permanent: true}
}

// options gives the time of an expression: that of the step's first start, so that a repeat renders the same.
func (m *machine) options(t Token) expr.Options {
	if !t.Started.IsZero() {
		return expr.Options{Now: t.Started}
	}
	return expr.Options{Now: m.now}
}

// Key is an idempotency key: prefix is origin-run/step, call the journalled number of the act inside the step (1 for the one
// act of a tool or say node), generation is raised by "run it again".
func Key(prefix string, call, generation int) string {
	return fmt.Sprintf("%s/%d/%d", prefix, call, generation)
}

func (m *machine) prefix(t Token) string {
	origin := cmp.Or(m.s.Origin, m.c.Origin, m.c.RunID)
	return fmt.Sprintf("%s/%d", origin, t.Step)
}

// due adds a duration of the flow to the decision's time.
func (m *machine) due(d flow.Duration) time.Time {
	due := m.now.Add(d.Clock).AddDate(0, 0, d.WorkingDays)
	if m.c.Due != nil {
		due = m.c.Due(m.now, d)
	}
	return due.UTC().Truncate(time.Microsecond)
}

func digest(v any) string {
	sum := sha256.Sum256([]byte(expr.JSON(v)))
	return hex.EncodeToString(sum[:])
}

// fingerprint stands for a sensitive value where equal ones must stay equal.
func fingerprint(v any) any { return digest(v)[:16] }
