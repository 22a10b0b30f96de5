// Package secret resolves the secrets that a flow or an action names and keeps their values out of everything that is
// stored or shown.
//
// A document never holds a secret, only its name: secret.SHOP_TOKEN. The value is asked for at the moment of a call
// ([Source]), for one use ([Use]: which flow, which tool, which host), and the source refuses every use that the operator
// has not bound the secret to. Whatever comes back from the call goes through a [Redactor] before it becomes a fact, a
// log line, a card or a prompt.
//
// The environment is the one source so far ([Env]):
//
//	SLUICE_SECRET_SHOP_TOKEN=s3cr3t                                  the value of secret.SHOP_TOKEN
//	SLUICE_SECRET_SHOP_TOKEN_HOSTS=api.example.com,*.shop.example    hosts that flows may send it to
//	SLUICE_SECRET_SHOP_TOKEN_FLOWS=refund,refund-triage              flows that may use it; absent = every flow
//
// The package does not know what a tool is, who calls, or where values go: it imports nothing of the project. The tools
// themselves are in engine/tool, the syntax secret.NAME is in engine/expr.
//
// Decisions:
//   - A secret without a HOSTS binding cannot be used by a flow at all, not even as a parameter of an action with a fixed
//     host: an author of a flow could otherwise hand any secret to any service that repeats what it is told. It can
//     only be used by a tool whose own declaration, written by the operator, names the secret (Use.Declared).
//   - A HOSTS entry without a port means https on its usual port. Plain http must be bound with its port written out
//     (api.example.com:80), so that a flow cannot send a secret in clear text by changing the scheme.
//   - A text is read as somebody would who undoes an encoding (layer.go), instead of looking for each encoding of each value: so it does
//     not matter which characters were escaped, in which case, or where an encoded value begins and ends. Escapes within escapes are
//     undone twice. What somebody computed from a value, such as its sum, is not found.
//   - A mark has the same length for every value of a name, and stands once for values that overlap.
//   - Values shorter than four characters are refused, not merely left unredacted: replacing them would shred ordinary
//     text, and not replacing them would show a secret.
package secret
