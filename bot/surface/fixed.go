package surface

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sluice/bot/card"
	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/storage"
)

func (cs *Cards) FixedCard(_ context.Context, s storage.Surface) (card.Card, error) {
	return noticeCard(s.Body)
}

func (cs *Cards) PrivateCard(_ context.Context, s storage.Surface) (card.Card, error) {
	var b PrivateBody
	err := json.Unmarshal(s.Body, &b)
	return b.Card, err
}

// HomeCard is a person's Home.
func (cs *Cards) HomeCard(ctx context.Context, s storage.Surface) (card.Card, error) {
	if cs.Home == nil {
		return card.Card{}, &RefusedError{Code: "no_home", Err: errors.New("nothing makes Homes here")}
	}
	return cs.Home(ctx, s.User)
}

// MessageCard is what a step or a tool says.
func (cs *Cards) MessageCard(ctx context.Context, s storage.Surface) (card.Card, error) {
	b, err := outbox.Decode(s)
	if err != nil {
		return card.Card{}, err
	}
	state, err := cs.Engine.MessageState(ctx, s.ID, b)
	return card.Card{Message: &card.Message{
		Text: card.Written(b.Text, b.Model), Marks: len(b.Model) > 0, Key: "post:" + b.Key, Seek: b.Seek, Only: state == outbox.Withdrawn, Own: b.Own,
	}}, err
}

// waitsForSlack says since when a visit's message waits to be posted; false = it has none that waits.
func waitsForSlack(x history.Visit) (since time.Time, waits bool) {
	return x.Queued, x.State == history.StateWaiting && !x.Queued.IsZero()
}
