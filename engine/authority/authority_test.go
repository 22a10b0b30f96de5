package authority_test

import (
	"errors"
	"slices"
	"testing"

	"sluice/engine/authority"
)

// everything is a subject to which user stands in every relation that allows, and in none that rules out.
func everything(user string) authority.Subject {
	only := []string{user}
	return authority.Subject{
		Home: "C1", Members: only, Owner: user, Requester: user, Authors: only, Scheduler: user, Approvers: only, Seconds: only, Deciders: only, Named: only,
	}
}

func code(err error) authority.Code {
	if d, ok := errors.AsType[*authority.Denied](err); ok {
		return d.Code
	}
	return ""
}

// TestStandingComesFirst: who is not of this workspace may do nothing, in whatever relation they stand; a guest answers where named.
func TestStandingComesFirst(t *testing.T) {
	t.Parallel()
	guests := []authority.Action{authority.Respond, authority.ReadGate, authority.Decide, authority.Reopen}
	for _, a := range authority.Actions() {
		s := everything("U1")
		if a == authority.ApproveSecond {
			s.Authors = nil
		}
		try := func(st authority.Standing) authority.Code {
			return code(authority.May(authority.Principal{User: "U1", Standing: st, Admin: true}, a, s))
		}
		for _, st := range []authority.Standing{authority.Foreign, authority.Inactive, authority.Bot, authority.Unknown, "", "else"} {
			if got := try(st); got != authority.NotOurs {
				t.Errorf("%s by %q: %q", a, st, got)
			}
		}
		if got := try(authority.Member); got != "" {
			t.Errorf("%s by a member in every relation: %q", a, got)
		}
		want := authority.NoGuests
		if slices.Contains(guests, a) {
			want = ""
		}
		if got := try(authority.Guest); got != want {
			t.Errorf("%s by a guest who is named: %q, want %q", a, got, want)
		}
		nobody := authority.Principal{Standing: authority.Member, Admin: true}
		if got := code(authority.May(nobody, a, authority.Subject{})); got != authority.NotOurs {
			t.Errorf("%s without an id: %q", a, got)
		}
	}
	if got := code(authority.May(authority.Principal{User: "U1", Standing: authority.Member, Admin: true}, "no such action", everything("U1"))); got != authority.NoSuchAct {
		t.Errorf("an action without a rule: %q", got)
	}
}

// TestRelations: each relation allows what the rules say and nothing else, and who may not see is told nothing.
func TestRelations(t *testing.T) {
	t.Parallel()
	me := authority.Principal{User: "me", Standing: authority.Member}
	others := everything("other")
	relations := map[authority.Relation]func(*authority.Subject, *authority.Principal){
		authority.Anybody:   func(*authority.Subject, *authority.Principal) {},
		authority.OfHome:    func(s *authority.Subject, _ *authority.Principal) { s.Members = []string{"me"} },
		authority.Owner:     func(s *authority.Subject, _ *authority.Principal) { s.Owner = "me" },
		authority.Requester: func(s *authority.Subject, _ *authority.Principal) { s.Requester = "me" },
		authority.Author:    func(s *authority.Subject, _ *authority.Principal) { s.Authors = []string{"me"} },
		authority.Scheduler: func(s *authority.Subject, _ *authority.Principal) { s.Scheduler = "me" },
		authority.Approver:  func(s *authority.Subject, _ *authority.Principal) { s.Approvers = []string{"me"} },
		authority.Second:    func(s *authority.Subject, _ *authority.Principal) { s.Seconds = []string{"me"} },
		authority.Decider:   func(s *authority.Subject, _ *authority.Principal) { s.Deciders = []string{"me"} },
		authority.Admin:     func(_ *authority.Subject, p *authority.Principal) { p.Admin = true },
	}
	// What each relation alone allows, besides what anybody may.
	reads := []authority.Action{authority.ReadFlow, authority.ReadRun, authority.ReadGate}
	starts := []authority.Action{authority.Start, authority.StartByReaction, authority.Cancel}
	want := map[authority.Relation][]authority.Action{
		authority.Anybody:   {authority.Talk, authority.Respond, authority.StartByMessage},
		authority.OfHome:    slices.Concat(reads, starts, []authority.Action{authority.ReadDraft, authority.Propose, authority.Approve, authority.RemoveFlow}),
		authority.Owner:     slices.Concat(reads, starts, []authority.Action{authority.OperateRun, authority.OperateFlow}),
		authority.Requester: {authority.ReadRun, authority.ReadGate, authority.Cancel, authority.OperateRun},
		authority.Author:    {authority.ReadDraft, authority.Propose, authority.ProposeUnsaid, authority.Discard},
		authority.Decider:   {authority.ReadGate, authority.Decide, authority.Reopen},
		authority.Admin: slices.Concat(reads, starts, []authority.Action{
			authority.ReadDraft, authority.Propose, authority.Discard, authority.OperateRun, authority.OperateFlow, authority.OperateSchedule, authority.OperateAll,
		}),
	}
	for r, become := range relations {
		for _, a := range authority.Actions() {
			s, p := others, me
			become(&s, &p)
			may := authority.May(p, a, s) == nil
			if should := slices.Contains(want[r], a) || slices.Contains(want[authority.Anybody], a); may != should {
				t.Errorf("%s by the %s: %v, want %v", a, r, may, should)
			}
		}
	}
	for _, a := range authority.Actions() {
		got := code(authority.May(me, a, others))
		if known := slices.Contains(want[authority.Anybody], a) || a == authority.OperateAll; !known && got != authority.Hidden {
			t.Errorf("%s by somebody in no relation: %q, want hidden", a, got)
		}
	}
}

// TestExceptions: the requester of a run may not approve it where the flow says so, and an author is never the second person.
func TestExceptions(t *testing.T) {
	t.Parallel()
	me := authority.Principal{User: "me", Standing: authority.Member}
	s := everything("me")
	s.NotRequester = true
	if got := code(authority.May(me, authority.Decide, s)); got != authority.Excepted {
		t.Errorf("self approval: %q", got)
	}
	if got := code(authority.May(me, authority.ApproveSecond, s)); got != authority.Excepted {
		t.Errorf("an author as second person: %q", got)
	}
	s.Requester, s.Authors = "other", []string{"other"}
	for _, a := range []authority.Action{authority.Decide, authority.ApproveSecond} {
		if err := authority.May(me, a, s); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	guest := authority.Principal{User: "me", Standing: authority.Guest}
	s.Named = nil
	if got := code(authority.May(guest, authority.Decide, s)); got != authority.Hidden {
		t.Errorf("a guest in a group that decides: %q, want hidden", got)
	}
}

// TestTheTerminalHasNoSayInChat: who runs the program in a terminal may do everything with what lives there, and nothing with what lives
// in a channel.
func TestTheTerminalHasNoSayInChat(t *testing.T) {
	t.Parallel()
	p := authority.Principal{Standing: authority.Terminal}
	for _, a := range authority.Actions() {
		if err := authority.May(p, a, authority.Subject{}); err != nil {
			t.Errorf("%s: %v", a, err)
		}
		if got := code(authority.May(p, a, everything("U1"))); got != authority.InChat {
			t.Errorf("%s of what lives in a channel: %q", a, got)
		}
	}
}
