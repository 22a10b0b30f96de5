package bot

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/tool"
)

// roster are the agents of an installation, which may change.
type roster struct{ all []flow.Agent }

func (r *roster) Agents(context.Context) ([]flow.Agent, error) { return r.all, nil }

const namesWriter = `
name: letters
flow:
  entry: write
  nodes:
    - {id: write, type: agent, agent: writer, routes: [{to: end}]}
`

// A draft says which agent may do what. One that has changed since the draft was shown, or since the approval, is shown again.
func TestAgentsOfDrafts(t *testing.T) {
	t.Parallel()
	here := &roster{[]flow.Agent{
		{ID: "writer", Instructions: "Write.", Tools: []string{"shop.get_order"}, Subagents: []string{"checker"}}, {ID: "checker", Instructions: "Check."},
	}}
	echo := func(_ context.Context, c tool.Call) (tool.Result, error) { return tool.Result{Data: c.Params}, nil }
	tools, err := tool.New(
		tool.Tool{Name: "shop.get_order", Description: "Get an order", Effects: flow.EffectsRead, Call: echo},
		tool.Tool{Name: "shop.refund", Description: "Refund an order", Effects: flow.EffectsOnce, Call: echo},
	)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorldNaming(t, tools, here, nil)
	d := w.written("ana", namesWriter)
	may := w.body(d).May
	for _, want := range []string{"The agent writer can get an order and ask the agent checker.", "The agent checker answers without tools."} {
		if !slices.Contains(may, want) {
			t.Errorf("it may do %q, without %q", may, want)
		}
	}

	for text, want := range map[string]string{
		"agents": "shop.get_order", "agents writer": `instructions: \"Write.\"`, "agents writr": "There is no agent called", "agents 7": "page",
	} {
		cards := w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: text})
		if got, err := json.Marshal(cards); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s is answered %s", text, got)
		}
	}

	here.all[0].Tools = []string{"shop.refund"}
	if got := w.approve("bob", d); !strings.Contains(got, "the agent writer changed") || !strings.Contains(got, "Nothing was approved") {
		t.Errorf("an approval of what was not shown is answered %q", got)
	}
	next := w.newest(d.Thread)
	if may := w.body(next).May; next.Number != 2 || !strings.Contains(strings.Join(may, " "), "The agent writer can refund an order") {
		t.Errorf("draft %d may do %q", next.Number, may)
	}
	if got := w.approve("bob", next); got != "" {
		t.Fatalf("it was refused: %q", got)
	}

	here.all[0].Instructions = "Write short."
	if got := w.command("ana", "start letters"); !strings.Contains(got, "the agent writer changed") {
		t.Errorf("a start is answered %q", got)
	}
	here.all = nil
	if got := w.approve("bob", w.written("ana", strings.Replace(namesWriter, "name: letters", "name: others", 1))); !strings.Contains(got, "the agent writer, which is not known here") {
		t.Errorf("an approval without the agent is answered %q", got)
	}
}
