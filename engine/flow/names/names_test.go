package names_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/names"
)

func wrote() *flow.Flow {
	return &flow.Flow{
		Name: "elsewhere", Entry: "ask",
		Triggers: []flow.Trigger{{Message: &flow.MessageTrigger{Channel: "#orders"}}, {Reaction: &flow.ReactionTrigger{Emoji: "box", Channel: "#orders"}}},
		Agents:   []flow.Agent{{ID: "writer", Model: "acme-1", Tools: []string{"web.search", "web.read"}}},
		Nodes: []flow.Node{
			{ID: "ask", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{
				Message: "Ask @ana", Choices: []string{"yes", "no"}, Who: &flow.Who{Groups: []string{"@board"}, Users: []string{"@ana"}},
				Deadline: &flow.Deadline{Escalate: &flow.Escalate{To: "@ana"}},
			}},
			{ID: "post", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "chat.post", Params: map[string]any{
				"channel": "#orders", "text": "#orders has one", "more": []any{map[string]any{"to": "@ana"}, "{{ inputs.who }}"},
			}}},
			{ID: "think", Kind: flow.KindLLM, Spec: &flow.LLMSpec{Model: "{{ inputs.model }}", Tools: []string{"web.search"}}},
		},
	}
}

func Example() {
	f := &flow.Flow{Nodes: []flow.Node{{ID: "find", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "web.search"}}}}
	for _, u := range names.Missing(f, names.Here{Tool: func(name string) bool { return name == "http.get" }}) {
		fmt.Println(u.Name, u.Nodes)
	}
	here := names.Table{"tool:web.search": "http.get"}.Apply(f)
	fmt.Println(here.Nodes[0].Tools(), f.Nodes[0].Tools())
	// Output:
	// tool:web.search [find]
	// [http.get] [web.search]
}

func TestEachNameIsListedOnceWithItsUses(t *testing.T) {
	t.Parallel()
	var got []string
	for _, u := range names.Of(wrote()) {
		got = append(got, fmt.Sprint(u.Name, u.Nodes, u.Agents, u.Start))
	}
	want := []string{
		"channel:#orders [post] [] true", "model:acme-1 [] [writer] false", "tool:web.search [think] [writer] false", "tool:web.read [] [writer] false",
		"person:@board [ask] [] false", "person:@ana [ask post] [] false", "tool:chat.post [post] [] false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestATableReplacesWholeNamesOnly(t *testing.T) {
	t.Parallel()
	f := wrote()
	before := flow.Hash(f)
	table := names.Table{"channel:#orders": "#sales", "person:@ana": "@bo", "model:acme-1": names.DefaultModel, "tool:web.search": "http.get", "tool:chat.post": "", "person:@board": "@bo"}
	here := table.Apply(f)
	if flow.Hash(f) != before {
		t.Error("the flow itself was changed")
	}
	var got []string
	for _, u := range names.Of(here) {
		got = append(got, u.String())
	}
	if want := []string{"channel:#sales", "tool:http.get", "tool:web.read", "person:@bo", "tool:chat.post"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if text := here.Node("post").Spec.(*flow.ToolSpec).Params["text"]; text != "#orders has one" {
		t.Errorf("the text became %q", text)
	}
	if here.Agents[0].Model != "" {
		t.Errorf("the model is %q instead of the default", here.Agents[0].Model)
	}
	if !table.Left(names.Name{Kind: names.Tool, Text: "chat.post"}) || table.Left(names.Name{Kind: names.Tool, Text: "web.read"}) {
		t.Error("what was left is not known")
	}
}

func TestOnlyAddressesOfToolsAreNames(t *testing.T) {
	t.Parallel()
	nowhere := func(string) bool { return false }
	missing := func(here names.Here) (got []string) {
		for _, u := range names.Missing(wrote(), here) {
			got = append(got, u.String())
		}
		return got
	}
	takes := func(tool, param string) bool { return tool == "chat.post" && param == "channel" }
	if got, want := missing(names.Here{Address: nowhere, Takes: takes}), []string{"channel:#orders", "person:@board", "person:@ana"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := missing(names.Here{}); got != nil {
		t.Errorf("nothing was asked for, and %v is missing", got)
	}
}

func TestNamesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"tool:a:b": true, "model:acme/x-1": true, "tool:": false, "thing:x": false, "web.search": false} {
		n, read := names.Read(text)
		if read != ok || ok && n.String() != text {
			t.Errorf("%s was read as %v, %v", text, n, read)
		}
	}
}
