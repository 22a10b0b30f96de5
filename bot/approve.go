package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/flow/validate"
	"sluice/storage"
)

// clickedDraft loads the draft behind a button, and refuses when it is not the one to decide on any more.
func (b *Bot) clickedDraft(ctx context.Context, in request.Incoming) (storage.Draft, project.DraftBody, *flow.Flow, error) {
	id, hash, _ := strings.Cut(in.Value, " ")
	d, err := b.store.Draft(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return d, project.DraftBody{}, nil, request.ErrHidden
	}
	if err != nil {
		return d, project.DraftBody{}, nil, err
	}
	body, f, err := project.DecodeDraft(d)
	if err == nil {
		err = b.Access.MayDraft(ctx, in, authority.ReadDraft, d, body.Authors)
	}
	if err != nil {
		return d, body, f, err
	}
	switch {
	case d.Status == project.DraftReplaced:
		next, err := b.store.Draft(ctx, body.Next)
		if err != nil {
			return d, body, f, err
		}
		return d, body, f, &engine.UserError{
			Code: "stale_draft", Text: fmt.Sprintf("You clicked on draft %d, which draft %d has replaced: nothing was approved.", d.Number, next.Number),
			Hint: "Look at the newest picture in this thread and decide there.",
		}
	case d.Status != project.DraftOpen:
		return d, body, f, request.Refuse("draft_closed", card.Textf("This draft is %s already%s.", d.Status, byWhom(body.ClosedBy)), "")
	case hash != d.Hash:
		return d, body, f, &engine.UserError{Code: "stale_draft", Text: "What you saw is not what this draft holds.", Hint: "Look at the newest picture in this thread."}
	}
	return d, body, f, nil
}

func byWhom(user string) card.Text {
	if user == "" {
		return card.Text{}
	}
	return card.Textf(" by %s", card.User(user))
}

// approveDraft saves a draft as a revision: what is approved is bound to the hash of the flow and of what it depends on.
func (b *Bot) approveDraft(ctx context.Context, in request.Incoming) error {
	d, body, f, err := b.clickedDraft(ctx, in)
	if err != nil {
		return err
	}
	base, err := b.revised(ctx, d)
	if err != nil {
		return err
	}
	if err := b.mayApprove(ctx, in, d, body, decidersOf(base, f)); err != nil {
		return err
	}
	if err := b.runnable(body, f); err != nil {
		return err
	}
	head, err := b.headFor(ctx, in, d, f)
	if err != nil {
		return err
	}
	if same, err := b.shownAsItIs(ctx, in, d, body, f, base); err != nil || !same {
		return err
	}
	schedules, err := b.Engine.TriggerSchedules(ctx, f, in.User, head.Channel)
	if err != nil {
		return err
	}
	triggers, gone, err := b.Engine.TriggerRows(ctx, f, head.Head, in.User, head.Channel)
	if err != nil {
		return err
	}
	lock, err := b.lock(ctx, in, f)
	if err != nil {
		return err
	}
	lockJSON, err := json.Marshal(lock)
	if err != nil {
		return err
	}
	rev := storage.Revision{
		Flow: f.Name, Number: head.Head, Hash: d.Hash, LockHash: flow.ApprovalHash(f, lock), Body: body.Flow, Lock: lockJSON,
		Draft: d.ID, By: in.User, At: b.Engine.Now(),
	}
	body.Revision, body.ClosedBy, d.Status = rev.Number, in.User, project.DraftApproved
	if d.Body, err = json.Marshal(body); err != nil {
		return err
	}
	err = b.Replies.Write(ctx, in, &storage.Batch{
		Flow: &head, Revision: &rev, Draft: []storage.Draft{d}, Stale: []string{project.DraftRef(d.ID)}, Schedules: schedules,
		Triggers: triggers, NoTrigger: gone,
		Audit: []storage.Audit{b.Replies.Audit(in, "revision_approved", "flow:"+f.Name, map[string]any{"revision": rev.Number, "hash": rev.LockHash, "draft": d.ID, "authors": body.Authors})},
	})
	if errors.Is(err, storage.ErrConflict) {
		return &engine.UserError{Code: "raced", Text: "Somebody else decided on this draft at the same moment.", Hint: "The card shows what became of it.", Err: err}
	}
	return err
}

