package validate_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/lookalike"
)

const latin = `
name: refund
run: {key: "refund-{{inputs.order_id}}"}
inputs: {order_id: {type: string}}
triggers: [{webhook: {path: shop/refunds}}]
agents: [{id: helper, tools: [http.get]}]
flow:
  entry: pay
  nodes:
    - {id: pay, name: "Pay, or Плати 払う", type: agent, agent: helper, routes: [{to: tell}]}
    - {id: tell, type: say, message: "Привет, {{inputs.order_id}}", routes: [{to: end}]}
`

// TestIdsOfMixedScriptsAreRefused: an id with a character of another script is refused, with its place and the character. Names for
// people may mix scripts.
func TestIdsOfMixedScriptsAreRefused(t *testing.T) {
	t.Parallel()
	check := func(src string) flow.Problems {
		doc, problems := file.Parse("flow.yaml", []byte(src))
		return append(problems, doc.Validate(flow.Checks{})...)
	}
	if problems := check(latin); slices.ContainsFunc(problems, func(p flow.Problem) bool { return p.Code == "mixed-scripts" }) {
		t.Fatal(problems.Error())
	}
	for name, c := range map[string]struct{ old, new, says string }{
		"a flow":                   {"name: refund", "name: rеfund", "'е' (U+0435) is Cyrillic"},
		"a key":                    {`"refund-{{`, `"rеfund-{{`, "'е' (U+0435) is Cyrillic"},
		"an input":                 {"inputs: {order_id", "inputs: {оrder_id", "'о' (U+043E) is Cyrillic"},
		"a webhook's path":         {"shop/refunds", "shop/rеfunds", "'е' (U+0435) is Cyrillic"},
		"an agent":                 {"{id: helper", "{id: hеlper", "'е' (U+0435) is Cyrillic"},
		"an agent's tool":          {"[http.get]", "[httр.get]", "'р' (U+0440) is Cyrillic"},
		"a node":                   {"{id: pay,", "{id: pаy,", "'а' (U+0430) is Cyrillic"},
		"a node, Greek":            {"{id: pay,", "{id: pαy,", "'α' (U+03B1) is Greek"},
		"a node, wide":             {"{id: pay,", "{id: ｐay,", "another way to write 'p'"},
		"a node, as in formulas":   {"{id: pay,", "{id: 𝐩ay,", "another way to write 'p'"},
		"a node, all of it":        {"{id: tell,", "{id: рау,", "looks like 'pay'"},
		"mostly the other script":  {"{id: pay,", "{id: платa,", "'a' (U+0061) is Latin"},
		"Cherokee, beside Latin":   {"{id: pay,", "{id: paᎩ,", "is Cherokee"},
		"an agent, all of another": {"agents: [{id: helper", "agents: [{id: сор}, {id: cop}, {id: helper", "looks like"},
	} {
		problems := check(strings.Replace(latin, c.old, c.new, 1))
		i := slices.IndexFunc(problems, func(p flow.Problem) bool { return p.Code == "mixed-scripts" && strings.Contains(p.Message, c.says) })
		if i < 0 {
			t.Errorf("%s is not refused with %q: %s", name, c.says, problems.Error())
			continue
		}
		if problems[i].Line == 0 {
			t.Errorf("%s has no place: %+v", name, problems[i])
		}
	}
	for _, id := range []string{"größe", "плата_1", "支払いステップ", "注文_id", "결제-1", "ödeme", "πληρωμή"} {
		if odd := lookalike.OddCharacter(id); odd != "" {
			t.Errorf("%q is refused: %s", id, odd)
		}
	}
}

// TestStoredFlowsOfMixedScriptsLoad: a stored flow with such ids can still be loaded.
func TestStoredFlowsOfMixedScriptsLoad(t *testing.T) {
	t.Parallel()
	doc, _ := file.Parse("flow.yaml", []byte(strings.Replace(latin, "{id: tell,", "{id: tеll,", 1)))
	if doc == nil || doc.Flow == nil {
		t.Fatal("it cannot be read")
	}
	f, err := flow.FromJSON(flow.Canonical(doc.Flow))
	if err != nil || f.Nodes[1].ID != "tеll" {
		t.Errorf("it is loaded as %v: %v", f, err)
	}
}
