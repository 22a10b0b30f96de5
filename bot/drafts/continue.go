package drafts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/planner/change"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Continuing changes the flow of a single run in which a step has failed. The run goes on with the approved draft.
type Continuing struct{ *Words }

// failed is a run with a failed step, as loaded for a person who may decide how the run goes on.
type failed struct {
	gate  storage.Gate
	run   storage.Run
	draft storage.Draft // of the run's revision
	body  draft.Body
	doc   *flow.Flow
}

// failure loads the run, gate and draft behind the button of a failed step.
func (co *Continuing) failure(ctx context.Context, in request.Incoming, id string) (w failed, err error) {
	if w.gate, err = co.Store.Gate(ctx, id); err != nil {
		return w, request.HideMissing(err)
	}
	if err := co.Engine.MayAnswer(ctx, w.gate, in.Actor()); err != nil {
		return w, err
	}
	if w.run, err = co.Store.Run(ctx, w.gate.Run); err != nil {
		return w, err
	}
	f, err := co.Store.Flow(ctx, w.run.Flow)
	if err != nil {
		return w, err
	}
	if err := co.Access.May(ctx, in, authority.ReadFlow, people.AboutFlow(f)); request.Hidden(err) {
		return w, &usererror.Error{Code: "not_a_member", Text: fmt.Sprintf("Only people who may read the flow %s can change it for this run.", f.Name), Hint: "Ask somebody who can, or choose another answer on the card."}
	} else if err != nil {
		return w, err
	}
	if w.gate.Status != "open" || w.gate.Kind != string(history.GateFailure) {
		return w, &usererror.Error{Code: "no_gate", Text: "This question was answered meanwhile: there is nothing to edit.", Hint: "Its card says what came of it."}
	}
	if w.run.Channel != f.Channel {
		return w, request.Refuse("elsewhere", card.Textf("%s lives in %s, and this run elsewhere: change the flow there, and move the run to its new version.", f.Name, homeWords(f)), "`/flow move "+w.run.Name+"` moves it.")
	}
	d, ok, err := draft.OfVersion(ctx, co.Store, w.run.Flow, w.run.Revision)
	if err != nil {
		return w, err
	}
	if !ok {
		return w, &usererror.Error{Code: "no_draft", Text: "The version of this run was not made from a draft here, so words cannot change it.", Hint: "Change the flow by its file, and `/flow move " + w.run.Name + "` puts this run on the new version."}
	}
	w.draft = d
	w.body, w.doc, err = draft.Decode(w.draft)
	return w, err
}

// Form asks what should be different for the rest of the run.
func (co *Continuing) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	w, err := co.failure(ctx, in, ref.Subject)
	if err != nil {
		return form.Form{}, err
	}
	text := fmt.Sprintf("What you change counts for %s alone, once it is approved; then it goes on from the failed step.\n%s", w.run.Name, surface.StepWords(w.body.Steps))
	return form.Change(ref, "Edit and continue", text), nil
}

// Submit drafts the change in the run's thread.
func (co *Continuing) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	w, err := co.failure(ctx, in, ref.Subject)
	if err != nil {
		return err
	}
	card, err := co.Store.Surface(ctx, "gate-"+w.gate.ID)
	if err != nil {
		return err
	}
	in.Channel, in.Thread, in.Text = card.Channel, card.Thread, in.Form[form.FieldText]
	err = co.propose(ctx, in, w)
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return besideWords(ue, err)
	}
	return err
}

func (co *Continuing) propose(ctx context.Context, in request.Incoming, w failed) error {
	t, err := changeable(w.body, w.doc)
	if err != nil {
		return err
	}
	next, edit, err := co.change(ctx, in, t, w.body, true)
	if errors.Is(err, change.ErrNone) {
		return noChange(in.Text, t)
	}
	if err != nil {
		return err
	}
	next.Settled = append(next.Settled, "name:"+w.run.Flow)
	body := draft.Body{Edit: edit, Raised: w.body.Raised, Only: &draft.Only{Run: w.run.ID, Name: w.run.Name, Gate: w.gate.ID, By: in.User}}
	if w.body.File != "" {
		body.Raised = w.body.Flow
	}
	return co.write.propose(ctx, in, next, origin{body: body})
}

