// Package lock says what a flow depends on, by hash: the tools that it names, the revisions of the flows that it runs, and the agents of the
// installation. What was approved is what runs: a lock that has changed since the approval asks for another one.
//
// The package starts nothing and approves nothing. Look next at engine/flow/approval, which compares locks and says what a change allows.
package lock

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/approval"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Of computes what a flow depends on now: schema, effects, policy, host and request of every tool that it names, directly or through its
// agents.
func Of(f *flow.Flow, tools tool.Catalogue) flow.Lock {
	l := flow.Lock{Tools: map[string]flow.ToolLock{}}
	for _, name := range f.ToolNames() {
		t, ok := tools.Lookup(name)
		if !ok {
			continue
		}
		schema, _ := json.Marshal([]any{t.Params, t.Result, t.Host})
		sum := sha256.Sum256(schema)
		l.Tools[name] = flow.ToolLock{
			Effects: t.Effects, Hash: hex.EncodeToString(sum[:]), Policy: cmp.Or(t.Policy, tool.Allow), Host: t.Host, Request: t.Request,
		}
	}
	return l
}

// Store is the part of the store that has the revisions.
type Store interface {
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
	RevisionByHash(ctx context.Context, flow, lockHash string) (storage.Revision, error)
}

// Agents gives the agents of the installation.
type Agents interface {
	Agents(ctx context.Context) ([]flow.Agent, error)
}

// Locks compares flows with what there is.
type Locks struct {
	store  Store
	tools  tool.Catalogue
	agents Agents
}

// New compares flows with the tools of a catalogue, the revisions of a store and the agents of the installation. Nil agents: there are none.
func New(store Store, tools tool.Catalogue, agents Agents) *Locks {
	return &Locks{store: store, tools: tools, agents: agents}
}

// ChangedError means that a tool, an agent or another flow is not the one that was approved any more.
type ChangedError struct {
	Flow     string
	Revision int
	Changes  []approval.LockChange
}

// Error says what changed.
func (e *ChangedError) Error() string {
	var words []string
	for _, c := range e.Changes {
		words = append(words, c.Words)
	}
	return fmt.Sprintf("since version %d of %s was approved: %s", e.Revision, e.Flow, strings.Join(words, "; "))
}

// Lock computes what a flow depends on now: its tools, and the newest revision of every flow that it runs. A *usererror.Error names a flow
// that does not exist.
func (x *Locks) Lock(ctx context.Context, f *flow.Flow) (flow.Lock, error) {
	l, missing, err := x.lock(ctx, f)
	if err == nil && missing != "" {
		err = &usererror.Error{
			Code: "no_flow", Text: fmt.Sprintf("%s runs the flow %q, which does not exist.", f.Name, missing), Hint: "Approve that flow first.",
		}
	}
	return l, err
}

// Dependencies is Lock without what does not exist.
func (x *Locks) Dependencies(ctx context.Context, f *flow.Flow) (flow.Lock, error) {
	l, _, err := x.lock(ctx, f)
	return l, err
}

// Surroundings is what a review of a flow's revision must know: its tools, and which flows can write. lock is what there is now, was
// what the revision before was approved with.
func (x *Locks) Surroundings(ctx context.Context, was, lock flow.Lock) approval.Surroundings {
	return approval.Surroundings{
		Tool: x.toolFacts, Was: was, Is: lock,
		Writes: func(name, lockHash string) bool { return x.writes(ctx, name, lockHash, map[string]bool{}) },
	}
}

func (x *Locks) toolFacts(name string) (effects flow.Effects, host string, known bool) {
	t, ok := x.tools.Lookup(name)
	return t.Effects, t.Host, ok
}

