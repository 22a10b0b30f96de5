package importertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// Ending is how a run of an imported flow ends.
type Ending string

// The endings.
const (
	ReachedEnd    Ending = "reached end"
	ReachedOpaque Ending = "reached opaque"
	Errored       Ending = "errored"
	Capped        Ending = "capped"
)

// moves is how many moves a run gets: the checks after each take longer the more has happened.
const moves = 300

// Play runs a flow once. A model answers what its schema asks for, tools give what they may, and people choose, all by the seed and never by
// the graph. The error says what was broken that must always hold.
func Play(f *flow.Flow, seed uint64) (Ending, []history.Fact, error) {
	stored, err := flow.FromJSON(flow.Canonical(f))
	if err != nil {
		return Errored, nil, err
	}
	d, err := enginetest.NewDriver(stored)
	if err != nil {
		return Errored, nil, err
	}
	d.Context.HasModel = true
	r := rand.New(rand.NewPCG(seed, 1))
	p := &enginetest.Player{D: d, R: r, Seed: seed, Patient: true, Model: func(s *run.Perform) history.Output { return output(r, stored, s) }}
	if err := d.Start(nil); err != nil {
		return Errored, d.Facts, err
	}
	for range moves {
		if d.State.Status.Final() {
			return ending(d), d.Facts, nil
		}
		if err := p.Move(); err != nil {
			return Errored, d.Facts, err
		}
	}
	return Capped, d.Facts, nil
}

func ending(d *enginetest.Driver) Ending {
	end := Errored
	if d.State.Status == history.Succeeded {
		end = ReachedEnd
	}
	for _, f := range d.Facts {
		switch b := f.Body.(type) {
		case *history.StepFailed:
			if b.Error.Type == history.ErrorOpaque {
				return ReachedOpaque
			}
		case *history.LimitReached:
			end = Capped
		}
	}
	return end
}

// output is what a step gives.
func output(r *rand.Rand, f *flow.Flow, s *run.Perform) history.Output {
	var schema map[string]any
	switch spec := s.Node.Spec.(type) {
	case *flow.AgentSpec:
		if a := f.AgentByID(spec.Agent); a != nil {
			schema = a.Output
		}
	case *flow.LLMSpec:
		schema = spec.Schema
	default:
		return history.Output{Data: json.RawMessage(`{"success":true,"result":"done"}`)}
	}
	if schema == nil {
		return history.Output{Text: words(r)}
	}
	data, err := json.Marshal(Answer(r, schema))
	if err != nil {
		return history.Output{Text: words(r)}
	}
	return history.Output{Text: string(data), Data: data}
}

// Answer makes a value that a JSON Schema asks for.
func Answer(r *rand.Rand, schema map[string]any) any {
	if enum, ok := schema["enum"].([]any); ok && len(enum) > 0 {
		return enum[r.IntN(len(enum))]
	}
	switch schema["type"] {
	case "object":
		out := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			part, _ := properties[name].(map[string]any)
			out[name] = Answer(r, part)
		}
		return out
	case "array":
		items, _ := schema["items"].(map[string]any)
		out := make([]any, 1+r.IntN(3))
		for i := range out {
			out[i] = Answer(r, items)
		}
		return out
	case "integer":
		return float64(r.IntN(100))
	case "number":
		return float64(r.IntN(1000)) / 10
	case "boolean":
		return r.IntN(2) == 0
	default:
		return words(r)
	}
}

func words(r *rand.Rand) string { return fmt.Sprintf("words %d of an answer", r.IntN(1000)) }
