package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/planner"
	"sluice/engine/planner/tree"
	"sluice/storage"
)

// answerDraft takes the answer to a question on a draft's card. The card shows what it made of it: the draft stays the same one.
func (b *Bot) answerDraft(ctx context.Context, in request.Incoming) error {
	id, question, option, ok := project.ReadAnswer(in.Action)
	d, err := b.store.Draft(ctx, id)
	if !ok || errors.Is(err, storage.ErrNotFound) {
		return request.ErrHidden
	}
	if err != nil {
		return err
	}
	body, _, err := project.DecodeDraft(d)
	if err != nil {
		return err
	}
	if err := b.Access.MayDraft(ctx, in, authority.Propose, d, body.Authors); err != nil {
		return err
	}
	asked := slices.ContainsFunc(body.Questions, func(q planner.Question) bool { return q.ID == question })
	if d.Status != project.DraftOpen || body.Tree == nil || !asked {
		return &engine.UserError{Code: "stale_question", Text: "This question has been answered already.", Hint: "The newest card in this thread shows how."}
	}
	t, err := b.answered(ctx, in, body.Tree, d.Flow, question, option)
	if err != nil {
		return err
	}
	return b.update(ctx, in, d, body, t)
}

// answered gives the tree after an answer. name is that of the flow.
func (b *Bot) answered(ctx context.Context, in request.Incoming, t *tree.Tree, name, question, option string) (*tree.Tree, error) {
	if question != nameQuestion {
		next, err := planner.Answer(t, b.world(ctx, in), question, option, in.Chosen, in.User)
		var why *planner.AnswerError
		if errors.As(err, &why) {
			return nil, &engine.UserError{Code: "answer_" + why.Code, Text: why.Text, Err: err}
		}
		return next, err
	}
	next := t.Clone()
	if option == "other" {
		next.Name = in.Chosen
		return next, nil
	}
	next.Settled = append(next.Settled, "name:"+name)
	return next, nil
}

// update shows a draft with other steps under the same card. The person who answers becomes an author of the draft.
func (b *Bot) update(ctx context.Context, in request.Incoming, d storage.Draft, body project.DraftBody, t *tree.Tree) error {
	p, base, home, err := b.plan(ctx, in, t, body)
	if err != nil {
		return err
	}
	b.describe(&body, p)
	if !slices.Contains(body.Authors, in.User) {
		body.Authors = append(body.Authors, in.User)
	}
	if err := b.examine(ctx, &body, p.Flow, base, home.Head); err != nil {
		return err
	}
	d.Flow, d.Base, d.Hash = p.Flow.Name, home.Head, flow.Hash(p.Flow)
	if d.Body, err = json.Marshal(body); err != nil {
		return err
	}
	err = b.Replies.Write(ctx, in, &storage.Batch{Draft: []storage.Draft{d}, Stale: []string{project.DraftRef(d.ID)}})
	if errors.Is(err, storage.ErrConflict) {
		return &engine.UserError{Code: "raced", Text: "Somebody else changed this draft at the same moment.", Hint: "Answer again on its card.", Err: err}
	}
	return err
}

// nameQuestion is asked by the bot itself: the planner knows no approved flows.
const nameQuestion = "name"

// nameTaken asks whether words that name an approved flow mean to change it.
func (b *Bot) nameTaken(ctx context.Context, home storage.Flow) planner.Question {
	q := planner.Question{
		ID: nameQuestion, Kind: "name", Text: fmt.Sprintf("%s exists already (version %d). Change it, or is this another flow?", flow.Words(home.Name), home.Head),
		Options: []planner.Option{{ID: "change", Label: "Change it"}, {ID: "other", Label: "Choose another name", Needs: "value"}},
	}
	for n := 2; len(q.Options[1].Values) < 5 && n < 100; n++ {
		name := fmt.Sprintf("%s-%d", home.Name, n)
		if _, err := b.store.Flow(ctx, name); errors.Is(err, storage.ErrNotFound) {
			q.Options[1].Values = append(q.Options[1].Values, planner.Choice{Value: name, Label: name})
		}
	}
	return q
}
