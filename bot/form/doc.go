// Package form has the questions with fields that people answer: the inputs of a run, the gates of a run, and what people can change about a gate:
// whom else to ask, and the arguments of a call.
//
// A Form is data. Inputs and Gate make one from what a flow or a run asks; bot/slack draws it as a modal, cmd/sluice asks it in the terminal;
// Typed reads the same values from typed words. However values were entered, Settle makes of them what a flow knows: the date of "next
// Monday", the name of a person. A Ref names what a form belongs to and comes back with the values. Package bot has one answer function for each owner; it
// hands the values to the engine, which checks them.
//
// The package does not know Slack, the store or who may answer. Look next at bot/forms.go and bot/slack/modal.go.
//
// # Decisions
//
//   - A person and a channel are values by their names (@ana, #general), as a flow names people everywhere. Who has no name here keeps the id.
//   - What a person enters counts from their own clock. Words that can mean two days, such as 3/4/2026, are refused.
//   - Slack has no field that hides what is typed: a sensitive input is seen while it is entered, and nowhere afterwards.
//   - In typed words a value ends at the next known name: people write sentences, in several lines, too, and a comma or a space must not
//     cut them.
package form
