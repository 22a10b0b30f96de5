package bot

import (
	"slices"
	"strings"
	"testing"

	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/importer"
	"sluice/storage"
)

// elsewhereApp was written for another installation: two tools of its agents and one of its steps are not known here.
const elsewhereApp = `app: {app_id: elsewhere}
agents:
  - {id: writer, system_prompt: Write., modules: {web: [search, read]}}
flow:
  id: main
  entry: draft
  nodes:
    - {id: draft, type: agent, agent: writer, routes: [{to: send}]}
    - {id: send, type: tool, tool: crm.refund, params: {order_id: A-1}, routes: [{to: end}]}
`

// needs lists what a draft's file needs, each with what stands for it.
func (w *world) needs(d storage.Draft) string {
	w.Helper()
	var out []string
	for _, n := range w.body(d).Needs {
		switch text := n.String(); {
		case !n.Settled:
			out = append(out, text+"?")
		default:
			out = append(out, text+"="+n.Stands)
		}
	}
	return strings.Join(out, " ")
}

// cardWords gives a draft's card: its words, and the labels of its buttons.
func (w *world) cardWords(d storage.Draft) (words string, buttons []string) {
	w.Helper()
	c, err := w.bot.Cards.DraftCard(w.Context(), d.ID)
	if err != nil {
		w.Fatal(err)
	}
	for _, b := range c.Buttons {
		buttons = append(buttons, b.Label)
	}
	for _, q := range c.Questions {
		words += q.Text.String() + "\n"
	}
	for _, s := range c.Sections {
		words += s.Title + "\n" + s.Text.String() + "\n"
	}
	for _, text := range c.Warnings {
		words += text.String() + "\n"
	}
	return words, buttons
}

func (w *world) lists(d storage.Draft, parts ...string) {
	w.Helper()
	words, _ := w.cardWords(d)
	for _, part := range parts {
		if !strings.Contains(words, part) {
			w.Errorf("the card does not say %q:\n%s", part, words)
		}
	}
}

