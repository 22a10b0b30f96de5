package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// pauseEvery is how often the rows are read beside other processes.
const pauseEvery = 2 * time.Second

// Paused holds the pauses that a process has read. It does not change.
type Paused struct {
	rows map[string]storage.Pause // by flow; "" = everything
	read time.Time
}

// fit reports whether the holds of a run are those that the pauses ask for.
func (p *Paused) fit(flow string, s *history.State) bool {
	_, all := p.rows[""]
	_, one := p.rows[flow]
	return all == (s.Hold(history.HoldAll) != nil) && one == (s.Hold(history.HoldFlow) != nil)
}

// Holds reports whether a flow, or everything, is paused.
func (p *Paused) Holds(flow string) bool {
	_, all := p.rows[""]
	_, one := p.rows[flow]
	return all || one
}

// begun gives the pauses that a run of a flow begins with.
func (p *Paused) begun(flow string) ([]run.Pause, error) {
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

// Of gives the pause of a flow, "" = that of everything.
func (p *Paused) Of(flow string) (storage.Pause, bool) {
	row, ok := p.rows[flow]
	return row, ok
}

// Pauses reads what people have paused. Its methods are safe for concurrent use.
type Pauses struct {
	store  Store
	shared bool
	known  atomic.Pointer[Paused] // nil = not read yet
}

// Known gives the pauses, and reads them again when they were read too long ago.
func (x *Pauses) Known(ctx context.Context) (*Paused, error) {
	p := x.known.Load()
	if p != nil && (!x.shared || time.Since(p.read) < 2*pauseEvery) {
		return p, nil
	}
	return x.Read(ctx)
}

// Read reads what is paused now.
func (x *Pauses) Read(ctx context.Context) (*Paused, error) {
	p := &Paused{rows: map[string]storage.Pause{}, read: time.Now()}
	rows, err := x.store.Pauses(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		p.rows[r.Flow] = r
	}
	x.known.Store(p)
	return p, nil
}
