package drafts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/llm"
	"sluice/engine/planner/model"
	"sluice/engine/planner/tree"
	"sluice/engine/usererror"
	"sluice/storage"
)

// saidMost is how many characters of what a change did a card says.
const saidMost = 900

// changeByModel has a model read words as a change of a draft. A card says at once that it is done, and becomes the new draft's. What the
// words do not name is asked about. When the model gives no change, the draft is changed as it was read without the model, if it was; else
// it stays as it is and the person is told why.
func (wd *Words) changeByModel(ctx context.Context, in request.Incoming, m llm.Model, t *tree.Tree, without changed, prev storage.Draft, body draft.Body) error {
	var next *tree.Tree
	var said []string
	d, r, err := wd.reading(ctx, in, "Reading it with the language model was interrupted twice.", func(r *draft.Reading) {
		next, said = wd.rereadByModel(ctx, in, m, t, r)
	})
	if err != nil {
		return err
	}
	if next == nil && without.tree == nil {
		return wd.stays(ctx, in, d, r)
	}
	if next == nil {
		next, said = without.tree, []string{without.said}
	}
	made := origin{begun: &d, body: draft.Body{Edit: card.Shorten(strings.Join(said, " "), saidMost), Reading: &r}}
	err = wd.proposeChange(ctx, in, next, prev, body, made)
	return wd.withoutDraft(ctx, d, r, err)
}

