package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/usererror"
	"sluice/storage"
)

// waiting is the approved draft whose message asks about the runs on earlier versions, for a person who may move them.
type waiting struct {
	flow  storage.Flow
	draft storage.Draft
	body  draft.Body
}

// waitingOn loads the flow and the draft behind the message about the runs on earlier versions.
func (rs *Runs) waitingOn(ctx context.Context, in request.Incoming, id string) (w waiting, err error) {
	if w.draft, err = rs.Store.Draft(ctx, id); err != nil {
		return w, request.HideMissing(err)
	}
	if w.flow, err = rs.Access.Flow(ctx, in, w.draft.Flow); err != nil {
		return w, err
	}
	if err := rs.moves(ctx, in, w.flow); err != nil {
		return w, err
	}
	if w.body, _, err = draft.Decode(w.draft); err != nil {
		return w, err
	}
	if w.body.Settled() || w.body.Revision == 0 || w.flow.Head != w.body.Revision {
		return w, &usererror.Error{Code: "decided", Text: "This was decided already, or a newer version has been approved since.", Hint: "`/flow move " + w.flow.Name + "` says which runs fit the newest version."}
	}
	return w, nil
}

// MoveFits moves the runs that fit, from the message about them.
func (rs *Runs) MoveFits(ctx context.Context, in request.Incoming) error {
	w, err := rs.waitingOn(ctx, in, in.Value)
	if err != nil {
		return err
	}
	n, err := rs.Engine.MoveFitting(ctx, w.flow.Name, w.body.Revision, in.Actor())
	if err != nil {
		return err
	}
	return rs.noted(ctx, in, w, draft.Moved{By: in.User, Runs: n})
}

// LeaveThem leaves the runs on their versions.
func (rs *Runs) LeaveThem(ctx context.Context, in request.Incoming) error {
	w, err := rs.waitingOn(ctx, in, in.Value)
	if err != nil {
		return err
	}
	return rs.noted(ctx, in, w, draft.Moved{By: in.User, Left: true})
}

// behindName stands between the name of a run and its title, of which a choice has room for so many characters.
const (
	behindName = " · "
	titleMost  = 50
)

// Form asks which of the runs that fit go over.
func (rs *Runs) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	w, err := rs.waitingOn(ctx, in, ref.Subject)
	if err != nil {
		return form.Form{}, err
	}
	p, err := rs.Engine.MovePlan(ctx, w.flow.Name, w.body.Revision)
	if err != nil {
		return form.Form{}, err
	}
	if len(p.Fits) == 0 {
		return form.Form{}, &usererror.Error{Code: "none_fits", Text: p.String()}
	}
	var runs []string
	for _, r := range p.Fits {
		runs = append(runs, r.Name+behindName+card.OneLine(card.Shorten(r.Title, titleMost)))
	}
	return form.Form{
		Ref: ref, Title: "Move runs", Submit: "Move them",
		Text:   fmt.Sprintf("%s\nThe runs that you choose go on by version %d; their open questions are asked anew.", p, w.body.Revision),
		Fields: []form.Field{{Name: form.FieldRuns, Label: "Runs", Kind: form.Several, Options: runs, Required: true}},
	}, nil
}

// Submit moves the runs that somebody chose. Those that do not fit any more stay where they are, and the person is told which.
func (rs *Runs) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	w, err := rs.waitingOn(ctx, in, ref.Subject)
	if err != nil {
		return err
	}
	p, err := rs.Engine.MovePlan(ctx, w.flow.Name, w.body.Revision)
	if err != nil {
		return err
	}
	moved, names := 0, strings.Split(in.Form[form.FieldRuns], "\n")
	for _, name := range names {
		name, _, _ = strings.Cut(name, behindName)
		i := slices.IndexFunc(p.Fits, func(r storage.Run) bool { return r.Name == name })
		if i < 0 {
			continue
		}
		err := rs.Engine.Move(ctx, p.Fits[i].ID, w.body.Revision, in.Actor())
		if _, refused := errors.AsType[*usererror.Error](err); err != nil && !refused {
			return err
		} else if err == nil {
			moved++
		}
	}
	if err := rs.noted(ctx, in, w, draft.Moved{By: in.User, Runs: moved}); err != nil || moved == len(names) {
		return err
	}
	return rs.Replies.SayText(ctx, in.WithoutRow(), card.Textf("%d of %s went over to version %d; the others have ended or do not fit any more.", moved, request.Count(len(names), "run"), w.body.Revision))
}

// noted stores a person's decision on the draft, so that the message shows it.
func (rs *Runs) noted(ctx context.Context, in request.Incoming, w waiting, m draft.Moved) error {
	w.body.Moves = append(w.body.Moves, m)
	var err error
	if w.draft.Body, err = json.Marshal(w.body); err != nil {
		return err
	}
	return rs.Replies.Write(ctx, in, &storage.Batch{
		Draft: []storage.Draft{w.draft}, Stale: []string{surface.MovesRef(w.draft.ID)},
		Audit: []storage.Audit{rs.Replies.Audit(in, "runs_moved", "flow:"+w.flow.Name, map[string]any{"revision": w.body.Revision, "runs": m.Runs, "left": m.Left})},
	})
}
