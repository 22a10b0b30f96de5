package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"sluice/engine/compiled"
	"sluice/engine/dispatch"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/engine/run"
	"sluice/engine/run/scope"
	"sluice/engine/tool"
	"sluice/storage"
)

// live is a run that somebody works on: transitions of one run are serialised here, so that the compare-and-set of the store
// meets only other processes. It is dropped when no worker holds it any more: a waiting run costs no memory.
type live struct {
	id   string
	refs int // guarded by Engine.mu

	waiting  sync.Mutex // guards requests
	requests []*request // that wait for mu and may share a transaction

	mu      sync.Mutex
	program *compiled.Revision
	row     storage.Run
	state   *history.State // nil = must be loaded
	start   *history.RunStarted
	outputs map[int64]history.Output
	cached  int            // bytes of outputs
	url     string         // of the run, once it is known
	locked  storage.Locked // nil = others may write the run, too
}

// hold keeps a run in memory until drop.
func (e *Engine) hold(id string) *live {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.runs[id]
	if l == nil {
		l = &live{id: id}
		e.runs[id] = l
	}
	l.refs++
	return l
}

func (e *Engine) drop(l *live) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.refs--; l.refs == 0 {
		delete(e.runs, l.id)
	}
}

// moved is what a transition did.
type moved struct {
	row     storage.Run
	state   *history.State
	facts   []history.Fact
	effects []run.Effect
}

// conflictsMax bounds how often a transition is decided again after another process was faster.
const conflictsMax = 20

