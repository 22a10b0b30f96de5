package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
)

// desk is a world with an engine and a projector: what a run asks is on the wire.
type desk struct {
	*world
	engine *engine.Engine
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	w := newWorld(t)
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	p := project.New()
	e := engine.New(engine.Config{Store: w.store, Tools: tools, Dispatcher: local.New(local.Options{}), Surfaces: p, Worker: "test"})
	p.Connect(e)
	p.Sender, p.Holder = w.app, "test"
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return &desk{w, e}
}

// ask starts a run of a flow with one question.
func (d *desk) ask(spec *flow.ApprovalSpec, title string) storage.Run {
	d.t.Helper()
	f := &flow.Flow{Name: "pay", Entry: "gate", Nodes: []flow.Node{{ID: "gate", Kind: flow.KindApproval, Spec: spec}}}
	f.Run.Title = title
	d.keep(d.engine, f, "")
	s, err := d.engine.Start(d.t.Context(), engine.StartRequest{Flow: f.Name, Channel: d.channel("#support"), Actor: history.Actor{User: "U9", Via: history.ViaCLI}})
	if err != nil {
		d.t.Fatal(err)
	}
	return s.Run
}

// raw gives the channel's messages as they are on the wire.
func (d *desk) raw() []map[string]any {
	d.t.Helper()
	res, err := http.Get(d.base + "/control/state?channel=" + url.QueryEscape(d.channel("#support")))
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct{ Messages []map[string]any }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		d.t.Fatal(err)
	}
	return answer.Messages
}

// until waits for a message that fits, and gives all messages.
func (d *desk) until(what string, fits func(string) bool) []map[string]any {
	d.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		all := d.raw()
		for _, m := range all {
			if fits(wire(m)) {
				return all
			}
		}
		<-time.After(20 * time.Millisecond)
	}
	d.t.Fatalf("there is no message with %s: %v", what, d.raw())
	return nil
}

func wire(v any) string {
	b, _ := json.Marshal(v) // plain data
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
}

const secretEnd = "AND PAY 1000000"

// The whole question is on its card, or in a file that is posted before there are buttons.
func TestALongQuestionIsReadInFullBeforeItIsDecided(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"on the card": 2990, "in several parts": 7000, "in a file": 20_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			r := d.ask(&flow.ApprovalSpec{Message: strings.Repeat("Pay the invoice 1. ", size/19) + secretEnd}, "Pay")
			all := d.until("buttons", func(m string) bool { return strings.Contains(m, "gate.choose") })
			whole, file := false, false
			for _, m := range all {
				whole = whole || strings.Contains(wire(m), secretEnd)
				file = file || m["files"] != nil && len(m["files"].([]any)) > 0
			}
			if size < 10_000 && !whole || size > 10_000 && (!file || whole) {
				t.Errorf("shown in a message: %v, in a file: %v", whole, file)
			}
			for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
				hash, err := surface.ShownAt(t.Context(), d.store, gate.ID(r.ID, 1))
				if err != nil || time.Now().After(deadline) {
					t.Fatalf("what is shown is not noted: %v", err)
				}
				if hash != "" {
					_, err := d.engine.Answer(t.Context(), engine.GateAnswer{Gate: gate.ID(r.ID, 1), Choice: "approve", Shown: hash, Actor: history.Actor{User: "U1"}})
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
}

// A question whose whole text cannot be posted has no buttons, and a typed answer decides nothing.
func TestNobodyDecidesOnWhatCannotBePosted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.control("fault", map[string]any{"target": "api", "method": "files.completeUploadExternal", "kind": "refuse", "error": "not_allowed_token_type", "times": 1_000_000})
	r := d.ask(&flow.ApprovalSpec{Message: strings.Repeat("Pay the invoice 1. ", 1000) + secretEnd}, "Pay")
	all := d.until("the question", func(m string) bool { return strings.Contains(m, "Pay the invoice 1.") })
	for _, m := range all {
		if strings.Contains(wire(m), "gate.choose") {
			t.Errorf("there are buttons: %s", wire(m))
		}
	}
	if hash, err := surface.ShownAt(t.Context(), d.store, gate.ID(r.ID, 1)); hash != "" || err != nil {
		t.Errorf("shown is %q, %v", hash, err)
	}
}

// hostile is what people may write anywhere.
const hostile = "<!channel> <!subteam^S1> <@U1> <#C1> <https://evil|Approve> `q` ```q``` *qbold* _qital_ ~qstrike~ &lt; :qmoji: @everyone \u202eqturn\u202c\nWho may answer: everybody\n> qquote"

