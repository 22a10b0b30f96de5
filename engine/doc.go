// Package engine is the conductor: it starts runs, feeds what happens to the pure machine, stores the answer in one
// transaction, and has the effects carried out.
//
//	button, command, timer, worker            engine/run (pure)
//	           |                                ^        |
//	           v          input, reads          |        | facts, effects
//	     transition() --------------------------+        v
//	           |                                  storage.Write: one transaction
//	           |                                         |
//	           +<----------------------------------------+
//	           v
//	     dispatcher --> carry(): claim, perform (engine/node), report, perform the next, ...
//
// A tour, bottom-up:
//
//	engine/flow      the document: parse, validate, canonical form, plan
//	engine/expr      expressions and templates
//	engine/calendar  working days, local times, when schedules fire
//	engine/run       the machine: Decide and Apply, and the vocabulary of facts
//	engine/tool      what a flow can call; engine/llm and engine/agent: a model, and the loop around it
//	engine/node      one performer per kind of node
//	engine/dispatch  who performs a token
//	engine/try       what a flow would do, and what another revision would have made of runs that are over
//	engine           this room
//	engine/chaos     holds it to its promises while everything around it breaks
//	engine/prune     removes what is over and old, and tells who decided what in it
//	engine/plan      words to flow
//
// What changes where:
//
//	new node kind      a spec in engine/flow, its rule in engine/run, a performer in engine/node when it acts on the outside
//	new fact           a body in engine/run/fact.go with an Apply case; old histories must still fold
//	new way to start   a caller of Engine.Start
//	new way to decide  a caller of Engine.Answer
//
// The room does not know Slack: people are ids, messages are surfaces that somebody else draws. It does not know SQL.
//
// # Several processes
//
// With Config.Shared any number of processes serve one store (alive.go). Each beats every two seconds and looks at the others' counters;
// one that stood still for six seconds is dead, and what it held is handed on through the machine as after any crash. A worker whose
// last beat is older than four seconds begins no act, and a beat tells it what it has lost. What is left open is the window between
// that look and the first byte that the act sends: a process that is frozen exactly there, and for long enough to be thought dead,
// sends that byte after the thaw, while somebody else repeats an idempotent act under the same key, or a person is asked about a once
// act. It then learns that it was fenced: nothing that it brings back is stored as the step's result.
//
// # Runs among each other
//
// No transaction touches two runs. What one wants of another is a letter (mail.go): a row in the timers' table, due at once, written in
// the transition that wants it and deleted in the one that it leads to. Whoever polls hands it over; handed over twice, it is refused by
// the machine.
//
//	parent: child_started  --start-->  child: run_started ... run_ended  --over-->  parent: child_ended, step_finished
//	parent: child_cancelled  --cancel-->  child: run_ended
//
// The start must still find its letter, and the parent's cancel takes it away: either sees the other (storage.RunWrite.Take). A child
// runs the revision that the lock of its parent's names by hash (subflow.go), in its parent's thread, under its title and requester.
//
// An event is a row that is kept for an hour, and a due row (events.go). Who waits has a row too, and a letter to itself. The due row is
// handled after the event is there, and writes letters to those who wait; the letter is handled after the wait is there, and looks at
// the events: at least one of the two sees the other, without a lock between them.
//
// Runs with the same key stand in line when their flow says so (line.go). Who starts takes the key from the run that holds it, in a
// compare-and-set, and is right behind that one. The end of a run leaves a due row, which is handled after the end is there and writes
// letters to those behind; who begins to wait writes a letter to itself, which is handled after its place is there.
//
//	refund-217: run_ended  --line/217-->  whoever is behind  --line/218/217-->  refund-218: is anybody before it? no: run_resumed
//	                                      refund-218: run_started, run_paused  --line/218/218-->  the same look
//
// # Chaos
//
// What is promised: when a process dies, by whatever cause, what it held goes on elsewhere within 10 seconds of its death, or of the start of
// the oldest process that survives, if that comes later. Who survives has first read the counter of the dead at the latest two seconds
// after its last beat, or with its own first one; it must see it stand still for 6 seconds of its own unbroken beats, and beats every two
// seconds. So it is 6 to 8 seconds, and a moment for the handing on. When all who were watching die before that, whoever comes after them
// begins to watch anew: in a row of processes that each live for less than 6 seconds nobody ever takes anything over. Timers are like
// steps: who finds a process dead ends its claims on them, too. A process that serves alone takes up what its predecessor held, steps and
// timers, as soon as it starts. Nothing of this needs two clocks to agree, and one that is frozen, or cut off together with all others,
// loses nothing before it has been still for 6 seconds while somebody else was not.
//
// The tests of engine/chaos kill, freeze and cut off real processes while they carry runs of many flows, most of them random ones, and
// people hold, cancel, retry, skip and fork what they carry; they judge what is stored and what the outside has seen. The long storms
// (go test -tags chaos ./engine/chaos) in November 2026, on a machine with 2 cores that much other work kept busy; nothing was lost, done
// twice or left over:
//
//	                                     3 processes, Postgres   1 process, SQLite
//	runs, with subflows                  1,502                   517
//	visits to nodes; facts               13,297; 75,890          3,984; 21,455
//	kill -9 at random moments            25                      21
//	kill -9 at each of 37 positions      46 in all               38 in all, at 35
//	frozen and thawed                    1
//	server stopped on the spot           6
//	line to it cut                       19
//	held and let go on                   102                     64
//	cancelled                            29                      13
//	forked; with an act done again       157; 79                 43; 21
//	failures: retried, skipped, aborted  288                     49
//	fires of a schedule, one run each    96                      35
//	steps begun again, same key          77                      140
//	acts in doubt, asked about           345, 158 done again     131, 55 done again
//	work goes on after a kill            p50 6.1 s, max 6.8 s    p50 0.1 s, max 0.7 s
//	  when no witness of it survives     p50 9.3 s, max 9.6 s
//	timers late by                       p50 0.0 s, max 0.6 s    p50 0.0 s, max 2.1 s
//	  when a process died with them      7.5 s, once             none was
//	took                                 225 s                   89 s
//
// In a storm in which 12 of three processes at a time died one after the other, each with a timer in its hands, 11 timers were late: p50
// 13.8 s, max 14.0 s, so most had two such deaths, and each time somebody had to be missed anew. A storm around the same
// three processes with 8 freezes (1,362 runs, 37 kills at positions, 24 at random) lost nothing, did nothing twice and left nothing over.
//
// Most doubts are not of kills: the service of the storms often acts and does not answer. A kill is measured from the death until the
// last lease of the dead is somebody else's or gone. How late timers are is measured while the database is there; one that is more than
// three seconds late counts as a dead process's.
//
// # Benchmarks
//
// go test ./engine -run '^$' -bench . (DATABASE_URL for another Postgres than one of its own) in November 2026, on a quiet virtual machine
// with 2 cores that the benchmark, Postgres 15 and its disk shared; every commit waits for the disk. Middle values of eight runs on
// Postgres, and of three on SQLite. The yardstick is the rate of commits of one row of 200 bytes with 32 clients, measured in the same
// run: 21,400/s on Postgres, 6,000/s on SQLite. One client needs p50 0.20 ms for such a commit on Postgres and 0.11 ms on SQLite, and no
// more for 1,500 bytes, which is what a step stores; as four rows, which is how a step stores them, they take 0.22 ms on Postgres.
//
//	                                   Postgres                      SQLite
//	chain of 10 no-op steps, 1 run     2,330 steps/s                 2,210 steps/s
//	  gap between two steps            p50 0.33 ms, p99 0.9 ms       p50 0.34 ms, p99 1.0 ms
//	the same, 50 runs at once          8,430 steps/s                 5,390 steps/s
//	  beside the yardstick             39 % (34 to 42)               90 %
//	  gap between two steps            p50 4.9 ms, p99 15 ms         p50 8.1 ms, p99 15 ms
//	fork with 100 branches, and join   2,010 steps/s (50 ms)         2,050 steps/s (49 ms)
//	start to the first step's act      p50 0.8 ms, p99 2.1 ms        p50 0.9 ms, p99 1.9 ms
//	click at a gate to the next act    p50 1.3 ms, p99 4.0 ms        p50 0.8 ms, p99 2.1 ms
//	10,000 waiting runs                0.5 MiB over idle             0.5 MiB over idle
//	  a new process takes a step       19 ms after its start         9 ms after its start
//
// The gap between two steps of one run is 1.5 (1.3 to 1.6) commits of as many rows and bytes, and 1.6 of as many bytes in one row. Of its
// 0.33 ms, 0.03 are the machine and its JSON, 0.03 the way to the statement and back, and 0.12 the wait for the disk. A step of the chain
// costs about 0.1 ms of processor time here and 0.09 ms in Postgres. More than four statements at a time are slower: the groups get
// smaller.
//
// # Decisions
//
//   - A letter is a due row instead of a table of its own: one poller, one claim, one index.
//   - The start of a child compares its tools with what was approved, and not the flows that it runs: those were approved with it, by
//     hash. Only a start by a person or a trigger asks for the newest revisions.
//   - A child whose run key is held by an earlier child of the same parent starts all the same, as a person's Run anyway would: it is
//     the same thing tried again. Any other holder is a SubflowError.
//   - A child that cannot be started fails its parent's node, with the reason.
//   - The result of a child is read when its letter is delivered instead of being sent with it: it is stored once more, in its parent.
//   - What a start, an answer or a timer sets going is begun by a worker of the same process when one is free (seat.go): its lease is
//     stored as held, and nobody is woken up or claims it. When all are at work it is dispatched to whoever comes first.
//   - Inputs of workers that meet at the lock of their run are decided one on top of the other and stored in one transaction (joint.go):
//     a fork of 100 branches is a few commits and not 200 one after the other. Only decisions that write facts, leases and timers go
//     together, and only the first may be refused: what another one meets may be the doing of one that is not stored yet.
//   - A process that serves alone claims nothing: the transition that starts the step stores its lease as held.
//   - The sweep is everybody's, not an elected process's: to be elected anew after the death of the sweeper would take longer than the
//     double work, which the machine fences.
//   - A process that is restarted does not take up what its predecessor held: it cannot know that it is dead. It waits like the others.
//   - Transitions of one run are serialised by a lock on the run kept in memory only while somebody holds the run. The store's
//     compare-and-set then only ever meets other processes.
//   - A worker that has carried for 100 steps or 30 seconds hands its token on at the end of a step (run.Finished.Leave), instead of giving
//     up the step that it has just started: that would look like a crash, and a once act would be asked about.
//   - Who loses the compare-and-set twice locks the run's row and decides once more: with eight processes that move one run without a
//     pause, somebody else lost up to nineteen times in a row. The server takes the lock back from a process that is frozen with it.
//   - A database that is away or full stops nothing: what was done outside is kept in memory and offered again until it is taken. Many
//     wait for it at a time; it is said once that it is away, and once that it is back (trouble.go).
//   - A database that goes away between the opening and the first work is waited for, for a minute (begin.go).
//   - A commit whose outcome is unknown (the connection broke) is reloaded and decided again. If it did happen, the machine
//     fences the repeated input, and the token is handed on as after a crash; so a once act is asked about rather than lost.
//   - A scheduled run is allowed beside an earlier run with the same key: whoever made the schedule asked for one run per
//     fire. The start is recorded with the schedule as its reason, and overlap (default skip) keeps two from being live at once.
//   - Of fires that were missed "once" makes up for the latest, and tells the run so: it is the one whose report people still want.
//     "skip" leaves out what is more than a minute late. "all" makes up for those of Config.CatchUpWindow, one run each; with overlap
//     skip that is still one, since the run before goes on.
//   - A kept fire (overlap queue) is in the schedule's row, and the row knows the run that it started last. Whoever polls finds kept
//     fires whose run before has ended; that a run ends only wakes the poller up. A run that stopped at an error has ended: it would
//     hold up its schedule for as long as nobody looks at it.
//   - A schedule that is paused, by a person or after three failures, keeps no fires, and makes up for none when it goes on.
//   - Who fires schedules is elected among processes; when that one dies they are late by the few seconds until it is missed, and their
//     catch-up rule applies from a minute on.
//   - Timers are claimed by the clock of the process, not the database's: the development clock can be moved. Clocks that differ claim
//     a timer twice at worst, and the second fire is a no-op.
//   - Beside other processes the poller looks three times a second instead of being notified by Postgres: a notification may be lost
//     with its connection, so the look would be needed all the same, and whoever writes a timer is told in its own process.
//   - Whether anybody may answer a gate is asked aside from the timers, and a directory that cannot be asked is asked again after 30 s.
//   - Next never goes back: a clock that is put back fires nothing twice, also when a flow with the same schedule is approved again.
//   - A message, a reaction or a webhook starts at most one run of a flow: what happened has a key of its own, which is stored with the
//     run's first facts (triggers.go). Whoever tells of it again learns which run that was. A key that the run's own rules refuse
//     (inputs, a pause, the same run key) stays free: it may be told of again when that is mended.
//   - The rows of a flow's triggers carry its revision and count only while that is the newest one, whoever replaces it.
//   - A flow may listen to a channel only where its approver is a member, and the bot: what is said there becomes part of runs that
//     other people may read. The refusal is the same for a channel that does not exist.
//   - Pausing a flow or everything writes a row and then visits the live runs, each in a transition of its own (align.go): one
//     transaction over all of them would lock out every worker. The row is what counts. A person who starts a run meanwhile is
//     refused, since a run that begins held looks like one that hangs; a schedule does not fire and catches up when it goes on;
//     every other start begins held.
//   - Whoever comes after the witnesses of a death does not go on from what they had seen. What they saw could be stored, as a count that
//     goes on by one for two seconds of anybody's beats; but it would have to begin anew after an outage, or it would take from processes
//     that live what they had no chance to renew, and it helps only where processes die faster than they start.
//   - A claim on a timer names its process, so that it ends with it, and not only after 30 seconds. After an outage of the database a
//     process ends its own: it may hold what it has not fired, and may not even know of it. A timer that is fired twice because its
//     process was slow, or frozen, is refused by the machine the second time.
//   - A fork may stand beside the run that it comes from, also with the same key: it is asked for by name, and the start is recorded
//     with that reason. An act without a recorded outcome is never passed over silently: a person says that it is done again.
//   - Two trials or replays are computed at a time, in this process and by whoever asked; others wait for five seconds and are then asked
//     to come back. A queue would answer people who have long gone on, and the work would still be beside the runs.
//   - The order of a key's line is that in which its runs took the key from each other, and not that of their times: clocks of processes
//     differ, and a run that is stored later would come in between two that are under way. Places never change; a run that is over,
//     or removed, is passed. So a look by a slow process does no harm: what it saw is still true.
//   - A run that failed and waits for a person holds those behind it. A run that was let go on anyway, or forked, is a place of the line
//     like the others. A scheduled run waits in line: it goes beside the holder only where it would be refused.
//   - A key's window (within) counts for the line, too: who comes later than that does not wait.
//   - A child does not wait for a run that it lies within. Two parents that wait for each other's children are not found out.
//   - The end of every run with a key leaves that due row, also when nobody is behind it. Its transaction cannot tell: a run that gets
//     behind it at the same moment is not seen yet, and sees the other still going on, so that it would never be told. To be sure the end
//     would have to lock the key, as whoever gets behind does; a row that one look deletes costs less.
//   - A place in line that its run did not leave by itself, because it was cancelled as the last one, is removed by engine/prune.
//   - What a flow spends on models is added up as it is stored (budget.go), in the month of the fact that tells of it, and looked at before
//     every turn of a model. What turns of other steps cost that are under way is not known yet: a budget can be passed by a turn of each.
//     What cannot be judged for that is asked of a person, as when the model fails. A child counts to its own flow; what a forked run has taken over was counted before. Models without a price cost nothing.
//   - A failed step and an unknown outcome are asked of the run's requester, the flow's owner and admins, not of the channel:
//     their answers put a value in an act's place.
package engine