// rereadByModel gives the changed tree and what is different in it; nil = the model gave none, and the note says why.
func (wd *Words) rereadByModel(ctx context.Context, in request.Incoming, m llm.Model, t *tree.Tree, r *draft.Reading) (next *tree.Tree, said []string) {
	ctx, cancel := context.WithTimeout(ctx, readMost)
	defer cancel()
	w := wd.plan.world(ctx, in)
	next, used, err := model.Read(ctx, m, in.Text, in.User, w, t)
	r.Usage = r.Usage.Add(used)
	if err != nil {
		wd.Log.Warn("a model did not read a change", "error", err)
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

// stays answers words that changed nothing, with the reason.
func (wd *Words) stays(ctx context.Context, in request.Incoming, d storage.Draft, r draft.Reading) error {
	if err := wd.none(ctx, d, r); err != nil {
		return err
	}
	refused := noChange(in.Text, nil)
	refused.Text += " " + r.Note
	return wd.Replies.Say(ctx, in, wd.Replies.Refusal(refused))
}

const (
	readMost    = 6 * time.Minute // for all that a model is asked about one description
	readingMost = 2               // how often a model is asked about one delivery, when the process ends while it reads
)

// byModel has a model read the words. A card says at once that it is done, and becomes the draft's. The draft is stored with the end of
// the delivery: a delivery that is worked on again finds the card, and asks the model at most once more.
func (wd *Words) byModel(ctx context.Context, in request.Incoming, m llm.Model, text string) error {
	var t *tree.Tree
	interrupted := "The language model was not asked again, because reading with it was interrupted twice. This draft was read without it: check that nothing is missing."
	d, r, err := wd.reading(ctx, in, interrupted, func(r *draft.Reading) { t = wd.readByModel(ctx, in, m, text, r) })
	if err != nil {
		return err
	}
	if t == nil {
		var ok bool
		if t, ok = wd.plan.read(ctx, in, text); !ok {
			if err := wd.none(ctx, d, r); err != nil {
				return err
			}
			return wd.unreadable(ctx, in, text)
		}
	}
	r.None = false
	return wd.withoutDraft(ctx, d, r, wd.write.propose(ctx, in, t, origin{begun: &d, body: draft.Body{Reading: &r}}))
}

// reading begins a draft and has a model asked, which ask does. A model that was asked too often about this delivery already is not asked
// again, and the note says that it was interrupted.
func (wd *Words) reading(ctx context.Context, in request.Incoming, interrupted string, ask func(*draft.Reading)) (storage.Draft, draft.Reading, error) {
	if err := wd.Access.Present(ctx, in); err != nil {
		return storage.Draft{}, draft.Reading{}, err
	}
	d, r, err := wd.begin(ctx, in)
	if err != nil {
		return d, r, err
	}
	switch {
	case r.None: // the words were read, but the person may not have been told
	case r.Tries <= readingMost:
		ask(&r)
	default:
		r.Note = interrupted
	}
	return d, r, ctx.Err()
}

// withoutDraft has the card say that no draft came of the words when a person is refused one.
func (wd *Words) withoutDraft(ctx context.Context, d storage.Draft, r draft.Reading, refused error) error {
	_, denied := request.AsDenied(refused)
	if _, said := errors.AsType[*usererror.Error](refused); said || denied {
		if fault := wd.none(ctx, d, r); fault != nil {
			return fault
		}
	}
	return refused
}

// begin stores that a draft is on its way, and its card, before the model is asked. It gives the row and how often this was begun.
func (wd *Words) begin(ctx context.Context, in request.Incoming) (storage.Draft, draft.Reading, error) {
	id := wd.Engine.NewID()
	if in.Inbox != 0 {
		id = fmt.Sprintf("inbox-%d", in.Inbox)
	}
	id = cmp.Or(in.Kept, id)
	d, err := wd.Store.Draft(ctx, id)
	var r draft.Reading
	batch := &storage.Batch{}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		d = storage.Draft{ID: id, Channel: in.Channel, Status: draft.Drafting, Author: in.User, Created: wd.Engine.Now()}
		batch.Surfaces = []storage.Surface{wd.write.surface(&d, in.Root())}
	case err != nil:
		return d, r, err
	case d.Status != draft.Drafting:
		return d, r, &usererror.Error{Code: "done", Text: "This is done already: the draft is in the channel."}
	default:
		if r, err = readingOf(d); err != nil {
			return d, r, err
		}
	}
	r.Tries++
	if d.Body, err = json.Marshal(draft.Body{Reading: &r}); err != nil {
		return d, r, err
	}
	batch.Draft = []storage.Draft{d}
	if err = wd.Store.Write(ctx, batch); err != nil {
		return d, r, err
	}
	wd.Replies.Wake()
	d, err = wd.Store.Draft(ctx, id)
	return d, r, err
}

func readingOf(d storage.Draft) (draft.Reading, error) {
	var body draft.Body
	if err := json.Unmarshal(d.Body, &body); err != nil || body.Reading == nil {
		return draft.Reading{}, errors.Join(err, fmt.Errorf("draft %s is not being read", d.ID))
	}
	return *body.Reading, nil
}

// none has the card say that no draft came of the words. Why is told to the person who wrote them.
func (wd *Words) none(ctx context.Context, d storage.Draft, r draft.Reading) (err error) {
	r.None = true
	if d.Body, err = json.Marshal(draft.Body{Reading: &r}); err != nil {
		return err
	}
	if err = wd.Store.Write(ctx, &storage.Batch{Draft: []storage.Draft{d}, Stale: []string{surface.DraftRef(d.ID)}}); err == nil {
		wd.Replies.Wake()
	}
	return err
}

// readByModel reads words with a model and has the outcome compared with them; nil = it did not work, and the note says why.
func (wd *Words) readByModel(ctx context.Context, in request.Incoming, m llm.Model, text string, r *draft.Reading) *tree.Tree {
	ctx, cancel := context.WithTimeout(ctx, readMost)
	defer cancel()
	w := wd.plan.world(ctx, in)
	made, used, err := model.Draft(ctx, m, text, in.User, w)
	r.Usage = r.Usage.Add(used)
	if err != nil {
		wd.Log.Warn("a model did not read a description", "error", err)
		r.Note = "The language model did not read this: " + whyNot(err) + ". The draft was made without it: check that nothing is missing."
		return nil
	}
	if err = made.Uncompared; err != nil {
		wd.Log.Warn("a model did not compare a draft", "error", err)
		r.Note = "The language model did not compare this draft with your words: " + whyNot(err) + ". Compare them yourself before you approve."
	}
	return made.Tree
}

// whyNot gives the reason why a model did not answer.
func whyNot(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Message
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("it took longer than %d minutes", int(readMost.Minutes()))
	}
	return "it could not be asked"
}
