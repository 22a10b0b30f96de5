package slack

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"sluice/bot/project"
)

// The methods that messages are sent with, as Slack counts them.
const (
	methodPost    = "chat.postMessage"
	methodUpdate  = "chat.update"
	methodPrivate = "chat.postEphemeral"
	methodShare   = "files.completeUploadExternal"
	methodUpload  = "files.getUploadURLExternal"
	methodPublish = "views.publish"
	methodOpen    = "conversations.open"
	methodHistory = "conversations.history"
	methodReplies = "conversations.replies"
	methodReact   = "reactions.add"
)

// call is a call of Slack's API. Urgent calls have a share of their own beside what others leave.
type call struct {
	method  string
	channel string // "" = counted for the workspace alone
	urgent  bool
}

// What may be sent in a minute where edits of messages are 40 a minute, of about 50 that Slack allows.
const (
	editsUsual   = 40
	editsUrgent  = 10  // beside the others'
	postsUsual   = 300 // new messages in the workspace
	postsChannel = 60  // in one channel
	privateUsual = 90
	filesUsual   = 60
	reactUsual   = 40
	homesUsual   = 60
	lookupsUsual = 40 // of each method that messages are looked for with

	channelBurst = 10
	channelsMost = 10_000
	// takeMost is how long a call waits for its turn; a sender asks before whether there is room.
	takeMost = 3 * time.Second
)

// budget is what may be sent: by method, by channel where Slack counts by channel, and nothing of a method, in a channel where it has
// one, while Slack has asked for a pause.
type budget struct {
	methods map[string]*rate.Limiter
	urgent  *rate.Limiter
	channel rate.Limit // of one channel

	mu       sync.Mutex
	channels map[string]*rate.Limiter
	until    map[string]time.Time // pauses, by method and channel
}

// newBudget makes a budget with so many edits a minute, and the others in proportion. A quarter of a minute's may go at once.
func newBudget(edits int) *budget {
	each := func(usual int) rate.Limit { return rate.Limit(float64(usual*edits) / editsUsual / 60) }
	limiter := func(usual int) *rate.Limiter { return rate.NewLimiter(each(usual), max(usual*edits/editsUsual/4, 1)) }
	return &budget{
		methods: map[string]*rate.Limiter{
			methodPost: limiter(postsUsual), methodUpdate: limiter(editsUsual), methodPrivate: limiter(privateUsual), methodShare: limiter(filesUsual),
			methodHistory: limiter(lookupsUsual), methodReplies: limiter(lookupsUsual), methodReact: limiter(reactUsual),
			methodPublish: limiter(homesUsual),
		},
		urgent: limiter(editsUrgent), channel: each(postsChannel), channels: map[string]*rate.Limiter{}, until: map[string]time.Time{},
	}
}

// take waits for a call's turn, but not for long.
func (b *budget) take(ctx context.Context, c call) error {
	for until := time.Now().Add(takeMost); ; {
		wait := b.tried(c)
		if wait <= 0 {
			return nil
		}
		if time.Now().Add(wait).After(until) {
			return &project.RetryError{After: wait, Err: fmt.Errorf("%s: the budget of messages is used up for %s", c.method, wait.Round(time.Millisecond))}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// tried takes a call's turn if there is one. Otherwise it says how long to wait.
func (b *budget) tried(c call) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait, limits := b.look(c)
	if wait <= 0 {
		for _, l := range limits {
			l.Allow()
		}
	}
	return wait
}

// held is how long a call would have to wait now.
func (b *budget) held(c call) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait, _ := b.look(c)
	return max(wait, 0)
}

// look says how long a call has to wait, and what it takes from. b.mu is held.
func (b *budget) look(c call) (time.Duration, []*rate.Limiter) {
	wait := max(time.Until(b.until[c.method]), time.Until(b.until[c.method+" "+c.channel]))
	var limits []*rate.Limiter
	if l := b.methods[c.method]; l != nil {
		if c.urgent && c.method == methodUpdate && untilToken(l) > untilToken(b.urgent) {
			l = b.urgent
		}
		limits = append(limits, l)
	}
	if c.channel != "" && c.method == methodPost {
		limits = append(limits, b.channelLimit(c.channel))
	}
	for _, l := range limits {
		wait = max(wait, untilToken(l))
	}
	return wait, limits
}

func (b *budget) channelLimit(channel string) *rate.Limiter {
	l := b.channels[channel]
	if l == nil {
		if len(b.channels) >= channelsMost {
			clear(b.channels)
		}
		l = rate.NewLimiter(b.channel, channelBurst)
		b.channels[channel] = l
	}
	return l
}

func untilToken(l *rate.Limiter) time.Duration {
	return time.Duration((1 - l.Tokens()) / float64(l.Limit()) * float64(time.Second))
}

// pause keeps a method back, in a channel where Slack counts by channel, for as long as Slack asked.
func (b *budget) pause(method, channel string, d time.Duration) {
	key := method
	if channel != "" && method == methodPost {
		key += " " + channel
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.until) >= channelsMost {
		clear(b.until)
	}
	if t := time.Now().Add(d); t.After(b.until[key]) {
		b.until[key] = t
	}
}