// lock computes what an approval binds to. A flow may only run flows that its approver can see.
func (b *Bot) lock(ctx context.Context, in request.Incoming, f *flow.Flow) (flow.Lock, error) {
	for _, name := range f.SubflowNames() {
		if _, err := b.Access.Flow(ctx, in, name); err != nil {
			return flow.Lock{}, err
		}
	}
	return b.Engine.Lock(ctx, f)
}

// headFor gives the flow's head row with the next revision number. A flow keeps its home channel and its owner.
func (b *Bot) headFor(ctx context.Context, in request.Incoming, d storage.Draft, f *flow.Flow) (storage.Flow, error) {
	head, err := b.store.Flow(ctx, f.Name)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Flow{Name: f.Name, Head: 1, Channel: d.Channel, Owner: d.Author, Updated: b.Engine.Now()}, nil
	}
	if err != nil {
		return head, err
	}
	if head.Head != d.Base {
		return head, &engine.UserError{
			Code: "behind", Text: fmt.Sprintf("Version %d of %s was approved after this draft was made from version %d.", head.Head, f.Name, d.Base),
			Hint: "Change any step of this draft to see the difference against the newest version.",
		}
	}
	head.Head++
	head.Updated = b.Engine.Now()
	return head, nil
}

// runnable refuses what must be mended first.
func (b *Bot) runnable(body project.DraftBody, f *flow.Flow) error {
	var words []string
	for _, q := range body.Questions {
		words = append(words, q.Text)
	}
	for _, n := range body.Notes {
		if n.Blocks {
			words = append(words, n.Text)
		}
	}
	words = append(words, project.Unsupported(f)...)
	for _, p := range validate.Flow(f, flow.Checks{Priced: b.Engine.Priced}) {
		if p.Code == validate.CodeNoPrice {
			words = append(words, p.Message+": "+p.Hint+".")
		}
	}
	if len(words) == 0 {
		return nil
	}
	mend := "Answer on the draft's card, or reply in this thread with what should be different."
	if body.File != "" {
		mend = "Drop the mended file into this thread, with @" + b.Name + "."
	}
	return &engine.UserError{Code: "blocked", Text: "This draft cannot be approved yet. " + strings.Join(words, " "), Hint: mend}
}

// mayApprove checks the right to change: members of the channel and, when the revision needs a second person, somebody who is no author
// of an edit in it and who may decide the gates of the judged flow or is one of the approvers.
func (b *Bot) mayApprove(ctx context.Context, in request.Incoming, d storage.Draft, body project.DraftBody, judged *flow.Flow) error {
	about := request.AboutDraft(d, body.Authors)
	if err := b.Access.May(ctx, in, authority.Approve, about); err != nil {
		return err
	}
	if !b.SecondPerson || len(body.Allows) == 0 {
		return nil
	}
	words, may, err := b.seconds(ctx, judged, body.Authors)
	if err != nil {
		return err
	}
	about.Seconds = may
	err = b.Access.May(ctx, in, authority.ApproveSecond, about)
	if denied, ok := request.AsDenied(err); ok {
		why := request.Denied(denied)
		why.Code, why.Hint = "second_person", "Who may: "+words+"."
		return why
	}
	return err
}

// members lists who a name means: nobody, when it means nothing.
func (b *Bot) members(ctx context.Context, name string) ([]string, error) {
	p, err := b.Directory.Resolve(ctx, name)
	if errors.Is(err, engine.ErrUnknownName) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	return b.Directory.Members(ctx, p)
}

// discardDraft throws a draft away: its drafters and admins may.
func (b *Bot) discardDraft(ctx context.Context, in request.Incoming) error {
	d, body, _, err := b.clickedDraft(ctx, in)
	if err != nil {
		return err
	}
	if err := b.Access.MayDraft(ctx, in, authority.Discard, d, body.Authors); err != nil {
		return err
	}
	body.ClosedBy, d.Status = in.User, project.DraftDiscarded
	if d.Body, err = json.Marshal(body); err != nil {
		return err
	}
	return b.Replies.Write(ctx, in, &storage.Batch{
		Draft: []storage.Draft{d}, Stale: []string{project.DraftRef(d.ID)},
		Audit: []storage.Audit{b.Replies.Audit(in, "draft_discarded", project.DraftRef(d.ID), nil)},
	})
}
