package slack

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/storage"
)

// Slack wants a modal within three seconds of the press, and the answer to a submission within three seconds, too.
const (
	openWithin = 1500 * time.Millisecond // a form that takes longer is announced first
	ackWithin  = 2 * time.Second         // a submission that takes longer goes on without its modal
	donePause  = 50 * time.Millisecond   // between two looks whether another process has done one
)

// asker makes forms; *bot.Bot does.
type asker interface {
	// Form makes the form that a button opens; the card says why there is none.
	Form(ctx context.Context, in request.Incoming) (form.Form, *card.Card, error)
	// FormNotOpened tells a person that the modal could not be opened.
	FormNotOpened(ctx context.Context, in request.Incoming) error
}

// forms opens modals and takes what people send with them.
type forms struct {
	app   *App
	asker asker

	working sync.WaitGroup
	mu      sync.Mutex
	sent    map[string]*sending // what people sent, by the delivery's key
	pressed map[string]bool     // the presses that were taken, by their trigger
}

// sending is a form that a person sent. Slack may deliver it again, and people send it again when Slack has shown no result: the answer is the
// same.
type sending struct {
	over  chan struct{} // closed when the result is known, or when the modal waits no longer
	wrong *form.Problems
}

// formsMost is how many presses and sendings are remembered.
const formsMost = 1000

// take takes an interaction that belongs to a form; false: it is another one.
func (f *forms) take(ctx context.Context, c *socketmode.Client, ev socketmode.Event, d delivery) bool {
	p, ok := d.data.(*slackgo.InteractionCallback)
	if !ok || f.asker == nil {
		return false
	}
	if p.Type == slackgo.InteractionTypeViewSubmission {
		f.working.Go(func() { f.submitted(ctx, c, ev, d) })
		return true
	}
	in, ok := click(p)
	if p.Type == slackgo.InteractionTypeShortcut && p.CallbackID == shortcutNew {
		in, ok = request.Incoming{Kind: request.KindClick, User: p.User.ID, Team: p.User.TeamID, Home: true, Action: surface.OpenForm, Value: form.Ref{Owner: form.OfNew}.String()}, true
	}
	if action, _, _ := strings.Cut(in.Action, ":"); !ok || action != surface.OpenForm {
		return false
	}
	f.app.ack(ctx, c, ev, nil)
	if f.fresh(p.TriggerID) {
		f.working.Go(func() { f.opened(ctx, in, p.TriggerID) })
	}
	return true
}

// fresh says that a press was not delivered before.
func (f *forms) fresh(trigger string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pressed[trigger] {
		return false
	}
	if f.pressed == nil || len(f.pressed) >= formsMost {
		f.pressed = map[string]bool{}
	}
	f.pressed[trigger] = true
	return true
}

// opened shows the form that somebody asked for. The press is not stored: a modal can be opened only at once.
func (f *forms) opened(ctx context.Context, in request.Incoming, trigger string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout) // a new socket is no reason to forget the press
	defer cancel()
	made := make(chan slackgo.ModalViewRequest, 1)
	f.working.Go(func() { made <- f.make(ctx, in) })
	var err error
	select {
	case view := <-made:
		_, err = f.app.api.OpenViewContext(ctx, trigger, view)
	case <-time.After(openWithin):
		var shown *slackgo.ViewResponse
		shown, err = f.app.api.OpenViewContext(ctx, trigger, wordsModal("One moment", card.Card{Text: card.Textf("The form is being made.")}, in))
		if err == nil {
			_, err = f.app.api.UpdateViewContext(ctx, <-made, "", "", shown.View.ID)
		}
	}
	if err == nil {
		return
	}
	f.app.log.Warn("a form was not opened", "error", err)
	if in, err = f.app.located(ctx, in); err == nil {
		err = f.asker.FormNotOpened(ctx, in)
	}
	if err != nil {
		f.app.log.Error("nobody is told that a form was not opened", "error", err)
	}
}

