package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/planner"
	"sluice/engine/planner/tree"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Questions shows what a draft's card leaves out, and takes the answers to what it asks.
type Questions struct{ *parts }

// Details answers privately with what a draft's card leaves out: tools, hosts, effects and the hash.
func (qs *Questions) Details(ctx context.Context, in request.Incoming) error {
	d, body, f, err := qs.find.ofButton(ctx, in)
	if err != nil {
		return err
	}
	lines := []card.Text{}
	for _, l := range body.Details {
		lines = append(lines, card.Textf("• %s", l))
	}
	return qs.Replies.Say(ctx, in, card.Card{
		Title: flow.Words(d.Flow) + ", details", Sections: []card.Section{{Text: card.Join("\n", lines...)}},
		Context: []card.Text{card.Textf("flow `%s` · hash `%s`", f.Name, d.Hash)},
	})
}

// Answer takes the answer to a question on a draft's card. The card then shows the result: the draft stays the same one.
func (qs *Questions) Answer(ctx context.Context, in request.Incoming) error {
	id, question, option, ok := surface.ReadAnswer(in.Action)
	if !ok {
		return request.ErrHidden
	}
	d, body, err := qs.toAnswer(ctx, in, id)
	if err != nil {
		return err
	}
	asked := slices.ContainsFunc(body.Questions, func(q planner.Question) bool { return q.ID == question })
	if d.Status != draft.Open || body.Tree == nil || !asked {
		return answeredAlready()
	}
	t, err := qs.answered(ctx, in, body.Tree, d.Flow, question, option)
	if err != nil {
		return err
	}
	return qs.update(ctx, in, d, body, t, answerWords(body, question, option, in.Chosen))
}

// answerWords says which answer somebody gave to a question of a draft.
func answerWords(body draft.Body, question, option, value string) string {
	i := slices.IndexFunc(body.Questions, func(q planner.Question) bool { return q.ID == question })
	if i < 0 {
		return ""
	}
	q, said := body.Questions[i], value
	if o := slices.IndexFunc(q.Options, func(o planner.Option) bool { return o.ID == option }); o >= 0 && q.Options[o].Needs == "" {
		said = q.Options[o].Label
	}
	return fmt.Sprintf("the answer “%s” to “%s”", strings.Trim(said, "“”"), q.Text)
}

// answered gives the tree after an answer. name is that of the flow.
func (qs *Questions) answered(ctx context.Context, in request.Incoming, t *tree.Tree, name, question, option string) (*tree.Tree, error) {
	if question != nameQuestion {
		next, err := planner.Answer(t, qs.plan.world(ctx, in), question, option, in.Chosen, in.User)
		var why *planner.AnswerError
		if errors.As(err, &why) {
			return nil, &usererror.Error{Code: "answer_" + why.Code, Text: why.Text, Err: err}
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

// update shows a draft with other steps under the same card. The person who answers becomes an author of the draft. The draft as it was is
// kept outside of the thread, for "undo"; did says what is taken back then.
func (qs *Questions) update(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, t *tree.Tree, did string) error {
	p, base, home, err := qs.plan.proposal(ctx, in, t, body)
	if err != nil {
		return err
	}
	before := d
	before.ID, before.Version, before.Thread, before.Status = qs.Engine.NewID(), 0, "", draft.Replaced
	body.Did, body.Undo, body.Redo = did, before.ID, ""
	return qs.show(ctx, in, d, body, p, base, home.Head, before)
}

// show stores a draft with a new proposal, beside drafts to keep. base is the flow that it revises, with the number of its revision.
func (qs *Questions) show(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, p *planner.Proposal, base *flow.Flow, head int, kept ...storage.Draft) (err error) {
	qs.plan.describe(&body, p)
	if !slices.Contains(body.Authors, in.User) {
		body.Authors = append(body.Authors, in.User)
	}
	if err := qs.judge.examine(ctx, &body, p.Flow, base, head); err != nil {
		return err
	}
	d.Flow, d.Base, d.Hash = p.Flow.Name, head, flow.Hash(p.Flow)
	if d.Body, err = json.Marshal(body); err != nil {
		return err
	}
	batch := &storage.Batch{Draft: append([]storage.Draft{d}, kept...), Stale: []string{surface.DraftRef(d.ID)}}
	qs.drafted(in, surface.DraftedMark, batch)
	err = qs.Replies.Write(ctx, in, batch)
	if errors.Is(err, storage.ErrConflict) {
		return &usererror.Error{Code: "raced", Text: "Somebody else changed this draft at the same moment.", Hint: "Answer again on its card.", Err: err}
	}
	return err
}
