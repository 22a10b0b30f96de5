// Package postgres opens the store in a Postgres database, for installations that want several processes, backups and failover.
//
// A transition is one prepared statement and one round trip: see statement.go. Tables are made in the schema that comes first in the
// connection's search_path, so that several stores can share a database.
//
// The package knows no tables: look at storage/sqlstore.
//
// # Decisions
//
//   - Statements keep one plan for all parameters, which looks rows up by an index however small the table is: to plan a transition
//     anew costs as much as to execute it. A test looks at these plans.
//   - The transition that most steps make has a statement of its own (narrow.go), with a parameter for each value: arrays, and a statement
//     that counts in what each part has touched, cost a fifth of the time between two steps. Groups of transitions are written by arrays.
//   - Deliveries are stored one at a time, under a lock that ends with the commit: their ids then become visible in order, and a
//     reader that goes on from the last id that it saw misses none.
//   - The right to serve is an advisory lock on a connection of its own; a table says who holds it, because the name of a
//     connection is cut at 63 bytes and hidden from other database users.
package postgres
