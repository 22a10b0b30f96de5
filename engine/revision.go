package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/compiled"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/lock"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/runner"
	"sluice/engine/usererror"
	"sluice/storage"
)

// MovePlan says which live runs of a flow could go over to a revision.
type MovePlan struct {
	Flow string
	To   int
	From []int         // revisions that the runs are on, in order
	Fits []storage.Run // without their states, newest first
	Not  []Misfit
	// Failed is how many of the newest runs have stopped at an error on another revision. They are left out: a person looks at each, and
	// can move it by its name before trying it again.
	Failed int
}

// Misfit is a run that must stay on its revision.
type Misfit struct {
	Run storage.Run
	Why []string
}

// String says it in a sentence.
func (p MovePlan) String() string {
	n := len(p.Fits) + len(p.Not)
	if n == 0 {
		return fmt.Sprintf("No live run of %s is on another version than %d.", p.Flow, p.To) + p.left()
	}
	from := make([]string, len(p.From))
	for i, r := range p.From {
		from[i] = fmt.Sprint(r)
	}
	runs, versions := fmt.Sprintf("%d runs are", n), "versions "
	if n == 1 {
		runs = "1 run is"
	}
	if len(from) == 1 {
		versions = "version "
	}
	fit, not := "fit", "do not"
	if len(p.Fits) == 1 {
		fit = "fits"
	}
	if len(p.Not) == 1 {
		not = "does not"
	}
	if len(p.Not) == 0 {
		fit = "and all of them fit"
		if n == 1 {
			fit = "and it fits"
		}
		return fmt.Sprintf("%s on %s, %s version %d.", runs, versions+strings.Join(from, " and "), fit, p.To) + p.left()
	}
	s := fmt.Sprintf("%s on %s: %d %s version %d, %d %s", runs, versions+strings.Join(from, " and "), len(p.Fits), fit, p.To, len(p.Not), not)
	var why []string
	for _, n := range p.Not[:min(len(p.Not), misfitsShown)] {
		why = append(why, n.Run.Name+": "+strings.Join(n.Why, ", "))
	}
	if len(why) > 0 {
		s += " (" + strings.Join(why, "; ")
		if more := len(p.Not) - len(why); more > 0 {
			s += fmt.Sprintf("; and %d more", more)
		}
		s += ")"
	}
	return s + "." + p.left()
}

// left says what is left out.
func (p MovePlan) left() string {
	switch p.Failed {
	case 0:
		return ""
	case 1:
		return " 1 run that stopped at an error is left out: move it by its name."
	}
	return fmt.Sprintf(" %d runs that stopped at an error are left out: move each by its name.", p.Failed)
}

// moves puts runs on other revisions of their flow.
type moves struct {
	store     storage.Store
	revisions *compiled.Cache
	locks     *lock.Locks
	runner    *runner.Runner
	ceilings  flow.Ceilings
	now       func() time.Time
}

// failedSeen is how many of the newest runs of a flow are looked at for those that have stopped at an error.
const failedSeen = 1000

// failed counts the runs of a flow that have stopped at an error on another revision.
func (m *moves) failed(ctx context.Context, flow string, to int) (int, error) {
	rows, err := m.store.Runs(ctx, storage.RunQuery{Flow: flow, Limit: failedSeen})
	if err != nil {
		return 0, fmt.Errorf("list the runs of %s: %w", flow, err)
	}
	n := 0
	for _, r := range rows {
		if r.Status == string(history.Failed) && r.Revision != to {
			n++
		}
	}
	return n, nil
}

// misfitsShown is how many runs that do not fit are named in a sentence.
const misfitsShown = 5

// MovePlan looks at the live runs of a flow; to 0 = the newest revision. Nothing moves.
func (m *moves) MovePlan(ctx context.Context, flow string, to int) (MovePlan, error) {
	c, err := m.target(ctx, flow, to)
	if err != nil {
		return MovePlan{}, err
	}
	p := MovePlan{Flow: flow, To: c.Row.Number}
	if p.Failed, err = m.failed(ctx, flow, p.To); err != nil {
		return p, err
	}
	var last *storage.Run
	for {
		page, err := m.store.LiveRuns(ctx, storage.LiveQuery{Flow: flow, Limit: movePage}, last)
		if err != nil {
			return p, err
		}
		for _, r := range page {
			if r.Revision == p.To || r.Revision < 0 { // one with a revision of its own stays on it
				continue
			}
			if err := p.add(ctx, m, c, r); err != nil {
				return p, err
			}
		}
		if len(page) < movePage {
			return p, nil
		}
		last = &page[len(page)-1]
	}
}

