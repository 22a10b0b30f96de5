// Package chaos holds the engine to its promises while everything around it breaks. It is tests alone.
//
// Real processes, copies of the test program, serve one store: three beside each other on a Postgres of their own (dispatch/river), or
// one on SQLite (dispatch/local). They carry runs of many flows whose tools and model are services on the wire that write down all
// that arrives. Meanwhile processes are killed, at random moments and at every engine.Position; they are frozen and thawed; the
// server is stopped on the spot and started again; the line to it is cut. When every run has come to its end, a judge reads the
// stored facts and the service's book.
//
//	flows_test.go      the mix of flows: a new one is an entry in the list there; generated ones come on top
//	oracle_test.go     plays a flow in memory, without faults: what a run must come to
//	worker_test.go     a process that serves, and fate_test.go what befalls it
//	outside_test.go    the outside service; model_test.go the model; people_test.go those who answer gates
//	storm_test.go      a storm: workers, runs and faults
//	judge_test.go      what must hold at the end
//
// A plain test run has a short storm on each store, in which every position kills once. `go test -tags chaos ./engine/chaos` has the
// long one; its figures are in the package comment of engine. A storm that finds something prints its seed: -seed N makes the same flows,
// the same answers of the outside and the same faults in the same order. Moments cannot be made again; a seed that has failed
// once fails again often enough. -runs N and -storm NAME make a storm longer or choose one.
//
// # Decisions
//
//   - A worker freezes itself, and only when each of its acts either has not been begun or was sent to the last byte: the window between
//     the look at the lease and the socket is the one that is stated to be open (package engine).
//   - Who starts a run or answers a gate does so through a worker, and asks again when that one dies: so starts and answers are
//     killed at every position too, and must not happen twice.
//   - The service gives the same answer to the same question of the same run, so that what a run comes to depends on nobody's
//     luck. It fails only where the flow tries again.
package chaos
