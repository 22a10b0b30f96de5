package people_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/storage"
)

// workspace has the members of groups and channels; a name that is none of them is a person. "bot:", "guest:", "gone:" say what sort of.
type workspace map[string][]string

func (w workspace) Resolve(_ context.Context, name string) (people.Principal, error) {
	id := strings.TrimPrefix(name, "@")
	_, group := w[name]
	switch {
	case name == "@unknown":
		return people.Principal{}, people.ErrUnknownName
	case name == "@away":
		return people.Principal{}, errors.New("Slack is away")
	case group:
		return people.Principal{Kind: "group", ID: name, Name: name}, nil
	}
	return people.Principal{Kind: "user", ID: id, Name: name}, nil
}

func (w workspace) Members(_ context.Context, p people.Principal) ([]string, error) {
	if p.Kind == "user" {
		return []string{p.ID}, nil
	}
	return w[p.ID], nil
}

func (w workspace) Person(_ context.Context, id string) (people.Person, error) {
	sort, _, _ := strings.Cut(id, ":")
	if sort == "away" {
		return people.Person{}, errors.New("Slack is away")
	}
	if sort == "unknown" {
		return people.Person{}, people.ErrUnknownName
	}
	return people.Person{ID: id, Team: "T1", Active: sort != "gone", Guest: sort == "guest", Bot: sort == "bot"}, nil
}

// store has one flow, "pay", whose owner is olga, and one run of it, which ana asked for.
type store struct{ people.Store }

func (store) Flow(context.Context, string) (storage.Flow, error) {
	return storage.Flow{Name: "pay", Owner: "olga", Channel: "C1"}, nil
}

var paid = storage.Run{ID: "r1", Flow: "pay", By: "ana", Channel: "C1"}

func here() *people.People {
	return people.New(store{}, workspace{"@finance": {"fin", "ana"}, "@empty": nil, "C1": {"ana", "ben", "fin"}}, []string{"root"}, slog.New(slog.DiscardHandler))
}

// asks is the question of a flow's node.
func asks(who *flow.Who) gate.Body {
	return gate.Body{Opened: history.GateOpened{Kind: history.GateApproval, Who: who}}
}

// Who may answer a question is looked up at the moment of the answer.
func Example() {
	x, ctx := here(), context.Background()
	question := asks(&flow.Who{Groups: []string{"@finance"}})
	fmt.Println(x.MayDecide(ctx, authority.Decide, paid, question, history.Actor{User: "fin"}))
	err := x.MayDecide(ctx, authority.Decide, paid, question, history.Actor{User: "ben"})
	if no, ok := errors.AsType[*people.NotAllowedError](err); ok {
		fmt.Println(no.Denied.Code == authority.NotYou, no.Who[0].Name)
	}
	// Output:
	// <nil>
	// true @finance
}

// What an actor is follows from the directory. One that cannot be asked lets nobody in.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	for user, want := range map[string]authority.Standing{
		"ana": authority.Member, "guest:g": authority.Guest, "bot:b": authority.Bot, "gone:x": authority.Inactive, "unknown:u": authority.Unknown, "": authority.Unknown,
	} {
		p, err := here().Principal(t.Context(), history.Actor{User: user, Team: "T1"})
		if err != nil || p.Standing != want {
			t.Errorf("%q is %s, %v", user, p.Standing, err)
		}
	}
	if p, err := here().Principal(t.Context(), history.Actor{User: "ana", Team: "T2"}); err != nil || p.Standing != authority.Foreign {
		t.Errorf("somebody of another workspace is %s, %v", p.Standing, err)
	}
	if p, err := here().Principal(t.Context(), history.Actor{User: "root"}); err != nil || !p.Admin {
		t.Errorf("root is no admin: %v", err)
	}
	if _, err := here().Principal(t.Context(), history.Actor{User: "away:a"}); !errors.Is(err, people.ErrLookup) {
		t.Errorf("a directory that is away: %v", err)
	}
	if p, err := people.New(store{}, nil, nil, nil).Principal(t.Context(), history.Actor{User: "me"}); err != nil || p.Standing != authority.Terminal {
		t.Errorf("at a terminal: %s, %v", p.Standing, err)
	}
}

// A question is never open to all because its people are gone, and it says why nobody may answer.
func TestUnanswerable(t *testing.T) {
	t.Parallel()
	no := false
	for name, c := range map[string]struct {
		who *flow.Who
		may []string
		why string
	}{
		"a group":                {&flow.Who{Groups: []string{"@finance"}}, []string{"ana", "fin"}, ""},
		"but not the requester":  {&flow.Who{Groups: []string{"@finance"}, SelfApproval: &no}, []string{"fin"}, ""},
		"the requester alone":    {&flow.Who{Users: []string{"@ana"}, SelfApproval: &no}, nil, "@ana asked for the run and may not approve it"},
		"an empty group":         {&flow.Who{Groups: []string{"@empty"}}, nil, "@empty has no active members"},
		"a name that nobody has": {&flow.Who{Users: []string{"@unknown"}}, nil, "nobody is called @unknown"},
		"a deactivated person":   {&flow.Who{Users: []string{"@gone:x"}}, nil, "@gone:x is deactivated or a bot"},
		"a guest by user id":     {&flow.Who{Users: []string{"guest:g"}}, []string{"guest:g"}, ""},
		"the channel":            {nil, []string{"ana", "ben", "fin"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, may, err := here().Deciders(t.Context(), paid, asks(c.who))
			if err != nil || !slices.Equal(may, c.may) {
				t.Errorf("%v may answer, %v", may, err)
			}
			why, err := here().Unanswerable(t.Context(), paid, asks(c.who))
			if err != nil || !strings.HasSuffix(why, c.why) || (why == "") != (c.why == "") {
				t.Errorf("nobody may answer because of %q, %v", why, err)
			}
		})
	}
	if _, err := here().Unanswerable(t.Context(), paid, asks(&flow.Who{Users: []string{"@away"}})); err == nil {
		t.Error("a directory that is away names nobody")
	}
}

// A failed step is asked of the requester, the flow's owner and admins.
func TestDecidersOfAFailure(t *testing.T) {
	t.Parallel()
	_, may, err := here().Deciders(t.Context(), paid, gate.Body{Opened: history.GateOpened{Kind: history.GateFailure}})
	if err != nil || !slices.Equal(may, []string{"ana", "olga", "root"}) {
		t.Errorf("%v may answer, %v", may, err)
	}
}

// Rights need no directory where what is known is enough, and the members of the home channel where it is not.
func TestMay(t *testing.T) {
	t.Parallel()
	about := people.AboutRun(storage.Flow{Name: "pay", Owner: "olga", Channel: "C1"}, paid)
	for user, want := range map[string]bool{"olga": true, "ana": true, "ben": true, "eve": false, "gone:x": false} {
		p, err := here().Principal(t.Context(), history.Actor{User: user})
		if err != nil {
			t.Fatal(err)
		}
		if err := here().May(t.Context(), p, authority.ReadRun, about); (err == nil) != want {
			t.Errorf("%s reads the run: %v", user, err)
		}
	}
}
