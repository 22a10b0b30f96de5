package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/flow/validate"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Approvals saves drafts as revisions, or discards them.
type Approvals struct{ *parts }

// Approve saves a draft as a revision. The approval is bound to the hash of the flow and of its dependencies.
func (ap *Approvals) Approve(ctx context.Context, in request.Incoming) error {
	if again, err := ap.continuesAgain(ctx, in); again || err != nil {
		return err
	}
	d, body, f, err := ap.find.toDecide(ctx, in)
	if err != nil {
		return err
	}
	base, err := ap.judge.revised(ctx, d)
	if err != nil {
		return err
	}
	if err := ap.mayApprove(ctx, in, d, body, decidersOf(base, f)); err != nil {
		return err
	}
	if err := ap.runnable(body, f); err != nil {
		return err
	}
	var head storage.Flow
	if body.Only == nil {
		if head, err = ap.headFor(ctx, in, d, f); err != nil {
			return err
		}
	}
	if same, err := ap.shownAsItIs(ctx, in, d, body, f, base); err != nil || !same {
		return err
	}
	if body.Only != nil {
		return ap.approveForRun(ctx, in, d, body, f)
	}
	return ap.approveForFlow(ctx, in, d, body, f, head)
}

// approveForFlow saves a draft as the next revision of its flow, with the flow's schedules and triggers.
func (ap *Approvals) approveForFlow(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, f *flow.Flow, head storage.Flow) error {
	schedules, err := ap.Engine.TriggerSchedules(ctx, f, in.User, head.Channel)
	if err != nil {
		return err
	}
	triggers, gone, err := ap.Engine.TriggerRows(ctx, f, head.Head, in.User, head.Channel)
	if err != nil {
		return err
	}
	b, err := ap.revision(ctx, in, d, &body, f, head.Head)
	if err != nil {
		return err
	}
	b.Flow, b.Schedules, b.Triggers, b.NoTrigger = &head, schedules, triggers, gone
	if b.Surfaces, err = ap.waiting(ctx, d, *b.Revision); err != nil {
		return err
	}
	return ap.save(ctx, in, b)
}

// revision makes the batch that saves a draft as a revision of a flow and closes the draft. body becomes that of the closed draft.
func (ap *Approvals) revision(ctx context.Context, in request.Incoming, d storage.Draft, body *draft.Body, f *flow.Flow, number int) (*storage.Batch, error) {
	lock, err := ap.lock(ctx, in, f)
	if err != nil {
		return nil, err
	}
	lockJSON, err := json.Marshal(lock)
	if err != nil {
		return nil, err
	}
	rev := storage.Revision{
		Flow: f.Name, Number: number, Hash: d.Hash, LockHash: flow.ApprovalHash(f, lock), Body: body.Flow, Lock: lockJSON,
		Draft: d.ID, By: in.User, At: ap.Engine.Now(),
	}
	body.Revision, body.ClosedBy, d.Status = number, in.User, draft.Approved
	if d.Body, err = json.Marshal(body); err != nil {
		return nil, err
	}
	about := map[string]any{"revision": number, "hash": rev.LockHash, "draft": d.ID, "authors": body.Authors}
	if body.Only != nil {
		about["run"] = body.Only.Name
	}
	return &storage.Batch{
		Revision: &rev, Draft: []storage.Draft{d}, Stale: []string{surface.DraftRef(d.ID)},
		Audit: []storage.Audit{ap.Replies.Audit(in, "revision_approved", "flow:"+f.Name, about)},
	}, nil
}

// save stores an approval, unless another decision on the draft was stored first.
func (ap *Approvals) save(ctx context.Context, in request.Incoming, b *storage.Batch) error {
	err := ap.Replies.Write(ctx, in, b)
	if errors.Is(err, storage.ErrConflict) {
		return &usererror.Error{Code: "raced", Text: "Somebody else decided on this draft at the same moment.", Hint: "The card shows what became of it.", Err: err}
	}
	return err
}

