// Package local dispatches inside one process: a queue in memory and a bounded number of goroutines.
//
// It is enough wherever one process serves the store, which storage.Store.Serve makes sure of. The queue is fed after commit and is
// lost with the process; at start the engine enqueues every lease that it finds. When nothing is to be done there is no
// goroutine: workers are started with the work and end with it.
//
// # Decisions
//
//   - The queue is unbounded: it holds three words for each item, and the one who enqueues has committed already and cannot wait.
//   - An item is performed by one goroutine at a time. Enqueued again meanwhile, it is remembered and follows.
package local
