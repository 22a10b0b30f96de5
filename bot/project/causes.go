package project

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sluice/storage"
)

// cause is a reason for which Slack accepts no messages, of the whole workspace or of one channel. The surfaces that it concerns wait. From
// time to time one of them is sent all the same, to find out whether the cause is over.
type cause struct {
	since time.Time
	next  time.Time     // when a surface is sent to find out
	pace  time.Duration // between two of those
}

// causes holds the known causes by key.
type causes map[string]*cause

// Pace says how long after a failure a message is sent again to find out whether Slack accepts messages.
type Pace struct {
	Workspace time.Duration // every time, while it accepts none at all
	Channel   time.Duration // the first time, for one channel; it doubles up to paceMost
}

var defaultPace = Pace{Workspace: 3 * time.Second, Channel: 5 * time.Second}

// of gives the pace for a cause.
func (p Pace) of(key string) time.Duration {
	if wide(key) {
		return p.Workspace
	}
	return p.Channel
}

const (
	paceMost = 5 * time.Minute
	// probesMost are the surfaces of which one is sent to see whether a cause is over.
	probesMost = 20
	// probeAgain is when that is looked at again while none of them can be sent.
	probeAgain = 250 * time.Millisecond
	// waitMost is how long a surface waits for a cause before the loop looks at it again, if nothing has ended the cause.
	waitMost = 5 * time.Minute
	// unreachable is the cause when Slack does not answer at all.
	unreachable = "unreachable"
	// alone is the prefix of causes that block single surfaces, and not a channel or the workspace.
	alone = "* "
)

// keyOf returns the key of an error's cause, as rows store it: "CODE", "CHANNEL CODE" or "* CODE".
func keyOf(e *BlockedError) string {
	switch {
	case e.Channel != "":
		return e.Channel + " " + e.Code
	case e.Alone:
		return alone + e.Code
	}
	return e.Code
}

// splitKey returns the parts of a key.
func splitKey(key string) (channel, code string) {
	if channel, code, ok := strings.Cut(key, " "); ok {
		return strings.TrimSuffix(channel, strings.TrimSpace(alone)), code
	}
	return "", key
}

// wide says that a cause concerns the whole workspace.
func wide(key string) bool { return !strings.Contains(key, " ") }

func (c causes) add(key string, since, next time.Time, pace time.Duration) *cause {
	if c[key] == nil {
		c[key] = &cause{since: since, next: next, pace: pace}
	}
	return c[key]
}

// of returns the key of the cause that concerns a surface. A private answer has an address of its own, which may work although the channel
// does not.
func (c causes) of(s storage.Surface) string {
	if Private(s.Kind) {
		return ""
	}
	found := ""
	for key := range c {
		switch channel, _ := splitKey(key); {
		case wide(key) && (found == "" || !wide(found) || key < found), channel != "" && channel == s.Channel && found == "":
			found = key
		}
	}
	return found
}

// shared reports whether a cause concerns other surfaces than those that failed because of it.
func shared(key string) bool { return !strings.HasPrefix(key, alone) }

// untilNext is how long it takes until a surface is sent to see whether a cause is over.
func (c causes) untilNext(now time.Time) time.Duration {
	wait := idle
	for key, k := range c {
		if shared(key) {
			wait = min(wait, max(k.next.Sub(now), probeAgain))
		}
	}
	return wait
}

