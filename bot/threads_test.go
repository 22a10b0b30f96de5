package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/storage"
)

const stampFlow = `
name: %s
flow:
  entry: w
  nodes:
    - {id: w, type: %s, message: "%s?", who: {users: ["decider", "author"]}, routes: [{to: end}]}
`

// chatFlow is a conversation with the person who starts it. The first message says whether its agent answers, or is at work for ever.
const chatFlow = `{"name": %q, "entry": "a", "rules": {"conversational": true}, "agents": [{"id": "a"}],
	"inputs": [{"name": "message", "type": "string"}], "nodes": [{"id": "a", "type": "agent", "agent": "a", "input": {"user_message": "{{inputs.message}}"}}]}`

// chatModel answers what it is asked for, unless that is to work.
type chatModel struct{}

func (chatModel) Chat(ctx context.Context, r llm.Request) (llm.Response, error) {
	if r.Messages[0].Text == "work" {
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	}
	return llm.Response{Text: "What is it?"}, nil
}

// ask starts a run that asks something in a thread: a question of a kind, or a conversation whose agent waits or works.
func (p *doors) ask(kind, name, thread string) string {
	p.Helper()
	q := engine.StartRequest{Flow: name, Actor: request.Incoming{User: "owner"}.Actor(), Channel: "C1", Thread: thread}
	switch kind {
	case "waits", "work":
		f, err := flow.FromJSON(fmt.Appendf(nil, chatFlow, name))
		if err != nil {
			p.Fatal(err)
		}
		p.saveFlow(f, "owner")
		q.Inputs, q.Actor = map[string]any{"message": kind}, request.Incoming{User: "decider"}.Actor()
	default:
		p.save(fmt.Sprintf(stampFlow, name, kind, name), "owner")
	}
	run, err := p.bot.Engine.Start(p.Context(), q)
	if err != nil {
		p.Fatal(err)
	}
	if kind != "work" {
		p.posted(gate.ID(run.Run.ID, 1))
	}
	return run.Run.ID
}

