package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/validate"
	"sluice/engine/tool"
)

const (
	fewest = 3   // a generated flow has at least so many acts
	most   = 120 // and at most so many visits
)

// eventName is the event of a run of a generated flow.
const eventName = "heard {{inputs.key}}"

// generated makes random flows whose runs have the same outcome in any order of moves.
func generated(t testing.TB, seed uint64, n int, tools tool.Catalogue, expectedOf func(testFlow) (*expectation, error)) (testFlows []testFlow) {
	t.Helper()
	for ; len(testFlows) < n; seed++ {
		p := testFlow{Flow: adapted(seed), seed: seed}
		if waitsInVain(p.Flow) {
			continue
		}
		foreign := p.Profile != ""
		checks := engine.Checks(tools)
		if !foreign {
			checks.World = nil // generated flows read missing values and loop over values that are no lists: a run must survive that, too
		}
		if problems := validate.Flow(p.Flow, checks); problems.HasErrors() {
			if foreign {
				continue // it names tools that do not exist
			}
			t.Fatalf("the flow generated from %d is not valid: %v\n%s", seed, problems, file.Format(p.Flow))
		}
		c, err := expectedOf(p)
		if err != nil || c.visits > most || len(c.acts) < fewest {
			continue
		}
		testFlows = append(testFlows, p)
	}
	return testFlows
}

// waitsInVain reports whether a flow waits for an event that it does not emit.
func waitsInVain(f *flow.Flow) bool {
	waits := slices.ContainsFunc(f.Nodes, func(n flow.Node) bool { s, ok := n.Spec.(*flow.WaitSpec); return ok && s.Event != "" })
	return waits && !slices.ContainsFunc(f.Nodes, func(n flow.Node) bool { return n.Kind == flow.KindEmit })
}

// adapted makes a flow that processes can run: it has existing tools, flows and events, short waits, and gates that people answer.
// Some flows have loops, some start or signal other runs, some have node kinds of other formats.
func adapted(seed uint64) *flow.Flow {
	f := enginetest.Generate(rand.New(rand.NewPCG(seed, 11)), enginetest.Shape{
		Size: 4 + int(seed%12), Ordered: true, Acyclic: seed%5 != 1, Alone: seed%5 > 2, Branches: 2, Foreign: seed%5 == 2,
	})
	f.Name = fmt.Sprint("generated-", seed)
	f.Inputs = append(f.Inputs, flow.Input{Name: "key", Type: "string", Required: true})
	told := false
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Retry != nil {
			n.Retry.BackoffMS = 100
		}
		switch s := n.Spec.(type) {
		case *flow.ToolSpec:
			adaptTool(n, s)
		case *flow.WaitSpec:
			if s.Event != "" {
				s.Event = eventName
			} else {
				s.For = flow.Duration{Clock: 300 * time.Millisecond}
			}
		case *flow.SaySpec:
			if !told && seed%5 < 3 {
				told = true
				n.Kind, n.Spec = flow.KindEmit, &flow.EmitSpec{Event: eventName, Payload: map[string]any{"n": "1"}}
			}
		case *flow.SubflowSpec:
			s.Flow, s.Inputs = "chain", map[string]any{"key": fmt.Sprint("{{inputs.key}}-", n.ID, "-{{item_index}}")}
		case *flow.AskSpec:
			s.Deadline = nil
		case *flow.ApprovalSpec:
			s.Deadline = nil
		}
	}
	adaptKey(f)
	return f
}

func adaptTool(n *flow.Node, s *flow.ToolSpec) {
	s.Params = map[string]any{"a": fmt.Sprint("a: ", s.Params["a"]), "want": "maybe"}
	if n.Retry != nil {
		s.Params["faults"] = float64(n.Retry.MaxAttempts - 1)
	}
	switch s.Effects {
	case flow.EffectsRead:
		s.Tool = "out.read"
	case flow.EffectsIdempotent:
		s.Tool = "out.put"
	default:
		s.Tool = "out.post"
		if len(n.OnError) > 0 {
			s.Params["mild"] = "true" // an error route takes an error with an unknown outcome like any other
		}
	}
}
