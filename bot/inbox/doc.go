// Package inbox works on deliveries: rows that were stored before their sender got an answer.
//
//	a delivery -> Put (stored once, by its key) -> its thread's worker -> Handler.Handle -> done in the transaction of the effect
//
// Rows of a thread are handled in the order in which they were stored, and threads side by side. A row that is not done when the process
// ends is handled after the next start. Beside other processes (Config.Holder) one process at a time works on a thread.
//
// The package knows neither Slack nor webhooks, nor what a row means: a Handler reads it. Look next at bot/slack, which stores what
// Slack delivers, and bot/httpapi, whose webhooks are deliveries too.
//
// # Decisions
//
//   - A handler marks its row as done in the write of the effect (storage.Batch.InboxDone). storage.ErrDone means that another process,
//     or an earlier try whose answer was lost, has had the effect.
//   - A row that fails eight times is set aside, so that it does not hold its thread for ever. Failures of the database do not count.
//   - Every look reads all rows that are not done: rows of concurrent deliveries may become visible out of order.
package inbox
