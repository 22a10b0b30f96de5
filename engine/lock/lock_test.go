package lock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/lock"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/storage"
)

const pay = `
name: pay
flow:
  entry: book
  nodes:
    - {id: book, type: tool, tool: shop.pay, routes: [{to: tell}]}
    - {id: tell, type: subflow, flow: letters, routes: [{to: end}]}
`

func read(text string) *flow.Flow {
	doc, bad := file.Parse("flow.yaml", []byte(text))
	if bad.HasErrors() {
		panic(bad)
	}
	return doc.Flow
}

// shelf has the newest revision of flows, by name.
type shelf map[string]storage.Revision

func (s shelf) Revision(_ context.Context, name string, _ int) (storage.Revision, error) {
	r, ok := s[name]
	if !ok {
		return r, storage.ErrNotFound
	}
	return r, nil
}

func (s shelf) RevisionByHash(ctx context.Context, name, hash string) (storage.Revision, error) {
	r, err := s.Revision(ctx, name, 0)
	if err == nil && r.LockHash != hash {
		return storage.Revision{}, storage.ErrNotFound
	}
	return r, err
}

// catalogue has one tool with these effects.
func catalogue(e flow.Effects) tool.Catalogue {
	tools, err := tool.New(tool.Tool{Name: "shop.pay", Description: "pay", Effects: e, Call: func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil }})
	if err != nil {
		panic(err)
	}
	return tools
}

// approved is a revision of a flow with the lock that it was approved with.
func approved(f *flow.Flow, l flow.Lock) storage.Revision {
	raw, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	return storage.Revision{Flow: f.Name, Number: 1, Body: flow.Canonical(f), Lock: raw}
}

// What was approved is what runs: a tool that does more than it did then asks for another approval.
func Example() {
	ctx, flows := context.Background(), shelf{"letters": {LockHash: "abc"}}
	f := read(pay)
	then := lock.New(flows, catalogue(flow.EffectsIdempotent), nil)
	l, err := then.Lock(ctx, f)
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Tools["shop.pay"].Effects, l.Subflows["letters"])
	fmt.Println(then.CheckLock(ctx, f, approved(f, l)))

	now := lock.New(flows, catalogue(flow.EffectsOnce), nil)
	err = now.CheckLock(ctx, f, approved(f, l))
	if changed, ok := errors.AsType[*lock.ChangedError](err); ok {
		fmt.Println(changed.Flow, changed.Changes[0].Riskier)
	}
	// Output:
	// idempotent abc
	// <nil>
	// pay true
}

// A flow that is run and does not exist has a name in the error; a look at what there is leaves it out.
func TestAMissingFlow(t *testing.T) {
	t.Parallel()
	x, f := lock.New(shelf{}, catalogue(flow.EffectsRead), nil), read(pay)
	_, err := x.Lock(t.Context(), f)
	if e, ok := errors.AsType[*usererror.Error](err); !ok || e.Code != "no_flow" {
		t.Errorf("it is %v", err)
	}
	if l, err := x.Dependencies(t.Context(), f); err != nil || len(l.Subflows) != 0 || len(l.Tools) != 1 {
		t.Errorf("what there is: %+v, %v", l, err)
	}
}

// A revision of another flow that was approved since asks again at a start by a person, and not at the start by another run.
func TestAnotherRevisionOfASubflow(t *testing.T) {
	t.Parallel()
	f, tools := read(pay), catalogue(flow.EffectsRead)
	l, err := lock.New(shelf{"letters": {LockHash: "old"}}, tools, nil).Lock(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	now := lock.New(shelf{"letters": {LockHash: "new"}}, tools, nil)
	if err := now.CheckLock(t.Context(), f, approved(f, l)); err == nil {
		t.Error("the newer revision runs without an approval")
	}
	if err := now.CheckOwn(t.Context(), f, approved(f, l)); err != nil {
		t.Errorf("a run that was approved with the older revision is refused: %v", err)
	}
	if err := now.CheckOwn(t.Context(), f, storage.Revision{Lock: []byte("{")}); err == nil {
		t.Error("half a lock was compared")
	}
}

// A flow can write when a flow can that it runs, and when that one cannot be looked at. Flows that run each other are looked at once.
func TestSurroundings(t *testing.T) {
	t.Parallel()
	reads, f := read("name: letters\nflow:\n  entry: a\n  nodes:\n    - {id: a, type: subflow, flow: letters, routes: [{to: end}]}\n"), read(pay)
	lockOf := approved(reads, flow.Lock{Subflows: map[string]string{"letters": "h"}})
	lockOf.LockHash = "h"
	writes := approved(f, flow.Lock{Subflows: map[string]string{"letters": "h"}})
	writes.LockHash = "w"
	near := lock.New(shelf{"letters": lockOf, "pay": writes}, catalogue(flow.EffectsOnce), nil).Surroundings(t.Context(), flow.Lock{}, flow.Lock{})
	for name, want := range map[[2]string]bool{{"letters", "h"}: false, {"pay", "w"}: true, {"letters", "other"}: true, {"gone", ""}: true} {
		if got := near.Writes(name[0], name[1]); got != want {
			t.Errorf("%v can write: %v", name, got)
		}
	}
	if effects, _, known := near.Tool("shop.pay"); !known || effects != flow.EffectsOnce {
		t.Errorf("the tool is %s, %v", effects, known)
	}
}
