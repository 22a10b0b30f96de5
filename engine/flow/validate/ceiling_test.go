package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/validate"
)

var asking = `
name: asking
limits: {steps: 1000000000, items: 100000, depth: 1000}
agents: [{id: bot, limits: {turns: 1000, tokens: 100000000, usd: 5000, timeout: 10000h}}]
triggers: [{schedule: {cron: "@every 10s"}}]
flow:
  entry: each
  max_iterations: 999999999
  timeout: 9000h
  nodes:
    - {id: each, type: foreach, items: "[1]", body: call, max_parallel: 5000, routes: [{to: end}]}
    - {id: call, type: agent, agent: bot, timeout: 8000h, retry: {max_attempts: 99}, routes: [{to: note}]}
    - {id: note, type: set, vars: {text: "'` + strings.Repeat("x", 3000) + `'"}, routes: [{to: split}]}
    - {id: split, type: parallel, branches: [a, b, c], routes: [{to: end}]}
    - {id: a, type: terminal}
    - {id: b, type: terminal}
    - {id: c, type: terminal}
`

var small = flow.Ceilings{
	Steps: 1000, Visits: 900, Items: 100, Parallel: 10, Branches: 2, Depth: 3, Nodes: 5, Turns: 20, Tokens: 5000, USD: 1.5, Attempts: 5, Active: time.Hour,
	Document: 2 << 10, Variable: 1 << 10, Interval: time.Minute,
}

// TestOverTheCeiling: a limit above that of the installation is refused with its place, both numbers and the setting.
func TestOverTheCeiling(t *testing.T) {
	t.Parallel()
	doc, problems := file.Parse("flow.yaml", []byte(asking))
	if problems.HasErrors() {
		t.Fatal(problems.Error())
	}
	checks := flow.Checks{Ceilings: small, Cron: func(string) (time.Duration, error) { return 10 * time.Second, nil }}
	got := doc.Validate(checks)
	for setting, says := range map[string]string{
		"SLUICE_MAX_STEPS":       "'limits.steps' is 1000000000, and this installation allows 1000",
		"SLUICE_MAX_ITEMS":       "'limits.items' is 100000, and this installation allows 100",
		"SLUICE_MAX_DEPTH":       "'limits.depth' is 1000, and this installation allows 3",
		"SLUICE_MAX_ITERATIONS":  "'max_iterations' is 999999999, and this installation allows 900",
		"SLUICE_MAX_NODES":       "'nodes' is 7, and this installation allows 5",
		"SLUICE_MAX_TURNS":       "'turns' is 1000 on agent 'bot', and this installation allows 20",
		"SLUICE_MAX_TOKENS":      "'tokens' is 100000000 on agent 'bot', and this installation allows 5000",
		"SLUICE_MAX_USD":         "'usd' is 5000 on agent 'bot', and this installation allows 1.5",
		"SLUICE_MAX_PARALLEL":    "'max_parallel' is 5000 on flow node 'each', and this installation allows 10",
		"SLUICE_MAX_BRANCHES":    "'branches' is 3 on flow node 'split', and this installation allows 2",
		"SLUICE_MAX_ATTEMPTS":    "'max_attempts' is 99 on flow node 'call', and this installation allows 5",
		"SLUICE_MAX_DOCUMENT_KB": "'document size' is 4 KiB, and this installation allows 2 KiB",
		"SLUICE_MAX_VARIABLE_KB": "'text' is 3 KiB on flow node 'note', and this installation allows 1 KiB",
		"SLUICE_MAX_ACTIVE":      "'timeout' is 9000h0m0s, and this installation allows 1h0m0s",
	} {
		i := slices.IndexFunc(got, func(p flow.Problem) bool { return p.Code == "over-ceiling" && p.Message == says })
		if i < 0 {
			t.Errorf("nothing says %q", says)
			continue
		}
		if got[i].Line == 0 || !strings.Contains(got[i].Hint, "an operator can raise "+setting) {
			t.Errorf("no place, or not the setting: %+v", got[i])
		}
	}
	often := "the schedule fires every 10s in triggers[0], and this installation allows every 1m0s"
	if i := slices.IndexFunc(got, func(p flow.Problem) bool { return p.Code == "over-ceiling" && p.Message == often }); i < 0 ||
		got[i].Line == 0 || !strings.Contains(got[i].Hint, "an operator can lower SLUICE_MIN_SCHEDULE_INTERVAL") {
		t.Errorf("nothing says %q in its place", often)
	}
	if ps := validate.Flow(doc.Flow, checks); !slices.ContainsFunc(ps, func(p flow.Problem) bool { return strings.HasPrefix(p.Message, "'document size' is 4 KiB") }) {
		t.Error("a flow without a file may have any size")
	}
	if got := doc.Validate(flow.Checks{}); slices.ContainsFunc(got, func(p flow.Problem) bool { return p.Code == "over-ceiling" }) {
		t.Errorf("without ceilings: %s", got.Error())
	}
}

// TestClamp: a stored flow runs within the present ceilings; the approved document does not change.
func TestClamp(t *testing.T) {
	t.Parallel()
	doc, _ := file.Parse("flow.yaml", []byte(asking))
	before := flow.Hash(doc.Flow)
	f := small.Clamp(doc.Flow)
	l := f.Agents[0].Limits
	each := f.Nodes[0].Spec.(*flow.ForeachSpec)
	got := fmt.Sprint(f.Limits, f.MaxVisits, f.Timeout.Clock, l.Turns, l.Tokens, l.USD, l.Timeout.Clock, each.MaxParallel, f.Nodes[1].Timeout.Clock, f.Nodes[1].Retry.MaxAttempts)
	if want := fmt.Sprint(flow.Limits{Steps: 1000, Items: 100, Depth: 3}, 900, time.Hour, 20, 5000, 1.5, time.Hour, 10, time.Hour, 5); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if flow.Hash(doc.Flow) != before {
		t.Error("the approved flow was changed")
	}
	plain := &flow.Flow{Name: "plain"}
	if f := small.Clamp(plain); f.Limits != (flow.Limits{Steps: 1000, Items: 100, Depth: 3}) || f.MaxVisits != 0 || !f.Timeout.IsZero() {
		t.Errorf("what says nothing gets %+v", f)
	}
	if f := (flow.Ceilings{Steps: 1 << 30}).Clamp(plain); f.Limits != (flow.Limits{Steps: flow.StepsDefault, Items: flow.ItemsDefault, Depth: flow.DepthDefault}) {
		t.Errorf("a high ceiling raises what nobody asked for: %+v", f.Limits)
	}
}
