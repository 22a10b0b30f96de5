package slack

import (
	"testing"
	"time"

	"sluice/bot/project"
)

// waitingForHints has what Slack refuses tried again only after an hour, and opens the sockets on which Slack says that it is over.
func (o *office) waitingForHints() {
	o.t.Helper()
	o.projector.Pace = project.Pace{Workspace: time.Hour, Channel: time.Hour}
	o.listening(quick)
	o.connected(true)
	o.serve()
}

// TestAQuestionAppearsWhenTheBotIsInvitedAgain: at once, since Slack says so.
func TestAQuestionAppearsWhenTheBotIsInvitedAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.control("leave", map[string]any{"user": "sluice", "channel": "#general"})
	o.waitingForHints()
	r := o.ask("invited", "#general")
	o.until("@bob", "I am not in that channel any more", r.Name)
	o.control("join", map[string]any{"user": "sluice", "channel": "#general"})
	o.until("#general", "Pay invited?", "gate.choose")
}

// TestAQuestionAppearsWhenItsChannelIsOpenAgain: public and private channels have events of their own. Somebody else who joins says nothing
// about the bot.
func TestAQuestionAppearsWhenItsChannelIsOpenAgain(t *testing.T) {
	t.Parallel()
	for _, private := range []bool{false, true} {
		seed, channels := manyChannels(1)
		seed.Channels[len(seed.Channels)-1].Private = private
		o := newOffice(t, newSeededWorld(t, seed))
		o.control("archive", map[string]any{"user": "ana", "channel": channels[0]})
		o.waitingForHints()
		r := o.ask("opened", channels[0])
		o.until("@bob", "the channel was archived", r.Name)
		o.control("archive", map[string]any{"user": "ana", "channel": channels[0], "undo": true})
		o.until(channels[0], "Pay opened?", "gate.choose")
	}
}

// TestMessagesGoOutWhenTheConnectionIsBack: messages that wait for the token or for Slack are sent when a socket opens after an outage and the token is
// accepted. Faults that are still there then are not told again.
func TestMessagesGoOutWhenTheConnectionIsBack(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"invalid_auth", "missing_scope"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, newWorld(t))
			reconnect := func() {
				o.control("fault", map[string]any{"target": "api", "method": "apps.connections.open", "kind": "500", "times": 50})
				o.control("disconnect", map[string]any{"hard": true})
				o.connected(false)
				o.connected(true)
			}
			o.control("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": "refuse", "error": code, "times": 10_000})
			o.waitingForHints()
			o.ask("returned", "#support")
			since := o.problem(code, "").Since
			reconnect()
			if again := o.problem(code, "").Since; !again.Equal(since) {
				t.Errorf("it is wrong since %v, and after another try since %v", since, again)
			}
			o.control("heal", map[string]any{})
			reconnect()
			o.until("#support", "Pay returned?", "gate.choose")
			o.until("@ana", "I could not post messages")
			o.settled()
			if all := o.messages("@ana"); len(all) != 1 {
				t.Errorf("the admin was told %d times: %+v", len(all), all)
			}
		})
	}
}

// TestADeletedQuestionIsMissedAtOnce: nothing else changes, and it is posted again, once. Its requester is told each time.
func TestADeletedQuestionIsMissedAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.waitingForHints()
	r := o.ask("missed", "#support")
	first := o.until("#support", "Pay missed?", "gate.choose")
	o.settled()
	o.control("delete", map[string]any{"user": "ana", "channel": "#support", "ts": first.TS})
	o.until("@bob", "Somebody deleted the question of", r.Name, "posted it again")
	second := o.until("#support", "Pay missed?", "gate.choose")
	o.settled()
	o.control("delete", map[string]any{"user": "ana", "channel": "#support", "ts": second.TS})
	o.until("@bob", "It was deleted before", "approvals")
	o.settled()
	if n := len(o.alive("#support", "Pay missed?", "gate.choose")); n != 0 {
		t.Errorf("the question was posted again %d times after it was deleted twice", n)
	}
}

// TestADeletedStatusIsMissedAtOnce: with replies under it, Slack says that a deleted message became a tombstone.
func TestADeletedStatusIsMissedAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.waitingForHints()
	r := o.ask("status", "#support")
	o.until("#support", "Pay status?", "gate.choose")
	o.settled()
	status, err := o.store.Surface(t.Context(), "status-"+r.ID)
	if err != nil {
		t.Fatal(err)
	}
	o.control("delete", map[string]any{"user": "ana", "channel": "#support", "ts": status.TS})
	o.until("@bob", "Somebody deleted the status of", r.Name, "posted it again")
	o.settled()
	again, err := o.store.Surface(t.Context(), status.ID)
	if err != nil || again.TS == status.TS || again.TS == "" {
		t.Errorf("the status is at %q, and was at %q (%v)", again.TS, status.TS, err)
	}
	o.answer(r)
	o.until("#support", "Pay status?", "Approve")
	o.settled()
	told := len(o.messages("@bob"))
	o.control("delete", map[string]any{"user": "ana", "channel": "#support", "ts": again.TS})
	o.ask("after", "#support")
	o.until("#support", "Pay after?", "gate.choose")
	o.settled()
	if now := o.messages("@bob"); len(now) != told {
		t.Errorf("somebody is told of the deleted status of a run that is over: %+v", now)
	}
}

// alive lists the messages of a channel that are not deleted and have these words.
func (o *office) alive(channel string, words ...string) (out []shownMessage) {
	o.t.Helper()
	for _, m := range o.messages(channel) {
		if !m.Deleted && hasAll(m.shown(), words) {
			out = append(out, m)
		}
	}
	return out
}

// TestAQuestionThatCannotBeSeenAnyMore: when its channel is archived, who asked is told at once, although there is nothing new to post.
func TestAQuestionThatCannotBeSeenAnyMore(t *testing.T) {
	t.Parallel()
	o := newOffice(t, newWorld(t))
	o.waitingForHints()
	r := o.ask("closed", "#general")
	o.until("#general", "Pay closed?", "gate.choose")
	o.settled()
	o.control("archive", map[string]any{"user": "ana", "channel": "#general"})
	o.until("@bob", "the channel was archived", r.Name, "approvals")
	o.control("archive", map[string]any{"user": "ana", "channel": "#general", "undo": true})
	o.settled()
	if all := o.messages("@bob"); len(all) != 1 {
		t.Errorf("bob was told %d times: %+v", len(all), all)
	}
}
