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

// asked is what the directory makes of a gate.Asked at one moment.
type asked struct {
	who   []Principal // as they are named
	users []string
	byID  []string // those of users whom the flow names by user id
}

// asked says who a question is for at this moment. A name that does not exist any more is in who with the kind unknown and lets nobody
// in; a gate is never open to all because its people are gone.
func (x *People) asked(ctx context.Context, a gate.Asked) (out asked, err error) {
	names := slices.Clone(a.Names)
	if a.Flow != "" {
		f, err := x.store.Flow(ctx, a.Flow)
		if err != nil {
			return out, fmt.Errorf("find the flow's owner: %w", err)
		}
		names = append(names, f.Owner)
		names = append(names, x.admins...)
	}
	if names = append(names, a.Requester, a.Channel); a.Flow != "" {
		slices.Sort(names)
	}
	names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
	if out.who, out.users, err = x.named(ctx, names); err != nil {
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
func (x *People) Deciders(ctx context.Context, row storage.Run, body gate.Body) (who []Principal, users []string, err error) {
	if x.directory == nil {
		return nil, nil, nil
	}
	asked, may, err := x.able(ctx, gate.AskedOf(row, body))
	if errors.Is(err, ErrLookup) {
		err = nil
	}
	return asked.who, may, err
}

// able lists those for whom a question is and who may answer it. ErrLookup: of some it is not known; the others are listed.
func (x *People) able(ctx context.Context, a gate.Asked) (asked, []string, error) {
	var s authority.Subject
	asked, err := x.decision(ctx, a, &s, nil)
	if err != nil {
		return asked, nil, err
	}
	var may []string
	var unsure error
	for _, id := range asked.users {
		p, err := x.Principal(ctx, history.Actor{User: id})
		if err != nil {
			unsure = err
		} else if authority.May(p, authority.Decide, s) == nil {
			may = append(may, id)
		}
	}
	return asked, may, unsure
}

func (x *People) named(ctx context.Context, names []string) (who []Principal, users []string, err error) {
	for _, n := range names {
		p, err := x.directory.Resolve(ctx, n)
		if errors.Is(err, ErrUnknownName) {
			who = append(who, Principal{Kind: "unknown", Name: n})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("find %s: %w", n, err)
		}
		m, err := x.directory.Members(ctx, p)
		if err != nil {
			return nil, nil, fmt.Errorf("list the members of %s: %w", n, err)
		}
		who, users = append(who, p), append(users, m...)
	}
	slices.Sort(users)
	return who, slices.Compact(users), nil
}
