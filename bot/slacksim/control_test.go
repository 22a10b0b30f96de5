package slacksim_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"sluice/bot/slacksim"
)

func TestStateReturnsWhenSomethingChanged(t *testing.T) {
	t.Parallel()
	w := open(t)
	before := w.get("state", "channel=support").Seq
	got := make(chan answer, 1)
	go func() { got <- w.get("state", "channel=%23support&wait=60s&after="+itoa(before)) }()
	w.post("message", map[string]any{"user": "ana", "channel": "general", "text": "elsewhere"})
	sent := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "here"})
	state := <-got
	if len(state.Messages) != 1 || state.Messages[0].Text != "here" || state.Seq < sent.Seq {
		t.Errorf("state: %+v", state)
	}
	if state := w.get("state", "channel=support&wait=20ms&after="+itoa(state.Seq)); len(state.Messages) != 1 {
		t.Errorf("after the wait passed: %+v", state)
	}
}

func TestEventsFollowEveryChange(t *testing.T) {
	t.Parallel()
	w := open(t)
	start := w.get("info", "").Seq
	w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "one"})
	w.post("message", map[string]any{"user": "bob", "channel": "general", "text": "two"})
	got := w.get("events", "wait=10s&after="+itoa(start))
	var texts []string
	last := start
	for _, e := range got.Events {
		if e.Seq <= last {
			t.Errorf("seq %d after %d", e.Seq, last)
		}
		last = e.Seq
		if e.Message != nil {
			texts = append(texts, e.Message.Text)
		}
	}
	if diff := cmp.Diff([]string{"one", "two"}, texts); diff != "" {
		t.Error(diff)
	}
	if got := w.get("events", "after=9999"); !got.Resync {
		t.Error("a client that is ahead must read everything again")
	}
}

func TestFormsWorkLikeJSON(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	_, ts, err := w.api.PostMessage(w.id("support"), slack.MsgOptionText("go", true),
		slack.MsgOptionBlocks(slack.NewActionBlock("b", slack.NewButtonBlockElement("go", "v", text("Go")))))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.PostForm(w.http.URL+"/control/action", url.Values{
		"user": {"ana"}, "container.channel": {"#support"}, "container.message_ts": {ts}, "action_id": {"go"},
	})
	if got := w.read(resp, err); !got.OK {
		t.Errorf("answered %+v", got)
	}
	if e := a.nextInteraction(t, slack.InteractionTypeBlockActions); e.User.Name != "ana" {
		t.Errorf("heard %+v", e.User)
	}
	resp, err = http.PostForm(w.http.URL+"/control/message", url.Values{"user": {"ana"}, "channel": {"support"}, "text": {"[1] done"}})
	if got := w.read(resp, err); got.Text != "[1] done" {
		t.Errorf("answered %+v", got)
	}
}

func TestOtherPagesMayNotDriveTheWorkspace(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, origin := range []string{"http://evil.example", w.http.URL} {
		r, err := http.NewRequest(http.MethodPost, w.http.URL+"/control/reset", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		resp, err := http.DefaultClient.Do(r)
		if got := w.read(resp, err); got.OK != (origin == w.http.URL) {
			t.Errorf("from %s: %+v", origin, got)
		}
	}
}

func TestPeopleActOnlyWhereTheyAre(t *testing.T) {
	t.Parallel()
	w := open(t)
	m := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "mine"})
	cases := map[string]struct {
		path string
		body map[string]any
		want string
	}{
		"a stranger":             {"message", map[string]any{"user": "eve", "channel": "support", "text": "x"}, "user_not_found"},
		"the bot":                {"message", map[string]any{"user": "sluice", "channel": "support", "text": "x"}, "user_not_found"},
		"no such channel":        {"message", map[string]any{"user": "ana", "channel": "nowhere", "text": "x"}, "channel_not_found"},
		"not a member":           {"message", map[string]any{"user": "bob", "channel": "finance", "text": "x"}, "not_in_channel"},
		"no text":                {"message", map[string]any{"user": "ana", "channel": "support", "text": ""}, "no_text"},
		"no such thread":         {"message", map[string]any{"user": "ana", "channel": "support", "text": "x", "thread_ts": "1.1"}, "thread_not_found"},
		"another's message":      {"edit", map[string]any{"user": "bob", "channel": "support", "ts": m.TS, "text": "x"}, "cant_update_message"},
		"a reaction to nothing":  {"reaction", map[string]any{"user": "bob", "channel": "support", "ts": "1.1", "name": "eyes"}, "message_not_found"},
		"a reaction of nonsense": {"reaction", map[string]any{"user": "bob", "channel": "support", "ts": m.TS, "name": "<eyes>"}, "invalid_name"},
		"time going back":        {"clock", map[string]any{"advance": "-1s"}, "invalid_advance"},
		"a view of nobody":       {"close_view", map[string]any{"user": "ana", "view_id": "V1"}, "view_not_found"},
		"no such call":           {"frob", nil, "unknown_control"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := w.try(c.path, c.body); got.OK || got.Error != c.want {
				t.Errorf("answered %+v, want %s", got, c.want)
			}
		})
	}
}

