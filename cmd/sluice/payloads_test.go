package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// payloads keeps one example of each kind of message, modal and Home that the bot sends, as JSON for validators from outside. With -update they
// are written anew.
type payloads struct {
	*world
	kept []string
}

const payloadDir = "testdata/payloads"

// raw is what a control call answers, as JSON.
func (p *payloads) raw(path string) map[string]any {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), http.MethodGet, p.url("/control/"+path), nil)
	if err != nil {
		p.Fatal(err)
	}
	resp, err := p.web.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		p.Fatal(err)
	}
	return out
}

// message keeps what a message shows.
func (p *payloads) message(kind string, m message) {
	p.Helper()
	all, _ := p.raw("state?channel=" + url.QueryEscape(m.Channel))["messages"].([]any)
	i := slices.IndexFunc(all, func(one any) bool { return one.(map[string]any)["ts"] == m.TS })
	if i < 0 {
		p.Fatalf("%s: the message %s is gone", kind, m.TS)
	}
	p.keep(kind, all[i].(map[string]any), "text", "blocks", "attachments", "metadata")
}

// modal keeps the topmost modal of a person, and closes it.
func (p *payloads) modal(kind, user string) {
	p.Helper()
	views, _ := p.raw("views?user=" + user)["views"].([]any)
	if len(views) == 0 {
		p.Fatalf("%s: %s has no modal open", kind, user)
	}
	view := views[len(views)-1].(map[string]any)
	p.keep(kind, view, "type", "title", "blocks", "submit", "close", "private_metadata", "callback_id")
	p.post("close_view", fields{"user": user, "view_id": view["id"]})
}

