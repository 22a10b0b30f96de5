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

// Principal looks up what an actor is to this workspace. ErrLookup: that cannot be known at the moment.
func (x *People) Principal(ctx context.Context, a history.Actor) (authority.Principal, error) {
	p := authority.Principal{User: a.User, Team: a.Team, Standing: authority.Terminal, Admin: slices.Contains(x.admins, a.User)}
	if x.directory == nil {
		return p, nil
	}
	person := Person{}
	err := fmt.Errorf("nobody: %w", ErrUnknownName)
	if a.User != "" {
		person, err = x.directory.Person(ctx, a.User)
	}
	if errors.Is(err, ErrUnknownName) {
		p.Standing = authority.Unknown
		return p, nil
	}
	if err != nil {
		return authority.Principal{}, fmt.Errorf("%w: %s: %w", ErrLookup, a.User, err)
	}
	p.Standing = person.standing(a.Team)
	return p, nil
}

// ErrLookup means that the directory cannot say at the moment who somebody is. Nothing is allowed until it can.
var ErrLookup = errors.New("look up who this is")

// standing says what a person is to this workspace. said is the team that a delivery names, when it names one.
func (p Person) standing(said string) authority.Standing {
	elsewhere := said != "" && p.Team != "" && said != p.Team && !slices.Contains(p.Teams, said)
	switch {
	case p.Foreign || elsewhere:
		return authority.Foreign
	case p.Bot:
		return authority.Bot
	case !p.Active:
		return authority.Inactive
	case p.Guest:
		return authority.Guest
	}
	return authority.Member
}

// About is what an action is about. The engine looks up who belongs to it as far as the action's rule asks.
type About struct {
	Home      string // the channel where it lives; a DM belongs to its owner, or to the author of its draft
	Owner     string
	Requester string
	Scheduler string
	Authors   []string
	Approvers []string    // as they are named: "@group", "@user" or ids
	Seconds   []string    // user ids
	Asked     *gate.Asked // of a question
}

// AboutFlow is a flow.
func AboutFlow(f storage.Flow) About { return About{Home: f.Channel, Owner: f.Owner} }

// AboutRun is a run of a flow.
func AboutRun(f storage.Flow, r storage.Run) About {
	a := AboutFlow(f)
	a.Requester = r.By
	return a
}

// May decides whether a principal may do something: nil, an *authority.Denied, or a fault.
func (x *People) May(ctx context.Context, p authority.Principal, a authority.Action, about About) error {
	s := authority.Subject{
		Home: about.Home, Owner: about.Owner, Requester: about.Requester, Scheduler: about.Scheduler, Authors: about.Authors, Seconds: about.Seconds,
	}
	err := authority.May(p, a, s) // the known members may be enough
	if d, ok := errors.AsType[*authority.Denied](err); !ok || d.Code != authority.Hidden && d.Code != authority.NotYou {
		return err
	}
	if err := x.relate(ctx, &s, authority.Needs(a), about); err != nil {
		return err
	}
	return authority.May(p, a, s)
}

// relate looks up who stands in the relations that a rule names.
func (x *People) relate(ctx context.Context, s *authority.Subject, needs []authority.Relation, about About) (err error) {
	if slices.Contains(needs, authority.OfHome) {
		if s.Members, err = x.atHome(ctx, about); err != nil {
			return err
		}
	}
	if slices.Contains(needs, authority.Approver) {
		if _, s.Approvers, err = x.named(ctx, about.Approvers); err != nil {
			return err
		}
	}
	if slices.Contains(needs, authority.Decider) && about.Asked != nil {
		if _, err = x.decision(ctx, *about.Asked, s, nil); err != nil {
			return err
		}
	}
	return nil
}

// atHome lists the members of the home channel.
func (x *People) atHome(ctx context.Context, about About) ([]string, error) {
	switch {
	case about.Home == "":
		return nil, nil
	case strings.HasPrefix(about.Home, "D"):
		return append(slices.Clone(about.Authors), about.Owner), nil
	}
	members, err := x.directory.Members(ctx, Principal{Kind: "channel", ID: about.Home})
	if err != nil {
		return nil, fmt.Errorf("list the members of %s: %w", about.Home, err)
	}
	return members, nil
}
