package slack

import (
	"encoding/json"
	"fmt"
	"testing"

	"sluice/bot"
)

// What becomes an inbox row: people's new messages and their reactions to messages, each once; nothing of bots.
func TestWhatIsHeard(t *testing.T) {
	t.Parallel()
	a := &App{botUser: "UBOT"}
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
		key, thread, wanted := a.address("events_api", json.RawMessage(fmt.Sprintf(`{"event_id":"Ev1","event":%s}`, tt.event)))
		if key != tt.key || thread != tt.thread || wanted != (tt.key != "") {
			t.Errorf("%s is heard as %q in %q: %v", name, key, thread, wanted)
		}
	}
}

// A reaction is told with its skin tone, which says nothing of what is meant.
func TestAReactionWithASkinTone(t *testing.T) {
	t.Parallel()
	a := &App{botUser: "UBOT"}
	in, ok, err := a.decodeEvent(t.Context(), []byte(
		`{"event":{"type":"reaction_added","user":"U1","reaction":"+1::skin-tone-3","item":{"type":"message","channel":"C1","ts":"1.0"},"event_ts":"3.0"}}`))
	want := bot.Incoming{Kind: bot.KindReaction, User: "U1", Channel: "C1", TS: "1.0", Emoji: "+1"}
	if err != nil || !ok || fmt.Sprint(in) != fmt.Sprint(want) {
		t.Errorf("it is %+v, %v, %v", in, ok, err)
	}
}
