package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/storage"
)

// ErrUnknownName is what a Directory answers when no person, group or channel has a name. Any other error means that it could not ask.
var ErrUnknownName = errors.New("unknown name")

// Asked names the people that a question is for, as the flow says it. The directory says at the time of an answer who they are. It is
// stored with the gate, so that the questions that wait for somebody are found without looking at those of others.
type Asked struct {
	Names     []string `json:"names,omitempty"`     // groups and people as the flow names them
	Channel   string   `json:"channel,omitempty"`   // its members
	Requester string   `json:"requester,omitempty"` // the requester of the run
	Flow      string   `json:"flow,omitempty"`      // its owner, and admins: something went wrong
	Not       string   `json:"not,omitempty"`       // the requester of the run, when they may not answer
}

// askedOf says whom a gate of a run is for.
func askedOf(row storage.Run, body GateBody) Asked {
	var a Asked
	who := body.Opened.Who
	switch {
	case body.Opened.Kind == history.GateFailure || body.Opened.Kind == history.GateUnknown:
		a.Requester, a.Flow = row.By, row.Flow
	case who != nil && len(who.Groups)+len(who.Users) > 0:
		a.Names = slices.Concat(who.Groups, who.Users)
	case row.Channel == "":
		a.Requester = row.By
	default:
		a.Channel = row.Channel
	}
	a.Names = append(a.Names, body.Escalated...)
	if notRequester(who) {
		a.Not = row.By
	}
	return a
}

// notRequester reports whether the person who asked for the run may not answer.
func notRequester(who *flow.Who) bool {
	return who != nil && who.SelfApproval != nil && !*who.SelfApproval
}

// key is the form in which a gate's row has it.
func (a Asked) key() (string, error) {
	b, err := json.Marshal(a)
	return string(b), err
}

// asked is what the directory makes of an Asked at one moment.
type asked struct {
	who   []Principal // as they are named
	users []string
	byID  []string // those of users whom the flow names by user id
}

// asked says who a question is for at this moment. A name that does not exist any more is in who with the kind unknown and lets nobody
// in; a gate is never open to all because its people are gone.
func (e *Engine) asked(ctx context.Context, a Asked) (out asked, err error) {
	names := slices.Clone(a.Names)
	if a.Flow != "" {
		f, err := e.cfg.Store.Flow(ctx, a.Flow)
		if err != nil {
			return out, fmt.Errorf("find the flow's owner: %w", err)
		}
		names = append(names, f.Owner)
		names = append(names, e.cfg.Admins...)
	}
	if names = append(names, a.Requester, a.Channel); a.Flow != "" {
		slices.Sort(names)
	}
	names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
	if out.who, out.users, err = e.named(ctx, names); err != nil {
		return out, err
	}
	for _, n := range a.Names {
		if id := strings.TrimPrefix(n, "@"); slices.ContainsFunc(out.who, func(p Principal) bool { return p.Kind == "user" && p.ID == id }) {
			out.byID = append(out.byID, id)
		}
	}
	return out, nil
}

// Deciders lists the people who may answer a gate at this moment: as they are named, and as user ids. The ids leave out names that the
// directory cannot look up at the moment.
func (e *Engine) Deciders(ctx context.Context, row storage.Run, body GateBody) (who []Principal, users []string, err error) {
	if e.cfg.Directory == nil {
		return nil, nil, nil
	}
	asked, may, err := e.able(ctx, askedOf(row, body))
	if errors.Is(err, ErrLookup) {
		err = nil
	}
	return asked.who, may, err
}

// able lists those for whom a question is and who may answer it. ErrLookup: of some it is not known; the others are listed.
func (e *Engine) able(ctx context.Context, a Asked) (asked, []string, error) {
	asked, err := e.asked(ctx, a)
	if err != nil {
		return asked, nil, err
	}
	s := authority.Subject{Requester: a.Not, NotRequester: a.Not != "", Deciders: asked.users, Named: asked.byID}
	var may []string
	var unsure error
	for _, id := range asked.users {
		p, err := e.Principal(ctx, history.Actor{User: id})
		if err != nil {
			unsure = err
		} else if authority.May(p, authority.Decide, s) == nil {
			may = append(may, id)
		}
	}
	return asked, may, unsure
}

func (e *Engine) named(ctx context.Context, names []string) (who []Principal, users []string, err error) {
	for _, n := range names {
		p, err := e.cfg.Directory.Resolve(ctx, n)
		if errors.Is(err, ErrUnknownName) {
			who = append(who, Principal{Kind: "unknown", Name: n})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("find %s: %w", n, err)
		}
		m, err := e.cfg.Directory.Members(ctx, p)
		if err != nil {
			return nil, nil, fmt.Errorf("list the members of %s: %w", n, err)
		}
		who, users = append(who, p), append(users, m...)
	}
	slices.Sort(users)
	return who, slices.Compact(users), nil
}
