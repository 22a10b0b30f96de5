package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/tool"
	"sluice/storage"
)

// Lock computes what a flow depends on now: schema and effects of every tool that it names, directly or through its agents.
func Lock(f *flow.Flow, tools tool.Catalogue) flow.Lock {
	l := flow.Lock{Tools: map[string]flow.ToolLock{}}
	for _, name := range f.ToolNames() {
		t, ok := tools.Lookup(name)
		if !ok {
			continue
		}
		schema, _ := json.Marshal([]any{t.Params, t.Result, t.Host})
		sum := sha256.Sum256(schema)
		l.Tools[name] = flow.ToolLock{Effects: t.Effects, Hash: hex.EncodeToString(sum[:])}
	}
	return l
}

// LockChangedError means that a tool is not the one that was approved any more.
type LockChangedError struct {
	Flow     string
	Revision int
	Changes  []flow.LockChange
}

// Error says what changed.
func (e *LockChangedError) Error() string {
	var words []string
	for _, c := range e.Changes {
		words = append(words, c.Words)
	}
	return fmt.Sprintf("since revision %d of %s was approved: %s", e.Revision, e.Flow, strings.Join(words, "; "))
}

// checkLock compares what was approved with what is installed now. What was approved is what runs: any difference asks again.
func (e *Engine) checkLock(f *flow.Flow, rev storage.Revision) error {
	var approved flow.Lock
	if err := json.Unmarshal(rev.Lock, &approved); err != nil {
		return fmt.Errorf("read the lock of %s revision %d: %w", rev.Flow, rev.Number, err)
	}
	changes := flow.CompareLock(approved, Lock(f, e.cfg.Tools))
	if len(changes) == 0 {
		return nil
	}
	err := &LockChangedError{Flow: rev.Flow, Revision: rev.Number, Changes: changes}
	return &UserError{
		Code: "lock_changed", Text: fmt.Sprintf("%s must be approved again: %s.", rev.Flow, err),
		Hint: fmt.Sprintf("`/flow approve %s` shows it again for approval.", rev.Flow), Err: err,
	}
}
