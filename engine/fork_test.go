package engine_test

import (
	"strings"
	"testing"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
)

const paying = `
name: pays
run: {key: same}
inputs: {n: {type: number, default: 5}}
flow:
  entry: look
  nodes:
    - {id: look, type: tool, tool: shop.look, effects: read, routes: [{to: pay}]}
    - {id: pay, type: tool, tool: shop.pay, params: {n: "{{inputs.n}}"}, effects: once, routes: [{to: each}]}
    - {id: each, type: foreach, items: "[1, 2]", body: mail, routes: [{to: ok}]}
    - {id: mail, type: tool, tool: shop.mail, effects: idempotent}
    - {id: ok, type: approval, message: "paid {{pay.result.n}}?", routes: [{to: end}]}
`

// A fork goes on from an earlier node beside the run that it comes from: what was done is taken, unless a person says otherwise.
func TestAForkDoesNotRepeatWhatWasDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, effects := range map[string]flow.Effects{"shop.look": flow.EffectsRead, "shop.pay": flow.EffectsOnce, "shop.mail": flow.EffectsIdempotent} {
		w.record(name, effects)
	}
	w.serve()
	w.save(paying)
	ctx := t.Context()
	first := w.start("pays", nil)
	w.gate(first.ID)

	p, err := w.engine.ForkPlan(ctx, first.ID, engine.ForkPoint{Node: "look"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Acts) != 2 || p.Acts[0].Node != "pay" || p.Acts[0].Why != "" || p.Acts[1].Node != "mail" || !strings.Contains(p.Acts[1].Why, "several") {
		t.Errorf("the plan is %+v", p.Acts)
	}
	fork := func(node string, again ...string) string {
		t.Helper()
		r, err := w.engine.Fork(ctx, first.ID, engine.ForkPoint{Node: node}, again, ana)
		if err != nil {
			t.Fatal(err)
		}
		w.gate(r.ID)
		return r.ID
	}
	_, err = w.engine.Fork(ctx, first.ID, engine.ForkPoint{Node: "look"}, nil, ana)
	w.code(err, "no_outcome")
	_, err = w.engine.Fork(ctx, first.ID, engine.ForkPoint{Node: "look"}, []string{"mail", "look"}, ana)
	w.code(err, "no_act")
	_, err = w.engine.ForkPlan(ctx, first.ID, engine.ForkPoint{Node: "mail"})
	w.code(err, "fork_inside")
	_, err = w.engine.ForkPlan(ctx, first.ID, engine.ForkPoint{Node: "nowhere"})
	w.code(err, "never_there")

	second := fork("look", "mail")
	if looks, pays, mails := len(w.seen("shop.look")), w.seen("shop.pay"), w.seen("shop.mail"); looks != 2 || len(pays) != 1 || len(mails) != 4 {
		t.Errorf("%d looks, %d pays, %d mails", looks, len(pays), len(mails))
	}
	v, err := w.engine.View(ctx, second)
	if err != nil {
		t.Fatal(err)
	}
	if v.Run.Name != "pays-2" || v.Run.Key != "same" || v.Start.Reason != "forked from pays-1 at look" || v.Nodes["pay"].State != history.StateComplete {
		t.Errorf("the fork is %+v, started with %+v", v.Run, v.Start)
	}
	third := fork("pay", "pay", "mail")
	keys := map[string]bool{}
	for _, name := range []string{"shop.pay", "shop.mail"} {
		for _, c := range w.seen(name) {
			if keys[c.Key] || !strings.HasPrefix(c.Key, first.ID+"/") {
				t.Errorf("the key %s names another origin, or comes twice", c.Key)
			}
			keys[c.Key] = true
		}
	}
	if n := len(w.seen("shop.pay")); n != 2 {
		t.Errorf("%d pays after one was asked for again", n)
	}
	for _, id := range []string{second, third} {
		if _, err := w.engine.Answer(ctx, engine.GateAnswer{Gate: w.gate(id).ID, Shown: shown(w.engine, w.gate(id).ID), Actor: ana, Choice: "approve"}); err != nil {
			t.Fatal(err)
		}
		w.ended(id, history.Succeeded)
	}
	if r, err := w.store.Run(ctx, first.ID); err != nil || r.Status != string(history.Waiting) {
		t.Errorf("the first run is %s, %v", r.Status, err)
	}
}
