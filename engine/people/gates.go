package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// decision fills in the subject of a decision: the people who are asked, and those of them who may not take it all the same. What a rule
// about people needs to look up is looked up here. known keeps what the directory says, for several questions; it may be nil.
func (x *People) decision(ctx context.Context, a gate.Asked, s *authority.Subject, known map[string]asked) (found asked, err error) {
	if known == nil {
		found, err = x.asked(ctx, a)
	} else {
		found, err = x.askedOnce(ctx, a, known)
	}
	if err != nil {
		return found, err
	}
	s.Deciders, s.Named = found.users, found.byID
	if a.Not != "" {
		s.Requester, s.NotRequester = a.Not, true
	}
	return found, nil
}

// Unanswerable gives the reason why no person can answer a gate at this moment. It is empty when a person can, or when that is not known. It
// closes no gate: that is decided when a gate opens.
func (x *People) Unanswerable(ctx context.Context, row storage.Run, body gate.Body) (string, error) {
	if x.directory == nil {
		return "", nil
	}
	a := gate.AskedOf(row, body)
	asked, may, err := x.able(ctx, a)
	if err != nil && !(errors.Is(err, ErrLookup) && len(may) > 0) {
		return "", err
	}
	if len(may) > 0 {
		return "", nil
	}
	var why []string
	for _, p := range asked.who {
		text, err := x.missing(ctx, p, a.Not)
		if err != nil {
			return "", err
		}
		why = append(why, text)
	}
	return "nobody may answer: " + strings.Join(why, "; "), nil
}

// missing gives the reason why one principal that a gate names cannot answer it. not is the requester of the run, where they may not
// answer.
func (x *People) missing(ctx context.Context, p Principal, not string) (string, error) {
	switch p.Kind {
	case "unknown":
		return "nobody is called " + p.Name, nil
	case "user":
		who, err := x.Principal(ctx, history.Actor{User: p.ID})
		switch {
		case err != nil:
			return "", err
		case who.Standing == authority.Guest:
			return p.Name + " is a guest, whom the flow must name by user id", nil
		case who.Standing == authority.Foreign:
			return p.Name + " is of another workspace", nil
		case who.Standing == authority.Member:
			return p.Name + " asked for the run and may not approve it", nil
		}
		return p.Name + " is deactivated or a bot", nil
	}
	if not != "" {
		if members, err := x.directory.Members(ctx, p); err != nil {
			return "", fmt.Errorf("list the members of %s: %w", p.Name, err)
		} else if slices.Contains(members, not) {
			return p.Name + " has no active members besides the requester, who may not approve it", nil
		}
	}
	return p.Name + " has no active members", nil
}
