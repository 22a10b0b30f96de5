package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"sluice/engine/coerce"
	"sluice/engine/compiled"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/engine/secret"
	"sluice/engine/signals"
	"sluice/engine/usererror"
	"sluice/storage"
)

// NewID makes an id that sorts by time.
func (e *Engine) NewID() string {
	id, err := uuid.NewV7()
	if err != nil {
		panic(fmt.Errorf("no randomness for an id: %w", err)) // the operating system is broken; nothing sensible can go on
	}
	return id.String()
}

// StartRequest asks for a run. Channel is where its messages go; empty = nowhere (the terminal).
type StartRequest struct {
	Flow     string
	Revision int // 0 = the newest
	Inputs   map[string]any
	Event    map[string]any
	Actor    history.Actor
	By       string // the requester; empty = Actor.User
	Entry    string // the node where it begins, of a flow with several; empty = the flow's entry
	Channel  string
	Thread   string
	Anyway   string // a reason to run beside the run that holds the key; empty = do not
	// Accepted: the person or program was told before that the run starts. While the flow, or everything, is paused it begins held.
	Accepted bool
	// Add puts more into the transaction of the start: an inbox row, a schedule's next fire, a status message.
	Add func(*storage.Batch)
	// Surfaces makes the run's messages once its id and name are known.
	Surfaces func(r storage.Run) []storage.Surface
}

// redacted takes secrets out of what somebody gives: a value that comes in may be one that an action has sent somewhere before.
func redacted(r *secret.Redactor, given map[string]any) map[string]any {
	if given == nil {
		return nil
	}
	clean, _ := r.RedactValue(given).(map[string]any)
	return clean
}

// Started is a new run, or the one that holds the same key.
type Started struct {
	Run       storage.Run
	Duplicate bool   // Run existed already; nothing was started
	Behind    string // the name of the run with the same key that Run waits for; empty = it does not wait
	Seen      bool   // what happened has started Run before; nothing was started (StartByTrigger)
}

// Start begins a run: inputs are checked, the run key is taken in the same transaction.
// Errors: *usererror.Error for everything the person can mend (unknown flow, wrong inputs, changed tools).
func (e *Engine) Start(ctx context.Context, q StartRequest) (Started, error) {
	c, err := e.revisions.Load(ctx, q.Flow, q.Revision)
	if err != nil {
		return Started{}, usererror.Flow(q.Flow, err)
	}
	if err := e.mayStart(ctx, q); err != nil {
		return Started{}, err
	}
	rev := c.Row
	if err := e.CheckLock(ctx, c.Flow, rev); err != nil {
		return Started{}, err
	}
	if entries := c.Program.Entries(); q.Entry != "" && !slices.Contains(entries, q.Entry) {
		return Started{}, entryError(q, entries)
	}
	inputs, err := coerce.Inputs(c.Flow, redacted(e.cfg.Redactor, q.Inputs))
	if err != nil {
		return Started{}, err
	}
	q.Event = redacted(e.cfg.Redactor, q.Event)
	if q.By == "" {
		q.By = q.Actor.User
	}
	if err := e.starts.take(q.Flow, e.Now()); err != nil {
		return Started{}, err
	}
	row, start, err := e.newRun(ctx, c, rev, q, inputs)
	if err != nil {
		return Started{}, err
	}
	st, err := e.create(ctx, c, row, start, q)
	var taken *storage.KeyTakenError
	if errors.As(err, &taken) {
		old, err := e.cfg.Store.Run(ctx, taken.Run)
		if errors.Is(err, storage.ErrNotFound) { // it was removed since; its key stays taken
			old, err = e.cfg.Store.RemovedRun(ctx, taken.Run)
		}
		return Started{Run: old, Duplicate: true}, err
	}
	if err != nil {
		return Started{}, fmt.Errorf("start %s: %w", q.Flow, err)
	}
	return st, nil
}