func (f *forms) make(ctx context.Context, in request.Incoming) slackgo.ModalViewRequest {
	in, err := f.app.located(ctx, in)
	var made form.Form
	var refused *card.Card
	if err == nil {
		in.Direct = strings.HasPrefix(in.Channel, "D")
		made, refused, err = f.asker.Form(ctx, in)
	}
	switch {
	case err != nil:
		f.app.log.Error("a form was not made", "error", err)
		return wordsModal("Something broke", card.Card{Text: card.Textf(":boom: I could not make this form. Nothing was sent. Please try again later.")}, in)
	case refused != nil:
		return wordsModal("This cannot be done", *refused, in)
	}
	in.Value = made.Ref.String()
	return formModal(made, in)
}

// submitted stores a form that a person sent and answers the modal once the result is known: problems are shown beside their fields. If that
// takes longer than Slack waits, the modal closes and the person is told in the channel.
func (f *forms) submitted(ctx context.Context, c *socketmode.Client, ev socketmode.Event, sent delivery) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	d, _, err := f.app.address(ctx, sent)
	if err != nil {
		f.app.log.Error("a submission has no address", "error", err)
		return
	}
	d.Kind = inboxSubmission
	now, first := f.begun(d.Key)
	if first {
		fresh, err := f.app.inbox.Put(ctx, d)
		if err == nil && !fresh { // it was taken before this process began, or by another one
			f.working.Go(func() { f.doneElsewhere(ctx, d) })
		}
		if err != nil {
			f.settled(d.Key, nil)
			f.forget(d.Key)
			f.app.log.Error("a submission was not stored", "error", err) // without an answer Slack keeps the modal open and says so
			return
		}
	}
	late := time.AfterFunc(ackWithin, func() { f.settled(d.Key, nil) })
	defer late.Stop()
	<-now.over
	f.app.ack(ctx, c, ev, f.app.answerTo(now.wrong, ev.Request.Payload))
}

// doneElsewhere closes a modal once its delivery is done. Another process may handle the delivery, and knows the problems.
func (f *forms) doneElsewhere(ctx context.Context, d storage.Inbox) {
	for ctx.Err() == nil && f.waits(d.Key) {
		pending, err := f.app.inbox.Pending(ctx, d)
		if err == nil && !pending {
			f.settled(d.Key, nil)
			return
		}
		time.Sleep(donePause)
	}
}

// answerTo is what Slack does with a modal: it closes, shows problems, or goes on with another form.
func (a *App) answerTo(wrong *form.Problems, payload []byte) any {
	switch {
	case wrong != nil && wrong.Next != nil:
		var s slackgo.InteractionCallback
		if json.Unmarshal(payload, &s) != nil {
			return nil
		}
		in, _ := submission(&s)
		in.Value = wrong.Next.Ref.String()
		next := formModal(*wrong.Next, in)
		return slackgo.NewUpdateViewSubmissionResponse(&next)
	case wrong == nil || len(wrong.Fields) == 0:
		return nil
	}
	return slackgo.NewErrorsViewSubmissionResponse(wrong.Fields)
}

// begun notes that a submission was delivered, and says whether it is for the first time.
func (f *forms) begun(key string) (now *sending, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now = f.sent[key]; now != nil {
		return now, false
	}
	if f.sent == nil {
		f.sent = map[string]*sending{}
	}
	if len(f.sent) >= formsMost {
		maps.DeleteFunc(f.sent, func(_ string, s *sending) bool { return s.isOver() })
	}
	now = &sending{over: make(chan struct{})}
	f.sent[key] = now
	return now, true
}

func (f *forms) forget(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sent, key)
}

func (s *sending) isOver() bool { return isClosed(s.over) }

// waits says whether the modal of a delivery is still open.
func (f *forms) waits(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sent[key]
	return s != nil && !s.isOver()
}

// settled gives the modal of a delivery its result; false: no modal waits any more.
func (f *forms) settled(key string, wrong *form.Problems) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sent[key]
	if s == nil || s.isOver() {
		return false
	}
	s.wrong = wrong
	close(s.over)
	return true
}