// TestAFileFromElsewhere is dropped, and a form settles what stands here for its names: the draft keeps that, the file stays as it was.
func TestAFileFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d := w.written("ana", elsewhereApp)
	if got, want := w.needs(d), "tool:web.search? tool:web.read? tool:crm.refund?"; got != want {
		t.Fatalf("it needs %s, want %s", got, want)
	}
	w.lists(d, "The file needs 3 things that are not known here", "• tool `web.search` (agent writer): :grey_question: _not said yet_", "tool `crm.refund` (step 2)")
	if _, buttons := w.cardWords(d); slices.Contains(buttons, "Approve") || buttons[0] != surface.NeedsLabel {
		t.Errorf("the buttons are %v", buttons)
	}
	ref := form.Ref{Owner: form.OfNeeds, Subject: d.ID}.String()
	asked, refused, err := w.bot.Form(t.Context(), request.Incoming{Kind: request.KindClick, User: "bob", Team: "T1", Channel: "C1", Action: surface.OpenForm, Value: ref})
	if err != nil || refused != nil || len(asked.Fields) != 4 || asked.Fields[2].Options[0] != "shop.refund" {
		t.Fatalf("the form is %+v (%v, %v)", asked, refused, err)
	}
	send := func(entered map[string]string) string {
		return said(w.hear(request.Incoming{Kind: request.KindSubmit, User: "bob", Value: ref, Form: entered}))
	}
	if got := send(map[string]string{"tool:web.search": "shop.get_ordr"}); !strings.Contains(got, "There is no tool shop.get_ordr here. Did you mean shop.get_order?") {
		t.Errorf("a tool that is not there is answered %q", got)
	}
	if got := send(map[string]string{"tool:crm.refund": "shop.refund"}); got != "" {
		t.Fatalf("the form is answered %q", got)
	}
	d = w.newest(d.Thread)
	if got, want := w.needs(d), "tool:web.search? tool:web.read? tool:crm.refund=shop.refund"; got != want {
		t.Fatalf("it needs %s, want %s", got, want)
	}
	if got := w.approve("ana", d); !strings.Contains(got, "2 things that are not known here") {
		t.Errorf("an approval is answered %q", got)
	}
	w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: d.Thread, Text: "use shop.get_order for web.search, leave the rest"})
	d = w.newest(d.Thread)
	w.lists(d, "tool `web.search` (agent writer): `shop.get_order`", "tool `web.read` (agent writer): left as it is, so agents work without it")
	if got := w.approve("ana", d); got != "" {
		t.Fatalf("the approval is answered %q", got)
	}
	rev, err := w.store.Revision(t.Context(), "elsewhere", 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := flow.FromJSON(rev.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.ToolNames(); !slices.Equal(got, []string{"shop.get_order", "shop.refund", "web.read"}) {
		t.Errorf("the approved flow uses %v", got)
	}
	format, _ := importer.ByProfile(f.Profile)
	if back, err := format.Encode(f); err != nil || string(back) != elsewhereApp {
		t.Errorf("the file is given back as\n%s\n%v", back, err)
	}
	if words, _ := w.cardWords(w.newest(d.Thread)); !strings.Contains(words, "tool `crm.refund` (step 2): `shop.refund`") {
		t.Errorf("the approved card says\n%s", words)
	}
}

// TestOnlyNewNeedsAreAsked drops a file again: what was said of its names holds, and only a new name is asked about.
func TestOnlyNewNeedsAreAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d := w.written("ana", elsewhereApp)
	w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: d.Thread, Text: "tool:crm.refund=shop.refund and leave the rest"})
	if got := w.needs(w.newest(d.Thread)); got != "tool:web.search= tool:web.read= tool:crm.refund=shop.refund" {
		t.Fatalf("it needs %s", got)
	}
	changed := strings.Replace(elsewhereApp, "[search, read]", "[search, write]", 1)
	d = w.writtenIn("ana", changed, d.Thread)
	if got := w.needs(d); got != "tool:web.search= tool:web.write? tool:crm.refund=shop.refund" {
		t.Fatalf("in the thread, it needs %s", got)
	}
	w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: d.Thread, Text: "leave web.write"})
	if got := w.approve("bob", w.newest(d.Thread)); got != "" {
		t.Fatalf("the approval is answered %q", got)
	}
	d = w.written("ana", strings.Replace(changed, "A-1", "A-2", 1))
	if got := w.needs(d); got != "tool:web.search= tool:web.write= tool:crm.refund=shop.refund" {
		t.Errorf("a change of the approved flow needs %s", got)
	}
	if got := w.approve("bob", d); got != "" {
		t.Errorf("its approval is answered %q", got)
	}
}

// TestPeopleOfAFileFromElsewhere: people and channels of a native file, too, and undo takes nothing of it back.
func TestPeopleOfAFileFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Models = []string{"small", "acme/large"} })
	d := w.written("ana", `
name: asks
agents: [{id: judge, model: their-model, instructions: Judge.}]
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Go?", who: {groups: ["@board"], users: ["@bob"]}, routes: [{when: "approvals.gate == 'approve'", to: look}, {when: default, to: end}]}
    - {id: look, type: agent, agent: judge, routes: [{to: end}]}
`)
	if got := w.needs(d); got != "model:their-model? person:@board?" {
		t.Fatalf("it needs %s", got)
	}
	hear := func(text string) string {
		return said(w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: d.Thread, Text: text}))
	}
	if got := hear("@board is @nobody"); !strings.Contains(got, "There is no person @nobody here") {
		t.Errorf("a person who is not here is answered %q", got)
	}
	if got := hear("@board is finance; their-model = default"); got != "" {
		t.Fatalf("it is answered %q", got)
	}
	d = w.newest(d.Thread)
	w.lists(d, "person `@board` (step 1): `@finance`", "model `their-model` (agent judge): `default`")
	if got := w.body(d).Steps[0].Text; !strings.Contains(got, "@finance") || strings.Contains(got, "@board") {
		t.Errorf("the first step is %q", got)
	}
}

