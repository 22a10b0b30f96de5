// Package prune removes what is over and old: finished runs, worked-off deliveries, drafts that nobody approved, messages that never
// change again.
//
//	runs        final, older than Keep.Runs, no open gate, and neither their parent nor any child still counts: row, state, gates,
//	            timers, signals, leases and messages go in one short write; facts and blobs follow in batches
//	deliveries  done, older than Keep.Deliveries; with them goes the memory that Slack's repetition of one is a repetition
//	drafts      not approved, older than Keep.Drafts, with their cards' rows
//	messages    fixed texts that were shown, older than Keep.Messages
//	entries     of key queues, for runs behind others, when all of them are over and no run is still to be told so: nothing can refer to
//	            them any more, so that they need no setting
//	spending    on models, of months longer ago than Keep.Spending; budgets look at the month that goes on
//
// Preview says what would go.
//
// What stays of a run for good is its trail (engine/run.Trail): who started it, what was asked of whom, who decided what, by which way,
// and the hash of what they were shown; every value, and every word that a person wrote, is replaced by its SHA-256. Trail answers the
// same for a run that is there and for one that was removed.
//
// A failed run is not final, since somebody may still try it again: it stays until it is cancelled or goes on.
//
// The package works in batches with a pause between them, and holds no lock that a transition waits for: on Postgres any number of
// processes may prune beside working ones, and a run that changes meanwhile is left alone. A SQLite file belongs to the process that
// serves it, which prunes by itself; when nobody serves it, the command does.
//
// The package knows neither Slack nor SQL, and no names of surfaces: the caller of New gives them. Look next at
// storage/sqlstore/removal.go.
//
// # Decisions
//
//   - Entries of key queues are removed without a lock: what is over stays so, no run is ever put between two, and the handler of an end finds
//     the runs behind through entries of runs that go on, which stay.
//   - A run's key stays taken although the run is gone: it is what keeps the same thing from being done twice, and a flow may want that
//     for ever. Keys with a window come free by the window, as before.
//   - A family of parent and children goes together and not "children first": each refers to the other, so that neither would ever go.
//   - A failed run that no person looks after is not removed by its age: that would take a decision from the people who were asked.
//   - A plain SHA-256 and no secret salt: a person who has the value can prove by it what was decided about, with no help from Sluice. Where
//     a value is easily guessed (a short number), so is its hash; sensitive inputs are part of one hash over all inputs.
//   - Kinds of facts that are not sorted yet stay with their actor and without any of their fields, instead of going: what was removed
//     cannot be brought back.
package prune
