// Package river dispatches across processes: a queue in Postgres that any number of them work on, kept by River.
//
//	transition (lib/pq) --Put, in its transaction--> river_job --NOTIFY--> a client of some process --> Performer
//	                                                    |
//	Revoke --JobCancel--> control NOTIFY ---------------+----------------> the item's context is cancelled
//
// A job is a wake-up and never the truth: that is the lease, which the performer claims first. So a job that is lost costs time until
// the sweep misses it (Gone, End), a doubled one costs a claim that fails, and one that a dead process was performing is ended (EndDead)
// and not tried again by River. The store is given Put, Gone, End and EndDead as text; it knows nothing else of River.
//
// The package knows neither runs nor storage. Look next at statements.go, then at dispatcher.go and notifier.go.
//
// # Decisions
//
//   - A job has no timeout (River's default of a minute would cancel agents) and is performed without an error whatever comes of the
//     token: River's attempts and its backoff would be a second opinion on retries. River never rescues a job without a timeout;
//     EndDead does that for dead processes, whatever the age of a job.
//   - The jobs of a dead process are ended after its tokens were handed on, and not in the transactions that do so: they wake nobody up any
//     more either way. A process that dies in between leaves its counter behind, so that another one ends them (storage.EndDead).
//   - A performer that meets an absent database waits for it instead of failing its job: River could not store the failure either. An
//     item that a stop cuts short is snoozed for a second, which spends no attempt, so that another process looks at it.
//   - River works through pgx, with a small pool of its own; jobs come in through the store's lib/pq transactions, since a job in
//     another transaction would be a job without a lease or a lease without a job.
//   - Enqueue and Revoke are executed by the notifier, in order, since they must not wait for the database. A revoked item is also
//     remembered in memory for a while: a job that was fetched before the notifier cancelled it is not performed.
//   - River's own pages are served instead of pages of ours: they are what operators of River know, and they are part of the binary (about
//     3 MB). Whatever is done to a job there, the truth is the lease: the sweep dispatches it again.
package river
