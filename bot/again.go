package bot

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/usererror"
	"sluice/storage"
)

// A slash command can be typed where the bot is no member, and cannot post. The command is then stored in the body of the private answer,
// and a button of that answer runs it again.

// absent says what to do, and stores the command with its answer.
func (b *Bot) absent(ctx context.Context, in request.Incoming) error {
	kept, err := json.Marshal(in)
	if err != nil {
		return err
	}
	c := card.Card{
		Text:     card.Textf(":wave: I am not in this conversation, so nobody would see the draft, and I made none. Write it to me in a direct message, or in a channel that I am in."),
		Sections: []card.Section{{Title: "What you wrote", Text: card.Block(card.Shorten(b.Command+" "+in.Text, keptMost))}},
	}
	s := b.replies.Private(in, c)
	if !strings.HasPrefix(in.Channel, "D") {
		c.Text = card.Textf(":wave: I am not in this channel, so nobody would see the draft, and I made none. Write `/invite @%s` here, then press *Try again*: I have kept what you wrote.", b.Name)
		c.Buttons = []card.Button{{Action: "command.again", Label: "Try again", Value: s.ID, Style: card.Primary}}
	}
	if in.Kind == request.KindShortcut {
		c.Text = card.Textf(":wave: I am not in this conversation, so nobody would see the draft, and I made none. Choose another place for it, or write `/invite @%s` here and press *Try again*.", b.Name)
		c.Sections = []card.Section{{Title: "The message", Text: card.Block(card.Shorten(in.Text, keptMost))}}
		c.Buttons = append(c.Buttons, surface.FormButton("Choose where…", form.Ref{Owner: form.OfNew, Subject: s.ID}))
	}
	return b.replies.Keep(ctx, in, s, surface.PrivateBody{Card: c, Again: kept})
}

// keptMost is how many characters of a stored command its answer shows. The whole command is stored.
const keptMost = 2000

// again runs a stored command for the person who typed it. It makes one draft, however often the button is pressed.
func (b *Bot) again(ctx context.Context, in request.Incoming) error {
	body, err := b.replies.Kept(ctx, in, in.Value)
	if err != nil {
		return err
	}
	var kept request.Incoming
	if json.Unmarshal(body.Again, &kept) != nil {
		return request.ErrHidden
	}
	if d, err := b.store.Draft(ctx, in.Value); err == nil && d.Status != draft.Drafting {
		return &usererror.Error{Code: "done", Text: "This is done already: the draft is in the channel."}
	} else if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	kept.Reply, kept.Inbox, kept.Team, kept.Kept = in.Reply, in.Inbox, in.Team, in.Value
	do := b.addressed
	if kept.Kind == request.KindShortcut {
		do = b.drafts.Beginnings.OfMessage
	}
	if err = do(ctx, kept); errors.Is(err, request.ErrAbsent) {
		kept.Kept = ""
		return b.absent(ctx, kept)
	}
	return err
}
