package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/slacksim"
	"sluice/bot/surface"
	"sluice/engine/gate"
	"sluice/engine/outbox"
	"sluice/storage"
)

// TestASurfaceThatCannotBeShownDelaysNoOther: surfaces that cannot be made, drawn, uploaded or sent lie beside open questions in 20 channels. Each
// question appears as if they were not there.
func TestASurfaceThatCannotBeShownDelaysNoOther(t *testing.T) {
	t.Parallel()
	seed, channels := manyChannels(20)
	w := newSeededWorld(t, seed)
	w.store = brokenDrafts{w.store}
	o := newOffice(t, w)
	over := make(chan struct{})
	o.projector.Sender = &trap{o.app, over}
	support := o.channel("#support")
	for i := range 5 { // each kind of message that Slack refuses, of different surfaces
		o.write(&storage.Batch{Surfaces: []storage.Surface{
			{ID: fmt.Sprint("hangs", i), Kind: surface.KindPrivate, Ref: fmt.Sprint("private:h", i), Channel: support, User: o.user("bob"), Body: pictured("hangs"), Created: time.Now()},
			{ID: fmt.Sprint("breaks", i), Kind: surface.KindPrivate, Ref: fmt.Sprint("private:b", i), Channel: support, User: o.user("bob"), Body: pictured("breaks"), Created: time.Now()},
			{ID: fmt.Sprint("senses", i), Kind: surface.KindNotice, Ref: fmt.Sprint("notice:s", i), Channel: support, Body: []byte(`{"text":"panic in sending"}`), Created: time.Now()},
			{ID: fmt.Sprint("refused", i), Kind: surface.KindNotice, Ref: fmt.Sprint("notice:r", i), Channel: support, Body: []byte(`{"text":"refused words"}`), Created: time.Now()},
			{ID: fmt.Sprint("nothing", i), Kind: surface.KindStatus, Ref: surface.RunRef("nobody"), Channel: support, Created: time.Now()},
			{ID: fmt.Sprint("maker", i), Kind: surface.KindDraft, Ref: surface.DraftRef("broken"), Channel: support, Created: time.Now()},
			{ID: fmt.Sprint("unreadable", i), Kind: surface.KindNotice, Ref: fmt.Sprint("notice:u", i), Channel: support, Body: []byte(`{`), Created: time.Now()},
		}})
	}
	o.control("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": "refuse", "error": "invalid_blocks", "contains": "refused words", "times": 1000})
	o.serve()
	t.Cleanup(func() { close(over) }) // until here the pictures hang: a question that waited for one would never appear
	began := time.Now()
	for i, c := range channels {
		o.ask(fmt.Sprint("in", i), c)
	}
	for i, c := range channels {
		o.until(c, fmt.Sprintf("Pay in%d?", i), "gate.choose")
	}
	t.Logf("20 questions beside 35 refused surfaces appeared within %v", time.Since(began))
}

// brokenDrafts is a store of whose drafts no card can be made.
type brokenDrafts struct{ storage.Store }

func (brokenDrafts) Draft(context.Context, string) (storage.Draft, error) {
	panic("a card that breaks its maker")
}

// trap is a Sender that hangs, breaks and panics where a card says so.
type trap struct {
	*App
	over <-chan struct{} // pictures hang until it is closed
}

func (s *trap) Upload(ctx context.Context, c card.Card) (string, error) {
	if c.Picture != nil && c.Picture.Key == "hangs" {
		<-s.over
		return "", context.DeadlineExceeded
	}
	if c.Picture != nil && c.Picture.Key == "breaks" {
		panic("a picture that breaks")
	}
	return s.App.Upload(ctx, c)
}

func (s *trap) Send(ctx context.Context, f storage.Surface, c card.Card) (storage.Surface, error) {
	if strings.Contains(c.Text.String(), "panic in sending") {
		panic("a card that breaks the sender")
	}
	return s.App.Send(ctx, f, c)
}

// careful is a Sender that wants a picture to be deleted only when no row names it any more.
type careful struct {
	*App
	t       *testing.T
	store   storage.Store
	dropped chan string
}

func (s *careful) Drop(ctx context.Context, file string) {
	shown, err := s.store.SurfacesOfKind(context.WithoutCancel(ctx), surface.KindStatus, 10)
	if err != nil || len(shown) == 0 {
		s.t.Errorf("%d status messages: %v", len(shown), err)
	}
	for _, f := range shown {
		if strings.HasPrefix(f.File, file+" ") {
			s.t.Errorf("the file %s is deleted while the row of %s names it: a process killed now shows a file that is gone", file, f.ID)
		}
	}
	s.App.Drop(ctx, file)
	s.dropped <- file
}

