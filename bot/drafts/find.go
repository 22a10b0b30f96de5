package drafts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/usererror"
	"sluice/storage"
)

// finder finds the draft that a message or a button is about.
type finder struct{ *Ports }

// toDecide loads the draft behind a button, and refuses when it is not the one to decide on any more.
func (fd *finder) toDecide(ctx context.Context, in request.Incoming) (storage.Draft, draft.Body, *flow.Flow, error) {
	d, body, f, err := fd.ofButton(ctx, in)
	if err != nil {
		return d, body, f, err
	}
	_, hash, _ := strings.Cut(in.Value, " ")
	switch {
	case d.Status == draft.Replaced:
		next, err := fd.Store.Draft(ctx, body.Next)
		if err != nil {
			return d, body, f, err
		}
		return d, body, f, &usererror.Error{
			Code: "stale_draft", Text: fmt.Sprintf("You clicked on draft %d, which draft %d has replaced: nothing was approved.", d.Number, next.Number),
			Hint: "Look at the newest picture in this thread and decide there.",
		}
	case d.Status != draft.Open:
		return d, body, f, request.Refuse("draft_closed", card.Textf("This draft is %s already%s.", d.Status, byWhom(body.ClosedBy)), "")
	case hash != d.Hash:
		return d, body, f, &usererror.Error{Code: "stale_draft", Text: "What you saw is not what this draft holds.", Hint: "Look at the newest picture in this thread."}
	}
	return d, body, f, nil
}

func byWhom(user string) card.Text {
	if user == "" {
		return card.Text{}
	}
	return card.Textf(" by %s", card.User(user))
}

// ofButton loads the draft behind a button for somebody who may read it, whatever became of it.
func (fd *finder) ofButton(ctx context.Context, in request.Incoming) (storage.Draft, draft.Body, *flow.Flow, error) {
	id, _, _ := strings.Cut(in.Value, " ")
	d, err := fd.Store.Draft(ctx, id)
	if err == nil && d.Channel != in.Channel {
		err = request.ErrHidden
	}
	if err != nil {
		return d, draft.Body{}, nil, request.HideMissing(err)
	}
	body, f, err := draft.Decode(d)
	if err == nil {
		err = fd.Access.MayDraft(ctx, in, authority.ReadDraft, d, body.Authors)
	}
	return d, body, f, err
}

// ofThread finds the draft that a thread discusses: the newest one in it, or the one whose card started it. Behind a discarded change of a version
// it is the draft of that version.
func (fd *finder) ofThread(ctx context.Context, in request.Incoming) (storage.Draft, error) {
	if in.Thread == "" {
		return storage.Draft{}, storage.ErrNotFound
	}
	d, err := fd.Store.DraftInThread(ctx, in.Channel, in.Thread)
	if err == nil && d.Status == draft.Discarded && d.Base > 0 {
		return fd.ofVersion(ctx, d)
	}
	if !errors.Is(err, storage.ErrNotFound) {
		return d, err
	}
	s, err := fd.Store.SurfaceAt(ctx, in.Channel, in.Thread)
	if err != nil {
		return d, err
	}
	if s.Kind != surface.KindDraft {
		return d, storage.ErrNotFound
	}
	d, err = fd.Store.Draft(ctx, strings.TrimPrefix(s.Ref, surface.DraftRef("")))
	if err == nil && d.Status == draft.Drafting {
		return storage.Draft{}, storage.ErrNotFound // there is nothing to discuss yet
	}
	return d, err
}

// ofVersion is the draft of the version that a discarded draft would have changed, when it was discussed in the same thread; else the discarded one.
func (fd *finder) ofVersion(ctx context.Context, d storage.Draft) (storage.Draft, error) {
	was, ok, err := draft.OfVersion(ctx, fd.Store, d.Flow, d.Base)
	if err != nil || !ok || was.Thread != d.Thread {
		return d, err
	}
	return was, nil
}

// readable is ofThread for somebody who may read it; for others there is none.
func (fd *finder) readable(ctx context.Context, in request.Incoming) (storage.Draft, draft.Body, error) {
	d, err := fd.ofThread(ctx, in)
	if err != nil {
		return d, draft.Body{}, err
	}
	body, _, err := draft.Decode(d)
	if err != nil {
		return d, body, err
	}
	if err = fd.Access.MayDraft(ctx, in, authority.ReadDraft, d, body.Authors); request.Hidden(err) {
		err = storage.ErrNotFound
	}
	return d, body, err
}

// newest is the draft that a message's thread discusses, or nil.
func (fd *finder) newest(ctx context.Context, in request.Incoming) (*storage.Draft, error) {
	d, err := fd.ofThread(ctx, in)
	if err != nil {
		return nil, storage.IgnoreMissing(err)
	}
	return &d, nil
}

// open finds the open draft of a flow in a thread, going back from the newest one; nil when there is none. Every draft of a thread
// leads to the one before it.
func (fd *finder) open(ctx context.Context, newest *storage.Draft, name string) (*storage.Draft, error) {
	for d := newest; d != nil; {
		if d.Flow == name && d.Status == draft.Open {
			return d, nil
		}
		body, _, err := draft.Decode(*d)
		if err != nil {
			return nil, err
		}
		before := cmp.Or(body.Beside, body.Previous)
		if before == "" {
			return nil, nil
		}
		older, err := fd.Store.Draft(ctx, before)
		if err != nil {
			return nil, storage.IgnoreMissing(err)
		}
		d = &older
	}
	return nil, nil
}
