package bot

import (
	"context"
	"strings"

	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/llm"
	"sluice/engine/planner/model"
	"sluice/engine/planner/tree"
	"sluice/storage"
)

// saidMost is how many characters of what a change did a card says.
const saidMost = 900

// changeByModel has a model read words as a change of a draft. A card says at once that it is done, and becomes the new draft's. What the
// words do not name is asked about; when nothing comes of it, the draft stays as it is and the person is told why.
func (b *Bot) changeByModel(ctx context.Context, in request.Incoming, m llm.Model, t *tree.Tree, prev storage.Draft, body project.DraftBody) error {
	var next *tree.Tree
	var said []string
	d, r, err := b.reading(ctx, in, "Reading it with the language model was interrupted twice.", func(r *project.Reading) {
		next, said = b.rereadByModel(ctx, in, m, t, r)
	})
	if err != nil {
		return err
	}
	if next == nil {
		return b.stays(ctx, in, d, r)
	}
	b.heard(ctx, in)
	made := origin{begun: &d, body: project.DraftBody{Edit: request.Shorten(strings.Join(said, " "), saidMost), Reading: &r}}
	err = b.proposeChange(ctx, in, next, prev, body, made)
	return b.withoutDraft(ctx, d, r, err)
}

// rereadByModel gives the changed tree and what is different in it; nil = nothing came of it, and the note says why.
func (b *Bot) rereadByModel(ctx context.Context, in request.Incoming, m llm.Model, t *tree.Tree, r *project.Reading) (next *tree.Tree, said []string) {
	ctx, cancel := context.WithTimeout(ctx, readMost)
	defer cancel()
	w := b.world(ctx, in)
	next, used, err := model.Read(ctx, m, in.Text, in.User, w, t)
	r.Usage = r.Usage.Add(used)
	if err != nil {
		b.Log.Warn("a model did not read a change", "error", err)
		r.Note = "The language model did not read it: " + whyNot(err) + "."
		return nil, nil
	}
	for _, d := range model.Differences(w, t, next) {
		said = append(said, d.Text)
	}
	if len(said) == 0 {
		r.Note = "The language model found nothing in it that would change the draft."
		return nil, nil
	}
	return next, said
}

// stays says that words changed nothing, and why.
func (b *Bot) stays(ctx context.Context, in request.Incoming, d storage.Draft, r project.Reading) error {
	if err := b.noDraft(ctx, d, r); err != nil {
		return err
	}
	refused, _ := b.noChange(in.Text).(*engine.UserError)
	refused.Text += " " + r.Note
	return b.Replies.Say(ctx, in, b.Replies.Refusal(refused))
}
