package engine_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/lock"
	"sluice/engine/people"
	"sluice/engine/secret"
	"sluice/engine/tool"
	"sluice/engine/usererror"
)

// Invariant 3: when a tool is called, the intent with its key is stored already.
func TestTheIntentIsStoredBeforeTheAct(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stored := make(chan bool, 1)
	w.add(tool.Tool{Name: "shop.pay", Description: "pay", Effects: flow.EffectsOnce, Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
		facts, err := w.store.Facts(ctx, c.Run, 0, "step_started")
		stored <- err == nil && len(facts) == 1 && strings.Contains(string(facts[0].Body), c.Key) && c.Key != ""
		return tool.Result{}, nil
	}})
	w.serve()
	w.save(once)
	r := w.start("pay", nil)
	if !<-stored {
		t.Error("the tool was called before its intent was stored")
	}
	w.ended(r.ID, history.Succeeded)
}

// Invariant 7: a run that waits holds no lease, no memory, no work.
func TestAWaitingRunHoldsNothing(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	r := w.start("refund", map[string]any{"order_id": "A-1"})
	w.gate(r.ID)
	deadline := time.Now().Add(limit)
	for w.engine.Held() > 0 && time.Now().Before(deadline) {
		select {
		case <-w.moved:
		case <-time.After(10 * time.Millisecond): // the worker lets go after the commit that woke us
		}
	}
	leases, err := w.store.Leases(t.Context())
	if err != nil || len(leases) != 0 || w.engine.Held() != 0 {
		t.Errorf("a waiting run holds %d leases and %d places in memory (%v)", len(leases), w.engine.Held(), err)
	}
}

// Invariant 8: what was approved is what runs; a tool that changed asks again.
func TestAChangedToolAsksForApprovalAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.record("shop.pay", flow.EffectsIdempotent)
	w.serve()
	w.save(once)
	w.ended(w.start("pay", nil).ID, history.Succeeded)
	w.tools.Remove("shop.pay")
	w.record("shop.pay", flow.EffectsOnce)
	_, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "pay", Actor: history.Actor{User: "ana"}})
	var ue *usererror.Error
	var changed *lock.ChangedError
	if !errors.As(err, &ue) || !errors.As(err, &changed) || !changed.Changes[0].Riskier {
		t.Errorf("starting with a riskier tool gave %v", err)
	}
}

const withSecret = `
name: sealed
flow:
  entry: call
  nodes:
    - {id: call, type: tool, tool: shop.echo, params: {token: "Bearer {{secret.TOKEN}}"}, routes: [{to: fail}]}
    - {id: fail, type: tool, tool: shop.fail, params: {token: "{{secret.TOKEN}}"}, routes: [{to: end}]}
`

