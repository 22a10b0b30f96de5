package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exampleFlow is a flow file of the examples.
func exampleFlow(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// put drops a file in #support with a mention, and waits for the draft's card.
func (w *world) put(user, thread, name, content string) message {
	w.Helper()
	a := w.drop(user, "#support", thread, "@Sluice", name, content)
	if thread == "" {
		thread = a.TS
	}
	return w.cardAfter(thread, a.TS)
}

// cardAfter waits for the card of an open draft that came into a thread after the message of a change. The card of the draft before may be edited
// after that message too, when its picture is there.
func (w *world) cardAfter(thread, change string) message {
	w.Helper()
	return w.untilMessage("#support", "a draft's card", func(m message) bool {
		return m.Thread == thread && m.TS > change && slices.Contains(m.buttons(), "Edit as file")
	})
}

// TestFlowFile drops the example of a refund: it becomes a draft, is approved, runs, and ends as the same flow from words does.
func TestFlowFile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		w := newWorld(t, s)
		card := w.put("ana", "", "refund.yaml", exampleFlow(t, "refund/flow.yaml"))
		for _, part := range []string{"Refund, draft 1", "1. Get the order from the shop", "*What it may do*", "Can refund an order in Shop", "from the file refund.yaml"} {
			if !strings.Contains(card.shown(), part) {
				t.Errorf("the draft does not say %q:\n%s", part, card.shown())
			}
		}
		w.checkPicture(card)
		if strings.Contains(card.shown(), ":warning:") {
			t.Errorf("the draft warns of something:\n%s", card.shown())
		}
		w.click("ana", card, "Approve")
		w.untilMessage("#support", "the approved draft", func(m message) bool {
			return m.TS == card.TS && strings.Contains(m.shown(), "Approved as version 1")
		})
		w.flow("ana", "#support", "run refund order_id=A-1001")
		status := w.untilMessage("#support", "the run waiting", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "*Waiting* at") })
		w.click("fin", question(w, status), "Approve")
		done(w, status)
		if w.bookings() != 1 {
			t.Errorf("%d bookings", w.bookings())
		}
	})
}

// given waits for the message that shows a file of a name, in a thread unless that is empty, and gives its text.
func (w *world) given(channel, thread, name string, seq int64) (message, string) {
	w.Helper()
	m := w.untilMessage(channel, "the file "+name, func(m message) bool {
		return m.Bot && m.Seq > seq && m.Thread == thread && len(m.Files) == 1 && m.Files[0].Name == name
	})
	return m, w.fetch(m.Files[0].ID)
}

// told waits for a line of the bot in a thread that says something.
func (w *world) told(thread, part string) message {
	w.Helper()
	return w.untilMessage("#support", "“"+part+"”", func(m message) bool { return m.Bot && m.Thread == thread && strings.Contains(m.shown(), part) })
}

// TestFileInAndOut takes every example through a file: dropped, given out again, dropped again without a change, changed in words and in
// the file.
func TestFileInAndOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	for _, name := range []string{"refund/flow.yaml", "release-checklist/flow.yaml", "daily-digest/flow.yaml", "return/inspection.yaml", "return/flow.yaml"} {
		card := w.put("ana", "", filepath.Base(name), exampleFlow(t, name))
		a := w.click("ana", card, "Edit as file")
		title, _, _ := strings.Cut(card.shown(), ",")
		flowName := strings.ReplaceAll(strings.ToLower(title), " ", "-")
		m, text := w.given("#support", card.Thread, flowName+".flow.yaml", a.Seq)
		if !strings.Contains(m.Text, "drop it into this thread, with @Sluice") || !strings.Contains(m.Text, "Comments of the file that it came from are not kept") {
			t.Errorf("%s comes with: %s", name, m.Text)
		}
		again := w.drop("ana", "#support", card.Thread, "@Sluice here it is", "again.yaml", text)
		if line := w.private("ana", "#support", again.Seq).shown(); !strings.Contains(line, "Nothing has changed: this is what draft 1 of "+flowName) {
			t.Errorf("%s dropped again is answered: %s", name, line)
		}
		changed := w.put("ana", card.Thread, "changed.yaml", strings.Replace(text, "description:", "description: Changed,", 1))
		if !strings.Contains(changed.shown(), title+", draft 2") {
			t.Errorf("%s changed shows:\n%s", name, changed.shown())
		}
		w.told(card.Thread, "Replaced by draft 2, below.")
	}
}