// TestAPictureIsDeletedOnceNoRowNamesIt: a status message gets a new picture when its run goes on.
func TestAPictureIsDeletedOnceNoRowNamesIt(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	sender := &careful{o.app, t, o.store, make(chan string, 10)}
	o.projector.Sender = sender
	o.serve()
	r := o.ask("shown", "#support")
	o.until("#support", "Pay shown?", "gate.choose")
	o.answer(r)
	select {
	case <-sender.dropped:
	case <-time.After(patient):
		t.Error("the picture that was replaced is never deleted")
	}
}

// pictured is a private line with a picture.
func pictured(key string) []byte {
	body, _ := json.Marshal(surface.PrivateBody{Card: card.Card{Text: said("a picture that " + key), Picture: &card.Picture{Key: key}}})
	return body
}

// TestARefusedSurfaceIsSetAsideAndItsOwnerIsTold: a message that Slack refuses in every form is given up, admins hear of it, and a new
// release tries again.
func TestARefusedSurfaceIsSetAsideAndItsOwnerIsTold(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.control("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": "refuse", "error": "invalid_blocks", "contains": "refused words", "times": 1000})
	n := outbox.Notice("bad", o.channel("#support"), "", "refused words", time.Now())
	o.write(&storage.Batch{Surfaces: []storage.Surface{n, outbox.Notice("good", n.Channel, "", "others go on", time.Now())}})
	stop := o.serve()
	o.until("#support", "others go on")
	o.until("@ana", "I cannot show a message")
	o.settled()
	stop()
	s, err := o.store.Surface(t.Context(), "bad")
	if err != nil || s.Aside == "" || s.TS != "" {
		t.Errorf("the row says %+v (%v)", s, err)
	}
	o.control("heal", map[string]any{})
	next := anotherProcess(o)
	next.projector.Release = "the next one"
	next.serve()
	o.until("#support", "refused words")
}

// anotherProcess is another process on the same store and Slack.
func anotherProcess(o *office) *office {
	p := project.New()
	p.Connect(o.engine)
	p.Sender, p.Holder, p.Admins = o.app, "test", o.projector.Admins
	return &office{world: o.world, engine: o.engine, projector: p}
}

// TestAQuestionThatSlackRefusesCanBeAnswered: it is shown in a plain form, with its buttons, and the requester hears of it.
func TestAQuestionThatSlackRefusesCanBeAnswered(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.control("fault", map[string]any{"target": "api", "kind": "refuse", "error": "invalid_blocks", "contains": "Pay refused?", "times": 1})
	o.serve()
	r := o.ask("refused", "#support")
	m := o.until("#support", "Pay refused?", "gate.choose")
	if strings.Contains(m.shown(), "header") {
		t.Error("the plain form is drawn")
	}
	o.until("@bob", "I cannot show the question of", r.Name, "in a plain form")
	o.answer(r)
	o.until("#support", "Pay refused?", "Approve")
}

// TestAQuestionAppearsBeforeThePictureOfItsRun: while pictures cannot be brought to Slack, questions appear all the same, and the status message
// gets its picture by an edit.
func TestAQuestionAppearsBeforeThePictureOfItsRun(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.control("fault", map[string]any{"target": "api", "method": "files.getUploadURLExternal", "kind": "hold", "times": 1})
	o.serve()
	o.ask("soon", "#support")
	o.until("#support", "Pay soon?", "gate.choose")
	first := o.until("#support", "*Waiting* at", `"key":"status-`)
	if first.picture() {
		t.Error("there is a picture although it was never brought")
	}
	o.control("release", map[string]any{})
	for deadline := time.Now().Add(patient); ; {
		m := o.until("#support", `"key":"status-`)
		if m.TS != first.TS {
			t.Fatalf("the status was posted again: %s, then %s", first.TS, m.TS)
		}
		if m.picture() {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the picture never came")
		}
		<-time.After(5 * time.Millisecond)
	}
}

// TestTheStatusOfARunHasItsPicture: there is one picture of a run. It is drawn anew in its place, and the one before is gone.
func TestTheStatusOfARunHasItsPicture(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.serve()
	r := o.ask("now", "#support")
	o.until("#support", "Pay now?", "gate.choose")
	o.settled()
	asked := o.until("#support", `"key":"status-`, "waiting")
	if !asked.picture() {
		t.Error("the status of a run with a question has no picture")
	}
	o.answer(r)
	o.until("#support", `"key":"status-`, "*Done* in")
	var pictures []string
	for deadline := time.Now().Add(patient); len(pictures) != 1 || strings.Contains(asked.shown(), pictures[0]); { // a card does not wait long for its picture
		if time.Now().After(deadline) {
			t.Fatalf("the pictures at the end are %q; the one before was in %s", pictures, asked.shown())
		}
		o.settled()
		pictures = nil
		for _, m := range o.messages("#support") {
			for _, b := range m.Blocks {
				if b.SlackFile.ID != "" {
					pictures = append(pictures, b.SlackFile.ID)
				}
			}
		}
	}
}

