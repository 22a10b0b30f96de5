package project

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/storage"
)

// Whoever approves a flow with steps that nothing here can run is told their names, and may approve it all the same.
func TestADraftNamesWhatCannotBeRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := &flow.Flow{Name: "imported", Entry: "fax", Profile: "s4", Nodes: []flow.Node{
		{ID: "fax", Name: "Send the fax", Kind: flow.KindOpaque, Spec: &flow.OpaqueSpec{Type: "code"}, Routes: []flow.Route{{To: "done"}}},
		{ID: "done", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "done"}},
	}}
	body, err := json.Marshal(DraftBody{Flow: flow.Canonical(f), Authors: []string{"ana"}, ReadBack: plan.ReadBack(f, nil), Notes: []plan.Note{{Text: "Mind the gap."}}})
	if err != nil {
		t.Fatal(err)
	}
	d := storage.Draft{ID: "d1", Channel: "C1", Thread: "t1", Number: 1, Flow: f.Name, Status: DraftOpen, Author: "ana", Hash: flow.Hash(f), Body: body}
	if err := w.store.Write(t.Context(), &storage.Batch{Draft: []storage.Draft{d}}); err != nil {
		t.Fatal(err)
	}
	c, err := w.p.draftCard(t.Context(), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Warnings) != 2 || !strings.Contains(c.Warnings[0], "Send the fax") || c.Warnings[1] != "Mind the gap." {
		t.Errorf("the warnings are %q", c.Warnings)
	}
	if len(c.Buttons) == 0 || c.Buttons[0].Action != "draft.approve" {
		t.Errorf("the buttons are %+v", c.Buttons)
	}
}
