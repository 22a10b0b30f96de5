package project

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sluice/bot/surface"
	"sluice/storage"
)

// settle notes the result of an attempt to send. Any answer of Slack proves that Slack can be reached.
func (d *delivery) settle(tried error) error {
	err := d.noted(tried)
	if err != nil || !answered(tried) {
		return err
	}
	d.mu.Lock()
	d.silent = 0
	away := d.causes[unreachable] != nil
	d.mu.Unlock()
	if !away {
		return nil
	}
	return d.unblock(d.ctx, []string{unreachable})
}

// answered says that an error is an answer of Slack.
func answered(err error) bool {
	_, blocked := errors.AsType[*BlockedError](err)
	retry, later := errors.AsType[*RetryError](err)
	return blocked || later && retry.Answered
}

// noted writes the result of an attempt to send on the row. After a clear answer no message has arrived, so that none has to be searched for.
func (d *delivery) noted(err error) error {
	var blocked *BlockedError
	var deleted *DeletedError
	var never *surface.RefusedError
	var retry *RetryError
	d.notes.Started--
	if errors.As(err, &blocked) || errors.As(err, &retry) {
		d.s.Tries = d.before
	}
	switch {
	case err == nil:
		return d.shown()
	case errors.As(err, &blocked):
		return d.block(blocked)
	case errors.As(err, &deleted):
		return d.deleted()
	case errors.As(err, &never) && (!never.Unsure || d.notes.Failed >= unsureMost):
		return d.setAside(never)
	case never != nil:
		d.notes.Failed++
	}
	var wait time.Duration
	if errors.As(err, &retry) && retry.After > 0 {
		wait = retry.After // a pause that Slack asks for is no failure: the next one does not become longer
	} else {
		d.notes.Again++
		wait = backoff(d.notes.Again)
	}
	if retry == nil && never == nil && d.called && d.silence() {
		return d.block(&BlockedError{Code: unreachable, Err: err})
	}
	d.s.RetryAt = time.Now().Add(wait)
	if d.ctx.Err() == nil || errors.Is(d.ctx.Err(), context.DeadlineExceeded) {
		d.Log.Warn("a surface was not shown; trying again", "surface", d.s.ID, "kind", d.s.Kind, "error", err, "wait", wait)
	}
	if d.s.Blocked != "" {
		d.holdBack(d.s.ID, wait)
	}
	d.wakeIn(wait)
	return d.save()
}

const (
	unsureMost = 5 // tries after an answer of Slack whose meaning is unknown
	silentMost = 3 // surfaces in a row without an answer before Slack counts as unreachable
)

// silence counts a call that Slack did not answer, and reports whether Slack counts as unreachable. One call that hangs while others are answered
// is not enough.
func (p *Projector) silence() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent++; p.silent == 1 {
		p.silentSince = time.Now()
	}
	return p.silent >= silentMost
}

// wakeIn has the loop look again after a time.
func (p *Projector) wakeIn(d time.Duration) { time.AfterFunc(d, p.Wake) }

// shown notes that the message is there. It stays stale while a part of it is to come: its picture, or the card in full.
func (d *delivery) shown() error {
	d.s.Tries, d.s.Blocked, d.s.BlockedAt, d.notes.Started, d.notes.Again = 0, "", time.Time{}, 0, 0
	if file, _ := pictureIn(d.s.File); file != "" && file == d.notes.File {
		d.notes.Picture, d.notes.File, d.notes.Drawn, d.notes.Away = "", "", 0, 0
	}
	k := kindOf(d.s.Kind)
	if k.settled != nil {
		if err := k.settled(d.Projector, d.ctx, &d.s, Outcome{TS: d.s.TS}); err != nil {
			return err
		}
	}
	if d.later > 0 {
		d.s.RetryAt = time.Now().Add(d.later)
		d.wakeIn(d.later)
	} else {
		d.s.Shown, d.s.RetryAt, d.s.Aside = d.wanted, time.Time{}, ""
		if d.failed != nil {
			d.s.Aside = d.Release
			if err := d.tellOwner(d.failed, true); err != nil {
				return err
			}
		}
	}
	if err := d.save(); err != nil {
		return err
	}
	if d.old != "" {
		d.Sender.Drop(d.ctx, d.old)
	}
	d.followers()
	if err := d.link(k); err != nil {
		return err
	}
	if d.called && k.every > 0 {
		d.holdBack(d.s.ID, k.every)
	}
	if Private(d.s.Kind) || !d.called { // a private answer has its own address, and says nothing about the channel
		return nil
	}
	d.mu.Lock()
	d.silent = 0
	d.mu.Unlock()
	return d.over(d.ctx, d.s.Channel)
}

// link makes the surfaces stale that show the address of a message that was posted just now. After a kill in between it is named with the next state.
func (d *delivery) link(k kind) error {
	if !d.posted || k.linked == nil {
		return nil
	}
	ref, err := k.linked(d.Projector, d.ctx, d.s)
	if err != nil {
		return err
	}
	defer d.Wake()
	return d.Engine.Store().Write(d.ctx, &storage.Batch{Stale: []string{ref}})
}