// saveFlow approves a flow in C1.
func (p *doors) saveFlow(f *flow.Flow, owner string) {
	p.Helper()
	lock, err := p.bot.Engine.Lock(p.Context(), f)
	if err != nil {
		p.Fatal(err)
	}
	text, err := json.Marshal(lock)
	if err != nil {
		p.Fatal(err)
	}
	b := &storage.Batch{
		Flow:     &storage.Flow{Name: f.Name, Head: 1, Channel: "C1", Owner: owner},
		Revision: &storage.Revision{Flow: f.Name, Number: 1, Hash: flow.Hash(f), LockHash: flow.ApprovalHash(f, lock), Body: flow.Canonical(f), Lock: text, By: owner},
	}
	if b.Triggers, _, err = p.bot.Engine.TriggerRows(p.Context(), f, 1, "owner", "C1"); err == nil {
		err = p.store.Write(p.Context(), b)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// taken reports whether the run has taken what somebody has said.
func (p *doors) taken(run string) bool {
	p.Helper()
	v, err := p.bot.Engine.View(p.Context(), run)
	if err != nil {
		p.Fatal(err)
	}
	return slices.ContainsFunc(v.Facts, func(f history.Fact) bool {
		_, decided := f.Body.(*history.GateDecided)
		_, kept := f.Body.(*history.WordsKept)
		return decided || kept
	})
}

// TestRepliesInAThread is the table of what a reply means: the answer to the one question that waits for its author, the next words in their
// conversation with an agent, else a change of the draft by its drafter; what is none of them is told to its author alone, and other people's talk is left alone.
func TestRepliesInAThread(t *testing.T) {
	t.Parallel()
	const (
		answer  = "answered"
		change  = "draft 2"
		nothing = ""
	)
	words, choice, waits, work := []string{"ask"}, []string{"approval"}, []string{"waits"}, []string{"work"}
	for name, c := range map[string]struct {
		draft     bool
		questions []string // kinds of the questions that are open in the thread
		user      string
		text      string
		mention   bool
		want      string // answer, change, nothing, or a part of what the author is told
	}{
		"a thread of others":                       {false, nil, "decider", "12 kg", false, nothing},
		"a question":                               {false, words, "decider", "12 kg", false, answer},
		"a question, said to the bot":              {false, words, "decider", "12 kg", true, answer},
		"a question that does not wait for them":   {false, words, "member", "12 kg", false, nothing},
		"a draft":                                  {true, nil, "author", "remove 1", false, change},
		"a draft of somebody else":                 {true, nil, "decider", "remove 1", false, nothing},
		"a draft of somebody else, to the bot":     {true, nil, "decider", "remove 1", true, change},
		"a draft, words that change nothing":       {true, nil, "author", "12 kg", false, "I cannot read this as a change"},
		"a question and a draft":                   {true, words, "author", "remove 1", false, answer},
		"a question and a draft, for another":      {true, words, "decider", "remove 1", false, answer},
		"a question and a draft, talk":             {true, words, "member", "remove 1", false, nothing},
		"two questions":                            {false, []string{"ask", "ask"}, "decider", "12 kg", false, "not taken as the answer"},
		"a question in words beside one to press":  {false, []string{"ask", "approval"}, "decider", "12 kg", false, answer},
		"a question to press":                      {false, choice, "decider", "12 kg is a lot", false, nothing},
		"a question to press, with its answer":     {false, choice, "decider", "approve, fine by me", false, "This does not decide"},
		"a question to press, in other words":      {false, choice, "decider", "no, too old", false, "answer reject too old`"},
		"a question to press, by somebody else":    {false, choice, "member", "approve", false, nothing},
		"a question to press, beside the draft":    {true, choice, "author", "remove 1", false, change},
		"a question that is said to somebody else": {false, words, "decider", "@owner do you know?", false, "not taken as the answer"},
		"a conversation":                           {false, waits, "decider", "why?", false, answer},
		"a conversation, said to the bot":          {false, waits, "decider", "why?", true, answer},
		"a conversation of somebody else":          {false, waits, "owner", "why?", false, nothing},
		"a conversation, said to somebody else":    {false, waits, "decider", "@owner do you know?", false, nothing},
		"a conversation beside a draft":            {true, waits, "decider", "remove 1", false, answer},
		"a conversation beside one's own draft":    {true, waits, "author", "remove 1", false, change},
		"a conversation beside a question":         {false, []string{"waits", "ask"}, "decider", "12 kg", false, "not taken as the answer"},
		"an agent at work":                         {false, work, "decider", "12 kg", false, answer},
		"an agent at work, talk of others":         {false, work, "member", "12 kg", false, nothing},
		"an agent at work beside a question":       {false, []string{"work", "ask"}, "decider", "12 kg", false, answer},
		"an agent at work beside one to press":     {false, []string{"work", "approval"}, "decider", "12 kg", false, answer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newDoors(t)
			thread := "50.0"
			if c.draft {
				p.hear(request.Incoming{Kind: request.KindMention, User: "author", Text: "new parcel: 1. get the order 2. ask @finance to approve", TS: thread})
			}
			var asked []string
			for i, kind := range c.questions {
				asked = append(asked, p.ask(kind, fmt.Sprintf("stamp-%d", i), thread))
			}
			in := request.Incoming{Kind: request.KindMessage, User: c.user, Thread: thread, Text: c.text}
			if c.mention {
				in.Kind = request.KindMention
			}
			told := said(p.hear(in))
			got := told
			for _, run := range asked {
				if p.taken(run) {
					got = answer
				}
			}
			if c.draft && p.newest(thread).Number == 2 {
				got = change
			}
			if got != c.want && (c.want == nothing || !strings.Contains(got, c.want)) {
				t.Errorf("the outcome is %q, want %q", got, c.want)
			}
		})
	}
}
