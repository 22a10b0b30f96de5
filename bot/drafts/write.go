package drafts

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/importer/document"
	"sluice/engine/planner"
	"sluice/engine/planner/tree"
	"sluice/storage"
)

// writer makes drafts of proposals, and stores them with their cards.
type writer struct{ *parts }

// origin is where a draft comes from.
type origin struct {
	prev  *storage.Draft // the draft that it replaces, or nil
	begun *storage.Draft // the stored draft that it becomes, or nil: a model has read the words
	body  draft.Body     // the rest of its body
}

// propose makes a draft of what words say and shows it.
func (wr *writer) propose(ctx context.Context, in request.Incoming, t *tree.Tree, from origin) error {
	p, base, home, err := wr.plan.proposal(ctx, in, t, from.body)
	if err != nil {
		return err
	}
	wr.heard(ctx, in)
	batch := &storage.Batch{}
	if from.prev == nil {
		newest, err := wr.find.newest(ctx, in)
		if err != nil {
			return err
		}
		if newest != nil {
			from.body.Beside = newest.ID
		}
	}
	if _, err := wr.add(ctx, in, p, from, base, home.Head, batch); err != nil {
		return err
	}
	wr.drafted(in, surface.DraftedMark, batch)
	return wr.Replies.Write(ctx, in, batch)
}

// add adds a proposal and its card to a batch. base and head are the flow that it revises, if there is one.
func (wr *writer) add(ctx context.Context, in request.Incoming, p *planner.Proposal, from origin, base *flow.Flow, head int, batch *storage.Batch) (storage.Draft, error) {
	if err := wr.Access.Present(ctx, in); err != nil {
		return storage.Draft{}, err
	}
	body := from.body
	if from.prev != nil {
		old, _, err := draft.Decode(*from.prev)
		if err != nil {
			return storage.Draft{}, err
		}
		body.Questions, body.Asks = old.Questions, old.Asks
	}
	wr.plan.describe(&body, p)
	body.Authors = []string{in.User}
	if err := wr.fitsRun(ctx, body, p.Flow); err != nil {
		return storage.Draft{}, err
	}
	d := storage.Draft{
		ID: cmp.Or(in.Kept, wr.Engine.NewID()), Channel: in.Channel, Thread: in.Root(), Number: 1, Flow: p.Flow.Name, Status: draft.Open, Author: in.User,
		Base: head, Hash: flow.Hash(p.Flow), Created: wr.Engine.Now(),
	}
	if from.begun != nil {
		d.ID, d.Version, d.Created = from.begun.ID, from.begun.Version, from.begun.Created
	}
	if from.prev != nil {
		if err := wr.replace(from.prev, &d, &body, batch); err != nil {
			return d, err
		}
	}
	if err := wr.judge.examine(ctx, &body, p.Flow, base, head); err != nil {
		return d, err
	}
	return d, wr.put(&d, body, batch)
}

// put adds a draft and its card to a batch. A draft that is stored already has a card.
func (wr *writer) put(d *storage.Draft, body draft.Body, batch *storage.Batch) error {
	var err error
	if d.Body, err = json.Marshal(body); err != nil {
		return err
	}
	batch.Draft = append(batch.Draft, *d)
	if d.Version > 0 {
		batch.Stale = append(batch.Stale, surface.DraftRef(d.ID))
		return nil
	}
	batch.Surfaces = append(batch.Surfaces, wr.surface(d, d.Thread))
	return nil
}

// surface is a draft's card in a thread.
func (wr *writer) surface(d *storage.Draft, thread string) storage.Surface {
	return storage.Surface{ID: wr.Engine.NewID(), Kind: surface.KindDraft, Ref: surface.DraftRef(d.ID), Channel: d.Channel, Thread: thread, Created: d.Created}
}

// replace marks the draft that a new one takes the place of.
func (wr *writer) replace(prev, next *storage.Draft, body *draft.Body, batch *storage.Batch) error {
	old, _, err := draft.Decode(*prev)
	if err != nil {
		return err
	}
	for _, a := range old.Authors {
		if !slices.Contains(body.Authors, a) {
			body.Authors = append(body.Authors, a)
		}
	}
	body.Previous, next.Number = prev.ID, prev.Number+1
	if body.Undo == "" && body.Redo == "" {
		body.Undo = prev.ID
	}
	old.Next = next.ID
	replaced := *prev
	replaced.Status = draft.Replaced
	if replaced.Body, err = json.Marshal(old); err != nil {
		return err
	}
	batch.Draft = append(batch.Draft, replaced)
	batch.Stale = append(batch.Stale, surface.DraftRef(prev.ID))
	return nil
}

// addWritten adds a draft of a written flow to a batch. newest is the thread's newest draft, or nil.
func (wr *writer) addWritten(ctx context.Context, in request.Incoming, w written, from origin, newest *storage.Draft, batch *storage.Batch) (storage.Draft, error) {
	if newest != nil && (from.prev == nil || from.prev.ID != newest.ID) {
		from.body.Beside = newest.ID
	}
	if from.body.Needs = w.needs; len(w.needs) > 0 {
		from.body.Read = flow.Canonical(w.read)
	} else {
		from.body.Read, from.body.Said = nil, nil
	}
	return wr.add(ctx, in, w.proposal, from, w.base, w.home.Head, batch)
}

// proposeWritten shows a flow that is written already as a draft, with what stands for names of its file, without asking whether it changes anything.
func (wr *writer) proposeWritten(ctx context.Context, in request.Incoming, f *flow.Flow, from origin) error {
	newest, err := wr.find.newest(ctx, in)
	if err != nil {
		return err
	}
	read := f
	if from.body.Read != nil {
		if read, err = flow.FromJSON(from.body.Read); err != nil {
			return err
		}
	}
	w, err := wr.plan.review(ctx, in, read, document.Names(f), from.body.Said)
	if err != nil {
		return err
	}
	wr.heard(ctx, in)
	batch := &storage.Batch{}
	if _, err := wr.addWritten(ctx, in, w, from, newest, batch); err != nil {
		return err
	}
	wr.drafted(in, surface.DraftedMark, batch)
	return wr.Replies.Write(ctx, in, batch)
}
