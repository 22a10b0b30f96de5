// Package dispatch is the border between the engine, which knows what a token has to do, and the worker pool whose goroutine does it.
// dispatch/local is a pool inside one process, dispatch/river a queue that many processes share; dispatch/dispatchtest is the suite that
// every dispatcher must pass.
//
//	transition committed -> Enqueue(item) -> a worker calls the Performer -> claim, perform, commit, go on ... until the token waits
//
// An item is a wake-up and never the truth: the truth is the lease that the transition stored. Losing an item costs time, until
// the leases are looked through; a doubled one costs a claim that fails. The package knows neither runs nor storage.
//
// # Decisions
//
//   - A Performer returns no error: what goes wrong with a token is the engine's to store, and a dispatcher that tried an item
//     again on its own would be a second opinion on retries.
package dispatch
