package triggers

import (
	"context"
	"errors"

	"sluice/bot/request"
	"sluice/storage"
)

// Concerns says which messages and reactions the bot handles although they do not mention it. Other messages are neither stored nor read.
type Concerns struct{ Store Store }

// Heard reports whether the bot handles something that was not said to it: a reply in a thread of the bot's, or what may start a flow.
func (c *Concerns) Heard(ctx context.Context, in request.Incoming) (bool, error) {
	if in.Thread != "" {
		return c.ownThread(ctx, in.Channel, in.Thread)
	}
	rows, err := listening(ctx, c.Store, in)
	return len(rows) > 0, err
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
