package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/jsonschema"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Retry handles "retry refund-1 [node]".
func (gs *Gates) Retry(ctx context.Context, in request.Incoming, c request.Command) error {
	return gs.mend(ctx, in, c, history.ChoiceRetry)
}

// Skip handles "skip refund-1 [node] value=...", also with the values that the step gives by their names.
func (gs *Gates) Skip(ctx context.Context, in request.Incoming, c request.Command) error {
	return gs.mend(ctx, in, c, history.ChoiceSkip)
}

// mend answers the question what to do about a failed step of a run.
func (gs *Gates) mend(ctx context.Context, in request.Incoming, c request.Command, choice string) error {
	r, err := gs.namedRun(ctx, in, c, choice)
	if err != nil {
		return err
	}
	open, err := gs.Store.Gates(ctx, storage.GateQuery{Run: r.ID, Open: true, Limit: openMost})
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(g storage.Gate) bool { return g.Kind != string(history.GateFailure) })
	if c, err = gs.namedValues(ctx, c, open); err != nil {
		return err
	}
	node := c.Arg(1)
	var nodes []string
	open = slices.DeleteFunc(open, func(g storage.Gate) bool {
		nodes = append(nodes, g.Node)
		return node != "" && g.Node != node
	})
	switch {
	case len(nodes) == 0:
		return &usererror.Error{Code: "no_failure", Text: fmt.Sprintf("No step of %s has failed and waits for this.", r.Name), Hint: "`/flow show " + r.Name + "` shows where it stands."}
	case len(open) != 1:
		return &usererror.Error{Code: "which_node", Text: fmt.Sprintf("Which failed step of %s?", r.Name), Hint: fmt.Sprintf("`/flow %s %s <node>`, with one of: %s.", choice, r.Name, strings.Join(nodes, ", "))}
	}
	shown, err := gs.shown(ctx, in, open[0])
	if err != nil {
		return err
	}
	if body, err := gate.Decode(open[0]); err == nil && choice == history.ChoiceRetry && slices.Contains(body.Opened.Choices, history.ChoiceContinue) {
		choice = history.ChoiceContinue // at an agent's limit, trying again within the same limit would fail again
	}
	a := engine.GateAnswer{Choice: choice, Shown: shown}
	if form.TakesValue(history.GateFailure, choice) {
		schema, err := gs.gives(ctx, open[0])
		if err != nil {
			return err
		}
		if a.Value, err = valueOf(schema, form.TypedValues(schema, c.Texts())); err != nil {
			return err
		}
	}
	return gs.decide(ctx, in, open[0], a)
}

// namedValues reads a command with the names of the values that the steps of some questions give.
func (gs *Gates) namedValues(ctx context.Context, c request.Command, open []storage.Gate) (request.Command, error) {
	names := []string{"value"}
	for _, g := range open {
		schema, err := gs.gives(ctx, g)
		if err != nil {
			return c, err
		}
		names = append(names, jsonschema.Names(schema)...)
	}
	return c.Named(names, 2)
}

func (gs *Gates) namedRun(ctx context.Context, in request.Incoming, c request.Command, verb string) (storage.Run, error) {
	name, err := c.Name("Which run?", "For example: `/flow "+verb+" refund-1`. `/flow runs` shows your runs.")
	if err != nil {
		return storage.Run{}, err
	}
	return gs.Access.Run(ctx, in, name)
}

// Reopen handles "reopen refund-1 [node]": the question that nobody answered in time is asked once more.
func (gs *Gates) Reopen(ctx context.Context, in request.Incoming, c request.Command) error {
	r, err := gs.namedRun(ctx, in, c, "reopen")
	if err != nil {
		return err
	}
	gates, err := gs.Store.Gates(ctx, storage.GateQuery{Run: r.ID, Limit: openMost})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(gates, func(g storage.Gate) bool {
		return g.Choice == history.ChoiceTimeout && (c.Arg(1) == "" || c.Arg(1) == g.Node)
	})
	if i < 0 {
		return &usererror.Error{Code: "not_expired", Text: fmt.Sprintf("No question of %s has timed out.", r.Name), Hint: "`/flow show " + r.Name + "` shows where it stands."}
	}
	return gs.reopenGate(ctx, in, gates[i].ID)
}

// ReopenClicked handles the button of a question's card.
func (gs *Gates) ReopenClicked(ctx context.Context, in request.Incoming) error {
	return gs.reopenGate(ctx, in, in.Value)
}

// reopenGate reopens an expired gate, also from the button of its card.
func (gs *Gates) reopenGate(ctx context.Context, in request.Incoming, gate string) error {
	if err := gs.Engine.Reopen(ctx, gate, in.Actor(), in.Inbox); err != nil {
		return request.HideMissing(err)
	}
	if err := gs.Store.Write(ctx, &storage.Batch{Stale: []string{surface.GateRef(gate)}}); err != nil {
		return err
	}
	return gs.Replies.Done(ctx, in, card.Textf("It is asked once more."))
}
