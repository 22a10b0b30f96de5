// Package storage is the contract between Sluice and its database: what is kept, what a write does at once, and which errors mean
// what. storage/sqlite and storage/postgres fulfil it; storage/storagetest is the suite that both must pass; storage/pgtest starts a
// throwaway Postgres for the tests of any package.
//
// The package understands no flow, no fact and no state: it sees bytes beside named columns. It knows neither Slack nor River.
//
// The contract is divided by subject (contract.go): Runs, Gates, Timers, Leases, Flows, Triggers, Deliveries, Surfaces, AuditLog, Usage and
// Removals. Store has them all, and Write. storage/sqlstore has a type for each, in files named after their tables: the columns, the reads
// and the statements of a table stand together. A new table goes to the subject that it belongs to; a new subject is an interface here and
// a type there. A package that uses the store declares the methods that it calls, whatever their subjects, and tests can stand in for those.
//
// Look next at Store and Batch, then at storage/sqlstore, which executes them for both databases.
//
// # Decisions
//
//   - One value per write (Batch) instead of a transaction handed to the caller: all-or-nothing needs no discipline at the call, and
//     Postgres can be given the whole of it in one round trip.
//   - The newest run that was started with a key holds it, also one that was allowed to run beside an older holder: the window in
//     which nothing else may start is counted from the last time that something did.
//   - The store checks that facts follow on without a gap, although the compare-and-set implies it: a gap would be a broken history
//     for ever, and the check costs one comparison in a row that is being written anyway.
//   - Signals between runs are rows of the timers' table, with a body: they are claimed, handed out again and deleted like timers.
//   - An event is not written together with the signals to the runs that wait for it: a run that begins to wait at the same moment would be
//     missed. Its signals are fanned out by a second write, which sees every wait that does not look for the event itself afterwards.
//   - A delivery is done by compare-and-set, in the write of its effect: a process that comes late (frozen, or cut off after the commit) gets
//     ErrDone, and nothing of what it wanted is stored. A claim on the delivery's thread alone would end with its time.
//   - An event that starts a run is remembered for good (TriggerStart), like a run's key: a message may get the same reaction again
//     after months. It is not the delivery's dedupe key, because that goes with the delivery, and one delivery can start several flows.
//   - That two flows cannot both have a webhook's path is a matter of their triggers' ID and needs no index of its own.
package storage
