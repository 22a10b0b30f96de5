package triggers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"sluice/bot/request"
	"sluice/bot/triggers"
	"sluice/engine/trigger"
	"sluice/storage"
)

// shelf is a store with a message and a reaction that start flows in the channel C1, and with what lives in threads.
type shelf struct {
	triggers.Store
	draft, card, run, waiting string // the thread of each in C1
	err                       error
}

func (s shelf) Triggers(_ context.Context, kind, subject string) ([]storage.Trigger, error) {
	if kind == trigger.Message && subject == "C1" || kind == trigger.Reaction && subject == "moneybag" {
		return []storage.Trigger{{Flow: "refund", Kind: kind, Subject: subject, Channel: "C1"}}, s.err
	}
	return nil, s.err
}

func found(here, thread string) error {
	if here == "" || here != thread {
		return storage.ErrNotFound
	}
	return nil
}

func (s shelf) DraftInThread(_ context.Context, _, thread string) (storage.Draft, error) {
	return storage.Draft{}, errors.Join(s.err, found(s.draft, thread))
}

func (s shelf) SurfaceAt(_ context.Context, _, ts string) (storage.Surface, error) {
	return storage.Surface{}, found(s.card, ts)
}

func (s shelf) Runs(_ context.Context, q storage.RunQuery) ([]storage.Run, error) {
	if found(s.run, q.Thread) != nil {
		return nil, nil
	}
	return []storage.Run{{}}, nil
}

func (s shelf) PendingInThread(_ context.Context, thread string, _ int) ([]storage.Inbox, error) {
	if thread != request.ThreadKey("C1", s.waiting) {
		return nil, nil
	}
	return []storage.Inbox{{}}, nil
}

// A channel that a flow listens to is the bot's concern, and one that it does not listen to is not.
func ExampleConcerns() {
	c := &triggers.Concerns{Store: shelf{}}
	for _, channel := range []string{"C1", "C2"} {
		message, _ := c.Heard(context.Background(), request.Incoming{Kind: request.KindMessage, Channel: channel})
		reaction, _ := c.Heard(context.Background(), request.Incoming{Kind: request.KindReaction, Channel: channel, Emoji: "moneybag"})
		fmt.Println(channel, message, reaction)
	}
	// Output:
	// C1 true true
	// C2 false false
}

// A reply is the bot's concern in a thread where something of its own lives, or will.
func TestOwnThreads(t *testing.T) {
	t.Parallel()
	c := &triggers.Concerns{Store: shelf{draft: "1.0", card: "2.0", run: "3.0", waiting: "4.0"}}
	for thread, want := range map[string]bool{"1.0": true, "2.0": true, "3.0": true, "4.0": true, "5.0": false} {
		if got, err := c.Heard(t.Context(), request.Incoming{Kind: request.KindMessage, Channel: "C1", Thread: thread}); err != nil || got != want {
			t.Errorf("a reply in %s: %v, %v", thread, got, err)
		}
	}
}

// A store that is away is an error: the message comes again, and does not count as a message of others.
func TestConcernsOfAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	away := errors.New("the store is away")
	c := &triggers.Concerns{Store: shelf{err: away}}
	if _, err := c.Heard(t.Context(), request.Incoming{Kind: request.KindMessage, Channel: "C2"}); !errors.Is(err, away) {
		t.Errorf("a message: %v", err)
	}
	if _, err := c.Heard(t.Context(), request.Incoming{Kind: request.KindReaction, Channel: "C2", Emoji: "eyes"}); !errors.Is(err, away) {
		t.Errorf("a reaction: %v", err)
	}
}
