package chaos_test

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/history"
)

// outcome is a run's result without its order and without the traces of faults (attempts, unknown outcomes, epochs).
type outcome struct {
	Status    history.Status
	Outputs   map[string]string
	Vars      string
	Approvals map[string]string
	Visits    map[string]int
	Edges     map[string]int
}

// answered matches the time in the output of an approval.
var answered = regexp.MustCompile(`"at":"[^"]*",?`)

// outcomeOf gives the outcome of a run. A loose run has only its status and one output.
func outcomeOf(loose bool, s *history.State, facts []history.Fact) outcome {
	o := outcome{Status: s.Status, Outputs: map[string]string{}}
	for node, seq := range s.Frames[0].Outputs {
		if out, ok := outputOf(facts, seq); ok && (!loose || node == "after") {
			o.Outputs[node] = answered.ReplaceAllString(out.Text+" "+plain(out.Data), "")
		}
	}
	if loose {
		return o
	}
	o.Visits, o.Approvals, o.Edges = s.Visits, map[string]string{}, map[string]int{}
	vars, _ := json.Marshal(enginetest.Variables(s, facts))
	o.Vars = answered.ReplaceAllString(plain(vars), "")
	for node, a := range s.Approvals {
		o.Approvals[node] = a.Choice + " by " + a.By
	}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.FrameOpened:
			for _, edge := range b.Edges {
				o.Edges[edge]++
			}
		case *history.ItemStarted:
			o.Edges[b.Edge]++
		case *history.RouteTaken:
			o.Edges[b.Edge]++
		}
	}
	return o
}

// outputOf gives the output in a fact; the one of a foreach is gathered from its items.
func outputOf(facts []history.Fact, seq int64) (history.Output, bool) {
	f := facts[seq-1]
	items, ok := history.ItemsOf(f)
	if !ok {
		return history.ReadOf(f)
	}
	ended, outputs := facts[items.After:], map[int64]history.Output{}
	for _, need := range items.Needs(ended) {
		outputs[need], _ = outputOf(facts, need)
	}
	return items.Gather(ended, outputs), true
}

// plain writes JSON in a canonical form.
func plain(raw json.RawMessage) string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func (o outcome) differs(from outcome) string {
	if diff := cmp.Diff(o, from); diff != "" {
		return fmt.Sprintf("(-foreseen +happened)\n%s", diff)
	}
	return ""
}