func TestPeopleEditDeleteAndReact(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	m := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "first"})
	at := map[string]any{"user": "ana", "channel": "support", "ts": m.TS, "text": "second", "name": "eyes"}
	w.post("edit", at)
	w.post("reaction", at)
	w.post("delete", at)
	heard := map[string]bool{}
	for len(heard) < 4 {
		e := a.next(t, socketmode.EventTypeEventsAPI).Data.(slackevents.EventsAPIEvent)
		switch inner := e.InnerEvent.Data.(type) {
		case *slackevents.MessageEvent:
			heard["message "+inner.SubType] = true
			if inner.SubType == "message_changed" && (inner.Message.Text != "second" || inner.PreviousMessage.Text != "first") {
				t.Errorf("changed from %q to %q", inner.PreviousMessage.Text, inner.Message.Text)
			}
		case *slackevents.ReactionAddedEvent:
			heard["reaction "+inner.Reaction] = inner.Item.Timestamp == m.TS
		}
	}
	want := map[string]bool{"message ": true, "message message_changed": true, "message message_deleted": true, "reaction eyes": true}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Error(diff)
	}
}

func TestTheBotIsInvited(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) {
		o.Seed = slacksim.DefaultSeed()
		o.Seed.Channels = append(o.Seed.Channels, slacksim.SeedChannel{Name: "eng", Members: []string{"ana"}})
	})
	w.post("message", map[string]any{"user": "ana", "channel": "eng", "text": "@Sluice are you here?"})
	a := w.connect(nil)
	w.post("join", map[string]any{"user": "@Sluice", "channel": "#eng"})
	e := a.next(t, socketmode.EventTypeEventsAPI).Data.(slackevents.EventsAPIEvent)
	if joined, ok := e.InnerEvent.Data.(*slackevents.MemberJoinedChannelEvent); !ok || joined.User != w.id("sluice") {
		t.Errorf("the first thing that the bot heard: %+v", e.InnerEvent)
	}
	w.post("leave", map[string]any{"user": "sluice", "channel": "eng"})
	if _, _, err := w.api.PostMessage(w.id("eng"), slack.MsgOptionText("x", true)); !isError(err, "not_in_channel") {
		t.Errorf("posting after leaving: %v", err)
	}
	if _, _, _, err := w.api.JoinConversation(w.id("eng")); err != nil {
		t.Error(err)
	}
}

func TestTextIsEncoded(t *testing.T) {
	t.Parallel()
	w := open(t)
	ana, finance, general := w.id("ana"), w.id("finance"), w.id("general")
	cases := map[string]string{
		"@ana, @finance & #general":     "<@" + ana + ">, <!subteam^" + finance + "|@finance> &amp; <#" + general + "|general>",
		"(@ANA)":                        "(<@" + ana + ">)",
		"mail@ana.example":              "mail@ana.example",
		"@nobody in #nowhere":           "@nobody in #nowhere",
		"@here":                         "<!here>",
		"a > 1 <b>":                     "a &gt; 1 &lt;b&gt;",
		"see http://x.example/a?b=1&c.": "see <http://x.example/a?b=1&amp;c>.",
		"<@" + ana + "> again":          "<@" + ana + "> again",
		"one\n@ana":                     "one\n<@" + ana + ">",
	}
	for typed, want := range cases {
		if got := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": typed}).Text; got != want {
			t.Errorf("%q became %q, want %q", typed, got, want)
		}
	}
}

func TestThePageIsServed(t *testing.T) {
	t.Parallel()
	w := open(t)
	resp, err := http.Get(w.http.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") {
		t.Errorf("the page is %d %s", resp.StatusCode, kind)
	}
}

func TestStatusOfTheAgentIsShownUntilItPosts(t *testing.T) {
	t.Parallel()
	w := open(t)
	root := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "hello"})
	err := w.api.SetAssistantThreadsStatus(slack.AssistantThreadsSetStatusParameters{
		ChannelID: root.Channel, ThreadTS: root.TS, Status: "is drawing...",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.get("state", "channel=support").Status[root.TS]; got != "is drawing..." {
		t.Errorf("the status is %q", got)
	}
	if _, _, err := w.api.PostMessage(root.Channel, slack.MsgOptionText("done", true), slack.MsgOptionTS(root.TS)); err != nil {
		t.Fatal(err)
	}
	if got := w.get("state", "channel=support").Status[root.TS]; got != "" {
		t.Errorf("the status is still %q", got)
	}
	_, err = w.api.SetAgentSessionStatus(slack.AgentSessionSetStatusParameters{
		Status: slack.AgentSessionStatusProcessing, ChannelID: root.Channel, ThreadTS: root.TS,
	})
	if err != nil || w.get("state", "channel=support").Status[root.TS] == "" {
		t.Errorf("no status while processing: %v", err)
	}
}
