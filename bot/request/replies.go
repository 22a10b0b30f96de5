package request

import (
	"context"
	"encoding/json"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/storage"
)

// Replies writes the effect of a delivery, with what the person is told.
type Replies struct {
	Engine Clock
	Store  Writer
	Wake   func() // called after surfaces were written
	// FlowsChanged is called after flows or schedules were written; nil = it is not called.
	FlowsChanged func()
	Command      string // the slash command, "/flow"
	Name         string // the bot's name in chat, "Sluice"
}

// Clock gives the time and new ids. The engine does.
type Clock interface {
	Now() time.Time
	NewID() string
}

// Writer stores a batch as one transaction, and reads what private answers keep.
type Writer interface {
	Write(ctx context.Context, b *storage.Batch) error
	Surface(ctx context.Context, id string) (storage.Surface, error)
}

// Write stores a batch as the effect of a delivery.
func (re *Replies) Write(ctx context.Context, in Incoming, batch *storage.Batch) error {
	batch.InboxDone = append(batch.InboxDone, in.Inbox)
	if err := re.Store.Write(ctx, batch); err != nil {
		return err
	}
	if len(batch.Surfaces)+len(batch.Stale) > 0 {
		re.Wake()
	}
	if re.FlowsChanged != nil && (batch.Flow != nil || len(batch.Schedules) > 0) {
		re.FlowsChanged()
	}
	return nil
}

// Private makes a line that only the asking person sees, where they asked.
func (re *Replies) Private(in Incoming, c card.Card) storage.Surface {
	body, _ := json.Marshal(surface.PrivateBody{Card: c, Reply: in.Reply})
	id, kind := re.Engine.NewID(), surface.KindPrivate
	if in.Home { // the person does not look at the conversation, where a private line is gone after a while
		kind = surface.KindAnswer
	}
	return storage.Surface{
		ID: id, Kind: kind, Ref: "private:" + id, Channel: in.Channel, Thread: in.Thread, User: in.User, Body: body,
		Created: re.Engine.Now(),
	}
}

// Keep answers privately with something that a later delivery of the person reads (Kept); s is a row that Private made.
func (re *Replies) Keep(ctx context.Context, in Incoming, s storage.Surface, body surface.PrivateBody) (err error) {
	body.Reply = in.Reply
	if s.Body, err = json.Marshal(body); err != nil {
		return err
	}
	return re.Write(ctx, in, &storage.Batch{Surfaces: []storage.Surface{s}})
}

// Kept reads the private answer that keeps something for the person who got it.
func (re *Replies) Kept(ctx context.Context, in Incoming, id string) (kept surface.PrivateBody, err error) {
	s, err := re.Store.Surface(ctx, id)
	if err != nil {
		return kept, HideMissing(err)
	}
	if s.User != in.User || json.Unmarshal(s.Body, &kept) != nil {
		return kept, ErrHidden
	}
	return kept, nil
}

// Say answers privately; that answer is the whole effect of the delivery.
func (re *Replies) Say(ctx context.Context, in Incoming, c card.Card) error {
	return re.Write(ctx, in, &storage.Batch{Surfaces: []storage.Surface{re.Private(in, c)}})
}

func (re *Replies) SayText(ctx context.Context, in Incoming, text card.Text) error {
	return re.Say(ctx, in, card.Card{Text: text})
}

func (re *Replies) Audit(in Incoming, what, ref string, detail any) storage.Audit {
	d, _ := json.Marshal(detail)
	a := in.Actor()
	return storage.Audit{At: re.Engine.Now(), User: a.User, Team: a.Team, Via: string(a.Via), What: what, Ref: ref, Detail: d}
}

// After answers in words once the effect is stored: its delivery is done already.
func (re *Replies) After(ctx context.Context, in Incoming, text card.Text) error {
	re.Wake()
	return re.SayText(ctx, in.WithoutRow(), text)
}

// Done is After for an effect that a card shows: a person who has clicked on the card gets no answer in words.
func (re *Replies) Done(ctx context.Context, in Incoming, text card.Text) error {
	if in.Kind == KindClick {
		re.Wake()
		return nil
	}
	return re.After(ctx, in, text)
}
