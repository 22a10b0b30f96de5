package storage

import "context"

// Locked is a run that nobody else writes. It is for one goroutine.
type Locked interface {
	// Write is Store.Write, once: whatever comes of it, the lock is gone afterwards.
	Write(ctx context.Context, b *Batch) error
	// Release gives the lock back; after a write it does nothing.
	Release()
}
