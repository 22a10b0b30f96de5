package enginetest

import (
	"context"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// gateRows are the stored rows of a run's gates, as the transitions write them.
type gateRows struct {
	rows    map[string]storage.Gate
	decided map[int]history.Gate // the machine's gates as they were when they were decided
}

// Gate gives a stored row.
func (g *gateRows) Gate(_ context.Context, id string) (storage.Gate, error) {
	row, ok := g.rows[id]
	if !ok {
		return row, fmt.Errorf("gate %s: %w", id, storage.ErrNotFound)
	}
	return row, nil
}

// people lets gates ask from now on who may answer them.
func (p *player) people(string) error {
	p.d.Context.People = true
	return nil
}

// keep notes the gate that a fact is about to decide.
func (g *gateRows) keep(s *history.State, f history.Fact) {
	b, ok := f.Body.(*history.GateDecided)
	if !ok {
		return
	}
	if g.decided == nil {
		g.decided = map[int]history.Gate{}
	}
	if old := s.Gate(b.Gate); old != nil {
		g.decided[b.Gate] = *old
	}
}

// write stores the rows that a transition writes, and compares all rows with the machine's gates: an open row and a gate for each other,
// and decided rows with the gates that there were.
func (g *gateRows) write(ctx context.Context, runID string, s *history.State, facts []history.Fact) error {
	w := &storage.RunWrite{Run: storage.Run{ID: runID}}
	if err := gate.Fill(ctx, g, w, s, facts); err != nil {
		return err
	}
	if g.rows == nil {
		g.rows = map[string]storage.Gate{}
	}
	for _, row := range w.Gates {
		g.rows[row.ID] = row
	}
	open := 0
	for _, row := range g.rows {
		there, is := g.decided[row.Num]
		if found := s.Gate(row.Num); found != nil {
			open++
			there, is = *found, true
			if row.Status != gate.Open {
				return fmt.Errorf("gate %d is open, and its row is %s", row.Num, row.Status)
			}
		} else if row.Status != gate.Decided {
			return fmt.Errorf("gate %d is gone, and its row is %s", row.Num, row.Status)
		}
		if !is {
			return fmt.Errorf("gate %d was never the machine's", row.Num)
		}
		if err := sameGate(row, there, s); err != nil {
			return err
		}
	}
	if open != len(s.Gates) {
		return fmt.Errorf("%d open gates have rows, of %d", open, len(s.Gates))
	}
	return nil
}

// sameGate compares a row with a gate of the machine, in all that both of them have.
func sameGate(row storage.Gate, g history.Gate, s *history.State) error {
	b, err := gate.Decode(row)
	if err != nil {
		return err
	}
	type both struct {
		num, step, quorum    int
		node, kind, shown    string
		choices, veto, asked []string
		votes                []history.Vote
		due                  time.Time
	}
	o := &b.Opened
	of := both{
		num: row.Num, step: b.Step, quorum: o.Quorum, node: row.Node, kind: row.Kind, shown: o.Hash, choices: o.Choices, veto: o.Veto, asked: b.Escalated, votes: b.Votes,
		due: row.Due,
	}
	want := both{
		num: g.ID, step: g.Step, quorum: g.Quorum, node: g.Node, kind: string(g.Kind), shown: g.Shown, choices: g.Choices, veto: g.Veto, asked: g.Escalated, votes: g.Votes,
	}
	if t := s.Timer(g.Deadline); t != nil {
		want.due = t.Due
	} else {
		of.due = want.due // the deadline has passed, or the gate is decided
	}
	if diff := cmp.Diff(want, of, cmp.AllowUnexported(both{}), cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("the row of gate %d differs from the machine's gate: %s", row.Num, diff)
	}
	return nil
}
