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
	"sluice/engine/history"
	"sluice/storage"
)

// everything is the word for all flows.
const everything = "all"

// hand is what pause and resume differ in.
type hand struct {
	verb    string
	holding bool
}

func (b *Bot) pause(ctx context.Context, in request.Incoming, c request.Command) error {
	return b.operate(ctx, in, c, hand{"pause", true})
}

func (b *Bot) resume(ctx context.Context, in request.Incoming, c request.Command) error {
	return b.operate(ctx, in, c, hand{"resume", false})
}

// operate pauses or resumes what a person names: a run, a schedule by its short id, a flow, or everything. More words are the reason.
func (b *Bot) operate(ctx context.Context, in request.Incoming, c request.Command, h hand) error {
	name := c.Arg(0)
	if name == "" {
		return &engine.UserError{
			Code: "no_name", Text: "Which run, flow or schedule?",
			Hint: fmt.Sprintf("For example: `/flow %s refund-1`, `/flow %s refund` or `/flow %s all`. `/flow schedules` lists schedules with their short names.", h.verb, h.verb, h.verb),
		}
	}
	reason := strings.Join(c.Args[1:], " ")
	if name == everything {
		if err := b.Access.May(ctx, in, authority.OperateAll, engine.About{}); err != nil {
			return request.Because(err, card.Textf("Only admins may %s everything.", h.verb), "`/flow "+h.verb+" <flow>` is for a flow's owner and approvers.")
		}
		return b.holdFlow(ctx, in, "", reason, h)
	}
	r, ok, err := b.Access.ReadableRun(ctx, in, name)
	if err != nil {
		return err
	}
	if ok {
		return b.holdRun(ctx, in, r, reason, h)
	}
	s, ok, err := b.scheduleCalled(ctx, in, name)
	if err != nil {
		return err
	}
	if ok {
		return b.holdSchedule(ctx, in, s, h.holding)
	}
	f, err := b.Access.Flow(ctx, in, name)
	if err != nil {
		return b.nothingCalled(ctx, in, name, err)
	}
	if err := b.Access.May(ctx, in, authority.OperateFlow, engine.AboutFlow(f)); err != nil {
		return request.Because(err, card.Textf("Only the flow's owner, approvers and admins may %s it. %s", h.verb, request.OwnedBy(f)), "")
	}
	return b.holdFlow(ctx, in, f.Name, reason, h)
}

// nothingCalled says that no run, flow or schedule has a name, in the same words as for one that is hidden from the person.
func (b *Bot) nothingCalled(ctx context.Context, in request.Incoming, name string, cause error) error {
	if _, said := errors.AsType[*engine.UserError](cause); !said {
		return cause
	}
	flows, err := b.Access.Readable(ctx, in)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range flows {
		names = append(names, f.Name)
	}
	return request.Unknown("run, flow or schedule", name, names, "`/flow runs` shows your runs, `/flow list` your flows, `/flow schedules` your schedules.")
}

// operates refuses a person who may not operate a run.
func (b *Bot) operates(ctx context.Context, in request.Incoming, r storage.Run) error {
	f, err := b.store.Flow(ctx, r.Flow)
	if err != nil {
		return err
	}
	err = b.Access.May(ctx, in, authority.OperateRun, engine.AboutRun(f, r))
	return request.Because(err, card.Textf("Only who asked for the run, the flow's owner, approvers and admins may do this. %s", request.OwnedBy(f)), "")
}

func (b *Bot) holdRun(ctx context.Context, in request.Incoming, r storage.Run, reason string, h hand) error {
	if err := b.operates(ctx, in, r); err != nil {
		return err
	}
	if h.holding {
		if err := b.Engine.PauseRun(ctx, r.ID, in.Actor(), reason, in.Inbox); err != nil {
			return err
		}
		return b.Replies.After(ctx, in, card.Textf("*%s* is paused: a step under way finishes, no other starts. `%s resume %s` lets it go on.", r.Name, b.Command, r.Name))
	}
	left, err := b.Engine.ResumeRun(ctx, r.ID, in.Actor(), reason, in.Inbox)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return b.Replies.After(ctx, in, card.Textf("*%s* is still paused %s.", r.Name, project.HeldBy(left)))
	}
	if in.Kind == request.KindClick {
		b.Wake()
		return nil
	}
	return b.Replies.After(ctx, in, card.Textf("*%s* goes on.", r.Name))
}

// resumeClicked handles the button of a paused run's card.
func (b *Bot) resumeClicked(ctx context.Context, in request.Incoming) error {
	r, err := b.Access.ClickedRun(ctx, in)
	if err != nil {
		return err
	}
	return b.holdRun(ctx, in, r, "", hand{"resume", false})
}

// holdFlow pauses or resumes a flow, "" = everything.
func (b *Bot) holdFlow(ctx context.Context, in request.Incoming, flow, reason string, h hand) error {
	name, ref, what := card.Textf("Everything"), everything, "flow_paused"
	if flow != "" {
		name, ref = card.Textf("*%s*", flow), "flow:"+flow
	}
	if !h.holding {
		what = "flow_resumed"
	}
	add := func(batch *storage.Batch) {
		batch.Audit = append(batch.Audit, b.Replies.Audit(in, what, ref, map[string]string{"reason": reason}))
		if in.Inbox != 0 {
			batch.InboxDone = append(batch.InboxDone, in.Inbox)
		}
	}
	if h.holding {
		held, err := b.Engine.PauseFlow(ctx, flow, in.Actor(), reason, add)
		if err != nil {
			return err
		}
		return b.Replies.After(ctx, in, card.Textf("%s is paused and holds %s: steps under way finish, no other starts, questions can be answered. No run starts meanwhile.", name, request.Count(held, "run")))
	}
	released, err := b.Engine.ResumeFlow(ctx, flow, in.Actor(), reason, add)
	if err != nil {
		return err
	}
	if flow == "" {
		return b.Replies.After(ctx, in, card.Textf("The pause of everything is over: %s.", goOn(released)))
	}
	return b.Replies.After(ctx, in, card.Textf("%s is not paused any more: %s.", name, goOn(released)))
}

// held says by whom each paused flow is paused; "" is everything.
func (b *Bot) held(ctx context.Context) (map[string]card.Text, error) {
	rows, err := b.store.Pauses(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]card.Text{}
	for _, row := range rows {
		h := history.Hold{Scope: history.HoldRun, Reason: row.Reason}
		if err := json.Unmarshal(row.Actor, &h.By); err != nil {
			return nil, fmt.Errorf("read who paused %q: %w", row.Flow, err)
		}
		out[row.Flow] = project.HeldBy([]history.Hold{h})
	}
	return out, nil
}

func goOn(n int) string {
	if n == 1 {
		return "1 run goes on"
	}
	return fmt.Sprintf("%d runs go on", n)
}
