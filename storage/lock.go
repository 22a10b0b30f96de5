package storage

import "context"

// Locked is a run that no other process writes. It is for one goroutine.
type Locked interface {
	// Write is Store.Write, once: the lock ends with it, also after an error.
	Write(ctx context.Context, b *Batch) error
	// Release gives the lock back; after a write it does nothing.
	Release()
}
