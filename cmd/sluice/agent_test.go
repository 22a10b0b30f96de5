package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/llm/llmtest"
	"sluice/storage"
)

// publish stores a flow file as an approved revision whose home is #support, beside the bot: words alone do not make agents.
func publish(w *world, file string) {
	w.Helper()
	tools, err := openTools(&config{Tools: filepath.Join(w.data, "actions.yaml")}, postNowhere{})
	if err != nil {
		w.Fatal(err)
	}
	src, err := os.ReadFile(file)
	if err != nil {
		w.Fatal(err)
	}
	doc, problems := flowfile.Check(file, src, engine.Checks(tools.set))
	if problems.HasErrors() {
		w.Fatal(problems)
	}
	s, err := openStore(w.Context(), w.database, w.botData())
	if err != nil {
		w.Fatal(err)
	}
	defer s.Close()
	e := engine.New(engine.Config{Store: s, Tools: tools.set})
	home := storage.Flow{Name: doc.Flow.Name, Channel: w.get("state?channel=%23support").Channel, Owner: w.id("ana"), Updated: e.Now()}
	if err := s.Write(w.Context(), &storage.Batch{Flow: &home}); err != nil {
		w.Fatal(err)
	}
	if err := saveFlow(w.Context(), s, doc.Flow, e); err != nil {
		w.Fatal(err)
	}
}

const digestFile = "../../examples/daily-digest/flow.yaml"

// TestAgent lets an agent call a tool and answer as its schema says; a decision reads the answer. The bot is killed while the model
// thinks: what the agent has done before is not done again.
func TestAgent(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	thinks := make(chan struct{})
	model.Reply(
		llmtest.Calls(llmtest.Call{Name: "shop__get_order", Args: map[string]any{"order_id": "A-1001"}}),
		llmtest.Reply{Text: "never heard", Wait: thinks},
		llmtest.JSON(map[string]any{"mood": "alert", "headline": "One large order", "details": "A-1001: 250"}),
	)
	w := newWorld(t, setup{apart: true, settings: []string{"OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=scripted"}})
	publish(w, digestFile)
	w.flow("ana", "#support", "run daily-digest orders=A-1001")
	status := theStatus(w)
	poll(w, "the second question to the model", func() (int, bool) { n := len(model.Requests()); return n, n == 2 })
	w.bot.kill()
	close(thinks)
	w.startBot()
	_, end := done(w, status)
	if !strings.Contains(end.shown(), "cost unknown: no price for scripted") || !strings.Contains(end.shown(), "no finished step was repeated") {
		t.Errorf("the status shows:\n%s", end.shown())
	}
	w.untilMessage("#finance", "the warning", func(m message) bool { return m.Text == "Please look today: One large order" })
	w.untilMessage("#support", "the digest", func(m message) bool { return m.Text == "One large order\nA-1001: 250" })
	if gets := w.arrivals("GET /orders/A-1001"); len(gets) != 1 || model.Left() != 0 {
		t.Errorf("the shop saw %+v; %d answers of the model are left", gets, model.Left())
	}
	last := model.Requests()[2]
	if !strings.Contains(last.Last(), "250") || strings.Contains(last.System(), "A-1001") {
		t.Errorf("the last request ends with %q and begins with %q", last.Last(), last.System())
	}
}

// TestAgentWithoutModel asks a person in the agent's place.
func TestAgentWithoutModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	publish(w, digestFile)
	w.flow("ana", "#support", "run daily-digest orders=A-1003")
	status := theStatus(w)
	card := w.untilMessage("#support", "the question", func(m message) bool {
		return m.Thread == status.TS && strings.Contains(m.shown(), "in the agent's place")
	})
	for _, part := range []string{"There is no language model for the agent clerk", "Look up every order", "orders: A-1003", "mood=calm|alert", "Who may answer: members of #support"} {
		if !strings.Contains(card.shown(), part) {
			t.Errorf("the question does not say %q:\n%s", part, card.shown())
		}
	}
	line := inWords(w, "bob", status.TS, `mood=happy headline="All quiet"`)
	if !strings.Contains(line, "mood") || !strings.Contains(line, "calm, alert") {
		t.Errorf("a wrong answer is answered: %s", line)
	}
	w.write("bob", "#support", status.TS, "@ana mood=alert headline=Talk details=only")
	w.write("bob", "#support", status.TS, `@Sluice answer mood=calm headline="All quiet" details="A-1003: 40"`)
	done(w, status)
	w.untilMessage("#support", "the digest", func(m message) bool { return m.Text == "All quiet\nA-1003: 40" })
	w.untilMessage("#support", "the answered question", func(m message) bool {
		return m.TS == card.TS && strings.Contains(m.shown(), "*Answered* by <@"+w.id("bob")+">")
	})
	if told := w.state("#finance"); len(told) != 0 {
		t.Errorf("#finance was told:\n%s", transcript(told))
	}
}

const tellerFlow = `
name: teller
run: {title: Teller}
agents:
  - id: teller
    description: Tells people
    instructions: Tell finance.
    tools: [slack.post_message]
    output: {type: object, properties: {told: {type: boolean}}, required: [told], additionalProperties: false}
    limits: {turns: 5, tokens: 20000, timeout: 1m}
flow:
  entry: tell
  nodes: [{id: tell, type: agent, agent: teller, input: {}, routes: [{to: end}]}]
`

// TestAnAgentsMessageWaitsForSlack lets an agent post a message while Slack is silent: the agent learns that it waits and goes on, a bot
// that was killed meanwhile still has it, and when Slack answers again it is there once.
func TestAnAgentsMessageWaitsForSlack(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fields{
		"it never arrives": {"kind": "drop", "times": 1000},
		"its answer lost":  {"kind": "drop", "after": "after_act", "times": 1},
		"no answer":        {"kind": "hold", "times": 1000},
		"too many":         {"kind": "429", "after": "1s", "times": 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.New(t)
			model.Reply(
				llmtest.Calls(llmtest.Call{Name: "slack__post_message", Args: map[string]any{"channel": "#finance", "text": "told by an agent"}}),
				llmtest.JSON(map[string]any{"told": true}),
			)
			w := newWorld(t, setup{apart: true, settings: []string{"OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=scripted"}})
			file := filepath.Join(t.TempDir(), "flow.yaml")
			if err := os.WriteFile(file, []byte(tellerFlow), 0o644); err != nil {
				t.Fatal(err)
			}
			publish(w, file)
			w.faultPost("told by an agent", fault)
			w.flow("ana", "#support", "run teller")
			poll(w, "the second question to the model", func() (int, bool) { n := len(model.Requests()); return n, n == 2 })
			learns := `"queued":true`
			if fault["after"] == "after_act" {
				learns = `"ts":` // it is found where it was posted
			}
			if last := model.Requests()[1].Last(); !strings.Contains(last, learns) {
				t.Errorf("the agent learns %s, want %s", last, learns)
			}
			done(w, theStatus(w))
			w.bot.kill()
			w.post("heal", fields{})
			w.startBot()
			told := func(m message) bool { return m.Text == "told by an agent" }
			w.untilMessage("#finance", "the message", told)
			poll(w, "nothing is left to post", func() (stale []storage.Surface, over bool) {
				w.look(func(ctx context.Context, s storage.Store) (err error) {
					stale, err = s.StaleSurfaces(ctx, time.Now().Add(time.Hour), 10)
					return err
				})
				return stale, len(stale) == 0
			})
			if n := len(filter(w.state("#finance"), told)); n != 1 {
				t.Errorf("the message is there %d times", n)
			}
		})
	}
}