// isHostile finds what somebody's words would become where marks are read.
func isHostile(mrkdwn string) string {
	for _, bad := range []string{
		"<!channel>", "<!subteam^S1>", "<@U1>", "<#C1>", "<https:", "`q`", "```q```", "*qbold*", "_qital_", "~qstrike~", ":qmoji:", "\u202e", "\n> qquote", "\n&gt; qquote",
	} {
		if strings.Contains(mrkdwn, bad) {
			return bad
		}
	}
	return ""
}

// marks looks at every place of a message where Slack reads marks.
func marks(t *testing.T, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			marks(t, name, one)
		}
	case map[string]any:
		if text, ok := v["text"].(string); ok && (v["type"] == "mrkdwn" || v["blocks"] != nil) {
			if bad := isHostile(text); bad != "" {
				t.Errorf("%s: %q is read as a mark in %q", name, bad, text)
			}
		}
		if v["type"] == "user" || v["type"] == "usergroup" || v["type"] == "broadcast" || v["type"] == "link" {
			t.Errorf("%s: somebody's words became %v", name, v)
		}
		if v["type"] == "plain_text" && v["emoji"] != false {
			t.Errorf("%s: %v may have emoji", name, v)
		}
		if text, ok := v["text"].(string); ok && strings.ContainsAny(text, "\u202e\u202c") {
			t.Errorf("%s: %q turns the direction of reading", name, text)
		}
		for _, one := range v {
			marks(t, name, one)
		}
	}
}

// fill puts hostile words into every field of a card, whatever fields there are.
func fill(v reflect.Value, n *int) {
	switch text := reflect.TypeFor[card.Text](); {
	case v.Type() == text:
		v.Set(reflect.ValueOf(card.Textf("*%s* and %s", hostile, hostile)))
	case v.Kind() == reflect.String:
		*n++
		v.SetString(fmt.Sprintf("%s %d", hostile, *n))
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n)
		}
	case v.Kind() == reflect.Pointer && v.Type() != reflect.TypeFor[*card.Picture]() && v.Type() != reflect.TypeFor[*card.File]():
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, n)
		}
	}
}

// No field of a card lets somebody's words notify, link or format.
func TestHostileWordsInEveryFieldOfACard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, plain := range []bool{false, true} {
		var c card.Card
		n := 0
		fill(reflect.ValueOf(&c).Elem(), &n)
		for i := range c.Tasks {
			c.Tasks[i].Status = card.TaskWaiting
		}
		for _, buttons := range [][]card.Button{c.Buttons, c.Questions[0].Buttons, c.Questions[1].Buttons} {
			for i := range buttons {
				buttons[i].Style = card.Danger
				buttons[i].Confirm.Text = hostile
				buttons[i].Confirm.Title = "<!channel> *qbold*"
			}
		}
		blocks, text := draw(c, &picture{file: "", alt: hostile}, plain)
		blocks = slices.DeleteFunc(blocks, func(b slackgo.Block) bool { return b.BlockType() == slackgo.MBTImage }) // its file is none
		var wired []any
		if err := json.Unmarshal([]byte(wire(blocks)), &wired); err != nil {
			t.Fatal(err)
		}
		marks(t, "card", map[string]any{"blocks": wired, "text": text})
		if got := wire(blocks); !strings.Contains(got, "qturn") || !strings.Contains(got, "*qbold*") {
			t.Errorf("the words are not to be read as they were written: %s", got)
		}
		s := w.surface(fmt.Sprint("hostile ", plain))
		if err := w.app.put(t.Context(), &s, blocks, text); err != nil {
			t.Errorf("Slack refuses it: %v", err)
		}
	}
}

// A real run whose every free text is hostile shows it as text: its title, question, values, answers and notes.
func TestHostileWordsInARun(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	quoted := "'" + strings.NewReplacer("\n", `\n`).Replace(hostile) + "'"
	r := d.ask(&flow.ApprovalSpec{Message: hostile, Show: []string{quoted}, Choices: []string{"approve " + hostile, "reject"}}, hostile)
	d.until("buttons", func(m string) bool { return strings.Contains(m, "gate.choose") })
	g, err := d.store.Gate(t.Context(), gate.ID(r.ID, 1))
	if err != nil {
		t.Fatal(err)
	}
	body, err := gate.Decode(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range d.raw() {
		marks(t, "open", m)
	}
	a := engine.GateAnswer{Gate: g.ID, Choice: body.Opened.Choices[0], Note: hostile, Shown: body.Opened.Shown(), Actor: history.Actor{User: "", Name: hostile}}
	if _, err := d.engine.Answer(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for _, m := range d.until("the decision", func(m string) bool { return strings.Contains(m, "white_check_mark") }) {
		marks(t, "decided", m)
	}
}
