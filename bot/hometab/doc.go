// Package hometab says what a person's Home shows: what waits for them, what failed, their runs, what starts next, their flows, and how to
// begin.
//
// Home.Card asks for everything under the person's own rights, so that nobody sees more there than by the commands. page.go has the parts
// in their order, runs.go those about runs and questions, flows.go those about flows and schedules.
//
// A question has the card that its thread has, with the same buttons, forms and hash; where that is too long for a Home, a link leads to it.
//
// The package does not know when a Home is shown again (bot/project), nor Block Kit (bot/slack). Its buttons lead to the functions of
// bot/gates, bot/operate and bot/drafts, as everywhere; Lists are the commands behind "Show all".
//
// # Decisions
//
//   - A part has a fixed number of places, and says how many more there are: a person with a thousand runs gets a Home that can be read,
//     and Slack takes it.
//   - A failed step stands under Failed and not among what waits, also when it waits for the person.
//   - Only runs that the person asked for are among theirs. Those of a channel are in the channel.
package hometab
