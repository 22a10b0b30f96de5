// Package surface says what surfaces show. A surface is a Slack message; it is a projection of the database and never the truth.
//
// Cards makes the card of a surface from the latest state: one file per kind of card. refs.go names surfaces;
// cards.go lists the kinds; bare.go is what is shown when a card cannot be made; whole.go is about cards that one message cannot show.
// try.go and try_words.go say what a dry run would do, outcome.go where a run stands.
//
// The package knows runs, drafts (their rows: bot/draft) and gates. It does not know when a surface is sent or what becomes of it (bot/project), nor Block Kit,
// limits and rates (bot/slack).
package surface
