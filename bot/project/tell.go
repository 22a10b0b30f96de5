package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/surface"
	"sluice/storage"
)

// about is the owner of a surface, and its name in messages.
type about struct {
	owner string    // user id; "" = no owner: admins are told
	what  card.Text // "the question of *refund-217*"
	run   string    // the short name of its run; "" = it is not one of a run
}

// subject finds the owner of a surface. A surface whose run, draft or gate is gone has no owner.
func (p *Projector) subject(ctx context.Context, s storage.Surface) (about, error) {
	a, err := p.named(ctx, s)
	return a, storage.IgnoreMissing(err)
}

func (p *Projector) named(ctx context.Context, s storage.Surface) (about, error) {
	store, id := p.Engine.Store(), surface.RefID(s.Ref)
	k := kindOf(s.Kind)
	words := k.what
	a := about{owner: s.User, what: card.Plain(cmp.Or(words, "a message"))}
	switch k.of {
	case ofDraft:
		d, err := store.Draft(ctx, id)
		if err != nil {
			return a, err
		}
		return about{owner: d.Author, what: card.Textf("*%s*", draft.Title(d))}, nil
	case ofGate:
		g, err := store.Gate(ctx, id)
		if err != nil {
			return a, err
		}
		id = g.Run
	case ofNothing:
		return a, nil
	}
	r, err := surface.Root(ctx, store, id)
	if err != nil {
		return a, err
	}
	a.owner, a.run, a.what = r.By, r.Name, card.Textf("%s *%s*", words, r.Name)
	if f, err := store.Flow(ctx, r.Flow); a.owner == "" && err == nil {
		a.owner = f.Owner
	}
	return a, nil
}

// tell sends a text to a user as a direct message, once per id; without a user it goes to the admins.
func (p *Projector) tell(ctx context.Context, id, user string, text card.Text) error {
	users := []string{user}
	if user == "" {
		users = p.Admins
	}
	var list []storage.Surface
	for _, u := range users {
		one := id + "-" + u
		s := surface.Notice(one, "", "", text, time.Now())
		s.Kind, s.User = surface.KindDirect, u
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil
	}
	defer p.Wake()
	return p.Engine.Store().Write(ctx, &storage.Batch{Surfaces: list})
}

// tellOwner tells a surface's owner that it is shown in a plainer form, or not at all.
func (d *delivery) tellOwner(why error, shown bool) error {
	if d.notes.Told || d.s.Kind == surface.KindDirect {
		return nil
	}
	a, err := d.subject(d.ctx, d.s)
	if err != nil {
		return err
	}
	text := card.Textf("I cannot show %s: it is left out, and everything else goes on.", a.what)
	switch {
	case d.s.Kind == surface.KindMessage && !shown:
		text = card.Textf("Slack does not take %s. The step that sends it has failed, and its run asks what to do.", a.what)
	case errors.Is(why, errPicture):
		text = card.Textf("I could not draw the flowchart of %s, so it is shown without one.", a.what)
	case shown:
		text = card.Textf("I cannot show %s the way it should look, so it is shown in a plain form.", a.what)
	}
	if d.s.Kind == surface.KindGate && !shown {
		text = card.Textf("%s It can still be answered: `%s approvals` lists it.", text, d.Command)
	}
	text = card.Textf("%s What went wrong is in my log, under `%s`", text, d.s.ID)
	if shown && kindOf(d.s.Kind).once {
		text = card.Textf("%s.", text)
	} else {
		text = card.Textf("%s; it is tried again when this changes, and by the next version of me.", text)
	}
	d.notes.Told = true
	return d.tell(d.ctx, fmt.Sprintf("aside-%s-%d", d.s.ID, d.wanted), a.owner, text)
}

// tellDeleted tells the owner of a deleted message that it is still needed.
func (d *delivery) tellDeleted(again bool) error {
	a, err := d.subject(d.ctx, d.s)
	if err != nil {
		return err
	}
	text := card.Textf("Somebody deleted %s in %s.", a.what, card.Channel(d.s.Channel))
	switch {
	case again:
		text = card.Textf("%s Nothing else has changed, so I have posted it again.", text)
	case d.s.Kind == surface.KindGate:
		text = card.Textf("%s It was deleted before, so I do not post it again. It is still open: `%s approvals` lists it, with its buttons.", text, d.Command)
	case a.run != "":
		text = card.Textf("%s It was deleted before, so I do not post it again. The run goes on: `%s show %s` shows it.", text, d.Command, a.run)
	default:
		text = card.Textf("%s It was deleted before, so I do not post it again.", text)
	}
	return d.tell(d.ctx, fmt.Sprintf("deleted-%s-%d", d.s.ID, d.notes.Posted), a.owner, text)
}

// remedies says what happened and what to do about it, by Slack's error code.
var remedies = map[string][2]string{
	"is_archived":         {"the channel was archived", "Unarchive it"},
	"is_inactive":         {"the channel was archived", "Unarchive it"},
	"not_in_channel":      {"I am not in that channel any more", "Invite me there"},
	"user_not_in_channel": {"I am not in that channel any more", "Invite me there"},
	"channel_not_found":   {"the channel is gone, or I was removed from it", "If it is still there, invite me"},
	"restricted_action":   {"the workspace does not let me write there", "Have a workspace admin allow it"},
	"invalid_auth":        {"Slack does not accept my token", "Install the app again if need be, and set SLACK_BOT_TOKEN"},
	"token_revoked":       {"my token was revoked", "Install the app again and set SLACK_BOT_TOKEN"},
	"token_expired":       {"my token has expired", "Set a new one as SLACK_BOT_TOKEN"},
	"account_inactive":    {"the app was deactivated in this workspace", "Activate it or install it again"},
	unreachable:           {"Slack does not answer", "It is tried every few seconds"},
	"missing_scope":       {"the app lacks a permission (scope) for this", "Add it in the app's settings and install the app again"},
}

func remedyOf(code string) [2]string {
	if why, ok := remedies[code]; ok {
		return why
	}
	return [2]string{"Slack answers " + code, "Have a workspace admin look at it"}
}

// tellCause tells people once that messages wait, why, and what they can do: the people of the channel, else the admins. It tells nobody that
// Slack does not answer, which everybody sees.
func (p *Projector) tellCause(ctx context.Context, s storage.Surface, e *BlockedError, since time.Time) error {
	if e.Code == unreachable || s.Kind == surface.KindDirect && e.Channel != "" {
		return nil
	}
	why := remedyOf(e.Code)
	id := fmt.Sprintf("blocked-%s-%s-%d", e.Channel, e.Code, since.Unix())
	if e.Channel == "" {
		const text = "Since %s I could not post messages: %s. Nothing is lost: what I have to say waits and is posted when it works again. %s."
		return p.tell(ctx, id, "", card.Textf(text, card.Date(since), why[0], why[1]))
	}
	a, err := p.subject(ctx, s)
	if err != nil {
		return err
	}
	text := card.Textf("I cannot post in %s: %s. What waits: %s", card.Channel(e.Channel), why[0], a.what)
	if a.run != "" {
		text = card.Textf("%s. The run goes on, but its messages and questions cannot be seen there. Open questions can be answered all the same: `%s approvals` lists them, `%s show %s` shows the run", text, p.Command, p.Command, a.run)
	}
	return p.tell(ctx, id, a.owner, card.Textf("%s. %s: then what waits is posted.", text, why[1]))
}
