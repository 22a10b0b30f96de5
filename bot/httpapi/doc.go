// Package httpapi is HTTP in and out: webhooks that start runs, and what a machine asks to know whether the program is well.
//
//	POST /hooks/PATH   starts a run of the flow that has the trigger `webhook: {path: PATH}`
//	GET  /healthz      200 while the process lives
//	GET  /readyz       200 while it can take deliveries: it serves, and its store answers; else 503
//
// # Webhooks
//
// A request is signed in one of two ways, with the secret HOOK_PATH (see bot.HookSecret) of the installation:
//
//	webhook-id, webhook-timestamp,      Standard Webhooks (standardwebhooks.com): HMAC-SHA256 of "id.timestamp.body", as v1,BASE64.
//	webhook-signature                   Several signatures may stand beside each other, with a space between them. The time may be
//	                                    five minutes off. A secret whsec_BASE64 is the key in base64, any other one is the key itself.
//	X-Hub-Signature-256,                as GitHub sends it: HMAC-SHA256 of the body, as sha256=HEX. The secret is the key as it is
//	X-GitHub-Delivery                   written.
//
// The body is JSON, or a form (application/x-www-form-urlencoded), of up to 1 MiB. What its fields become is bot.Delivery's matter.
// The answer is JSON, with these fields:
//
//	202  {"delivery": "ID"}                                stored; a run starts. The same again for a delivery that came before
//	400  {"code": "bad_body", "error": "..."}              the body cannot be read
//	404  {"code": "no_hook", "error": "..."}               there is no such hook, it has no secret, or the signature is not right
//	405, 413, 415                                          not a POST (Allow says so), too large, neither JSON nor a form
//	422  {"code": "bad_inputs", "error": "...", "problems": ["order_id is missing", ...]}
//	429  {"code": "busy", ...}                             too many at once; Retry-After says when to try again
//	503  {"code": "unavailable", ...}                      nothing was stored: the database is away or full, or the process does not
//	                                                       serve yet; Retry-After likewise
//
// A delivery is stored, then answered; a worker of the inbox starts its run in the transaction that marks it as done. So a kill between
// the two loses nothing and starts nothing twice, and the id of a delivery, signed or GitHub's, counts once for as long as deliveries
// are kept.
//
// The room knows what a signature is, and neither what a flow is nor what a run is: it asks the bot. It imports nothing of bot/slack.
//
// Where to look: server.go listens; hook.go is the way of a request, stage by stage; signature.go, body.go and answer.go are what their
// names say; health.go answers machines. What a delivery becomes is bot/hook.go.
//
// # Decisions
//
//   - An unknown path, one without a secret and a wrong signature get the same answer after the same work: the path is looked up, and a
//     signature is computed with a key that nobody has. The log says which of them it was.
//   - The time of a signature is held against the clock of the machine, not against the one that the development server moves: whoever
//     signs lives by the former.
//   - GitHub's delivery id and event name are not signed. The id is used all the same, there is no other; whoever can read a delivery on
//     its way can send it again under another id. Headers reach no flow.
//   - A request that is not signed at all is refused before its body is read, and so is an old one.
//   - Requests that are being read are counted, not queued: beyond the bound the answer is 429 at once.
//   - The listener is open from the start of the program on, also while it waits for its database or stands by, so that whoever watches it
//     sees a living process. Deliveries are refused until it serves.
package httpapi
