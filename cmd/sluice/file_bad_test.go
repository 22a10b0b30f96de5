package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
)

// brokenFlow has a misspelt key, a misspelt target and an expression that does not end.
const brokenFlow = `name: broken
flow:
  entry: first
  nodes:
    - {id: first, type: say, mesage: hello, routes: [{to: secnd}]}
    - {id: second, type: say, message: "it is {{inputs.x", routes: [{to: end}]}
`

const mendedFlow = `name: broken
flow:
  entry: first
  nodes:
    - {id: first, type: say, message: hello, routes: [{to: second}]}
    - {id: second, type: say, message: it is done, routes: [{to: end}]}
`

// TestBadFlowFile: every problem comes in one answer that everybody in the thread sees, and the mended file makes the draft.
func TestBadFlowFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.drop("ana", "#support", "", "@Sluice", "broken.yaml", brokenFlow)
	line := w.told(root.TS, "broken.yaml* has")
	for _, part := range []string{
		"so there is no draft of it yet", "5:30: unknown key 'mesage'", "did you mean 'message'?", "5:59: unknown target 'secnd'", "did you mean 'second'?", "^\n", "6:47: this {{ is never closed",
	} {
		if !strings.Contains(line.shown(), part) {
			t.Errorf("the problems do not say %q:\n%s", part, line.shown())
		}
	}
	if line.EphemeralTo != "" || strings.Contains(line.shown(), "Approve") {
		t.Errorf("the problems are shown as\n%s", line.shown())
	}
	w.put("ana", root.TS, "broken.yaml", mendedFlow)

	var many strings.Builder
	for i := range 150 {
		fmt.Fprintf(&many, "unknown_key_%d: \"a value with <angle> brackets & ``` fences\"\n", i)
	}
	root = w.drop("ana", "#support", "", "@Sluice", "many.yaml", mendedFlow+many.String())
	if line = w.told(root.TS, "many.yaml* has 150 problems"); !strings.Contains(line.shown(), " more.") || strings.Count(line.shown(), "```") != 2 {
		t.Errorf("many problems are shown as\n%s", line.shown())
	}
}

// TestFilesThatAreNoFlow: what cannot become a draft is answered in a sentence, and what else the message says still counts.
func TestFilesThatAreNoFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	for name, c := range map[string]struct{ content, want string }{
		"photo.png":     {"\x89PNG\r\n\x1a\n", "photo.png is no flow that I can read. I can read a native Sluice flow in YAML or JSON."},
		"notes.txt":     {"call mum\nbuy milk", "notes.txt is no flow that I can read. I can read a native Sluice flow in YAML or JSON.\nIt would begin with `name:` and `flow:`."},
		"chart.json":    {`{"nodes": [], "edges": []}`, "chart.json is no flow that I can read. I can read a native Sluice flow in YAML or JSON.\nIt would begin with `name:` and `flow:`. I also read a Digitorn app"},
		"empty.yaml":    {"# nothing", "empty.yaml is no flow that I can read."},
		"compose.yml":   {"name: web\nservices: {}\n", "compose.yml is no flow that I can read."},
		"huge.yaml":     {mendedFlow + strings.Repeat("# filler\n", flow.MaxDocumentBytes/9), "huge.yaml is too big for a flow: it may have 1024 KB."},
		"name`*<!here>": {"nothing", "name__&lt;!here&gt; is no flow"},
	} {
		a := w.drop("ana", "#support", "", "@Sluice", name, c.content)
		if line := w.private("ana", "#support", a.Seq).shown(); !strings.Contains(line, c.want) {
			t.Errorf("%s is answered: %s", name, line)
		}
	}
	a := w.drop("ana", "#support", "", "@Sluice list", "photo.png", "\x89PNG\r\n\x1a\n")
	if line := w.private("ana", "#support", a.Seq).shown(); !strings.Contains(line, "no flows yet") {
		t.Errorf("a command beside a picture is answered: %s", line)
	}
	root := w.drop("ana", "#support", "", outline, "screenshot.png", "\x89PNG\r\n\x1a\n")
	drafted(w, root)
	w.drop("ana", "#support", "", "look at this", "refund.yaml", exampleFlow(t, "refund/flow.yaml")) // nobody asked
	w.ask("ana", "#support", "help")
	if cards := filter(w.state("#support"), func(m message) bool { return slices.Contains(m.buttons(), "Approve") }); len(cards) != 1 {
		t.Errorf("drafts:\n%s", transcript(cards))
	}
}

