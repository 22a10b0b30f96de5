package gates

import (
	"context"
	"errors"
	"slices"
	"strings"

	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// runInQuestion finds the run that a command is about, named first or the one whose thread this is, with its open questions as far as the
// person may see them. A person who may see neither gets the answer that a run which does not exist gets.
func (gs *Gates) runInQuestion(ctx context.Context, in request.Incoming, c request.Command) (r storage.Run, rest []string, open []storage.Gate, err error) {
	r, err = gs.Store.RunByName(ctx, c.Arg(0))
	if err == nil {
		if open, err = gs.questions(ctx, in, r); err == nil {
			return r, c.Args[1:], open, nil
		}
	}
	if (errors.Is(err, storage.ErrNotFound) || request.Hidden(err)) && in.Thread != "" {
		if r, err = gs.runOfThread(ctx, in); err == nil {
			open, err = gs.questions(ctx, in, r)
		}
	}
	if errors.Is(err, storage.ErrNotFound) || request.Hidden(err) {
		err = &usererror.Error{Code: "no_run", Text: "Which run do you answer?", Hint: "Reply in the run's thread, or name it: `/flow answer refund-1 approve`."}
	}
	return r, c.Args, open, err
}

// runOfThread finds the run whose status message began the thread, or that lives in it: the live one, else the newest.
func (gs *Gates) runOfThread(ctx context.Context, in request.Incoming) (storage.Run, error) {
	all, err := gs.Access.RunsOfThread(ctx, in)
	if err != nil {
		return storage.Run{}, err
	}
	live := slices.DeleteFunc(slices.Clone(all), func(r storage.Run) bool { return history.Status(r.Status).Final() })
	switch {
	case len(live) == 1:
		return live[0], nil
	case len(live) > 1:
		names := make([]string, len(live))
		for i, r := range live {
			names[i] = "`" + r.Name + "`"
		}
		return storage.Run{}, &usererror.Error{Code: "which_run", Text: "Several runs live in this thread: " + strings.Join(names, ", ") + ".", Hint: "Name one of them: `/flow answer " + live[0].Name + " approve`."}
	case len(all) > 0:
		return all[0], nil
	}
	return storage.Run{}, storage.ErrNotFound
}

// openMost is how many open questions of a run are looked at.
const openMost = 10_000

// questions lists the open questions of a run that a person may see. A reader of the run sees all of them. The error is Hidden when the
// person may see neither the run nor one of its questions.
func (gs *Gates) questions(ctx context.Context, in request.Incoming, r storage.Run) ([]storage.Gate, error) {
	open, err := gs.Store.Gates(ctx, storage.GateQuery{Run: r.ID, Open: true, Limit: openMost})
	if err != nil {
		return nil, err
	}
	no := gs.Access.MayRun(ctx, in, authority.ReadRun, r)
	if _, denied := request.AsDenied(no); !denied {
		return open, no
	}
	p, err := gs.Access.Who(ctx, in)
	if err != nil {
		return nil, err
	}
	var seen []storage.Gate
	for _, g := range open {
		body, err := gate.Decode(g)
		if err != nil {
			return nil, err
		}
		about, err := gs.Engine.AboutGate(ctx, r, body)
		if err != nil {
			return nil, err
		}
		ok, err := request.Allowed(gs.Access.MayAs(ctx, p, authority.ReadGate, about))
		if err != nil {
			return nil, err
		}
		if ok {
			seen = append(seen, g)
		}
	}
	if len(seen) == 0 {
		return nil, &authority.Denied{Code: authority.Hidden, Action: authority.ReadRun, Principal: p}
	}
	return seen, nil
}

func severalAsked() error {
	return &usererror.Error{Code: "which_gate", Text: "Several questions are open in this run.", Hint: "Use the buttons on their cards."}
}

// pickGate finds the question that an answer is for: the only open one, else the one whose choices hold the first word.
func pickGate(open []storage.Gate, rest []string) (storage.Gate, gate.Body, error) {
	var fits []storage.Gate
	var bodies []gate.Body
	for _, g := range open {
		body, err := gate.Decode(g)
		if err != nil {
			return g, body, err
		}
		if len(open) == 1 || slices.ContainsFunc(body.Opened.Choices, func(s string) bool { return strings.EqualFold(s, firstOf(rest)) }) {
			fits, bodies = append(fits, g), append(bodies, body)
		}
	}
	if len(fits) != 1 {
		return storage.Gate{}, gate.Body{}, severalAsked()
	}
	return fits[0], bodies[0], nil
}
