// Command check is what people run before they send a change, and what CI runs:
//
//	go run ./cmd/check
//
// It runs the stages of main.go one after the other, says how long each took, and stops at the first that fails with that stage's
// output. It changes no file. -short leaves out the long tests.
//
// floors_test.go is the plan of the house as a table: every room (package), the floor it lives on, and the rules of the house. A new
// room gets a line there.
//
// This command knows the Go tools and the folders, and nothing of the product: it imports no room.
//
// # Decisions
//
//   - The tests of the house read the source files instead of asking go list: the go command remembers which files a test has read
//     and runs it again when one changes, but it knows nothing of what another command has read.
//   - staticcheck is told its checks here and not in a file of its own, so that the top level holds rooms and nothing else.
//   - Two packages are tested at once, on any machine: tests start servers, browsers and processes of their own.
//   - With CI=true a missing C compiler is a failure, elsewhere only a remark: nobody should need one to try a change.
package main
