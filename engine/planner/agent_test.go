package planner

import (
	"slices"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/env"
	"sluice/engine/planner/tree"
)

// A language model without tools is asked about where it needs more than the run gives it.
func TestAgentAlone(t *testing.T) {
	t.Parallel()
	for text, asked := range map[string]bool{
		"write a short summary of the notes":           false,
		"extract the total from the scanned image":     false,
		"convert the notes into Markdown":              false,
		"retrieve the release notes of the project":    true,
		"summarize the text of the webpage":            true,
		"draw an illustration for the article":         true,
		"translate the text and produce an audio file": true,
		"turn the plan into a PDF":                     true,
		"the corresponding docx file":                  true,
	} {
		tr := &tree.Tree{Texts: []tree.Text{{Words: text}}, Steps: []tree.Step{{ID: "s1", Kind: tree.Agent, Text: text, Said: tree.Quote{To: len(text)}}}}
		open := func(tr *tree.Tree) bool {
			return slices.ContainsFunc(Plan(tr, env.World{Model: true}).Questions, func(q Question) bool { return q.ID == "s1.doer" })
		}
		if open(tr) != asked {
			t.Errorf("%q: asked %v", text, !asked)
		}
		if !asked {
			continue
		}
		if next, err := Answer(tr, env.World{Model: true}, "s1.doer", optAgent, "", "U1"); err != nil || open(next) {
			t.Errorf("%q: the answer does not count: %v", text, err)
		}
		tr.Steps[0].Tools = []string{"web.get"}
		if open(tr) {
			t.Errorf("%q: asked in spite of a tool", text)
		}
	}
}

// That somebody has done a step is neither a condition nor a list.
func TestDoneIsNoValue(t *testing.T) {
	t.Parallel()
	done := tree.Value{Words: "invalid", Ref: tree.Ref{Step: "s1"}}
	tr := &tree.Tree{Last: 5, Steps: []tree.Step{
		{ID: "s1", Kind: tree.Do, Doer: tree.DoerPerson, Text: "check the orders", Who: []tree.Name{{Words: "@ann", Is: "@ann"}}},
		{ID: "s2", Kind: tree.Each, Over: tree.Value{Words: "orders", Ref: tree.Ref{Step: "s1"}}, Branches: []tree.Branch{{Steps: []tree.Step{{ID: "s3", Kind: tree.Tell, Text: "hello"}}}}},
		{ID: "s4", Kind: tree.Decide, Branches: []tree.Branch{{
			When:  &tree.Cond{Op: tree.OpNot, Words: "invalid", Parts: []tree.Cond{{Op: tree.OpTrue, Left: done}}},
			Steps: []tree.Step{{ID: "s5", Kind: tree.Tell, Text: "stop"}},
		}}},
	}}
	p := Plan(tr, env.World{})
	var ids []string
	for _, q := range p.Questions {
		ids = append(ids, q.ID)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"s2.over", "s4.when.0"}) {
		t.Fatalf("asked %q", ids)
	}
	next, err := Answer(tr, env.World{}, "s4.when.0", optPerson, "@ann", "U1")
	if err != nil {
		t.Fatal(err)
	}
	if c := next.Step("s4").Branches[0].When; c.Op == tree.OpNot || c.Words != "invalid" {
		t.Errorf("the answer to “invalid” is turned around: %+v", c)
	}
}

