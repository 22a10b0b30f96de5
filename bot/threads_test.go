package bot

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/storage"
)

const stampFlow = `
name: %s
flow:
  entry: w
  nodes:
    - {id: w, type: %s, message: "%s?", who: {users: ["decider", "author"]}, routes: [{to: end}]}
`

// TestRepliesInAThread is the table of what a reply means: the answer to the one question that waits for its author, else a change of the
// draft by its drafter; what is neither is told to its author alone, and other people's talk is left alone.
func TestRepliesInAThread(t *testing.T) {
	t.Parallel()
	const (
		answer  = "answered"
		change  = "draft 2"
		nothing = ""
	)
	words, choice := []string{"ask"}, []string{"approval"}
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
		"a question to press, by somebody else":    {false, choice, "member", "approve", false, nothing},
		"a question to press, beside the draft":    {true, choice, "author", "remove 1", false, change},
		"a question that is said to somebody else": {false, words, "decider", "@owner do you know?", false, "not taken as the answer"},
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
				flow := fmt.Sprintf("stamp-%d", i)
				p.save(fmt.Sprintf(stampFlow, flow, kind, flow), "owner")
				run, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: flow, Actor: request.Incoming{User: "owner"}.Actor(), Channel: "C1", Thread: thread})
				if err != nil {
					t.Fatal(err)
				}
				asked = append(asked, run.Run.ID)
				p.posted(gate.ID(run.Run.ID, 1))
			}
			in := request.Incoming{Kind: request.KindMessage, User: c.user, Thread: thread, Text: c.text}
			if c.mention {
				in.Kind = request.KindMention
			}
			told := said(p.hear(in))
			got := told
			for _, run := range asked {
				if open, err := p.store.Gates(t.Context(), storage.GateQuery{Run: run, Open: true}); err != nil || len(open) == 0 {
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
