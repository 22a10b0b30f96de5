package draft

import (
	"context"
	"errors"

	"sluice/engine/flow"
	"sluice/storage"
)

// Versions holds the approved versions of flows.
type Versions interface {
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
}

// Saved is the flow of an approved version.
func Saved(ctx context.Context, store Versions, name string, number int) (*flow.Flow, error) {
	rev, err := store.Revision(ctx, name, number)
	if err != nil {
		return nil, err
	}
	return flow.FromJSON(rev.Body)
}

// Drafts holds approved versions, and the drafts that they were made of.
type Drafts interface {
	Versions
	Draft(ctx context.Context, id string) (storage.Draft, error)
}

// OfVersion finds the draft that an approved version was made of; false = there is none.
func OfVersion(ctx context.Context, store Drafts, name string, number int) (d storage.Draft, ok bool, err error) {
	rev, err := store.Revision(ctx, name, number)
	if err == nil && rev.Draft != "" {
		d, err = store.Draft(ctx, rev.Draft)
		ok = err == nil
	}
	if errors.Is(err, storage.ErrNotFound) {
		return d, false, nil
	}
	return d, ok, err
}
