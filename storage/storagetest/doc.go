// Package storagetest is the suite that every store must pass: one rule of the storage contract for each test.
//
// A store's own test calls Run with a function that opens an empty store. Look next at suite.go, the list of rules; the files
// beside it are named after what they check.
//
// # Decisions
//
//   - Every test gets a store of its own: no test can lean on what another one left behind.
package storagetest
