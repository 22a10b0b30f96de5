package authority

import "slices"

// Action is something that somebody wants to do.
type Action string

// The actions.
const (
	Talk    Action = "talk"    // say anything to the bot, and be answered
	Respond Action = "respond" // ask what waits for an answer, and answer it

	ReadFlow  Action = "read_flow" // a flow with its runs' figures: show, list, export, try, replay
	ReadRun   Action = "read_run"
	ReadDraft Action = "read_draft"
	ReadGate  Action = "read_gate" // what a question shows

	Start           Action = "start"             // by a command, a button, a schedule or a webhook
	StartByMessage  Action = "start_by_message"  // the approver of the trigger has said that writing there is enough
	StartByReaction Action = "start_by_reaction" // its home is the channel where the reaction counts
	Cancel          Action = "cancel"

	Propose       Action = "propose"        // edit a draft, or take an edit back, by words said to the bot
	ProposeUnsaid Action = "propose_unsaid" // edit it by a line that was not said to the bot
	Approve       Action = "approve"        // make a draft a revision
	ApproveSecond Action = "approve_second" // when it newly allows something
	Discard       Action = "discard"

	Decide Action = "decide" // answer a question
	Reopen Action = "reopen" // ask it once more

	OperateRun      Action = "operate_run"  // pause, resume, fork
	OperateFlow     Action = "operate_flow" // pause, resume, move its runs
	RemoveFlow      Action = "remove_flow"
	OperateSchedule Action = "operate_schedule"
	OperateAll      Action = "operate_all"
)

// Relation is what a principal is to a subject.
type Relation string

// The relations.
const (
	Anybody     Relation = "anybody"   // everybody of this workspace
	OfHome      Relation = "member"    // in the channel where the flow, run or draft lives
	Owner       Relation = "owner"     // of the flow
	Requester   Relation = "requester" // who asked for the run
	Author      Relation = "author"    // of an edit in the draft
	Scheduler   Relation = "scheduler" // who made the schedule
	Approver    Relation = "approver"  // one of the installation's approvers
	Second      Relation = "second"    // may be the second person for the draft
	Decider     Relation = "decider"   // the question is asked of them
	SelfDecider Relation = "self"      // asked for the run, where the requester may not approve
	Admin       Relation = "admin"     // of the installation
)

// Subject is what an action is about: the user ids that stand in each relation to it. What an action's rule does not name may be empty
// (Needs).
type Subject struct {
	Home         string // the channel where it lives; "" = nowhere, as in a terminal
	Members      []string
	Owner        string
	Requester    string
	Authors      []string
	Scheduler    string
	Approvers    []string
	Seconds      []string
	Deciders     []string
	Named        []string // those of Deciders whom the flow names by user id
	NotRequester bool     // the person who asked for the run may not answer
}

// is reports whether a principal stands in a relation to the subject.
func (s Subject) is(p Principal, r Relation) bool {
	one := func(id string) bool { return id != "" && id == p.User }
	switch r {
	case Anybody:
		return true
	case OfHome:
		return slices.Contains(s.Members, p.User)
	case Owner:
		return one(s.Owner)
	case Requester:
		return one(s.Requester)
	case Author:
		return slices.Contains(s.Authors, p.User)
	case Scheduler:
		return one(s.Scheduler)
	case Approver:
		return slices.Contains(s.Approvers, p.User)
	case Second:
		return slices.Contains(s.Seconds, p.User)
	case Decider:
		return slices.Contains(s.Deciders, p.User) && (p.Standing != Guest || slices.Contains(s.Named, p.User))
	case SelfDecider:
		return s.NotRequester && one(s.Requester)
	case Admin:
		return p.Admin
	}
	return false
}

// rule says who may do an action.
type rule struct {
	Any    []Relation // one of these is enough
	Except []Relation // none of these
	Sees   Action     // a person who may not do this must not learn that the subject exists; "" = no secret
	Guests bool       // also guests whom the flow names
}

// rules is the policy.
var rules = map[Action]rule{
	Talk:    {Any: []Relation{Anybody}},
	Respond: {Any: []Relation{Anybody}, Guests: true},

	ReadFlow:  {Any: []Relation{OfHome, Owner, Admin}, Sees: ReadFlow},
	ReadRun:   {Any: []Relation{Requester, OfHome, Owner, Admin}, Sees: ReadRun},
	ReadDraft: {Any: []Relation{OfHome, Author, Admin}, Sees: ReadDraft},
	ReadGate:  {Any: []Relation{Decider, Requester, OfHome, Owner, Admin}, Sees: ReadGate, Guests: true},

	Start:           {Any: []Relation{OfHome, Owner, Admin}, Sees: ReadFlow},
	StartByMessage:  {Any: []Relation{Anybody}},
	StartByReaction: {Any: []Relation{OfHome, Owner, Admin}, Sees: ReadFlow},
	Cancel:          {Any: []Relation{Requester, OfHome, Owner, Admin}, Sees: ReadRun},

	Propose:       {Any: []Relation{OfHome, Author, Admin}, Sees: ReadDraft},
	ProposeUnsaid: {Any: []Relation{Author}, Sees: ReadDraft},
	Approve:       {Any: []Relation{OfHome}, Sees: ReadDraft},
	ApproveSecond: {Any: []Relation{Second}, Except: []Relation{Author}, Sees: ReadDraft},
	Discard:       {Any: []Relation{Author, Admin}, Sees: ReadDraft},

	Decide: {Any: []Relation{Decider}, Except: []Relation{SelfDecider}, Sees: ReadGate, Guests: true},
	Reopen: {Any: []Relation{Decider}, Except: []Relation{SelfDecider}, Sees: ReadGate, Guests: true},

	OperateRun:      {Any: []Relation{Requester, Owner, Approver, Admin}, Sees: ReadRun},
	OperateFlow:     {Any: []Relation{Owner, Approver, Admin}, Sees: ReadFlow},
	RemoveFlow:      {Any: []Relation{OfHome}, Sees: ReadFlow}, // as Approve
	OperateSchedule: {Any: []Relation{Scheduler, Admin}, Sees: ReadFlow},
	OperateAll:      {Any: []Relation{Admin}},
}