// TestALatePictureReplacesTheOneBefore: a picture that takes longer than its card waits is shown when it is there.
func TestALatePictureReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.serve()
	r := o.ask("late", "#support")
	o.until("#support", "Pay late?", "gate.choose")
	o.settled()
	before := o.until("#support", `"key":"status-`, "waiting", "slack_file").file()
	o.control("fault", map[string]any{"target": "api", "method": "files.getUploadURLExternal", "kind": "hold", "times": 1})
	o.answer(r)
	if m := o.until("#support", `"key":"status-`, "*Done* in"); m.file() != before {
		t.Fatalf("the picture %s came although it was held back", m.file())
	}
	o.control("release", map[string]any{})
	for deadline := time.Now().Add(patient); o.until("#support", `"key":"status-`, "*Done* in").file() == before; <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the card of the finished run shows the picture of the question for good")
		}
	}
}

// TestOneHangingCallDelaysNoOther: a post that gets no answer holds up neither other channels nor other messages of its own.
func TestOneHangingCallDelaysNoOther(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.control("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": "timeout", "contains": "hangs", "times": 2})
	o.write(&storage.Batch{Surfaces: []storage.Surface{
		outbox.Notice("hangs1", o.channel("#support"), "", "hangs", time.Now()), outbox.Notice("hangs2", o.channel("#general"), "", "hangs", time.Now()),
	}})
	o.serve()
	began := time.Now()
	o.ask("beside", "#support")
	o.until("#support", "Pay beside?")
	o.write(&storage.Batch{Surfaces: []storage.Surface{outbox.Notice("other", o.channel("#general"), "", "others go on", time.Now())}})
	o.until("#general", "others go on")
	if took := time.Since(began); took > callTimeout/2 {
		t.Errorf("the others waited for %v", took)
	}
}

// TestHundredsOfHelpsDelayNoQuestion: private answers to one person leave the places of questions free.
func TestThreeThousandHelpsDelayNoQuestion(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	body, err := json.Marshal(surface.PrivateBody{Card: card.Card{Text: said("help")}})
	if err != nil {
		t.Fatal(err)
	}
	var helps []storage.Surface
	for i := range 600 {
		id := fmt.Sprint("help", i)
		helps = append(helps, storage.Surface{ID: id, Kind: surface.KindPrivate, Ref: "private:" + id, Channel: o.channel("#support"), User: o.user("bob"), Body: body, Created: time.Now()})
	}
	o.write(&storage.Batch{Surfaces: helps})
	o.serve()
	began := time.Now()
	o.ask("urgent", "#support")
	o.until("#support", "Pay urgent?")
	took := time.Since(began)
	t.Logf("the question appeared after %v", took)
	stale, err := o.store.StaleSurfaces(t.Context(), time.Now(), 600)
	if err != nil || len(stale) < 200 || took > 10*time.Second {
		t.Errorf("the question appeared after %v, with %d answers waiting (%v)", took, len(stale), err)
	}
}

// TestATokenThatIsRefusedForAWhileLosesNoCard: cards that could not be posted are posted when the token works again, and admins hear of it once.
func TestATokenThatIsRefusedForAWhileLosesNoCard(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"invalid_auth", "token_revoked", "account_inactive", "missing_scope"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, newWorld(t))
			o.control("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": "refuse", "error": code, "times": 10_000})
			o.serve()
			for i := range 3 {
				o.ask(fmt.Sprint("kept", i), "#support")
			}
			o.problem(code, "")
			o.control("heal", map[string]any{})
			if code == "missing_scope" { // only somebody who knows says that it is over
				if err := o.projector.Reachable(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 3 {
				o.until("#support", fmt.Sprintf("Pay kept%d?", i), "gate.choose")
			}
			o.until("@ana", "I could not post messages")
			o.settled()
			if all := o.messages("@ana"); len(all) != 1 {
				t.Errorf("the admin was told %d times: %+v", len(all), all)
			}
			if left, err := o.projector.Problems(t.Context()); err != nil || len(left) != 0 {
				t.Errorf("what is said to be wrong: %v (%v)", left, err)
			}
		})
	}
}

