package engine

import (
	"context"

	"sluice/engine/usererror"
	"sluice/storage"
)

// RetireFlow removes a flow: it starts no run until a revision of it is approved again, and its schedules and triggers are gone. Live runs go
// on; its revisions and runs stay. A subflow node of a live run may still start the revision that was approved with it. add may put more into
// the transaction. Who may do that is for the caller to check. *usererror.Error: there is no such flow, or it was removed before.
func (e *Engine) RetireFlow(ctx context.Context, name string, add func(*storage.Batch)) error {
	f, err := e.cfg.Store.Flow(ctx, name)
	if err == nil && !f.Retired.IsZero() {
		err = storage.ErrRetired
	}
	if err != nil {
		return usererror.Flow(name, err)
	}
	b := &storage.Batch{Retire: &storage.Retirement{Flow: name, At: e.Now()}}
	if add != nil {
		add(b)
	}
	return e.cfg.Store.Write(ctx, b)
}
