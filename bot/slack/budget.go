package slack

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// budget is what may be sent: so many messages a minute in the workspace, about one a second in a channel, and nothing while
// Slack has asked for a pause. Urgent messages (questions, private answers) do not wait for the workspace's share.
type budget struct {
	all *rate.Limiter

	mu       sync.Mutex
	channels map[string]*rate.Limiter
	until    time.Time
}

const (
	workspaceBurst = 40
	channelRate    = 1 // a second
	channelBurst   = 20
	channelsMost   = 10_000
)

func newBudget(perMinute int) *budget {
	return &budget{all: rate.NewLimiter(rate.Limit(float64(perMinute)/60), workspaceBurst), channels: map[string]*rate.Limiter{}}
}

// wait blocks until a message may be sent: a new one to a channel, or an edit ("").
func (b *budget) wait(ctx context.Context, channel string, urgent bool) error {
	pause, l := b.look(channel)
	if pause > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	if urgent {
		return nil
	}
	if l != nil {
		if err := l.Wait(ctx); err != nil {
			return err
		}
	}
	return b.all.Wait(ctx)
}

// held is how long wait would block now.
func (b *budget) held(channel string, urgent bool) time.Duration {
	pause, l := b.look(channel)
	if urgent {
		return max(pause, 0)
	}
	if l != nil {
		pause = max(pause, untilToken(l))
	}
	return max(pause, untilToken(b.all), 0)
}

// look gives the pause that Slack asked for, and a channel's limit.
func (b *budget) look(channel string) (time.Duration, *rate.Limiter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.channels[channel]
	if l == nil && channel != "" {
		if len(b.channels) >= channelsMost {
			clear(b.channels)
		}
		l = rate.NewLimiter(channelRate, channelBurst)
		b.channels[channel] = l
	}
	return time.Until(b.until), l
}

func untilToken(l *rate.Limiter) time.Duration {
	return time.Duration((1 - l.Tokens()) / float64(l.Limit()) * float64(time.Second))
}

// pause keeps everything back for as long as Slack asked.
func (b *budget) pause(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := time.Now().Add(d); t.After(b.until) {
		b.until = t
	}
}
