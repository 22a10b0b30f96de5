package planner

import (
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// asks gives the questions of a draft, but not the comparison, each with the ids of its options.
func asks(t *tree.Tree, tools ...tool.Tool) (out []string) {
	for _, q := range Plan(t, plannertest.World(tools...)).Questions {
		text := []string{q.ID + ":"}
		for _, o := range q.Options {
			text = append(text, o.ID+",")
		}
		if q.Kind != "confirm" {
			out = append(out, strings.Join(text, " "))
		}
	}
	return out
}

func tools(t *testing.T) []tool.Tool {
	t.Helper()
	list := map[string]any{"type": "object", "properties": map[string]any{"bugs": map[string]any{"type": "array", "items": map[string]any{"type": "object"}}}}
	labels := map[string]any{"type": "object", "properties": map[string]any{"labels": map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}}
	return []tool.Tool{
		{Name: "deploy.production", Description: "Deploy to production", Words: []string{"deploy to production"}, Effects: flow.EffectsOnce},
		{Name: "books.create_invoice", Description: "Create an invoice", Words: []string{"create invoice"}, Effects: flow.EffectsOnce},
		{Name: "bugs.list", Description: "List open bugs", Words: []string{"list bugs"}, Effects: flow.EffectsRead, Result: list},
		{Name: "text.sort", Description: "Categorize a text", Words: []string{"categorize", "categorize the text"}, Effects: flow.EffectsRead, Params: labels},
	}
}

// TestARoleOrATool: what a role does and a tool can do, too, is asked about. What a person who is named does is theirs.
func TestARoleOrATool(t *testing.T) {
	t.Parallel()
	const either, who = ": person, tool.deploy.production, tool, leave,", "name.the_engineer: name, requester,"
	for words, want := range map[string]string{
		"The engineer deploys the approved change to production":                "s1.doer" + either,
		"The engineer checks the change. The engineer deploys it to production": who + " s2.doer" + either,
		"Accounting must create an invoice for the customer":                    "s1.doer: person, tool.books.create_invoice, tool, leave,",
		"@bob deploys the change to production":                                 "",
		"I create an invoice":                                                   "",
		"The engineer deploys the tent":                                         who,
		"The engineer tests the invoice in production":                          who,
	} {
		tr, _ := outline.Read(words, "U1")
		if got := strings.Join(asks(tr, tools(t)...), " "); got != want {
			t.Errorf("%q: asked %q, want %q", words, got, want)
		}
	}
}

// TestARoleIsNamedOnce: a person who is named for one step of a role does all of its steps; a tool does only the step that it was chosen for.
func TestARoleIsNamedOnce(t *testing.T) {
	t.Parallel()
	w := plannertest.World(tools(t)...)
	tr, _ := outline.Read("The engineer deploys it to production. The engineer checks it. The engineer creates an invoice", "U1")
	byTool, err := Answer(tr, w, "s1.doer", "tool.deploy.production", "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	if got := asks(byTool, tools(t)...); len(got) != 2 {
		t.Errorf("with a tool for the first step: asked %q", got)
	}
	for _, question := range []string{"s1.doer", "name.the_engineer"} {
		option := map[string]string{"s1.doer": optPerson, "name.the_engineer": "name"}[question]
		named, err := Answer(tr, w, question, option, "@bob", "U1")
		if err != nil {
			t.Fatal(err)
		}
		if got := asks(named, tools(t)...); len(got) > 0 {
			t.Errorf("after %s: asked %q", question, got)
		}
	}
}
