package operate

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// everything is the word for all flows.
const everything = "all"

// direction is the difference between pause and resume.
type direction struct {
	verb    string
	holding bool
}

// Pause handles "pause refund-1", also of a flow, a schedule or everything.
func (hs *Holds) Pause(ctx context.Context, in request.Incoming, c request.Command) error {
	return hs.operate(ctx, in, c, direction{"pause", true})
}

// Resume is the opposite of Pause.
func (hs *Holds) Resume(ctx context.Context, in request.Incoming, c request.Command) error {
	return hs.operate(ctx, in, c, direction{"resume", false})
}

// operate pauses or resumes what a person names: a run, a schedule by its short id, a flow, or everything. More words are the reason.
func (hs *Holds) operate(ctx context.Context, in request.Incoming, c request.Command, d direction) error {
	name := c.Arg(0)
	if name == "" {
		return &usererror.Error{
			Code: "no_name", Text: "Which run, flow or schedule?",
			Hint: fmt.Sprintf("For example: `/flow %s refund-1`, `/flow %s refund` or `/flow %s all`. `/flow schedules` lists schedules with their short names.", d.verb, d.verb, d.verb),
		}
	}
	if c.Arg(1) == "schedule" { // "pause refund schedule until monday"
		s, err := hs.onlySchedule(ctx, in, name)
		if err != nil {
			return err
		}
		return hs.holdSchedule(ctx, in, s, strings.Join(c.Args[2:], " "), d)
	}
	reason := strings.Join(c.Args[1:], " ")
	if name == everything {
		if err := hs.Access.May(ctx, in, authority.OperateAll, people.About{}); err != nil {
			return request.Because(err, card.Textf("Only admins may %s everything.", d.verb), "`/flow "+d.verb+" <flow>` is for a flow's owner and approvers.")
		}
		return hs.holdFlow(ctx, in, "", reason, d)
	}
	s, ok, err := hs.scheduleCalled(ctx, in, name)
	if err != nil {
		return err
	}
	if ok {
		return hs.holdSchedule(ctx, in, s, reason, d)
	}
	r, ok, err := hs.Access.ReadableRun(ctx, in, name)
	if err != nil {
		return err
	}
	if ok {
		return hs.holdRun(ctx, in, r, reason, d)
	}
	f, err := hs.Access.Flow(ctx, in, name)
	if err != nil {
		return hs.nothingCalled(ctx, in, name, err)
	}
	if err := hs.Access.May(ctx, in, authority.OperateFlow, people.AboutFlow(f)); err != nil {
		return request.Because(err, card.Textf("Only the flow's owner, approvers and admins may %s it. %s", d.verb, request.OwnedBy(f)), "")
	}
	return hs.holdFlow(ctx, in, f.Name, reason, d)
}

// endless refuses an end date for a run or a flow, whose pauses have none.
func (hs *Holds) endless(ctx context.Context, in request.Incoming, name, reason string, d direction) error {
	if !d.holding {
		return nil
	}
	end, dated, err := hs.until(ctx, in, reason)
	if err != nil || !dated {
		return err
	}
	return request.Refuse("endless", card.Textf("Only schedules can be paused until a date such as %s, so nothing was paused.", card.Date(end)),
		fmt.Sprintf("`/flow pause <flow> schedule %s` pauses the schedule of a flow; `/flow schedules` lists them. `/flow pause %s` pauses it until somebody resumes it.", reason, name))
}

// holdSchedule pauses or resumes a schedule. The reason may say until when.
func (hs *Holds) holdSchedule(ctx context.Context, in request.Incoming, s storage.Schedule, reason string, d direction) error {
	if !d.holding {
		return hs.changeSchedule(ctx, in, s, hs.resuming)
	}
	end, dated, err := hs.until(ctx, in, reason)
	if err != nil {
		return err
	}
	if dated {
		return hs.changeSchedule(ctx, in, s, hs.pausingUntil(end))
	}
	return hs.changeSchedule(ctx, in, s, pausing)
}

func (hs *Holds) holdRun(ctx context.Context, in request.Incoming, r storage.Run, reason string, d direction) error {
	if err := hs.operates(ctx, in, r); err != nil {
		return err
	}
	if err := hs.endless(ctx, in, r.Name, reason, d); err != nil {
		return err
	}
	if d.holding {
		if err := hs.Engine.PauseRun(ctx, r.ID, in.Actor(), reason, in.Inbox); err != nil {
			return err
		}
		return hs.Replies.After(ctx, in, card.Textf("*%s* is paused: a step under way finishes, no other starts. `%s resume %s` lets it go on.", r.Name, hs.Replies.Command, r.Name))
	}
	left, err := hs.Engine.ResumeRun(ctx, r.ID, in.Actor(), reason, in.Inbox)
	if err != nil {
		return err
	}
	return hs.resumed(ctx, in, r, left)
}

// ResumeClicked handles the button of a paused run's card.
func (hs *Holds) ResumeClicked(ctx context.Context, in request.Incoming) error {
	r, err := hs.Access.ClickedRun(ctx, in)
	if err != nil {
		return err
	}
	return hs.holdRun(ctx, in, r, "", direction{"resume", false})
}

// holdFlow pauses or resumes a flow, "" = everything.
func (hs *Holds) holdFlow(ctx context.Context, in request.Incoming, flow, reason string, d direction) error {
	if err := hs.endless(ctx, in, cmp.Or(flow, everything), reason, d); err != nil {
		return err
	}
	name, ref, what := card.Textf("Everything"), everything, "flow_paused"
	if flow != "" {
		name, ref = card.Textf("*%s*", flow), "flow:"+flow
	}
	if !d.holding {
		what = "flow_resumed"
	}
	add := func(batch *storage.Batch) {
		batch.Audit = append(batch.Audit, hs.Replies.Audit(in, what, ref, map[string]string{"reason": reason}))
		batch.InboxDone = append(batch.InboxDone, in.Inbox)
	}
	if d.holding {
		held, err := hs.Engine.PauseFlow(ctx, flow, in.Actor(), reason, add)
		if err != nil {
			return err
		}
		return hs.Replies.After(ctx, in, card.Textf("%s is paused and holds %s: steps under way finish, no other starts, questions can be answered. No run starts meanwhile.", name, request.Count(held, "run")))
	}
	released, err := hs.Engine.ResumeFlow(ctx, flow, in.Actor(), reason, add)
	if err != nil {
		return err
	}
	if flow == "" {
		return hs.Replies.After(ctx, in, card.Textf("The pause of everything is over: %s.", goOn(released)))
	}
	return hs.Replies.After(ctx, in, card.Textf("%s is not paused any more: %s.", name, goOn(released)))
}

func goOn(n int) string {
	if n == 1 {
		return "1 run goes on"
	}
	return fmt.Sprintf("%d runs go on", n)
}
