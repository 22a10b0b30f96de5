// Package httpapi listens for HTTP, and answers machines that ask whether the program is well.
//
//	GET /healthz   200 while the process lives
//	GET /readyz    200 while it can take deliveries: it serves, its store takes what is to be stored, and Slack is connected; else 503. What
//	               is wrong besides stands in problems
//
// Other handlers are added by Server.Handle: bot/webhook is one. What they share is here: the listener with its bounds (server.go,
// listen.go), the address of a sender behind proxies (address.go), and answers in JSON (answer.go). health.go answers machines.
//
// The package knows no flow, no run and no signature.
//
// Why things are as they are stands in decisions.md.
package httpapi