// TestAToolThatTakesSomethingElse stands for none of a file: what it does not take is said, and approval waits.
func TestAToolThatTakesSomethingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d := w.written("ana", "app: {app_id: mail}\nflow: {id: main, entry: send, nodes: [{id: send, type: tool, tool: channels.send_message, params: {channel: email, body: Hi}}]}\n")
	hear := func(text string) {
		w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: d.Thread, Text: text})
		d = w.newest(d.Thread)
	}
	hear("channels.send_message is shop.refund")
	w.lists(d, "'shop.refund' needs the parameter 'order_id'")
	if got := w.approve("ana", d); !strings.Contains(got, "cannot be approved") {
		t.Errorf("the approval is answered %q", got)
	}
	hear("leave channels.send_message")
	if got := w.approve("ana", d); got != "" {
		t.Errorf("the approval is answered %q", got)
	}
}

// TestChannelsOfAFileFromElsewhere: what starts an app elsewhere is a channel of Slack here, once somebody says which, and nothing when it is
// left as it is.
func TestChannelsOfAFileFromElsewhere(t *testing.T) {
	t.Parallel()
	const app = `app: {app_id: desk}
flow: {id: main, entry: done, nodes: [{id: done, type: terminal, output: "{{event.payload.message}} {{event.payload.id}}"}]}
tools: {modules: {channels: {config: {providers: {inbox: {adapter: webhook, activation: {reply: auto}}, nightly: {adapter: cron}}}}}}
`
	for stands, subjects := range map[string][]string{"#C1": {"C1"}, "leave": {}} {
		w := newWorld(t, nil)
		d := w.written("ana", app)
		if got := w.needs(d); got != "channel:channels.inbox?" {
			t.Fatalf("it needs %s", got)
		}
		w.lists(d, "The file needs the channel channels.inbox", "the channel inbox (webhook) starts the app", "A message has no event.payload.id", "the channel nightly does not start this flow")
		w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: d.Thread, Text: "channels.inbox is " + stands})
		d = w.newest(d.Thread)
		if words, _ := w.cardWords(d); strings.Contains(words, "Every message in") != (len(subjects) > 0) {
			t.Errorf("with %s the card says\n%s", stands, words)
		}
		if got := w.approve("ana", d); got != "" {
			t.Fatalf("with %s the approval is answered %q", stands, got)
		}
		rows, err := w.store.TriggersOf(t.Context(), "desk")
		got := []string{}
		for _, row := range rows {
			got = append(got, row.Subject)
		}
		if err != nil || !slices.Equal(got, subjects) {
			t.Errorf("with %s it starts in %v, %v", stands, got, err)
		}
		rev, err := w.store.Revision(t.Context(), "desk", 1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := flow.FromJSON(rev.Body)
		if err != nil {
			t.Fatal(err)
		}
		format, _ := importer.ByProfile(f.Profile)
		if back, err := format.Encode(f); err != nil || string(back) != app {
			t.Errorf("with %s the file is given back as\n%s\n%v", stands, back, err)
		}
	}
}

// TestAgentsOfAFileFromElsewhere: a workflow names agents by the ids of another installation.
func TestAgentsOfAFileFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d := w.written("ana", `{"id": "hello", "name": "Hello", "isConversational": false, "entrypointNodeId": "n1",
		"nodes": [{"id": "n1", "workflowId": "hello", "nodeType": "AGENT", "nodeName": "Greeter", "agentId": "a-7"}],
		"edges": [{"id": "e1", "workflowId": "hello", "sourceNodeId": "n1", "targetNodeId": null, "conditionType": "CONDITIONAL", "conditionValue": "END"}]}`)
	if got := w.needs(d); got != "agent:a-7?" {
		t.Fatalf("it needs %s", got)
	}
	if got := w.approve("bob", d); !strings.Contains(got, "The file needs the agent a-7, which is not known here") {
		t.Errorf("the approval is answered %q", got)
	}
	w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: d.Thread, Text: "leave it"})
	w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: d.Thread, Text: "leave a-7"})
	d = w.newest(d.Thread)
	w.lists(d, "agent `a-7` (step 1): left as it is, so a run that comes to it stops there")
	if got := w.approve("bob", d); got != "" {
		t.Errorf("the approval is answered %q", got)
	}
}
