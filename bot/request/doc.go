// Package request is one delivery to the bot: what was said, by whom, what that person may do and see, and how they are answered.
//
// Incoming is the delivery in our own words (incoming.go); ParseCommand reads typed commands (command.go). Access says what its sender may
// do and see (access.go; engine/authority decides). Replies stores the effect of a delivery in one batch together with its inbox row, and
// answers privately in that batch (replies.go). Refusals of the engine become sentences here (refusal.go, denied.go), names that do not
// exist get a hint (names.go), and long lists are cut into pages (pages.go).
//
// The package does not know which command or button does what (bot), nor drafts, gates or triggers: these lie above it.
package request
