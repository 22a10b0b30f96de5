package bot

import (
	"context"
	"slices"

	"sluice/bot/card"
	"sluice/bot/hometab"
	"sluice/bot/request"
)

// Home is what a person's Home shows.
func (b *Bot) Home(ctx context.Context, user string) (card.Card, error) {
	return b.home.Card(ctx, user)
}

// more gives the list that a button of a Home names.
func (b *Bot) more(ctx context.Context, in request.Incoming) error {
	c, err := request.ParseCommand(in.Value)
	v, known := b.verb(c.Verb)
	if err != nil || !known || !slices.Contains(hometab.Lists, in.Value) {
		return request.ErrHidden
	}
	if err := b.admit(ctx, in, v.guests); err != nil {
		return err
	}
	return v.do(ctx, in, c)
}
