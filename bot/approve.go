package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/project"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/storage"
)

// clickedDraft loads the draft behind a button, and refuses when it is not the one to decide on any more.
func (b *Bot) clickedDraft(ctx context.Context, in Incoming) (storage.Draft, project.DraftBody, *flow.Flow, error) {
	id, hash, _ := strings.Cut(in.Value, " ")
	d, err := b.store.Draft(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return d, project.DraftBody{}, nil, errHidden
	}
	if err != nil {
		return d, project.DraftBody{}, nil, err
	}
	body, f, err := project.DecodeDraft(d)
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
		return d, body, f, &engine.UserError{Code: "draft_closed", Text: fmt.Sprintf("This draft is %s already%s.", d.Status, byWhom(body.ClosedBy))}
	case hash != d.Hash:
		return d, body, f, &engine.UserError{Code: "stale_draft", Text: "What you saw is not what this draft holds.", Hint: "Look at the newest picture in this thread."}
	}
	return d, body, f, nil
}

func byWhom(user string) string {
	if user == "" {
		return ""
	}
	return " by <@" + user + ">"
}

// approveDraft saves a draft as a revision: what is approved is bound to the hash of the flow and of what it depends on.
func (b *Bot) approveDraft(ctx context.Context, in Incoming) error {
	d, body, f, err := b.clickedDraft(ctx, in)
	if err != nil {
		return err
	}
	if err := b.mayApprove(ctx, in, d, body, f); err != nil {
		return err
	}
	if err := b.runnable(body, f); err != nil {
		return err
	}
	head, err := b.headFor(ctx, in, d, f)
	if err != nil {
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
	err = b.write(ctx, in, &storage.Batch{
		Flow: &head, Revision: &rev, Draft: []storage.Draft{d}, Stale: []string{project.DraftRef(d.ID)}, Schedules: schedules,
		Triggers: triggers, NoTrigger: gone,
		Audit: []storage.Audit{b.audit(in, "revision_approved", "flow:"+f.Name, map[string]any{"revision": rev.Number, "hash": rev.LockHash, "draft": d.ID, "authors": body.Authors})},
	})
	if errors.Is(err, storage.ErrConflict) {
		return &engine.UserError{Code: "raced", Text: "Somebody else decided on this draft at the same moment.", Hint: "The card shows what became of it.", Err: err}
	}
	return err
}

// lock computes what an approval binds to. A flow may only run flows that whoever approves it can see.
func (b *Bot) lock(ctx context.Context, in Incoming, f *flow.Flow) (flow.Lock, error) {
	for _, name := range f.SubflowNames() {
		if _, err := b.flow(ctx, in.User, name); err != nil {
			return flow.Lock{}, err
		}
	}
	return b.Engine.Lock(ctx, f)
}

// headFor gives the flow's head row with the next revision number. A flow keeps its home channel and its owner.
func (b *Bot) headFor(ctx context.Context, in Incoming, d storage.Draft, f *flow.Flow) (storage.Flow, error) {
	head, err := b.store.Flow(ctx, f.Name)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Flow{Name: f.Name, Head: 1, Channel: d.Channel, Owner: d.Author, Updated: b.Engine.Now()}, nil
	}
	if err != nil {
		return head, err
	}
	if head.Head != d.Base {
		return head, &engine.UserError{
			Code: "behind", Text: fmt.Sprintf("Revision %d of %s was approved after this draft was made from revision %d.", head.Head, f.Name, d.Base),
			Hint: "Change any step of this draft to see the difference against the newest revision.",
		}
	}
	head.Head++
	head.Updated = b.Engine.Now()
	return head, nil
}

