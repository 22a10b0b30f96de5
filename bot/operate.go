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

// retry handles "retry refund-1 [node]".
func (b *Bot) retry(ctx context.Context, in request.Incoming, c request.Command) error {
	return b.mend(ctx, in, c, history.ChoiceRetry)
}

// skip handles "skip refund-1 [node] value=...".
func (b *Bot) skip(ctx context.Context, in request.Incoming, c request.Command) error {
	return b.mend(ctx, in, c, history.ChoiceSkip)
}

// mend answers the question what to do about a failed step of a run.
func (b *Bot) mend(ctx context.Context, in request.Incoming, c request.Command, choice string) error {
	r, err := b.namedRun(ctx, in, c, choice)
	if err != nil {
		return err
	}
	open, err := b.store.Gates(ctx, storage.GateQuery{Run: r.ID, Open: true, Limit: openMost})
	if err != nil {
		return err
	}
	node := c.Arg(1)
	var nodes []string
	open = slices.DeleteFunc(open, func(g storage.Gate) bool {
		if g.Kind != string(history.GateFailure) {
			return true
		}
		nodes = append(nodes, g.Node)
		return node != "" && g.Node != node
	})
	switch {
	case len(nodes) == 0:
		return &engine.UserError{Code: "no_failure", Text: fmt.Sprintf("No step of %s has failed and waits for this.", r.Name), Hint: "`/flow show " + r.Name + "` shows where it stands."}
	case len(open) != 1:
		return &engine.UserError{Code: "which_node", Text: fmt.Sprintf("Which failed step of %s?", r.Name), Hint: fmt.Sprintf("`/flow %s %s <node>`, with one of: %s.", choice, r.Name, strings.Join(nodes, ", "))}
	}
	shown, err := b.shown(ctx, in, open[0])
	if err != nil {
		return err
	}
	if body, err := engine.DecodeGate(open[0]); err == nil && choice == history.ChoiceRetry && slices.Contains(body.Opened.Choices, history.ChoiceContinue) {
		choice = history.ChoiceContinue // an agent's limit: trying again without more would come to the same end
	}
	a := engine.GateAnswer{Gate: open[0].ID, Actor: in.Actor(), Choice: choice, Shown: shown}
	if v, ok := c.Pairs["value"]; ok {
		a.Value = rawValue(v)
	}
	return b.decide(ctx, in, a)
}

func (b *Bot) namedRun(ctx context.Context, in request.Incoming, c request.Command, verb string) (storage.Run, error) {
	if c.Arg(0) == "" {
		return storage.Run{}, &engine.UserError{Code: "no_name", Text: "Which run?", Hint: "For example: `/flow " + verb + " refund-1`. `/flow runs` shows your runs."}
	}
	return b.Access.Run(ctx, in, c.Arg(0))
}

// reopen handles "reopen refund-1 [node]": the question that nobody answered in time is asked once more.
func (b *Bot) reopen(ctx context.Context, in request.Incoming, c request.Command) error {
	r, err := b.namedRun(ctx, in, c, "reopen")
	if err != nil {
		return err
	}
	gates, err := b.store.Gates(ctx, storage.GateQuery{Run: r.ID, Limit: openMost})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(gates, func(g storage.Gate) bool {
		return g.Choice == history.ChoiceTimeout && (c.Arg(1) == "" || c.Arg(1) == g.Node)
	})
	if i < 0 {
		return &engine.UserError{Code: "not_expired", Text: fmt.Sprintf("No question of %s has timed out.", r.Name), Hint: "`/flow show " + r.Name + "` shows where it stands."}
	}
	return b.reopenGate(ctx, in, gates[i].ID)
}

// reopenClicked handles the button of a question's card.
func (b *Bot) reopenClicked(ctx context.Context, in request.Incoming) error {
	return b.reopenGate(ctx, in, in.Value)
}

// reopenGate reopens an expired gate, also from the button of its card.
func (b *Bot) reopenGate(ctx context.Context, in request.Incoming, gate string) error {
	err := b.Engine.Reopen(ctx, gate, in.Actor(), in.Inbox)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return request.ErrHidden
	case err != nil:
		return err
	}
	if err := b.store.Write(ctx, &storage.Batch{Stale: []string{project.GateRef(gate)}}); err != nil {
		return err
	}
	if in.Kind == request.KindClick {
		b.Wake()
		return nil
	}
	return b.Replies.After(ctx, in, card.Textf("It is asked once more."))
}
