// Command check is what people run before they send a change, and what CI runs:
//
//	go run ./cmd/check
//
// It runs the stages of main.go one after the other, says how long each took, and stops at the first that fails with that stage's
// output. It changes no file. -short leaves out the long tests.
//
// `go run ./cmd/check measure [-since commit] [folder]` prints figures of the Go code instead: sizes, methods per type, exported names, repeated
// code, arrows between files that run back (measure.go), and the files that usual changes touch (errands.go). With a commit, its figures stand
// before those of now.
//
// `go run ./cmd/check figures <file>` runs the benchmarks of the engine and storms on both databases, and writes their output to a file
// (figures.go).
//
// layers_test.go has the layers of the packages as a table, words_test.go the words that the code does not use, size_test.go the bounds of
// packages and types, and rules_test.go the other rules. A new package gets a line in the table.
//
// This command knows the Go tools and the folders, and nothing of the product: it imports no other package.
//
// # Decisions
//
//   - The tests of the repository read the source files instead of asking go list: the go command remembers which files a test has read
//     and runs it again when one changes, but it knows nothing of what another command has read.
//   - staticcheck is told its checks here and not in a file of its own, so that the top level holds packages and nothing else.
//   - Two packages are tested at once, on any machine: tests start servers, browsers and processes of their own.
//   - With CI=true a missing C compiler is a failure, elsewhere only a remark: nobody should need one to try a change.
package main