func (e *Engine) newRun(ctx context.Context, c *compiled.Revision, rev storage.Revision, q StartRequest, inputs map[string]any) (storage.Run, history.RunStarted, error) {
	n, err := e.cfg.Store.NextRunNumber(ctx, q.Flow)
	if err != nil {
		return storage.Run{}, history.RunStarted{}, fmt.Errorf("number a run of %s: %w", q.Flow, err)
	}
	row := storage.Run{
		ID: e.NewID(), Flow: q.Flow, Revision: rev.Number, Number: n, Name: fmt.Sprintf("%s-%d", q.Flow, n),
		Channel: q.Channel, Thread: q.Thread, By: q.By, Started: e.Now(),
	}
	start := history.RunStarted{
		Flow: row.Flow, Revision: row.Revision, Hash: rev.LockHash, Name: row.Name, Inputs: inputs, Event: q.Event, By: q.By,
		Reason: q.Anyway, Entry: q.Entry,
	}
	if row.Title, err = c.Program.Title(start, row.Started); err != nil {
		return row, start, nameError(c.Flow, err)
	}
	if row.Title == "" {
		row.Title = row.Name
	}
	if row.Key, err = c.Program.Key(start, row.Started); err != nil {
		return row, start, nameError(c.Flow, err)
	}
	if len(row.Key) > keyMost {
		return row, start, nameError(c.Flow, fmt.Errorf("the key has %d bytes, and may have %d", len(row.Key), keyMost))
	}
	if title := []rune(row.Title); len(title) > titleMost {
		row.Title = string(title[:titleMost-1]) + "…"
	}
	start.Title, start.Key = row.Title, row.Key
	return row, start, nil
}

const (
	titleMost = 300  // characters of a run's title: it stands above cards and pictures
	keyMost   = 1000 // bytes of a run's key: a database finds it in an index
)

func entryError(q StartRequest, entries []string) error {
	return &usererror.Error{
		Code: "bad_entry", Text: fmt.Sprintf("%s does not begin at %q%s.", q.Flow, q.Entry, usererror.Nearest(q.Entry, entries)),
		Hint: "It begins at " + strings.Join(entries, " or ") + ".",
	}
}

func nameError(f *flow.Flow, err error) error {
	return &usererror.Error{Code: "bad_name", Text: fmt.Sprintf("The title or the key of a run of %s cannot be made: %v.", f.Name, err), Hint: "Change run.title or run.key in the flow.", Err: err}
}

// create stores the run with its first facts. *storage.KeyTakenError: its key is taken, and the flow does not let it wait.
func (e *Engine) create(ctx context.Context, c *compiled.Revision, row storage.Run, start history.RunStarted, q StartRequest) (Started, error) {
	var p signals.Position
	noted, err := e.remembered(ctx, c)
	if err != nil {
		return Started{}, fmt.Errorf("gather what earlier runs have noted: %w", err)
	}
	for {
		r, err := e.runner.Create(ctx, runner.First{Revision: c, Row: row, Start: start, Actor: q.Actor, Behind: p.Wait, Remembered: noted}, func(b *storage.Batch) {
			if row.Key != "" && c.Flow.Run.OnDuplicate != flow.DuplicateAllow {
				b.Run.TakeKey = q.Anyway == "" || c.Flow.Run.OnDuplicate == flow.DuplicateQueue
				b.Run.KeyFrom = e.cfg.keyFrom(row.Started, c.Flow.Run.Within)
			}
			e.queue.Join(b, p)
			if q.Surfaces != nil {
				b.Surfaces = append(b.Surfaces, q.Surfaces(b.Run.Run)...)
			}
			if q.Add != nil {
				q.Add(b)
			}
		})
		var taken *storage.KeyTakenError
		if !errors.As(err, &taken) || c.Flow.Run.OnDuplicate != flow.DuplicateQueue {
			return Started{Run: r, Behind: p.Wait}, err
		}
		if p, err = e.queue.PositionAfter(ctx, taken.Run, q.Anyway, q.Actor.Via); err != nil {
			return Started{Run: row}, err
		}
		row.Started = e.Now() // not before the end of a run that it would have waited for
	}
}

// Cancel ends a run.
func (e *Engine) Cancel(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) error {
	_, err := e.runner.Transition(ctx, id, run.Cancel{At: e.Now(), Actor: actor, Reason: reason}, func(b *storage.Batch) { b.InboxDone = inbox })
	if errors.Is(err, run.ErrOver) {
		return &usererror.Error{Code: "over", Text: "This run is over already.", Err: err}
	}
	return err
}

// mayStart refuses a start while the flow, or everything, is paused, unless it is a schedule's or was accepted before.
func (e *Engine) mayStart(ctx context.Context, q StartRequest) error {
	p, err := e.runner.Pauses.Known(ctx)
	if err != nil {
		return err
	}
	for _, flow := range []string{"", q.Flow} {
		if row, ok := p.Of(flow); ok && q.Actor.Via != history.ViaTimer && !q.Accepted {
			return pausedError(row, " No run starts.")
		}
	}
	return e.mayHaveMore(ctx, q)
}
