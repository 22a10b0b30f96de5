package triggers

import (
	"context"
	"errors"

	"sluice/bot/request"
	"sluice/engine/trigger"
	"sluice/storage"
)

// Concerns says which messages and reactions the bot handles although they do not mention it. Other messages are neither stored nor read.
type Concerns struct{ Store Store }

// Message says whether a message is part of the bot's work: it stands in a thread of the bot's, or in a channel where messages start a
// flow.
func (c *Concerns) Message(ctx context.Context, channel, thread string) (bool, error) {
	if thread != "" {
		return c.ownThread(ctx, channel, thread)
	}
	listening, err := c.Store.Triggers(ctx, trigger.Message, channel)
	return len(listening) > 0, err
}

// ownThread says whether a draft or a run lives in a thread, or will once a delivery that is stored has been worked on.
func (c *Concerns) ownThread(ctx context.Context, channel, thread string) (bool, error) {
	for _, find := range []func() error{
		func() error { _, err := c.Store.DraftInThread(ctx, channel, thread); return err },
		func() error { _, err := c.Store.SurfaceAt(ctx, channel, thread); return err },
		func() error {
			rows, err := c.Store.Runs(ctx, storage.RunQuery{Channel: channel, Thread: thread, Limit: 1})
			if err == nil && len(rows) == 0 {
				return storage.ErrNotFound
			}
			return err
		},
		func() error {
			rows, err := c.Store.PendingInThread(ctx, request.ThreadKey(channel, thread), 1)
			if err == nil && len(rows) == 0 {
				return storage.ErrNotFound
			}
			return err
		},
	} {
		if err := find(); !errors.Is(err, storage.ErrNotFound) {
			return err == nil, err
		}
	}
	return false, nil
}
