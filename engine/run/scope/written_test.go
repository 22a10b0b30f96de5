package scope_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// A text names the bytes that a language model wrote, and no others: not what a person gave, nor what was made of both.
func TestWrittenIsWhatAModelWrote(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][][2]int{
		"Hello":                             nil,
		"{{inputs.name}}":                   nil,
		"{{model}}":                         {{0, 5}},
		"{{inputs.name}}: {{model.text}}.":  {{5, 10}},
		"{{model}} {{nodes.model | upper}}": {{0, 5}, {6, 11}},
		"{{previous}}":                      {{0, 5}},
		"{{model.result}} {{model | json}}": {{0, 5}},
		"{{inputs.name == model}}":          nil,
		"{{model ? inputs.name : model}}":   nil,
		"{{person}} {{tool}}":               nil,
		"{{person}}{{model}}{{missing}}":    {{4, 9}},
		"{{vars.copy}} {{approvals.x}}":     nil,
	} {
		f := &flow.Flow{
			Name: "f", Entry: "model", Agents: []flow.Agent{{ID: "a"}},
			Nodes: []flow.Node{
				{ID: "model", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "a"}},
				{ID: "person", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "a"}},
				{ID: "tool", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.get"}},
				{ID: "say", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: message}},
				{ID: "post", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: flow.PostMessage, Params: map[string]any{"text": message}}},
				{ID: "send", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "mail.send", Params: map[string]any{"text": message}}},
			},
		}
		p, err := compile.Flow(f)
		if err != nil {
			t.Fatal(err)
		}
		s := &history.State{Seq: 9, Vars: map[string]any{"copy": "**x**"}, Frames: []history.Frame{{Outputs: map[string]int64{"model": 4, "person": 5, "tool": 6}}}}
		rd := scope.New(p, s, &scope.Reads{
			Start:   &history.RunStarted{Inputs: map[string]any{"name": "Ana"}},
			Outputs: map[int64]history.Output{4: {Text: "**x**", Model: true}, 5: {Text: "said"}, 6: {Text: "gave"}},
		})
		token := history.Token{ID: 1, Prev: 4, PrevNode: "model"}
		text, nerr := rd.Text(p.Nodes["say"], token)
		if nerr != nil {
			t.Fatal(nerr)
		}
		for _, id := range []string{"say", "post"} {
			if diff := cmp.Diff(want, scope.ByModel(rd.Written(p.Nodes[id], token), text)); diff != "" {
				t.Errorf("%s: %q is %q (-want +got):\n%s", id, message, text, diff)
			}
		}
		if got := rd.Written(p.Nodes["send"], token); got != nil {
			t.Errorf("%q is sent elsewhere as %v", message, got)
		}
		if got := scope.ByModel(rd.Written(p.Nodes["say"], token), text+"!"); got != nil {
			t.Errorf("%q was changed, and is the model's at %v", message, got)
		}
	}
}
