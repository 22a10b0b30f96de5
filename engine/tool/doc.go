// Package tool holds everything a flow can call, under one shape: a [Tool] has a name (module.action), schemas for its
// parameters and its result, effects, a policy, and a function that performs it.
//
//	http.get ... http.delete   any address, with the guard below      [HTTP]
//	shop.get_order             actions that an operator declares      [LoadActions]
//	slack.post_message         a message, posted once under its key   [PostMessage]
//
// A [Set] is the catalogue of a running program. Tools looked up in it check their parameters against the schema before
// anything happens.
//
// # Calls to the outside
//
// Every call of a tool that is not a read has Call.Key in the header Idempotency-Key. A failed call says whether the
// act may have happened ([Error].Unknown): a refused connection never did, a connection lost after the request began may
// have. Addresses are checked when they are dialled, after DNS and after redirects: private, loopback, link-local and
// other special ranges are refused unless the operator allowed them ([Options].AllowPrivate) or declared them as the host
// of an action. Size of the answer, time and redirects are capped.
//
// The package does not know runs, steps, gates or how a call is journalled: that is engine/node for tool nodes and
// engine/agent for agents. It does not open secrets in parameters; the caller does, for the use that [UseOf] describes.
// It opens only those that the declaration of an action names.
//
// Decisions:
//   - Redirects are followed by hand for GET and HEAD only (a 303 after a POST becomes a GET): a POST is never sent twice,
//     and one that silently became a GET would look like a success that did nothing. The headers that the caller gave stay
//     with the host they were given for. An action's redirect must stay on its host, because that host was approved.
//   - Calls that are not reads use a connection of their own. Go's transport sends a request with an Idempotency-Key
//     again by itself when a reused connection turns out to be dead; with effects "once" that would be a second act.
//   - No proxy from the environment: the guard looks at the address that is dialled, and behind a proxy that is the proxy.
//   - A host that an action declares by name may lead to a private or loopback address, but not to a link-local or
//     multicast one: those must be written as numbers, so that DNS cannot point an action at cloud metadata.
//   - A 5xx answer to a call that is not a read counts as Unknown, except 501 and 503: a service that broke while it
//     worked, or a gateway that lost it, cannot guarantee that nothing happened.
//   - Values given by a caller never appear in an error of the schema check: they may be secrets.
package tool
