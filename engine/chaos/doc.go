// Package chaos tests the invariants of the engine while everything around it breaks. It contains tests only.
//
// Several processes, copies of the test program, serve one store: three beside each other on a Postgres of their own (dispatch/river), or one
// on SQLite (dispatch/local). They perform runs of many flows whose tools and model are HTTP services that record every request. Meanwhile
// processes are killed, at random moments, at every runner.Position, and before and after a commit of each kind; processes are frozen and
// thawed; the database server is stopped and started again; the network to it is cut. People hold and resume runs, flows and everything,
// cancel runs, retry or skip failed steps or abort them, and fork ended runs; a schedule starts runs. All this together is a storm. When
// every run has ended, a judge compares the stored facts and the recorded requests with what the runs must have come to.
//
//	flows_test.go      the flows of a storm: a new one is an entry in the list there; generated_test.go adds random ones
//	oracle_test.go     plays a flow in memory, without faults, to compute what a run must come to
//	worker_test.go     a process that serves, and failpoint_test.go where it is killed or frozen
//	process_test.go    starts, watches, thaws and stops these processes
//	outside_test.go    the outside service; model_test.go the model; people_test.go the answers of people at gates
//	commits_test.go    the store of a worker, with a position before and after each kind of commit
//	interfere_test.go  holds, cancels and the schedule; fork_test.go forks; queue_test.go runs of one key
//	storm_test.go      a storm: workers, runs and faults; scenario_test.go runs one and has it judged
//	judge_test.go      what must hold at the end; late_test.go about acts, hold_test.go about held runs
//
// The judge was tried on engines that were broken by hand, one fault at a time. It finds a cancel that is acknowledged and not performed, that
// leaves a lease, a token or a timer, or does not reach a child; a step that begins while its run, its flow or everything is held, in the
// process that took the request or in another one; a fork that repeats a kept act, does not repeat an act that it should, or does so under
// the old key; a once act that is repeated without a question; an act that is done twice or under two keys; a missing fact; a run that does
// not wait for its predecessor in the key queue; a worker that acts although it was declared dead. It does not find a machine that accepts
// the result of a worker whose epoch is over: when that worker is thawed the step has finished, and the result is refused for that. The
// properties of engine/run find it.
//
// A plain test run has a short storm on each store, in which every position kills once; the kinds of commits do so on SQLite, and those of
// starts and ends on Postgres. A kind that is not named in commits_test.go ends the storm. Storms leave out a move to another revision, which
// is a transition like a step; a trigger's start, which is a start with one more row (engine/triggers_test.go); and a removal, which is one
// write for a run and then batches of its facts, in any of which it may stop (engine/prune). `go test -tags chaos ./engine/chaos` has the
// long storms; their figures are in engine/figures.md. A storm that fails prints its seed: -seed N makes the same flows, the same answers of
// the outside service and the same faults in the same order. The exact moments differ each time; a seed that has failed once fails again
// often enough. -runs N and -storm NAME make a storm longer or choose one.
//
// # Decisions
//
//   - A worker freezes itself, and only when each of its acts has either not begun or was sent to the last byte: the window between
//     the check of the lease and the socket is the one that engine/decisions.md calls open.
//   - People start runs and answer gates through a worker, and ask again when that worker dies: starts and answers are killed at every
//     position, too, and must not happen twice.
//   - A failed run counts as unfinished until a person aborts it: it has ended, and yet an answer lets it go on.
//   - A cancelled run is judged by what it must not have done. Every other run must have come to the expected outcome, however often it was
//     held. A fork must come to the outcome of its origin, and the outside service must see no act of it but the repeated one. The actor of
//     the fork, not what the fork has stored, tells whether an act was to be repeated.
//   - Fires of the schedule must follow each other without a gap, one run each, whichever processes died or flows were held meanwhile.
//   - A generated flow whose outcome depends on the order of moves, or on parts that the oracle cannot play, is not in the mix.
//   - The service gives the same answer to the same question of the same run, so that a run's outcome does not depend on chance. It fails
//     only where the flow tries again.
package chaos
