package bot

import (
	"context"
	"errors"
	"strings"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/storage"
)

// detailsClicked answers privately with what a draft's card leaves out: tools, hosts, effects and the hash.
func (b *Bot) detailsClicked(ctx context.Context, in request.Incoming) error {
	d, body, f, err := b.readDraft(ctx, in)
	if err != nil {
		return err
	}
	lines := []card.Text{}
	for _, l := range body.Details {
		lines = append(lines, card.Textf("• %s", l))
	}
	return b.Replies.Say(ctx, in, card.Card{
		Title: flow.Words(d.Flow) + ", details", Sections: []card.Section{{Text: card.Join("\n", lines...)}},
		Context: []card.Text{card.Textf("flow `%s` · hash `%s`", f.Name, d.Hash)},
	})
}

// readDraft loads the draft behind a button for somebody who may read it, whatever became of it.
func (b *Bot) readDraft(ctx context.Context, in request.Incoming) (storage.Draft, project.DraftBody, *flow.Flow, error) {
	id, _, _ := strings.Cut(in.Value, " ")
	d, err := b.store.Draft(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && d.Channel != in.Channel {
		return d, project.DraftBody{}, nil, request.ErrHidden
	}
	if err != nil {
		return d, project.DraftBody{}, nil, err
	}
	body, f, err := project.DecodeDraft(d)
	if err == nil {
		err = b.Access.MayDraft(ctx, in, authority.ReadDraft, d, body.Authors)
	}
	return d, body, f, err
}
