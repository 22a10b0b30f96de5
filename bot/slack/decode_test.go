package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sluice/bot/request"
)

// These become inbox rows: people's new messages and their reactions to messages, each once; nothing of bots.
func TestWhatIsHeard(t *testing.T) {
	t.Parallel()
	a := &App{botUser: "UBOT", concerns: everything{}}
	for name, tt := range map[string]struct {
		event, key, thread string // no key = it is left alone
	}{
		"a message":            {`{"type":"message","channel":"C1","user":"U1","ts":"1.0"}`, "msg:C1:1.0", "C1:1.0"},
		"a reply":              {`{"type":"message","channel":"C1","user":"U1","ts":"2.0","thread_ts":"1.0"}`, "msg:C1:2.0", "C1:1.0"},
		"a mention":            {`{"type":"app_mention","channel":"C1","user":"U1","ts":"1.0"}`, "msg:C1:1.0", "C1:1.0"},
		"with a file":          {`{"type":"message","subtype":"file_share","channel":"C1","user":"U1","ts":"1.0"}`, "msg:C1:1.0", "C1:1.0"},
		"ours":                 {`{"type":"message","channel":"C1","user":"UBOT","ts":"1.0"}`, "", ""},
		"another bot's":        {`{"type":"message","channel":"C1","user":"U1","bot_id":"B2","ts":"1.0"}`, "", ""},
		"a webhook's":          {`{"type":"message","subtype":"bot_message","channel":"C1","bot_id":"B2","ts":"1.0"}`, "", ""},
		"an edit":              {`{"type":"message","subtype":"message_changed","channel":"C1","ts":"1.0","message":{"user":"U1"}}`, "", ""},
		"a deletion":           {`{"type":"message","subtype":"message_deleted","channel":"C1","ts":"1.0"}`, "", ""},
		"a reaction":           {`{"type":"reaction_added","user":"U1","reaction":"moneybag","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"3.0"}`, "reaction:C1:1.0:moneybag:U1:3.0", "C1:1.0"},
		"the same, once more":  {`{"type":"reaction_added","user":"U1","reaction":"moneybag","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"4.0"}`, "reaction:C1:1.0:moneybag:U1:4.0", "C1:1.0"},
		"our own reaction":     {`{"type":"reaction_added","user":"UBOT","reaction":"eyes","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"3.0"}`, "", ""},
		"a reaction to a file": {`{"type":"reaction_added","user":"U1","reaction":"eyes","item":{"type":"file","file":"F1"},"event_ts":"3.0"}`, "", ""},
		"one taken away":       {`{"type":"reaction_removed","user":"U1","reaction":"eyes","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"3.0"}`, "", ""},
	} {
		d, wanted, err := a.address(t.Context(), "events_api", json.RawMessage(fmt.Sprintf(`{"event_id":"Ev1","event":%s}`, tt.event)))
		if err != nil || wanted != (tt.key != "") || wanted && (d.Key != tt.key || d.Thread != tt.thread) {
			t.Errorf("%s is heard as %q in %q: %v, %v", name, d.Key, d.Thread, wanted, err)
		}
	}
}

// everything is part of the work.
type everything struct{}

func (everything) Message(context.Context, string, string) (bool, error) { return true, nil }

func (everything) Reaction(context.Context, string, string) (bool, error) { return true, nil }

// nothing is part of the work.
type nothing struct{}

func (nothing) Message(context.Context, string, string) (bool, error)  { return false, nil }
func (nothing) Reaction(context.Context, string, string) (bool, error) { return false, nil }

// TestOtherPeoplesTalkIsNotStored: a message that is neither said to the bot nor part of its work does not become an inbox row; of the others, only
// what is read is stored.
func TestOtherPeoplesTalkIsNotStored(t *testing.T) {
	t.Parallel()
	a := &App{botUser: "UBOT", concerns: nothing{}}
	for event, want := range map[string]bool{
		`{"type":"message","channel":"C1","user":"U1","ts":"1.0","text":"lunch?"}`:                                                                 false,
		`{"type":"message","channel":"C1","user":"U1","ts":"2.0","thread_ts":"1.0","text":"yes"}`:                                                  false,
		`{"type":"message","subtype":"file_share","channel":"C1","user":"U1","ts":"1.0","files":[{"id":"F1"}]}`:                                    false,
		`{"type":"reaction_added","user":"U1","reaction":"moneybag","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"3.0"}`:         false,
		`{"type":"message","channel":"C1","user":"U1","ts":"1.0","text":"<@UBOT> help","blocks":[{"private":"x"}],"user_profile":{"phone":"555"}}`: true,
		`{"type":"app_mention","channel":"C1","user":"U1","ts":"1.0","text":"hey <@UBOT>","blocks":[{"private":"x"}]}`:                             true,
		`{"type":"message","channel":"D1","channel_type":"im","user":"U1","ts":"1.0","text":"help","user_profile":{"phone":"555"}}`:                true,
	} {
		d, wanted, err := a.address(t.Context(), "events_api", json.RawMessage(`{"event_id":"Ev1","authorizations":[{"private":1}],"event":`+event+`}`))
		if err != nil || wanted != want {
			t.Errorf("%s is stored: %v, %v", event, wanted, err)
		}
		if strings.Contains(string(d.Payload), "private") || strings.Contains(string(d.Payload), "555") {
			t.Errorf("of %s too much is stored: %s", event, d.Payload)
		}
	}
}

// A reaction is told with its skin tone, which says nothing of what is meant.
func TestAReactionWithASkinTone(t *testing.T) {
	t.Parallel()
	a := &App{botUser: "UBOT"}
	in, ok, err := a.decodeEvent(t.Context(), []byte(
		`{"event":{"type":"reaction_added","user":"U1","reaction":"+1::skin-tone-3","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"3.0"}}`))
	want := request.Incoming{Kind: request.KindReaction, User: "U1", Channel: "C1", TS: "1.0", Emoji: "+1"}
	if err != nil || !ok || fmt.Sprint(in) != fmt.Sprint(want) {
		t.Errorf("it is %+v, %v, %v", in, ok, err)
	}
}
