package prune

import (
	"encoding/json"
	"fmt"

	"sluice/engine/history"
	"sluice/storage"
)

func kindNames() []string {
	var names []string
	for _, k := range history.TrailKinds() {
		names = append(names, string(k))
	}
	return names
}

// keep gives what stays of stored facts.
func keep(stored []storage.Fact) ([]storage.Fact, error) {
	var kept []storage.Fact
	for _, f := range stored {
		var actor history.Actor
		if len(f.Actor) > 0 {
			if err := json.Unmarshal(f.Actor, &actor); err != nil {
				return nil, fmt.Errorf("read the actor of fact %d: %w", f.Seq, err)
			}
		}
		body, ok, err := history.Trail(history.FactKind(f.Kind), actor, f.Body)
		if err != nil {
			return nil, fmt.Errorf("keep fact %d: %w", f.Seq, err)
		}
		if ok {
			f.Body = body
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// gatesOf lists the numbers of the gates that a run opened.
func gatesOf(kept []storage.Fact) ([]int, error) {
	var gates []int
	for _, f := range kept {
		if f.Kind != string(history.KindOf((*history.GateOpened)(nil))) {
			continue
		}
		var g struct {
			Gate int `json:"gate"`
		}
		if err := json.Unmarshal(f.Body, &g); err != nil {
			return nil, fmt.Errorf("read the gate of fact %d: %w", f.Seq, err)
		}
		gates = append(gates, g.Gate)
	}
	return gates, nil
}
