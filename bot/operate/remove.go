package operate

import (
	"context"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Remove handles "remove refund", which says what it would mean, and "remove refund go", which does it.
func (hs *Holds) Remove(ctx context.Context, in request.Incoming, c request.Command) error {
	name := c.Arg(0)
	if name == "" || len(c.Args) > 2 || len(c.Args) == 2 && c.Arg(1) != "go" {
		return &usererror.Error{Code: "bad_remove", Text: "Name the flow.", Hint: "For example: `/flow remove refund` (says what that means), `/flow remove refund go`."}
	}
	f, err := hs.removable(ctx, in, name)
	if err != nil {
		return err
	}
	if len(c.Args) == 1 {
		words, err := hs.removalWords(ctx, in, f)
		if err != nil {
			return err
		}
		return hs.Replies.SayText(ctx, in, words)
	}
	if err := hs.remove(ctx, in, f); err != nil {
		return err
	}
	return hs.Replies.After(ctx, in, card.Textf("*%s* is removed: no run of it starts. Its live runs go on to their end; `%s runs %s` and `%s audit %s` still show them.",
		f.Name, hs.Replies.Command, f.Name, hs.Replies.Command, f.Name))
}

// RemoveNow removes a flow without a word.
func (hs *Holds) RemoveNow(ctx context.Context, in request.Incoming, name string) error {
	f, err := hs.removable(ctx, in, name)
	if err != nil {
		return err
	}
	return hs.remove(ctx, in, f)
}

// removable finds a flow that a person may remove: those who may approve it may.
func (hs *Holds) removable(ctx context.Context, in request.Incoming, name string) (storage.Flow, error) {
	f, err := hs.Access.Flow(ctx, in, name)
	if err != nil {
		return f, err
	}
	err = hs.Access.May(ctx, in, authority.RemoveFlow, people.AboutFlow(f))
	return f, request.Because(err, card.Textf("Only members of the channel where %s lives may remove it, as they may approve it. %s", f.Name, request.OwnedBy(f)), "")
}

func (hs *Holds) remove(ctx context.Context, in request.Incoming, f storage.Flow) error {
	err := hs.Engine.RetireFlow(ctx, f.Name, func(b *storage.Batch) {
		b.Audit = append(b.Audit, hs.Replies.Audit(in, "flow_removed", "flow:"+f.Name, map[string]any{"revision": f.Head}))
		b.InboxDone = append(b.InboxDone, in.Inbox)
	})
	if err == nil && hs.Replies.FlowsChanged != nil {
		hs.Replies.FlowsChanged()
	}
	return err
}

// countedRuns is how many live runs are counted.
const countedRuns = 100

// removalWords says what the removal of a flow means.
func (hs *Holds) removalWords(ctx context.Context, in request.Incoming, f storage.Flow) (card.Text, error) {
	live, err := hs.Store.Runs(ctx, storage.RunQuery{Flow: f.Name, Live: true, Limit: countedRuns})
	if err != nil {
		return card.Text{}, err
	}
	clocks, err := hs.Store.Schedules(ctx, f.Name)
	if err != nil {
		return card.Text{}, err
	}
	triggers, err := hs.Store.TriggersOf(ctx, f.Name)
	if err != nil {
		return card.Text{}, err
	}
	callers, err := hs.callers(ctx, in, f.Name)
	if err != nil {
		return card.Text{}, err
	}
	goes := "None of its runs is live."
	switch n := len(live); {
	case n == countedRuns:
		goes = "Its live runs go on to their end."
	case n > 0:
		goes = goOn(n) + " to the end."
	}
	out := card.Textf("If you remove *%s*, no run of it starts any more: %s and %s are deleted. %s What its runs did stays.",
		f.Name, request.Count(len(clocks), "schedule"), request.Count(len(triggers), "trigger"), goes)
	if len(callers) > 0 {
		out = card.Textf("%s These flows start it as a step, and start no more until they are changed: *%s*.", out, strings.Join(callers, ", "))
	}
	return card.Textf("%s\n`%s remove %s go` removes it.", out, hs.Replies.Command, f.Name), nil
}

// callers lists the flows that start a flow as a step, of those that a person may see.
func (hs *Holds) callers(ctx context.Context, in request.Incoming, name string) ([]string, error) {
	flows, err := hs.Access.Readable(ctx, in)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, other := range flows {
		f, err := hs.head(ctx, other)
		if err != nil {
			return nil, err
		}
		if other.Name != name && slices.Contains(f.SubflowNames(), name) {
			out = append(out, other.Name)
		}
	}
	return out, nil
}
