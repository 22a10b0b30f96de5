package flow

import (
	"fmt"
	"slices"
	"strings"
)

// CodeNoPrice is the code of a problem with a limit in USD on a model whose price is not known. Such a limit cannot be enforced.
const CodeNoPrice = "no-price"

const priceHint = "an operator can give its price in SLUICE_MODELS; limits in tokens and turns hold without one"

// prices checks that each limit in USD is on models whose prices are known.
func (v *validator) prices() {
	if v.checks.Priced == nil {
		return
	}
	for i := range v.f.Agents {
		g := &v.f.Agents[i]
		if g.Limits.USD <= 0 {
			continue
		}
		if models := v.unpriced(v.f.modelsBelow(g.ID, nil)); len(models) > 0 {
			v.error(at{path: fmt.Sprintf("agents[%d].limits.usd", i)}, CodeNoPrice,
				fmt.Sprintf("limits.usd of agent '%s' cannot be kept: no price is known for %s", g.ID, strings.Join(models, ", ")), priceHint)
		}
	}
	if v.f.Budget.USDPerMonth <= 0 {
		return
	}
	if models := v.unpriced(v.f.models()); len(models) > 0 {
		v.error(at{path: "budget.usd_per_month"}, CodeNoPrice,
			"budget.usd_per_month cannot be kept: no price is known for "+strings.Join(models, ", "), priceHint)
	}
}

// unpriced gives the full names of those models whose prices are not known.
func (v *validator) unpriced(models []string) (names []string) {
	for _, m := range models {
		if name, known := v.checks.Priced(m); !known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// modelsBelow lists the models of an agent and of those that it calls. Empty is the default model.
func (f *Flow) modelsBelow(id string, seen []string) []string {
	g := f.AgentByID(id)
	if g == nil || slices.Contains(seen, id) {
		return nil
	}
	models := []string{g.Model}
	for _, sub := range g.Subagents {
		models = append(models, f.modelsBelow(sub, append(slices.Clip(seen), id))...)
	}
	return models
}

// models lists the models that a flow names. Empty is the default model.
func (f *Flow) models() (models []string) {
	for i := range f.Agents {
		models = append(models, f.Agents[i].Model)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if s, ok := n.Spec.(*LLMSpec); ok && !strings.Contains(s.Model, "{{") {
			models = append(models, s.Model)
		}
		judged := slices.ContainsFunc(n.Routes, func(r Route) bool { return r.If == IfLLM })
		if _, agent := n.Spec.(*AgentSpec); !agent && (judged || len(n.Criteria) > 0) {
			models = append(models, "")
		}
	}
	return models
}