// waiting is the message about the runs that wait on earlier versions; nothing when there are none.
func (ap *Approvals) waiting(ctx context.Context, d storage.Draft, rev storage.Revision) ([]storage.Surface, error) {
	if rev.Number == 1 {
		return nil, nil
	}
	live, err := ap.Store.LiveRuns(ctx, storage.LiveQuery{Flow: rev.Flow, Limit: 1}, nil)
	if err != nil || len(live) == 0 {
		return nil, err
	}
	return []storage.Surface{{ID: "moves-" + d.ID, Kind: surface.KindMoves, Ref: surface.MovesRef(d.ID), Channel: d.Channel, Thread: d.Thread, Created: rev.At}}, nil
}

// lock computes what an approval binds to. A flow may only run flows that its approver can see.
func (ap *Approvals) lock(ctx context.Context, in request.Incoming, f *flow.Flow) (flow.Lock, error) {
	for _, name := range f.SubflowNames() {
		if _, err := ap.Access.Flow(ctx, in, name); err != nil {
			return flow.Lock{}, err
		}
	}
	return ap.Engine.Lock(ctx, f)
}

// headFor gives the flow's head row with the next revision number. A flow keeps its home channel and its owner.
func (ap *Approvals) headFor(ctx context.Context, in request.Incoming, d storage.Draft, f *flow.Flow) (storage.Flow, error) {
	head, err := ap.Store.Flow(ctx, f.Name)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Flow{Name: f.Name, Head: 1, Channel: d.Channel, Owner: d.Author, Updated: ap.Engine.Now()}, nil
	}
	if err != nil {
		return head, err
	}
	base := head.Head
	if !head.Retired.IsZero() {
		base = 0
	}
	if base == 0 && d.Base != 0 {
		return head, &usererror.Error{
			Code: "behind", Text: fmt.Sprintf("%s was removed after this draft was made from its version %d.", f.Name, d.Base),
			Hint: "Draft it anew: drop its file, or describe it again under the same name.",
		}
	}
	if base != d.Base {
		return head, &usererror.Error{
			Code: "behind", Text: fmt.Sprintf("Version %d of %s was approved after this draft was made from version %d.", head.Head, f.Name, d.Base),
			Hint: "Change any step of this draft to see the difference against the newest version.",
		}
	}
	head.Head++
	head.Updated, head.Retired = ap.Engine.Now(), time.Time{}
	return head, nil
}

// runnable refuses a draft with open questions or problems.
func (ap *Approvals) runnable(body draft.Body, f *flow.Flow) error {
	var words []string
	for _, q := range body.Questions {
		words = append(words, q.Text)
	}
	if open := body.Unsettled(); open != "" {
		words = append(words, open)
	}
	for _, n := range body.Notes {
		if n.Blocks {
			words = append(words, n.Text)
		}
	}
	words = append(words, surface.Unsupported(f)...)
	for _, p := range validate.Flow(f, flow.Checks{Priced: ap.Engine.Priced}) {
		switch {
		case p.Code == validate.CodeNoPrice:
			words = append(words, p.Message+": "+p.Hint+".")
		case unknownAgent(p) && len(words) == 0 && !leftAgent(f, p.Node): // an agent that was removed since the draft was shown
			words = append(words, "It names an "+p.Message+".")
		}
	}
	if len(words) == 0 {
		return nil
	}
	mend := "Answer on the draft's card, or reply in this thread with what should be different."
	switch {
	case body.Unsettled() != "":
		mend = "Press *" + surface.NeedsLabel + "* on its card."
	case body.Dropped():
		mend = "Drop the mended file into this thread, with @" + ap.Replies.Name + "."
	}
	return &usererror.Error{Code: "blocked", Text: "This draft cannot be approved yet. " + strings.Join(words, " "), Hint: mend}
}

