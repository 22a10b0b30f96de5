// Package sqlite opens the store in one SQLite file: the database that Sluice uses when nobody has set one up.
//
// The file is in WAL mode with synchronous=FULL, so that a committed transition survives a power cut. One connection writes, with
// BEGIN IMMEDIATE; the others only read and never wait for it. What has been committed is seen by every read that starts later.
// Beside the file PATH lie PATH-wal and PATH-shm (SQLite's own) and PATH.lock, which the process that serves the store holds.
//
// Other processes may open a served file to look at it; serving it is exclusive. The package knows no tables: look at storage/sqlstore.
//
// # Decisions
//
//   - A bound on the file's size is SQLite's own (max_page_count), not a look at the size before each write: nobody can be late.
//   - modernc.org/sqlite instead of a binding to the C library: the program stays one static binary and builds without a C compiler.
//   - The lock is a file lock and not a row: it vanishes with its process, whatever happens to that.
package sqlite
