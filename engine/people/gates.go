package people

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/engine/authority"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// NotAllowedError means that somebody may not do something at a gate.
type NotAllowedError struct {
	Who    []Principal // the people who may answer, if this person may know them
	Denied *authority.Denied
}

// Error says who may.
func (e *NotAllowedError) Error() string {
	var names []string
	for _, p := range e.Who {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return e.Denied.Error()
	}
	return "only " + strings.Join(names, " or ") + " may answer this: " + e.Denied.Error()
}

// Unwrap gives the reason.
func (e *NotAllowedError) Unwrap() error { return e.Denied }

// MayAnswer checks a person's right to answer a gate, as Answer does. Errors: *NotAllowedError.
func (x *People) MayAnswer(ctx context.Context, g storage.Gate, actor history.Actor) error {
	row, err := x.store.Run(ctx, g.Run)
	if err != nil {
		return err
	}
	body, err := gate.Decode(g)
	if err != nil {
		return err
	}
	return x.MayDecide(ctx, authority.Decide, row, body, actor)
}

// MayDecide checks a person's right to do something at a gate, at this moment.
func (x *People) MayDecide(ctx context.Context, a authority.Action, row storage.Run, body gate.Body, actor history.Actor) error {
	p, err := x.Principal(ctx, actor)
	if err != nil {
		return err
	}
	about, err := x.AboutGate(ctx, row, body)
	if err != nil {
		return err
	}
	if x.directory == nil && actor.Via != history.ViaCLI {
		about.Home = "" // a store without people, and no terminal: the program that embeds the engine has checked
	}
	err = x.May(ctx, p, a, about)
	denied, ok := errors.AsType[*authority.Denied](err)
	if !ok {
		return err
	}
	no := &NotAllowedError{Denied: denied}
	if denied.Code == authority.NotYou || denied.Code == authority.Excepted {
		asked, err := x.asked(ctx, *about.Asked)
		if err != nil {
			return err
		}
		no.Who = asked.who
	}
	return no
}

// AboutGate is a question of a run.
func (x *People) AboutGate(ctx context.Context, row storage.Run, body gate.Body) (About, error) {
	asked := gate.AskedOf(row, body)
	if x.directory == nil {
		return About{Home: row.Channel, Requester: row.By, Asked: &asked}, nil
	}
	f, err := x.store.Flow(ctx, row.Flow)
	if err != nil {
		return About{}, fmt.Errorf("find where a question lives: %w", err)
	}
	about := AboutRun(f, row)
	about.Asked = &asked
	return about, nil
}
