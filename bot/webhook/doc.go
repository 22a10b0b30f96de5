// Package webhook takes deliveries that other programs sign, and has them start runs:
//
//	POST /hooks/PATH   starts a run of the flow that has the trigger `webhook: {path: PATH}`
//
// A request is signed in the one way that its trigger declares (webhook: {path, scheme}), with the secret HOOK_PATH (see triggers.HookSecret)
// of the installation:
//
//	standard  webhook-id, webhook-timestamp,    Standard Webhooks (standardwebhooks.com), the default: HMAC-SHA256 of
//	          webhook-signature                 "id.timestamp.body", as v1,BASE64. Several signatures may stand in the header, with a
//	                                            space between them. The time may be five minutes off. A secret whsec_BASE64 is the
//	                                            key in base64, any other one is the key itself.
//	github    X-Hub-Signature-256,              as GitHub sends it: HMAC-SHA256 of the body, as sha256=HEX. The secret is the key as it
//	          X-GitHub-Delivery                 is written; one that begins with whsec_ is refused.
//
// The body is JSON of up to 1 MiB, with one reading: UTF-8 without a byte order mark, no name twice in an object, nothing after the value,
// not compressed. Forms are refused. triggers.Delivery says which inputs its fields become.
// The answer is JSON, with these fields:
//
//	202  {"delivery": "ID"}                                stored; a run starts. The same again for a delivery that came before
//	400  {"code": "bad_body", "error": "..."}              the body cannot be read
//	404  {"code": "no_hook", "error": "..."}               there is no such hook, it has no secret, or the signature is not right
//	405, 413, 415                                          not a POST (Allow says so), too large, not JSON
//	408  {"code": "slow", ...}                             the body came too slowly
//	422  {"code": "bad_inputs", "error": "...", "problems": ["order_id is missing", ...]}
//	429  {"code": "busy", ...}                             too many at once; Retry-After says when to try again
//	503  {"code": "unavailable", ...}                      nothing was stored: the database is away or full, or the process does not
//	                                                       serve yet; Retry-After likewise
//
// A delivery is stored, then answered; a worker of the inbox starts its run in the transaction that marks it as done. So a kill between
// the two loses nothing and starts nothing twice, and the id of a delivery, signed or GitHub's, counts once for as long as deliveries
// are kept.
//
// The package knows what a signature is, and neither what a flow is nor what a run is: bot/triggers knows. It imports nothing of
// bot/slack; bot/httpapi listens.
//
// Where to look: handler.go is the configuration; hook.go is the way of a request, stage by stage; signature.go and body.go are what their
// names say; slots.go and pace.go keep one sender from taking what others need. What a delivery becomes is bot/triggers/hooks.go.
//
// Why things are as they are stands in decisions.md.
package webhook
