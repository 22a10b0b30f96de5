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
	"sluice/engine/history"
	"sluice/engine/lock"
	"sluice/engine/view"
	"sluice/storage"
)

const payout = `
name: payout
run: {title: "Payout {{inputs.order}}", key: "{{inputs.order}}"}
inputs: {order: {type: string, required: true}, amount: {type: number, default: 1}, iban: {type: string, sensitive: true}}
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Pay {{inputs.amount}}?", routes: [{when: "approvals.gate == 'approve'", to: pay}, {when: default, to: stop}]}
    - {id: pay, type: tool, tool: shop.pay, params: {order: "{{inputs.order}}", amount: "{{inputs.amount}}", iban: "{{inputs.iban}}"}, routes: [{to: done}]}
    - {id: done, type: terminal, output: {paid: "{{inputs.amount}}", for: "{{inputs.order}}"}}
    - {id: stop, type: terminal, output: refused}
`

const buying = `
name: buying
run: {title: "Buying {{inputs.order}}"}
inputs: {order: {type: string, required: true}, amount: {type: string}, iban: {type: string, sensitive: true}}
flow:
  entry: pay
  nodes:
    - id: pay
      type: subflow
      flow: payout
      inputs: {order: "{{inputs.order}}", amount: "{{inputs.amount}}", iban: "{{inputs.iban}}"}
      on_error: [{match: "SubflowError", to: sorry}]
      routes: [{to: note}]
    - {id: note, type: tool, tool: shop.note, params: {paid: "{{pay.result.paid}}", text: "{{pay.text}}"}, routes: [{to: end}]}
    - {id: sorry, type: terminal, output: "{{error.message}}"}
`

// shop is a world with the tools and flows of this file.
func shop(t *testing.T, flows ...string) *world {
	t.Helper()
	w := newWorld(t)
	w.record("shop.pay", flow.EffectsIdempotent)
	w.record("shop.note", flow.EffectsIdempotent)
	w.serve()
	for _, src := range flows {
		w.save(src)
	}
	return w
}

// child waits for the latest run that another one has started.
func (w *world) child(parent string) storage.Run {
	w.t.Helper()
	var rows []storage.Run
	w.until(parent, "a child is there", func(*view.View) bool {
		var err error
		if rows, err = w.store.Runs(w.t.Context(), storage.RunQuery{Parent: parent}); err != nil {
			w.t.Fatal(err)
		}
		return len(rows) > 0
	})
	return rows[0]
}

func TestASubflowIsARunOfItsOwn(t *testing.T) {
	t.Parallel()
	w := shop(t, payout, buying)
	r := w.start("buying", map[string]any{"order": "A-1", "amount": "42", "iban": "DE12"})
	c := w.child(r.ID)
	if c.Parent != r.ID || c.Flow != "payout" || c.Name != "payout-1" || c.Title != "Buying A-1" || c.By != "ana" {
		t.Errorf("the child is %+v", c)
	}
	v := w.until(r.ID, "the parent waits", func(v *view.View) bool { return v.Run.Status == string(history.Waiting) })
	if x := v.Latest("pay"); x.State != history.StateWaiting || x.Child != c.ID {
		t.Errorf("the node that waits is shown as %+v", x)
	}
	w.answer(w.gate(c.ID), "approve")
	w.ended(r.ID, history.Succeeded)
	if pays := w.seen("shop.pay"); len(pays) != 1 || pays[0].Params["amount"] != 42.0 || pays[0].Params["iban"] != "DE12" {
		t.Errorf("the child's tool was called with %v", pays)
	}
	if notes := w.seen("shop.note"); len(notes) != 1 || notes[0].Params["paid"] != 42.0 || !strings.Contains(notes[0].Params["text"].(string), "A-1") {
		t.Errorf("the parent went on with %v", notes)
	}
	start, err := w.engine.StartOf(t.Context(), c.ID)
	if err != nil || start.Parent != r.ID || start.Depth != 1 || start.Key != "A-1" {
		t.Errorf("the child started as %+v, %v", start, err)
	}
	for _, id := range []string{r.ID, c.ID} {
		w.folds(id)
	}
	facts, err := w.store.Facts(t.Context(), r.ID, 0, "child_started")
	if err != nil || len(facts) != 1 || strings.Contains(string(facts[0].Body), "DE12") {
		t.Errorf("a sensitive input is in the facts of the parent: %s, %v", facts[0].Body, err)
	}
	top, err := w.store.Runs(t.Context(), storage.RunQuery{Top: true})
	if err != nil || len(top) != 1 || top[0].ID != r.ID {
		t.Errorf("listed are %v, %v", top, err)
	}
	w.nothingDue()
}

