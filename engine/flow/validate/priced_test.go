package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/validate"
)

// TestLimitsInUSDNeedPrices: a limit in USD on a model without a price is refused at its place, also for a sub-agent. Limits in tokens are accepted.
func TestLimitsInUSDNeedPrices(t *testing.T) {
	t.Parallel()
	const asked = `
name: asked
agents:
  - {id: cheap, model: known, limits: {usd: 1}}
  - {id: boss, model: known, subagents: [helper], limits: {usd: 2}}
  - {id: helper, model: other/unknown, limits: {tokens: 5}}
  - {id: plain, limits: {usd: 0.5}}
budget: {usd_per_month: 10}
flow:
  entry: a
  nodes:
    - {id: a, type: agent, agent: cheap, routes: [{to: b}]}
    - {id: b, type: agent, agent: boss, routes: [{to: c}]}
    - {id: c, type: agent, agent: plain, routes: [{to: end}]}
`
	doc, problems := file.Parse("flow.yaml", []byte(asked))
	if problems.HasErrors() {
		t.Fatal(problems.Error())
	}
	var got []string
	check := func(priced func(string) (string, bool)) {
		got = nil
		for _, p := range doc.Validate(flow.Checks{Priced: priced}) {
			if p.Code == validate.CodeNoPrice {
				got = append(got, p.Message)
			}
		}
	}
	check(func(model string) (string, bool) {
		if model == "" {
			return "standard", false
		}
		return model, model == "known"
	})
	want := []string{
		"limits.usd of agent 'boss' cannot be kept: no price is known for other/unknown",
		"limits.usd of agent 'plain' cannot be kept: no price is known for standard",
		"budget.usd_per_month cannot be kept: no price is known for other/unknown, standard",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if check(nil); len(got) > 0 {
		t.Errorf("without prices to ask for: %q", got)
	}
}