// TestFileWarnings: what blocks approval and what people should know is on the card of a draft from a file, as on others.
func TestFileWarnings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{secondPerson: true})
	card := w.put("ana", "", "odd.json", `{"name": "odd", "triggers": [{"schedule": {"cron": "0 9 * * 1"}}], "agents": [{"id": "clerk", "instructions": "Look", "tools": ["shop.get_ordr"]}],
		"flow": {"entry": "a", "nodes": [
			{"id": "a", "type": "agent", "agent": "clerk", "routes": [{"to": "b"}]},
			{"id": "b", "type": "approval", "message": "Well?", "who": {"groups": ["@finanse"]}, "routes": [{"when": "approvals.b == 'approve'", "to": "c"}, {"when": "default", "to": "end"}]},
			{"id": "c", "type": "tool", "tool": "shop.refnd", "params": {"order_id": "A-1"}, "routes": [{"to": "d"}]},
			{"id": "d", "type": "tool", "tool": "http.post", "params": {"url": "https://pay.example/x", "headers": {"Authorization": "{{secret.PAY}}"}}, "routes": [{"to": "end"}]}]}}`)
	for _, part := range []string{
		"tool `shop.get_ordr` (agent clerk): :grey_question: _not said yet_; nearest here: `shop.get_order`",
		"tool `shop.refnd` (step 3): :grey_question: _not said yet_; nearest here: `shop.refund`", "person `@finanse` (step 2): :grey_question: _not said yet_; nearest here: `@finance`",
		"3 things that are not known here", "no language model is configured", "the secret PAY, which is not set", "It starts by itself every Monday at 09:00",
		"Sends data to pay.example.", "Uses the secret PAY in “Send an HTTP POST request to an address”", "a second person must approve it",
	} {
		if !strings.Contains(card.shown(), part) {
			t.Errorf("the draft does not say %q:\n%s", part, card.shown())
		}
	}
	w.unapprovable(card)
	whole := w.put("ana", "", "refund.yaml", exampleFlow(t, "refund/flow.yaml"))
	a := w.click("bob", whole, "Approve")
	if line := w.private("bob", "#support", a.Seq).shown(); !strings.Contains(line, "not everybody may approve it") {
		t.Errorf("bob is told: %s", line)
	}
	if line := w.ask("ana", "#support", "list").shown(); !strings.Contains(line, "no flows yet") {
		t.Errorf("a flow that is not whole was approved:\n%s", line)
	}
	missing := w.drop("ana", "#support", "", "@Sluice", "timed.yaml", `name: timed
inputs: {order_id: {type: string, required: true}}
triggers: [{schedule: {cron: "0 9 * * 1"}}]
flow: {entry: a, nodes: [{id: a, type: say, message: hello, routes: [{to: end}]}]}
`)
	w.told(missing.TS, "the schedule gives no 'order_id', which every run needs")
}

// TestHiddenNameInAFile: a name that a hidden flow has is refused with the words that a draft in words gets.
func TestHiddenNameInAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: privateSeed})
	drafts(w)
	a := w.drop("eve", "#general", "", "@Sluice", "refund.yaml", exampleFlow(t, "refund/flow.yaml"))
	file := w.private("eve", "#general", a.Seq)
	words := w.write("eve", "#general", "", outline)
	line := w.private("eve", "#general", words.Seq)
	head, _, _ := strings.Cut(line.shown(), "\n")
	if !strings.HasPrefix(file.shown(), head) || !strings.Contains(head, "is not free") {
		t.Errorf("the file is answered:\n%s\nwords are answered:\n%s", file.shown(), line.shown())
	}
	sub := strings.NewReplacer("flow: inspection", "flow: refund").Replace(exampleFlow(t, "return/flow.yaml"))
	a = w.drop("eve", "#general", "", "@Sluice", "return.yaml", sub)
	card := w.untilMessage("#general", "a draft's card", func(m message) bool { return m.Thread == a.TS && slices.Contains(m.buttons(), "Approve") })
	if !strings.Contains(card.shown(), "It starts the flow refund, which you cannot see here. That one must be approved first: write “@Sluice new refund: …” in this channel") {
		t.Errorf("a hidden flow inside a flow is shown as\n%s", card.shown())
	}
}