// writes reports whether an approved revision of a flow can write; one that cannot be looked at counts as one that can. A flow that is
// looked at already, further out, says nothing new.
func (x *Locks) writes(ctx context.Context, name, lockHash string, seen map[string]bool) bool {
	if seen[name+" "+lockHash] {
		return false
	}
	seen[name+" "+lockHash] = true
	rev, err := x.revisionOf(ctx, name, lockHash)
	if err != nil {
		return true
	}
	f, err := flow.FromJSON(rev.Body)
	var lock flow.Lock
	if err != nil || json.Unmarshal(rev.Lock, &lock) != nil {
		return true
	}
	return approval.CanWrite(f, x.toolFacts, func(sub string) bool { return x.writes(ctx, sub, lock.Subflows[sub], seen) })
}

func (x *Locks) revisionOf(ctx context.Context, name, lockHash string) (storage.Revision, error) {
	if lockHash == "" {
		return x.store.Revision(ctx, name, 0)
	}
	return x.store.RevisionByHash(ctx, name, lockHash)
}

// base is the lock without the flows that a flow runs.
func (x *Locks) base(ctx context.Context, f *flow.Flow) (l flow.Lock, err error) {
	l = Of(f, x.tools)
	if !slices.ContainsFunc(f.Agents, func(a flow.Agent) bool { return a.Registered }) {
		return l, nil
	}
	known, err := x.Agents(ctx)
	if err != nil {
		return l, err
	}
	l.Agents = map[string]string{}
	for _, own := range f.Agents {
		i := slices.IndexFunc(known, func(a flow.Agent) bool { return a.ID == own.ID })
		if own.Registered && i >= 0 {
			l.Agents[own.ID] = agents.Hash(known[i])
		}
	}
	return l, nil
}

// Agents gives the agents of the installation. It is never nil.
func (x *Locks) Agents(ctx context.Context) ([]flow.Agent, error) {
	if x.agents == nil {
		return []flow.Agent{}, nil
	}
	known, err := x.agents.Agents(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the agents: %w", err)
	}
	return slices.Concat([]flow.Agent{}, known), nil
}

// lock is Lock, and names a flow that does not exist. It is left out.
func (x *Locks) lock(ctx context.Context, f *flow.Flow) (l flow.Lock, missing string, err error) {
	if l, err = x.base(ctx, f); err != nil {
		return l, "", err
	}
	for _, name := range f.SubflowNames() {
		rev, err := x.store.Revision(ctx, name, 0)
		if errors.Is(err, storage.ErrNotFound) {
			missing = name
			continue
		}
		if err != nil {
			return l, "", fmt.Errorf("look at the flow %s: %w", name, err)
		}
		if l.Subflows == nil {
			l.Subflows = map[string]string{}
		}
		l.Subflows[name] = rev.LockHash
	}
	return l, missing, nil
}

// CheckLock compares what was approved with what there is now. What was approved is what runs: any difference asks again.
func (x *Locks) CheckLock(ctx context.Context, f *flow.Flow, rev storage.Revision) error {
	now, _, err := x.lock(ctx, f)
	if err != nil {
		return err
	}
	return compare(rev, now, true)
}

// CheckOwn is CheckLock for a run that another one starts: the flows that this one runs were approved together with it, by hash,
// whatever was approved since.
func (x *Locks) CheckOwn(ctx context.Context, f *flow.Flow, rev storage.Revision) error {
	now, err := x.base(ctx, f)
	if err != nil {
		return err
	}
	return compare(rev, now, false)
}

func compare(rev storage.Revision, now flow.Lock, subflows bool) error {
	var approved flow.Lock
	if err := json.Unmarshal(rev.Lock, &approved); err != nil {
		return fmt.Errorf("read the lock of %s revision %d: %w", rev.Flow, rev.Number, err)
	}
	if !subflows {
		now.Subflows = approved.Subflows
	}
	changes := approval.CompareLock(approved, now)
	if len(changes) == 0 {
		return nil
	}
	err := &ChangedError{Flow: rev.Flow, Revision: rev.Number, Changes: changes}
	return &usererror.Error{
		Code: "lock_changed", Text: fmt.Sprintf("%s must be approved again: %s.", rev.Flow, err),
		Subject: rev.Flow, Err: err,
	}
}
