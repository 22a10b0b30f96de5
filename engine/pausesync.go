package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// A pause is a row; each live run that it concerns is then held by a transition of its own. The process that stores the pause visits those
// runs at once. Every transition compares the run with the rows first, so a run that was missed is held before it moves. Another process
// looks at the rows every two seconds, and visits the runs too when they have changed: what it moved before it heard of them is put right.
const (
	pauseEvery = 2 * time.Second // how often the rows are read beside other processes
	pausePage  = 100             // runs read at once
)

// pauses is what a process knows of the rows. It does not change.
type pauses struct {
	rows map[string]storage.Pause // by flow; "" = everything
	read time.Time
}

// fit reports whether a run is held by what is paused, and by nothing that is not.
func (p *pauses) fit(flow string, s *history.State) bool {
	_, all := p.rows[""]
	_, one := p.rows[flow]
	return all == (s.Hold(history.HoldAll) != nil) && one == (s.Hold(history.HoldFlow) != nil)
}

// holds reports whether a flow, or everything, is paused.
func (p *pauses) holds(flow string) bool {
	_, all := p.rows[""]
	_, one := p.rows[flow]
	return all || one
}

// begun gives the pauses that a run of a flow begins with.
func (p *pauses) begun(flow string) ([]run.Pause, error) {
	var out []run.Pause
	for _, scope := range []history.HoldScope{history.HoldAll, history.HoldFlow} {
		of := flow
		if scope == history.HoldAll {
			of = ""
		}
		row, ok := p.rows[of]
		if !ok {
			continue
		}
		hold := run.Pause{Scope: scope, Reason: row.Reason}
		if err := json.Unmarshal(row.Actor, &hold.Actor); err != nil {
			return nil, fmt.Errorf("read who paused %q: %w", of, err)
		}
		out = append(out, hold)
	}
	return out, nil
}

// paused gives what is known, reading it anew when that is too old to be trusted.
func (e *Engine) paused(ctx context.Context) (*pauses, error) {
	p := e.pauses.Load()
	if p != nil && (!e.cfg.Shared || time.Since(p.read) < 2*pauseEvery) {
		return p, nil
	}
	return e.readPauses(ctx)
}

func (e *Engine) readPauses(ctx context.Context) (*pauses, error) {
	p := &pauses{rows: map[string]storage.Pause{}, read: time.Now()}
	rows, err := e.cfg.Store.Pauses(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		p.rows[r.Flow] = r
	}
	e.pauses.Store(p)
	return p, nil
}

// syncPauses holds a run that something paused, and lets it go on when that is over, before anything else happens to it. resumed names the
// person who resumed; it is empty when this process only learned of it.
func (e *Engine) syncPauses(ctx context.Context, l *live, resumed run.Resume) error {
	if l.state.Seq == 0 || l.state.Status.Final() {
		return nil
	}
	p, err := e.paused(ctx)
	if err != nil || p.fit(l.row.Flow, l.state) {
		return err
	}
	if p, err = e.readPauses(ctx); err != nil { // old rows correct nothing
		return err
	}
	for _, scope := range []history.HoldScope{history.HoldAll, history.HoldFlow} {
		flow := l.row.Flow
		if scope == history.HoldAll {
			flow = ""
		}
		row, held := p.rows[flow]
		var in run.Input
		switch {
		case held == (l.state.Hold(scope) != nil):
			continue
		case held:
			pause := run.Pause{At: e.Now(), Scope: scope, Reason: row.Reason}
			if err := json.Unmarshal(row.Actor, &pause.Actor); err != nil {
				return fmt.Errorf("read who paused %q: %w", flow, err)
			}
			in = pause
		default:
			in = run.Resume{At: e.Now(), Scope: scope, Actor: resumed.Actor, Reason: resumed.Reason}
		}
		d, err := e.decide(ctx, l, in, false)
		if err != nil {
			return err
		}
		if _, err := e.commit(ctx, l, []decided{{Decision: d, before: l.state}}, nil); err != nil {
			return err
		}
	}
	return nil
}

// visit syncs the live runs of a query with the pauses. It counts those that are held then, and those that were held before and go on.
func (e *Engine) visit(ctx context.Context, q storage.LiveQuery, resumed run.Resume) (held, released int, err error) {
	q.Limit = pausePage
	p, err := e.paused(ctx)
	if err != nil {
		return 0, 0, err
	}
	var last *storage.Run
	for {
		page, lerr := e.cfg.Store.LiveRuns(ctx, q, last)
		if lerr != nil {
			return held, released, errors.Join(err, lerr)
		}
		for _, r := range page {
			st, serr := history.DecodeState(r.State)
			if serr == nil && !p.fit(r.Flow, st) {
				st, serr = e.syncRun(ctx, r.ID, resumed)
			}
			switch {
			case serr != nil:
				err = errors.Join(err, fmt.Errorf("hold or release %s: %w", r.Name, serr))
			case len(st.Holds) > 0:
				held++
			case r.Status == string(history.Paused):
				released++
			}
		}
		if len(page) < pausePage || ctx.Err() != nil {
			return held, released, err
		}
		last = &page[len(page)-1]
	}
}

func (e *Engine) syncRun(ctx context.Context, id string, resumed run.Resume) (*history.State, error) {
	l := e.hold(id)
	defer e.drop(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	for try := 0; ; try++ {
		err := e.load(ctx, l)
		if err == nil {
			err = e.syncPauses(ctx, l, resumed)
		}
		if err == nil {
			return l.state, nil
		}
		l.state = nil
		if !errors.Is(err, storage.ErrConflict) || try == conflictsMax {
			return nil, err
		}
	}
}

// watchPauses visits the runs that a change of the rows concerns, until ctx ends: also what the process before this one left undone.
func (e *Engine) watchPauses(ctx context.Context) {
	var settled map[string]storage.Pause
	for ctx.Err() == nil {
		p, err := e.paused(ctx)
		if err == nil && e.cfg.Shared {
			p, err = e.readPauses(ctx)
		}
		if err == nil && (settled == nil || !maps.EqualFunc(settled, p.rows, samePause)) {
			if err = e.settle(ctx, p); err == nil {
				settled = p.rows
			}
		}
		if err != nil && ctx.Err() == nil {
			e.log.Warn("runs could not be held or released; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pauseEvery):
		}
	}
}

func samePause(a, b storage.Pause) bool { return a.Since.Equal(b.Since) }

// settle syncs every run that may not fit: paused ones, and those of what is paused.
func (e *Engine) settle(ctx context.Context, p *pauses) error {
	queries := []storage.LiveQuery{{Status: string(history.Paused)}}
	for _, flow := range slices.Sorted(maps.Keys(p.rows)) {
		queries = append(queries, storage.LiveQuery{Flow: flow})
	}
	for _, q := range queries {
		if _, _, err := e.visit(ctx, q, run.Resume{}); err != nil {
			return err
		}
	}
	return nil
}

// besides runs a watch beside work and waits for both.
func besides(ctx context.Context, watch, work func(context.Context)) {
	ctx, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { watch(ctx) })
	work(ctx)
	stop()
	wg.Wait()
}

// dueAgain gives the rows of timers that fired while a run was paused and that goes on now.
func dueAgain(id string, before, after *history.State) []storage.Timer {
	if before == nil || len(after.Holds) > 0 {
		return nil
	}
	var rows []storage.Timer
	for _, t := range before.Kept() {
		if after.Timer(t.ID) != nil {
			rows = append(rows, storage.Timer{ID: timerID(id, t.ID), Run: id, Num: t.ID, Kind: string(t.Kind), Due: t.Due})
		}
	}
	return rows
}
