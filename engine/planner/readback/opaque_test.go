package readback_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner/readback"
)

// What cannot be run is said by name, in a warning and in the read-back, and does not stand in the way of an approval.
func TestOpaqueStepsAreNamed(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "imported", Entry: "fax", Profile: "s4", Nodes: []flow.Node{
		{ID: "fax", Name: "Send the fax", Kind: flow.KindOpaque, Spec: &flow.OpaqueSpec{Type: "code"}, Routes: []flow.Route{{To: "done"}}},
		{ID: "done", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "done"}},
	}}
	notes := readback.Opaque(f)
	if len(notes) != 1 || notes[0].Code != "opaque" || notes[0].Blocks || !strings.Contains(notes[0].Text, "Send the fax") || !strings.Contains(notes[0].Text, "code") {
		t.Errorf("the warnings are %+v", notes)
	}
	if text := fmt.Sprint(readback.Lines(f, nil, readback.Numbers(f))); !strings.Contains(text, "Send the fax") || !strings.Contains(text, "stops there") {
		t.Errorf("the read-back is %s", text)
	}
	if notes := readback.Opaque(&flow.Flow{Nodes: f.Nodes[1:]}); len(notes) > 0 {
		t.Errorf("of a flow without such steps: %+v", notes)
	}
}
