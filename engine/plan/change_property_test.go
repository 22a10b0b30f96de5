package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/plan"
)

// TestChangeOfAnyFlow edits random flows: what comes out is valid, what was given is left alone, and everything that an edit does not
// name is there as before.
func TestChangeOfAnyFlow(t *testing.T) {
	t.Parallel()
	opt := changeOptions(t)
	made := map[string]int{}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		f := enginetest.Generate(r, enginetest.Shape{Size: 4 + int(seed%12), Branches: int(seed % 3), Foreign: seed%5 == 4})
		f.Triggers = []flow.Trigger{{Reaction: &flow.ReactionTrigger{Emoji: "moneybag"}}}
		hash, lines := flow.Hash(f), plan.Lines(f)
		for n := range len(lines) + 2 {
			for _, form := range []string{
				"%d goes to @ana", "ask @leads or @bob at %d", "remove %d", "add after %d: tell #eng hello", "add before %d: ask @leads to approve",
				"%d. refund it", "%d goes to 1", "%d goes to the end", "add after %d: go to 1",
			} {
				words := fmt.Sprintf(form, n)
				next, said, _, err := plan.Change(f, words, opt)
				if flow.Hash(f) != hash {
					t.Fatalf("seed %d, %s: the flow that was given has changed", seed, words)
				}
				if err != nil {
					if !errors.Is(err, plan.ErrNoChange) && !errors.As(err, new(*plan.ChangeError)) {
						t.Errorf("seed %d, %s: %v", seed, words, err)
					}
					continue
				}
				made[form]++
				if bad := flow.Validate(next, flow.Checks{}).Errors(); len(bad) > 0 || said == "" {
					t.Errorf("seed %d, %s: %q %v", seed, words, said, bad)
				}
				sameBeside(t, fmt.Sprintf("seed %d, %s", seed, words), f, next, lines[n])
			}
		}
	}
	for form, n := range made {
		t.Logf("%4d times: %s", n, form)
	}
	if len(made) < 8 {
		t.Errorf("only %d forms of edits were ever made", len(made))
	}
}

// sameBeside wants everything but the named nodes to be as it was, apart from where things lead.
func sameBeside(t *testing.T, what string, before, after *flow.Flow, named []string) {
	t.Helper()
	whole := func(f *flow.Flow) any {
		return []any{f.Name, f.Description, f.Run, f.Triggers, f.Agents, f.Limits, f.Budget, f.Timeout, f.OnLimit.Action, f.Profile, f.Rules}
	}
	if !reflect.DeepEqual(whole(before), whole(after)) {
		t.Errorf("%s: the head of the flow has changed", what)
	}
	free := map[string]bool{}
	for _, id := range named {
		free[id] = true
	}
	for i := range before.Nodes {
		was := &before.Nodes[i]
		if free[was.ID] {
			continue
		}
		now := after.Node(was.ID)
		if now == nil {
			t.Errorf("%s: node %s is gone", what, was.ID)
			continue
		}
		if a, b := bare(t, was), bare(t, now); a != b {
			t.Errorf("%s: node %s was\n%s\nand is\n%s", what, was.ID, a, b)
		}
	}
}

// bare is a node without where it leads.
func bare(t *testing.T, n *flow.Node) string {
	t.Helper()
	c := (&flow.Flow{Nodes: []flow.Node{*n}}).Clone().Nodes[0]
	for i := range c.Routes {
		c.Routes[i].To = ""
	}
	for i := range c.OnError {
		c.OnError[i].To = ""
	}
	switch s := c.Spec.(type) {
	case *flow.ParallelSpec:
		for i := range s.Branches {
			s.Branches[i].To = ""
		}
	case *flow.ForeachSpec:
		s.Body = ""
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
