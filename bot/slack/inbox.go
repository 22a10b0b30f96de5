package slack

import (
	"context"
	"errors"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/storage"
)

// deliveries takes the effect of what Slack and webhooks delivered: it decodes a row for the bot.
type deliveries struct {
	app *App
	bot *bot.Bot
}

// Handle has the bot take the effect of a row.
func (d deliveries) Handle(ctx context.Context, row storage.Inbox) error {
	in, ok, err := d.app.decode(ctx, row)
	if err != nil {
		return err
	}
	if !ok {
		return d.app.cfg.Store.Write(ctx, &storage.Batch{InboxDone: []int64{row.ID}})
	}
	if in.Kind != request.KindSubmit {
		return d.bot.Handle(ctx, in)
	}
	in.Waits = d.app.forms.waits(row.Key)
	err = d.bot.Handle(ctx, in)
	if wrong, ok := errors.AsType[*form.Problems](err); ok {
		if d.app.forms.settled(row.Key, wrong) {
			return d.app.cfg.Store.Write(ctx, &storage.Batch{InboxDone: []int64{row.ID}})
		}
		in.Waits = false // the modal is gone: the person is told in the channel
		err = d.bot.Handle(ctx, in)
	}
	if err == nil {
		d.app.forms.settled(row.Key, nil)
	}
	return err
}

// GiveUp ends a delivery that keeps failing, and tells its sender.
func (d deliveries) GiveUp(ctx context.Context, row storage.Inbox) error {
	in, ok, err := d.app.decode(ctx, row)
	if err == nil && ok {
		return d.bot.GiveUp(ctx, in)
	}
	return d.app.cfg.Store.Write(ctx, &storage.Batch{InboxDone: []int64{row.ID}})
}

// Patience is the pause that Slack asks for, if a delivery failed because of that.
func (deliveries) Patience(err error) time.Duration {
	var limited *slackgo.RateLimitedError
	if errors.As(err, &limited) {
		return limited.RetryAfter
	}
	return 0
}