// transition feeds one input to a run: decide, store in one transaction, then hand the effects on. add may put more into the
// batch, such as the inbox row whose effect this is. Errors of run.Decide pass through. Inputs of workers that meet share a commit.
func (e *Engine) transition(ctx context.Context, id string, in run.Input, add func(*storage.Batch)) (*moved, error) {
	l := e.hold(id)
	defer e.drop(l)
	t := &request{in: in, add: add}
	if t.batchable() {
		l.queue(t)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.over { // the worker that had the lock before has decided about it
		return t.moved, t.err
	}
	t.reservation = e.reserve(in)
	defer t.reservation.release()
	for requests := l.takeBatch(t); len(requests) > 0; {
		requests = requests[e.move(ctx, l, requests):]
	}
	return t.moved, t.err
}

// move makes a transition of the first of some requests, and of as many others as may go with it. It gives their number.
func (e *Engine) move(ctx context.Context, l *live, requests []*request) int {
	defer l.unlock()
	first := requests[0]
	for try := 0; ; try++ {
		if try >= lockAfter {
			e.lockRun(ctx, l)
		}
		known := l.state != nil
		if err := e.load(ctx, l); err != nil {
			return first.end(nil, fmt.Errorf("load run %s: %w", l.id, err))
		}
		if err := e.syncPauses(ctx, l, run.Resume{}); err != nil {
			l.state = nil
			if !errors.Is(err, storage.ErrConflict) || try == conflictsMax {
				return first.end(nil, fmt.Errorf("hold or release run %s: %w", l.row.Name, err))
			}
			continue
		}
		made, err := e.decideAll(ctx, l, requests)
		if err != nil && known && e.cfg.Shared {
			l.state = nil // another process may have moved the run meanwhile: what it is asked now is not what it was asked then
			continue
		}
		if err != nil {
			return first.end(nil, err)
		}
		m, err := e.commit(ctx, l, made, first.add)
		if err == nil {
			first.reservation.use(l, m)
			for i, d := range made {
				requests[i].end(&moved{row: m.row, state: m.state, facts: d.Facts, effects: d.Effects}, nil)
			}
			return len(made)
		}
		l.reset()
		if !errors.Is(err, storage.ErrConflict) || try == conflictsMax {
			err = fmt.Errorf("store a transition of run %s: %w", l.row.Name, err)
			for _, r := range requests[:len(made)] {
				r.end(nil, err) // it may be stored all the same: each of them has to find out
			}
			return len(made)
		}
	}
}

func (e *Engine) load(ctx context.Context, l *live) error {
	if l.state != nil {
		return nil
	}
	row, err := e.cfg.Store.Run(ctx, l.id)
	if err != nil {
		return err
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return err
	}
	program, err := e.revisions.Load(ctx, row.Flow, row.Revision)
	if err != nil {
		return err
	}
	l.row, l.state, l.program = row, st, program
	if l.outputs == nil {
		l.outputs = map[int64]history.Output{}
	}
	return nil
}

// decide asks the machine, loading the outputs that it needs. With atHand, a worker is free to begin with what is set going.
func (e *Engine) decide(ctx context.Context, l *live, in run.Input, atHand bool) (run.Decision, error) {
	if l.start == nil {
		if err := e.read(ctx, l, []int64{1}); err != nil {
			return run.Decision{}, err
		}
	}
	c := &run.Context{
		RunID: l.id, Origin: l.id, HasModel: e.cfg.Model != nil, Due: e.due, Zone: e.cfg.Calendar.Zone, People: e.cfg.Directory != nil,
		Follow: true, AtHand: atHand,
		Effects: func(name string) flow.Effects { return toolEffects(e.cfg.Tools, name) },
		Policy: func(name string) flow.ToolPolicy {
			t, _ := e.cfg.Tools.Lookup(name)
			return t.Policy
		},
	}
	reads := &scope.Reads{Start: l.start, Outputs: l.outputs}
	for {
		d, err := run.Decide(l.program.Program, l.state, in, reads, c)
		var need *scope.Need
		if !errors.As(err, &need) {
			return d, err
		}
		if _, starts := in.(run.Start); need.URL && starts && c.AtHand {
			c.AtHand = false // it has an address when it is stored: a worker begins after that
			continue
		}
		if need.URL {
			if err := e.locate(ctx, l); err != nil {
				return run.Decision{}, err
			}
			reads.URL = &l.url
			continue
		}
		if err := e.read(ctx, l, need.Facts); err != nil {
			return run.Decision{}, err
		}
	}
}

// locate looks up the address of a run; one that is known stays as it is.
func (e *Engine) locate(ctx context.Context, l *live) (err error) {
	if l.url == "" {
		l.url, err = e.address(ctx, l.row)
	}
	return err
}

// address is where people follow a run; "" = nowhere, or it is not known yet.
func (e *Engine) address(ctx context.Context, r storage.Run) (string, error) {
	if e.cfg.RunURL == nil {
		return "", nil
	}
	url, err := e.cfg.RunURL(ctx, r)
	if err != nil {
		return "", fmt.Errorf("look up the address of run %s: %w", r.Name, err)
	}
	return url, nil
}

func toolEffects(tools tool.Catalogue, name string) flow.Effects {
	if t, ok := tools.Lookup(name); ok && t.Effects != "" {
		return t.Effects
	}
	return flow.EffectsOnce
}

// due adds a duration of the flow file to a time; working days are those of the installation's calendar.
func (e *Engine) due(from time.Time, d flow.Duration) time.Time {
	if d.WorkingDays > 0 {
		from = e.cfg.Calendar.AddDays(from, d.WorkingDays)
	}
	return from.Add(d.Clock)
}

// read loads outputs of earlier facts into the run's cache.
func (e *Engine) read(ctx context.Context, l *live, seqs []int64) error {
	facts, err := stored.BySeq(ctx, e.cfg.Store, l.id, seqs...)
	if err != nil {
		return fmt.Errorf("read facts %v: %w", seqs, err)
	}
	known := stored.NewResults(e.cfg.Store, l.id)
	for _, f := range facts {
		l.remember(f)
		if items, ok := history.ItemsOf(f); ok {
			gathered, err := known.Gather(ctx, items)
			if err != nil {
				return err
			}
			l.keep(f.Seq, gathered)
		}
	}
	for _, s := range seqs {
		if _, ok := l.outputs[s]; !ok && s != 1 {
			return fmt.Errorf("fact %d of run %s holds no output", s, l.row.Name)
		}
	}
	return nil
}

// remember keeps what later decisions may read.
func (l *live) remember(f history.Fact) {
	if s, ok := f.Body.(*history.RunStarted); ok {
		l.start = s
	}
	if o, ok := history.ReadOf(f); ok {
		l.keep(f.Seq, o)
	}
}

const (
	outputsMost = 1000    // outputs in the cache of a run
	cacheMost   = 4 << 20 // bytes of them
)

func (l *live) keep(seq int64, o history.Output) {
	l.outputs[seq] = o
	l.cached += len(o.Text) + len(o.Data)
}

// forget empties a cache that has grown large. What is needed again is read again.
func (l *live) forget() {
	if len(l.outputs) > outputsMost || l.cached > cacheMost {
		clear(l.outputs)
		l.cached = 0
	}
}

// commit stores decisions that follow each other in one transaction, and hands their effects on. On an error nothing was stored, as far
// as the store can tell.
func (e *Engine) commit(ctx context.Context, l *live, made []decided, add func(*storage.Batch)) (*moved, error) {
	last := made[len(made)-1]
	st := last.State
	row := l.row
	row.Status, row.Outcome, row.Steps, row.Ended, row.Revision = string(st.Status), string(st.Outcome), st.Steps, st.Ended, st.Revision
	var err error
	if row.State, err = history.EncodeState(st); err != nil {
		return nil, err
	}
	b := &storage.Batch{Run: &storage.RunWrite{Run: row}}
	facts, err := e.fillAll(ctx, b, made)
	if err != nil {
		return nil, err
	}
	if e.cfg.Surfaces != nil {
		made, stale := e.cfg.Surfaces.Transition(row, facts)
		b.Surfaces, b.Stale = append(made, b.Surfaces...), append(stale, b.Stale...)
	}
	if add != nil {
		add(b)
	}
	e.cfg.Hook(AtBeforeCommit)
	if err := e.write(ctx, l, b); err != nil {
		return nil, err
	}
	e.cfg.Hook(AtAfterCommit)
	row.Version++
	if l.state = st; row.Revision != l.row.Revision {
		l.state = nil // the next transition loads the run with its new flow
	}
	l.row = row
	l.forget()
	for _, f := range facts {
		l.remember(f)
	}
	for _, d := range made {
		e.after(row.ID, d.Decision)
	}
	e.wake(b)
	if !st.Ended.IsZero() && startedBySchedule(l.start) {
		e.wakeTimers()
	}
	return &moved{row: row, state: st, facts: facts, effects: last.Effects}, nil
}

// after hands on the effects of a decision that is stored.
func (e *Engine) after(id string, d run.Decision) {
	for _, eff := range d.Effects {
		switch eff := eff.(type) {
		case run.Dispatch:
			if e.cfg.Queued {
				continue
			}
			e.cfg.Dispatcher.Enqueue(dispatch.Item{Run: id, Token: eff.Token, Epoch: eff.Epoch})
		case run.Revoke:
			e.pulse.revoke(dispatch.Item{Run: id, Token: eff.Token, Epoch: eff.Epoch})
			e.cfg.Dispatcher.Revoke(id, eff.Token, eff.Epoch)
		}
	}
}

// wake tells those who look after what a write has left for them.
func (e *Engine) wake(b *storage.Batch) {
	if len(b.Run.Timers)+len(b.Signals) > 0 {
		e.wakeTimers()
	}
	if e.cfg.Surfaces != nil {
		e.cfg.Surfaces.Wake()
	}
}

// fill puts facts, leases, timers and gates of a decision into the write.
func (e *Engine) fill(ctx context.Context, w *storage.RunWrite, d run.Decision, before *history.State, held int) error {
	for _, f := range d.Facts {
		sf, err := stored.Encode(w.Run.ID, f)
		if err != nil {
			return err
		}
		w.Facts = append(w.Facts, sf)
		switch b := f.Body.(type) {
		case *history.TimerSet:
			t := b.Timer
			w.Timers = append(w.Timers, storage.Timer{ID: timerID(w.Run.ID, t.ID), Run: w.Run.ID, Num: t.ID, Kind: string(t.Kind), Due: t.Due})
		case *history.TimerGone:
			forgetTimer(w, b.ID)
		case *history.TimerKept:
			w.NoTimer = append(w.NoTimer, timerID(w.Run.ID, b.ID))
		case *history.RunResumed:
			w.Timers = append(w.Timers, dueAgain(w.Run.ID, before, d.State)...)
		case *history.GateOpened, *history.Voted, *history.GateReminded, *history.GateDecided:
			if err := gate.Fill(ctx, e.cfg.Store, w, f); err != nil {
				return err
			}
		}
	}
	e.fillLeases(w, d, before, held)
	return nil
}

// fillLeases writes leases for dispatched tokens, and for one that a worker of this process goes over to; it deletes those of tokens
// that wait or have ended. A token that is dispatched and ended by one decision gets none: it would never be deleted.
func (e *Engine) fillLeases(w *storage.RunWrite, d run.Decision, before *history.State, held int) {
	gone, performing := map[int]bool{}, map[int]bool{}
	if before != nil {
		for _, t := range before.Tokens {
			gone[t.ID] = true
		}
	}
	for _, t := range d.State.Tokens {
		if performing[t.ID] = t.Phase == history.PhaseReady || t.Phase == history.PhaseStarted; performing[t.ID] {
			delete(gone, t.ID)
		} else {
			gone[t.ID] = true
		}
	}
	for _, eff := range d.Effects {
		switch eff := eff.(type) {
		case run.Dispatch:
			if performing[eff.Token] {
				w.Leases = append(w.Leases, storage.Lease{Run: w.Run.ID, Token: eff.Token, Epoch: eff.Epoch})
			}
		case run.Perform:
			if eff.Token != held && performing[eff.Token] {
				w.Leases = append(w.Leases, storage.Lease{Run: w.Run.ID, Token: eff.Token, Epoch: eff.Epoch, Worker: e.cfg.Worker, Claimed: e.Now()})
			}
		}
	}
	w.NoLease = slices.Sorted(maps.Keys(gone))
}

func timerID(runID string, n int) string { return fmt.Sprintf("%s/%d", runID, n) }
