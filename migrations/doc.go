// Package migrations holds the database's shape as plain SQL: one directory per kind of database, one file per step, named
// NNNN_what.sql and applied in order of the number. storage/sqlstore applies them at start, under a lock and forward only.
//
// A file that was released never changes. Steps stay compatible with the previous release of the program (first expand, a release later
// contract), so that old and new processes can work side by side while they are being replaced. A test in storage/sqlstore holds every step
// to that (expand_test.go): what was there keeps its name and its type, what is new may be left out, and nothing more is refused.
//
// The package knows nothing of connections. Look next at storage/sqlstore/migrate.go.
//
// # Decisions
//
//   - Two directories instead of one generated from the other: each is what an operator of that database would expect to read.
//   - Facts, leases and timers have no foreign keys to runs: they are written in the statement that has just compared and set the
//     run's row, and a check for each row would double the cost of a transition.
package migrations

import "embed"

// SQLite holds the steps for SQLite in its directory sqlite.
//
//go:embed sqlite/*.sql
var SQLite embed.FS

// Postgres holds the steps for Postgres in its directory postgres.
//
//go:embed postgres/*.sql
var Postgres embed.FS
