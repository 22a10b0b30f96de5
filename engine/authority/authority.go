package authority

import (
	"fmt"
	"slices"
	"strings"
)

// Standing is what somebody is to this workspace.
type Standing string

// The standings. The zero value is nobody: it may do nothing.
const (
	Terminal Standing = "terminal" // the person who runs the program in a terminal, on a store without people
	Member   Standing = "member"   // a person of this workspace
	Guest    Standing = "guest"    // a guest of this workspace, with one channel or several
	Foreign  Standing = "foreign"  // a person of another workspace
	Inactive Standing = "inactive" // deactivated
	Bot      Standing = "bot"
	Unknown  Standing = "unknown" // an id that nobody has
)

// Principal is who asks: a person of this workspace, or somebody who is none.
type Principal struct {
	User, Team string
	Standing   Standing
	Admin      bool // of this installation
}

// Code says why somebody may not.
type Code string

// The codes.
const (
	NotOurs   Code = "not_ours"     // of another workspace, deactivated, a bot, unknown: see Principal.Standing
	NoGuests  Code = "no_guests"    // a guest may not do this
	Hidden    Code = "hidden"       // must be answered as for something that does not exist
	NotYou    Code = "not_you"      // none of the relations that the rule asks for
	Excepted  Code = "excepted"     // a relation that rules it out: Denied.Relation
	InChat    Code = "in_chat"      // it lives in a channel: the terminal has no say
	NoSuchAct Code = "no_such_rule" // there is no rule for the action
)

// Denied says that a principal may not do something, and why.
type Denied struct {
	Code      Code
	Action    Action
	Principal Principal
	Any       []Relation // who may
	Relation  Relation   // of Excepted
}

// Error is for the log.
func (d *Denied) Error() string {
	text := fmt.Sprintf("%s may not %s: %s", d.Principal.Standing, strings.ReplaceAll(string(d.Action), "_", " "), d.Code)
	if d.Relation != "" {
		text += " (" + string(d.Relation) + ")"
	}
	return text
}

// May decides whether a principal may do something. A *Denied says why not.
func May(p Principal, a Action, s Subject) error {
	rule, known := rules[a]
	deny := func(code Code, r Relation) error {
		return &Denied{Code: code, Action: a, Principal: p, Any: rule.Any, Relation: r}
	}
	holds := func(r Relation) bool { return s.is(p, r) }
	switch {
	case !known:
		return deny(NoSuchAct, "")
	case p.Standing == Terminal && s.Home != "":
		return deny(InChat, "")
	case p.Standing == Terminal:
		return nil
	case p.User == "" || p.Standing != Member && p.Standing != Guest:
		return deny(NotOurs, "")
	case p.Standing == Guest && !rule.Guests:
		return deny(NoGuests, "")
	}
	if p.Standing == Guest { // a guest is what the flow names them for, and nothing else
		if !slices.Contains(rule.Any, Anybody) && !holds(Decider) {
			return deny(Hidden, "")
		}
	} else if !slices.ContainsFunc(rules[rule.Sees].Any, holds) && rule.Sees != "" {
		return deny(Hidden, "")
	}
	if i := slices.IndexFunc(rule.Except, holds); i >= 0 {
		return deny(Excepted, rule.Except[i])
	}
	if p.Standing == Member && !slices.ContainsFunc(rule.Any, holds) {
		return deny(NotYou, "")
	}
	return nil
}

// Needs lists the relations that decide about an action, those of what it takes to see the subject too.
func Needs(a Action) []Relation {
	r := rules[a]
	return slices.Concat(r.Any, r.Except, rules[r.Sees].Any)
}

// Same says whether two user ids are one person: they have one vote and cannot be each other's second person. People of other workspaces have no say, so the id
// alone tells; the team that a delivery names may be missing or differ between two doors.
func Same(a, b string) bool { return a == b }
