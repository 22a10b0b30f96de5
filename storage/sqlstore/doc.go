// Package sqlstore executes the storage contract in SQL, once for SQLite and Postgres. What the two do differently is the
// Dialect, which storage/sqlite and storage/postgres bring along.
//
// A write is a list of parts. Each part is a statement over rows, written once:
//
//	Batch --parts--> [guard: the run's compare-and-set] [facts] [leases] [timers] [gates] [stale surfaces] ...
//	                    |                                  |
//	     SQLite:   one transaction, a statement for each inserted row
//	     Postgres: one statement, a common table expression for each part, rows as arrays; all of it depends on the guard
//
// Reads are ordinary prepared queries; both databases understand the same text, with $1, $2 ... for parameters.
//
// Each subject of the contract (storage.Runs, storage.Gates ...) is a type with the statements of its tables; Store has them all, and
// they share a database (database.go): the pools, the dialect and how a row is read. What a batch stores in a table stands in the file
// of the table, too; write.go puts the parts in order.
//
// The package understands no flow, no fact and no state. Look next at dialect.go, then at write.go.
//
// # Decisions
//
//   - Rows travel to Postgres as arrays (unnest) instead of as many VALUES: the text of a statement then depends on which tables a
//     batch touches and not on how many rows, so that it is prepared once and its plan is kept.
//   - A timer has a second time, wake: due, or the end of the claim that holds it. One index then finds what to hand out next, and
//     claimed timers do not keep the poller awake.
//   - A surface has a time since when it is stale. Its index changes when the surface becomes stale or current and not with every
//     transition in between, and the projector serves those first that have waited longest.
//   - A removed run goes in one short write, whatever the number of its facts; those go afterwards, a bounded number at a time. In
//     between nobody finds them: the run's row is gone.
//   - A kept fact lies in a table of its own: the table of facts, which every transition writes, does not grow with the past.
//   - Transitions that meet while others are under way share a statement and a commit (group.go), each all or nothing for itself: four
//     statements at a time on Postgres, one on SQLite. One that meets no other goes at once. A group that the database refuses as a
//     whole is taken apart, so that nobody fails for another's sake. The alternative, a statement for each on as many connections,
//     spends most of its time on planning and round trips.
//   - Migrations are applied by forty lines here instead of by a library: forward only, under a lock, nothing else.
package sqlstore
