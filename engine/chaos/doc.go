// Package chaos tests the invariants of the engine while everything around it breaks. It is tests alone.
//
// Real processes, copies of the test program, serve one store: three beside each other on a Postgres of their own (dispatch/river), or one
// on SQLite (dispatch/local). They perform runs of many flows whose tools and model are services on the wire that write down all that
// arrives. Meanwhile processes are killed, at random moments, at every runner.Position, and before and after a commit of each kind; they
// are frozen and thawed; the server is stopped on the spot and started again; the network to it is cut. People interfere: they hold runs,
// flows and everything and let them go on, cancel runs, try failed steps again, skip them or give up, and fork runs that are over; a
// schedule starts runs by itself. When every run has come to its end, a judge reads the stored facts and what the service has written down.
//
//	flows_test.go      the mix of flows: a new one is an entry in the list there; generated ones come on top
//	oracle_test.go     plays a flow in memory, without faults: what a run must come to
//	worker_test.go     a process that serves, and fate_test.go what befalls it
//	outside_test.go    the outside service; model_test.go the model; people_test.go those who answer gates
//	scribe_test.go     the store of a worker, with a position before and after each kind of commit
//	meddle_test.go     who holds and cancels, and the schedule; fork_test.go who forks; line_test.go runs of one key
//	storm_test.go      a storm: workers, runs and faults
//	judge_test.go      what must hold at the end; late_test.go of acts, still_test.go of what is held
//
// The judge was tried on engines that were broken by hand, one at a time. It finds a cancel that is said and not done, that leaves a lease,
// a token or a timer, or does not reach a child; a step that begins while its run, its flow or everything is held, in a process that was
// told or in another one; a fork that does a kept act again, does not do again what it was to, or does so under the old key; a once act
// that is repeated without a question, an act that is done twice or under two keys; a fact that is missing; a run that does not wait for
// the one before it in the key queue; a worker that acts although it was thought dead. It does not find a machine that takes the result of
// a worker whose epoch is over: by the time that worker is thawed the step has finished, and is refused for that. The properties of
// engine/run do.
//
// A plain test run has a short storm on each store, in which every position kills once; the kinds of commits do so on SQLite, and those of
// starts and ends on Postgres. A kind that is not named in scribe_test.go ends the storm. Not in a storm: a move to another revision, which
// is a transition like a step; a trigger's start, which is a start with one more row (engine/triggers_test.go); and a removal, which is one
// write for a run and then batches of its facts, in any of which it may stop (engine/prune). `go test -tags chaos ./engine/chaos` has the
// long one; its figures are in engine/figures.md. A storm that finds something prints its seed: -seed N makes the same flows,
// the same answers of the outside and the same faults in the same order. Moments cannot be made again; a seed that has failed
// once fails again often enough. -runs N and -storm NAME make a storm longer or choose one.
//
// # Decisions
//
//   - A worker freezes itself, and only when each of its acts either has not been begun or was sent to the last byte: the window between
//     the look at the lease and the socket is the one that engine/decisions.md says is open.
//   - People start runs and answer gates through a worker, and ask again when that one dies: so starts and answers are
//     killed at every position too, and must not happen twice.
//   - A run that failed counts as unfinished until a person has given it up: it has ended, and yet an answer lets it go on.
//   - A run that was cancelled in the middle is judged by what it must not have done. All else must have come to what was foreseen,
//     however often it was held. A fork must come to what its run came to, and the outside must see nothing of it but the act that was to
//     be done again. What was to be done again is told by who asked, and not by what the fork has stored.
//   - Fires of the schedule must follow each other without a gap, one run each, whatever died or was held meanwhile.
//   - A generated flow whose end depends on the order of things, or on parts that the oracle cannot play, is not in the mix.
//   - The service gives the same answer to the same question of the same run, so that what a run comes to depends on nobody's
//     luck. It fails only where the flow tries again.
package chaos