// ofRun is the flow that a run is on, with the number of its revision.
func (pl *planning) ofRun(ctx context.Context, only draft.Only) (*flow.Flow, int, error) {
	r, err := pl.Store.Run(ctx, only.Run)
	if err != nil {
		return nil, 0, err
	}
	f, err := draft.Saved(ctx, pl.Store, r.Flow, r.Revision)
	return f, r.Revision, err
}

// fitsRun refuses a draft for a single run if the run could not go on with it.
func (p *Ports) fitsRun(ctx context.Context, body draft.Body, f *flow.Flow) error {
	if body.Only == nil || len(body.Questions) > 0 {
		return nil
	}
	why, err := p.Engine.Misfits(ctx, body.Only.Run, f)
	if err != nil || len(why) == 0 {
		return err
	}
	return &usererror.Error{
		Code: "misfit", Text: fmt.Sprintf("%s could not go on by this: %s.", body.Only.Name, strings.Join(why, "; ")),
		Hint: "Change only what comes after the steps at which it stands, or what the failed step is given.",
	}
}

// approveForRun saves a draft as the revision of a single run, and lets the run go on with it.
func (ap *Approvals) approveForRun(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, f *flow.Flow) error {
	if err := ap.fitsRun(ctx, body, f); err != nil {
		return err
	}
	all, err := ap.Store.Revisions(ctx, f.Name)
	if err != nil {
		return err
	}
	number := -1
	for _, rev := range all {
		number = min(number, rev.Number-1)
	}
	b, err := ap.revision(ctx, in, d, &body, f, number)
	if err != nil {
		return err
	}
	if err := ap.save(ctx, in.WithoutRow(), b); err != nil {
		return err
	}
	return ap.goOn(ctx, in, body)
}

// continuesAgain finishes an approval for one run that a kill has interrupted before the run was moved.
func (ap *Approvals) continuesAgain(ctx context.Context, in request.Incoming) (bool, error) {
	d, body, _, err := ap.find.ofButton(ctx, in)
	if err != nil || body.Only == nil || d.Status != draft.Approved || body.ClosedBy != in.User {
		return false, nil // the approval itself says what is wrong
	}
	r, err := ap.Store.Run(ctx, body.Only.Run)
	if err != nil || r.Revision == body.Revision || history.Status(r.Status).Final() {
		return false, err
	}
	return true, ap.goOn(ctx, in, body)
}

// goOn moves a run to the revision that was approved for it, and tries its failed step again in the name of the person who asked for the change.
func (ap *Approvals) goOn(ctx context.Context, in request.Incoming, body draft.Body) error {
	before, err := ap.Store.Gate(ctx, body.Only.Gate)
	if err != nil {
		return err
	}
	if err := ap.Engine.Move(ctx, body.Only.Run, body.Revision, in.Actor()); err != nil {
		return err
	}
	open, err := ap.Store.Gates(ctx, storage.GateQuery{Run: body.Only.Run, Open: true, Limit: 100})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(open, func(g storage.Gate) bool { return g.Kind == string(history.GateFailure) && g.Node == before.Node })
	if i < 0 {
		return ap.Replies.Write(ctx, in, &storage.Batch{})
	}
	asked, err := gate.Decode(open[i])
	if err != nil {
		return err
	}
	_, err = ap.Engine.Answer(ctx, engine.GateAnswer{
		Gate: open[i].ID, Row: &open[i], Choice: history.ChoiceRetry, Shown: asked.Opened.Shown(), Inbox: []int64{in.Inbox},
		Actor: history.Actor{User: body.Only.By, Team: in.Team, Via: in.Actor().Via},
	})
	_, denied := errors.AsType[*people.NotAllowedError](err)
	if _, other := request.AsDenied(err); denied || other {
		return ap.Replies.SayText(ctx, in, card.Textf("*%s* goes by the approved version now. %s may not say any more what becomes of the failed step: press Retry on its card.", body.Only.Name, card.User(body.Only.By)))
	}
	ap.Replies.Wake()
	return err
}
