// Package triggers starts runs by what happens: messages and reactions in channels, and deliveries of webhooks.
//
// concerns.go says which messages are part of the bot's work at all; starts.go starts the runs of messages and reactions; hooks.go finds the
// flow of a webhook, stores a delivery that bot/webhook has verified, and starts its run later.
//
// The package does not know how a delivery is signed (bot/webhook), nor Slack's events (bot/slack). Starts by the clock are the engine's.
//
// Why things are as they are stands in decisions.md.
package triggers