// keep compares the named fields of an object with the stored ones, or stores them.
func (p *payloads) keep(kind string, from map[string]any, names ...string) {
	p.Helper()
	p.kept = append(p.kept, kind+".json")
	out := map[string]any{}
	for _, name := range names {
		if v := from[name]; v != nil && v != "" {
			out[name] = steady(v)
		}
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(out); err != nil {
		p.Fatal(err)
	}
	path := filepath.Join(payloadDir, kind+".json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			p.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(want, got.Bytes()) {
		p.Errorf("%s: what is sent is not what is stored (-update stores it): %v\n%s", kind, err, cmp.Diff(string(want), got.String()))
	}
}

// passing are the parts of texts that differ each time, and what stands for them.
var passing = []struct {
	part *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "00000000-0000-0000-0000-000000000000"},
	{regexp.MustCompile(`\b[0-9a-f]{12,64}\b`), "000000000000"},
	{regexp.MustCompile(`\b\d{10}\.\d{6}\b|\bp\d{16}\b`), "1000000000.000000"},
	{regexp.MustCompile(`<!date\^\d+`), "<!date^1000000000"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d( \d\d:\d\d)?`), "2001-09-09 01:46"},
	{regexp.MustCompile(`\bF0[A-Z0-9]{9}\b`), "F0000000000"},
	{regexp.MustCompile(`\b[\d.]+ (ms|s)\b`), "1 s"},
	{regexp.MustCompile(`\b\d+ h \d+ min\b`), "4 h 1 min"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:8086"},
}

// given is an id that the small Slack gave to a block or an element that had none.
var given = regexp.MustCompile(`^[A-Z0-9]{5}$`)

// steady is a value of JSON without what differs each time.
func steady(value any) any {
	switch v := value.(type) {
	case string:
		for _, p := range passing {
			v = p.part.ReplaceAllString(v, p.with)
		}
		return v
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = steady(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			id, _ := field.(string)
			switch {
			case (name == "block_id" || name == "action_id") && given.MatchString(id):
			case name == "timestamp":
				out[name] = 1000000000
			default:
				out[name] = steady(field)
			}
		}
		return out
	}
	return value
}

// TestPayloads tells a story and keeps what is sent in it, at moments when nothing is under way.
func TestPayloads(t *testing.T) {
	t.Parallel()
	p := &payloads{world: newWorld(t, setup{})}
	p.drafting()
	card := p.put("ana", "", "repaid.yaml", repaidFlow)
	card = approved(p.world, "ana", card, 1)
	p.message("draft-approved", card)
	p.answering(card)
	p.failing(card)
	p.asking()
	stored, err := filepath.Glob(filepath.Join(payloadDir, "*.json"))
	for i := range stored {
		stored[i] = filepath.Base(stored[i])
	}
	if slices.Sort(p.kept); err != nil || !slices.Equal(stored, p.kept) {
		t.Errorf("stored are %v (%v), sent were %v", stored, err, p.kept)
	}
}

// whole waits until a message shows its flowchart.
func (p *payloads) whole(m message) message {
	p.Helper()
	return p.untilMessage(m.Channel, "the flowchart", func(now message) bool { return now.TS == m.TS && now.alt() != "" })
}

func (p *payloads) drafting() {
	root := p.write("ana", "#support", "", outline)
	card := p.whole(drafted(p.world, root))
	p.message("draft", card)
	p.message("private-details", p.private("ana", "#support", p.click("ana", card, "Details").Seq))
	p.write("ana", "#support", root.TS, "2. if the amount is over 200 ask @finance to approve")
	changed := p.untilMessage("#support", "the changed draft", func(m message) bool { return m.Thread == root.TS && m.TS != card.TS && has(m, "Approve") })
	p.message("draft-changed", p.whole(changed))
	p.message("draft-replaced", p.untilShown(card, "Replaced by draft 2"))
	p.click("ana", changed, "Discard")
	p.message("draft-discarded", p.untilMessage("#support", "the discarded draft", func(m message) bool { return m.TS == changed.TS && len(m.buttons()) == 0 }))
	root = p.write("ana", "#support", "", "@Sluice new unclear: 1. get the order  2. frobnicate the widget")
	p.message("draft-question", p.untilMessage("#support", "a draft with a question", func(m message) bool { return m.Bot && m.Thread == root.TS && len(m.buttons()) > 0 }))
}

// answering keeps the form of a run, and its question until the end.
func (p *payloads) answering(card message) {
	opens(p.world, "ana", card, "Run now…")
	p.modal("modal-run", "ana")
	start := func(order string) (message, message) {
		fills(p.world, "ana", opens(p.world, "ana", card, "Run now…"), fields{"order_id": order, "note": "it broke"})
		gate := p.untilMessage("#support", "the question", func(m message) bool {
			return strings.Contains(m.shown(), "Repay "+order+" (it broke)?") && has(m, "Approve")
		})
		return gate, p.untilMessage("#support", "the status", func(m message) bool {
			return m.TS == gate.Thread && strings.Contains(m.shown(), "Go to the question") && m.alt() != ""
		})
	}
	gate, status := start("A-1001")
	p.message("status-waiting", status)
	p.message("gate-open", gate)
	opens(p.world, "fin", gate, "Reject…")
	p.modal("modal-answer", "fin")
	opens(p.world, "bob", gate, "Reject…")
	p.modal("modal-refused", "bob")
	p.message("private-refused", p.private("bob", "#support", p.click("bob", gate, "Approve").Seq))
	p.post("clock", fields{"advance": "4h1m"})
	p.message("reminder", p.untilMessage("#support", "the reminder", func(m message) bool {
		return m.Thread == gate.Thread && strings.Contains(m.shown(), "Still open")
	}))
	p.click("fin", gate, "Approve")
	p.message("gate-approved", p.untilShown(gate, "Approve* by"))
	p.ending("done", gate.Thread, "*Done* in")
	gate, _ = start("A-1002")
	fills(p.world, "fin", opens(p.world, "fin", gate, "Reject…"), fields{"reason": "too late"})
	p.message("gate-rejected", p.untilShown(gate, "Reject* by"))
	p.ending("rejected", gate.Thread, "Rejected")
}

// ending keeps the last message of a run and its status.
func (p *payloads) ending(kind, thread, words string) {
	p.Helper()
	p.message("end-"+kind, p.untilMessage("#support", "the end", func(m message) bool { return m.Thread == thread && strings.Contains(m.shown(), words) }))
	p.message("status-"+kind, p.whole(p.untilMessage("#support", "the status", func(m message) bool { return m.TS == thread && strings.Contains(m.shown(), words) })))
}

// failing keeps what is shown of a step that fails.
func (p *payloads) failing(card message) {
	p.fault(fields{"target": "shop", "kind": "500", "method": "POST", "path": "/refunds", "times": 9})
	fills(p.world, "ana", opens(p.world, "ana", card, "Run now…"), fields{"order_id": "A-1003", "note": "it broke"})
	gate := p.untilMessage("#support", "the question", func(m message) bool { return strings.Contains(m.shown(), "Repay A-1003") && has(m, "Approve") })
	p.click("fin", gate, "Approve")
	failed := p.untilMessage("#support", "the failure", func(m message) bool { return m.Thread == gate.Thread && has(m, "Abort") })
	p.message("failure", failed)
	p.click("ana", failed, "Abort")
	p.message("status-failed", p.untilMessage("#support", "the status", func(m message) bool { return m.TS == gate.Thread && !has(m, "Cancel") && m.alt() != "" }))
}

// asking keeps what commands answer, and the Home tab.
func (p *payloads) asking() {
	for kind, words := range map[string]string{
		"help": "help", "list": "list", "runs": "runs", "run": "show repaid-1", "flow": "show repaid", "approvals": "approvals", "unknown": "no such word", "schedules": "schedules",
		"inputs": "run repaid",
	} {
		p.message("private-"+kind, p.ask("ana", "#support", words))
	}
	p.post("open_home", fields{"user": "ana"})
	home := poll(p.world, "the Home tab", func() (map[string]any, bool) {
		home, ok := p.raw("home?user=ana")["view"].(map[string]any)
		return home, ok
	})
	p.keep("home", home, "type", "blocks", "private_metadata", "callback_id")
}
