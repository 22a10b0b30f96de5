package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/llm"
	"sluice/engine/planner/model"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
	"sluice/storage"
)

const (
	readMost    = 4 * time.Minute // for all that a model is asked about one description
	readingMost = 2               // how often a model is asked about one delivery, when the process ends while it reads
)

// draftByModel has a model read the words. A card says at once that it is done, and becomes the draft's. The draft is stored with the end of
// the delivery: a delivery that is worked on again finds the card, and asks the model at most once more.
func (b *Bot) draftByModel(ctx context.Context, in request.Incoming, m llm.Model, text string) error {
	var t *tree.Tree
	interrupted := "The language model was not asked again, because reading with it was interrupted twice. This draft was read without it: check that nothing is missing."
	d, r, err := b.reading(ctx, in, interrupted, func(r *project.Reading) { t = b.readByModel(ctx, in, m, text, r) })
	if err != nil {
		return err
	}
	if t == nil {
		var ok bool
		if t, ok = outline.Read(text, in.User); !ok {
			if err := b.noDraft(ctx, d, r); err != nil {
				return err
			}
			return b.unreadable(ctx, in, text)
		}
	}
	r.None = false
	b.heard(ctx, in)
	return b.withoutDraft(ctx, d, r, b.propose(ctx, in, t, origin{begun: &d, body: project.DraftBody{Reading: &r}}))
}

// reading begins a draft and has a model asked, which ask does. A model that was asked too often about this delivery already is not asked
// again, and the note says that it was interrupted.
func (b *Bot) reading(ctx context.Context, in request.Incoming, interrupted string, ask func(*project.Reading)) (storage.Draft, project.Reading, error) {
	if err := b.Access.Present(ctx, in); err != nil {
		return storage.Draft{}, project.Reading{}, err
	}
	d, r, err := b.beginDraft(ctx, in)
	if err != nil {
		return d, r, err
	}
	switch {
	case r.None: // it was read, and the person may not have been told
	case r.Tries <= readingMost:
		ask(&r)
	default:
		r.Note = interrupted
	}
	return d, r, ctx.Err()
}

// withoutDraft has the card say that no draft came of the words when a person is refused one.
func (b *Bot) withoutDraft(ctx context.Context, d storage.Draft, r project.Reading, refused error) error {
	_, denied := request.AsDenied(refused)
	if _, said := errors.AsType[*engine.UserError](refused); said || denied {
		if fault := b.noDraft(ctx, d, r); fault != nil {
			return fault
		}
	}
	return refused
}

// beginDraft stores that a draft is on its way, and its card, before the model is asked. It gives the row and how often this was begun.
func (b *Bot) beginDraft(ctx context.Context, in request.Incoming) (storage.Draft, project.Reading, error) {
	id := b.Engine.NewID()
	if in.Inbox != 0 {
		id = fmt.Sprintf("inbox-%d", in.Inbox)
	}
	id = cmp.Or(in.Kept, id)
	d, err := b.store.Draft(ctx, id)
	var r project.Reading
	batch := &storage.Batch{}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		d = storage.Draft{ID: id, Channel: in.Channel, Status: project.DraftDrafting, Author: in.User, Created: b.Engine.Now()}
		batch.Surfaces = []storage.Surface{b.draftSurface(&d, in.Root())}
	case err != nil:
		return d, r, err
	case d.Status != project.DraftDrafting:
		return d, r, &engine.UserError{Code: "done", Text: "This is done already: the draft is in the channel."}
	default:
		if r, err = readingOf(d); err != nil {
			return d, r, err
		}
	}
	r.Tries++
	if d.Body, err = json.Marshal(project.DraftBody{Reading: &r}); err != nil {
		return d, r, err
	}
	batch.Draft = []storage.Draft{d}
	if err = b.store.Write(ctx, batch); err != nil {
		return d, r, err
	}
	b.Wake()
	d, err = b.store.Draft(ctx, id)
	return d, r, err
}

func readingOf(d storage.Draft) (project.Reading, error) {
	var body project.DraftBody
	if err := json.Unmarshal(d.Body, &body); err != nil || body.Reading == nil {
		return project.Reading{}, errors.Join(err, fmt.Errorf("draft %s is not being read", d.ID))
	}
	return *body.Reading, nil
}

// noDraft has the card say that no draft came of the words. Why is told to the person who wrote them.
func (b *Bot) noDraft(ctx context.Context, d storage.Draft, r project.Reading) (err error) {
	r.None = true
	if d.Body, err = json.Marshal(project.DraftBody{Reading: &r}); err != nil {
		return err
	}
	if err = b.store.Write(ctx, &storage.Batch{Draft: []storage.Draft{d}, Stale: []string{project.DraftRef(d.ID)}}); err == nil {
		b.Wake()
	}
	return err
}

// readByModel reads words with a model and has the outcome compared with them; nil = it did not work, and the note says why.
func (b *Bot) readByModel(ctx context.Context, in request.Incoming, m llm.Model, text string, r *project.Reading) *tree.Tree {
	ctx, cancel := context.WithTimeout(ctx, readMost)
	defer cancel()
	w := b.world(ctx, in)
	t, used, err := model.Read(ctx, m, text, in.User, w, nil)
	r.Usage = r.Usage.Add(used)
	if err != nil {
		b.Log.Warn("a model did not read a description", "error", err)
		r.Note = "The language model did not read this: " + whyNot(err) + ". The draft was made without it: check that nothing is missing."
		return nil
	}
	next, used, err := model.Compare(ctx, m, t, w)
	r.Usage = r.Usage.Add(used)
	if err != nil {
		b.Log.Warn("a model did not compare a draft", "error", err)
		r.Note = "The language model did not compare this draft with your words: " + whyNot(err) + ". Compare them yourself before you approve."
		return t
	}
	return next
}

// whyNot says why a model did not answer.
func whyNot(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Message
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("it took longer than %d minutes", int(readMost.Minutes()))
	}
	return "it could not be asked"
}
