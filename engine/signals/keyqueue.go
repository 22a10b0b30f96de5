package signals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// Runs with the same key wait for each other when their flow says so (on_duplicate: queue). A run that starts takes the key from the run
// that held it and is queued right behind that one: the store lets one run take it. A run goes on when every run before it is over.
//
// No transaction touches two runs. A run that ends leaves a due row; the process that handles it reads which runs are behind after the end
// is stored. A run that begins to wait sends a signal to itself; the process that handles it looks at the runs before it after its entry is
// stored. At least one of the two sees the other, as with events.

// QueueStore is the part of the store that has the runs and their queues.
type QueueStore interface {
	Write(ctx context.Context, b *storage.Batch) error
	Run(ctx context.Context, id string) (storage.Run, error)
	Events(ctx context.Context, name string, since time.Time, limit int) ([]storage.Event, error)
	Before(ctx context.Context, run string) (string, error)
	Behind(ctx context.Context, run string) ([]string, error)
}

// Queue puts runs into their keys' queues. Its methods are safe for concurrent use.
type Queue struct {
	Store QueueStore
	Now   func() time.Time
	Wake  func() // says that something is due
}

// Position is where a new run is in its key's queue.
type Position struct {
	After string // id of the run that holds the key
	Wait  string // name of the run before it that is not over; empty = it need not wait
}

type queueMove struct {
	Run string `json:"run"`
}

// PositionAfter gives the place behind the holder of a key. A person's Run anyway does not wait, but those behind it wait for it, too. A
// schedule gives a reason because other rules would refuse its start; here it waits like any run.
func (q *Queue) PositionAfter(ctx context.Context, holder string, anyway string, via history.Via) (Position, error) {
	p := Position{After: holder}
	if anyway != "" && via != history.ViaTimer {
		return p, nil
	}
	live, _, err := q.before(ctx, holder)
	p.Wait = live.Name
	return p, err
}

// Join queues a new run at its position, with a signal to itself.
func (q *Queue) Join(b *storage.Batch, p Position) {
	if p.After == "" {
		return
	}
	b.Run.TakeKey, b.Run.After = false, p.After
	b.Signals = append(b.Signals, q.look(b.Run.Run.ID, b.Run.Run.ID))
}

// Write stores a run that need not wait, behind the holder of its key if it may not take it.
func (q *Queue) Write(ctx context.Context, b *storage.Batch) error {
	for {
		err := q.Store.Write(ctx, b)
		var taken *storage.KeyTakenError
		if !errors.As(err, &taken) {
			return err
		}
		q.Join(b, Position{After: taken.Run})
	}
}

// Within gives a reason for a child not to wait: a run that it lies within has the same key, and would wait for it in turn.
func (q *Queue) Within(ctx context.Context, outer, child storage.Run) (reason string, err error) {
	for {
		if outer.Flow == child.Flow && outer.Key == child.Key {
			return "inside " + outer.Name, nil
		}
		if outer.Parent == "" {
			return "", nil
		}
		if outer, err = q.Store.Run(ctx, outer.Parent); err != nil {
			return "", err
		}
	}
}

// look is a signal to a run. Signals about the ends of different runs have different ids: none is lost while another is handled.
func (q *Queue) look(to, about string) storage.Timer {
	return storage.Timer{ID: "line/" + to + "/" + about, Run: to, Kind: signalQueueLook, Due: q.Now()}
}

// QueueMovePrefix begins the id of the due row that tells the runs behind one that it is over.
const QueueMovePrefix = "line/"

func queueMoved(id string, now time.Time) (storage.Timer, error) {
	body, err := json.Marshal(queueMove{Run: id})
	if err != nil {
		err = fmt.Errorf("write a signal (%s): %w", signalQueueMove, err)
	}
	return storage.Timer{ID: QueueMovePrefix + id, Kind: signalQueueMove, Due: now, Body: body}, err
}

// before finds the nearest run of a key queue that is not over, from one on towards the front. It gives those that it passed. A run that is
// over stays so, and nobody is put between two: what was true stays true.
func (q *Queue) before(ctx context.Context, id string) (live storage.Run, passed []string, err error) {
	for id != "" {
		r, err := q.Store.Run(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound): // removed, so it was over
		case err != nil:
			return live, passed, err
		case !history.Status(r.Status).Final():
			return r, passed, nil
		}
		passed = append(passed, id)
		if id, err = q.Store.Before(ctx, id); err != nil {
			return live, passed, err
		}
	}
	return live, passed, nil
}

// moveQueue tells the runs behind one that is over. Those that are over, too, are passed: they have told when they ended, but the queue may
// have been longer then.
func (s *Signals) moveQueue(ctx context.Context, t storage.Timer) error {
	var l queueMove
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	b := &storage.Batch{NoSignals: []string{t.ID}}
	for over := []string{l.Run}; len(over) > 0; over = over[1:] {
		behind, err := s.Store.Behind(ctx, over[0])
		if err != nil {
			return err
		}
		for _, id := range behind {
			r, err := s.Store.Run(ctx, id)
			switch {
			case errors.Is(err, storage.ErrNotFound) || err == nil && history.Status(r.Status).Final():
				over = append(over, id)
			case err != nil:
				return err
			default:
				b.Signals = append(b.Signals, s.look(id, l.Run))
			}
		}
	}
	if err := s.Store.Write(ctx, b); err != nil {
		return err
	}
	s.Wake()
	return nil
}

// lookInQueue lets a run go on when its turn has come, and stores which run it waits for now when that has changed.
func (s *Signals) lookInQueue(ctx context.Context, t storage.Timer) error {
	front, err := s.Store.Before(ctx, t.Run)
	if err != nil {
		return err
	}
	live, passed, err := s.before(ctx, front)
	if err != nil {
		return err
	}
	var in run.Input = run.Pause{At: s.Now(), Actor: history.Actor{Via: history.ViaRun}, Scope: history.HoldKey, Reason: live.Name}
	left := &storage.Batch{NoSignals: []string{t.ID}}
	if live.ID == "" {
		in = run.Resume{At: s.Now(), Actor: history.Actor{Via: history.ViaRun}, Scope: history.HoldKey}
		left.LeaveQueue = append(passed, t.Run)
	}
	_, err = s.Runner.Transition(ctx, t.Run, in, func(b *storage.Batch) {
		answered(t)(b)
		b.LeaveQueue = append(b.LeaveQueue, left.LeaveQueue...)
	})
	for _, settled := range []error{run.ErrHeld, run.ErrNotHeld, run.ErrOver, storage.ErrNotFound} {
		if errors.Is(err, settled) {
			return s.Store.Write(ctx, left)
		}
	}
	return err
}
