package bot

import (
	"context"

	"sluice/bot/request"
)

// skip leaves out the next start of a schedule, or a failed step.
func (b *Bot) skip(ctx context.Context, in request.Incoming, c request.Command) error {
	if mine, err := b.holds.SkipNext(ctx, in, c); mine || err != nil {
		return err
	}
	return b.gates.Skip(ctx, in, c)
}
