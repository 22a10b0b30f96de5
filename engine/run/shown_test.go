package run_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// The hash that an answer presents covers everything that a gate shows.
func TestTheHashCoversAllThatIsShown(t *testing.T) {
	t.Parallel()
	no := false
	seen := map[string]string{}
	for name, spec := range map[string]*flow.ApprovalSpec{
		"plain":    {Message: "Pay?"},
		"message":  {Message: "Pay 2?"},
		"shown":    {Message: "Pay?", Show: []string{"'ana'"}},
		"choices":  {Message: "Pay?", Choices: []string{"yes", "no"}},
		"who":      {Message: "Pay?", Who: &flow.Who{Users: []string{"@ana"}}},
		"itself":   {Message: "Pay?", Who: &flow.Who{Users: []string{"@ana"}, SelfApproval: &no}},
		"quorum":   {Message: "Pay?", Who: &flow.Who{Users: []string{"@ana", "@bob"}, Quorum: 2}},
		"field":    {Message: "Pay?", Form: map[string]flow.FormField{"amount": {Type: "number"}}},
		"values":   {Message: "Pay?", Form: map[string]flow.FormField{"amount": {Type: "number", Enum: []any{1, 2}}}},
		"deadline": {Message: "Pay?", Deadline: &flow.Deadline{After: flow.Duration{Clock: time.Hour}}},
	} {
		d := driver(t, &flow.Flow{Name: "f", Entry: "gate", Nodes: []flow.Node{{ID: "gate", Kind: flow.KindApproval, Spec: spec}}})
		play(t, d, "start")
		hash := d.State.Gates[0].Shown
		if other, twice := seen[hash]; hash == "" || twice {
			t.Errorf("%s and %s have the hash %q", name, other, hash)
		}
		seen[hash] = name
	}
}

// A gate that a release without hashes has opened can still be answered, with the hash that its card has now.
func TestAGateWithoutAHashIsAnswered(t *testing.T) {
	t.Parallel()
	d := driver(t, &flow.Flow{Name: "f", Entry: "gate", Nodes: []flow.Node{{ID: "gate", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "Pay?"}}}})
	play(t, d, "start")
	opened := d.Facts[len(d.Facts)-1].Body
	for i := range d.Facts {
		if g, ok := d.Facts[i].Body.(*history.GateOpened); ok {
			opened = g
		}
	}
	body, err := json.Marshal(opened)
	if err != nil {
		t.Fatal(err)
	}
	var old history.GateOpened
	if err := json.Unmarshal(body, &old); err != nil {
		t.Fatal(err)
	}
	old.Hash, d.State.Gates[0].Shown = "", ""
	if _, err := d.Feed(run.Answer{At: d.Now, Gate: 1, Choice: "approve", Actor: history.Actor{User: "U1"}}); !errors.Is(err, run.ErrShown) {
		t.Errorf("without a hash: %v", err)
	}
	if _, err := d.Feed(run.Answer{At: d.Now, Gate: 1, Choice: "approve", Shown: old.Shown(), Actor: history.Actor{User: "U1"}}); err != nil {
		t.Errorf("with the hash of its card: %v", err)
	}
}