// A decision whose two sides are both said has no third one: what is neither damaged nor undamaged is not known.
func TestTwoSides(t *testing.T) {
	t.Parallel()
	damaged := tree.Cond{Op: tree.OpTrue, Left: tree.Value{Ref: tree.Ref{Step: "s1", Field: "damaged"}}}
	tell := func(id, text string) []tree.Step { return []tree.Step{{ID: id, Kind: tree.Tell, Text: text}} }
	tr := &tree.Tree{Steps: []tree.Step{
		{ID: "s1", Kind: tree.Agent, Text: "look at it", Fields: []tree.Field{{Name: "damaged", Type: "boolean"}}},
		{ID: "s2", Kind: tree.Decide, Branches: []tree.Branch{
			{When: &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{damaged}}, Steps: tell("s3", "fine")}, {When: &damaged, Steps: tell("s4", "broken")},
		}},
		{ID: "s5", Kind: tree.Tell, Text: "that is all"},
	}}
	p := Plan(tr, env.World{Model: true})
	if routes := p.Flow.Node(p.Nodes["s2"][0]).Routes; len(routes) != 3 || routes[0].To != p.Nodes["s3"][0] || routes[1].To != p.Nodes["s4"][0] {
		t.Errorf("the ways are %+v", routes)
	}
}

// A step that comes between two steps with numbers of their author gets a number that none of them has.
func TestNumbersAreUnique(t *testing.T) {
	t.Parallel()
	tr := &tree.Tree{Steps: []tree.Step{{ID: "a", No: 2}, {ID: "b"}, {ID: "c"}, {ID: "d", No: 3}, {ID: "e", No: 5}, {ID: "f"}}}
	seen := map[string]string{}
	for id, n := range tr.Numbers() {
		if seen[n] != "" {
			t.Errorf("%s and %s are both %s", id, seen[n], n)
		}
		seen[n] = id
	}
	if seen["2"] != "a" || seen["3"] != "d" || seen["5"] != "e" {
		t.Errorf("numbers %v", seen)
	}
}

// Who decides about a form, and an agent behind it, gets what was filled in.
func TestWhatAFormSays(t *testing.T) {
	t.Parallel()
	tr := &tree.Tree{Steps: []tree.Step{
		{ID: "form", Kind: tree.Ask, Text: "fill it in", Who: []tree.Name{{Words: "@ann", Is: "@ann"}}, Fields: []tree.Field{{Name: "company"}, {Name: "tax_number"}}},
		{ID: "check", Kind: tree.Ask, Text: "check it", Who: []tree.Name{{Words: "@bob", Is: "@bob"}}, Show: []tree.Value{{Words: "it", Ref: tree.Ref{Step: "form"}}}},
		{ID: "write", Kind: tree.Agent, Text: "write to them"},
	}}
	p := Plan(tr, env.World{Model: true})
	form := "approvals." + p.Nodes["form"][0]
	gate, ok := p.Flow.Node(p.Nodes["check"][0]).Spec.(*flow.ApprovalSpec)
	if !ok || !slices.Equal(gate.Show, []string{form + ".company", form + ".tax_number"}) {
		t.Errorf("the question shows %v", gate.Show)
	}
	agent, ok := p.Flow.Node(p.Nodes["write"][0]).Spec.(*flow.AgentSpec)
	if !ok || agent.Input[p.Nodes["form"][0]+"_company"] != "{{"+form+".company}}" {
		t.Errorf("the agent is given %v", agent.Input)
	}
}

// The list that an agent makes for a loop is one of texts.
func TestListOfAnAgent(t *testing.T) {
	t.Parallel()
	tr := &tree.Tree{Steps: []tree.Step{
		{ID: "list", Kind: tree.Agent, Text: "write a list of titles"},
		{ID: "each", Kind: tree.Each, As: "title", Over: tree.Value{Words: "titles", Ref: tree.Ref{Step: "list"}}, Branches: []tree.Branch{{Steps: []tree.Step{{ID: "tell", Kind: tree.Tell, Text: "hello"}}}}},
	}}
	p := Plan(tr, env.World{Model: true})
	each, ok := p.Flow.Node(p.Nodes["each"][0]).Spec.(*flow.ForeachSpec)
	if !ok || len(p.Questions) > 0 || each.Items != p.Nodes["list"][0]+".result.list" {
		t.Errorf("it goes over %q and asks %+v", each.Items, p.Questions)
	}
	if items := jsonschema.Items(jsonschema.Property(p.Flow.Agents[0].Output, "list")); items["type"] != "string" {
		t.Errorf("the items are %v", items)
	}
}
