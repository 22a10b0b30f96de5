package engine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine"
	"sluice/engine/enginetest"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/prune"
	"sluice/storage"
)

// pruned removes what is older than a month, a time after now.
func (w *world) pruned(after time.Duration) prune.Removed {
	w.t.Helper()
	const month = 30 * 24 * time.Hour
	p := prune.New(prune.Config{
		Store: w.store, Keep: prune.Keep{Runs: month, Deliveries: time.Hour, Drafts: month, Messages: month}, Fixed: []string{"private"},
		Now: func() time.Time { return w.clock.Now().Add(after) },
		Refs: func(id string, gates []int) []string {
			return []string{"run:" + id, "gate:" + gate.ID(id, gates[0])}
		},
		Draft: func(id string) []string { return []string{"draft:" + id} },
	})
	removed, err := p.Once(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return removed
}

// TestAnAuditOutlivesItsRun removes a run in which a person decided: who decided what, about what, can be told as before, and nothing
// of its values is left in the database.
func TestAnAuditOutlivesItsRun(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	const order = "A-77-very-private"
	r := w.start("refund", map[string]any{"order_id": order})
	waits := w.start("refund", map[string]any{"order_id": "A-2"})
	g := w.gate(r.ID)
	body, err := gate.Decode(g)
	if err != nil {
		t.Fatal(err)
	}
	answer := engine.GateAnswer{
		Gate: g.ID, Choice: "approve", Note: "the customer is my aunt", Shown: body.Opened.Hash, Actor: history.Actor{User: "fin", Name: "Fin", Via: history.ViaButton},
	}
	if _, err := w.engine.Answer(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	w.ended(r.ID, history.Succeeded)
	err = w.store.Write(t.Context(), &storage.Batch{Surfaces: []storage.Surface{
		{ID: "s1", Kind: "status", Ref: "run:" + r.ID, Shown: 1}, {ID: "s2", Kind: "gate", Ref: "gate:" + g.ID, Shown: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	before, err := enginetest.TrailOf(t.Context(), w.store, r.Name)
	if err != nil || before.Removed {
		t.Fatal(before.Removed, err)
	}

	if got := w.pruned(0); got != (prune.Removed{}) {
		t.Errorf("before its time, %s were removed", got)
	}
	got := w.pruned(31 * 24 * time.Hour)
	if got.Runs != 1 || got.Facts < 5 {
		t.Errorf("%s were removed, want one run: the other one waits", got)
	}
	if _, err := w.store.Run(t.Context(), r.ID); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the run is there: %v", err)
	}
	if facts, err := w.store.Facts(t.Context(), r.ID, 0); err != nil || len(facts) > 0 {
		t.Errorf("%d facts are left, %v", len(facts), err)
	}
	for _, id := range []string{"s1", "s2"} {
		if _, err := w.store.Surface(t.Context(), id); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("surface %s is there: %v", id, err)
		}
	}
	after, err := enginetest.TrailOf(t.Context(), w.store, r.Name)
	if err != nil || !after.Removed || after.Run.ID != r.ID || after.Run.By != "ana" {
		t.Fatalf("%+v, %v", after.Run, err)
	}
	if diff := cmp.Diff(before.Facts, after.Facts); diff != "" {
		t.Errorf("the trail has changed:\n%s", diff)
	}
	decided(t, after.Facts, answer)
	w.tellsNothing(r.ID, order, "aunt", "Refund")
	if _, err := w.store.Run(t.Context(), waits.ID); err != nil {
		t.Errorf("the run that waits: %v", err)
	}
}

func decided(t *testing.T, facts []history.Fact, answer engine.GateAnswer) {
	t.Helper()
	i := slices.IndexFunc(facts, func(f history.Fact) bool { _, ok := f.Body.(*history.GateDecided); return ok })
	if i < 0 {
		t.Fatalf("no decision is left in %+v", facts)
	}
	d := facts[i].Body.(*history.GateDecided)
	if facts[i].Actor != answer.Actor || d.Choice != "approve" || d.Shown != answer.Shown || d.Note != "" {
		t.Errorf("left is %+v by %+v", d, facts[i].Actor)
	}
	if s, ok := facts[0].Body.(*history.RunStarted); !ok || s.By != "ana" || s.Hash == "" || s.Inputs != nil || s.Title != "" {
		t.Errorf("left of the start is %+v", facts[0].Body)
	}
}

// tellsNothing looks for words in everything that is left of a run.
func (w *world) tellsNothing(id string, words ...string) {
	w.t.Helper()
	left, err := w.store.Trail(w.t.Context(), id)
	if err != nil || len(left) == 0 {
		w.t.Fatal(len(left), err)
	}
	row, err := w.store.RemovedRun(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := json.Marshal(row)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range left {
		text = append(append(text, f.Actor...), f.Body...)
	}
	for _, word := range words {
		if strings.Contains(string(text), word) {
			w.t.Errorf("%q is left in %s", word, text)
		}
	}
}

// TestARemovedRunKeepsItsKey starts the same thing again after its run was removed.
func TestARemovedRunKeepsItsKey(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	q := engine.StartRequest{Flow: "refund", Inputs: map[string]any{"order_id": "A-1"}, Actor: history.Actor{User: "ana", Via: history.ViaCLI}}
	first, err := w.engine.Start(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	w.gate(first.Run.ID)
	if err := w.engine.Cancel(t.Context(), first.Run.ID, history.Actor{User: "ana"}, "no need"); err != nil {
		t.Fatal(err)
	}
	if got := w.pruned(31 * 24 * time.Hour); got.Runs != 1 {
		t.Fatalf("%s were removed", got)
	}
	second, err := w.engine.Start(t.Context(), q)
	if err != nil || !second.Duplicate || second.Run.Name != first.Run.Name || second.Run.By != "ana" {
		t.Errorf("started again: %+v, %v", second, err)
	}
	q.Anyway = "it is another one"
	third, err := w.engine.Start(t.Context(), q)
	if err != nil || third.Duplicate || third.Run.Name == first.Run.Name {
		t.Errorf("started anyway: %+v, %v", third, err)
	}
}
