package slack

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/bot/request"
	"sluice/storage"
)

// These become inbox rows: people's new messages and their reactions to messages, each once; nothing of bots.
func TestWhatIsHeard(t *testing.T) {
	t.Parallel()
	a := &App{account: account{user: "UBOT"}, concerns: everything{}}
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
		d, wanted, err := addressed(t, a, tt.event)
		if err != nil || wanted != (tt.key != "") || wanted && (d.Key != tt.key || d.Thread != tt.thread) {
			t.Errorf("%s is heard as %q in %q: %v, %v", name, d.Key, d.Thread, wanted, err)
		}
	}
}

// everything is part of the work.
type everything struct{}

func (everything) Heard(context.Context, request.Incoming) (bool, error) { return true, nil }

// nothing is part of the work.
type nothing struct{}

func (nothing) Heard(context.Context, request.Incoming) (bool, error) { return false, nil }

// TestOtherPeoplesTalkIsNotStored: a message that is neither said to the bot nor part of its work does not become an inbox row; of the others, only
// what is read is stored.
func TestOtherPeoplesTalkIsNotStored(t *testing.T) {
	t.Parallel()
	a := &App{account: account{user: "UBOT"}, concerns: nothing{}}
	for sent, want := range map[string]bool{
		`{"type":"message","channel":"C1","user":"U1","ts":"1.0","text":"lunch?"}`:                                                                 false,
		`{"type":"message","channel":"C1","user":"U1","ts":"2.0","thread_ts":"1.0","text":"yes"}`:                                                  false,
		`{"type":"message","subtype":"file_share","channel":"C1","user":"U1","ts":"1.0","files":[{"id":"F1"}]}`:                                    false,
		`{"type":"reaction_added","user":"U1","reaction":"moneybag","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"3.0"}`:         false,
		`{"type":"message","channel":"C1","user":"U1","ts":"1.0","text":"<@UBOT> help","blocks":[{"private":"x"}],"user_profile":{"phone":"555"}}`: true,
		`{"type":"app_mention","channel":"C1","user":"U1","ts":"1.0","text":"hey <@UBOT>","blocks":[{"private":"x"}]}`:                             true,
		`{"type":"message","channel":"D1","channel_type":"im","user":"U1","ts":"1.0","text":"help","user_profile":{"phone":"555"}}`:                true,
	} {
		d, wanted, err := addressed(t, a, sent)
		if err != nil || wanted != want {
			t.Errorf("%s is stored: %v, %v", sent, wanted, err)
		}
		if strings.Contains(string(d.Payload), "private") || strings.Contains(string(d.Payload), "555") {
			t.Errorf("of %s too much is stored: %s", sent, d.Payload)
		}
	}
}

// addressed is the inbox row of an event. What cannot be read gets none: the client library does not know a reaction to a file.
func addressed(t *testing.T, a *App, event string) (storage.Inbox, bool, error) {
	t.Helper()
	d, err := read("events_api", json.RawMessage(`{"event_id":"Ev1","authorizations":[{"private":1}],"event":`+event+`}`))
	if err != nil {
		return storage.Inbox{}, false, nil
	}
	return a.address(t.Context(), d)
}

