// Package shop is the tiny shop that the examples refund orders of: an outside service with orders to read and refunds to
// book, which remembers what reached it and can be made to misbehave.
//
// GET /orders/{id} answers {order_id, amount, customer}. POST /refunds {order_id, amount?} books a refund and answers 201
// {refund_id, order_id, amount, status}; a second request with the same Idempotency-Key gets the first one's answer and
// books nothing, and one with the same key for something else is refused. Amounts are in whole units of the shop's
// currency.
//
// Every arrival is stored before anything else happens, and every booking before it is answered, so both survive a kill
// of the process. It knows nothing of Slack or of workflows; bot/slacksim serves it under /shop/.
//
// Decisions
//
//   - A booking is stored with its key, and the answer is built from the booking: a repeat after a crash between storing
//     and answering finds it.
//   - An arrival is stored before a fault strikes, because a request that the shop never answers has reached it all the
//     same.
package shop
