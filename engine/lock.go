package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/tool"
	"sluice/storage"
)

// Lock computes what a flow depends on now: schema, effects, policy, host and request of every tool that it names, directly or through its
// agents.
func Lock(f *flow.Flow, tools tool.Catalogue) flow.Lock {
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

// LockChangedError means that a tool is not the one that was approved any more.
type LockChangedError struct {
	Flow     string
	Revision int
	Changes  []approval.LockChange
}

// Error says what changed.
func (e *LockChangedError) Error() string {
	var words []string
	for _, c := range e.Changes {
		words = append(words, c.Words)
	}
	return fmt.Sprintf("since version %d of %s was approved: %s", e.Revision, e.Flow, strings.Join(words, "; "))
}

// Lock computes what a flow depends on now: its tools, and the newest revision of every flow that it runs. A *UserError names a flow
// that does not exist.
func (e *Engine) Lock(ctx context.Context, f *flow.Flow) (flow.Lock, error) {
	l, missing, err := e.lock(ctx, f)
	if err == nil && missing != "" {
		err = &UserError{
			Code: "no_flow", Text: fmt.Sprintf("%s runs the flow %q, which does not exist.", f.Name, missing), Hint: "Approve that flow first.",
		}
	}
	return l, err
}

// Dependencies is Lock without what does not exist.
func (e *Engine) Dependencies(ctx context.Context, f *flow.Flow) (flow.Lock, error) {
	l, _, err := e.lock(ctx, f)
	return l, err
}

// Surroundings is what a review of a flow's revision must know: its tools, and which flows can write. lock is what there is now, was
// what the revision before was approved with.
func (e *Engine) Surroundings(ctx context.Context, was, lock flow.Lock) approval.Surroundings {
	return approval.Surroundings{
		Tool: e.toolFacts, Was: was, Is: lock,
		Writes: func(name, lockHash string) bool { return e.writes(ctx, name, lockHash, map[string]bool{}) },
	}
}

func (e *Engine) toolFacts(name string) (effects flow.Effects, host string, known bool) {
	t, ok := e.cfg.Tools.Lookup(name)
	return t.Effects, t.Host, ok
}

// writes reports whether an approved revision of a flow can write; one that cannot be looked at counts as one that can. A flow that is
// looked at already, further out, says nothing new.
func (e *Engine) writes(ctx context.Context, name, lockHash string, seen map[string]bool) bool {
	if seen[name+" "+lockHash] {
		return false
	}
	seen[name+" "+lockHash] = true
	rev, err := e.revisionOf(ctx, name, lockHash)
	if err != nil {
		return true
	}
	f, err := flow.FromJSON(rev.Body)
	var lock flow.Lock
	if err != nil || json.Unmarshal(rev.Lock, &lock) != nil {
		return true
	}
	return approval.CanWrite(f, e.toolFacts, func(sub string) bool { return e.writes(ctx, sub, lock.Subflows[sub], seen) })
}

func (e *Engine) revisionOf(ctx context.Context, name, lockHash string) (storage.Revision, error) {
	if lockHash == "" {
		return e.cfg.Store.Revision(ctx, name, 0)
	}
	return e.cfg.Store.RevisionByHash(ctx, name, lockHash)
}

// lock is Lock, and names a flow that does not exist. It is left out.
func (e *Engine) lock(ctx context.Context, f *flow.Flow) (l flow.Lock, missing string, err error) {
	l = Lock(f, e.cfg.Tools)
	for _, name := range f.SubflowNames() {
		rev, err := e.cfg.Store.Revision(ctx, name, 0)
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

// checkLock compares what was approved with what there is now. What was approved is what runs: any difference asks again.
func (e *Engine) checkLock(ctx context.Context, f *flow.Flow, rev storage.Revision) error {
	now, _, err := e.lock(ctx, f)
	if err != nil {
		return err
	}
	return compareLock(rev, now, true)
}

// checkTools is checkLock for a run that another one starts: the flows that this one runs were approved together with it, by hash,
// whatever was approved since.
func (e *Engine) checkTools(f *flow.Flow, rev storage.Revision) error {
	return compareLock(rev, Lock(f, e.cfg.Tools), false)
}

func compareLock(rev storage.Revision, now flow.Lock, subflows bool) error {
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
	err := &LockChangedError{Flow: rev.Flow, Revision: rev.Number, Changes: changes}
	return &UserError{
		Code: "lock_changed", Text: fmt.Sprintf("%s must be approved again: %s.", rev.Flow, err),
		Subject: rev.Flow, Err: err,
	}
}
