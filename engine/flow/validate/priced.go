package validate

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// CodeNoPrice is the code of a problem with a limit in USD on a model whose price is not known. Such a limit cannot be enforced.
const CodeNoPrice = "no-price"

const priceHint = "an operator can give its price in SLUICE_MODELS; limits in tokens and turns hold without one"

// prices checks that each limit in USD is on models whose prices are known.
func prices(v *flow.Checker) {
	if v.Checks.Priced == nil {
		return
	}
	for i := range v.Flow.Agents {
		g := &v.Flow.Agents[i]
		if g.Limits.USD <= 0 {
			continue
		}
		if models := unpriced(v, modelsBelow(v.Flow, g.ID, nil)); len(models) > 0 {
			v.Error(flow.At{Path: fmt.Sprintf("agents[%d].limits.usd", i)}, CodeNoPrice,
				fmt.Sprintf("limits.usd of agent '%s' cannot be kept: no price is known for %s", g.ID, strings.Join(models, ", ")), priceHint)
		}
	}
	if v.Flow.Budget.USDPerMonth <= 0 {
		return
	}
	if models := unpriced(v, models(v.Flow)); len(models) > 0 {
		v.Error(flow.At{Path: "budget.usd_per_month"}, CodeNoPrice,
			"budget.usd_per_month cannot be kept: no price is known for "+strings.Join(models, ", "), priceHint)
	}
}

// unlisted warns of models that a document of another format names and this installation does not list. Their names are those of the host that the
// document comes from.
func unlisted(v *flow.Checker) {
	if v.Checks.Priced == nil || v.Flow.Profile == flow.ProfileNative {
		return
	}
	usual, _ := v.Checks.Priced("")
	warn := func(path, node, model string) {
		if model == "" || strings.Contains(model, "{{") {
			return
		}
		if name, known := v.Checks.Priced(model); !known && name != usual {
			v.Warn(flow.At{Path: path + ".model", Node: node}, "unknown-model", fmt.Sprintf("the model '%s' is not one that this installation lists", model),
				"name one of SLUICE_MODELS, or none for the default model")
		}
	}
	for i := range v.Flow.Agents {
		warn(fmt.Sprintf("agents[%d]", i), "", v.Flow.Agents[i].Model)
	}
	for i := range v.Flow.Nodes {
		if s, ok := v.Flow.Nodes[i].Spec.(*flow.LLMSpec); ok {
			warn(fmt.Sprintf("flow.nodes[%d]", i), v.Flow.Nodes[i].ID, s.Model)
		}
	}
}

// unpriced gives the full names of those models whose prices are not known.
func unpriced(v *flow.Checker, models []string) (names []string) {
	for _, m := range models {
		if name, known := v.Checks.Priced(m); !known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// modelsBelow lists the models of an agent and of those that it calls. Empty is the default model.
func modelsBelow(f *flow.Flow, id string, seen []string) []string {
	g := f.AgentByID(id)
	if g == nil || slices.Contains(seen, id) {
		return nil
	}
	models := []string{g.Model}
	for _, sub := range g.Subagents {
		models = append(models, modelsBelow(f, sub, append(slices.Clip(seen), id))...)
	}
	return models
}

// models lists the models that a flow names. Empty is the default model.
func models(f *flow.Flow) (models []string) {
	for i := range f.Agents {
		models = append(models, f.Agents[i].Model)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if s, ok := n.Spec.(*flow.LLMSpec); ok && !strings.Contains(s.Model, "{{") {
			models = append(models, s.Model)
		}
		judged := slices.ContainsFunc(n.Routes, func(r flow.Route) bool { return r.If == flow.IfLLM })
		if _, agent := n.Spec.(*flow.AgentSpec); !agent && (judged || len(n.Criteria) > 0) {
			models = append(models, "")
		}
	}
	return models
}
