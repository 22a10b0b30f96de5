package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/lock"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/storage"
)

// saveAs stores a flow file as a revision of a number.
func (w *world) saveAs(number int, src string) {
	w.t.Helper()
	doc, problems := file.Check("flow.yaml", []byte(src), engine.Checks(w.tools))
	if problems.HasErrors() {
		w.t.Fatal(problems)
	}
	f := doc.Flow
	lock := lock.Of(f, w.tools)
	raw, err := json.Marshal(lock)
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.store.Write(w.t.Context(), &storage.Batch{
		Flow: &storage.Flow{Name: f.Name, Head: number, Updated: w.clock.Now()},
		Revision: &storage.Revision{
			Flow: f.Name, Number: number, Hash: flow.Hash(f), LockHash: flow.ApprovalHash(f, lock), Body: flow.Canonical(f), Lock: raw, At: w.clock.Now(),
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

const asking = `
name: asks
inputs: {first: {type: boolean}}
flow:
  entry: which
  nodes:
    - {id: which, type: decision, expr: inputs.first, routes: [{when: "true", to: one}, {when: default, to: two}]}
    - {id: one, type: approval, message: "one?", who: {quorum: 2}, routes: [{to: act}]}
    - {id: two, type: approval, message: "two?", routes: [{to: act}]}
    - {id: act, type: tool, tool: work.act, params: {n: 1}, effects: once, routes: [{to: end}]}
`

func TestRunsThatFitMoveToAnotherRevision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.record("work.act", flow.EffectsOnce)
	w.serve()
	w.saveAs(1, asking)
	ctx := t.Context()
	var ids []string
	for _, first := range []bool{true, false, true} {
		ids = append(ids, w.start("asks", map[string]any{"first": first}).ID)
	}
	old := w.gate(ids[0])
	for _, id := range ids {
		w.gate(id)
	}
	answer := func(gate, user string) error {
		_, err := w.engine.Answer(ctx, engine.GateAnswer{Gate: gate, Shown: shown(w.engine, gate), Actor: history.Actor{User: user}, Choice: "approve"})
		return err
	}
	if err := answer(old.ID, "ana"); err != nil {
		t.Fatal(err)
	}
	w.saveAs(2, strings.NewReplacer("id: two,", "id: deux,", "to: two}", "to: deux}", "one?", "one, really?", "n: 1", "n: 2").Replace(asking))
	p, err := w.engine.MovePlan(ctx, "asks", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := `3 runs are on version 1: 2 fit version 2, 1 does not (asks-2: it stands at "two", which is not there any more).`
	if p.String() != want {
		t.Errorf("%s\ninstead of\n%s", p, want)
	}
	if v, err := w.engine.View(ctx, ids[0]); err != nil || v.Edges["which/0"].Count != 1 {
		t.Errorf("before the move %+v are lit, %v", v.Edges, err)
	}
	w.code(w.engine.Move(ctx, ids[1], 2, ana), "misfit")
	w.code(w.engine.Move(ctx, ids[1], 7, ana), "no_revision")
	if n, err := w.engine.MoveFitting(ctx, "asks", 2, ana); err != nil || n != 2 {
		t.Fatalf("%d moved, %v", n, err)
	}
	w.code(w.engine.Move(ctx, ids[0], 2, ana), "same_revision")

	var late *engine.DecidedError
	if err := answer(old.ID, "bob"); !errors.As(err, &late) || late.Choice != history.ChoiceSuperseded {
		t.Errorf("the old card: %v", err)
	}
	g := w.gate(ids[0])
	body, err := gate.Decode(g)
	if err != nil || body.Opened.Message != "one, really?" || len(body.Votes) > 0 || g.ID == old.ID {
		t.Errorf("the new gate %s asks %+v, %v", g.ID, body, err)
	}
	for _, user := range []string{"ana", "bob"} {
		if err := answer(g.ID, user); err != nil {
			t.Fatal(err)
		}
	}
	v := w.ended(ids[0], history.Succeeded)
	if calls := w.seen("work.act"); len(calls) != 1 || calls[0].Params["n"] != 2.0 || v.Run.Revision != 2 {
		t.Errorf("on revision %d, with %+v", v.Run.Revision, calls)
	}
}

// A gate that expired can be reopened by the people who could have decided it, and by nobody else.
func TestAnExpiredGateIsReopened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.directory = persons{
		"ana": {ID: "ana", Team: "T1", Active: true}, "bob": {ID: "bob", Team: "T1", Active: true}, "fin": {ID: "fin", Team: "T1", Active: true},
	}
	w.serve()
	w.save(strings.Replace(guarded, "message: Sure?", "message: Sure?\n      deadline: {after: 1h}", 1))
	id := w.start("guarded", nil).ID
	old := w.gate(id)
	reopen := func(user string) error {
		return w.engine.Reopen(t.Context(), old.ID, history.Actor{User: user, Team: "T1"})
	}
	w.code(reopen("fin"), "not_expired")
	w.clock.Advance(2 * time.Hour)
	w.ended(id, history.Failed)
	var no *people.NotAllowedError
	if err := reopen("bob"); !errors.As(err, &no) {
		t.Errorf("somebody who could not have decided: %v", err)
	}
	if err := reopen("fin"); err != nil {
		t.Fatal(err)
	}
	g := w.gate(id)
	if g.ID == old.ID || g.Kind != "approval" || !g.Due.After(w.clock.Now()) {
		t.Errorf("%+v", g)
	}
	answer := func(gate string) error {
		_, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: gate, Shown: shown(w.engine, gate), Choice: "approve", Actor: history.Actor{User: "fin", Team: "T1"}})
		return err
	}
	var late *engine.DecidedError
	if err := answer(old.ID); !errors.As(err, &late) {
		t.Errorf("the old card: %v", err)
	}
	w.code(reopen("fin"), "not_stopped")
	if err := answer(g.ID); err != nil {
		t.Fatal(err)
	}
	w.ended(id, history.Succeeded)
	w.code(reopen("fin"), "over")
}

// Runs that stopped at an error are counted and left where they are; by its name such a run moves, and is tried again there.
func TestFailedRunsMoveByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(tool.Tool{Name: "work.act", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		if c.Params["n"] != 2.0 {
			return tool.Result{}, &tool.Error{Type: "HTTPError", Message: "sold out", Permanent: true}
		}
		return tool.Result{Text: "done"}, nil
	}})
	w.serve()
	const fails = `
name: fails
flow:
  entry: act
  nodes:
    - {id: act, type: tool, tool: work.act, params: {n: 1}, effects: read, routes: [{to: end}]}
`
	w.saveAs(1, fails)
	ids := []string{w.start("fails", nil).ID, w.start("fails", nil).ID}
	for _, id := range ids {
		w.ended(id, history.Failed)
	}
	w.saveAs(2, strings.Replace(fails, "n: 1", "n: 2", 1))
	for _, want := range []string{
		"No live run of fails is on another version than 2. 2 runs that stopped at an error are left out: move each by its name.",
		"No live run of fails is on another version than 2. 1 run that stopped at an error is left out: move it by its name.",
	} {
		p, err := w.engine.MovePlan(t.Context(), "fails", 2)
		if err != nil || p.String() != want {
			t.Errorf("%s, %v", p, err)
		}
		if n, err := w.engine.MoveFitting(t.Context(), "fails", 2, ana); n != 0 || err != nil {
			t.Errorf("%d moved, %v", n, err)
		}
		if err := w.engine.Move(t.Context(), ids[0], 2, ana); err != nil {
			t.Error(err)
		}
		if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: w.gate(ids[0]).ID, Shown: shown(w.engine, w.gate(ids[0]).ID), Choice: history.ChoiceRetry, Actor: ana}); err != nil {
			t.Error(err)
		}
		w.ended(ids[0], history.Succeeded)
		ids = ids[1:]
	}
}

// A worker that is in the middle of a step when its run moves goes on by the new revision.
func TestARunMovesWhileAStepIsUnderWay(t *testing.T) {
	t.Parallel()
	w, begun, end := slowly(t)
	id := w.start("two", nil).ID
	<-begun
	w.saveAs(2, strings.Replace(twoSteps, "tool: work.quick,", "tool: work.quick, params: {n: 2},", 1))
	if err := w.engine.Move(t.Context(), id, 2, ana); err != nil {
		t.Fatal(err)
	}
	end()
	w.gate(id)
	if calls := w.seen("work.quick"); len(calls) != 1 || calls[0].Params["n"] != 2.0 {
		t.Errorf("the next step was called with %+v", calls)
	}
}
