package request

import (
	"fmt"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Denied is the sentence for a refusal. It names nothing that the person may not see.
func Denied(d *authority.Denied) *usererror.Error {
	if d.Code == authority.Hidden {
		return ErrHidden
	}
	e := &usererror.Error{Code: "not_allowed", Text: deniedWords[d.Action], Err: d}
	switch d.Code {
	case authority.NotOurs:
		e.Code, e.Text = "not_ours", fmt.Sprintf("I work for the people of this workspace alone, and %s.", standingWords[d.Principal.Standing])
	case authority.NoGuests:
		e.Code, e.Text = "no_guests", "Guests of this workspace can answer questions that name them, and nothing else."
		e.Hint = "`/flow approvals` lists the questions that wait for you."
	case authority.Excepted:
		e.Code, e.Text = "second_person", exceptedWords[d.Relation]
	}
	if e.Text == "" {
		e.Text = "You may not do this."
	}
	return e
}

var standingWords = map[authority.Standing]string{
	authority.Foreign: "you are of another one", authority.Inactive: "your account is deactivated", authority.Bot: "you are a bot",
	authority.Unknown: "I cannot find you there",
}

// deniedWords name the people who may do an action. They are for a person who may see its subject and may not do it.
var deniedWords = map[authority.Action]string{
	authority.Approve:       "Only members of this channel may approve this draft.",
	authority.ApproveSecond: "What this draft changes counts, so not everybody may approve it.",
	authority.Discard:       "Only the people who wrote this draft may discard it.",
}

// exceptedWords give the reason why a person is excluded who could otherwise do it.
var exceptedWords = map[authority.Relation]string{
	authority.SelfDecider: "you asked for this run, and the requester may not approve it",
	authority.Author:      "You wrote in this draft, and what it changes counts: a second person must approve it.",
}

// MayNot says who may answer a gate.
func MayNot(no *people.NotAllowedError) card.Text {
	who := surface.Who(no.Who, false)
	if why := exceptedWords[no.Denied.Relation]; why != "" {
		return card.Textf(":lock: You may not answer this: %s. Who may: %s.", why, who)
	}
	return card.Textf(":lock: Only %s may answer this.", who)
}

// Because gives a refusal another text, if the person may see what it is about; any other error stays as it is.
func Because(err error, text card.Text, hint string) error {
	if denied, ok := AsDenied(err); ok && denied.Code == authority.NotYou {
		return Refuse("not_allowed", text, hint)
	}
	return err
}

// OwnedBy names the owner whom a person can ask.
func OwnedBy(f storage.Flow) card.Text {
	return card.Textf("The flow's owner is %s.", surface.Person(f.Owner))
}