// What an inbox row says to the bot. The rows are as releases have stored them, with fields that are empty and without those of Slack that nobody reads.
func TestDecodeStoredDeliveries(t *testing.T) {
	t.Parallel()
	a := &App{account: account{user: "UBOT"}, people: &directory{}}
	const empty = `"subtype":"","channel_type":"","bot_id":"","user_team":"","reaction":"","event_ts":"","item":{"type":"","channel":"","ts":""}`
	for name, tt := range map[string]struct {
		kind, payload string
		want          request.Incoming
	}{
		"a message with a file": {
			"events_api", `{"event_id":"Ev1","event":{"type":"message","channel":"C1","user":"U1","team":"T1","text":"look","ts":"2.0","thread_ts":"1.0","files":[{"id":"F1","name":"a.yaml","mimetype":"text/plain","size":7,"mode":"hosted","url_private":"http://p","url_private_download":""}],` + empty + `}}`,
			request.Incoming{Kind: request.KindMessage, User: "U1", Team: "T1", Channel: "C1", Thread: "1.0", TS: "2.0", Text: "look", Files: []request.File{{ID: "F1", Name: "a.yaml", Type: "text/plain", Size: 7, URL: "http://p"}}},
		},
		"a reaction with a skin tone": { // which says nothing of what is meant
			"events_api", `{"event":{"type":"reaction_added","user":"U1","reaction":"+1::skin-tone-3","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"3.0","files":null}}`,
			request.Incoming{Kind: request.KindReaction, User: "U1", Channel: "C1", TS: "1.0", Emoji: "+1"},
		},
		"a command": {
			"slash_commands", `{"command":"/flow","user_id":"U1","team_id":"T1","channel_id":"C1","text":" run x","response_url":"http://r","trigger_id":"1"}`,
			request.Incoming{Kind: request.KindCommand, User: "U1", Team: "T1", Channel: "C1", Text: "run x", Reply: "http://r"},
		},
		"a press in a thread": {
			"interactive", `{"type":"block_actions","user":{"id":"U1","team_id":"T1"},"container":{"type":"message","channel_id":"C1","message_ts":"2.0","thread_ts":"1.0"},"response_url":"http://r","actions":[{"type":"button","block_id":"b","action_id":"gate.choose:1","value":"v"}]}`,
			request.Incoming{Kind: request.KindClick, User: "U1", Team: "T1", Channel: "C1", Thread: "1.0", TS: "2.0", Action: "gate.choose:1", Value: "v", Reply: "http://r"},
		},
		"a choice": {
			"interactive", `{"type":"block_actions","user":{"id":"U1"},"channel":{"id":"C1"},"message":{"ts":"2.0"},"container":{"message_ts":"2.0"},"actions":[{"type":"static_select","block_id":"b","action_id":"pick","selected_option":{"text":{"type":"plain_text","text":"One"},"value":"1"}}]}`,
			request.Incoming{Kind: request.KindClick, User: "U1", Channel: "C1", TS: "2.0", Action: "pick", Chosen: "1"},
		},
		"a form": {
			"view_submission", `{"type":"view_submission","user":{"id":"U1","team_id":"T1"},"view":{"id":"V1","callback_id":"form","private_metadata":"{\"ref\":\"gate:r/1\",\"channel\":\"C1\",\"thread\":\"1.0\"}","state":{"values":{"note":{"value":{"type":"plain_text_input","value":"fine"}},"size":{"value":{"type":"static_select","selected_option":{"value":"L"}}}}}}}`,
			request.Incoming{Kind: request.KindSubmit, User: "U1", Team: "T1", Channel: "C1", Thread: "1.0", Value: "gate:r/1", Form: map[string]string{"note": "fine", "size": "L"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := read(tt.kind, json.RawMessage(tt.payload))
			if err != nil {
				t.Fatal(err)
			}
			in, ok, err := a.incoming(t.Context(), d)
			in.Text = strings.TrimSpace(in.Text)
			if diff := cmp.Diff(tt.want, in); diff != "" || !ok || err != nil {
				t.Errorf("%v, %v, %s", ok, err, diff)
			}
		})
	}
}

// Deliveries that cannot be read are an error; events that are none of the bot's say nothing.
func TestDeliveriesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for kind, payload := range map[string]string{"events_api": `{"event":7}`, "slash_commands": `[]`, "interactive": `{"actions":1}`, "options": `{}`} {
		if _, err := read(kind, json.RawMessage(payload)); err == nil {
			t.Errorf("%s %s was read", kind, payload)
		}
	}
	if d, err := read("events_api", json.RawMessage(`{"event":{"type":"team_join","user":{}}}`)); err != nil || d.data != nil {
		t.Errorf("an event of another kind gave %v, %v", d.data, err)
	}
}

// Of a message that is stored those parts remain that the bot reads.
func FuzzKept(f *testing.F) {
	f.Add(`{"event_id":"1","event":{"type":"message","text":"a","blocks":[1],"files":[{"id":"F","x":1},null]}}`)
	f.Add(`{"event":{"files":"none","item":[]}}`)
	f.Fuzz(func(t *testing.T, payload string) {
		small, err := kept(json.RawMessage(payload), keptOfEvent)
		if err != nil {
			return
		}
		again, err := kept(small, keptOfEvent)
		if err != nil || string(again) != string(small) {
			t.Errorf("%s is reduced to %s, and that to %s (%v)", payload, small, again, err)
		}
	})
}