// Invariant 9: a secret reaches the call and nothing that is stored.
func TestASecretReachesTheCallAndNoFact(t *testing.T) {
	t.Parallel()
	const value = "s3cr3t-value-of-the-token"
	env, err := secret.NewEnv([]string{"SLUICE_SECRET_TOKEN=" + value, "SLUICE_SECRET_TOKEN_HOSTS=shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.secrets = env
	w.add(tool.Tool{Name: "shop.echo", Description: "echo", Host: "shop.example", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		return tool.Result{Data: map[string]any{"you_sent": c.Params["token"]}}, nil
	}})
	w.add(tool.Tool{Name: "shop.fail", Description: "fail", Host: "shop.example", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		return tool.Result{}, &tool.Error{Type: "HTTPError", Message: "401 for token " + value, Permanent: true}
	}})
	w.serve()
	w.save(withSecret)
	r := w.start("sealed", nil)
	w.gate(r.ID)
	if c := w.seen("shop.echo"); len(c) != 1 || c[0].Params["token"] != "Bearer "+value {
		t.Fatalf("the call got %v", c)
	}
	facts, err := w.store.Facts(t.Context(), r.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range facts {
		if strings.Contains(string(f.Body), value) {
			t.Errorf("fact %d (%s) holds the secret: %s", f.Seq, f.Kind, f.Body)
		}
	}
	row, err := w.store.Run(t.Context(), r.ID)
	if err != nil || strings.Contains(string(row.State), value) {
		t.Errorf("the state holds the secret (%v)", err)
	}
}

// A secret that somebody gives back, in whatever form, is in no fact either: as an input, in what happened, in an answer.
func TestASecretThatComesInIsInNoFact(t *testing.T) {
	t.Parallel()
	const value = "s3cr3t/value of the token"
	env, err := secret.NewEnv([]string{"SLUICE_SECRET_TOKEN=" + value})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.secrets = env
	w.serve()
	w.save("name: given\nrun: {title: \"{{inputs.a}}\"}\ninputs: {a: {type: string}}\nflow:\n  entry: ask\n  nodes: [{id: ask, type: ask, message: \"{{event.payload.message}}\", routes: [{to: end}]}]\n")
	encoded := base64.StdEncoding.EncodeToString([]byte("user:" + value))
	st, err := w.engine.Start(t.Context(), engine.StartRequest{
		Flow: "given", Actor: history.Actor{User: "ana"}, Inputs: map[string]any{"a": "x " + encoded}, Event: map[string]any{"payload": map[string]any{"message": url.QueryEscape(value)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	g := w.gate(st.Run.ID)
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Text: hex.EncodeToString([]byte(value)), Actor: history.Actor{User: "ana"}}); err != nil {
		t.Fatal(err)
	}
	w.ended(st.Run.ID, history.Succeeded)
	facts, err := w.store.Facts(t.Context(), st.Run.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range facts {
		for _, form := range []string{value, encoded, url.QueryEscape(value), hex.EncodeToString([]byte(value))} {
			if strings.Contains(string(f.Body), form) {
				t.Errorf("fact %d (%s) holds the secret: %s", f.Seq, f.Kind, f.Body)
			}
		}
	}
	if strings.Contains(st.Run.Title, encoded) {
		t.Errorf("the title holds the secret: %s", st.Run.Title)
	}
}

// Invariant 1: the facts of a run fold to exactly the state that is stored beside them.
func TestTheStoredFactsFoldToTheStoredState(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	r := w.start("refund", map[string]any{"order_id": "A-1"})
	g := w.gate(r.ID)
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: "approve", Actor: history.Actor{User: "fin"}}); err != nil {
		t.Fatal(err)
	}
	v := w.ended(r.ID, history.Succeeded)
	folded := &history.State{}
	for i, f := range v.Facts {
		if f.Seq != int64(i+1) {
			t.Fatalf("fact %d has number %d", i+1, f.Seq)
		}
		if err := history.Apply(folded, f); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := history.DecodeState(v.Run.State)
	if err != nil {
		t.Fatal(err)
	}
	a, err := json.Marshal(folded)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(stored)
	if err != nil || string(a) != string(b) {
		t.Errorf("folded: %s\nstored: %s", a, b)
	}
}

type persons map[string]people.Person

func (p persons) Resolve(_ context.Context, name string) (people.Principal, error) {
	if name == "@finance" {
		return people.Principal{Kind: "group", ID: "S1", Name: name}, nil
	}
	return people.Principal{Kind: "user", ID: strings.TrimPrefix(name, "@"), Name: name}, nil
}

func (p persons) Members(_ context.Context, who people.Principal) ([]string, error) {
	if who.Kind == "group" {
		return []string{"fin", "ana", "left"}, nil
	}
	return []string{who.ID}, nil
}

func (p persons) Person(_ context.Context, id string) (people.Person, error) { return p[id], nil }

const guarded = `
name: guarded
flow:
  entry: gate
  nodes:
    - id: gate
      type: approval
      message: Sure?
      who: {groups: ["@finance"], self_approval: false}
      routes: [{to: end}]
`

// Authority is asked at the moment of the answer, for every way to answer.
func TestOnlyWhoMayAnswerDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.directory = persons{
		"ana": {ID: "ana", Team: "T1", Active: true}, "bob": {ID: "bob", Team: "T1", Active: true}, "fin": {ID: "fin", Team: "T1", Active: true},
		"left": {ID: "left", Team: "T1"},
	}
	w.serve()
	w.save(guarded)
	g := w.gate(w.start("guarded", nil).ID)
	answer := func(user, team string) error {
		_, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: "approve", Actor: history.Actor{User: user, Team: team}})
		return err
	}
	var no *people.NotAllowedError
	for name, err := range map[string]error{"no member": answer("bob", "T1"), "the requester": answer("ana", "T1"), "another workspace": answer("fin", "T9"), "somebody who left": answer("left", "T1")} {
		if !errors.As(err, &no) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := answer("fin", "T1"); err != nil {
		t.Error(err)
	}
}
