package main

import (
	"strings"
	"testing"
)

// deskApp is a flow in the format of another program.
const deskApp = `# The desk of the shop.
app: {app_id: desk}
ui: {greeting: hello}
agents:
  - id: helper
    system_prompt: Help.
    brain: {model: odd-model, config: {base_url: "https://x.example"}} # not installed here
flow:
  id: main
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Shall I close the desk?", routes: [{when: "approvals.gate == 'approve'", to: closed}, {to: end}]}
    - {id: closed, type: terminal, output: The desk is closed.}
`

// TestFileOfAnotherFormat drops a file of another format: the draft says how it was read and what is not kept, it is approved and runs, and
// export gives the file back as it was.
func TestFileOfAnotherFormat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := w.put("ana", "", "app.txt", deskApp)
	for _, part := range []string{
		"Desk, draft 1", "I read the file as a Digitorn app, because it has an app and flow", "from the file app.txt",
		"Line 7 of the file: the addresses and keys of the models' services are not used", "Shall I close the desk?",
	} {
		if !strings.Contains(card.shown(), part) {
			t.Errorf("the draft does not say %q:\n%s", part, card.shown())
		}
	}
	w.checkPicture(card)
	a := w.click("ana", card, "Edit as file")
	if m, text := w.given("#support", card.Thread, "desk.yaml", a.Seq); text != deskApp || !strings.Contains(m.shown(), "in the format that it came from: it is a Digitorn app") {
		t.Errorf("the draft is given as %s\n%s", m.shown(), text)
	}
	w.click("ana", card, "Approve")
	w.untilMessage("#support", "the approved draft", func(m message) bool {
		return m.TS == card.TS && strings.Contains(m.shown(), "Approved as version 1")
	})
	w.flow("ana", "#support", "run desk")
	status := w.untilMessage("#support", "the run waiting", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "*Waiting* at") })
	w.click("bob", question(w, status), "Approve")
	done(w, status)
	mended := w.put("ana", card.Thread, "app.yaml", strings.Replace(deskApp, "close the desk", "close the shop", 1))
	if !strings.Contains(mended.shown(), "close the shop") {
		t.Errorf("the revision is\n%s", mended.shown())
	}
}

// TestWordsOnAFileOfAnotherFormat changes a step in words: the file that is given back has it in its place.
func TestWordsOnAFileOfAnotherFormat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := w.put("ana", "", "app.txt", deskApp)
	unread := w.write("ana", "#support", card.Thread, "@Sluice make it nicer")
	if line := w.private("ana", "#support", unread.Seq).shown(); !strings.Contains(line, "came from another program") || !strings.Contains(line, "rename 2 to Check") {
		t.Errorf("words that are no change are answered with %s", line)
	}
	a := w.write("ana", "#support", card.Thread, "step 1 should ask: Close it for today?")
	second := w.cardAfter(card.Thread, a.TS)
	for _, part := range []string{"Desk, draft 2", "*Changed:* The message of step 1 is “Close it for today?”", "from the file app.txt"} {
		if !strings.Contains(second.shown(), part) {
			t.Errorf("the changed draft does not say %q:\n%s", part, second.shown())
		}
	}
	want := strings.Replace(deskApp, "Shall I close the desk?", "Close it for today?", 1)
	a = w.click("ana", second, "Edit as file")
	if _, text := w.given("#support", card.Thread, "desk.yaml", a.Seq); text != want {
		t.Errorf("the file is\n%s", text)
	}
}