// TestExport gives an approved flow in every form, where only those read it who may.
func TestExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := w.put("ana", "", "refund.yaml", exampleFlow(t, "refund/flow.yaml"))
	w.click("ana", card, "Approve")
	w.told(card.Thread, "Approved as version 1")
	a := w.write("ana", "#support", card.Thread, "@Sluice export refund")
	m, text := w.given("#support", card.Thread, "refund.flow.yaml", a.Seq)
	if !strings.Contains(m.Text, "*refund*, version 1, as a file") || !strings.Contains(text, "name: refund") {
		t.Errorf("%s\n%s", m.Text, text)
	}
	again := w.drop("ana", "#support", card.Thread, "@Sluice", "refund.flow.yaml", text)
	if line := w.private("ana", "#support", again.Seq).shown(); !strings.Contains(line, "Nothing has changed: this is version 1 of refund") {
		t.Errorf("the revision dropped again is answered: %s", line)
	}
	line := w.ask("ana", "#support", "export refund mermaid") // a slash command has no thread
	if !strings.Contains(line.shown(), "refund.mmd is in our direct messages") {
		t.Errorf("the command is answered: %s", line.shown())
	}
	if _, text := w.given("@ana", "", "refund.mmd", 0); !strings.HasPrefix(text, "flowchart TD") {
		t.Errorf("the Mermaid file is\n%s", text)
	}
	w.ask("ana", "#support", "export refund dot")
	if _, text := w.given("@ana", "", "refund.dot", 0); !strings.HasPrefix(text, "digraph flow") {
		t.Errorf("the Graphviz file is\n%s", text)
	}
	for words, want := range map[string]string{
		"export refund mermade": "Did you mean `mermaid`?", "export": "Which flow?", "export refnd": "refund", "export refund draft": "yaml, mermaid, dot",
	} {
		if line := w.ask("ana", "#support", words).shown(); !strings.Contains(line, want) {
			t.Errorf("%s is answered: %s", words, line)
		}
	}
}

// payoutFlow has steps that words can change, and says more than words do.
const payoutFlow = `
name: payout
description: Pay an order back
run: {title: "Payout of {{inputs.order_id}}", key: "{{inputs.order_id}}", within: 90d}
inputs: {order_id: {type: string, required: true, example: A-1001}}
flow:
  entry: look
  nodes:
    - {id: look, name: Look up the order, type: tool, tool: shop.get_order, params: {order_id: "{{inputs.order_id}}"}, retry: {max_attempts: 3, backoff_ms: 10}, timeout: 10s, routes: [{to: gate}]}
    - id: gate
      name: May we
      type: approval
      message: "Pay {{look.result.amount}} EUR back?"
      who: {groups: ["@finance"], self_approval: false}
      show: [look.result]
      form: {note: {type: string, required_for: [reject]}}
      routes: [{when: "approvals.gate == 'approve'", to: pay, label: fine}, {when: default, to: end}]
    - {id: pay, type: tool, tool: shop.refund, params: {order_id: "{{inputs.order_id}}", amount: "{{look.result.amount}}"}, routes: [{to: end}]}
`

