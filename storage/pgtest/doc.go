// Package pgtest gives tests of any package a real Postgres: a database of its own for each test.
//
// TEST_DATABASE_URL names a server to use, with a user who may create databases. Without it a server is started once in each test
// process, from binaries that lie on PATH or where the usual packages put them. It lives in a temporary directory, listens on a
// random port of 127.0.0.1, trusts everybody there, does not sync to disk, and runs as the user postgres or nobody when the tests run
// as root.
//
// The server ends with the test process, however that ends: a small shell script waits for the end of a pipe that the test process
// holds, then stops the server and removes its directory.
//
// NewServer gives a test a server of its own that it can stop on the spot and start again; NewLine a way to a server that it can cut.
//
// When there is neither, the test is skipped and says so; with CI=true it fails.
//
// # Decisions
//
//   - A pipe instead of a signal at the parent's death: that signal exists on Linux only and follows a thread, not the process.
//   - No container: where tests run, there often is none, and the binaries are what the container would run.
package pgtest
