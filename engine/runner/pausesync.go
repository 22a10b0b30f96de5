package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// A pause is a row; each live run that it concerns is then held by a transition of its own. The process that stores the pause visits those
// runs at once. Every transition compares the run with the rows first, so a run that was missed is held before it moves. Another process
// looks at the rows every two seconds, and visits the runs too when the rows have changed: this corrects runs that it moved in between.

const pausePage = 100 // runs read at once

// syncPauses holds a run that a pause concerns, and resumes it after the pause, before any other input of the run. resumed names the person who
// resumed; it is empty when another process did.
func (x *Runner) syncPauses(ctx context.Context, l *live, resumed run.Resume) error {
	if l.state.Seq == 0 || l.state.Status.Final() {
		return nil
	}
	p, err := x.Pauses.Known(ctx)
	if err != nil || p.fit(l.row.Flow, l.state) {
		return err
	}
	if p, err = x.Pauses.Read(ctx); err != nil { // old rows correct nothing
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
			pause := run.Pause{At: x.cfg.Now(), Scope: scope, Reason: row.Reason}
			if err := json.Unmarshal(row.Actor, &pause.Actor); err != nil {
				return fmt.Errorf("read who paused %q: %w", flow, err)
			}
			in = pause
		default:
			in = run.Resume{At: x.cfg.Now(), Scope: scope, Actor: resumed.Actor, Reason: resumed.Reason}
		}
		d, err := x.decide(ctx, l, in, false)
		if err != nil {
			return err
		}
		if _, err := x.commit(ctx, l, []decided{{Decision: d, before: l.state}}, nil); err != nil {
			return err
		}
	}
	return nil
}

// Visit syncs the live runs of a query with the pauses. It counts those that are held then, and those that were held before and go on.
func (x *Runner) Visit(ctx context.Context, q storage.LiveQuery, resumed run.Resume) (held, released int, err error) {
	q.Limit = pausePage
	p, err := x.Pauses.Known(ctx)
	if err != nil {
		return 0, 0, err
	}
	var last *storage.Run
	for {
		page, lerr := x.cfg.Store.LiveRuns(ctx, q, last)
		if lerr != nil {
			return held, released, errors.Join(err, lerr)
		}
		for _, r := range page {
			st, serr := history.DecodeState(r.State)
			if serr == nil && !p.fit(r.Flow, st) {
				st, serr = x.syncRun(ctx, r.ID, resumed)
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

func (x *Runner) syncRun(ctx context.Context, id string, resumed run.Resume) (*history.State, error) {
	l := x.hold(id)
	defer x.drop(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	for try := 0; ; try++ {
		err := x.load(ctx, l)
		if err == nil {
			err = x.syncPauses(ctx, l, resumed)
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

// WatchPauses visits the runs that a change of the rows concerns, until ctx ends. It also finishes what an earlier process left undone.
func (x *Runner) WatchPauses(ctx context.Context) {
	var settled map[string]storage.Pause
	for ctx.Err() == nil {
		p, err := x.Pauses.Known(ctx)
		if err == nil && x.cfg.Shared {
			p, err = x.Pauses.Read(ctx)
		}
		if err == nil && (settled == nil || !maps.EqualFunc(settled, p.rows, samePause)) {
			if err = x.settle(ctx, p); err == nil {
				settled = p.rows
			}
		}
		if err != nil && ctx.Err() == nil {
			x.cfg.Log.Warn("runs could not be held or released; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pauseEvery):
		}
	}
}

func samePause(a, b storage.Pause) bool { return a.Since.Equal(b.Since) }

// settle syncs every run that may not fit: paused ones, and those of what is paused.
func (x *Runner) settle(ctx context.Context, p *Paused) error {
	queries := []storage.LiveQuery{{Status: string(history.Paused)}}
	for _, flow := range slices.Sorted(maps.Keys(p.rows)) {
		queries = append(queries, storage.LiveQuery{Flow: flow})
	}
	for _, q := range queries {
		if _, _, err := x.Visit(ctx, q, run.Resume{}); err != nil {
			return err
		}
	}
	return nil
}