// TestWordsOnAFile changes a draft that came from a file in words, again and again: what they do not name stays.
func TestWordsOnAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	first := w.put("ana", "", "payout.yaml", payoutFlow)
	file := func(card message) string {
		t.Helper()
		_, text := w.given("#support", first.Thread, "payout.flow.yaml", w.click("ana", card, "Edit as file").Seq)
		for _, part := range []string{"id: gate", "max_attempts: 3", `timeout: "10s"`, "self_approval: false", "show: [look.result]", "required_for: [reject]", `within: "90d"`, "description: Pay an order back"} {
			if !strings.Contains(text, part) {
				t.Errorf("the file does not hold %q:\n%s", part, text)
			}
		}
		return text
	}
	a := w.write("ana", "#support", first.Thread, "2 goes to @ana")
	second := w.cardAfter(first.Thread, a.TS)
	for _, part := range []string{"Payout, draft 2", "*Changed:* Step 2 goes to @ana", "2. Ask @ana"} {
		if !strings.Contains(second.shown(), part) {
			t.Errorf("the draft that words changed does not say %q:\n%s", part, second.shown())
		}
	}
	if text := file(second); !strings.Contains(text, "@ana") || strings.Contains(text, "@finance") {
		t.Errorf("the changed step is\n%s", text)
	}
	a = w.write("ana", "#support", first.Thread, "add after 2: tell #general")
	third := w.cardAfter(first.Thread, a.TS)
	if text := file(third); !strings.Contains(text, "#general") || !strings.Contains(third.shown(), "3. Tell #general") {
		t.Errorf("the step that was added: %s\n%s", third.shown(), text)
	}
	unread := w.write("ana", "#support", first.Thread, "@Sluice make it nicer")
	line := w.private("ana", "#support", unread.Seq).shown()
	for _, part := range []string{"nothing changed: “make it nicer”", "make it 300 instead of 100", "3. new words of the step", "add after 2: tell #channel", "`/flow help words` lists all"} {
		if !strings.Contains(line, part) {
			t.Errorf("the answer to words that are no change does not say %q: %s", part, line)
		}
	}
	for n, want := range []string{"2. Ask @ana", "2. Ask @finance"} {
		undone := w.write("ana", "#support", first.Thread, "undo")
		card := w.cardAfter(first.Thread, undone.TS)
		if !strings.Contains(card.shown(), want) || !strings.Contains(card.shown(), fmt.Sprintf("Payout, draft %d", n+4)) {
			t.Errorf("undone:\n%s", card.shown())
		}
		if text := file(card); strings.Contains(text, "#general") {
			t.Errorf("the step that was added is still there:\n%s", text)
		}
	}
}

// TestWordsOnAFileThatIsNoSteps: a flow from a file that steps cannot say is changed in its file.
func TestWordsOnAFileThatIsNoSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := w.put("ana", "", "return.yaml", exampleFlow(t, "return/flow.yaml"))
	if !strings.Contains(card.shown(), "It starts the flow inspection, which you cannot see here") {
		t.Errorf("the draft does not name the flow that is missing:\n%s", card.shown())
	}
	a := w.write("ana", "#support", card.Thread, "@Sluice 7 goes to @ana")
	line := w.private("ana", "#support", a.Seq).shown()
	for _, part := range []string{"Words cannot change this draft", "“The parcel is here” (node here) has several ways out", "“Edit as file”", "drop it into this thread"} {
		if !strings.Contains(line, part) {
			t.Errorf("the answer does not say %q: %s", part, line)
		}
	}
}

// unapprovable checks that a draft has no Approve.
func (w *world) unapprovable(card message) {
	w.Helper()
	if slices.Contains(card.buttons(), "Approve") {
		w.Errorf("a draft that is not whole can be approved:\n%s", card.shown())
	}
}

// TestWordsAndFiles: a draft from words comes out as a file, and in again as the same draft; what words could not resolve is not resolved
// by the way through a file.
func TestWordsAndFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.write("ana", "#support", "", "@Sluice new odd: 1. get the order from the shop  2. frobnicate it  3. tell #support")
	card := w.cardAfter(root.TS, root.TS)
	_, text := w.given("#support", root.TS, "odd.flow.yaml", w.click("ana", card, "Edit as file").Seq)
	again := w.drop("ana", "#support", root.TS, "@Sluice", "odd.flow.yaml", text)
	if line := w.private("ana", "#support", again.Seq).shown(); !strings.Contains(line, "Nothing has changed: this is what draft 1 of odd") {
		t.Errorf("the same draft is answered: %s", line)
	}
	filed := w.put("ana", root.TS, "odd.flow.yaml", strings.Replace(text, "name: odd", "name: odd\ndescription: Odd", 1))
	if !strings.Contains(filed.shown(), "Odd, draft 2") || !strings.Contains(filed.shown(), "Step 2: it is not said yet who or what does “Frobnicate it”") {
		t.Errorf("the changed file shows:\n%s", filed.shown())
	}
	w.unapprovable(filed)
	mended := w.write("ana", "#support", root.TS, "2. refund it")
	card = w.cardAfter(root.TS, mended.TS)
	w.click("ana", card, "Approve")
	w.told(root.TS, "Approved as version 1")

	// In the thread of what is approved a file is the next version. Elsewhere it is not revised.
	next := w.pictured(w.put("ana", root.TS, "odd.yaml", strings.NewReplacer("name: odd", "name: odd\ndescription: Odd", `name: "Frobnicate it (?)"`, "name: Who knows").Replace(text)))
	if !strings.Contains(next.shown(), "Odd, draft 1: change to version 1") || !strings.Contains(next.alt(), "Who knows (by a person), changed") {
		t.Errorf("the next version shows:\n%s", next.shown())
	}
	elsewhere := w.drop("ana", "#general", "", "@Sluice", "odd.yaml", text)
	if line := w.private("ana", "#general", elsewhere.Seq).shown(); !strings.Contains(line, "odd lives in <#") {
		t.Errorf("a revision elsewhere is answered: %s", line)
	}
}