// candidates lists surfaces of which one may be sent to see whether a cause is over. Their rows need not be due.
func (p *Projector) candidates(ctx context.Context) (out []storage.Surface, err error) {
	p.mu.Lock()
	var keys []string
	for key, k := range p.causes {
		if shared(key) && !time.Now().Before(k.next) {
			keys = append(keys, key)
		}
	}
	p.mu.Unlock()
	for _, key := range keys {
		rows, err := p.Engine.Store().WaitingSurfaces(ctx, key, probesMost)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// probe says whether a surface may be sent: no cause concerns it, or it is the one that is sent to find out whether the cause is over. key is
// that cause.
func (c causes) probe(s storage.Surface, now time.Time) (key string, may bool) {
	key = c.of(s)
	k := c[key]
	if k == nil {
		return "", true
	}
	if now.Before(k.next) {
		return key, false
	}
	k.next = now.Add(k.pace)
	return key, true
}

// undoProbe notes that the surface that probe chose was not sent.
func (c causes) undoProbe(key string) {
	if k := c[key]; k != nil {
		k.next = time.Now()
	}
}

// wait notes on a surface's row that it waits for a cause, unless the row says so already.
func (p *Projector) wait(ctx context.Context, s storage.Surface, key string) error {
	p.mu.Lock()
	k := p.causes[key]
	p.mu.Unlock()
	if k == nil {
		return nil
	}
	s, err := p.Engine.Store().Surface(ctx, s.ID) // a delivery may have ended since it was listed
	if err != nil || s.Shown >= s.Wanted || s.Blocked == key && s.RetryAt.After(time.Now()) {
		return storage.IgnoreMissing(err)
	}
	if err := p.blocked(ctx, s, key, k.since, time.Now().Add(waitMost)); err != nil {
		return err
	}
	if channel, code := splitKey(key); s.Blocked != key {
		if err := p.tellCause(ctx, s, &BlockedError{Code: code, Channel: channel}, k.since); err != nil {
			return err
		}
	}
	p.mu.Lock()
	still := p.causes[key] == k
	p.mu.Unlock()
	if !still { // it was over before the row said that it waits
		return p.unblock(ctx, []string{key})
	}
	return nil
}

// compareCauses drops the causes that no surface waits for any more: another process may have ended them. A surface that waits
// for a cause that is over is due at once.
func (p *Projector) compareCauses(ctx context.Context) error {
	p.mu.Lock()
	look := len(p.causes) > 0 || time.Since(p.compared) > idle
	p.mu.Unlock()
	if !look {
		return nil
	}
	rows, err := p.Engine.Store().BlockedSurfaces(ctx)
	if err != nil {
		return err
	}
	left := map[string]bool{}
	var over []string
	p.mu.Lock()
	for _, b := range rows {
		left[b.Cause] = true
		if p.causes[b.Cause] == nil {
			over = append(over, b.Cause)
		}
	}
	p.mu.Unlock()
	for _, key := range over {
		if err := p.Engine.Store().UnblockSurfaces(ctx, key); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.compared = time.Now()
	for key := range p.causes {
		if !left[key] {
			delete(p.causes, key)
		}
	}
	return nil
}

// over ends the causes that a delivered message shows to be over: those of its channel and those of the workspace. Surfaces that wait for them are sent at
// once.
func (p *Projector) over(ctx context.Context, channel string) error {
	p.mu.Lock()
	var keys []string
	for key := range p.causes {
		if of, _ := splitKey(key); wide(key) || of != "" && of == channel {
			keys = append(keys, key)
		}
	}
	p.mu.Unlock()
	return p.unblock(ctx, keys)
}

// unblock ends causes and makes the surfaces due that wait for them.
func (p *Projector) unblock(ctx context.Context, keys []string) error {
	for _, key := range keys {
		if err := p.Engine.Store().UnblockSurfaces(ctx, key); err != nil {
			return err
		}
		p.mu.Lock()
		delete(p.causes, key)
		p.ended = time.Now()
		clear(p.hold)
		p.mu.Unlock()
		p.Log.Info("messages arrive again", "cause", key)
	}
	if len(keys) > 0 {
		p.Wake()
	}
	return nil
}

// Reachable is called when messages of a channel may be accepted again: the bot joined it, or it was unarchived. With "" it is the
// workspace: Slack can be reached and accepts the token. Surfaces that wait for that are tried at once.
func (p *Projector) Reachable(ctx context.Context, channel string) error {
	blocked, err := p.Engine.Store().BlockedSurfaces(ctx)
	if err != nil {
		return err
	}
	var keys []string
	for _, b := range blocked {
		if of, _ := splitKey(b.Cause); of == channel {
			keys = append(keys, b.Cause)
		}
	}
	return p.unblock(ctx, keys)
}

// Problem is something that keeps messages from being delivered.
type Problem struct {
	Code    string // what Slack answers, or "unreachable"
	Channel string // the channel that it concerns; "" = all
	Since   time.Time
	Waiting int  // surfaces
	Wide    bool // it concerns the whole workspace: nothing can be sent
}

// String describes the problem, its consequence and its remedy.
func (b Problem) String() string {
	where := "Slack takes no messages"
	switch {
	case b.Channel != "":
		where = "Slack takes no messages in the channel " + b.Channel
	case !b.Wide:
		where = "Slack does not take some messages"
	}
	why := remedyOf(b.Code)
	const text = "%s since %s: %s (%s). %d wait, and are posted when that is over. %s."
	return fmt.Sprintf(text, where, b.Since.UTC().Format(time.RFC3339), why[0], b.Code, b.Waiting, why[1])
}

// Problems lists the causes that now prevent deliveries. Every process may call it.
func (p *Projector) Problems(ctx context.Context) ([]Problem, error) {
	rows, err := p.Engine.Store().BlockedSurfaces(ctx)
	var out []Problem
	for _, b := range rows {
		channel, code := splitKey(b.Cause)
		out = append(out, Problem{Code: code, Channel: channel, Since: b.Since, Waiting: b.Surfaces, Wide: wide(b.Cause)})
	}
	return out, err
}
