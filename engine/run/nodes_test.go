package run

import (
	"testing"

	"sluice/engine/flow"
	"sluice/engine/run/compile"
)

// TestEachKindHasARecord wants a record for each kind that can be compiled, effects and parameters for the acting ones alone.
func TestEachKindHasARecord(t *testing.T) {
	t.Parallel()
	supported := compile.Kinds()
	if len(supported) != len(nodeKinds) {
		t.Errorf("%d kinds are supported, %d have a record", len(supported), len(nodeKinds))
	}
	for _, kind := range supported {
		k, known := nodeKinds[kind]
		acts := (&compile.Node{Node: &flow.Node{Kind: kind}}).Acts()
		if !known || k.enter == nil {
			t.Errorf("%s has no record that says how to enter it", kind)
		}
		if acts != (k.effects != nil) || k.render != nil && !acts {
			t.Errorf("%s: a worker performs it: %t; its record has effects: %t, parameters: %t", kind, acts, k.effects != nil, k.render != nil)
		}
	}
}