// runnable refuses what must be mended first.
func (b *Bot) runnable(body project.DraftBody, f *flow.Flow) error {
	var words []string
	for _, n := range body.Notes {
		if n.Blocks {
			words = append(words, n.Text)
		}
	}
	words = append(words, project.Unsupported(f)...)
	if len(words) == 0 {
		return nil
	}
	mend := "Reply in this thread with the numbered line that replaces the step."
	if body.File != "" {
		mend = "Drop the mended file into this thread, with @" + b.Name + "."
	}
	return &engine.UserError{Code: "blocked", Text: "This draft cannot be approved yet. " + strings.Join(words, " "), Hint: mend}
}

// mayApprove checks the right to change: members of the channel, and when the revision newly allows something, somebody who is
// not an author of it and who may decide a gate of it or is one of the approvers.
func (b *Bot) mayApprove(ctx context.Context, in Incoming, d storage.Draft, body project.DraftBody, f *flow.Flow) error {
	members, err := b.Directory.Members(ctx, engine.Principal{Kind: "channel", ID: d.Channel})
	if err != nil {
		return fmt.Errorf("list the members of the draft's channel: %w", err)
	}
	p, err := b.Directory.Person(ctx, in.User)
	if err != nil {
		return err
	}
	if in.Team != "" && p.Team != "" && in.Team != p.Team || p.Guest || p.Bot || !(slices.Contains(members, in.User) || in.Direct) {
		return &engine.UserError{Code: "not_allowed", Text: "Only members of this channel may approve this draft."}
	}
	if !b.SecondPerson || len(body.Allows) == 0 {
		return nil
	}
	words, may, err := b.seconds(ctx, f)
	if err != nil {
		return err
	}
	if slices.Contains(body.Authors, in.User) {
		return &engine.UserError{Code: "second_person", Text: "You wrote this draft, and it newly allows something: a second person must approve it.", Hint: "Who may: " + words + "."}
	}
	if !slices.Contains(may, in.User) {
		return &engine.UserError{Code: "second_person", Text: "This draft newly allows something, so not everybody may approve it.", Hint: "Who may: " + words + "."}
	}
	return nil
}

// seconds lists who may be the second person: whoever may decide every gate of the flow, and the approvers.
func (b *Bot) seconds(ctx context.Context, f *flow.Flow) (words string, users []string, err error) {
	var parts []string
	var gates [][]string
	for i := range f.Nodes {
		who := plan.WhoDecides(&f.Nodes[i])
		if len(who) == 0 {
			continue
		}
		var may []string
		for _, name := range who {
			m, err := b.members(ctx, name)
			if err != nil {
				return "", nil, err
			}
			may = append(may, m...)
			parts = append(parts, card.Escape(name))
		}
		gates = append(gates, may)
	}
	if len(gates) > 0 {
		users = slices.DeleteFunc(gates[0], func(u string) bool {
			return slices.ContainsFunc(gates[1:], func(g []string) bool { return !slices.Contains(g, u) })
		})
	}
	for _, name := range b.Approvers {
		m, err := b.members(ctx, name)
		if err != nil {
			return "", nil, err
		}
		users, parts = append(users, m...), append(parts, card.Escape(name))
	}
	slices.Sort(parts)
	if parts = slices.Compact(parts); len(parts) == 0 {
		parts = []string{"nobody yet (set approvers in the configuration)"}
	}
	return strings.Join(parts, ", "), users, nil
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
func (b *Bot) discardDraft(ctx context.Context, in Incoming) error {
	d, body, _, err := b.clickedDraft(ctx, in)
	if err != nil {
		return err
	}
	if !slices.Contains(body.Authors, in.User) && !slices.Contains(b.Admins, in.User) {
		return &engine.UserError{Code: "not_allowed", Text: "Only the people who wrote this draft may discard it."}
	}
	body.ClosedBy, d.Status = in.User, project.DraftDiscarded
	if d.Body, err = json.Marshal(body); err != nil {
		return err
	}
	return b.write(ctx, in, &storage.Batch{
		Draft: []storage.Draft{d}, Stale: []string{project.DraftRef(d.ID)},
		Audit: []storage.Audit{b.audit(in, "draft_discarded", project.DraftRef(d.ID), nil)},
	})
}