// TestSeveralFilesAtOnce makes a draft of each flow among the files of a message. In a thread with several, each is revised by its name.
func TestSeveralFilesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	inspection := strings.ReplaceAll(exampleFlow(t, "return/inspection.yaml"), "@warehouse", "@finance")
	flows := []fields{
		{"name": "return.yaml", "content": exampleFlow(t, "return/flow.yaml")},
		{"name": "photo.png", "content": "\x89PNG\r\n\x1a\n"},
		{"name": "inspection.yaml", "content": inspection},
		{"name": "broken.yaml", "content": brokenFlow},
		{"name": "again.yaml", "content": inspection},
	}
	root := w.post("message", fields{"user": "ana", "channel": "#support", "text": "@Sluice these please", "files": flows})
	draft := func(title string, seq int64) message {
		return w.untilMessage("#support", title, func(m message) bool {
			return m.Thread == root.TS && m.Seq > seq && strings.Contains(m.shown(), title) && slices.Contains(m.buttons(), "Approve")
		})
	}
	draft("Inspection, draft 1", 0)
	w.told(root.TS, "broken.yaml* has 4 problems")
	for _, part := range []string{"photo.png is no flow", "Two of these files are the flow inspection; I took the first."} {
		w.untilMessage("#support", part, func(m message) bool { return m.EphemeralTo == w.id("ana") && strings.Contains(m.shown(), part) })
	}
	first := draft("Return, draft 1", 0)
	a := w.drop("ana", "#support", root.TS, "@Sluice", "return.yaml", strings.Replace(exampleFlow(t, "return/flow.yaml"), "after: 2 working days", "after: 3 working days", 1))
	draft("Return, draft 2", a.Seq)
	w.untilMessage("#support", "the first one replaced", func(m message) bool { return m.TS == first.TS && strings.Contains(m.shown(), "Replaced by draft 2") })
	a = w.drop("ana", "#support", root.TS, "@Sluice", "i.yaml", strings.Replace(inspection, "after: 10 working days", "after: 9 working days", 1))
	child := draft("Inspection, draft 2", a.Seq)

	second := draft("Return, draft 2", 0)
	early := w.click("ana", second, "Approve")
	if line := w.private("ana", "#support", early.Seq).shown(); !strings.Contains(line, "no such flow") {
		t.Errorf("the parent approved before its subflow: %s", line)
	}
	w.click("ana", child, "Approve")
	w.untilMessage("#support", "the approved subflow", func(m message) bool { return m.TS == child.TS && strings.Contains(m.shown(), "Approved as version 1") })
	w.click("ana", second, "Approve")
	w.untilMessage("#support", "the approved flow", func(m message) bool {
		return m.TS == second.TS && strings.Contains(m.shown(), "Approved as version 1")
	})
}