// problem waits until a cause is known.
func (o *office) problem(code, channel string) project.Problem {
	o.t.Helper()
	for deadline := time.Now().Add(patient); ; {
		all, err := o.projector.Problems(o.t.Context())
		if err != nil {
			o.t.Fatal(err)
		}
		for _, p := range all {
			if p.Code == code && p.Channel == channel {
				return p
			}
		}
		if time.Now().After(deadline) {
			o.t.Fatalf("nobody says that there is %s: %v", code, all)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// TestAnArchivedChannelLosesNoQuestion: the requester is told what it means and what to do, others go on, and the question is posted
// when the channel is open again.
func TestAnArchivedChannelLosesNoQuestion(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.control("archive", map[string]any{"user": "ana", "channel": "#general"})
	o.serve()
	r := o.ask("away", "#general")
	o.until("@bob", "it was archived"[3:], r.Name, "approvals", "Unarchive")
	o.problem("is_archived", o.channel("#general"))
	o.ask("here", "#support")
	o.until("#support", "Pay here?")
	o.control("archive", map[string]any{"user": "ana", "channel": "#general", "undo": true})
	o.until("#general", "Pay away?", "gate.choose")
	o.settled()
	if all := o.messages("@bob"); len(all) != 1 {
		t.Errorf("the requester was told %d times: %+v", len(all), all)
	}
}

// TestTheBotThatWasRemovedPostsWhenItIsBack: like an archived channel, by itself after a while.
func TestTheBotThatWasRemovedPostsWhenItIsBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.control("leave", map[string]any{"user": "sluice", "channel": "#general"})
	o.serve()
	r := o.ask("removed", "#general")
	o.until("@bob", "I am not in that channel any more", r.Name, "Invite me there")
	o.control("join", map[string]any{"user": "sluice", "channel": "#general"})
	o.until("#general", "Pay removed?", "gate.choose")
}

// TestADeletedQuestionIsPostedAgain: once, and its requester hears what happened.
func TestADeletedQuestionIsPostedAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.serve()
	r := o.ask("deleted", "#support")
	first := o.until("#support", "Pay deleted?", "gate.choose")
	o.settled()
	o.control("delete", map[string]any{"user": "ana", "channel": "#support", "ts": first.TS})
	asked := gate.ID(r.ID, 1)
	o.changed(asked)
	second := o.until("#support", "Pay deleted?", "gate.choose")
	if second.TS == first.TS {
		t.Fatal("nothing was posted")
	}
	o.until("@bob", "Somebody deleted the question of", r.Name, "posted it again")
	o.settled()
	o.control("delete", map[string]any{"user": "ana", "channel": "#support", "ts": second.TS})
	o.changed(asked)
	o.until("@bob", "It was deleted before", "approvals")
}

// changed has a question shown again, as if something in it had changed.
func (o *office) changed(gate string) {
	o.t.Helper()
	s, err := o.store.Surface(o.t.Context(), "gate-"+gate)
	if err != nil {
		o.t.Fatal(err)
	}
	s.Hash = ""
	if err := o.store.SaveSurface(o.t.Context(), s); err != nil {
		o.t.Fatal(err)
	}
	o.write(&storage.Batch{Stale: []string{surface.GateRef(gate)}})
}

// TestAWrongClockDoublesNoMessage: a message that may have arrived is found by its key, however far Slack's clock is from ours.
func TestAWrongClockDoublesNoMessage(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-time.Hour, time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			w := newTimedWorld(t, slacksim.DefaultSeed(), ahead)
			root, err := w.app.Send(t.Context(), w.surface("root"), card.Card{Text: said("root")})
			if err != nil {
				t.Fatal(err)
			}
			for _, thread := range []string{"", root.TS} {
				s := w.surface("lost" + thread)
				s.Thread = thread
				w.control("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": "drop", "after": "after_act", "times": 1})
				if _, err := w.app.Send(t.Context(), s, card.Card{Text: said("once" + thread)}); err == nil {
					t.Fatal("the answer was not lost")
				}
				s.Tries = 1
				if _, err := w.app.Send(t.Context(), s, card.Card{Text: said("once" + thread)}); err != nil {
					t.Fatal(err)
				}
				f := w.surface("file" + thread)
				f.Kind, f.Thread = surface.KindFile, thread
				c := card.Card{File: &card.File{Name: "a" + thread + ".yaml", Text: "name: a"}}
				if f.File, err = w.app.Upload(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				w.control("fault", map[string]any{"target": "api", "method": "files.completeUploadExternal", "kind": "drop", "after": "after_act", "times": 1})
				if _, err := w.app.Send(t.Context(), f, c); err == nil {
					t.Fatal("the answer was not lost")
				}
				f.Tries = 1
				if got, err := w.app.Send(t.Context(), f, c); err != nil || got.TS == "sent" {
					t.Errorf("the file was not found: %q, %v", got.TS, err)
				}
			}
			if all := w.messages("#support"); len(all) != 5 {
				t.Errorf("%d messages instead of 5: %+v", len(all), all)
			}
		})
	}
}
