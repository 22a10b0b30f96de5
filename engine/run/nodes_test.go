package run

import (
	"testing"

	"sluice/engine/flow"
)

// TestEachKindHasARecord wants a record for each kind of node, effects and parameters for the acting ones alone.
func TestEachKindHasARecord(t *testing.T) {
	t.Parallel()
	all := flow.AllKinds()
	if len(all) != len(nodeKinds) {
		t.Errorf("there are %d kinds, %d have a record", len(all), len(nodeKinds))
	}
	for _, info := range all {
		kind := info.Kind
		k, known := nodeKinds[kind]
		acts := (&flow.Node{Spec: info.New()}).Acts()
		if !known || k.enter == nil {
			t.Errorf("%s has no record that says how to enter it", kind)
		}
		if acts != (k.effects != nil) || k.render != nil && !acts {
			t.Errorf("%s: a worker performs it: %t; its record has effects: %t, parameters: %t", kind, acts, k.effects != nil, k.render != nil)
		}
	}
}
