package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/planner/readback"
	"sluice/storage"
)

// examine fills in what a draft's card says of its flow: what it does, what it depends on, why it needs a second person, and who that
// may be. base is the revision that it changes, with its number; nil = it is the first.
func (b *Bot) examine(ctx context.Context, body *project.DraftBody, f, base *flow.Flow, head int) error {
	lock, err := b.Engine.Dependencies(ctx, f)
	if err != nil {
		return err
	}
	var was flow.Lock
	if base != nil {
		rev, err := b.store.Revision(ctx, base.Name, head)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(rev.Lock, &was); err != nil {
			return fmt.Errorf("read the lock of %s revision %d: %w", rev.Flow, rev.Number, err)
		}
	}
	about := b.Engine.Surroundings(ctx, was, lock)
	about.Step = func(id string) string { return body.Numbers[id] }
	body.Lock, body.Allows, body.Seconds = &lock, approval.Review(base, f, about), ""
	body.Newly = readback.Newly(base, f, body.Allows, b.Tools.All(), about.Step)
	if b.SecondPerson && len(body.Allows) > 0 {
		body.Seconds, _, err = b.seconds(ctx, decidersOf(base, f), body.Authors)
	}
	return err
}

// decidersOf is the flow whose gates say who may be the second person: the approved one. The gates of a draft are its author's words.
func decidersOf(base, f *flow.Flow) *flow.Flow {
	if base != nil {
		return base
	}
	return f
}

// shownAsItIs makes sure that an open draft says what is so now: what it depends on, and what of it counts, may have changed since it
// was shown. If so a new draft takes its place, by the same authors, and nothing is approved: false.
func (b *Bot) shownAsItIs(ctx context.Context, in request.Incoming, d storage.Draft, body project.DraftBody, f, base *flow.Flow) (bool, error) {
	now := body
	if err := b.examine(ctx, &now, f, base, d.Base); err != nil {
		return false, err
	}
	var changed []string
	if body.Lock != nil { // else an older release made it
		for _, c := range approval.CompareLock(*body.Lock, *now.Lock) {
			if c.In(*body.Lock) { // what was missing when it was shown counted as able to do anything
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
	next := d
	next.ID, next.Version, next.Created, now.Edit = b.Engine.NewID(), 0, b.Engine.Now(), "what it depends on: "+strings.Join(changed, "; ")
	batch := &storage.Batch{}
	if err := b.replace(&d, &next, &now, batch); err != nil {
		return false, err
	}
	if err := b.putDraft(&next, now, batch); err != nil {
		return false, err
	}
	batch.Surfaces = append(batch.Surfaces, b.Replies.Private(in, b.Replies.Refusal(&engine.UserError{
		Code: "stale_draft", Text: fmt.Sprintf("Since draft %d was shown: %s. Nothing was approved.", d.Number, strings.Join(changed, "; ")),
		Hint: fmt.Sprintf("Look at draft %d in this thread and decide there.", next.Number),
	})))
	return false, b.Replies.Write(ctx, in, batch)
}

// revised loads the revision that a draft changes; nil = it is the first.
func (b *Bot) revised(ctx context.Context, d storage.Draft) (*flow.Flow, error) {
	if d.Base == 0 {
		return nil, nil
	}
	rev, err := b.store.Revision(ctx, d.Flow, d.Base)
	if err != nil {
		return nil, err
	}
	return flow.FromJSON(rev.Body)
}

// seconds lists who may be the second person: people who may decide every gate of the flow, and the approvers, but no author.
func (b *Bot) seconds(ctx context.Context, f *flow.Flow, authors []string) (words string, users []string, err error) {
	var parts []string
	var gates [][]string
	for i := range f.Nodes {
		who := readback.WhoDecides(&f.Nodes[i])
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
			parts = append(parts, name)
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
		users, parts = append(users, m...), append(parts, name)
	}
	slices.Sort(parts)
	users = slices.DeleteFunc(users, func(u string) bool { return slices.Contains(authors, u) })
	switch parts = slices.Compact(parts); {
	case len(parts) == 0:
		return "nobody yet (set approvers in the configuration)", users, nil
	case len(users) == 0:
		return "nobody yet: only authors of this draft are among " + strings.Join(parts, ", ") + " (set approvers in the configuration)", users, nil
	}
	return strings.Join(parts, ", "), users, nil
}