// TestFileThatFellBehind: a draft made from an older revision is not approved; dropped again it is compared with the newest one.
func TestFileThatFellBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	file := strings.Replace(mendedFlow, "name: broken", "name: behind", 1)
	old := w.put("ana", "", "behind.yaml", file)
	other := w.put("bob", "", "behind.yaml", strings.Replace(file, "message: hello", "message: good day", 1))
	w.click("bob", other, "Approve")
	w.told(other.Thread, "Approved as version 1")
	a := w.click("ana", old, "Approve")
	if line := w.private("ana", "#support", a.Seq).shown(); !strings.Contains(line, "Version 1 of behind was approved after this draft was made") {
		t.Errorf("the older draft is answered: %s", line)
	}
	again := w.put("ana", old.Thread, "behind.yaml", file)
	if !strings.Contains(again.shown(), "Behind, draft 2: change to version 1") {
		t.Errorf("dropped again it shows:\n%s", again.shown())
	}
	w.click("ana", again, "Approve")
	w.told(old.Thread, "Approved as version 2")
}

const warehouseSeed = `
users:
  - {name: ana, tz: Europe/Berlin}
  - {name: bob, tz: Europe/Berlin}
  - {name: fin, tz: Europe/Berlin}
groups:
  - {handle: finance, members: [fin]}
  - {handle: warehouse, members: [bob]}
channels:
  - {name: general, members: [ana, bob, fin, sluice]}
  - {name: support, members: [ana, bob, fin, sluice]}
  - {name: finance, members: [fin, sluice]}
`

// TestReturnInChat puts a flow up that runs another one and waits for its event: words cannot say that. It runs, and another file
// changes who is asked in the other one.
func TestReturnInChat(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		s.seed = warehouseSeed
		w := newWorld(t, s)
		child := w.put("ana", "", "inspection.yaml", exampleFlow(t, "return/inspection.yaml"))
		w.click("ana", child, "Approve")
		w.told(child.Thread, "Approved as version 1")
		parent := w.put("ana", "", "flow.yaml", exampleFlow(t, "return/flow.yaml"))
		if strings.Contains(parent.shown(), ":warning:") {
			t.Errorf("the draft warns of something:\n%s", parent.shown())
		}
		w.click("ana", parent, "Approve")
		w.told(parent.Thread, "Approved as version 1")

		w.flow("ana", "#support", "run return order_id=A-1001")
		status := w.untilMessage("#support", "the run waiting", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "*Waiting* at") })
		answer := func(who, label string) {
			t.Helper()
			card := w.untilMessage("#support", label, func(m message) bool { return m.Thread == status.TS && slices.Contains(m.buttons(), label) })
			w.click(who, card, label)
		}
		answer("bob", "Arrived")
		answer("bob", "Good")
		w.told(status.TS, "Order A-1001 came back and 250 EUR are refunded")
		done(w, status)
		w.untilMessage("#support", "what the event let go on", func(m message) bool {
			return strings.Contains(m.Text, "(A-1001) is here. The warehouse looks into it.")
		})

		next := w.put("ana", child.Thread, "inspection.yaml", strings.Replace(exampleFlow(t, "return/inspection.yaml"), "@warehouse", "@finance", 1))
		for _, part := range []string{"Inspection, draft 1: change to version 1", "*What changes in the steps*", "1. Ask @finance within 10 working days", "3. Ask @warehouse", "event parcel/"} {
			if !strings.Contains(next.shown(), part) {
				t.Errorf("the changed flow does not say %q:\n%s", part, next.shown())
			}
		}
		w.click("ana", next, "Approve")
		w.told(child.Thread, "Approved as version 2")
	})
}

// TestDigestInChat puts a flow with an agent and a schedule up where there is no model: the draft says so, and its approval says when it
// starts.
func TestDigestInChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := w.put("ana", "", "flow.yaml", exampleFlow(t, "daily-digest/flow.yaml"))
	for _, part := range []string{"no language model is configured, so people in the run's thread answer in the place of “Write the digest”", "It starts by itself on weekdays at 08:30 (Europe/Berlin)."} {
		if !strings.Contains(card.shown(), part) {
			t.Errorf("the draft does not say %q:\n%s", part, card.shown())
		}
	}
	w.click("ana", card, "Approve")
	if line := w.told(card.Thread, "Approved as version 1"); !strings.Contains(line.shown(), "It starts by itself, the next times in your zone") {
		t.Errorf("approved it shows\n%s", line.shown())
	}
}