// setAside gives up a state of a surface, after Slack has refused it in every form or no card could be made of it. It is tried again with the
// next state or the next release.
func (d *delivery) setAside(never *surface.RefusedError) error {
	d.Log.Error("a surface is set aside", "surface", d.s.ID, "kind", d.s.Kind, "ref", d.s.Ref, "channel", d.s.Channel, "error", never)
	if k := kindOf(d.s.Kind); k.settled != nil {
		if err := k.settled(d.Projector, d.ctx, &d.s, Outcome{Refused: never.Code, Why: never}); err != nil {
			return err
		}
	}
	if err := d.tellOwner(never, false); err != nil {
		return err
	}
	d.s.Shown, d.s.RetryAt, d.s.Tries, d.s.Aside = d.wanted, time.Time{}, 0, d.Release
	d.s.Blocked, d.s.BlockedAt, d.notes.Started = "", time.Time{}, 0
	if err := d.save(); err != nil {
		return err
	}
	d.followers()
	return nil
}

// block makes a surface wait until a cause is over, and with it every other surface that the cause concerns.
func (d *delivery) block(e *BlockedError) error {
	key := keyOf(e)
	now := time.Now()
	d.mu.Lock()
	if d.causes[key] == nil && d.began.Before(d.ended) { // what Slack answered may be over already
		d.mu.Unlock()
		d.s.RetryAt = time.Time{}
		return d.save()
	}
	since, pace := now, d.Pace.of(key)
	if e.Code == unreachable {
		since = d.silentSince
	}
	if !d.s.BlockedAt.IsZero() && (d.s.Blocked == "" || d.s.Blocked == key) { // it has waited before, and was not delivered since
		since = d.s.BlockedAt
	}
	if k := d.causes[key]; k != nil {
		since = k.since
		if !wide(key) {
			k.pace = min(2*k.pace, paceMost)
		}
		pace = k.pace
	}
	d.mu.Unlock()
	d.Log.Error("Slack takes no messages", "surface", d.s.ID, "kind", d.s.Kind, "channel", d.s.Channel, "cause", key, "error", e)
	d.notes.Again = 0
	b, err := json.Marshal(d.notes)
	if err != nil {
		return err
	}
	d.s.Delivery = b
	if err := d.blocked(context.WithoutCancel(d.ctx), d.s, key, since, now.Add(pace)); err != nil {
		return err
	}
	d.mu.Lock()
	d.causes.add(key, since, now.Add(pace), pace).next = now.Add(pace)
	d.mu.Unlock()
	d.wakeIn(pace)
	return d.tellCause(context.WithoutCancel(d.ctx), d.s, e, since)
}

// blocked notes on a row that it waits for a cause.
func (p *Projector) blocked(ctx context.Context, s storage.Surface, key string, since, retry time.Time) error {
	_, code := splitKey(key)
	if k := kindOf(s.Kind); k.settled != nil && s.Blocked != key {
		if err := k.settled(p, ctx, &s, Outcome{Blocked: code, Since: since}); err != nil {
			return err
		}
	}
	s.Blocked, s.BlockedAt, s.RetryAt = key, since, retry
	return p.Engine.Store().SaveSurface(ctx, s)
}

// Deleted is called when Slack says that a message was deleted. A message that is still needed is posted again, once, and its owner is told.
func (p *Projector) Deleted(ctx context.Context, channel, ts string) error {
	s, err := p.Engine.Store().SurfaceAt(ctx, channel, ts)
	if err != nil || !p.matters(ctx, s) {
		return storage.IgnoreMissing(err)
	}
	defer p.Wake()
	return p.Engine.Store().MarkSurface(ctx, s.ID, storage.SurfaceDeleted)
}

// matters reports whether a surface is still needed.
func (p *Projector) matters(ctx context.Context, s storage.Surface) bool {
	k := kindOf(s.Kind)
	return k.matters != nil && k.matters(p, ctx, s)
}

// deleted posts a message again that a person has deleted, once, if it is still needed. Otherwise it stays deleted.
func (d *delivery) deleted() error {
	matters := d.matters(d.ctx, d.s)
	again := matters && d.notes.Posted == 0
	if matters {
		if err := d.tellDeleted(again); err != nil {
			return err
		}
	}
	d.s.Hash, d.s.RetryAt, d.s.Tries = "", time.Time{}, 0
	if again {
		d.notes.Posted++
		d.s.TS = ""
	} else {
		d.s.Shown = d.wanted
	}
	return d.save()
}

// after has the loop look at a surface once another one was delivered.
func (p *Projector) after(first, then string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting[first] = append(p.waiting[first], then)
}

// followers has the loop look at the surfaces that wait for this one.
func (d *delivery) followers() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range d.waiting[d.s.ID] {
		delete(d.hold, id)
	}
	delete(d.waiting, d.s.ID)
}