func (p *MovePlan) add(ctx context.Context, m *moves, to *compiled.Revision, r storage.Run) error {
	st, err := history.DecodeState(r.State)
	if err != nil {
		return err
	}
	from, err := m.revisions.Load(ctx, r.Flow, r.Revision)
	if err != nil {
		return fmt.Errorf("load the flow of %s: %w", r.Name, err)
	}
	if i, known := slices.BinarySearch(p.From, r.Revision); !known {
		p.From = slices.Insert(p.From, i, r.Revision)
	}
	r.State = nil
	if why := compile.Misfits(from.Program, to.Program, st); len(why) > 0 {
		p.Not = append(p.Not, Misfit{Run: r, Why: why})
		return nil
	}
	p.Fits = append(p.Fits, r)
	return nil
}

// Misfits says why a live run could not go over to a flow; nothing when it could.
func (m *moves) Misfits(ctx context.Context, id string, f *flow.Flow) ([]string, error) {
	row, err := m.store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if history.Status(row.Status).Final() {
		return []string{"the run is over"}, nil
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return nil, err
	}
	from, err := m.revisions.Load(ctx, row.Flow, row.Revision)
	if err != nil {
		return nil, fmt.Errorf("load the flow of %s: %w", row.Name, err)
	}
	to, err := compile.Flow(m.ceilings.Clamp(f))
	if err != nil {
		return nil, err
	}
	return compile.Misfits(from.Program, to, st), nil
}

// target loads the revision that runs are to go over to: one that could be started now.
func (m *moves) target(ctx context.Context, flow string, to int) (*compiled.Revision, error) {
	c, err := m.revisions.Load(ctx, flow, to)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, &usererror.Error{Code: "no_revision", Text: fmt.Sprintf("%s has no version %d.", flow, to), Err: err}
	}
	if err != nil {
		return nil, err
	}
	return c, m.locks.CheckLock(ctx, c.Flow, c.Row)
}

// movePage is how many live runs are read at once.
const movePage = 100

// askedMost bounds how often the open gates of a run are read again because another one was opened meanwhile.
const askedMost = 5

// Move puts a run on another revision of its flow (0 = the newest) and asks its open gates anew. Who may do that is for the caller to
// check. Errors: *usererror.Error with the reasons when the run does not fit, is over or is on that revision.
func (m *moves) Move(ctx context.Context, id string, to int, actor history.Actor, inbox ...int64) error {
	row, err := m.store.Run(ctx, id)
	if err != nil {
		return err
	}
	c, err := m.target(ctx, row.Flow, to)
	if err != nil {
		return err
	}
	if row.Revision == c.Row.Number {
		return &usererror.Error{Code: "same_revision", Text: fmt.Sprintf("%s is on version %d already.", row.Name, row.Revision)}
	}
	in := run.Move{Actor: actor, To: c.Program, Revision: c.Row.Number, Hash: c.Row.LockHash}
	for range askedMost {
		if in.Asked, err = m.askedGates(ctx, id); err != nil {
			return err
		}
		in.At = m.now()
		_, err = m.runner.Transition(ctx, id, in, func(b *storage.Batch) { b.InboxDone = inbox })
		if !errors.Is(err, run.ErrAsked) {
			break
		}
	}
	var misfit *run.MisfitError
	switch {
	case errors.As(err, &misfit):
		return &usererror.Error{
			Code: "misfit", Text: fmt.Sprintf("%s does not fit version %d: %s.", row.Name, in.Revision, strings.Join(misfit.Why, "; ")),
			Hint: "It goes on with version " + fmt.Sprint(row.Revision) + ".", Err: err,
		}
	case errors.Is(err, run.ErrOver):
		return &usererror.Error{Code: "over", Text: "This run is over already.", Err: err}
	}
	return err
}

// MoveFitting moves every live run of a flow that fits, and gives how many it moved. Runs that do not fit any more when their turn
// comes stay where they are.
func (m *moves) MoveFitting(ctx context.Context, flow string, to int, actor history.Actor) (moved int, err error) {
	p, err := m.MovePlan(ctx, flow, to)
	if err != nil {
		return 0, err
	}
	for _, r := range p.Fits {
		var ue *usererror.Error
		switch err := m.Move(ctx, r.ID, p.To, actor); {
		case err == nil:
			moved++
		case !errors.As(err, &ue):
			return moved, fmt.Errorf("move %s: %w", r.Name, err)
		}
	}
	return moved, nil
}

// askedGates gives how the open gates of a run were opened.
func (m *moves) askedGates(ctx context.Context, id string) (map[int]*history.GateOpened, error) {
	rows, err := m.store.Gates(ctx, storage.GateQuery{Run: id, Open: true, Limit: gatesMost})
	if err != nil {
		return nil, fmt.Errorf("list the open gates: %w", err)
	}
	asked := map[int]*history.GateOpened{}
	for _, g := range rows {
		body, err := gate.Decode(g)
		if err != nil {
			return nil, err
		}
		asked[g.Num] = &body.Opened
	}
	return asked, nil
}

// gatesMost is more gates than a run can have open.
const gatesMost = 100_000