// mayApprove checks the right to approve: the person is a member of the channel and, if the revision needs a second person, is no author of an
// edit in it and may decide the gates of the approved flow or is one of the approvers.
func (ap *Approvals) mayApprove(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, judged *flow.Flow) error {
	about := request.AboutDraft(d, body.Authors)
	if err := ap.Access.May(ctx, in, authority.Approve, about); err != nil {
		return err
	}
	if !ap.SecondPerson || len(body.Allows) == 0 {
		return nil
	}
	words, may, err := ap.judge.seconds(ctx, judged, body.Authors)
	if err != nil {
		return err
	}
	about.Seconds = may
	err = ap.Access.May(ctx, in, authority.ApproveSecond, about)
	if denied, ok := request.AsDenied(err); ok {
		why := request.Denied(denied)
		why.Code, why.Hint = "second_person", "Who may: "+words+"."
		return why
	}
	return err
}

// Discard discards a draft: its authors and admins may.
func (ap *Approvals) Discard(ctx context.Context, in request.Incoming) error {
	d, body, _, err := ap.find.toDecide(ctx, in)
	if err != nil {
		return err
	}
	return ap.discard(ctx, in, d, body)
}

// discard closes an open draft without making a version of it.
func (p *Ports) discard(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body) (err error) {
	if err := p.Access.MayDraft(ctx, in, authority.Discard, d, body.Authors); err != nil {
		return err
	}
	body.ClosedBy, d.Status = in.User, draft.Discarded
	if d.Body, err = json.Marshal(body); err != nil {
		return err
	}
	return p.Replies.Write(ctx, in, &storage.Batch{
		Draft: []storage.Draft{d}, Stale: []string{surface.DraftRef(d.ID)},
		Audit: []storage.Audit{p.Replies.Audit(in, "draft_discarded", surface.DraftRef(d.ID), nil)},
	})
}

// shownAsItIs makes sure that an open draft still describes its flow: its dependencies, and the changes that count, may have changed since it
// was shown. Then a new draft by the same authors replaces it, nothing is approved, and the answer is false.
func (ap *Approvals) shownAsItIs(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, f, base *flow.Flow) (bool, error) {
	now, f := body, f.Clone()
	if err := ap.resolve(ctx, f); err != nil {
		return false, err
	}
	if err := ap.judge.examine(ctx, &now, f, base, d.Base); err != nil {
		return false, err
	}
	var changed []string
	if body.Lock != nil { // else an older release made it
		for _, c := range approval.CompareLock(*body.Lock, *now.Lock) {
			if c.In(*body.Lock) { // a dependency that was missing when the draft was shown counted as able to do anything
				changed = append(changed, c.Words)
			}
		}
	}
	if len(changed) == 0 && slices.Equal(now.Allows, body.Allows) {
		return true, nil
	}
	if len(changed) == 0 {
		changed = []string{"other changes count than it says"}
	}
	ap.write.plan.retell(&now, f)
	next := d
	next.Hash, next.ID, next.Version, next.Created, now.Edit = flow.Hash(f), ap.Engine.NewID(), 0, ap.Engine.Now(), "what it depends on: "+strings.Join(changed, "; ")
	batch := &storage.Batch{}
	if err := ap.write.replace(&d, &next, &now, batch); err != nil {
		return false, err
	}
	if err := ap.write.put(&next, now, batch); err != nil {
		return false, err
	}
	batch.Surfaces = append(batch.Surfaces, ap.Replies.Private(in, ap.Replies.Refusal(&usererror.Error{
		Code: "stale_draft", Text: fmt.Sprintf("Since draft %d was shown: %s. Nothing was approved.", d.Number, strings.Join(changed, "; ")),
		Hint: fmt.Sprintf("Look at draft %d in this thread and decide there.", next.Number),
	})))
	return false, ap.Replies.Write(ctx, in, batch)
}