// TestSlackMisbehavesWithFiles: whatever Slack does to the deliveries of a file or to its download, there is one draft in the end.
func TestSlackMisbehavesWithFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	for i, f := range []fields{
		{"target": "socket", "kind": "duplicate", "method": "message"},
		{"target": "socket", "kind": "duplicate", "method": "app_mention"},
		{"target": "socket", "kind": "timeout", "method": "message"},
		{"target": "socket", "kind": "delay", "method": "message", "after": "700"}, // app_mention, which names no file, comes first
		{"target": "api", "kind": "500", "method": "url_private", "times": 2},
		{"target": "api", "kind": "429", "method": "url_private", "after": "100"},
		{"target": "api", "kind": "drop", "method": "url_private"},
		{"target": "api", "kind": "500", "method": "files.completeUploadExternal"},
	} {
		w.fault(f)
		root := w.drop("ana", "#support", "", "@Sluice", "f.yaml", strings.Replace(mendedFlow, "name: broken", fmt.Sprint("name: sound-", i), 1))
		card := w.cardAfter(root.TS, root.TS)
		w.click("ana", card, "Discard")
		w.told(root.TS, "Discarded by")
		if cards := filter(w.state("#support"), func(m message) bool { return m.Bot && m.Thread == root.TS }); len(cards) != 1 {
			t.Errorf("with the fault %v there are %d answers:\n%s", f, len(cards), transcript(cards))
		}
	}
	// In a channel that workspaces share only files.info knows the file.
	shared := w.post("message", fields{
		"user": "ana", "channel": "#support", "text": "@Sluice", "files": []fields{{"name": "shared.yaml", "content": mendedFlow, "ask": true}},
	})
	w.cardAfter(shared.TS, shared.TS)
	// Twice the same export after a lost answer is one file.
	card := w.put("ana", "", "twice.yaml", strings.Replace(mendedFlow, "name: broken", "name: twice", 1))
	w.fault(fields{"target": "api", "kind": "drop", "method": "files.completeUploadExternal", "after": "after_act"})
	w.given("#support", card.Thread, "twice.flow.yaml", w.click("ana", card, "Edit as file").Seq)
	end := w.write("ana", "#support", card.Thread, "2. say it is over")
	w.cardAfter(card.Thread, end.TS)
	if files := filter(w.state("#support"), func(m message) bool { return len(m.Files) == 1 && m.Files[0].Name == "twice.flow.yaml" }); len(files) != 1 {
		t.Errorf("the file was given %d times", len(files))
	}
}

// TestFileInADirectMessage needs no mention. A file that is deleted before it is read is said to be gone.
func TestFileInADirectMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	a := w.drop("ana", "@ana", "", "", "peek.yml", strings.Replace(mendedFlow, "name: broken", "name: peek", 1))
	card := w.untilMessage("@ana", "a draft's card", func(m message) bool { return m.Thread == a.TS && slices.Contains(m.buttons(), "Approve") })
	w.click("ana", card, "Approve")
	w.untilMessage("@ana", "the approved card", func(m message) bool { return strings.Contains(m.shown(), "Approved as version 1") })
	if line := w.ask("bob", "#support", "export peek").shown(); !strings.Contains(line, "no such") {
		t.Errorf("somebody else's flow is given: %s", line)
	}

	// A kill between the ack and the draft: the file is read by the next process.
	w.fault(fields{"target": "api", "kind": "hold", "method": "url_private", "times": 1})
	kept := w.drop("ana", "#support", "", "@Sluice", "kept.yaml", strings.Replace(mendedFlow, "name: broken", "name: kept", 1))
	heard := func(m message) bool { return m.TS == kept.TS && len(m.Reactions) == 1 }
	w.untilMessage("#support", "the reaction", heard)
	w.bot.kill()
	w.post("heal", fields{}) // the kill may have come before the download
	w.startBot()
	w.cardAfter(kept.TS, kept.TS)

	w.fault(fields{"target": "api", "kind": "hold", "method": "url_private", "times": 1})
	gone := w.drop("ana", "#support", "", "@Sluice", "gone.yaml", mendedFlow)
	m := w.untilMessage("#support", "the reaction", func(m message) bool { return m.TS == gone.TS && len(m.Reactions) == 1 })
	w.post("delete_file", fields{"user": "ana", "file": m.Files[0].ID})
	w.post("heal", fields{}) // also when the download has not begun: the reaction comes first
	if line := w.private("ana", "#support", gone.Seq).shown(); !strings.Contains(line, "gone.yaml was deleted before I could read it.") {
		t.Errorf("a deleted file is answered: %s", line)
	}
	if strings.Contains(w.bot.output(), "it is done") {
		t.Error("the log holds what a file says")
	}
}