// folds checks that a run's stored facts give its stored state.
func (w *world) folds(id string) {
	w.t.Helper()
	row, err := w.store.Run(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	stored, err := w.store.Facts(w.t.Context(), id, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	st := &history.State{}
	for _, s := range stored {
		f, err := history.DecodeFact(history.Fact{
			Seq: s.Seq, Kind: history.FactKind(s.Kind), Version: s.Version, At: s.At, Token: s.Token, Node: s.Node, Step: s.Step,
		}, s.Actor, s.Body)
		if err == nil {
			err = history.Apply(st, f)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	got, err := history.EncodeState(st)
	if err != nil || string(got) != string(row.State) {
		w.t.Errorf("the facts of %s fold to\n%s\nstored is\n%s\n%v", row.Name, got, row.State, err)
	}
}

// nothingDue waits until no signal is left, and no timer of the next minute.
func (w *world) nothingDue() {
	w.t.Helper()
	w.wait("nothing is due", func(ctx context.Context) (bool, string, error) {
		due, err := w.store.NextDue(ctx)
		return due.IsZero() || due.After(w.clock.Now().Add(time.Minute)), "something is due at " + due.String(), err
	})
}

func TestWhatBecomesOfACancelledChild(t *testing.T) {
	t.Parallel()
	w := shop(t, payout, buying)
	r := w.start("buying", map[string]any{"order": "A-1"})
	c := w.child(r.ID)
	w.gate(c.ID)
	if err := w.engine.Cancel(t.Context(), c.ID, history.Actor{User: "fin"}, "no money"); err != nil {
		t.Fatal(err)
	}
	if v := w.ended(r.ID, history.Succeeded); v.Result.Text != "payout-1 was cancelled: no money" {
		t.Errorf("the parent gave %q", v.Result.Text)
	}
}

func TestCancelGoesDown(t *testing.T) {
	t.Parallel()
	outer := strings.NewReplacer("buying", "outer", "Buying", "Outer", "payout", "buying").Replace(buying)
	w := shop(t, payout, buying, outer)
	r := w.start("outer", map[string]any{"order": "A-1"})
	c := w.child(r.ID)
	cc := w.child(c.ID)
	w.gate(cc.ID)
	if err := w.engine.Cancel(t.Context(), r.ID, history.Actor{User: "ana"}, ""); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{r.ID, c.ID, cc.ID} {
		v := w.ended(id, history.Cancelled)
		if end := v.Facts[len(v.Facts)-1]; end.Actor.User != "ana" {
			t.Errorf("%s was cancelled by %+v", v.Run.Name, end.Actor)
		}
	}
	w.nothingDue()
}

func TestARetriedSubflowIsAnotherRun(t *testing.T) {
	t.Parallel()
	again := strings.Replace(buying, `on_error: [{match: "SubflowError", to: sorry}]`, "retry: {max_attempts: 2, backoff_ms: 1}", 1)
	w := shop(t, payout, again[:strings.Index(again, "    - {id: sorry")])
	r := w.start("buying", map[string]any{"order": "A-1"})
	first := w.child(r.ID)
	w.gate(first.ID)
	if err := w.engine.Cancel(t.Context(), first.ID, history.Actor{User: "fin"}, ""); err != nil {
		t.Fatal(err)
	}
	var second storage.Run
	w.until(r.ID, "another child", func(*view.View) bool {
		second = w.child(r.ID)
		return second.ID != first.ID
	})
	w.answer(w.gate(second.ID), "approve") // although the first one held the key
	w.ended(r.ID, history.Succeeded)
	start, err := w.engine.StartOf(t.Context(), second.ID)
	if err != nil || start.DuplicateOf != first.Name || start.Reason != "again for buying-1" {
		t.Errorf("the second child started as %+v, %v", start, err)
	}
}

func TestAChildThatCannotStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		inputs map[string]any
		before func(w *world)
		want   string
	}{
		{"its key is taken", map[string]any{"order": "A-1"}, func(w *world) {
			w.start("payout", map[string]any{"order": "A-1"})
		}, "payout has run for the same thing (A-1): the run payout-1."},
		{"inputs that do not fit", map[string]any{"order": "A-2", "amount": "much"}, func(*world) {}, "The inputs of payout do not fit: amount must be a number"},
		{"a riskier tool", map[string]any{"order": "A-3"}, func(w *world) {
			w.tools.Remove("shop.pay")
			w.record("shop.pay", flow.EffectsOnce)
		}, "payout must be approved again: since version 1 of payout was approved: the tool shop.pay became riskier"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := shop(t, payout, buying)
			c.before(w)
			v := w.ended(w.start("buying", c.inputs).ID, history.Succeeded)
			if !strings.HasPrefix(v.Result.Text, c.want) {
				t.Errorf("the parent gave %q, want %q", v.Result.Text, c.want)
			}
			if rows, err := w.store.Runs(t.Context(), storage.RunQuery{Parent: v.Run.ID}); len(rows) > 0 || err != nil {
				t.Errorf("children all the same: %v, %v", rows, err)
			}
		})
	}
}

// Invariant 8: a run that goes on starts the revision that was approved with it; the next start asks again.
func TestTheChildRunsWhatWasApproved(t *testing.T) {
	t.Parallel()
	later := strings.Replace(buying, "entry: pay", "entry: ready", 1) + `
    - {id: ready, type: approval, message: Ready?, routes: [{to: pay}]}
`
	w := shop(t, payout, later)
	r := w.start("buying", map[string]any{"order": "A-1"})
	g := w.gate(r.ID)
	doc, problems := file.Check("flow.yaml", []byte(strings.Replace(payout, "Pay {{", "Really pay {{", 1)), engine.Checks(w.tools))
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	locked, err := w.engine.Lock(t.Context(), doc.Flow)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(locked)
	if err != nil {
		t.Fatal(err)
	}
	err = w.store.Write(t.Context(), &storage.Batch{Flow: &storage.Flow{Name: "payout", Head: 2}, Revision: &storage.Revision{
		Flow: "payout", Number: 2, Hash: flow.Hash(doc.Flow), LockHash: flow.ApprovalHash(doc.Flow, locked), Body: flow.Canonical(doc.Flow), Lock: raw,
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.answer(g, "approve")
	if c := w.child(r.ID); c.Revision != 1 {
		t.Errorf("revision %d of the child runs", c.Revision)
	}
	_, err = w.engine.Start(t.Context(), engine.StartRequest{Flow: "buying", Inputs: map[string]any{"order": "A-2"}, Actor: history.Actor{User: "ana"}})
	var changed *lock.ChangedError
	if !errors.As(err, &changed) || !strings.Contains(changed.Error(), "the subflow payout changed") {
		t.Errorf("starting with a changed subflow gave %v", err)
	}
	if _, err := w.engine.Lock(t.Context(), &flow.Flow{Name: "x", Nodes: []flow.Node{{Kind: flow.KindSubflow, Spec: &flow.SubflowSpec{Flow: "nowhere"}}}}); err == nil {
		t.Error("a flow can be approved that runs one which does not exist")
	}
}

func TestRunsLieWithinEachOtherToALimit(t *testing.T) {
	t.Parallel()
	w := shop(t)
	w.save("name: f0\nflow:\n  entry: a\n  nodes:\n    - {id: a, type: terminal, output: deep}\n")
	level := func(name, runs, limits string) {
		w.save("name: " + name + "\n" + limits + "flow:\n  entry: a\n  nodes:\n    - {id: a, type: subflow, flow: " + runs +
			", on_error: [{match: LimitError, to: b}], routes: [{to: end}]}\n    - {id: b, type: terminal, output: \"{{error.message}}\"}\n")
	}
	level("f1", "f0", "limits: {depth: 2}\n")
	level("f2", "f1", "")
	level("f3", "f2", "")
	if v := w.ended(w.start("f2", nil).ID, history.Succeeded); v.Result.Text != "deep" {
		t.Errorf("two levels gave %q", v.Result.Text)
	}
	v := w.ended(w.start("f3", nil).ID, history.Succeeded)
	if want := "f0 would lie within 3 other runs; limits.depth allows 2"; v.Result.Text != want {
		t.Errorf("three levels gave %q, want %q", v.Result.Text, want)
	}
}
