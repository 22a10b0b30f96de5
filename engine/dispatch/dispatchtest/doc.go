// Package dispatchtest is the suite that every dispatcher must pass, whatever moves its items.
//
// A dispatcher's own test calls Run with a function that makes one. The suite asks for nothing that a queue across processes could
// not guarantee: an item may be performed more often than it was enqueued, but never less than once, and never after a revocation
// that came first. It waits for signals, with generous limits.
package dispatchtest
