package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// billing is a draft flowchart, as its author would drop it.
const billing = `{"agent_name": "billing", "goal": "Bill or tell", "nodes": [
	{"id": "fetch", "name": "Fetch Billing Data"}, {"id": "large", "name": "Large?", "flowchart_type": "decision", "decision_clause": "Amount > $100?"},
	{"id": "pdf", "name": "Generate PDF"}, {"id": "mail", "name": "Send Email"}],
	"edges": [{"source": "fetch", "target": "large"}, {"source": "large", "target": "pdf", "label": "Yes"}, {"source": "large", "target": "mail", "label": "No"}]}`

// TestASessionIsReadWithAToken makes a token while the bot serves, and asks for the chart of a run with it.
func TestASessionIsReadWithAToken(t *testing.T) {
	t.Parallel()
	address := reserved(t)
	w := newWorld(t, setup{apart: true, settings: []string{"SLUICE_API_ADDR=" + address}})
	card := w.put("ana", "", "billing.json", billing)
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 1")
	w.flow("ana", "#support", "run billing")
	get := func(path, token string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := w.web.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	if code, body := get("/api/sessions/billing-1/flowchart-map", "none"); code != http.StatusUnauthorized {
		t.Errorf("without a token: %d %s", code, body)
	}
	var out, errs bytes.Buffer
	if code := program([]string{"token", "create", "--data", w.botData(), "--database-url=", w.id("ana")}, stdio{strings.NewReader(""), &out, &errs}); code != 0 {
		t.Fatalf("%d: %s", code, errs.String())
	}
	w.untilMessage("#support", "the run", func(m message) bool { return strings.Contains(m.shown(), "billing-1") })
	if code, body := get("/api/sessions/billing-1/flowchart-map", strings.TrimSpace(out.String())); code != http.StatusOK || !strings.Contains(body, `"fetch":["fetch","large"]`) {
		t.Errorf("with a token: %d %s", code, body)
	}
	if code, _ := get("/healthz", ""); code != http.StatusOK {
		t.Errorf("health is answered %d", code)
	}
	savedAndRemoved(w)
}

// savedAndRemoved proposes another version of the flow at a terminal while the bot serves, which is approved in chat, and removes the flow.
func savedAndRemoved(w *world) {
	w.Helper()
	file := w.file("changed.json", strings.ReplaceAll(billing, "Send Email", "Send Two Emails"))
	terminal := func(code int, want string, args ...string) {
		w.Helper()
		var out bytes.Buffer
		args = append(args, "--data", w.botData(), "--database-url=", "--slack-bot-token=xoxb-dev", "--slack-api-url="+w.url("/api/"))
		if got := program(args, stdio{strings.NewReader(""), &out, &out}); got != code || !strings.Contains(out.String(), want) {
			w.Fatalf("%v ends with %d and says:\n%s\nand not %q", args, got, out.String(), want)
		}
	}
	terminal(exitBadFile, "--as U0NOBODY: Slack knows nobody with this id.", "save", file, "--as", "U0NOBODY")
	terminal(0, "A draft of billing is stored. Sluice posts it in #support, where it is approved.", "save", file, "--as", w.id("ana"))
	card := w.untilMessage("#support", "the draft", func(m message) bool { return strings.Contains(m.shown(), "Send Two Emails") })
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 2")
	terminal(0, "owner @ana", "flow", "list", "--as", w.id("ana"))
	terminal(0, "billing is removed", "flow", "remove", "billing", "go", "--as", w.id("ana"))
	a := w.flow("ana", "#support", "run billing")
	if line := w.private("ana", "#support", a.Seq).shown(); !strings.Contains(line, "was removed") {
		w.Errorf("a run of it is answered %q", line)
	}
}
