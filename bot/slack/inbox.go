package slack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot"
	"sluice/storage"
)

const (
	inboxBatch = 100
	inboxIdle  = 30 * time.Second
	// inboxShared is inboxIdle beside other processes: rows that one of them stored may be left to this one.
	inboxShared = 2 * time.Second
	inboxTries  = 8                      // a row that fails this often is set aside
	inboxPause  = 250 * time.Millisecond // before the first repetition, doubled each time
	// inboxPauseMost is the longest pause: 8 tries take half a minute.
	inboxPauseMost = 16 * time.Second
)

// work gives inbox rows to the bot: in order within a thread, threads side by side. Rows that a killed process left are taken
// up at the start.
func (a *App) work(ctx context.Context, b *bot.Bot) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	l := &lanes{queues: map[string][]storage.Inbox{}, seen: map[int64]int{}}
	for ctx.Err() == nil {
		l.pass()
		for after := int64(0); ctx.Err() == nil; {
			rows, err := a.cfg.Store.PendingInbox(ctx, after, inboxBatch)
			if err != nil && ctx.Err() == nil {
				a.log.Warn("the inbox cannot be read; trying again", "error", err)
			}
			for _, r := range rows {
				after = r.ID
				if l.add(r) {
					wg.Go(func() { a.lane(ctx, b, l, r.Thread) })
				}
			}
			if len(rows) < inboxBatch {
				break
			}
		}
		idle := time.NewTimer(a.inboxIdle())
		select {
		case <-ctx.Done():
		case <-a.arrived:
		case <-idle.C:
		}
		idle.Stop()
	}
	return nil
}

// lanes holds the rows of every thread that is being worked on. Every look at the inbox is a pass over all rows that are not
// done, because rows of concurrent deliveries may become visible out of order.
type lanes struct {
	mu      sync.Mutex
	queues  map[string][]storage.Inbox
	current int           // number of the pass
	seen    map[int64]int // rows taken: 0 while worked on, else the pass in which they were finished
}

// pass begins another look. A row that was finished in an earlier pass is done in the store, so no later look can show it.
func (l *lanes) pass() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current++
	maps.DeleteFunc(l.seen, func(_ int64, finished int) bool { return finished > 0 && finished < l.current })
}

// finished marks a row as done.
func (l *lanes) finished(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[id] = l.current
}

// add queues a row and reports whether its thread needs a worker.
func (l *lanes) add(r storage.Inbox) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, dup := l.seen[r.ID]; dup {
		return false
	}
	l.seen[r.ID] = 0
	q, running := l.queues[r.Thread]
	l.queues[r.Thread] = append(q, r)
	return !running
}

// next takes the first row of a thread.
func (l *lanes) next(thread string) (storage.Inbox, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[thread]
	if len(q) == 0 {
		return storage.Inbox{}, false
	}
	l.queues[thread] = q[1:]
	return q[0], true
}

// leave ends the thread's worker, unless rows have come in meanwhile.
func (l *lanes) leave(thread string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queues[thread]) > 0 {
		return false
	}
	delete(l.queues, thread)
	return true
}

// lane works on the rows of a thread until there are none.
func (a *App) lane(ctx context.Context, b *bot.Bot, l *lanes, thread string) {
	for {
		release, ok := a.claim(ctx, thread)
		for ok {
			row, more := l.next(thread)
			if !more {
				break
			}
			if a.pending(ctx, row) {
				a.deliver(ctx, b, row)
			}
			l.finished(row.ID)
		}
		release()
		if !ok || l.leave(thread) {
			return
		}
	}
}

// deliver gives one row to the bot, again while the database or Slack are in trouble. A row that keeps failing is set aside
// with a line in the log, so that one broken delivery does not hold its thread for ever.
func (a *App) deliver(ctx context.Context, b *bot.Bot, row storage.Inbox) {
	pause := inboxPause
	for try := 1; ctx.Err() == nil; {
		err := a.handle(ctx, b, row)
		if err == nil {
			return
		}
		a.log.Warn("a delivery failed", "inbox", row.ID, "kind", row.Kind, "try", try, "error", err)
		if try == inboxTries {
			a.setAside(ctx, b, row)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(pause, patienceFor(err))):
		}
		pause = min(2*pause, inboxPauseMost)
		if !errors.Is(err, storage.ErrUnavailable) { // the database is away or full: that is not the delivery's fault
			try++
		}
	}
}

// patienceFor is how long Slack wants to be left alone, when that is why a delivery failed.
func patienceFor(err error) time.Duration {
	var limited *slackgo.RateLimitedError
	if errors.As(err, &limited) {
		return limited.RetryAfter
	}
	return 0
}

// setAside ends a delivery that keeps failing, and tells whoever sent it.
func (a *App) setAside(ctx context.Context, b *bot.Bot, row storage.Inbox) {
	in, ok, err := a.decode(ctx, row)
	if err == nil && ok {
		err = b.GiveUp(ctx, in)
	} else {
		err = a.cfg.Store.Write(ctx, &storage.Batch{InboxDone: []int64{row.ID}})
	}
	if err != nil && !errors.Is(err, storage.ErrDone) {
		a.log.Error("a delivery cannot be set aside", "inbox", row.ID, "error", err)
	}
}

// handle has the bot take effect. A delivery that was done meanwhile (by another process, or by an earlier try whose answer from the
// database was lost) has had its effect.
func (a *App) handle(ctx context.Context, b *bot.Bot, row storage.Inbox) error {
	err := a.effect(ctx, b, row)
	if errors.Is(err, storage.ErrDone) {
		a.log.Info("a delivery was done meanwhile", "inbox", row.ID)
		return nil
	}
	return err
}

func (a *App) effect(ctx context.Context, b *bot.Bot, row storage.Inbox) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the bot broke on a delivery: %v\n%s", r, debug.Stack())
		}
	}()
	in, ok, err := a.decode(ctx, row)
	if err != nil {
		return err
	}
	if !ok {
		return a.cfg.Store.Write(ctx, &storage.Batch{InboxDone: []int64{row.ID}})
	}
	return b.Handle(ctx, in)
}
